"""Any feed: what it says, what it is not, and addresses that are none."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring, iterparse

import pytest

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError
from bot.sources import _feed_lean, _feed_text
from bot.sources._feed import parse_feed
from bot.sources._feed_lean import lean
from bot.sources._http import Client
from bot.sources.rss import source
from recommender.types import Paper
from tests.fakes.feeds_server import Feeds, rss_of

FEEDS = Path(__file__).parents[2].parent / "shared" / "feeds"
URL = "https://feeds.example/papers.xml"
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Lab &amp; news</title><entry>
<id>tag:feeds.example,2026:1</id><title type="html">A &lt;i&gt;graph&lt;/i&gt; of words</title><link href="/one"/>
<author><name>Ada Lovelace</name></author><author><name>Bob</name></author><updated>2026-11-30T08:00:00Z</updated>
<summary>Short.</summary><content type="html">&lt;p&gt;A longer text of it.&lt;/p&gt;</content></entry></feed>"""


def read(body: str | bytes) -> list[Paper]:
    return parse_feed(body.encode() if isinstance(body, str) else body, URL, "feeds.example", "rss:feeds.example")[1]


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "utf-32", "utf-8-sig"])
def test_what_grows_in_the_parser_is_refused(charset: str) -> None:
    names = " ".join(f'p:a{n}=""' for n in range(2000))
    for document in (f'<rss version="2.0" {names}>', f'<rss version="2.0" xmlns:p="{"x/" * 300}">', "<!entity a 'b'>"):
        with pytest.raises(SourceError, match="refused"):
            read((document + rss_of("<item><title>A</title></item>")).encode(charset))


@pytest.mark.parametrize("head", ["", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='utf-7'?>"])
@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "utf-32", "utf-8-sig"])
def test_encodings(head: str, charset: str) -> None:
    body = rss_of("<item><title>Łukasz +ADw-b+AD4- “naïve”</title><link>https://x.example/1</link></item>")
    body = head + body[body.index("<rss") :]
    assert [paper.title for paper in read(body.encode(charset))] == ["Łukasz +ADw-b+AD4- “naïve”"]


def test_an_entry_of_atom() -> None:
    title, (paper,) = parse_feed(ATOM.encode(), URL, "feeds.example", "rss:feeds.example")
    assert title == "Lab & news"
    assert (paper.title, paper.abstract) == ("A graph of words", "A longer text of it.")
    assert (paper.authors, paper.url) == (("Ada Lovelace", "Bob"), "https://feeds.example/one")
    assert paper.published == datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert paper.id.startswith("rss:0")


@pytest.mark.parametrize(
    ("item", "id_"),
    [
        ("<link>https://arxiv.org/abs/2504.08385v2</link>", "arxiv:2504.08385"),
        ("<guid>https://doi.org/10.1038/S41586-020-2649-2</guid><link>/x</link>", "doi:10.1038/s41586-020-2649-2"),
        ("<dc:identifier>doi:10.1038/x1</dc:identifier>", "doi:10.1038/x1"),
        ("<link>https://openreview.net/forum?id=c1bTcrDmt4</link>", "openreview:c1bTcrDmt4"),
    ],
)
def test_ids_that_are_known_elsewhere_are_used(item: str, id_: str) -> None:
    (paper,) = read(rss_of(f"<item><title>A title of a paper</title>{item}</item>"))
    assert paper.id == id_


def test_what_is_not_there_is_left_out() -> None:
    (paper,) = read(rss_of("<item><title>Only a title</title></item><item></item><item><author></author></item>"))
    assert (paper.authors, paper.url, paper.published, paper.abstract) == ((), "", None, "")
    assert read(rss_of("<item><title>x y</title><link>javascript:alert(1)</link></item>"))[0].url == ""
    assert read(rss_of("<item><title>x y</title><pubDate>Thu, 99 Foo 20261</pubDate></item>"))[0].published is None
    assert read(rss_of("")) == []


def test_words_without_end_take_no_time() -> None:
    (paper,) = read(rss_of(f"<item><title>A title</title><dc:creator>{'x' * 1_000_000}</dc:creator></item>"))
    assert paper.authors == ("x" * 64,)


def test_an_entry_keeps_its_id() -> None:
    one = "<item><title>{}</title><guid>g-1</guid></item>"
    assert read(rss_of(one.format("A first title")))[0].id == read(rss_of(one.format("A mended title")))[0].id


@pytest.mark.parametrize("guid", ["12", "post:12", "blog:2024-1", f"{'a' * 39}1"])
def test_what_two_feeds_call_the_same_is_not_one_paper(guid: str) -> None:
    item = f"<item><title>A title of a paper</title><guid isPermaLink='false'>{guid}</guid></item>"
    first, second = (
        parse_feed(rss_of(item).encode(), URL, "feeds.example", name)[1][0].id
        for name in ("rss:a.example", "rss:b.example")
    )
    assert first != second
    assert first.startswith("rss:0")


def test_a_feed_without_end_is_read_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_feed_lean, "ENTRIES", 20)
    assert len(read(rss_of("<item><title>A title</title></item>" * 25))) == 20


HOSTILE = [
    rss_of("<item>" * 9_000),
    rss_of("<item><title>A title</title></item>" * 9_000),
    rss_of("<item>" + "<a>" * 9_000 + "</item>"),
    rss_of("<item>" + "<category>x</category>" * 9_000 + "</item>"),
    rss_of("<a/>" * 90_000),
    rss_of("</a>" * 9_000 + "<" * 9_000 + "<!" * 9_000 + "<!--" * 9_000),
    rss_of("<item><title>" + "&" * 9_000 + "&a;" * 9_000 + "]]>" * 900 + "\0\1\ufffe</title></item>"),
    rss_of("<item><description><![CDATA[<p>" + "<![CDATA[" * 900 + "]]>" * 900 + "</description></item>"),
    rss_of("<item><a b='&lt;\"' b='2' " + "c=1 " * 900 + "/><a " + "b" * 9_000 + "></item>"),
    "<rss><!-- <item> ",
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_what_feedparser_gets_is_well_formed_and_bounded(number: int) -> None:
    deep = most = here = entries = marks = 0
    for event, element in iterparse(BytesIO(lean(HOSTILE[number]).encode()), events=("start", "end")):
        if event == "start":
            deep, marks = deep + 1, marks + 1
            entry = element.tag in ("item", "entry")
            entries, here = entries + entry, 0 if entry else here + 1
            assert deep <= _feed_lean.DEEPEST
            assert len(element.attrib) <= _feed_text.ATTRIBUTES
            most = max(most, here)
        else:
            deep -= 1
    assert most <= _feed_lean.EACH + 3
    assert entries <= _feed_lean.ENTRIES
    assert marks <= _feed_lean.MARKS


def test_no_word_of_an_author_is_long_however_it_is_written() -> None:
    long = "x" * 60
    for odd in (f"{long}<![CDATA[{long}]]>{long}", f"{long}<b/>{long}", "&#120;" * 300, f"{long}<!-- -->{long}@{long}"):
        (author,) = (fromstring(lean(f"<author>{odd}</author>")).itertext(),)
        assert max(map(len, "".join(author).split())) <= _feed_text.WORD


def test_what_is_broken_is_read_as_far_as_it_goes() -> None:
    (first, second) = read(
        rss_of(
            "<item><title>R&D & caf&eacute; of <i>graphs</title><link>http://a.example/?a=1&copy=2</link>"
            "<description><![CDATA[<p>One <!-- two --> &amp; 3 < 4</p>]]></description>"
            "<item><title>Another title</title></item>"
        )
    )
    assert (first.title, second.title) == ("R&D & café of graphs", "Another title")
    assert (first.url, first.abstract) == ("http://a.example/?a=1&copy=2", "One & 3 < 4")


BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel>&b;</channel></rss>'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "an empty page"),
        (b" \n", "an empty page"),
        (b"<!doctype html><html><body>Sign in</body></html>", "a page for people"),
        (b'{"error": "no"}', "no feed"),
        (b"\x00\xff\xfe" * 50, "no feed"),
        (BOMB, "entities"),
    ],
)
async def test_what_is_no_feed_is_named_when_it_is_added(body: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=f"feeds.example sent .*{reason}"):
        await source.check(URL, Feeds(lambda *_: (200, body)))


@pytest.mark.parametrize(
    "text", ["", "ftp://x.example/a", "file:///etc/passwd", "x", "https://", "//x/y", "https://[1"]
)
def test_what_is_no_address_is_refused_by_name(text: str) -> None:
    with pytest.raises(SettingsError, match="rss:"):
        source.pick([text], None)


@pytest.mark.parametrize("url", ["http://127.0.0.1/feed", "http://[::1]/", "http://10.0.0.7/x", "http://0x7f.1/"])
async def test_an_address_within_is_refused_when_it_is_added(url: str) -> None:
    client = Client()
    try:
        with pytest.raises(SourceError, match="refused"):
            await source.check(url, client)
    finally:
        await client.close()


async def test_it_is_read_again_only_if_it_changed() -> None:
    def tells(_path: str, _params: Any, headers: Any) -> Any:
        same = headers.get("If-None-Match") == '"1"'
        return (304, "") if same else (200, ATOM, {"etag": '"1"', "last-modified": "x" * 600})

    (feed,) = source.pick([URL], None)
    assert feed.name == "rss:feeds.example/papers.xml"
    http = Feeds(tells)
    *papers, cursor = [one async for one in feed.fetch(None, http)]
    assert len(papers) == 1
    assert isinstance(cursor, Cursor)
    assert [one async for one in feed.fetch(None, http, cursor.text)] == []
    for odd in ("nonsense", "[1]", '{"etag": 7, "x": "y"}'):
        assert len([one async for one in feed.fetch(None, http, odd)]) == 2


async def test_each_feed_is_a_source_of_its_own_and_the_title_is_its_name() -> None:
    made = source.pick([URL, "https://other.example/" + "x" * 200, URL], None)
    assert [len(one.name) <= 80 for one in made] == [True, True]
    assert await source.check(URL, Feeds(lambda *_: (200, ATOM))) == "Lab & news"


def test_feeds_of_one_page_are_told_apart_by_their_queries_in_any_order() -> None:
    urls = [f"{URL}?topic={topic}" for topic in "ab"] + [f"https://feeds.example/{'x' * 200}?a"]
    names = {url: source.pick([url], None)[0].name for url in urls}
    assert len(set(names.values())) == 3
    assert {one.url: one.name for one in source.pick(urls[::-1], None)} == names
    assert all(len(name) <= 80 for name in names.values())
    assert source.pick([URL], None)[0].name == "rss:feeds.example/papers.xml"
    assert not any("topic" in name for name in names.values())


@pytest.mark.skipif(not FEEDS.is_dir(), reason="../shared is not there")
def test_what_was_recorded_is_read_as_any_feed() -> None:
    for path in sorted((FEEDS / "arxiv-rss").glob("*.xml")):
        papers = read(path.read_bytes())
        assert len(papers) == path.read_text().count("<item>") or "weekend" in path.name
        assert all(paper.id.startswith("arxiv:") for paper in papers)
