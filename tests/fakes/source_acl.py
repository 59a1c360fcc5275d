"""A rig for the source `acl`: a collection with a few papers, good and hostile, and a client that needs no network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.sax.saxutils import escape

from bot.core.ports import Source
from bot.errors import SourceError
from bot.sources.acl import Acl

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold


def written(titles: list[str], collection: str = "2025.acl", volume: str = "long") -> bytes:
    """Write a collection's file with one paper a title."""
    papers = []
    for number, title in enumerate(titles, 1):
        text = escape(_NO_XML.sub("", title))
        papers.append(
            f'<paper id="{number}"><title>{text}</title><author><first>A</first><last>{text}</last></author>'
            f"<abstract>{text * 2}</abstract></paper>"
        )
    meta = "<meta><booktitle>Proceedings</booktitle><year>2025</year></meta>"
    return (
        f'<collection id="{collection}"><volume id="{volume}" ingest-date="2025-07-14">{meta}{"".join(papers)}</volume>'
        "</collection>"
    ).encode()


@dataclass
class FileHttp:
    """Gives files by the end of their URL; one that was given is not given again if only news is wanted."""

    files: dict[str, bytes] = field(default_factory=dict)
    status: int = 200
    given: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def get(self, url: str, *, fresh: bool = False, missing: Any = (), **_: Any) -> Any:
        """Return the file. Raises SourceError for a status that is not among `missing`."""
        self.asked.append(url)
        name = url.rpartition("/")[2]
        status = self.status if name in self.files or self.status != 200 else 404
        if status != 200 and status not in missing:
            raise SourceError(f"The server answered {status}.")
        body = self.files.get(name, b"")
        same = fresh and self.given.get(name) == body
        self.given[name] = body
        headers: Mapping[str, str] = {}
        return SimpleNamespace(status=status, body=b"" if same else body, same=same, headers=headers, url=url)


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the HTTP client that it needs."""
    return Acl(collection="2025.acl"), FileHttp({"2025.acl.xml": written(titles)})


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return Acl(collection="2025.acl"), FileHttp({"2025.acl.xml": b"<html><p>Not this one</html>"})
