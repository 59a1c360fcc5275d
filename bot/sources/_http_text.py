"""Bytes to text, whatever their sender says of them."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before that of UTF-16, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAMED = re.compile(rb"""\A\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
# Python has more, and some of them pack, or take long.
_KNOWN = re.compile(
    r"ascii|utf-(8|16|32)(-[bl]e)?|iso8859-\d+|cp(125\d|866|874|932|949|950|936)|koi8-[rut]|gb2312|gbk|gb18030|big5(hkscs)?|"
    r"shift_jis|euc_(jp|kr)|iso2022_(jp|kr)|mac-roman"
)
_WIDE = ("utf-16", "utf-32")
_NOT_BY_BYTE = (*_WIDE, "iso2022")  # text in these may look like UTF-8, and is not


def decode(body: bytes, charset: str = "") -> str:
    """Return the text of `body`. `charset` is that of its Content-Type.

    A byte order mark is believed first; then bytes that are UTF-8 are UTF-8, whatever is said of them, since many
    servers say ISO-8859-1 of everything; then the charset, then the XML declaration. What fits nothing is replaced.
    Never raises.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    declared = _NAMED.match(body)
    named = _codec(charset) or _codec(declared[1].decode("ascii") if declared else "")
    if declared and named.startswith(_WIDE):
        named = ""  # then the declaration could not have been read
    if not named.startswith(_NOT_BY_BYTE):
        try:
            return body.decode()
        except UnicodeDecodeError:
            pass
    return body.decode(named or "utf-8", "replace")


def _codec(charset: str) -> str:
    try:
        name = codecs.lookup(charset.strip("\"' \t")).name
    except (LookupError, ValueError):
        return ""
    return name if _KNOWN.fullmatch(name) else ""
