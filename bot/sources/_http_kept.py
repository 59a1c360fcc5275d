"""What a host said by which it can tell whether something has changed: RFC 9110, section 13."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

from yarl import URL

_URLS = 500  # remembered, at most
_LONGEST = 500  # characters


class Kept:
    """The validators of the URLs that were asked for last."""

    def __init__(self) -> None:
        self._tags: OrderedDict[str, dict[str, str]] = OrderedDict()

    def headers(self, url: URL) -> dict[str, str]:
        """Return the headers that ask whether a URL has changed; none if nothing is known of it."""
        return dict(self._tags.get(str(url), {}))

    def keep(self, url: URL, answered: Mapping[str, str]) -> None:
        """Remember what the headers of an answer say of a URL."""
        tags = {
            asks: value
            for asks, says in (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified"))
            if (value := answered.get(says, "")) and len(value) <= _LONGEST and value.isascii() and value.isprintable()
        }
        self.drop(url)
        if tags:
            self._tags[str(url)] = tags
            if len(self._tags) > _URLS:
                self._tags.popitem(last=False)

    def drop(self, url: URL | None) -> None:
        """Forget a URL; None: all."""
        if url is None:
            self._tags.clear()
        else:
            self._tags.pop(str(url), None)
