"""How a message looks: in plain text, at a terminal, and as JSON."""

from __future__ import annotations

import json
import re
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from bot.core.command import command
from bot.core.message import Card, File, Form, Message
from bot.platforms.console.render import as_json, plain, terminal, usage_line
from bot.platforms.console.rows import actions, clean, web
from tests.fakes.digest import BUTTONS, DIGEST, SWAX

ESCAPES = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m")


def test_plain() -> None:
    assert plain(DIGEST) == (
        "Good morning. 5 of 231 new papers\n"
        "\n"
        "1  Short Window Attention Enables Long-Term Memorization\n"
        "   https://openreview.net/forum?id=02NbD16OnA\n"
        "   L. Cabannes, M. Beck, +7 · ICLR 2026 · openreview · fits 82 %\n"
        "   why: sliding window, xLSTM — near “xLSTM Scaling Laws”, which you liked\n"
        "   › A counter-intuitive finding with SWAX is that larger windows do not help.\n"
        "   [1] More like this  [2] Less  [3] Similar papers\n"
        "   PDF: https://x.example/a.pdf\n"
        "\n"
        "[4] Next ▸\n"
        "\n"
        "next: Wed 09:00 Berlin\n"
    )
    assert actions(DIGEST) == ["more:9c1:0", "less:9c1:0", "similar:9c1:0", "page:9c1:1"]


def test_plain_with_all_around_it() -> None:
    shown = plain(Message("Hi.", (Card("x:1", ""),)), head="in #reading:", rule="09:00", notes=("Saved as a.json",))
    assert shown == "-- 09:00 --\n\nin #reading:\n\nHi.\n\n(untitled)\n\nSaved as a.json\n"
    assert plain(Message()) == "\n"


def test_numbers_go_on_from_the_first() -> None:
    shown = plain(DIGEST, first=21)
    assert "[21] More like this  [22] Less  [23] Similar papers" in shown
    assert "[24] Next ▸" in shown


def test_indents_of_our_own_text_stay() -> None:
    assert plain(Message("search WORDS\n    Find papers.\n\n\tlast ")) == "search WORDS\n    Find papers.\n\n    last\n"


@pytest.mark.parametrize("width", [1, 20, 40, 80, 200])
@pytest.mark.parametrize(
    "words", ["", "漢字かな交じりの題名" * 20, "👩\u200d💻🔥 " * 30, "x" * 500, "word " * 100, "e\u0301" * 300]
)
def test_a_terminal_is_never_too_narrow(width: int, words: str) -> None:
    long = Message(
        words, (SWAX, Card("x:1", words, "https://x.example/" + "y" * 99, 22, (words,), BUTTONS)), BUTTONS, words
    )
    shown = ESCAPES.sub("", terminal(long, width, head="in #reading:", rule="09:00 · #reading"))
    assert "\x1b" not in shown
    assert max(cell_len(line) for line in shown.splitlines()) <= max(width, 20)


def test_a_terminal_gets_links_and_weights() -> None:
    shown = terminal(DIGEST, 100)
    assert "\x1b]8;" in shown
    assert ";https://openreview.net/forum?id=02NbD16OnA\x1b\\" in shown
    assert "\x1b[1mShort Window Attention" in shown
    assert "\x1b[2mL. Cabannes" in shown
    assert "\nwhy" not in shown
    assert "   why: sliding window" in shown
    assert ESCAPES.sub("", shown).startswith("Good morning. 5 of 231 new papers\n\n1  Short Window")


def test_a_terminal_keeps_buttons_whole_and_indents() -> None:
    rows = ESCAPES.sub("", terminal(DIGEST, 40)).splitlines()
    assert "   [1] More like this  [2] Less" in rows
    assert "   [3] Similar papers" in rows
    assert all(row.startswith("   ") for row in rows[3:-4])


def test_json_says_the_reason_by_itself_and_leaves_it_out_of_the_body() -> None:
    card = Card("p", "T", lines=("A. B", "why: graph networks", "› It is."), why="graph networks")
    (shown,) = json.loads(as_json(Message(cards=(card,))))["cards"]
    assert (shown["why"], shown["body"]) == ("graph networks", "A. B\n› It is.")


def test_json_has_all_keys_on_one_line() -> None:
    whole = json.loads(as_json(DIGEST))
    assert list(whole) == ["text", "cards", "buttons", "footer", "files", "public", "form"]
    (card,) = whole["cards"]
    assert list(card) == ["paper", "number", "title", "link", "url", "body", "why", "lines", "buttons"]
    assert card["lines"] == list(SWAX.lines)
    assert card["link"] == card["url"]
    assert (card["why"], card["body"]) == ("", "\n".join(SWAX.lines))
    assert card["buttons"][0] == {"label": "More like this", "action": "more:9c1:0"}
    assert card["buttons"][2] == {"label": "PDF", "url": "https://x.example/a.pdf"}
    assert json.loads(as_json(Message())) == {
        "text": "", "cards": [], "buttons": [], "footer": "", "files": [], "public": False, "form": None,
    }  # fmt: skip
    full = Message(
        "漢字", files=(File("a.json", b'{"a": "\xc3\xa9\xff"}'),), form=Form("schedule", {"at": "09:00"}), public=True
    )
    assert "漢字" in as_json(full)
    assert json.loads(as_json(full))["files"] == [{"name": "a.json", "content": '{"a": "é\ufffd"}'}]
    assert json.loads(as_json(full))["form"] == {"command": "schedule", "values": {"at": "09:00"}}


@settings(deadline=None)
@given(st.text())
def test_json_is_one_line_whatever_is_in_it(text: str) -> None:
    shown = as_json(Message(text, (Card(text, text, text, 1, (text,)),), footer=text))
    assert len(shown.splitlines()) == 1
    assert json.loads(shown)["text"] == text


@settings(deadline=None)
@given(
    st.text(alphabet=st.characters(categories=["Cc", "Cf", "Cs", "Lu", "Po", "Zl"]) | st.sampled_from("\x1b[]m;\x07\\"))
)
def test_clean_text_has_nothing_to_obey(text: str) -> None:
    cleaned = clean(text)
    assert not {c for c in cleaned if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160}
    assert clean(cleaned) == cleaned
    cleaned.encode()


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://e.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("an open \x1b]0;string keeps its words", "an open 0;string keeps its words"),
        ("\x1b", ""),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\u202egnp.exe", "gnp.exe"),
        ("A<B & C>D [bold]x[/bold] :smile:", "A<B & C>D [bold]x[/bold] :smile:"),
    ],
)
def test_clean(text: str, right: str) -> None:
    assert clean(text) == right


@pytest.mark.parametrize("text", ["\x1b]" * 200_000, "\x9d" * 400_000, "\x1b[" + "0" * 400_000, "\x1b[0;" * 100_000])
def test_hostile_escapes_take_no_time(text: str) -> None:
    assert len(clean(text)) <= len(text)


def test_only_web_links() -> None:
    assert web("https://x.example/a?b=(c)#d%20") == "https://x.example/a?b=(c)#d%20"
    assert web("https://x.example/漢") == "https://x.example/%E6%BC%A2"
    for bad in (
        "",
        "ftp://x",
        "javascript:alert(1)",
        "https://",
        "https://[",
        "https://x y",
        "https://x\x1b\\",
        "x.example",
    ):
        assert web(bad) == ""


@command
async def schedule(
    ctx: object, name: Annotated[str, "its name"], *, at: Annotated[str, "time"] = "", on: Annotated[str, "days"] = ""
) -> Message:
    """Change when it comes."""
    return Message()


def test_a_form_is_said_as_the_line_to_type() -> None:
    form = Form("schedule", {"name": "long  context", "at": "09:00", "on": " "})
    assert usage_line(form, {"schedule": schedule}) == '/papers schedule "long context" at=09:00 [on=…]'
    assert usage_line(Form("schedule"), {"schedule": schedule}) == "/papers schedule NAME [at=…] [on=…]"
    assert usage_line(form, {}) == '/papers schedule name="long context" at=09:00'
