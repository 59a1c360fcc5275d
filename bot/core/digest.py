"""The words of a digest: what was ranked for whom, why there is nothing, and when the next one comes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.core.card import clip, count, day, greeting
from bot.core.plain import plain
from bot.core.typed import short_zone

_NAMES = {
    "arxiv": "arXiv",
    "openreview": "OpenReview",
    "biorxiv": "bioRxiv",
    "medrxiv": "medRxiv",
    "acl": "ACL Anthology",
    "crossref": "Crossref",
    "huggingface": "Hugging Face",
    "openalex": "OpenAlex",
    "semanticscholar": "Semantic Scholar",
    "rss": "the feed",
    "local": "the import",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """A source that does not give what it should, or rests. Times are aware; None where it is not so."""

    source: str
    failing_since: datetime | None = None
    behind_since: datetime | None = None
    rests: str = ""


@dataclass(frozen=True, slots=True)
class Came:
    """What is known of one digest's papers: how many are new, of them unseen, of them muted, and how many are picked.

    `since` and `until` are aware; `unknown` are sentences on topics that no paper uses, `closest` is the title of the
    best paper that fell short, `closest_fits` its probability, if that is known, and `asked` the one to be reached.
    `anything`: papers are stored at all. With `everything`, all that is stored was ranked, since nothing is new.
    """

    name: str
    new: int
    unseen: int
    picked: int
    since: datetime
    until: datetime
    muted: int = 0
    unknown: tuple[str, ...] = ()
    closest: str = ""
    closest_fits: float | None = None
    asked: float = 0.0
    troubles: tuple[Trouble, ...] = ()
    anything: bool = True
    everything: bool = False


def called(names: Sequence[str]) -> str:
    """Name the interests of a digest: one or two by name, of more the first and how many others."""
    quoted = [f"“{plain(name)}”" for name in names]
    return " and ".join(quoted) if len(quoted) < 3 else f"{quoted[0]} and {len(quoted) - 1} more"


def head(came: Came, zone: str, *, stretched: bool = False) -> str:
    """Say how many papers of how many these are. `stretched`: it covers more than the schedule's usual time."""
    now = came.until.astimezone(ZoneInfo(zone))
    where = count(came.unseen, "stored paper") if came.everything else count(came.new, "new paper")
    lines = [f"{greeting(now)}. {came.picked:,} of {where} for {came.name} · {day(now)}"]
    if stretched:
        lines.append(f"This covers what came from {moment(came.since, zone)} to {moment(came.until, zone)}.")
    return "\n".join([*lines, *came.unknown])


def because(came: Came, zone: str) -> str:
    """Say in one line why a digest has nothing to show: the first reason that is true."""
    return f"Nothing new for {came.name} today: {_reason(came, zone)}"


def falls_short(came: Came) -> bool:
    """Say whether there were papers that might have been shown, and none is near enough."""
    return came.anything and came.new > 0 and came.muted < came.unseen and not came.unknown and not came.picked


def _reason(came: Came, zone: str) -> str:
    if not came.anything:
        return "no papers are stored yet. An administrator brings them in with: paperround import FILE."
    if came.new == 0:
        return _silence(came, zone)
    papers = count(came.new, "paper")
    it = "it" if came.new == 1 else "all of them"
    if came.unseen == 0:
        return f"{papers} came, and you have seen {it} already."
    if came.muted >= came.unseen:
        return f"{papers} came, and {'it holds' if came.new == 1 else 'all hold'} what you muted."
    if came.unknown:
        return "\n".join(came.unknown)
    closest, fits = clip(plain(came.closest), 120), came.closest_fits
    if closest and fits is not None and came.asked <= 1.0:
        return f"{papers} came, none fits above {came.asked:.0%}. The closest, at {fits:.0%}: “{closest}”.".replace(
            "%", " %"
        )
    return f"{papers} came, and none is near enough." + (f" The closest: “{closest}”." if closest else "")


def _silence(came: Came, zone: str) -> str:
    """Say why no paper came, as the sources tell it."""
    for trouble in came.troubles:
        if trouble.failing_since is not None:
            since = moment(trouble.failing_since, zone, came.until)
            return f"{spoken(trouble.source)} has not answered since {since}. What it brings later comes next time."
    for trouble in came.troubles:
        if trouble.behind_since is not None:
            return f"{_behind(trouble, came, zone)}. What it brings later comes next time."
    rests = next((trouble.rests for trouble in came.troubles if trouble.rests), "")
    if rests:
        return rests if rests.endswith(".") else f"{rests}."
    return f"no paper came since {moment(came.since, zone, came.until)}."


def troubles(came: Came, zone: str) -> str:
    """Say which sources are behind or do not answer, though there are papers to show; nothing if none is."""
    said = []
    for trouble in came.troubles:
        if trouble.failing_since is not None:
            said.append(
                f"{spoken(trouble.source)} has not answered since {moment(trouble.failing_since, zone, came.until)}"
            )
        elif trouble.behind_since is not None:
            said.append(_behind(trouble, came, zone))
    return " · ".join(said)


def _behind(trouble: Trouble, came: Came, zone: str) -> str:
    since = moment(trouble.behind_since, zone, came.until) if trouble.behind_since else ""
    return f"{spoken(trouble.source)} is behind since {since}"


def spoken(source: str) -> str:
    """Name a source as people do: "openreview:ICLR.cc/2026/Conference" is OpenReview ICLR.cc/2026/Conference."""
    kind, _, what = source.partition(":")
    return " ".join(part for part in (_NAMES.get(kind, plain(kind)), plain(what)) if part)


def moment(at: datetime, zone: str, now: datetime | None = None) -> str:
    """Say an instant in a zone: "Tue 1 Dec 09:00"; the hour alone if `now` is on the same date."""
    local = at.astimezone(ZoneInfo(zone))
    if now is not None and now.astimezone(ZoneInfo(zone)).date() == local.date():
        return f"{local:%H:%M}"
    return f"{day(local)} {local:%H:%M}"


def upcoming(due: datetime | None, zone: str) -> str:
    """Say when the next digest comes: "next: Wed 2 Dec 09:00 Berlin"; nothing if none does."""
    return f"next: {moment(due, zone)} {short_zone(zone)}" if due is not None else ""
