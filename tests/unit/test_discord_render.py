"""Messages as Discord's components: nothing anybody writes breaks a limit, becomes markup, or pushes out a link."""

from __future__ import annotations

import json
from typing import Any

import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simcord.components import validate_components

from bot.core.message import Button, Card, Message
from bot.platforms.discord.marks import action_of, custom_id, is_marked, nonce_of, number_of
from bot.platforms.discord.render import COMPONENTS, NAME_LIMIT, TOTAL, UNTITLED, components_of, title_of
from bot.platforms.discord.shown import Shown, modal_of, view_of
from bot.platforms.discord.text import address
from tests.fakes.markdown_discord import Span, pings, read, words
from tests.fakes.slack_surfaces import DIGEST, MESSAGES, PAGE, buttons, cards
from tests.unit.test_discord_render_text import ANY, MARKED

URL = "https://openreview.net/forum?id=02NbD16OnA"
V2 = 1 << 15  # the flag of a message of components, version 2
KEY = "digest:17:2026-12-02"
LONG = ["&" * 3000, "_" * 2000, "漢" * 3001, "👩\u200d💻" * 1000, "<@1>" * 800, "e\u0301" * 2000, "a:" * 2000]
OURS = {"bold", "link", "slanted", "quote", "small", "heading"}


def every(components: list[dict[str, Any]], kind: int) -> list[dict[str, Any]]:
    """Return the components of a type, those in rows too, in order."""
    inner = [one for row in components for one in (row, *row.get("components", []))]
    return [one for one in inner if one["type"] == kind]


def size(components: list[dict[str, Any]]) -> tuple[int, int]:
    """Return how many components and how many characters a message is."""
    count = sum(1 + len(one.get("components", [])) for one in components)
    return count, sum(len(one["content"]) for one in every(components, 10))


def actions(components: list[dict[str, Any]]) -> list[str]:
    """Return what the buttons do."""
    return [action_of(one["custom_id"]) for one in every(components, 2) if "custom_id" in one]


def spans(components: list[dict[str, Any]]) -> list[Span]:
    """Return what is read."""
    return [span for one in every(components, 10) for span in read(one["content"])]


def checked(message: Message, key: str = "") -> list[dict[str, Any]]:
    """Render, and look at all that Discord refuses, and at all that nobody outside may do."""
    made = components_of(message, key=key)
    assert made == components_of(message, key=key)
    assert validate_components(made, flags=V2)
    count, characters = size(made)
    assert 1 <= count <= COMPONENTS
    assert characters <= TOTAL
    assert all(one["content"].strip() for one in every(made, 10))
    assert all(one["label"].strip() for one in every(made, 2))
    assert {look for span in spans(made) for look in span.looks} <= OURS
    assert not [ping for one in every(made, 10) for ping in pings(one["content"])]
    assert is_marked(made, key) is bool(key)
    json.dumps(made, ensure_ascii=False).encode()  # no lone surrogates
    return made


def worst(text: str, count: int, url: str = URL) -> Message:
    """Return a message that says the same everywhere."""
    made = tuple(
        Card(f"p{n}", text, url, n + 1, (text, f"why: {text}", f"› {text}"), buttons(number=n)) for n in range(count)
    )
    return Message(text, made, (Button("◂ Previous", "page:1:0"), Button("Next ▸", "page:1:2")), text)


@pytest.mark.parametrize("key", ["", KEY])
@pytest.mark.parametrize("name", MESSAGES)
def test_each_surface_is_within_discords_limits(name: str, key: str) -> None:
    checked(MESSAGES[name], key)


def test_a_page_of_five_cards_is_exactly_forty_components() -> None:
    made = checked(Message(DIGEST.text, cards(), (Button("◂", "page:1:0"), Button("▸", "page:1:2")), "next: Wed"))
    assert [one["type"] for one in made] == [10, *([14, 10, 1] * 5), 1, 10]
    assert size(made)[0] == COMPONENTS
    assert [len(one["components"]) for one in made if one["type"] == 1] == [4] * 5 + [2]


@pytest.mark.parametrize(
    ("below", "types"), [(3, [10, 10, 1, *([14, 10, 1] * 4)]), (5, [10, *([10, 1] * 3), *([14, 10, 1] * 2)])]
)
def test_only_as_many_rules_give_way_as_needed_from_the_top(below: int, types: list[int]) -> None:
    """The preview of a first subscription has three buttons below: one more than a page of a digest."""
    made = checked(
        Message(DIGEST.text, cards(), tuple(Button(f"B{n}", f"run:1:{n}") for n in range(below)), "next: Wed")
    )
    assert [one["type"] for one in made][: len(types)] == types
    assert size(made)[0] == COMPONENTS
    assert [len(one["components"]) for one in made if one["type"] == 1] == [4] * 5 + [below]


def test_a_digest_reads_as_it_should() -> None:
    made = checked(DIGEST, KEY)
    assert made[2]["content"].splitlines() == [
        "1  [**Short Window Attention Enables Long-Term Memorization**]"
        "(<https://openreview.net/forum?id=02NbD16OnA&x=%281%29_2>)",
        "L. Cabannes, M. Beck, +7 · ICLR 2026 · openreview · fits 82 %",
        "*why:* sliding window, xLSTM, long-context — near “xLSTM Scaling Laws”, which you liked",
        "> A counter-intuitive finding with SWAX is that larger sliding windows do not improve the "
        "long-context performance.",
    ]
    row = made[3]["components"]
    assert [one["label"] for one in row] == ["More like this", "Less", "Save", "Similar papers"]
    assert row[0]["custom_id"] == f"more:4f2:0#{nonce_of(KEY)}"
    assert row[1] == {"type": 2, "style": 2, "label": "Less", "custom_id": "less:4f2:0"}
    assert words(made[-1]["content"]) == DIGEST.footer
    for card in DIGEST.cards:
        for line in (card.title, *card.lines):
            assert any(line.removeprefix("› ") in words(one["content"]) for one in every(made, 10))


def test_a_title_that_cannot_be_a_link_has_one_beside_it() -> None:
    title = "Sorting in *only* _one_ `pass` :smile: 🔥"
    (first, *_) = every(checked(Message("", (Card("p", title, URL, 3),))), 10)
    assert read(first["content"]) == [
        Span("3  "),
        Span(title, frozenset({"bold"})),
        Span(" · "),
        Span("open", frozenset({"link"}), URL),
    ]


def test_fewer_cards_have_a_fifth_button_and_the_link_of_the_title_is_no_button() -> None:
    made = checked(Message("", cards(2)))
    assert [one["label"] for one in made[1]["components"]][-1] == "Show in full"
    assert not [
        one for one in every(checked(Message("", (Card("p", "A", URL, buttons=buttons()),))), 2) if "url" in one
    ]


def test_heads_begin_parts_and_a_rule_is_above_the_buttons() -> None:
    made = checked(PAGE)
    assert [one["content"].split("\n")[0] for one in every(made, 10)[1:4]] == [
        "### What you follow",
        "**robotics**",
        "### What you saved",
    ]
    assert [one["type"] for one in made[-3:]] == [14, 1, 10]


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("text", [*LONG, "A title"], ids=range(len(LONG) + 1))
@pytest.mark.parametrize("url", [URL, "https://example.org/" + "a" * 480], ids=["short", "long"])
def test_the_longest_cards_keep_their_titles_links_and_buttons(text: str, count: int, url: str) -> None:
    message = worst(text, count, url)
    made = checked(message, KEY)
    titles = [span for span in spans(made) if "bold" in span.looks]
    assert [span.url for span in spans(made) if span.url] == [url] * count
    assert len(titles) == count
    assert all(span.text.rstrip("…") and text.startswith(span.text.rstrip("…")) for span in titles)
    wanted = [one.action for card in message.cards for one in card.buttons[:4]]
    wanted += [card.buttons[4].action for card in message.cards if count == 1]
    assert actions(made) == [*wanted, "page:1:0", "page:1:2"]


def test_a_link_for_which_there_is_no_room_leaves_the_title_behind() -> None:
    made = checked(worst("A title", 5, "https://example.org/" + "a" * 1900))
    assert len([span for span in spans(made) if span.url]) < 5
    assert len([span for span in spans(made) if "bold" in span.looks and span.text == "A title"]) == 5


@pytest.mark.parametrize("text", MARKED)
def test_whatever_is_said_is_shown_as_it_is(text: str) -> None:
    message = Message(
        text, (Card("p", text, URL, 1, (text, f"› {text}"), (Button(text, "do:1"),), head=text),), (), text
    )
    made = checked(message)
    text = " ".join(text.split())
    said = [span for span in spans(made) if "heading" in span.looks]
    assert [span.text.strip() for span in said] == [text]
    assert "".join(span.text for span in spans(made) if "bold" in span.looks) == text
    assert words(made[-1]["content"]).split() == text.split()
    assert made[-2]["components"][0]["label"] == text[:80] or len(text) > 80


@pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://x.org", "https://x.org/a b", "", "https://x.org/|x"])
def test_a_link_that_is_none_is_left_out(url: str) -> None:
    made = checked(Message("", (Card("p", "Title", url, 1),), (Button("Open", url=url), Button("Go", "go"))))
    assert not [span for span in spans(made) if span.url]
    assert [one["label"] for one in every(made, 2)] == ["Go"]


def test_a_button_opens_a_link_that_is_short_enough() -> None:
    long = "https://example.org/" + "a" * 500
    made = checked(Message("", (), (Button("Open", url=URL), Button("Far", url=long))), KEY)
    assert every(made, 2) == [{"type": 2, "style": 5, "label": "Open", "url": URL}]
    assert made[0]["id"] == number_of(KEY)


def test_buttons_that_do_the_same_are_told_apart_and_do_it() -> None:
    made = checked(Message("", (), tuple(Button(f"{n}", "undo:1:0") for n in range(7))), KEY)
    assert [one["custom_id"] for one in every(made, 2)][:3] == [f"undo:1:0#{nonce_of(KEY)}", "undo:1:0", "undo:1:0#2"]
    assert actions(made) == ["undo:1:0"] * 7


def test_the_mark_goes_to_the_first_button_that_has_room_and_else_to_a_part() -> None:
    long = "x" * 90
    first = checked(Message("Hello", (), (Button("A", long), Button("B", "b"))), KEY)
    assert [one["custom_id"] for one in every(first, 2)] == [long, f"b#{nonce_of(KEY)}"]
    assert not is_marked(first, "another")
    assert checked(Message("Hello", (), (Button("A", long),)), KEY)[0]["id"] == number_of(KEY)
    assert checked(Message("Hello"), KEY) == [{"type": 10, "content": "Hello", "id": number_of(KEY)}]


def test_a_mark_is_known_as_discord_py_reads_it() -> None:
    raw: Any = {"type": 1, "components": [{"type": 2, "style": 2, "custom_id": f"a#{nonce_of(KEY)}", "label": "A"}]}
    assert is_marked([discord.ActionRow(raw)], KEY)
    assert not is_marked([discord.ActionRow(raw)], "")


@given(st.text(max_size=97), st.text(), st.lists(st.text(max_size=5), max_size=3))
def test_what_a_button_does_is_read_whatever_it_is(action: str, key: str, others: list[str]) -> None:
    taken = {action, f"{action}#", f"{action}#2", *others}
    for made in (custom_id(action), custom_id(action, taken=taken), custom_id(action, nonce=nonce_of(key))):
        assert len(made) <= 100
        assert not made or action_of(made) == action
        assert made or not action or len(action) > 75
    assert custom_id(action, taken=taken) not in taken or not action
    assert len(nonce_of(key)) == 24
    assert 1 <= number_of(key) < 2**31


def test_more_cards_than_a_message_takes_are_counted() -> None:
    made = checked(Message("All", cards(30), footer="next: Wed"))
    assert words(made[-1]["content"]) == "18 more do not fit here · next: Wed"
    assert len([one for one in made if one["type"] == 1]) == 12


def test_many_buttons_make_rows() -> None:
    made = checked(Message("Which?", buttons=tuple(Button("", f"do:{n}") for n in range(60))))
    assert [len(one["components"]) for one in made if one["type"] == 1] == [5] * 5
    assert actions(made) == [f"do:{n}" for n in range(25)]


def test_a_message_of_nothing_says_something() -> None:
    for message in (Message(), Message("\u200b\n", footer="\x00")):
        assert [one["content"] for one in checked(message, KEY)] == ["There is nothing to show here."]
        assert title_of(message) == "There is nothing to show here."
    assert UNTITLED in words(checked(Message(cards=(Card("p", "\u202e"),)))[0]["content"])


def test_a_post_is_named_by_the_first_line_or_a_title() -> None:
    assert title_of(DIGEST) == "Good morning. 5 of 231 new papers for “long context” · Tue 2 Dec"
    assert title_of(Message("\n*a* <@1>\nb")) == "*a* <@1>"
    assert title_of(Message("", cards(1))) == DIGEST.cards[0].title


BUTTON = st.builds(
    Button, ANY, st.text("abc:123#", max_size=110), st.sampled_from(["", URL, "javascript:x"]), st.booleans()
)
LINK = st.sampled_from(["", URL, "x", "https://x.org/(a)b)**@here_", "https://x.org/" + "漢" * 700])
LINES = st.lists(st.one_of(ANY, ANY.map("why: {}".format), ANY.map("› {}".format), st.sampled_from(LONG)), max_size=4)
CARD = st.builds(
    Card,
    paper=st.just("p"),
    title=st.one_of(ANY, st.sampled_from(LONG)),
    url=LINK,
    number=st.integers(0, 99),
    lines=LINES.map(tuple),
    buttons=st.lists(BUTTON, max_size=9).map(tuple),
    head=st.one_of(st.just(""), ANY),
)
MESSAGE = st.builds(
    Message,
    text=st.one_of(ANY, st.lists(ANY, max_size=5).map("\n".join), st.sampled_from(LONG)),
    cards=st.lists(CARD, max_size=12).map(tuple),
    buttons=st.lists(BUTTON, max_size=12).map(tuple),
    footer=st.one_of(ANY, st.sampled_from(LONG)),
)


@settings(deadline=None)  # a long message on a busy machine
@given(MESSAGE, st.sampled_from(["", KEY]))
def test_any_message_is_one_that_discord_takes(message: Message, key: str) -> None:
    made = checked(message, key)
    assert 1 <= len(title_of(message)) <= NAME_LIMIT
    if len(message.cards) <= 5:
        assert len([one for one in every(made, 10) if "**" in one["content"]]) >= len(message.cards)
        below = [one.action for one in message.buttons if 0 < len(one.action) <= 97]
        assert actions(made)[len(actions(made)) - len(below) :] == below
    ours = {address(card.url) for card in message.cards}
    assert all(span.url in ours or span.url == span.text for span in spans(made) if span.url)


async def test_views_and_modals_are_what_they_are_told_and_are_finished() -> None:
    view = view_of(components_of(DIGEST))
    assert isinstance(view, Shown)
    assert view.to_components() == components_of(DIGEST)
    assert (view.is_finished(), view.is_dispatchable(), view.has_components_v2()) == (True, False, True)
    payload = {"title": "A", "custom_id": "form:a:", "components": []}
    made = modal_of(payload)
    assert (made.to_dict(), made.to_components(), made.is_finished()) == (payload, [], True)


def test_a_view_outside_of_a_loop_would_be_kept_so_there_is_none() -> None:
    with pytest.raises(RuntimeError):
        view_of([])
    with pytest.raises(RuntimeError):
        modal_of({"title": "A", "custom_id": "a", "components": []})
