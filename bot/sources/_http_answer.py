"""What a host answered."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from yarl import URL

from bot.errors import SourceError
from bot.sources._http_text import decode

_CHARSET = re.compile(r"""charset\s*=\s*["']?([^"';,\s]{1,40})""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: the status of the last response and its URL, after all redirects.

    `headers` have lower-case names. `same`: nothing has changed since it was asked for last; then `body` is empty.
    """

    status: int
    url: str
    body: bytes
    headers: Mapping[str, str]
    same: bool = False

    def text(self) -> str:
        """Return the body as text; what cannot be read is replaced. Never raises."""
        found = _CHARSET.search(self.headers.get("content-type", ""))
        return decode(self.body, found[1] if found else "")

    def json(self) -> Any:
        """Return the body, read as JSON; NaN and the infinities are None. Raises SourceError, naming the host."""
        try:
            return json.loads(self.text(), parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            what = "nothing" if not self.body.strip() else "what is no JSON"
            raise SourceError(f"{URL(self.url).host} answered {what}.") from None
