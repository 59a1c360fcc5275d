"""One record of arXiv's OAI-PMH, in the formats `arXiv`, `arXivRaw` and `oai_dc`, as a paper. Pure."""

from __future__ import annotations

import re
from datetime import datetime
from xml.etree.ElementTree import Element

from bot.sources._arxiv_entry import Said, line, paper
from bot.sources._arxiv_fields import text, texts, when
from bot.sources._xml import local
from recommender.types import Paper

_CLASSES = re.compile(r"[\d,;.:A-Z()\s-]*")  # of the mathematics or physics subject classifications, no names
_COMMENT = "comment:"
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_IN_BRACKETS = re.compile(r"\([^()]{0,300}\)")


def record_of(record: Element) -> Paper | None:
    """Return the paper of one record; None if it was deleted, or is in a format that is not known."""
    parts = texts(record)
    header = texts(parts["header"][0]) if "header" in parts else {}
    metadata = parts.get("metadata", ())
    if not metadata or not len(metadata[0]):
        return None  # it was deleted
    inner = metadata[0][0]
    identifier = text(header, "identifier")
    form = local(inner.tag)
    if form == "dc":
        return paper(_dublin_core(texts(inner), identifier))
    if form in ("arXiv", "arXivRaw"):
        return paper(_own(texts(inner), identifier))
    return None


def _own(found: dict[str, list[Element]], identifier: str) -> Said:
    authors = found["authors"][0] if "authors" in found else None
    if authors is None:
        names = []
    elif len(authors):
        names = [_name(texts(author)) for author in authors]
    else:  # arXivRaw has one text, with affiliations in brackets
        plain = _IN_BRACKETS.sub("", _IN_BRACKETS.sub("", line(authors.text)))  # brackets stand in brackets
        names = _AND.split(plain)
    return Said(
        id=text(found, "id") or identifier,
        title=text(found, "title"),
        abstract=text(found, "abstract"),
        names=names,
        categories=text(found, "categories").split(),
        published=when(text(found, "created")) or _first_version(found),
        comment=text(found, "comments"),
        journal=text(found, "journal-ref"),
        doi=text(found, "doi"),
    )


def _name(found: dict[str, list[Element]]) -> str:
    return " ".join(filter(None, (text(found, name) for name in ("forenames", "keyname", "suffix"))))


def _first_version(found: dict[str, list[Element]]) -> datetime | None:
    dates = (when(text(texts(version), "date")) for version in found.get("version", ()))
    return min(filter(None, dates), default=None)


def _dublin_core(found: dict[str, list[Element]], identifier: str) -> Said:
    notes = ["".join(element.itertext()).strip() for element in found.get("description", ())]
    comments = [note[len(_COMMENT) :] for note in notes if note.lower().startswith(_COMMENT)]
    names = ["".join(element.itertext()).strip() for element in found.get("identifier", ())]
    subjects = ["".join(element.itertext()).strip() for element in found.get("subject", ())]
    journals = [name for name in names if not re.match(r"https?://|doi:", name, re.IGNORECASE)]
    return Said(
        id=identifier or (names[0] if names else ""),
        title=text(found, "title"),
        abstract=next((note for note in notes if not note.lower().startswith(_COMMENT)), ""),
        names=["".join(element.itertext()) for element in found.get("creator", ())],
        subjects=[subject for subject in subjects if not _CLASSES.fullmatch(subject)],
        published=min(
            filter(None, (when("".join(each.itertext()).strip()) for each in found.get("date", ()))), default=None
        ),
        comment=" ".join(comments),
        journal=next(iter(journals), ""),
        doi=" ".join(name[4:] for name in names if name.lower().startswith("doi:")),
    )
