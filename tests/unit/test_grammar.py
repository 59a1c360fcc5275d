"""UX.md's grammar and FAULTS.md's words, line by line."""

from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.command import PHRASE, SENTENCE, Command, command
from bot.core.grammar import TEXT_LIMIT, Parsed, arguments, parse, strip_root
from bot.core.message import Message
from bot.core.typed import Count, Gap, Time, Weekdays, Zone
from bot.errors import UsageError


@command
async def search(
    ctx: object,
    words: Annotated[str, "words to look for"],
    *,
    days: Annotated[int, "days back"] = 0,
    area: Annotated[str, "an area"] = "",
    everywhere: Annotated[bool, "all papers"] = False,
    share: Annotated[bool, "for all"] = False,
) -> Message:
    """Find papers."""
    return Message()


@command
async def subscribe(
    ctx: object,
    topic: Annotated[str, "a topic"],
    *,
    at: Annotated[Time | None, "a time"] = None,
    on: Annotated[Weekdays | None, "days"] = None,
    max_: Annotated[Count | None, "papers"] = None,
    tz: Annotated[Zone | None, "a zone"] = None,
    gap: Annotated[Gap | None, "days between"] = None,
    quiet: Annotated[bool | None, "say nothing"] = None,
    name: Annotated[str, "a name", PHRASE] = "",
) -> Message:
    """Follow a topic."""
    return Message()


@command
async def similar(ctx: object, papers: Annotated[tuple[str, ...], "papers"]) -> Message:
    """Find papers like these."""
    return Message()


@command
async def more(ctx: object, paper: Annotated[str, "a paper"]) -> Message:
    """Like a paper."""
    return Message()


@command
async def less(
    ctx: object, paper: Annotated[str, "a paper"], *, because: Annotated[str, "the reason", SENTENCE] = ""
) -> Message:
    """Dislike a paper."""
    return Message()


@command
async def subscriptions(ctx: object) -> Message:
    """List subscriptions."""
    return Message()


@command(hidden=True)
async def page(ctx: object, number: Annotated[int, "page"]) -> Message:
    """Turn a page."""
    return Message()


COMMANDS: dict[str, Command] = {c.name: c for c in (search, subscribe, similar, more, less, subscriptions, page)}


def read(line: str) -> Parsed:
    return parse(line, COMMANDS)


def taken(line: str) -> tuple[list[str], dict[str, str]]:
    parsed = read(line)
    assert parsed.command is not None
    return list(parsed.words), dict(parsed.options)


@pytest.mark.parametrize(
    "line",
    [
        "/papers search graphs",
        "search graphs",
        "/PAPERS  Search   graphs ",
        "\tsearch\ngraphs",
        "search\x00graphs",
        "search\u00a0graphs",
    ],
)
def test_with_or_without_the_root(line: str) -> None:
    assert read(line).command is search
    assert taken(line) == (["graphs"], {})


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("/papers", ""),
        ("/papers ", ""),
        ("", ""),
        (" \n", ""),
        ("/papers /papers", "/papers"),
        ("/paperswords", "/paperswords"),
    ],
)
def test_the_root(line: str, text: str) -> None:
    assert strip_root(line) == text
    assert read(line) == Parsed(text=text, rest=text)


@pytest.mark.parametrize(
    ("line", "words", "options"),
    [
        ("search graphs days=30", ["graphs"], {"days": "30"}),
        ("search graphs days:30", ["graphs"], {"days": "30"}),
        ("search graphs --days=30", ["graphs"], {"days": "30"}),
        ("search graphs —days=30", ["graphs"], {"days": "30"}),
        ("search graphs –days:30", ["graphs"], {"days": "30"}),
        ("search DAYS=30 graphs", ["graphs"], {"days": "30"}),
        ('search x area="machine learning"', ["x"], {"area": "machine learning"}),
        ("search x area:“machine learning”", ["x"], {"area": "machine learning"}),
        ("search x area=„machine learning“", ["x"], {"area": "machine learning"}),
        ("search x days=1 days=2", ["x"], {"days": "2"}),
        ("subscribe serving at=9am max=7 on=mon,wed", ["serving"], {"at": "9am", "max": "7", "on": "mon,wed"}),
        ('subscribe x name="my topic"', ["x"], {"name": "my topic"}),
    ],
)
def test_options(line: str, words: list[str], options: dict[str, str]) -> None:
    assert taken(line) == (words, options)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("subscribe attention at:scale", ["attention", "at:scale"]),
        ("subscribe learning on:graphs", ["learning", "on:graphs"]),
        ("subscribe papers max=many", ["papers", "max=many"]),
        ("subscribe papers max=0", ["papers", "max=0"]),
        ("search x days=soon", ["x", "days=soon"]),
        ("search x days=", ["x", "days="]),
        ("search x year=2024 venue:ICLR", ["x", "year=2024", "venue:ICLR"]),
        ("search https://arxiv.org/abs/2401.01234", ["https://arxiv.org/abs/2401.01234"]),
        ("search arXiv:2401.01234", ["arXiv:2401.01234"]),
        ("search f(x)=y a=b=c", ["f(x)=y", "a=b=c"]),
        ("search --", ["--"]),
        ("search -- —", ["--", "—"]),
        ("search --unknown", ["--unknown"]),
        ('search title:"two words"', ['title:"two words"']),
    ],
)
def test_what_is_no_option_is_a_word(line: str, words: list[str]) -> None:
    assert taken(line) == (words, {})


@pytest.mark.parametrize(
    ("line", "words", "options"),
    [
        ("search graphs share", ["graphs"], {"share": "yes"}),
        ("search graphs everywhere share", ["graphs"], {"everywhere": "yes", "share": "yes"}),
        ("search graphs Share", ["graphs"], {"share": "yes"}),
        ("search share graphs", ["share", "graphs"], {}),
        ("search share", ["share"], {}),
        ("search share share", ["share"], {"share": "yes"}),
        ('search graphs "share"', ["graphs", "share"], {}),
        ("search --share graphs", ["graphs"], {"share": "yes"}),
        ("search —share graphs", ["graphs"], {"share": "yes"}),
        ("search share=yes graphs", ["graphs"], {"share": "yes"}),
        ("search graphs share:no", ["graphs"], {"share": "no"}),
        ("search graphs share=perhaps", ["graphs", "share=perhaps"], {}),
        ("search graphs share days=3", ["graphs"], {"share": "yes", "days": "3"}),
        ("subscribe graphs share", ["graphs", "share"], {}),
    ],
)
def test_flags(line: str, words: list[str], options: dict[str, str]) -> None:
    assert taken(line) == (words, options)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("search don't", ["don't"]),
        ("search don’t stop", ["don't", "stop"]),
        ("search “quoted”", ["quoted"]),
        ("search “two words” three", ["two words", "three"]),
        ('search "unbalanced words', ['"unbalanced', "words"]),
        ('search unbalanced" words', ['unbalanced"', "words"]),
        ('search a "b', ["a", '"b']),
        ('search "a"b c', ['"a"b', "c"]),
        ('search "', ['"']),
        ("search 👩\u200d💻 🔥", ["👩\u200d💻", "🔥"]),
        ("search the of and", ["the", "of", "and"]),
        ("search 漢字 ✓", ["漢字", "✓"]),
        ('similar "one title" arxiv:1', ["one title", "arxiv:1"]),
    ],
)
def test_words(line: str, words: list[str]) -> None:
    assert taken(line) == (words, {})


@pytest.mark.parametrize("line", ["search", 'search ""', "search “”", "search  share=yes", 'search " "'])
def test_an_empty_query_is_a_usage_line(line: str) -> None:
    words, options = taken(line)
    with pytest.raises(UsageError, match=r"WORDS is missing: words to look for\. Type: /papers search WORDS"):
        search.bind(words, options)


@pytest.mark.parametrize(
    "line", ["diffusion models", "don't", "searching for x", "search: x", "--", "🔥", "page 3", "page"]
)
def test_what_is_no_command_is_searched_for(line: str) -> None:
    parsed = read(f"/papers {line}")
    assert (parsed.command, parsed.text, parsed.rest) == (None, line, line)


@pytest.mark.parametrize(
    ("line", "guess"),
    [
        ("serach graphs", search),
        ("search: graphs", search),
        ("Subscibe graphs", subscribe),
        ("subscriptons", subscriptions),
        ("serach", None),
        ("mora graphs", None),
        ("graph search", None),
        ("pages 3", None),
        ("x" * 4000, None),
    ],
)
def test_a_near_miss_is_guessed_and_never_run(line: str, guess: Command | None) -> None:
    assert read(line).command is None
    assert read(line).guess is guess


@pytest.mark.parametrize(
    ("line", "words", "because"),
    [
        ("less 2 because=too far from days=30", ["2"], "too far from days=30"),
        ("less because:not mine", [], "not mine"),
        ('less 2 because="too far" away', ["2", "away"], "too far"),
        ("less 2 —because=I don’t care", ["2"], "I don't care"),
    ],
)
def test_a_sentence_takes_the_rest_of_the_line(line: str, words: list[str], because: str) -> None:
    assert taken(line) == (words, {"because": because})


@pytest.mark.parametrize(
    ("line", "words", "options"),
    [
        ("subscribe x at=9 pm", ["x"], {"at": "9 pm"}),
        ("subscribe at:9 pm graphs", ["graphs"], {"at": "9 pm"}),
        ("subscribe x on=mon, wed and fri at=8", ["x"], {"on": "mon, wed and fri", "at": "8"}),
        ("subscribe x on=every day max=3", ["x"], {"on": "every day", "max": "3"}),
        ("subscribe x tz=new york", ["x"], {"tz": "new york"}),
        ("subscribe x gap=2 weeks", ["x"], {"gap": "2 weeks"}),
        ("subscribe x max=3 papers", ["x", "papers"], {"max": "3"}),
        ('subscribe x at="9" am', ["x", "am"], {"at": "9"}),
        ('subscribe x at=9 "am"', ["x", "am"], {"at": "9"}),
        ("subscribe x name=my own topic at=9", ["x"], {"name": "my own topic", "at": "9"}),
        ("subscribe x name=my own topic quiet", ["x"], {"name": "my own topic", "quiet": "yes"}),
        ("subscribe x name=my own --quiet", ["x"], {"name": "my own", "quiet": "yes"}),
        ("subscribe name=mine graph networks", ["graph", "networks"], {"name": "mine"}),
        ("search x area=biology models", ["x", "models"], {"area": "biology"}),
        ("search x days=3 4", ["x", "4"], {"days": "3"}),
    ],
)
def test_a_value_takes_the_words_that_belong_to_it(line: str, words: list[str], options: dict[str, str]) -> None:
    assert taken(line) == (words, options)


@pytest.mark.parametrize(
    ("line", "unread"),
    [
        ("subscribe x at=25:00", (("at", "25:00"),)),
        ("subscribe x --on=feb max=0", (("on", "feb"), ("max", "0"))),
        ("subscribe attention at:scale", ()),
        ("subscribe x at=9am color=red", ()),
        ("less 2 because=", ()),
    ],
)
def test_options_that_cannot_be_read_are_named(line: str, unread: tuple[tuple[str, str], ...]) -> None:
    assert read(line).unread == unread


def test_a_command_is_its_whole_first_word() -> None:
    assert read("more efficient transformers").command is more
    assert read("moreover").command is None


@pytest.mark.parametrize(
    "line",
    ["x" * 5000, "search " + "words " * 1000, "search " + '"' * 5000, 'search a="' * 500, "search " + "a:" * 2500],
)
def test_5000_characters(line: str) -> None:
    parsed = read(line)
    assert len(parsed.text) <= TEXT_LIMIT


@settings(deadline=None)
@given(st.text() | st.text(alphabet="ab\"=:-—share dys30“”'\n", max_size=80))
def test_parsing_never_raises_and_never_loses_a_word(line: str) -> None:
    for start in ("", "/papers ", "search ", "/papers subscribe "):
        parsed = read(start + line)
        if parsed.command is None:
            assert letters(parsed.text) == letters(strip_root(start + line))
            continue
        left = [*parsed.words, *(part for option in parsed.options for part in option)]
        typed = letters(parsed.rest)
        for option, value in parsed.options:  # typed twice, the last counts; a flag is typed without its "yes"
            if typed.count(option) == 1 and option in parsed.command.options:
                assert letters(value) in typed or value == "yes"
        if not parsed.options:
            assert letters("".join(left)) == typed


def letters(text: str) -> str:
    """Return what counts of a text: no spaces, no quotes, no dashes, one case."""
    dropped = "\"“”„«»'‘’-—–"
    return "".join(text.translate({ord(mark): None for mark in dropped} | {0: " "}).split()).casefold()


@settings(deadline=None)
@given(st.lists(st.text(alphabet="abcdefghijklmnop漢字é", min_size=1, max_size=8), min_size=1, max_size=12))
def test_words_keep_their_order_around_options(words: list[str]) -> None:
    line = " ".join([words[0], "days=30", *words[1:], "--share"])
    assert arguments(search, line) == (words, {"days": "30", "share": "yes"}, {})
