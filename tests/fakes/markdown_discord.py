"""Reads text as Discord's clients show it, from what is known of their rules; it shares nothing with the bot.

What it knows: the order of the rules (an escape first, then links, then names, then styles), blocks at the beginning of
a line, `**[words](<link>)**` and its like. In the words of a link a backslash does not escape but is shown, and an
emoji undoes the link. A mention pings wherever its characters stand, escaped or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import category

_NAMES = {
    "person": r"<@!?\d+>",
    "role": r"<@&\d+>",
    "channel": r"<#\d+>",
    "emoji": r"<a?:\w{2,32}:\d+>|:[\w+~-]+(?:::skin-tone-\d)?:",
    "time": r"<t:-?\d+(?::[A-Za-z])?>",
    "command": r"</[^<>]+:\d+>",
    "guide": r"<id:\w+>",
    "everybody": r"@(?:everyone|here)",
}
_STYLES = {
    "code": r"(`+)(?P<in>[\s\S]*?[^`])\1(?!`)",
    "bold": r"\*\*(?P<in>(?:\\[\s\S]|[^\\])+?)\*\*(?!\*)",
    "underlined": r"__(?P<in>(?:\\[\s\S]|[^\\])+?)__(?!_)",
    "slanted": r"\*(?=\S)(?P<in>(?:\*\*|\\[\s\S]|[^*\\])+?)\*(?!\*)",
    "slanted_": r"_(?P<in>(?:__|\\[\s\S]|[^\\_])+?)_(?![A-Za-z0-9_])",
    "struck": r"~~(?P<in>[\s\S]+?)~~(?!_)",
    "hidden": r"\|\|(?P<in>[\s\S]+?)\|\|",
}
_ESCAPED = re.compile(r"\\([^0-9A-Za-z\s])")
_SHOWN_LINK = re.compile(r"<([^: >]+:/[^ >]+)>")
_BARE_LINK = re.compile(r"(?:https?|steam)://[^\s<]+[^\s<.,:;\"'\])]", re.IGNORECASE)
_MASKED = re.compile(
    r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['\"]([\s\S]*?)['\"])?\s*\)"
)
_BLOCKS = (
    ("heading", re.compile(r" *#{1,3}\s+(?=\S)")),
    ("small", re.compile(r" *-# +(?=\S)")),
    ("quote", re.compile(r" *>(?:>>)? (?=.)?")),
    ("list", re.compile(r" *(?:[*+-]|\d+\.) +(?=\S)")),
)
_PINGS = re.compile(r"<@[!&]?\d+>|@everyone|@here")
_INVITES = re.compile(r"(?:discord(?:app)?\.(?:gg|com|gift|new|me)|dis\.gd)/[\w/-]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """What is shown alike: words, how they look ("bold", "link", "person", …), and where they lead."""

    text: str
    looks: frozenset[str] = frozenset()
    url: str = ""


def read(content: str) -> list[Span]:
    """Return what a text display shows. Spaces of no width, which nobody sees, are left out."""
    found: list[Span] = []
    for number, line in enumerate(content.split("\n")):
        looks: frozenset[str] = frozenset()
        for name, block in _BLOCKS:
            if match := block.match(line):
                line, looks = line[match.end() :], looks | {name}
        spans = ([Span("\n")] if number else []) + list(_inline(line, looks))
        found += [Span(span.text.replace("\u200b", ""), span.looks, span.url) for span in spans]
    if "```" in re.sub(r"\\.", "", content):
        found.append(Span("```", frozenset({"code"})))
    return _merged(found)


def words(content: str) -> str:
    """Return the words that a text display shows."""
    return "".join(span.text for span in read(content))


def pings(content: str) -> list[str]:
    """Return the mentions that would notify somebody, if the message allowed them."""
    return _PINGS.findall(content)


def invites(content: str) -> list[str]:
    """Return the invitations that Discord shows below a message, linked or not, outside of our own links."""
    return _INVITES.findall(content)


def _inline(text: str, looks: frozenset[str], *, in_link: bool = False, before: str = "") -> Iterator[Span]:
    at = 0
    while at < len(text):
        if match := None if in_link else _ESCAPED.match(text, at):
            yield Span(match[1], looks)
        elif match := None if in_link else _SHOWN_LINK.match(text, at) or _BARE_LINK.match(text, at):
            yield Span(match[0].strip("<>"), looks | {"link"}, match[0].strip("<>"))
        elif (match := None if in_link else _MASKED.match(text, at)) and _may_be_words(match[1]):
            for span in _inline(match[1], looks | {"link"}, in_link=True):
                yield Span(span.text, span.looks, match[2])
        elif named := _first(_NAMES, text, at):
            name, match = named
            yield Span(match[0], looks | {name})
        elif styled := _first(_STYLES, text, at):
            name, match = styled
            if name == "code":
                yield Span(match["in"], looks | {name})
            else:
                yield from _inline(match["in"], looks | {name.rstrip("_")}, in_link=in_link)
        else:
            yield Span(text[at], looks)
            at += 1
            continue
        at = match.end()


def _first(rules: dict[str, str], text: str, at: int) -> tuple[str, re.Match[str]] | None:
    return next(((name, match) for name, rule in rules.items() if (match := re.compile(rule).match(text, at))), None)


def _may_be_words(text: str) -> bool:
    """Say whether Discord takes this as the words of a link: no emoji, no mention, no address."""
    emoji = any(category(one) == "So" or one in "\ufe0f\u20e3\u200d" for one in text)
    return not emoji and not _first_anywhere(text) and "://" not in text and bool(text.strip())


def _first_anywhere(text: str) -> bool:
    return any(re.search(rule, text) for rule in _NAMES.values())


def _merged(spans: list[Span]) -> list[Span]:
    made: list[Span] = []
    for span in spans:
        if made and (made[-1].looks, made[-1].url) == (span.looks, span.url):
            made[-1] = Span(made[-1].text + span.text, span.looks, span.url)
        elif span.text:
            made.append(span)
    return made
