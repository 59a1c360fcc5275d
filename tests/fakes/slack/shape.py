"""Shapes of JSON that Slack checks: small checks that are put together, and tell where something is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Check = Callable[[Any, str], Iterator[str]]


def wrong(said: str, at: str) -> str:
    """Return a line as Slack writes it."""
    return f"[ERROR] {said} [json-pointer:{at}]"


def text(least: int = 0, most: int = 3000) -> Check:
    """Check a string's length, in characters."""

    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, str):
            yield wrong("must be a string", at)
        elif len(value) > most:
            yield wrong(f"must be less than {most + 1} characters", at)
        elif len(value) < least:
            yield wrong(f"must be more than {least - 1} characters", at)

    return check


def pattern(expression: str) -> Check:
    """Check that a string is of a form."""
    compiled = re.compile(expression)

    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, str) or not compiled.fullmatch(value):
            yield wrong("does not match the pattern", at)

    return check


def url(most: int = 3000) -> Check:
    """Check an address."""

    def check(value: Any, at: str) -> Iterator[str]:
        yield from text(1, most)(value, at)
        if isinstance(value, str) and not re.match(r"(https?|mailto|tel|slack):\S", value):
            yield wrong("must be a valid URL", at)

    return check


def number(least: int, most: int) -> Check:
    """Check a whole number."""

    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            yield wrong(f"must be an integer from {least} to {most}", at)

    return check


def flag(value: Any, at: str) -> Iterator[str]:
    """Check a truth value."""
    if not isinstance(value, bool):
        yield wrong("must be a boolean", at)


def anything(value: Any, at: str) -> Iterator[str]:
    """Check nothing."""
    yield from ()


def among(*values: str) -> Check:
    """Check that a string is one of these."""

    def check(value: Any, at: str) -> Iterator[str]:
        if value not in values:
            yield wrong(f"must be one of: {', '.join(values)}", at)

    return check


def many(inner: Check, least: int = 1, most: int = 100) -> Check:
    """Check an array: how many, and each."""

    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield wrong("must be an array", at)
            return
        if len(value) < least:
            yield wrong(f"no fewer than {least} items required", at)
        if len(value) > most:
            yield wrong(f"no more than {most} items allowed", at)
        for index, one in enumerate(value):
            yield from inner(one, f"{at}/{index}")

    return check


def shape(needed: Mapping[str, Check], other: Mapping[str, Check] | None = None, any_of: tuple[str, ...] = ()) -> Check:
    """Check an object: what it must have, what it may have, and nothing else; one of `any_of` at least."""
    known = {**needed, **(other or {})}

    def check(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield wrong("must provide an object", at)
            return
        for name in needed:
            if name not in value:
                yield wrong(f"missing required field: {name}", at)
        if any_of and not any(name in value for name in any_of):
            yield wrong(f"must have one of: {', '.join(any_of)}", at)
        for name, inner in value.items():
            if name not in known:
                yield wrong(f"invalid additional property: {name}", at)
            elif inner is None:
                yield wrong("must not be null", f"{at}/{name}")
            else:
                yield from known[name](inner, f"{at}/{name}")

    return check


def by_type(kinds: Mapping[str, Check]) -> Check:
    """Check an object by what its `type` says."""

    def check(value: Any, at: str) -> Iterator[str]:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str):
            yield wrong("missing required field: type", at)
        elif kind not in kinds:
            yield wrong(f"unsupported type: {kind}", f"{at}/type")
        else:
            yield from kinds[kind](value, at)

    return check


def both(*checks: Check) -> Check:
    """Check all of these."""

    def check(value: Any, at: str) -> Iterator[str]:
        for one in checks:
            yield from one(value, at)

    return check


def plain(most: int, least: int = 1) -> Check:
    """Check a text object of plain text."""
    return shape({"type": among("plain_text"), "text": text(least, most)}, {"emoji": flag})


def words(most: int) -> Check:
    """Check a text object of either kind."""
    marked = shape({"type": among("mrkdwn"), "text": text(1, most)}, {"verbatim": flag})
    return by_type({"plain_text": plain(most), "mrkdwn": marked})
