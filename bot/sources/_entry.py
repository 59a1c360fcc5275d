"""One entry of a file, as names and values, to one Paper."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping

from bot.core.ids import normalise, url_of
from bot.core.plain import first_sentence
from bot.sources._dates import instant, year
from bot.sources._names import areas, authors, keywords
from bot.sources._text import missing, tidy
from recommender.types import Paper

ABSTRACT_NAMES = ("abstract", "summary", "abstract_text", "abstracttext", "abstractnote")
TITLE_NAMES = ("title", "paper_title", "papertitle", "article_title")
_ID_NAMES = ("id", "paper_id", "paperid", "identifier", "key")
# Columns of one namespace each; a bare value is read as of that namespace.
_NAMESPACES = (
    ("openreview", ("openreview_id", "openreview", "forum")),
    ("arxiv", ("arxiv_id", "arxiv", "arxivid", "eprint")),
    ("doi", ("doi",)),
    ("acl", ("acl_id", "acl", "anthology_id")),
    ("pmid", ("pmid", "pubmed_id", "pubmed")),
    ("s2", ("s2_id", "s2", "semantic_scholar_id")),
    ("corpusid", ("corpusid", "corpus_id")),
)
_AUTHOR_NAMES = ("authors", "author", "author_names", "creators")
_KEYWORD_NAMES = ("keywords", "keyword", "tags", "author_keywords")
_AREA_NAMES = ("area", "primary_area", "categories", "category", "subjects", "subject", "primary_category")
_VENUE_NAMES = ("venue", "journal", "conference", "booktitle", "journal_ref", "publication_title", "container_title")
_YEAR_NAMES = ("year", "publication_year", "date", "published", "publication_date")
_DATE_NAMES = ("published", "date", "publication_date", "published_date", "updated", "cdate", "pdate")
_ANNOUNCED_NAMES = ("announce_type", "arxiv:announce_type", "arxiv_announce_type", "announced")
_CROSS_LISTED = {"cross", "replace-cross"}
_URL_NAMES = ("url", "link", "pdf", "pdf_url", "paper_url")
_PEOPLE_KNOW = {"openreview": "openreview", "arxiv": "arxiv", "acl": "acl", "pmid": "pubmed", "s2": "semanticscholar"}
_TELLING = 4  # words from which a title is one paper's own
_VENUE_YEAR = re.compile(r"(.*[^\s'’,(-])[\s'’,(-]+((?:19|20)\d\d)\)?", re.DOTALL)
_LINK = re.compile(r"https?://[^\s<>\"\\^`{|}]{1,1990}", re.IGNORECASE)

Entry = Mapping[str, object]
Row = tuple[int, Entry | str]  # the line an entry begins in; its names and values, or why there are none


def columns(entry: Mapping[str, object]) -> dict[str, object]:
    """Fold the names of an entry: lower case, underscores for blanks. The first filled one of two alike counts.

    OpenReview's notes hold their fields in `content`, and since its second version each as the `value` of an object.
    """
    content = entry.get("content")
    if isinstance(content, Mapping):
        inner = {name: value.get("value") if isinstance(value, Mapping) else value for name, value in content.items()}
        entry = {**{name: value for name, value in entry.items() if name != "content"}, **inner}
    folded: dict[str, object] = {}
    for name, value in entry.items():
        key = re.sub(r"[\s.-]+", "_", name.strip().lower().lstrip("\ufeff"))
        if missing(folded.get(key)):
            folded[key] = value
    return folded


def paper_of(entry: Entry) -> Paper | str:
    """Make a paper of one entry with folded names, or say in a few words why there is none in it."""
    title, abstract = _text(entry, TITLE_NAMES), _text(entry, ABSTRACT_NAMES)
    for name, text in (("title", title), ("abstract", abstract)):
        if text is None:
            return f"the {name} is not text"
    if not title and not abstract:
        return "neither a title nor an abstract"
    guessed = not title
    title = title or first_sentence(abstract or "")
    ids = tuple(dict.fromkeys(_ids(entry))) or (_own_id(_own_words(title, abstract or "", guessed=guessed)),)
    venue, its_year = _venue(entry)
    published = next(filter(None, (instant(entry.get(name)) for name in _DATE_NAMES)), None)
    years = (year(entry.get(name)) for name in _YEAR_NAMES)
    return Paper(
        id=ids[0],
        title=title,
        abstract=abstract or "",
        authors=authors(_first(entry, _AUTHOR_NAMES)),
        published=published,
        year=next(filter(None, years), None) or its_year or (published.year if published else None),
        url=_url(entry) or next(filter(None, map(url_of, ids)), ""),
        source=_source(ids),
        venue=venue,
        categories=tuple(dict.fromkeys(area for name in _AREA_NAMES for area in areas(entry.get(name)))),
        keywords=keywords(_first(entry, _KEYWORD_NAMES)),
        ids=ids[1:],
        title_guessed=guessed,
        cross_listed=any(_word(entry.get(name)).lower() in _CROSS_LISTED for name in _ANNOUNCED_NAMES),
    )


def _first(entry: Entry, names: tuple[str, ...]) -> object:
    return next((entry[name] for name in names if not missing(entry.get(name))), None)


def _text(entry: Entry, names: tuple[str, ...]) -> str | None:
    """Return the text, empty if there is none, or None if what stands there is no text."""
    value = _first(entry, names)
    if isinstance(value, list) and len(value) == 1:  # Crossref writes a title as a list of one
        value = value[0]
    if missing(value):
        return ""
    return tidy(value) if isinstance(value, str) else None


def _ids(entry: Entry) -> Iterator[str]:
    """Every id of an entry, the one to know it by first: its own id, then those of the namespaces, then its link's."""
    linked = [found for name in _URL_NAMES if (found := _normal(entry.get(name)))]
    for name in _ID_NAMES:
        value = _word(entry.get(name))
        # A bare OpenReview id says nothing by itself; the link beside it says whose it is.
        named = [found for found in linked if value and found.partition(":")[2] == value]
        if found := (_normal(value) or (named[0] if named else None)):
            yield found
    for namespace, names in _NAMESPACES:
        for name in names:
            value = _word(entry.get(name))
            found = value and (_normal(f"{namespace}:{value}") or _normal(value))
            if found:
                yield found
    yield from linked


def _word(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a data frame with gaps turns ids into 31452104.0
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**20 else ""
    return "" if missing(value) or not isinstance(value, str) else value.strip()


def _normal(value: object) -> str | None:
    return normalise(value) if isinstance(value, str) and value else None


def _own_words(title: str, abstract: str, *, guessed: bool) -> str:
    """Return what tells a paper without ids from others: its title; with its abstract, if many may be called so."""
    if guessed:
        return abstract
    return title if len(title.split()) >= _TELLING else f"{title} {abstract}"


def _own_id(text: str) -> str:
    """The id of a paper that has none: 16 hex digits of the folded words' hash."""
    folded = " ".join(re.findall(r"\w+", text.casefold())) or text
    return f"local:{hashlib.sha256(folded.encode()).hexdigest()[:16]}"


def _venue(entry: Entry) -> tuple[str, int | None]:
    value = _first(entry, _VENUE_NAMES)
    venue = tidy(value) if isinstance(value, str) else ""
    found = _VENUE_YEAR.fullmatch(venue) if len(venue) < 300 else None
    return (found[1], int(found[2])) if found else (venue, None)


def _url(entry: Entry) -> str:
    values = (entry.get(name) for name in _URL_NAMES)
    texts = (value.strip() for value in values if isinstance(value, str))
    return next((visible for text in texts if (visible := tidy(text)) and _LINK.fullmatch(visible)), "")


def _source(ids: tuple[str, ...]) -> str:
    known = (_PEOPLE_KNOW.get(identifier.partition(":")[0]) for identifier in ids)
    return next(filter(None, known), "local")
