"""Text for Discord: whatever is written is shown as it is. What is shown, a reader of its markdown says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.card import web
from bot.core.plain import visible
from bot.platforms.discord.text import (
    address,
    cut,
    escaped,
    line_of_card,
    lines,
    linkable,
    linked,
    one_line,
    shares,
    small,
    wanted,
    weight,
    within,
)
from tests.fakes.markdown_discord import Span, invites, pings, read, words

NO_LOOKS: frozenset[str] = frozenset()
MARKED = (
    "*only* **two** ***three*** _x_ __y__ ~~gone~~ ||hidden||",
    "`code` ``more`` ```\nblock```",
    "# heading",
    "  ## second",
    "-# small",
    "> quote",
    ">>> all of it",
    "- list",
    "  * list",
    "+ list",
    "1. first",
    "  12. twelfth",
    "[words](https://evil.example)",
    "[words](<https://evil.example> 'title')",
    "![image](https://evil.example/x.png)",
    "see https://evil.example/a_(b), http://x.org",
    "<https://evil.example>",
    "<a:/b>",
    "STEAM://run/1 and HTTPS://EVIL.EXAMPLE",
    "@everyone now <@&1234567890123456789>",
    "@every@everyone @her@here @Everyone @@here",
    "<@1234567890123456789> <@!1234567890123456789> <#1234567890123456789>",
    "<:party:1234567890123456789> <a:party:1234567890123456789> :smile: :+1: ::x::",
    "<t:1700000000> <t:1700000000:R> </papers search:1234567890123456789> <id:customize>",
    "discord.gg/abc discord.com/invite/abc DISCORD.GG/abc discordapp.com/invite/x",
    r"\*already\* \\ \@everyone \<@1> back\ ",
    r"Sorting in $O(n\log n)$ with \textbf{x} and 5\% more",
    r"¯\_(ツ)_/¯ snake_case __init__ a*b*c 2 * 3 * 4",
    "A<B & C>D <!channel> <@U012ABC>",
)
TOKENS = (
    *r"*_~|`[]()<>@#!&:-+.\/ 1",
    *(
        "**",
        "||",
        "```",
        "](",
        "https://",
        "http://x.y/z",
        "@everyone",
        "@here",
        "<@",
        "<@&",
        "<#",
        "<t:1>",
        "<:a",
        "-# ",
    ),
    *(
        "ab",
        "everyone",
        "discord.gg/",
        "12",
        "漢",
        "é",
        "🔥",
        "👩\u200d💻",
        "🇩🇪",
        "e\u0301",
        "…",
        "“",
        ":x:",
        "steam://",
    ),
)
SNIPPETS = st.lists(st.sampled_from(TOKENS), max_size=14).map("".join)
ANY = st.one_of(SNIPPETS, st.text(st.characters(exclude_categories=()), max_size=30), st.sampled_from(MARKED))
CLEAN = ANY.map(visible)


def shown(markdown: str) -> tuple[str, set[str]]:
    """Return the words that are shown, and all the ways they look."""
    spans = read(markdown)
    return "".join(span.text for span in spans), set().union(*(span.looks for span in spans))


@pytest.mark.parametrize("text", MARKED)
def test_marks_are_shown_and_do_nothing(text: str) -> None:
    line = visible(text)
    assert shown(escaped(line)) == (line, set())
    assert not pings(escaped(line))
    assert not invites(escaped(line))


@pytest.mark.parametrize("text", [one for one in MARKED if not one.startswith(("see", "+", "¯", r"Sorting", "A<B"))])
def test_the_reader_would_see_them_if_they_did(text: str) -> None:
    assert shown(text)[1] or pings(text) or invites(text) or shown(text)[0] != text


@given(CLEAN)
def test_any_line_is_shown_as_it_is(line: str) -> None:
    assert shown(escaped(line)) == (line, set())
    assert not pings(escaped(line))
    assert not invites(escaped(line))


@given(CLEAN)
def test_any_line_of_a_card_looks_only_as_it_is_meant(line: str) -> None:
    text, looks = shown(line_of_card(line))
    expected = {"quote"} if line.startswith("› ") else {"slanted"} if line.startswith("why: ") else set()
    assert text == line.removeprefix("› ")
    assert looks == (expected if text.strip() else set())
    assert not pings(line_of_card(line))


@given(CLEAN)
def test_small_print_is_small_and_nothing_else(line: str) -> None:
    assert shown(small(line)) == (line, {"small"} if line else set())


@given(CLEAN)
def test_a_link_in_a_text_shows_where_it_leads(line: str) -> None:
    made = linked(line)
    spans = read(made)
    assert all(span.looks in (NO_LOOKS, {"link"}) for span in spans)
    assert all(span.text == span.url and web(span.url) for span in spans if span.url)
    assert words(made).replace("%28", "(").replace("%29", ")").replace("%40", "@").replace("%2A", "*") == line.replace(
        "%28", "("
    ).replace("%29", ")").replace("%40", "@").replace("%2A", "*")
    assert not pings(made)


def test_an_address_becomes_a_link_without_a_preview_and_nothing_else_does() -> None:
    made = linked("see https://x.org/a_(b). Or javascript:alert(1), http://y.org! And https://cut.exam…")
    assert made == (r"see <https://x.org/a_%28b>). Or javascript\:alert(1), <http://y.org>! And https\://cut.exam…")
    assert [span.url for span in read(made) if span.url] == ["https://x.org/a_%28b", "http://y.org"]


def test_of_the_lines_of_a_card_only_the_one_of_links_has_links() -> None:
    assert line_of_card("links: https://x.org, https://y.org") == "links: <https://x.org>, <https://y.org>"
    assert line_of_card("Code: https://x.org") == r"Code: https\://x.org"


@given(CLEAN, st.sampled_from(["https://x.org/a(b)?c=**@everyone**", "https://x.org/_a_)(", "https://x.org/~~漢~~"]))
def test_a_title_that_may_be_a_link_is_read_as_one(title: str, url: str) -> None:
    if linkable(title) and title.strip():
        made = f"1  [**{title}**](<{address(url)}>)"
        assert web(address(url))
        assert read(made) == [Span("1  "), Span(title, frozenset({"bold", "link"}), address(url))]
        assert not pings(made)


@pytest.mark.parametrize(
    ("title", "may"),
    [
        ("Short Window Attention (SWAX): is it long? 5 % & more – “yes”", True),
        ("長い文脈 и контекст, ελληνικά", True),
        ("C# or F#, $O(n^2)$", True),
        ("snake_case", False),
        (r"a \ b", False),
        ("[1] brackets", False),
        ("fire 🔥", False),
        ("heart ❤\ufe0f", False),
        ("mail me@x.org", False),
        ("A<B", False),
        ("see https://x.org", False),
        (":smile:", False),
        ("discord.gg/x", False),
    ],
)
def test_what_escaping_or_emoji_would_undo_is_no_title_of_a_link(title: str, may: bool) -> None:
    assert linkable(title) is may


@given(ANY, st.integers(0, 300), st.sampled_from([escaped, linked, line_of_card, small, str]))
def test_a_cut_line_is_within_its_limit_and_whole(text: str, limit: int, write: object) -> None:
    assert callable(write)
    line = visible(text)
    made = cut(line, limit, write)
    assert weight(made) <= limit
    if weight(write(line)) <= limit:
        assert made == write(line)
    elif write in (escaped, linked):
        said = words(made)
        assert line.startswith(said.removesuffix("…")) or write is linked
        assert shown(made)[1] <= {"link"}


@pytest.mark.parametrize(
    ("text", "limit", "made"),
    [
        ("&" * 3001, 3000, "&" * 2999 + "…"),
        ("_" * 2000, 3000, r"\_" * 1499 + "…"),
        ("漢" * 50, 10, "漢" * 9 + "…"),
        ("👩\u200d💻" * 50, 12, "👩\u200d💻" * 2 + "…"),
        ("e\u0301" * 50, 8, "e\u0301" * 3 + "…"),
        ("🇩🇪" * 50, 10, "🇩🇪" * 2 + "…"),
        ("@everyone", 9, "@everyon…"),
    ],
)
def test_a_cut_is_between_characters_and_escapes(text: str, limit: int, made: str) -> None:
    assert cut(text, limit) == made


@given(st.lists(ANY.map(visible), max_size=6), st.integers(-3, 400), st.sampled_from([escaped, linked, small]))
def test_lines_are_kept_from_the_first_and_weigh_what_they_may(said: list[str], room: int, write: object) -> None:
    assert callable(write)
    kept = within(said, room, write)
    assert sum(weight(line) + 1 for line in kept) <= max(room, 0)
    assert kept[:-1] == [write(line) for line in said[: max(len(kept) - 1, 0)]]
    if wanted(said, write) <= room:
        assert kept == [write(line) for line in said]


def test_indents_and_blank_lines_of_our_own_text_stay() -> None:
    assert lines("\nusage:\r\n  search WORDS\n\nmore\n\n") == ["usage:", "  search WORDS", "", "more"]
    assert lines("\u200b\n\u2028") == []


def test_what_nobody_sees_is_dropped() -> None:
    assert one_line("right\u202eleft\u202c and \u200bzero\ufeff nul\x00 \ud800half") == "rightleft and zero nul half"


@given(st.lists(st.integers(0, 1000), max_size=8), st.integers(-5, 3000))
def test_who_wants_little_gets_it_and_the_others_share(wants: list[int], room: int) -> None:
    given_ = shares(wants, room)
    assert sum(given_) <= max(room, 0)
    assert all(0 <= got <= want for got, want in zip(given_, wants, strict=True))
    if sum(wants) <= room:
        assert given_ == wants
