"""The Atom of arXiv's API to papers: https://info.arxiv.org/help/api/user-manual.html#api_response. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from bot.errors import SourceError
from bot.sources._arxiv_entry import Said, paper
from bot.sources._arxiv_fields import text, texts, undoubled, when
from bot.sources._said import reason
from bot.sources._xml import local, parse_xml
from recommender.types import Paper

WHAT = "The answer of arXiv's API"
_ERRORS = "/api/errors"


@dataclass(frozen=True, slots=True)
class Found:
    """One page of an answer: its papers, how many entries it had, of how many in all (0 if it does not say)."""

    papers: tuple[Paper, ...]
    entries: int
    total: int


def parse_api(body: bytes) -> Found:
    """Read an answer; entries without an arXiv id or a title are left out.

    Raises SourceError for what is no Atom feed, and for an answer whose entry tells an error.
    """
    root = parse_xml(undoubled(body), WHAT)
    if local(root.tag) != "feed":
        raise SourceError(f"{WHAT} is no Atom feed.")
    top = texts(root)
    entries = top.get("entry", [])
    papers = tuple(found for entry in entries if (found := _paper(entry)))
    total = text(top, "totalresults")
    return Found(papers, len(entries), int(total) if total.isascii() and total.isdigit() and len(total) < 10 else 0)


def _paper(entry: Element) -> Paper | None:
    found = texts(entry)
    identifier = text(found, "id")
    if _ERRORS in identifier:
        raise SourceError(f"arXiv's API refuses: {reason(text(found, 'summary')) or 'it does not say why'}.")
    terms = [element.get("term", "") for name in ("primary_category", "category") for element in found.get(name, ())]
    return paper(
        Said(
            id=identifier,
            title=text(found, "title"),
            abstract=text(found, "summary"),
            names=[text(texts(author), "name") for author in found.get("author", ())],
            categories=terms,
            published=when(text(found, "published")),
            comment=text(found, "comment"),
            journal=text(found, "journal_ref"),
            doi=text(found, "doi"),
        )
    )
