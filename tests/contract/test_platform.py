"""What every platform keeps to. A platform comes with a rig: tests/fakes/rig_<name>.py, whose RIGS make its looks."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest

from bot.core.message import CARDS_PER_PAGE, Button, Card, Message
from bot.core.ports import Facts, Route
from bot.core.request import Address
from bot.errors import DeliveryError, Unknown
from bot.plugins import load

PLATFORMS = load("bot.platforms", "platform")
LOOKS = [
    pytest.param(make, id=f"{name}-{look}")
    for name in PLATFORMS
    for look, make in import_module(f"tests.fakes.rig_{name}").RIGS.items()
]
LINK = "https://openreview.net/forum?id=02NbD16OnA&x=(1)_2"
HOSTILE = [
    "A<B & C>D <!channel> <@U012ABC>",
    "@everyone now <@&1234567890123456789>",
    r"Sorting in $O(n\log n)$ with \textbf{x} and 5\% more",
    "*only* _x_ `code` ~~gone~~ ||hidden||",
    "# no heading",
    "> no quote",
    "[bold red]markup[/bold red] [link=https://evil.example]x[/link] [/]",
    "[click](https://evil.example)",
    "“curly” ‘quotes’ — long dashes …",
    "漢字かな交じり文 и кириллица ελληνικά",
    "👩\u200d💻 models 🔥 and :smile: :boom:",
    "snake_case_name and __dunder__",
    "{braces} %s %(x)s {0} \\n",
    "None of the above",
]
UNSEEN = {
    "\x1b[31mred\x1b[0m title": "red title",
    "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ text": "link text",
    "\x1b]0;window\x07 named": "named",
    "nul\x00 bell\x07 back\x08space \x9b31m c1": "nul bell backspace  c1",
    "right\u202eleft\u202c and \u200bzero\ufeff width": "rightleft and zero width",
    "two\r\nlines\u2028here": "two lines here",
}


@pytest.fixture(params=LOOKS)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    """A rig; one that holds connections is opened and closed."""
    made = request.param()
    if hasattr(made, "open"):
        await made.open()
    yield made
    if hasattr(made, "close"):
        await made.close()


def squeezed(text: str) -> str:
    """Drop spaces: a platform may wrap lines anywhere."""
    return "".join(text.split())


def card(title: str = "A title", *, url: str = LINK, lines: tuple[str, ...] = (), number: int = 1) -> Card:
    buttons = (Button("More like this", f"more:{number:x}:0"), Button("Less", f"less:{number:x}:0"))
    return Card(
        "openreview:02NbD16OnA",
        title,
        url,
        number,
        lines,
        (*buttons, Button("Similar", f"similar:{number:x}:0", menu=True)),
    )


@pytest.mark.parametrize("name", PLATFORMS)
def test_it_has_the_port(name: str) -> None:
    kind = PLATFORMS[name]
    assert kind.name == name
    for method in ("run", "send", "find", "about"):
        assert inspect.iscoroutinefunction(getattr(kind, method))
        assert inspect.getdoc(getattr(kind, method))


async def test_what_is_typed_becomes_a_request(rig: Any) -> None:
    await rig.say("/papers search don't “stop” 漢字", Message("Found."))
    (request,) = rig.requests
    assert request.text.endswith("search don't “stop” 漢字")
    assert (request.action, request.command) == ("", "")
    assert request.address == rig.address
    assert request.key
    assert request.person


async def test_two_deliveries_have_two_keys(rig: Any) -> None:
    await rig.say("search a", Message("Found."))
    await rig.say("search a", Message("Found."))
    assert len({request.key for request in rig.requests}) == 2


async def test_a_later_message_replaces_the_first(rig: Any) -> None:
    shown = await rig.say("search x", Message("still looking …"), Message("Found one.", cards=(card(),)))
    assert "Found one." in shown.text
    assert shown.text.rfind("Found one.") > shown.text.rfind("still looking")


async def test_a_button_is_pressed_even_after_a_restart(rig: Any) -> None:
    message = Message("Two papers.", cards=(card(number=1), card(number=2)), buttons=(Button("Next", "page:9c1:1"),))
    shown = await rig.press(message, "Next", Message("Page 2.", in_place=True))
    assert rig.requests[-1].action == "page:9c1:1"
    assert rig.requests[-1].text == ""
    assert "Page 2." in shown.text


@pytest.mark.parametrize("text", HOSTILE)
async def test_text_from_outside_is_shown_as_it_is(rig: Any, text: str) -> None:
    message = Message(f"For {text}", cards=(card(text, lines=(f"why: {text}",)),), footer=text)
    for shown in (await rig.say("x", message), await rig.send(message, "key")):
        assert squeezed(shown.text).count(squeezed(text)) == 4
        assert set(shown.links) == {LINK}


@pytest.mark.parametrize("text", UNSEEN)
async def test_what_a_reader_cannot_see_is_dropped(rig: Any, text: str) -> None:
    shown = await rig.say("x", Message("Found.", cards=(card(text, lines=(text,)),)))
    if shown.raw.startswith("{"):  # JSON keeps text as it is, with its control characters escaped
        assert shown.raw.rstrip("\n").isprintable() or not {"\x1b", "\x00", "\x9b", "\u2028"} & set(shown.raw)
        return
    assert squeezed(shown.text).count(squeezed(UNSEEN[text])) == 2
    assert "evil.example" not in "".join(shown.links)
    assert not {c for c in shown.text if ord(c) < 32 or 127 <= ord(c) < 160} - {"\n"}


@pytest.mark.parametrize("mark", ["&", "_", "x", "漢", "🔥", "e\u0301", "*", "`", "<", "]"])
async def test_a_long_title_keeps_its_beginning_and_the_link(rig: Any, mark: str) -> None:
    shown = await rig.say("x", Message("Found.", cards=(card(mark * 3001, lines=(mark * 3001, "why: last")),)))
    assert squeezed(mark * 60) in squeezed(shown.text)
    assert LINK in shown.links
    assert "More like this" in shown.text


async def test_the_longest_page_has_every_title_link_and_button(rig: Any) -> None:
    lines = ("author " * 40, "why: " + "reason & " * 60, "› " + "sentence_ " * 60)
    cards = tuple(card(f"{n} " + "Title & " * 30, lines=lines, number=n) for n in range(1, CARDS_PER_PAGE + 1))
    turns = (Button("Previous", "page:1:0"), Button("Next", "page:1:2"))
    shown = await rig.say("x", Message("Good morning. " * 10, cards, turns, footer="arXiv is behind · " * 10))
    for n in range(1, CARDS_PER_PAGE + 1):
        assert f"{n} Title & Title" in shown.text
    assert set(shown.links) == {LINK}
    assert shown.text.count("More like this") == CARDS_PER_PAGE
    assert "Previous" in shown.text
    assert "Next" in shown.text


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "file:///etc/passwd", "https://x.example/\x1b]8;;\x07", "https://a b"]
)
async def test_only_web_links_are_links(rig: Any, url: str) -> None:
    shown = await rig.say("x", Message("Found.", cards=(card(url=url),)))
    assert "A title" in shown.text
    if not shown.raw.startswith("{"):
        assert shown.links == ()


async def test_what_is_empty_leaves_its_line_out(rig: Any) -> None:
    bare = Card("x:1", "")
    for message in (Message(), Message(cards=(bare,)), Message("Hello.", cards=(Card("x:1", "T", lines=("", " ")),))):
        for shown in (await rig.say("x", message), await rig.send(message, "key")):
            assert "None" not in shown.text
            assert "\n\n\n" not in shown.text.strip("\n") or shown.raw.startswith("{")


async def test_a_link_without_a_title_still_has_words(rig: Any) -> None:
    shown = await rig.say("x", Message("Found.", cards=(Card("x:1", "", LINK),)))
    assert LINK in shown.links


@pytest.mark.parametrize("text", ["\ud800", "a\udc80b", "x" * 100_000, "line\n" * 2000, "\u0301" * 5000])
async def test_no_text_stops_it(rig: Any, text: str) -> None:
    message = Message(text, (card(text, lines=(text,)),), (Button(text, "x:1"),), footer=text)
    shown = await rig.say("x", message)
    assert shown.raw.encode()


async def test_send_find_and_about_are_honest(rig: Any) -> None:
    shown = await rig.send(Message("A digest.", cards=(card(),)), "digest:1:2026-12-02")
    assert "A digest." in shown.text
    platform = rig.platform()
    try:
        receipt = await platform.find(rig.address, "digest:1:1999-01-01", datetime(2026, 1, 1, tzinfo=UTC))
    except Unknown as error:
        assert str(error)  # noqa: PT017 - it may look or say that it cannot
    else:
        assert receipt is None
    facts = await platform.about(rig.address)
    assert isinstance(facts, Facts)
    assert facts.name
    assert all(isinstance(route, Route) for route in platform.routes())


async def test_a_message_for_elsewhere_is_not_taken(rig: Any) -> None:
    for to in (
        Address("elsewhere", "local", "ada"),
        Address(rig.address.platform, rig.address.workspace, "somebody else"),
    ):
        with pytest.raises(DeliveryError, match=r"\w"):
            await rig.platform().send(to, Message("A digest."), "key")
