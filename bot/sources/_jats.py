"""Markup of publishers to plain text: JATS abstracts, the HTML of titles, formulas in TeX and MathML. It never raises.

The text is no XML to be relied on: tags are left open, crossed, or escaped twice. So what looks like a known tag is
one, and anything else is text. TeX stays between dollars, as in all abstracts; display cleans it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.core.symbols import LOWERED, RAISED
from bot.sources._text import tidy

LONGEST = 100_000  # characters looked at, as for cards
_DEEPEST = 40  # elements inside one another; what is opened deeper is text of the element around it

_STYLES = (
    "i b u s em strong italic bold underline strike overline monospace tt small big span font scp sc roman sans-serif a"
)
_BLOCKS = "p br break div sec list list-item ul ol li abstract def-list def-item def term disp-quote table tr td th hr"
_TITLES = "title h1 h2 h3 h4 h5 h6 label"
_INLINE = "sub sup inf ext-link xref named-content styled-content inline-formula disp-formula alternatives tex-math"
_MATH = (
    "math mrow mi mn mo mtext ms mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mfenced mstyle"
    " mpadded mphantom menclose mtable mtr mtd semantics annotation annotation-xml none mprescripts mmultiscripts"
)
_FORMULAS = frozenset({"alternatives", "inline-formula", "disp-formula", "math", "semantics"})
_BLOCK, _TITLE, _MATHS = frozenset(_BLOCKS.split()), frozenset(_TITLES.split()), frozenset(_MATH.split())
_KNOWN = frozenset(f"{_STYLES} {_INLINE}".split()) | _BLOCK | _TITLE | _MATHS
_EMPTY = frozenset({"br", "break", "hr"})  # of HTML: they are never closed
_TAG = re.compile(
    r"<(/?)(?:(jats|mml|m|html|xhtml):)?([A-Za-z][A-Za-z0-9-]{0,30})"
    r"((?:\s+[\w:.-]{1,40}\s?=\s?(?:\"[^\"<]{0,500}\"|'[^'<]{0,500}')){0,20})\s*(/?)>"
)
_ASIDE = re.compile(r"<\?[^<>]{0,300}\?>|<!\[CDATA\[|\]\]>")
_TWICE = re.compile(r"&amp;(?=#?[A-Za-z0-9]{1,31};)")
_HIDDEN_TAG = re.compile(
    r"&lt;(?:/|(?:jats:)?(?:p|i|b|em|strong|italic|bold|sub|sup|title|sec|br|span|div)\s{0,3}/?&gt;)"
)
_DOCUMENT = re.compile(r"\\begin\{document\}(.{0,5000}?)\\end\{document\}", re.DOTALL)
_SPACED = frozenset("=<>≤≥≈≃≡≠+-−±×·∈∉⊂⊆→←↔⇒∼~∝≪≫|")  # operators that stand between two things
_NO_TITLES = frozenset({"abstract", "summary", "abstracts"})


class _Tex(str):
    """A formula in TeX, which goes before the same formula in MathML beside it."""

    __slots__ = ()


@dataclass(slots=True)
class _Element:
    name: str
    attributes: str = ""
    parts: list[str] = field(default_factory=list)


def plain_markup(text: str) -> str:
    """Return the text without tags, comments and entities.

    `H<sub>2</sub>O` becomes `H₂O`, and a section's title `Methods:`. Only the first 100,000 characters are looked at.
    """
    text = text[:LONGEST]
    if "&amp;" in text:
        text = _TWICE.sub("&", text)
    shown = tidy(_without_tags(text))
    return tidy(_without_tags(shown)) if _HIDDEN_TAG.search(text) else shown


def _without_tags(text: str) -> str:
    if "<" not in text:
        return text
    text = _ASIDE.sub("", "".join(_uncommented(text)))
    open_: list[_Element] = [_Element("")]
    at = 0
    for tag in _TAG.finditer(text):
        if not tag[2] and tag[3].lower() not in _KNOWN:
            continue
        _add(open_[-1], text[at : tag.start()])
        at = tag.end()
        _turn(open_, tag)
    _add(open_[-1], text[at:])
    while len(open_) > 1:
        _close(open_)
    return "".join(open_[0].parts)


def _uncommented(text: str) -> Iterator[str]:
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        yield text[at:start]
        at = end + 3
    yield text[at:]


def _add(element: _Element, text: str) -> None:
    # Blanks between the parts of a formula are layout; the parts have to be counted.
    if text and not (element.name in _MATHS and text.isspace()):
        element.parts.append(text)


def _turn(open_: list[_Element], tag: re.Match[str]) -> None:
    """Open an element, close one with all that is open in it, or both."""
    closing, name = tag[1], tag[3].lower()
    if not closing and len(open_) < _DEEPEST:
        open_.append(_Element(name, tag[4]))
        if tag[5] or name in _EMPTY:
            _close(open_)
    elif closing and any(element.name == name for element in open_[1:]):
        while open_[-1].name != name:
            _close(open_)
        _close(open_)


def _close(open_: list[_Element]) -> None:
    element = open_.pop()
    open_[-1].parts.append(_shown(element))


def _shown(element: _Element) -> str:
    name, parts = element.name, element.parts
    if name in _FORMULAS and (tex := next((part for part in parts if isinstance(part, _Tex)), None)) is not None:
        return tex
    if name == "tex-math":
        return _tex("".join(parts))
    if name.startswith("annotation"):
        return _tex("".join(parts)) if "tex" in element.attributes.lower() else ""
    if name in ("sub", "inf", "sup"):
        return _script("".join(parts), "^" if name == "sup" else "_", "")
    if name in _TITLE:
        return _heading("".join(parts))
    if name in _MATHS:
        return _math(name, parts)
    return f" {''.join(parts)} " if name in _BLOCK else "".join(parts)


def _heading(text: str) -> str:
    text = text.strip()
    if not text or text.strip(" .:").casefold() in _NO_TITLES:
        return " "
    return f" {text} " if text[-1] in ".:?!;" else f" {text}: "


def _tex(text: str) -> str:
    whole = _DOCUMENT.search(text)
    inner = (whole[1] if whole else text).strip().strip("$").strip()
    return _Tex(f"${inner}$" if inner else "")


def _script(text: str, mark: str, otherwise: str) -> str:
    """Raise or lower a text if Unicode can, else put `otherwise` before it: nothing in prose, the mark in a formula."""
    inner = text.strip()
    table = RAISED if mark == "^" else LOWERED
    if inner and all(ord(letter) in table for letter in inner) and (len(inner) == 1 or not inner.isalpha()):
        return inner.translate(table)
    if not otherwise or not inner:
        return text
    return otherwise + (inner if inner.isalnum() else f"({inner})")


def _math(name: str, parts: list[str]) -> str:
    """Write an element of MathML (Presentation MathML, chapter 3 of the standard) on one line."""
    inner = "".join(parts).strip()
    if name == "mo":
        return f" {inner} " if inner in _SPACED else inner
    if name in ("msup", "mover") and len(parts) == 2:
        return parts[0] + (_script(parts[1], "^", "^") if name == "msup" else "")
    if name in ("msub", "munder") and len(parts) == 2:
        return parts[0] + _script(parts[1], "_", "_")
    if name in ("msubsup", "munderover") and len(parts) == 3:
        return parts[0] + _script(parts[1], "_", "_") + _script(parts[2], "^", "^")
    if name == "mfrac" and len(parts) == 2:
        return "/".join(part if part.strip().isalnum() else f"({part.strip()})" for part in parts)
    if name in ("msqrt", "mroot"):
        return f"√{inner}" if len(inner) == 1 else f"√({inner})"
    if name == "mfenced":
        return "(" + ", ".join(part.strip() for part in parts) + ")"
    if name in ("mspace", "mtd", "mtr"):
        return f"{inner} "
    return "" if name == "mphantom" else inner if name in ("mi", "mn", "mtext", "math") else "".join(parts)
