"""arXiv's daily feed, RSS 2.0 or Atom, to papers: https://info.arxiv.org/help/rss_specifications.html. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from xml.etree.ElementTree import Element

from bot.errors import SourceError
from bot.sources._arxiv_calendar import EASTERN
from bot.sources._arxiv_entry import Said, line, paper
from bot.sources._arxiv_fields import text, texts, undoubled, when
from bot.sources._xml import local, parse_xml
from recommender.types import Paper

WHAT = "arXiv's daily list"
NEW, CROSS, REPLACED, CROSS_REPLACED = "new", "cross", "replace", "replace-cross"
_TYPES = (NEW, CROSS, REPLACED, CROSS_REPLACED)
_SUMMARY = re.compile(r"\s*arXiv:(\S{9,40})\s+Announce Type:\s*([a-z-]{3,20})\s+(?:Abstract:\s*)?", re.IGNORECASE)
_LONGEST_REASON = 300  # characters


@dataclass(frozen=True, slots=True)
class Listed:
    """One paper of a daily list, and what was announced of it: NEW, CROSS, REPLACED or CROSS_REPLACED."""

    paper: Paper
    kind: str


@dataclass(frozen=True, slots=True)
class Daily:
    """A daily list: the date (US Eastern) whose list it says it is, None if it does not, its papers, its entries."""

    day: date | None
    listed: tuple[Listed, ...]
    entries: int

    def newest(self) -> str:
        """Return the highest id of those that are new, "" if none is. Ids are given in the order of announcements."""
        return max((order(each.paper.id) for each in self.listed if each.kind == NEW), default="")


def order(identifier: str) -> str:
    """Return an arXiv id so that later ones sort higher."""
    month, _, number = identifier.rpartition(":")[2].rpartition("/")[2].partition(".")
    return f"{month}.{number:0>6}"


def parse_daily(body: bytes) -> Daily:
    """Read a daily feed; entries without an arXiv id or a title are left out.

    A revision (REPLACED, CROSS_REPLACED) tells the day of the revision, which is no day of the paper's: its month is
    taken from its id. Raises SourceError for what is no feed, and for a feed that tells an error.
    """
    root = parse_xml(undoubled(body), WHAT)
    kind = local(root.tag).lower()
    top = texts(root)
    if kind == "rss" and "channel" in top:
        top = texts(top["channel"][0])
    elif kind != "feed":
        raise SourceError(f"{WHAT} is no feed.")
    if text(top, "title").lower().startswith("feed error"):
        said = line(text(top, "description", "subtitle"))[:_LONGEST_REASON]
        raise SourceError(f"arXiv refuses the list: {said or 'it does not say why.'}")
    entries = [*top.get("item", ()), *top.get("entry", ())]
    dated = when(text(top, "pubdate", "lastbuilddate", "published", "updated"))
    listed = tuple(found for entry in entries if (found := _listed(entry)))
    return Daily(dated.astimezone(EASTERN).date() if dated else None, listed, len(entries))


def _listed(entry: Element) -> Listed | None:
    found = texts(entry)
    summary = text(found, "description", "summary")
    head = _SUMMARY.match(summary)
    kind = text(found, "announce_type").lower() or (head[2].lower() if head else "")
    kind = kind if kind in _TYPES else NEW
    said = Said(
        id=text(found, "guid", "id") or text(found, "link") or (head[1] if head else ""),
        title=text(found, "title"),
        abstract=summary[head.end() :] if head else summary,
        names=_names(found),
        categories=[element.get("term") or element.text or "" for element in found.get("category", ())],
        published=when(text(found, "pubdate", "published")),
        journal=text(found, "journal_reference", "journal_ref"),
        doi=text(found, "doi"),
        cross_listed=kind in (CROSS, CROSS_REPLACED),
        dated=kind in (NEW, CROSS),
    )
    made = paper(said) or (paper(replace(said, id=head[1])) if head else None)
    return Listed(made, kind) if made else None


def _names(found: dict[str, list[Element]]) -> list[str]:
    """Return the authors: one element for all with commas between them, or one for each."""
    creators = ["".join(element.itertext()) for element in found.get("creator", ())]
    if not creators:
        creators = [text(texts(element), "name") for element in found.get("author", ())]
    return [name for each in creators for name in each.split(",")]
