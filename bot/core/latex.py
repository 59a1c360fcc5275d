"""LaTeX to readable Unicode: what abstracts use of it, by a small table. It never raises and drops no words.

A full parser was tried on the 1,679 ICLR 2026 abstracts that hold LaTeX: pylatexenc raised on 18, and took a lone `%`
for a comment, dropping the words behind it. The table raises on none and leaves no backslash.
"""

from __future__ import annotations

import re
import unicodedata

from bot.core.symbols import ACCENTS, BLACKBOARD, DROPPED, FONTS, LOWERED, RAISED, SYMBOLS, WORDS

# Stand-ins while a formula is unwrapped: braces that print, and script marks that are done with.
_OPEN, _CLOSE, _CARET, _UNDERSCORE = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_PRINTED = str.maketrans({_OPEN: "{", _CLOSE: "}", _CARET: "^", _UNDERSCORE: "_"})

_MATH = re.compile(
    r"\$\$([^$]{1,2000})\$\$|\\\((.{1,1000}?)\\\)|\\\[(.{1,2000}?)\\\]"
    # A dollar before a blank opens nothing and one before a digit closes nothing: "$5 and $10" are prices.
    r"|(?<![\\$])\$(?=\S)([^$]{1,1000}?)(?<=[^\s\\])\$(?!\d)|(?<![\\$])\$([^$]{0,500}[\\^_][^$]{0,500})(?<!\\)\$"
    r"|\$([^$\s\w][^$\s]{0,30})\$(?=\d)|\$ ([^$\s\d]{1,12}) \$",
    re.DOTALL,
)
_NAME = (
    r"\\(?:cite[a-z]{0,12}|label|ref|eqref|cref|Cref|autoref|pageref|vspace|hspace|thanks|todo|cmt|begin|end|ding|textcolor"
    r"|color|phantom)"
)
_GONE = re.compile(rf"~?{_NAME}\*?(?:\[[^\[\]]{{0,100}}\]){{0,2}}\{{[^{{}}]{{0,300}}\}}")
_PAIR = re.compile(r"\\(d?frac|tfrac|cfrac|binom|href|hyperref|hyperlink)\s?\{([^{}]{0,500})\}\s?\{([^{}]{0,500})\}")
_DOUBLED = re.compile(r"\{\s?\{([^{}]{0,1000})\}\s?\}")
_SINGLE = re.compile(r"\\([A-Za-z]{1,40}|[`'^~=.\"])\*?(?:\[[^\[\]]{0,100}\])?\s?\{([^{}]{0,3000})\}")
_TWO_ARGUMENTS = ("frac", "dfrac", "tfrac", "cfrac", "binom", "href", "hyperref", "hyperlink")
_SCRIPT = re.compile(r"([\^_])\s?(?:\{([^{}]{0,200})\}|\\([A-Za-z]{1,20})|([^\s{}\\^_$]))")
_BRACED_SCRIPT = re.compile(r"([\^_])(?:\{([^{}]{0,200})\})")
_GROUP = re.compile(r"\{([^{}]{0,3000})\}")
_QUOTED = re.compile(r"``([^`\"”]{1,300}?)(?:''|’’|\"|”)")
_QUOTED_ONCE = re.compile(r"(?<![\w`])`([^`'\"\n]{1,100})'(?![\w'])")
_TWICE = re.compile(r"\\\\(?=([A-Za-z]{2,20}))")
_BARE = re.compile(r"\\([A-Za-z]{1,40})\*?( ?)")
_LETTER_ACCENT = re.compile(r"\\([`'^\"~=.])([A-Za-zıȷ])")
_SPACES = re.compile(r"\\[,;:!> /-]|\\\\(?:\[[^\]]{0,20}\])?")
_ESCAPED = re.compile(r"\\([^A-Za-z\s\\])")
_TIE = re.compile(r"(?<=[A-Za-z.,)}])~(?=[A-Za-z0-9\\({\[$])")
ROUNDS = 12  # nested commands are unwrapped from the inside, this deep


def unwrap(text: str) -> str:
    r"""Return text with LaTeX replaced by what it would print: `$O(n\log n)$` -> `O(n log n)`, `\textbf{x}` -> `x`.

    Citations, labels and layout go; an unknown macro leaves its argument or, without one, its name.
    """
    if not any(mark in text for mark in "\\$~{}`"):
        return text
    text = _MATH.sub(_math, _TWICE.sub(lambda match: "\\" if _known(match[1]) else match[0], text))
    if "\\" in text or "{" in text:
        text = _commands(_GONE.sub("", text))
        text = _ESCAPED.sub(r"\1", _bare(_SPACES.sub(" ", text)))
        text = _BRACED_SCRIPT.sub(_script, text)
    text = _without_groups(text) if "{" in text or "}" in text else text
    return _QUOTED_ONCE.sub(r"‘\1’", _QUOTED.sub(r"“\1”", _TIE.sub(" ", text))).translate(_PRINTED)


def _known(name: str) -> bool:
    return name in SYMBOLS or name in FONTS


def _without_groups(text: str) -> str:
    """Drop braces that only group; those of a short set, such as {-1, 0, 1}, are text."""
    for _ in range(3):
        text = _GROUP.sub(lambda match: f"{_OPEN}{match[1]}{_CLOSE}" if _is_set(match[1]) else match[1], text)
    return text.replace("{", "").replace("}", "")


def _is_set(inner: str) -> bool:
    return "," in inner and len(inner) <= 60 and inner.strip() != ","


def _math(match: re.Match[str]) -> str:
    inner = next(group for group in match.groups() if group is not None)
    # Real braces of the formula are kept apart from those that only group.
    inner = inner.replace("\\{", _OPEN).replace("\\}", _CLOSE).replace("\\|", "‖")
    inner = _commands(_SPACES.sub(" ", inner))
    for _ in range(4):
        changed = _GROUP_IN_MATH.sub(r"\1", _SCRIPT.sub(_script, _bare_in_math(inner)))
        if changed == inner:
            break
        inner = changed
    inner = inner.replace("{", "").replace("}", "").replace("~", " ").replace("&", " ")
    return inner.strip()


_GROUP_IN_MATH = re.compile(r"(?<![\^_])\{([^{}]{0,500})\}")


def _commands(text: str) -> str:
    for _ in range(ROUNDS):
        changed = _SINGLE.sub(_single, _PAIR.sub(_pair, _DOUBLED.sub(r"{\1}", text)))
        if changed == text:
            break
        text = changed
    return text


def _pair(match: re.Match[str]) -> str:
    name, first, second = match.groups()
    if name.startswith("h"):
        return second
    if name == "binom":
        return f"({first} choose {second})"
    return "/".join(part if re.fullmatch(r"[^\s+\-−*/]{1,20}", part) else f"({part})" for part in (first, second))


def _single(match: re.Match[str]) -> str:
    name, inner = match.groups()
    if name in _TWO_ARGUMENTS and "[" not in match[0][: len(name) + 2]:
        return match[0]
    if name in ACCENTS:
        return _accented(name, inner)
    if name == "sqrt":
        return f"√{inner}" if len(inner) <= 1 else f"√({inner})"
    if name in ("mathbb", "mathds", "mathbbm"):
        return BLACKBOARD.get(inner, inner)
    if name == "footnote":
        return f" ({inner.strip()})"
    if name in SYMBOLS and name not in DROPPED:
        return f"{SYMBOLS[name]} {inner}" if inner else SYMBOLS[name]
    return inner


def _accented(name: str, inner: str) -> str:
    inner = {"\\i": "i", "\\j": "j", "ı": "i", "ȷ": "j"}.get(inner, inner)
    if len(inner) != 1 or not inner.isalpha():
        return inner
    return unicodedata.normalize("NFC", inner + ACCENTS[name])


def _bare(text: str) -> str:
    text = _LETTER_ACCENT.sub(lambda match: _accented(match[1], match[2]), text)

    def word(match: re.Match[str]) -> str:
        if match[1] in FONTS:
            return ""
        if match[1] not in SYMBOLS:
            return match[1] + match[2] if text[match.end() : match.end() + 1] != "{" else ""
        # A space ends a command's name; it stands for a space only where something is left to set apart.
        return SYMBOLS[match[1]] + (match[2] if SYMBOLS[match[1]] else "")

    return _BARE.sub(word, text)


def _bare_in_math(text: str) -> str:
    def word(match: re.Match[str]) -> str:
        name, space = match[1], match[2]
        if name in FONTS:
            return ""
        if name in WORDS:
            before = (
                " " if match.start() and (text[match.start() - 1].isalnum() or text[match.start() - 1] in ")}") else ""
            )
            after = text[match.end() : match.end() + 1]
            return before + name + (" " if after.isalnum() or after == "\\" else space if after else "")
        return SYMBOLS.get(name, name) + (space if SYMBOLS.get(name) else "")

    return _ESCAPED.sub(r"\1", _BARE.sub(word, text))


def _script(match: re.Match[str]) -> str:
    mark, braced, name, one = match.groups() if match.re is _SCRIPT else (match[1], match[2], None, None)
    inner = (SYMBOLS.get(name, name) if name else braced if braced is not None else one) or ""
    inner = inner.strip()
    if inner == "∘" and mark == "^":
        return "°"
    if inner in ("⊤", "\\top") and mark == "^":
        return "ᵀ"
    table = RAISED if mark == "^" else LOWERED
    if inner and all(ord(character) in table for character in inner) and (len(inner) == 1 or not inner.isalpha()):
        return inner.translate(table)
    if len(inner) <= 1 or inner.isalnum():
        return (_CARET if mark == "^" else _UNDERSCORE) + inner
    return f"{_CARET}({inner})" if mark == "^" else f"{_UNDERSCORE}{inner}"
