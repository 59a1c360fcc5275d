"""A paper, as a card: the order and every word are the core's. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.core.message import Card
from bot.core.plain import plain
from recommender.types import Paper, Why

TITLE_LIMIT = 250  # characters, before a platform's own limit
SENTENCE_LIMIT = 280


def author_line(authors: Sequence[str], shown: int = 2) -> str:
    """Name the first authors by initial and surname, and count the others: "L. Cabannes, M. Beck, +7"."""
    names = [short for name in authors if (short := _initials(plain(name)))]
    rest = len(names) - shown
    return ", ".join(names[:shown] + ([f"+{rest}"] if rest > 0 else []))


def _initials(name: str) -> str:
    if "," in name:  # "Beck, Maximilian"
        last, _, first = name.partition(",")
        name = f"{first.strip()} {last.strip()}"
    first, _, last = name.strip().rpartition(" ")
    return f"{first[0]}. {last}" if first and first[0].isalpha() and first[0].isascii() else name.strip()


def place_line(paper: Paper) -> str:
    """Say where a paper appeared: venue with its year once, and the source."""
    venue = plain(paper.venue)
    year = str(paper.published.year if paper.published and not paper.year else paper.year or "")
    where = venue if year in venue else f"{venue} {year}".strip()
    return " · ".join(part for part in (where, plain(paper.source)) if part)


def about_line(paper: Paper) -> str:
    """Authors, venue and source in one line; what is unknown is left out."""
    return " · ".join(part for part in (author_line(paper.authors), place_line(paper)) if part)


def why_line(why: Why, near_title: str = "") -> str:
    """Say why a paper was picked, or nothing if that cannot be told truthfully."""
    near = f"near “{clip(plain(near_title), 80)}”, which you liked" if near_title else ""
    reason = " — ".join(part for part in (", ".join(why.terms), near) if part)
    if why.note == "aside":
        closest = f"“{clip(plain(near_title), 80)}”" if near_title else ", ".join(why.terms)
        return "a step aside: outside your usual" + (f", closest to {closest}" if closest else "")
    notes = {"newest": "nothing in your profile fits it yet: it is among the newest"}
    said = [part for part in (reason, notes.get(why.note, why.note)) if part]
    return f"why: {' · '.join(said)}" if said else ""


def fits_line(fits: float | None) -> str:
    """Say how likely a paper is to be liked, in whole per cent; nothing while that is a guess."""
    return f"fits {100 * fits:.0f} %" if fits is not None else ""


def paper_card(
    paper: Paper,
    *,
    number: int = 0,
    why: Why | None = None,
    near_title: str = "",
    first: str = "",
    fits: float | None = None,
) -> Card:
    """Make the card of a paper, without buttons. `first` stands before all other lines, `fits` is a probability."""
    lines = [first, " · ".join(part for part in (about_line(paper), fits_line(fits)) if part)]
    if paper.title_guessed:
        lines.append("no title given: this is the abstract's first sentence")
    reason = ""
    if why is not None:
        lines.append(why_line(why, near_title))
        reason = lines[-1].removeprefix("why: ")
        lines.append(f"› {clip(plain(why.sentence), SENTENCE_LIMIT)}" if why.sentence else "")
    return Card(
        paper=paper.id,
        title=clip(plain(paper.title), TITLE_LIMIT),
        url=web(paper.url),
        number=number,
        lines=tuple(line for line in lines if line),
        why=reason,
    )


def web(url: str) -> str:
    """Return a link that may be opened, or nothing: only http and https, without spaces or control characters."""
    good = url.startswith(("https://", "http://")) and len(url) <= 2000 and url.isprintable()
    return url if good and not any(mark in url for mark in ' <>"|`\\') else ""


def clip(text: str, limit: int) -> str:
    """Cut text at a word, if there is one near the limit, and say so by an ellipsis."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    at_word = cut.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > limit // 2 else cut).rstrip(" ,;:.–—-") + "…"


def greeting(now: datetime) -> str:
    """Greet by the reader's own hour."""
    hours = ((5, "Hello"), (12, "Good morning"), (18, "Good afternoon"), (24, "Good evening"))
    return next(words for end, words in hours if now.hour < end)


def day(now: datetime) -> str:
    """Name a day shortly, in English whatever the system's language: "Tue 2 Dec"."""
    names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    return f"{names[now.weekday()]} {now.day} {months[now.month - 1]}"


def count(number: int, one: str, many: str = "") -> str:
    """Count things in words: "1 paper", "2 papers", "5,358 papers"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
