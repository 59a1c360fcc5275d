"""Messages as Slack's blocks: nothing that anybody writes breaks a limit, becomes markup, or pushes out what counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from bot.core.message import Button, Card, Message
from bot.platforms.slack.render import BLOCKS, IN_MENU, TOTAL, UNTITLED, VIEW_BLOCKS, blocks_of, fallback
from bot.platforms.slack.rich import cut, escaped, lines, linked, one_line, shares, unescaped, weight
from tests.fakes.slack import blocks as slack
from tests.fakes.slack_surfaces import ANSWER, DIGEST, ERROR, MESSAGES, buttons, cards

URL = "https://openreview.net/forum?id=02NbD16OnA"
HOSTILE = [
    "A<B & C>D <!channel> <@U012ABC>",
    "@everyone now <@&1234567890123456789>",
    r"Sorting in $O(n\log n)$ with \textbf{x} and 5\% more",
    "*only* _x_ `code` ~~gone~~ ||hidden||",
    "# no heading",
    "> no quote",
    "“curly” ‘quotes’ — long dashes …",
    "漢字かな交じり文 и кириллица ελληνικά",
    "שלום עולם، مرحبا",
    "👩\u200d💻 models 🔥 and :smile: :boom:",
    "<https://evil.example|click>",
    "&amp; &lt; stays as typed",
]
LONG = [
    "&" * 3000,
    "_" * 2000,
    "x" * 3001,
    "漢" * 3001,
    "👩\u200d💻" * 1000,
    "<!channel>" * 400,
    "e\u0301" * 2000,
    "🇩🇪" * 900,
]


def strings(value: Any, key: str = "") -> Iterator[str]:
    """Yield everything that Slack might count: texts, labels, links, values, names."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from strings(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, key)
    elif isinstance(value, str) and key != "type":
        yield value


def found(value: Any, kind: str) -> list[dict[str, Any]]:
    """Return all objects of a type, in order."""
    if isinstance(value, dict):
        here = [value] if value.get("type") == kind else []
        return here + [one for inner in value.values() for one in found(inner, kind)]
    return [one for inner in value for one in found(inner, kind)] if isinstance(value, list) else []


def actions(blocks: list[dict[str, Any]]) -> list[str]:
    """Return what the buttons and menus do."""
    pressed = [one["value"] for one in found(blocks, "button") if "value" in one]
    return pressed + [option["value"] for menu in found(blocks, "overflow") for option in menu["options"]]


def words(blocks: list[dict[str, Any]]) -> str:
    """Return what a person reads."""
    return "".join(
        one.get("text", one.get("url", "")) if isinstance(one.get("text", ""), str) else ""
        for kind in ("text", "link", "plain_text")
        for one in found(blocks, kind)
    )


def checked(message: Message, most: int = BLOCKS) -> list[dict[str, Any]]:
    """Render, and look at all that Slack refuses."""
    blocks = blocks_of(message, most=most)
    assert blocks == blocks_of(message, most=most)
    assert 1 <= len(blocks) <= most
    parsed = Block.parse_all(blocks)
    assert None not in parsed
    for block in parsed:
        block.to_dict()
    names = [block["block_id"] for block in blocks]
    assert len(set(names)) == len(names)
    ids = [one["action_id"] for kind in ("button", "overflow") for one in found(blocks, kind)]
    assert len(set(ids)) == len(ids)
    assert all(one["text"] for kind in ("text", "plain_text") for one in found(blocks, kind))
    assert all(one["emoji"] is False for one in found(blocks, "plain_text"))
    assert not found(blocks, "mrkdwn")
    assert all(one["elements"] for kind in ("rich_text_section", "rich_text_quote") for one in found(blocks, kind))
    if most > BLOCKS:
        assert not slack.faults_of_view({"type": "home", "blocks": blocks}, "home")
    else:
        assert not slack.faults_of_blocks(blocks)
        assert slack.weight(blocks) <= slack.TOTAL
    json.dumps(blocks, ensure_ascii=False).encode()  # no lone surrogates
    return blocks


def worst(text: str, count: int, url: str = URL) -> Message:
    """Return a message that says the same everywhere."""
    made = tuple(
        Card(f"p{n}", text, url, n + 1, (text, f"why: {text}", f"› {text}"), buttons(number=n)) for n in range(count)
    )
    return Message(text, made, (Button("Next ▸", "page:1:1"), Button("◂ Previous", "page:1:0")), text)


@pytest.mark.parametrize("name", MESSAGES)
def test_each_surface_is_within_slacks_limits(name: str) -> None:
    checked(MESSAGES[name])


def test_a_digest_is_one_compact_message() -> None:
    blocks = checked(DIGEST)
    assert [block["type"] for block in blocks] == [
        "rich_text",
        *(["rich_text", "actions"] * 5),
        "divider",
        "actions",
        "context",
    ]
    first = blocks[1]["elements"][0]["elements"]
    assert first[0]["text"] == "1  "
    assert first[1] == {
        "type": "link",
        "url": "https://openreview.net/forum?id=02NbD16OnA&x=(1)_2",
        "text": "Short Window Attention Enables Long-Term Memorization",
        "style": {"bold": True},
    }
    assert {"type": "text", "text": "why:", "style": {"italic": True}} in first
    (said,) = found(blocks[1], "rich_text_quote")
    assert said["elements"][0]["text"].startswith("A counter-intuitive finding")
    row = blocks[2]["elements"]
    assert [one["text"]["text"] for one in row[:3]] == ["More like this", "Less", "Save"]
    assert [one["text"]["text"] for one in row[3]["options"]] == [
        "Similar papers",
        "Show in full",
        "BibTeX",
        "Mute an author",
        "Open",
    ]
    assert row[3]["options"][4]["url"] == URL
    assert blocks[-1]["elements"][0]["text"] == DIGEST.footer


def test_a_digest_of_ten_cards_fits_whole() -> None:
    message = Message(DIGEST.text, cards(10), DIGEST.buttons, DIGEST.footer)
    blocks = checked(message)
    for card in message.cards:
        for line in card.lines:
            assert line.removeprefix("why:").removeprefix("› ").strip() in words(blocks)


@pytest.mark.parametrize("count", [1, 5, 10])
@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_the_longest_cards_keep_their_titles_links_and_buttons(text: str, count: int) -> None:
    message = worst(text, count)
    blocks = checked(message)
    titles = [one for one in found(blocks, "link") if one.get("style") == {"bold": True}]
    assert [one["url"] for one in titles] == [URL] * count
    assert all(one["text"].rstrip("…") and text.startswith(one["text"].rstrip("…")) for one in titles)
    wanted = [one.action for card in message.cards for one in card.buttons if one.action]
    assert sorted(one for one in actions(blocks) if not one.startswith("open:")) == sorted(
        [*wanted, "page:1:1", "page:1:0"]
    )


def test_five_links_of_the_longest_kind_survive() -> None:
    url = "https://example.org/" + "a" * 1900
    blocks = checked(worst("A title", 5, url))
    assert [one["url"] for one in found(blocks, "link")] == [url] * 5


def test_a_link_for_which_there_is_no_room_leaves_the_title_behind() -> None:
    url = "https://example.org/" + "a" * 1900
    blocks = checked(worst("A title", 10, url))
    assert found(blocks, "link") == []
    assert words(blocks).count("A title") >= 10


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_a_title_says_is_shown_as_it_is(text: str) -> None:
    blocks = checked(worst(text, 1))
    assert found(blocks, "link")[-1 if text.startswith("<https") else 0]["text"] == text or text in words(blocks)
    assert not [
        one for kind in ("user", "usergroup", "broadcast", "emoji", "channel") for one in found(blocks[1:-1], kind)
    ]
    said = fallback(worst(text, 1))
    assert "<" not in said
    assert ">" not in said
    assert unescaped(said).splitlines() == [text, f"1  {text}"]


def test_what_nobody_sees_is_dropped() -> None:
    text = "right\u202eleft\u202c and \u200bzero\ufeff nul\x00 \x1b[31mred\x1b[0m \ud800half"
    blocks = checked(worst(text, 1))
    assert "rightleft and zero nul red half" in words(blocks)
    assert fallback(worst(text, 1)).splitlines()[0] == "rightleft and zero nul red half"


def test_indents_and_blank_lines_of_our_own_text_stay() -> None:
    text = "\nusage:\r\n  search WORDS\n\nmore\n\n"
    (block,) = checked(Message(text))
    assert block["elements"][0]["elements"] == [{"type": "text", "text": "usage:\n  search WORDS\n\nmore"}]


def test_an_address_becomes_a_link_and_nothing_else_does() -> None:
    assert linked("see https://x.org/a_(b). Or javascript:alert(1), http://y.org!") == [
        {"type": "text", "text": "see "},
        {"type": "link", "url": "https://x.org/a_(b"},
        {"type": "text", "text": "). Or javascript:alert(1), "},
        {"type": "link", "url": "http://y.org"},
        {"type": "text", "text": "!"},
    ]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://x.org", "https://x.org/a b", "", "https://x.org/|x"])
def test_a_link_that_is_none_is_left_out(url: str) -> None:
    blocks = checked(Message("", (Card("p", "Title", url, 1),), (Button("Open", url=url), Button("Go", "go"))))
    assert found(blocks, "link") == []
    assert [one["text"]["text"] for one in found(blocks, "button")] == ["Go"]


def test_a_button_that_opens_a_link_has_an_id_and_no_value() -> None:
    (button,) = found(checked(Message("", buttons=(Button("Open", url=URL),))), "button")
    assert button == {
        "type": "button",
        "action_id": "open:more:0",
        "text": {"type": "plain_text", "text": "Open", "emoji": False},
        "url": URL,
    }


def test_more_entries_than_a_menu_takes_become_buttons() -> None:
    many = tuple(Button(f"Do {n}", f"do:{n}", menu=True) for n in range(8))
    blocks = checked(Message("", (Card("p", "Title", buttons=many),)))
    (menu,) = found(blocks, "overflow")
    assert [one["value"] for one in menu["options"]] == [f"do:{n}" for n in range(IN_MENU)]
    assert [one["value"] for one in found(blocks, "button")] == ["do:5", "do:6", "do:7"]


def test_a_menu_of_one_entry_is_a_button() -> None:
    blocks = checked(Message("", (Card("p", "Title", buttons=(Button("Do", "do:1", menu=True),)),)))
    assert (found(blocks, "overflow"), actions(blocks)) == ([], ["do:1"])


def test_more_buttons_than_a_row_takes_make_rows() -> None:
    many = tuple(Button("", f"do:{n}") for n in range(60))
    blocks = checked(Message("Which?", buttons=many))
    assert [len(block["elements"]) for block in blocks[1:]] == [25, 25, 10]
    assert actions(blocks) == [f"do:{n}" for n in range(60)]


def test_more_cards_than_a_message_takes_are_counted() -> None:
    blocks = checked(Message("All", cards(60), footer="next: Wed"))
    assert len(blocks) <= BLOCKS
    assert blocks[-1]["elements"][0]["text"] == "37 more do not fit here · next: Wed"
    page = checked(
        Message("All", tuple(Card("", f"Saved {n}", head="Saved" * (n == 0)) for n in range(200))), VIEW_BLOCKS
    )
    assert len(page) == VIEW_BLOCKS - 1


def test_a_message_of_nothing_says_something() -> None:
    assert words(checked(Message())) == fallback(Message()) == "There is nothing to show here."
    assert words(checked(Message("\u200b\n", footer="\x00"))) == "There is nothing to show here."
    assert UNTITLED in words(checked(Message(cards=(Card("p", "\u202e"),))))


def test_the_text_for_screen_readers_has_the_head_and_the_titles() -> None:
    said = fallback(DIGEST)
    assert said.splitlines()[:3] == [
        "Good morning. 5 of 231 new papers for “long context” · Tue 2 Dec",
        "1  Short Window Attention Enables Long-Term Memorization",
        "2  A&lt;B &amp; C&gt;D &lt;!channel&gt; &lt;@U012ABC&gt;: mentions that are none",
    ]
    assert fallback(ERROR) == ERROR.text
    assert "Link: https://openreview.net" in fallback(ANSWER)
    assert len(fallback(Message("&" * 50_000))) <= 3000


ANY = st.one_of(st.text(st.characters(exclude_categories=()), max_size=40), st.sampled_from(HOSTILE + LONG))
BUTTON = st.builds(
    Button, ANY, st.text("abc:123", max_size=100), st.sampled_from(["", URL, "javascript:x"]), st.booleans()
)
CARD = st.builds(
    Card,
    paper=st.just("p"),
    title=ANY,
    url=st.sampled_from(["", URL, "x"]),
    number=st.integers(0, 99),
    lines=st.lists(st.one_of(ANY, ANY.map("why: {}".format), ANY.map("› {}".format)), max_size=4).map(tuple),
    buttons=st.lists(BUTTON, max_size=9).map(tuple),
    head=st.sampled_from(["", "What you follow"]),
)
MESSAGE = st.builds(
    Message,
    text=ANY,
    cards=st.lists(CARD, max_size=12).map(tuple),
    buttons=st.lists(BUTTON, max_size=6).map(tuple),
    footer=ANY,
)


@settings(deadline=None)  # a long message on a busy machine
@given(MESSAGE)
def test_any_message_is_one_that_slack_takes(message: Message) -> None:
    blocks = checked(message)
    fallback(message).encode()
    assert len(fallback(message)) <= 3000
    if len(message.cards) <= 5:
        links = [one.url for one in message.cards if one.url == URL]
        shown = [one for one in found(blocks, "link") if one.get("style") == {"bold": True}]
        assert len(shown) == len(links)
        wanted = [b.action for c in message.cards for b in c.buttons if b.action]
        wanted += [b.action for b in message.buttons if b.action]
        assert sorted(one for one in actions(blocks) if not one.startswith("open:")) == sorted(wanted)


@given(ANY, st.integers(0, 400))
def test_a_cut_text_is_whole_characters_of_the_text_and_within_its_limit(text: str, limit: int) -> None:
    clean = one_line(text, 100_000)
    short = cut(clean, limit)
    assert weight(short) <= limit
    assert short == clean or clean.startswith(short.removesuffix("…"))
    assert unescaped(escaped(clean)) == clean


@given(ANY)
def test_lines_have_no_control_characters(text: str) -> None:
    assert not [one for line in lines(text) for one in line if category(one) in ("Cc", "Cf", "Cs") and one != "\u200d"]


@given(st.lists(st.integers(0, 1000), max_size=8), st.integers(-5, 3000))
def test_who_wants_little_gets_it_and_the_rest_is_shared(wants: list[int], room: int) -> None:
    given_ = shares(wants, room)
    assert sum(given_) <= max(room, 0)
    assert all(0 <= got <= want for got, want in zip(given_, wants, strict=True))
    if sum(wants) <= room:
        assert given_ == wants


def test_the_total_leaves_room_for_what_slack_may_count_besides() -> None:
    assert TOTAL < slack.TOTAL
