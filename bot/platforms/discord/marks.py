"""What a button carries: what it does, and in the first of a delivered message the mark by which it is found. Pure.

A custom_id is an action, and behind the last "#" perhaps the mark of a delivery, or a number where two buttons of a
message do the same. An action that itself ends like this gets a bare "#" behind it, so that none is ever misread.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

CUSTOM_ID_LIMIT = 100  # characters
BUTTON, TEXT = 2, 10  # types of components
_NONCE = re.compile(r"#([A-Z2-7]{24})\Z")
_BEHIND = re.compile(r"#(?:[A-Z2-7]{24}|\d{1,2})?\Z")


def nonce_of(key: str) -> str:
    """Return what stands for a delivery's key: 24 characters, base32 of the first 15 bytes of its SHA-256.

    Discord takes 25 characters as a nonce.
    """
    return base64.b32encode(_digest(key)[:15]).decode()


def number_of(key: str) -> int:
    """Return what stands for a delivery's key in a message without buttons: the id of a component, 1 to 2^31 - 1."""
    return int.from_bytes(_digest(key)[:4], "big") % (2**31 - 1) + 1


def custom_id(action: str, *, nonce: str = "", taken: Iterable[str] = ()) -> str:
    """Return the custom_id of a button, different from those that are taken; nothing if there is no room for it."""
    others = frozenset(taken)
    return next((one for one in _wanted(action, nonce) if len(one) <= CUSTOM_ID_LIMIT and one not in others), "")


def _wanted(action: str, nonce: str) -> Iterator[str]:
    """Yield what would do as a custom_id, best first; nothing for no action."""
    if action and nonce:
        yield f"{action}#{nonce}"
    elif action:
        yield f"{action}#" if _BEHIND.search(action) else action
        yield from (f"{action}#{number}" for number in range(2, 100))


def action_of(custom_id: str) -> str:
    """Return what a button does: its custom_id without what stands behind the action."""
    return _BEHIND.sub("", custom_id)


def nonce_in(components: Iterable[Any]) -> str:
    """Return the nonce of the delivery whose mark a message's buttons carry, or nothing."""
    ids = (str(one.get("custom_id", "")) for one in _all(components))
    return next((found[1] for id_ in ids if (found := _NONCE.search(id_))), "")


def is_marked(components: Iterable[Any], key: str) -> bool:
    """Say whether a message's components carry the mark of a delivery. They are Discord's dicts, or discord.py's."""
    mark, number = f"#{nonce_of(key)}", number_of(key)
    return any(str(one.get("custom_id", "")).endswith(mark) or one.get("id") == number for one in _all(components))


def _all(components: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for one in components:
        raw = one if isinstance(one, Mapping) else one.to_dict()
        yield raw
        yield from _all(raw.get("components") or ())


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
