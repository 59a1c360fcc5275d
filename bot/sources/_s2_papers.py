"""What the Semantic Scholar Graph API answers, as papers. Pure.

Fields: https://api.semanticscholar.org/api-docs/graph. Its ids of other archives are guesses of its own matching, so
the store takes them as weak evidence; here they are passed on as they are said.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from bot.core.ids import url_of
from bot.errors import SourceError
from bot.sources._dates import instant, year
from bot.sources._names import authors
from bot.sources._said import count, known_id, line, member, reason, several
from bot.sources._standing import Page
from recommender.types import Paper

NAME = "Semantic Scholar"
FIELDS = "title,abstract,authors,year,publicationDate,venue,journal,externalIds"
KEY = "PAPERROUND_S2_KEY"
_NAMESPACES = (("ArXiv", "arxiv"), ("DOI", "doi"), ("ACL", "acl"), ("PubMed", "pmid"), ("CorpusId", "corpusid"))
_PREFIXES = {"arxiv": "ARXIV:", "doi": "DOI:", "acl": "ACL:", "pmid": "PMID:", "corpusid": "CorpusId:", "s2": ""}


def asked_as(identifier: str) -> str | None:
    """Return how the API calls a paper with this normalised id, or None for a namespace that it does not know."""
    namespace, _, value = identifier.partition(":")
    return f"{_PREFIXES[namespace]}{value}" if namespace in _PREFIXES and value else None


def parse_paper(said: object) -> Paper | None:
    """Return the paper of one entry; None if it has no title or no id. Raises SourceError for a refusal."""
    _refused(said)
    # In lists of references and citations a paper stands within its edge.
    said = member(said, "citedPaper") or member(said, "citingPaper") or said
    title = line(member(said, "title"))
    ids = _ids(said)
    if not title or not ids:
        return None
    published = instant(member(said, "publicationDate"))
    return Paper(
        id=ids[0],
        title=title,
        abstract=line(member(said, "abstract")),
        authors=authors(list(several(member(said, "authors")))),
        published=published,
        year=year(member(said, "year")) or (published.year if published else None),
        url=url_of(ids[0]),
        source="semanticscholar",
        venue=line(member(said, "venue")) or line(member(said, "journal", "name")),
        ids=ids[1:],
    )


def parse_papers(said: object) -> Page:
    """Return the papers of a search, a batch, a list of recommendations, references or an author's papers.

    Entries without a title or an id are left out; null stands in a batch for an id that is not known. Raises
    SourceError for an answer that refuses, or that is no such list.
    """
    _refused(said)
    listed = said
    if isinstance(said, Mapping):
        listed = said.get("data", said.get("recommendedPapers"))
        if listed is None and "total" in said:
            listed = []  # a search that found nothing leaves its list out
        if listed is None and "paperId" in said:
            listed = [said]
    if not isinstance(listed, list):
        raise SourceError(f"{NAME} gave an answer without a list of papers.")
    papers = tuple(paper for entry in listed if isinstance(entry, Mapping) and (paper := parse_paper(entry)))
    token = member(said, "token")
    return Page(
        papers=papers,
        entries=len(listed),
        total=count(member(said, "total")),
        following=token if isinstance(token, str) and len(token) <= 2000 else "",
        day=max(filter(None, map(_day, papers)), default=None),
    )


def parse_authors(said: object) -> list[tuple[str, str]]:
    """Return ids and names of the authors that a search found. Raises SourceError for an answer that refuses."""
    _refused(said)
    found = []
    for entry in several(member(said, "data")):
        number, name = member(entry, "authorId"), line(member(entry, "name"))
        if isinstance(number, str) and number.isascii() and number.isdigit() and name:
            found.append((number, name))
    return found


def _day(paper: Paper) -> date | None:
    return paper.published.date() if paper.published else None


def _ids(said: object) -> tuple[str, ...]:
    others = member(said, "externalIds")
    found = [known_id("s2", member(said, "paperId"))]
    found += [known_id(namespace, member(others, name)) for name, namespace in _NAMESPACES]
    return tuple(dict.fromkeys(identifier for identifier in found if identifier))


def _refused(said: object) -> None:
    """Raise SourceError if the answer is a refusal: it then has an `error` or a `message`, and a `code` at times."""
    if not isinstance(said, Mapping) or "paperId" in said or "data" in said:
        return
    told: Any = said.get("error") or said.get("message")
    if not told:
        return
    text = reason(told) or "no reason was given"
    if str(said.get("code")) == "429" or text.startswith("Too Many Requests"):
        raise SourceError(f"{NAME} takes no more requests for now. A key raises its limit: set {KEY}.")
    if text == "Forbidden":
        raise SourceError(f"{NAME} refused the request: check the key in {KEY}, or leave it empty.")
    raise SourceError(f"{NAME} refused the request: {text}.")
