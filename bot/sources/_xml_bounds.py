"""What is wrong with XML that is small and takes no end of memory or time: names that grow in the parser.

Expat writes a namespace out in front of every name that is in it, and for the attributes of an element all of them
before anybody hears of the first: 200 kB of XML can become gigabytes.
"""

from __future__ import annotations

import re

URI = 500  # characters of a namespace
ATTRIBUTES = 1000  # of an element; there are parsers that compare each with each
_LARGE = 10_000  # characters of a tag, in which so many attributes may be

_LONG_URI = re.compile(rf"""\sxmlns(?::[^\s=]*+)?\s*+=\s*+(?:"[^"]{{{URI}}}|'[^']{{{URI}}})""")
_LARGE_TAG = re.compile(rf"""<(?=[^<]{{{_LARGE}}})(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+""")
_ATTRIBUTE = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=]++)""")


def swollen(text: str) -> str:
    """Say what in a document's text grows beyond all bounds where it is parsed, to follow its name; "" if nothing does.

    The time that it takes grows as the text does.
    """
    if _LONG_URI.search(text):
        return f"has a namespace of {URI:,} characters or more, which is refused"
    for tag in _LARGE_TAG.finditer(text):
        if len(tag[0]) >= _LARGE and sum(1 for _ in _ATTRIBUTE.finditer(tag[0])) > ATTRIBUTES:
            return f"has an element of more than {ATTRIBUTES:,} attributes, which is refused"
    return ""
