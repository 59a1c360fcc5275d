"""OpenReview's notes to papers: of its second API, whose fields are objects with a `value`, and of its first.

What OpenReview decided stands in the venue of a paper: "ICLR 2026 Poster" as it says itself, and for all others
"Submitted to ICLR 2026 (withdrawn)". A paper without an abstract has its TL;DR for one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.errors import SourceError
from bot.sources._dates import instant
from bot.sources._entry import columns, paper_of
from bot.sources._text import tidy
from recommender.types import Paper

ACCEPTED, REJECTED, WITHDRAWN, DESK_REJECTED = "accepted", "rejected", "withdrawn", "desk rejected"
UNDECIDED, SUBMITTED = "under review", ""  # of what was only submitted it is not known what became of it
# What the last part of a venue's or an invitation's id says, the first that fits.
_ENDINGS = (
    (re.compile(r"withdr"), WITHDRAWN),
    (re.compile(r"desk[_-]?reject"), DESK_REJECTED),
    (re.compile(r"reject|retract"), REJECTED),
    (re.compile(r"submission|review|pending|submitted|recruit"), UNDECIDED),
)
_REFUSED = re.compile(r"\breject|\bnot accept|\bdecline|\binvite to workshop", re.IGNORECASE)
_TAKEN = re.compile(r"\baccept|\bposter\b|\boral\b|\bspotlight\b|\btalk\b|\bnotable\b|\bpresent", re.IGNORECASE)
_WAITING = re.compile(r"\bsubmitted\b|under review|\bsubmission$", re.IGNORECASE)
_DECIDES = re.compile(r"(?:decision|acceptance|meta_?review)$", re.IGNORECASE)
_DECISIONS = ("decision", "recommendation", "final_decision", "acceptance_decision")
_AROUND = re.compile(
    r"^(?:submitted to|accepted (?:by|at)|under review (?:for|at)) "
    r"|\s(?:submitted|(?:conference )?(?:desk[ -]rejected |withdrawn |rejected |blind )?submission)$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_AREAS = ("primary_area", "subject_areas", "subject_area", "area", "research_area")
_CLOSEST_AREA = "please_choose_the_closest_area"  # how ICLR called it up to 2023
_TLDR = ("tldr", "tl;dr", "one_sentence_summary", "summary_of_contributions")
_LONGEST_ID = 100  # characters
_NOBODY = re.compile(r"anonymous(?: authors?)?\d*|paper ?\d+ authors", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Note:
    """One submission: its own id, that of its venue, what became of it, and when it changed last (ms since 1970).

    `paper` is None where there is neither title nor abstract, or the note is a reply or was deleted.
    """

    id: str
    venue: str
    state: str
    changed: int
    paper: Paper | None


@dataclass(frozen=True, slots=True)
class Page:
    """Some notes, and how many there are in all; None if OpenReview did not say."""

    notes: tuple[Note, ...]
    count: int | None = None


def parse_notes(body: bytes) -> Page:
    """Read one answer of `/notes` or `/notes/search`. Raises SourceError if it is none; what is no note is left out."""
    said = loaded(body)
    notes = said.get("notes")
    if not isinstance(notes, list):
        raise SourceError("OpenReview answered without a list of notes.")
    count = said.get("count")
    known = isinstance(count, int) and not isinstance(count, bool) and count >= 0
    return Page(
        tuple(found for note in notes if isinstance(note, dict) and (found := _note(note))), count if known else None
    )


def loaded(body: bytes) -> dict[str, Any]:
    """Read one JSON object. Raises SourceError if it is none."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        raise SourceError("OpenReview answered what is no JSON.") from None
    if not isinstance(said, dict):
        raise SourceError("OpenReview answered JSON that is no object.")
    return said


def state_of(venue: str) -> str:
    """Say what a venue's id means for the papers in it: ICLR.cc/2026/Conference/Rejected_Submission -> rejected."""
    last = venue.rpartition("/")[2].lower()
    return next((state for pattern, state in _ENDINGS if pattern.search(last)), ACCEPTED)


def _note(note: dict[str, Any]) -> Note | None:
    identifier = _word(note.get("id"))
    if not identifier or len(identifier) > _LONGEST_ID:
        return None
    fields = columns({"content": note.get("content")})
    venue_id, venue = _word(fields.get("venueid")), tidy(_word(fields.get("venue")))
    state = _state(note, fields, venue_id, venue)
    changed = next((value for name in ("tmdate", "mdate", "tcdate", "cdate") if (value := _number(note.get(name)))), 0)
    paper = None
    if not note.get("ddate") and _word(note.get("forum")) in ("", identifier) and not note.get("replyto"):
        paper = _paper(identifier, note, fields)
    if paper is not None:
        group = venue_id or _word(note.get("invitation")).partition("/-/")[0]
        year = _YEAR.search(venue) or _YEAR.search(group)
        said = _said(venue, group, state)
        paper = replace(paper, venue=said, year=int(year[0]) if year else paper.year)
    return Note(identifier, venue_id, state, changed, paper)


def _paper(identifier: str, note: Mapping[str, Any], fields: Mapping[str, object]) -> Paper | None:
    pdf = _word(fields.get("pdf"))
    entry: dict[str, object] = {
        "openreview_id": identifier,
        "url": f"https://openreview.net/forum?id={identifier}",
        "title": _text(fields.get("title")),
        "abstract": _text(fields.get("abstract"))
        or next(filter(None, (_text(fields.get(name)) for name in _TLDR)), ""),
        "authors": fields.get("authors"),
        "keywords": fields.get("keywords"),
        "primary_area": _area(fields),
        "published": next(
            (at for name in ("pdate", "odate", "cdate", "tcdate") if (at := instant(note.get(name)))), None
        ),
        "pdf": pdf if pdf.startswith("http") else "",  # some link arXiv's
    }
    found = paper_of({**entry, "published": _iso(entry["published"])})
    if isinstance(found, str) or not found.id.startswith("openreview:"):
        return None
    names = tuple(name for name in found.authors if not _NOBODY.fullmatch(name))
    return replace(found, authors=names, source="openreview")


def _iso(at: object) -> str:
    return at.isoformat() if at is not None and hasattr(at, "isoformat") else ""


def _area(fields: Mapping[str, object]) -> object:
    names = (*_AREAS, *(name for name in fields if name.startswith(_CLOSEST_AREA)))
    return next((fields[name] for name in names if fields.get(name)), None)


def _state(note: Mapping[str, Any], fields: Mapping[str, object], venue_id: str, venue: str) -> str:
    """Say what became of a submission: the id of its venue knows it, or else invitations, or else the decision."""
    if venue_id and (state := state_of(venue_id)) != ACCEPTED:
        return state
    if not venue_id:
        invited = (_word(note.get("invitation")), *_words(note.get("invitations")))
        for state in map(state_of, invited):
            if state in (WITHDRAWN, DESK_REJECTED, REJECTED):
                return state
    if fields.get("withdrawal") == "Confirmed":
        return WITHDRAWN
    decisions = [*_decided(fields), *_replied(note)]
    for decision in decisions:
        if _REFUSED.search(decision):
            return REJECTED
    if any(map(_TAKEN.search, decisions)):
        return ACCEPTED
    return ACCEPTED if venue_id and not _WAITING.search(venue) else SUBMITTED


def _replied(note: Mapping[str, Any]) -> Iterator[str]:
    """The decisions among the replies, which the first API gives on request."""
    details = note.get("details")
    replies = details.get("directReplies") or details.get("replies") if isinstance(details, dict) else None
    for reply in replies if isinstance(replies, list) else ():
        if isinstance(reply, dict):
            invited = (_word(reply.get("invitation")), *_words(reply.get("invitations")))
            if any(map(_DECIDES.search, invited)):
                yield from _decided(columns({"content": reply.get("content")}))


def _decided(fields: Mapping[str, object]) -> Iterator[str]:
    yield from (word for name in _DECISIONS if (word := _word(fields.get(name))[:200]))


def _said(venue: str, group: str, state: str) -> str:
    """Name the venue as people should read it, with what became of the paper where it was not accepted."""
    name = _AROUND.sub("", _AROUND.sub("", venue)) or _short(group)
    if state == ACCEPTED or not name:
        return name
    return f"Submitted to {name} ({state})" if state else f"Submitted to {name}"


def _short(group: str) -> str:
    """Name a venue by its id: ICLR.cc/2026/Conference -> ICLR 2026."""
    parts = [part.partition(".")[0] for part in tidy(group).split("/") if part]
    left = [part.replace("_", " ") for part in parts if part.lower() != "conference" and state_of(part) == ACCEPTED]
    return " ".join(left)


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) and len(value) < 3000 else ""


def _words(value: object) -> tuple[str, ...]:
    return tuple(map(_word, value)) if isinstance(value, list) else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 10**14 else 0
