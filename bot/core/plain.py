"""Text as people should read it in a card: no LaTeX, no markdown marks, nothing invisible."""

from __future__ import annotations

import re
import unicodedata

from bot.core.latex import unwrap

LONGEST = 100_000  # characters looked at: no card shows more, and work stays bounded
ROUNDS = 10

_PLAIN = re.compile(r"[\w.,:;()?!']+(?:[ -][\w.,:;()?!']+)*")  # most names and titles, if no "_" is in them
_FOLDED = re.compile(r"\s+")
_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINER = "\u200d"
_CODES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]P^_X]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)

_IMAGE_OR_LINK = re.compile(
    r"!?\[([^\[\]]{1,500})\]\((?:https?://|mailto:|/|#)[^()\s]{0,1000}(?:\s\"[^\"]{0,200}\")?\)"
)
_LINE_MARK = re.compile(r"^[ \t]{0,3}(?:#{1,6}[ \t]+|>[ \t]+)+", re.MULTILINE)
_EMPHASIS = (
    re.compile(r"\*\*\*(?=[^\s*])([^*]{1,1000})(?<=\S)\*\*\*"),
    re.compile(r"\*\*(?=[^\s*])((?:[^*]|\*(?!\*)){1,1000}?)(?<=\S)\*\*"),
    re.compile(r"(?<![\w_])__(?=[^\s_])([^_]{1,1000}|\w{1,200})(?<=[^\s_])__(?![\w_])"),
    re.compile(r"(?<![\w*\\)\]])\*(?=[^\s*])([^*]{1,500})(?<=[^\s(\[])\*(?![\w*])"),
    re.compile(r"(?<![\w_\\)\]])_(?=[^\s_])([^_]{1,500})(?<=[^\s_])_(?![\w_])"),
    re.compile(r"~~(?=[^\s~])([^~]{1,1000})(?<=\S)~~"),
    re.compile(r"(?<!`)`{1,3}(?=[^`])([^`]{1,500})`{1,3}(?!`)"),
)
_MARKS = ("*", "_", "~~", "`")
_DASHES = ((re.compile(r"(?<=\w)---(?=\w)"), "—"), (re.compile(r"(?<=\w)--(?=\w)"), "–"), (re.compile(r" --- "), " — "))
_EVERY_MARK = re.compile(r"[\\${}*_~`\[\]#>^&]")

_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|cf|vs|al|etc|resp|approx|ca|Fig|Figs|Eq|Eqs|Sec|Tab|Ref|Refs|No|Nos|Vol|pp|Dr|Prof|Mr|Mrs|Ms|St|Jr|w\.r\.t|"
    r"a\.k\.a|i\.i\.d|U\.S|[A-Z])\.$"
)
_BOUNDARY = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"'”’)\]]))\s+(?=[\"'“‘(\[$\\*_]?[^\W_a-z])|(?<=[。！？])")


def uncoded(text: str) -> str:
    """Return text without what a terminal would obey (ECMA-48), with the letters that would be left of it."""
    return _CODES.sub("", text)


def visible(text: str) -> str:
    """Return text without control characters, lone surrogates, zero-width and direction marks; whitespace is folded.

    A zero-width joiner stays between two emoji, where it makes one of them.
    """
    return _FOLDED.sub(" ", _without_hidden(text)).strip()


def plain(text: str) -> str:
    """Return text as it should be read: LaTeX and markdown marks gone, nothing invisible, single spaces.

    Names that only look like markup (`snake_case`, `A<B & C>D`, `<!channel>`) stay as they are; platforms escape them.
    What is already plain comes back unchanged. Only the first 100,000 characters are looked at.
    """
    text = text[:LONGEST]
    if "_" not in text and _PLAIN.fullmatch(text):
        return text
    for _ in range(ROUNDS):
        changed = _once(text)
        if changed == text:
            return changed
        text = changed
    # Marks nested deeper than any writer means: without any of them nothing is left to unwrap.
    return visible(_dashed(visible(_EVERY_MARK.sub("", text))))


def sentences(text: str) -> list[str]:
    """Split text into sentences; "e.g.", "et al." and initials end none. Empty text has none."""
    found: list[str] = []
    for piece in _BOUNDARY.split(_FOLDED.sub(" ", text).strip()):
        if found and _ABBREVIATION.search(found[-1][-12:]):
            found[-1] += f" {piece}"
        elif piece.strip():
            found.append(piece.strip())
    return found


def first_sentence(text: str) -> str:
    """Return the first sentence, or all of a text that has no end of one."""
    found = sentences(text[:LONGEST])
    return found[0] if found else ""


def _once(text: str) -> str:
    text = _LINE_MARK.sub("", _without_hidden(text, keep="\n\t"))
    text = unwrap(text)
    if "](" in text:
        text = _IMAGE_OR_LINK.sub(r"\1", text)
    if any(mark in text for mark in _MARKS):
        for pattern in _EMPHASIS:
            text = pattern.sub(r"\1", text)
    return visible(_dashed(text))


def _dashed(text: str) -> str:
    if "--" in text:
        for pattern, dash in _DASHES:
            text = pattern.sub(dash, text)
    return text


def _without_hidden(text: str, keep: str = "") -> str:
    def rule(match: re.Match[str]) -> str:
        if match[0] in keep and keep:
            return match[0]
        if match[0] in "\n\t\r\x0b\x0c\x1c\x1d\x1e\x1f\x85":
            return " "
        if match[0] != _JOINER:
            return ""
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        return _JOINER if _emoji(before) and _emoji(after) else ""

    return _HIDDEN.sub(rule, text)


def _emoji(character: str) -> bool:
    return bool(character) and (character == "\ufe0f" or unicodedata.category(character) in ("So", "Sk"))
