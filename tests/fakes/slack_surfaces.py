"""One message, form or page for each surface that Slack has of the bot, with the words that people see."""

from __future__ import annotations

from typing import Annotated, Any

from bot.core.command import CHANNEL, PERSON, PHRASE, SENTENCE, Command, command
from bot.core.message import Button, Card, Form, Message
from bot.core.typed import Count, Gap, Strictness, Time, Weekdays, Zone
from bot.platforms.slack.render import blocks_of
from bot.platforms.slack.views import answer_view, form_view, home_view, loading_view


@command
async def subscribe(
    ctx: Any,
    topic: Annotated[str, "what to follow, in words; several topics with ; between them"],
    *,
    in_: Annotated[str, "a channel that you manage, or here; for yourself if left out", CHANNEL] = "",
    at: Annotated[Time | None, "local time, such as 09:00"] = None,
    tz: Annotated[Zone | None, "time zone, such as Europe/Berlin"] = None,
    on: Annotated[Weekdays | None, "days, such as weekdays, daily or mon,thu"] = None,
    max_: Annotated[Count | None, "papers in a digest, at most"] = None,
    strictness: Annotated[Strictness | None, "relaxed, normal or strict"] = None,
    quiet: Annotated[bool | None, "say nothing on days without papers"] = None,
) -> Message:
    "Follow a topic: a digest for you, or for a channel that you manage."
    return Message(topic)


@command
async def schedule(
    ctx: Any,
    which: Annotated[str, "the subscription"] = "",
    *,
    at: Annotated[Time | None, "local time, such as 09:00"] = None,
    tz: Annotated[Zone | None, "time zone, such as Europe/Berlin"] = None,
    on: Annotated[Weekdays | None, "days, such as weekdays, daily or mon,thu"] = None,
    max_: Annotated[Count | None, "papers in a digest, at most"] = None,
    gap: Annotated[Gap | None, "days from one digest to the next, at least; or none"] = None,
    quiet: Annotated[bool | None, "say nothing on days without papers"] = None,
    name: Annotated[str, "another name for it", PHRASE] = "",
    to: Annotated[str, "who has it from now on", PERSON] = "",
) -> Message:
    "Show or change when a digest comes."
    return Message(which)


@command
async def less(
    ctx: Any,
    paper: Annotated[str, "an id"],
    *,
    because: Annotated[str, "why, in a few words", SENTENCE] = "",
) -> Message:
    "Show fewer papers like this one."
    return Message(paper + because)


COMMANDS: dict[str, Command] = {one.name: one for one in (subscribe, schedule, less)}


def buttons(at: str = "4f2", number: int = 0) -> tuple[Button, ...]:
    """Return the buttons of a card in a digest."""
    entry = f"{at}:{number:x}"
    return (
        Button("More like this", f"more:{entry}"),
        Button("Less", f"less:{entry}"),
        Button("Save", f"save:{entry}"),
        Button("Similar papers", f"similar:{entry}", menu=True),
        Button("Show in full", f"show:{entry}", menu=True),
        Button("BibTeX", f"bibtex:{entry}", menu=True),
        Button("Mute an author", f"muteauthor:{entry}", menu=True),
        Button("Open", url="https://openreview.net/forum?id=02NbD16OnA", menu=True),
    )


_TITLES = (
    "Short Window Attention Enables Long-Term Memorization",
    "A<B & C>D <!channel> <@U012ABC>: mentions that are none",
    "Sorting in O(n log n) with *only* _one_ `pass` :smile:",
    "Lange Kontexte: 長い文脈 и контекст 👩\u200d💻",
    "On the Memory of Linear Recurrent Models",
)


def cards(count: int = 5) -> tuple[Card, ...]:
    """Return cards as a digest has them."""
    return tuple(
        Card(
            paper=f"openreview:{number}",
            title=_TITLES[number % len(_TITLES)],
            url="https://openreview.net/forum?id=02NbD16OnA&x=(1)_2",
            number=number + 1,
            lines=(
                "L. Cabannes, M. Beck, +7 · ICLR 2026 · openreview · fits 82 %",
                "why: sliding window, xLSTM, long-context — near “xLSTM Scaling Laws”, which you liked",
                "› A counter-intuitive finding with SWAX is that larger sliding windows do not improve the "
                "long-context performance.",
            ),
            buttons=buttons(number=number),
            why="sliding window, xLSTM, long-context",
        )
        for number in range(count)
    )


DIGEST = Message(
    "Good morning. 5 of 231 new papers for “long context” · Tue 2 Dec",
    cards(),
    (Button("Next ▸", "page:4f2:1"),),
    "page 1 of 2 · arXiv is behind since Monday evening · next: Wed 09:00 Berlin · /papers schedule",
)
LIST = Message(
    "Two papers for “sliding window”.", cards(2), (Button("◂ Previous", "page:4f3:0"),), "page 2 of 2 · 40,112 papers"
)
ANSWER = Message(
    "Short Window Attention Enables Long-Term Memorization\n"
    "L. Cabannes, M. Beck, +7 · ICLR 2026 · openreview\n"
    "\n"
    "Recent works show that hybrid architectures outperform either of them taken separately & alone.\n"
    "\n"
    "Link: https://openreview.net/forum?id=02NbD16OnA",
    buttons=(Button("More like this", "more:4f4:0"), Button("Save", "save:4f4:0"), Button("Similar", "similar:4f4:0")),
)
PREVIEW = Message(
    "You follow “long context” now. A preview:",
    cards(1),
    (Button("Undo", "undo:4f5"), Button("Schedule…", "form:schedule:4f5")),
    "weekdays 09:00 Berlin · next: Wed 3 Dec",
    lasts=True,
)
PAGE = Message(
    "What I bring you, and when.",
    (
        Card(
            "",
            "long context",
            lines=("weekdays 09:00 Berlin · up to 5 papers · next: Wed 3 Dec",),
            buttons=(Button("Schedule…", "form:schedule:4f6"), Button("Pause", "pause:4f6:0")),
            head="What you follow",
        ),
        Card("", "robotics", lines=("paused",), buttons=(Button("Resume", "resume:4f6:1"),)),
        Card(
            "openreview:0",
            "Short Window Attention Enables Long-Term Memorization",
            "https://openreview.net/forum?id=02NbD16OnA",
            lines=("L. Cabannes, M. Beck, +7 · ICLR 2026 · openreview",),
            buttons=(Button("Show in full", "show:4f7:0"),),
            head="What you saved",
        ),
    ),
    (Button("Subscribe", "form:subscribe"), Button("Topics", "run:topics"), Button("Export", "run:export")),
    "Only you see this page.",
)
NOTICE = Message(
    "The digest for “long context” could not be delivered to #reading-group: it is archived. "
    "It is paused. To go on: /papers resume long context"
)
ERROR = Message("“Marz” is no time zone I know; did you mean Europe/Paris?", private=True)
SUBSCRIBE = Form(
    "subscribe",
    {"topic": "long context", "tz": "Europe/Berlin", "at": "09:00", "on": "weekdays", "strictness": "normal"},
    ("topic", "in", "at", "tz", "on", "max", "strictness"),
    "Subscribe to a topic",
)
SCHEDULE = Form(
    "schedule",
    {"which": "2", "at": "09:00", "tz": "Europe/Berlin", "on": "mon, thu", "max": "5", "quiet": "yes"},
    ("at", "tz", "on", "max", "gap", "quiet", "name", "to"),
    "Schedule of “long context”",
)
LESS = Form("less", {"paper": "openreview:02NbD16OnA"}, ("because",), "Why was it wrong?")

MESSAGES = {
    "digest": DIGEST,
    "list": LIST,
    "answer": ANSWER,
    "preview": PREVIEW,
    "notice": NOTICE,
    "error": ERROR,
}


def rendered() -> dict[str, Any]:
    """Return every surface as it goes to Slack: lists of blocks, and views."""
    views = {
        "home": home_view(PAGE),
        "loading": loading_view(),
        "answer_in_window": answer_view(ANSWER, channel="C0123456789"),
        "subscribe": form_view(SUBSCRIBE, COMMANDS, channel="C0123456789"),
        "schedule": form_view(SCHEDULE, COMMANDS),
        "less": form_view(LESS, COMMANDS),
    }
    return {name: blocks_of(message) for name, message in MESSAGES.items()} | views
