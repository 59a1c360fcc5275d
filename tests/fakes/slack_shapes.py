"""Checks of JSON from which the rules of Slack's blocks are put together. Each raises Invalid with a JSON pointer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any, str], None]


class Invalid(ValueError):
    """What Slack would not take, and where it stands."""


def string(most: int = 1 << 30, least: int = 1, pattern: str = "") -> Check:
    """Check a string's length, and that all of it matches a pattern."""

    def check(value: Any, at: str) -> None:
        if not isinstance(value, str):
            raise Invalid(f"must be a string [json-pointer:{at}]")
        if len(value) < least:
            raise Invalid(f"must be more than {least - 1} characters [json-pointer:{at}]")
        if len(value) > most:
            raise Invalid(f"must be less than {most + 1} characters [json-pointer:{at}]")
        if pattern and not re.fullmatch(pattern, value):
            raise Invalid(f"does not match {pattern} [json-pointer:{at}]")

    return check


def flag(value: Any, at: str) -> None:
    """Check that something is true or false."""
    if not isinstance(value, bool):
        raise Invalid(f"must be a boolean [json-pointer:{at}]")


def whole(least: int, most: int) -> Check:
    """Check a whole number."""

    def check(value: Any, at: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Invalid(f"must be a whole number from {least} to {most} [json-pointer:{at}]")

    return check


def one_of(*allowed: Any) -> Check:
    """Check that something is one of these."""

    def check(value: Any, at: str) -> None:
        if value not in allowed:
            raise Invalid(f"must be one of {allowed} [json-pointer:{at}]")

    return check


def each(inner: Check, least: int = 0, most: int = 1 << 30) -> Check:
    """Check a list: how long it is, and each of its items."""

    def check(value: Any, at: str) -> None:
        if not isinstance(value, list):
            raise Invalid(f"must be an array [json-pointer:{at}]")
        if len(value) < least:
            raise Invalid(f"no less than {least} items allowed [json-pointer:{at}]")
        if len(value) > most:
            raise Invalid(f"no more than {most} items allowed [json-pointer:{at}]")
        for number, item in enumerate(value):
            inner(item, f"{at}/{number}")

    return check


def shape(needed: Mapping[str, Check], more: Mapping[str, Check] | None = None, *rules: Check) -> Check:
    """Check an object: what it needs, what it may have, nothing else, and then the rules on the whole of it."""
    known = {**needed, **(more or {})}

    def check(value: Any, at: str) -> None:
        if not isinstance(value, dict):
            raise Invalid(f"must be an object [json-pointer:{at}]")
        for name in needed:
            if name not in value:
                raise Invalid(f"missing required field: {name} [json-pointer:{at}]")
        for name, inner in value.items():
            if name not in known:
                raise Invalid(f"invalid additional property: {name} [json-pointer:{at}]")
            known[name](inner, f"{at}/{name}")
        for rule in rules:
            rule(value, at)

    return check


def typed(kinds: Mapping[str, Check]) -> Check:
    """Check an object by its type, which has to be one of these."""

    def check(value: Any, at: str) -> None:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in kinds:
            raise Invalid(f"unsupported type: {kind} [json-pointer:{at}/type]")
        kinds[kind](value, at)

    return check


def some_of(*names: str) -> Check:
    """Check that an object has one of these at least."""

    def check(value: Any, at: str) -> None:
        if not any(name in value for name in names):
            raise Invalid(f"missing required field: one of {names} [json-pointer:{at}]")

    return check


def unlike(name: str) -> Check:
    """Check that no two objects of a list have the same value of a field."""

    def check(value: Any, at: str) -> None:
        ids = [item[name] for item in value if name in item]
        if len(set(ids)) < len(ids):
            raise Invalid(f"`{name}` {max(ids, key=ids.count)!r} already exists [json-pointer:{at}]")

    return check


def both(*checks: Check) -> Check:
    """Check one thing after another."""

    def check(value: Any, at: str) -> None:
        for one in checks:
            one(value, at)

    return check
