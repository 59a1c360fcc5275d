"""The ACL Anthology's XML to papers: a collection's file, as its editors keep it, and one paper's record in MODS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from xml.etree.ElementTree import Element

from bot.core.ids import normalise, url_of
from bot.errors import SourceError
from bot.sources._dates import instant, year
from bot.sources._names import authors
from bot.sources._text import tidy
from bot.sources._xml import parse_xml
from recommender.types import Paper

_NEW_COLLECTION = re.compile(r"\d{4}\.[a-z0-9_]{1,30}", re.ASCII)
_OLD_COLLECTION = re.compile(r"[A-Z]\d{2}", re.ASCII)
_ID = re.compile(r"acl:(?:\d{4}\.([a-z0-9_]+)-([a-z0-9_]+)\.\d+|([A-Z])\d\d-\d+)", re.ASCII)
# Venues as their people write them; what stands in no table is called by the title of its volume.
_WRITTEN = (
    "ACL",
    "EMNLP",
    "NAACL",
    "EACL",
    "AACL",
    "IJCNLP",
    "COLING",
    "TACL",
    "CL",
    "LREC",
    "WMT",
    "CoNLL",
    "SemEval",
)
_NAMES = {name.lower(): name for name in _WRITTEN}
_LETTERS = {
    letter: _NAMES[name]
    for letter, name in {
        "P": "acl",
        "D": "emnlp",
        "N": "naacl",
        "E": "eacl",
        "C": "coling",
        "Q": "tacl",
        "J": "cl",
        "L": "lrec",
        "K": "conll",
        "S": "semeval",
    }.items()
}
_MODS = "{http://www.loc.gov/mods/v3}"
_SKIPPED = ("retracted", "removed")
_LAG = 1  # years after its own in which a volume came into the Anthology as news


def parse_collection(body: bytes, volume: str = "") -> list[Paper]:
    """Return the papers of a collection's file, or of one of its volumes, without those that were taken back.

    Raises SourceError if it is no such file, or has no such volume.
    """
    root = parse_xml(body, "The answer of the ACL Anthology")
    collection = root.get("id") or ""
    if root.tag != "collection" or not (_NEW_COLLECTION.fullmatch(collection) or _OLD_COLLECTION.fullmatch(collection)):
        raise SourceError("The ACL Anthology answered XML that is no collection.")
    found = [each for each in root.findall("volume") if not volume or each.get("id") == volume]
    if volume and not found:
        has = ", ".join(tidy(each.get("id") or "") for each in root.findall("volume"))
        raise SourceError(f"The ACL Anthology has no volume {collection}-{volume}. {collection} has: {has[:300]}.")
    return list({paper.id: paper for each in found for paper in _volume(collection, each)}.values())


def parse_mods(body: bytes) -> Paper | None:
    """Return the paper of a record, None if it names none. Raises SourceError if it is no MODS."""
    root = parse_xml(body, "The answer of the ACL Anthology")
    record = root if root.tag == f"{_MODS}mods" else root.find(f"{_MODS}mods")
    if record is None:
        raise SourceError("The ACL Anthology answered XML that is no record of a paper.")
    identifier = normalise(_inner(record.find(f"{_MODS}location/{_MODS}url"))) or ""
    issued = year(_inner(record.find(f"{_MODS}originInfo/{_MODS}dateIssued"))[:4])
    dois = (each for each in record.findall(f"{_MODS}identifier") if each.get("type") == "doi")
    return _paper(
        identifier,
        title=_inner(record.find(f"{_MODS}titleInfo/{_MODS}title")),
        abstract=_inner(record.find(f"{_MODS}abstract")),
        names=tuple(_named(each) for each in record.findall(f"{_MODS}name") if _is_author(each)),
        doi=_inner(next(dois, None)),
        host=_inner(record.find(f"{_MODS}relatedItem/{_MODS}titleInfo/{_MODS}title")),
        issued=issued,
        published=None,
    )


def _volume(collection: str, volume: Element) -> Iterator[Paper]:
    meta = volume.find("meta")
    meta = volume if meta is None else meta
    host = _inner(meta.find("journal-title")) or _inner(meta.find("booktitle"))
    issued = year(_inner(meta.find("year")))
    published = instant(volume.get("ingest-date"))
    if published and not (issued and issued <= published.year <= issued + _LAG):
        published = None  # the Anthology took it up long after it had appeared
    for each in volume.findall("paper"):
        if not any(each.find(tag) is not None for tag in _SKIPPED):
            paper = _paper(
                normalise(f"acl:{_identifier(collection, volume.get('id') or '', each.get('id') or '')}") or "",
                title=_inner(each.find("title")),
                abstract=_inner(each.find("abstract")),
                names=tuple(
                    f"{_inner(who.find('first'))} {_inner(who.find('last'))}" for who in each.findall("author")
                ),
                doi=_inner(each.find("doi")),
                host=host,
                issued=issued,
                published=published,
            )
            if paper is not None:
                yield paper


def _identifier(collection: str, volume: str, paper: str) -> str:
    """Put an id together as the Anthology does: 2025.acl-long.1; P19-1001; W19-0101, of many small volumes."""
    if not _OLD_COLLECTION.fullmatch(collection):
        return f"{collection}-{volume}.{paper}"
    if not (volume.isascii() and volume.isdigit() and paper.isascii() and paper.isdigit()) or len(paper) > 4:
        return ""
    small = collection[0] == "W" or collection == "C69" or (collection == "D19" and int(volume) >= 5)
    return f"{collection}-{int(volume):02d}{int(paper):02d}" if small else f"{collection}-{int(volume)}{int(paper):03d}"


def _paper(
    identifier: str,
    *,
    title: str,
    abstract: str,
    names: tuple[str, ...],
    doi: str,
    host: str,
    issued: int | None,
    published: datetime | None,
) -> Paper | None:
    if not identifier.startswith("acl:") or not title:
        return None
    linked = normalise(f"doi:{doi}") if doi else None
    return Paper(
        id=identifier,
        title=title,
        abstract=abstract,
        authors=authors(names),
        published=published,
        year=issued or (published.year if published else None),
        url=f"{url_of(identifier)}/",
        source="acl",
        venue=_venue(identifier, host),
        ids=(linked,) if linked else (),
    )


def _venue(identifier: str, host: str) -> str:
    found = _ID.fullmatch(identifier)
    if found is None:
        return host
    code, volume, letter = found.groups()
    if code == "findings":
        return f"Findings of {_NAMES.get(volume, volume.upper())}"
    return (_LETTERS.get(letter) if letter else _NAMES.get(code)) or host


def _is_author(name: Element) -> bool:
    role = _inner(name.find(f"{_MODS}role/{_MODS}roleTerm"))
    return role in ("", "author")


def _named(name: Element) -> str:
    parts = {part.get("type"): _inner(part) for part in name.findall(f"{_MODS}namePart")}
    return f"{parts.get('given', '')} {parts.get('family', '')}" if parts.get("family") else " ".join(parts.values())


def _inner(element: Element | None) -> str:
    """Return all text within an element; formulas keep the dollars that tell them from words."""
    return "" if element is None else tidy("".join(_pieces(element)))


def _pieces(element: Element) -> Iterator[str]:
    mark = "$" if element.tag == "tex-math" else " " if element.tag in ("par", "br") else ""
    yield mark
    yield element.text or ""
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""
    yield mark
