"""Whether something changed since it was stored: what a server says of its state, kept in a cursor.

https://www.rfc-editor.org/rfc/rfc9110#section-13.1
"""

from __future__ import annotations

import json
from typing import Any

from bot.core.ports import Cursor

_MARKS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
_MARK_LIMIT = 500  # characters


def conditions(cursor: str) -> dict[str, str]:
    """Return the headers that ask for a feed only if it is not the one that was stored last."""
    try:
        known = json.loads(cursor) if cursor else {}
    except ValueError:
        return {}
    told = known if isinstance(known, dict) else {}
    return {_MARKS[name]: value for name, value in told.items() if name in _MARKS and isinstance(value, str)}


def state(headers: Any) -> Cursor:
    """Return what tells this state of a feed from the next, if the server says so."""
    marks = {name: headers[name] for name in _MARKS if 0 < len(headers.get(name, "")) <= _MARK_LIMIT}
    return Cursor(json.dumps(marks) if marks else "")
