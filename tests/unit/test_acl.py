"""The ACL Anthology: its XML to papers, what is news in a file, lookups, and names that do not exist."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError, UsageError
from bot.sources._acl_xml import parse_collection, parse_mods
from bot.sources.acl import Acl, source
from recommender.types import Paper
from tests.fakes.source_acl import FileHttp, written

DATA = Path(__file__).parents[1] / "data" / "acl"
COLLECTION = (DATA / "2025.test.xml").read_bytes()
MODS = (DATA / "2025.acl-long.1.mods.xml").read_bytes()


async def read(http: FileHttp, cursor: str = "", chosen: Acl | None = None) -> tuple[list[str], str]:
    """Return the ids that came and the last cursor."""
    found = [item async for item in (chosen or Acl(collection="2025.acl")).fetch(None, http, cursor)]
    ids = [item.id for item in found if isinstance(item, Paper)]
    return ids, next((item.text for item in reversed(found) if isinstance(item, Cursor)), cursor)


def test_a_collection_becomes_papers() -> None:
    papers = parse_collection(COLLECTION)
    assert [paper.id for paper in papers] == ["acl:2025.acl-long.1", "acl:2025.acl-long.3", "acl:2025.acl-srw.1"]
    assert papers[0] == Paper(
        id="acl:2025.acl-long.1",
        title="Sorting in $O(n \\log n)$ without Regret",
        abstract="We sort lists. See https://example.org/lists; 5% were sorted before.",
        authors=("Ada Lovelace", "José Núñez", "Sukarno"),
        published=datetime(2025, 7, 14, tzinfo=UTC),
        year=2025,
        url="https://aclanthology.org/2025.acl-long.1/",
        source="acl",
        venue="ACL",
        ids=("doi:10.18653/v1/2025.acl-long.1",),
    )
    assert (papers[1].abstract, papers[1].authors, papers[1].ids) == ("", (), ())
    assert (papers[2].published, papers[2].year) == (None, 2025)


def test_old_ids_are_put_together_as_the_anthology_does() -> None:
    paper = parse_collection((DATA / "W19.test.xml").read_bytes())[0]
    assert (paper.id, paper.venue) == ("acl:W19-0101", "Proceedings of the Workshop on Small Words")
    made = {name: parse_collection(written(["T"], name, "5"))[0].id for name in ("P18", "D19", "D18", "C69")}
    assert made == {"P18": "acl:P18-5001", "D19": "acl:D19-0501", "D18": "acl:D18-5001", "C69": "acl:C69-0501"}


def test_findings_are_told_from_their_conference() -> None:
    assert parse_collection(written(["T"], "2024.findings", "emnlp"))[0].venue == "Findings of EMNLP"
    assert parse_collection(written(["T"], "2024.rocling", "1"))[0].venue == "Proceedings"


def test_one_paper_of_its_record() -> None:
    assert parse_mods(MODS) == Paper(
        id="acl:2025.acl-long.1",
        title="Sorting in O(n \\log n) without Regret",
        abstract="We sort lists.",
        authors=("Ada Lovelace", "Sukarno"),
        year=2025,
        url="https://aclanthology.org/2025.acl-long.1/",
        source="acl",
        venue="ACL",
        ids=("doi:10.18653/v1/2025.acl-long.1",),
    )


BOMB = b'<!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><collection id="2025.acl">&b;</collection>'


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"<html></html>", BOMB, COLLECTION[:700], b"<collection/>", b"\xff\xfe\x00"]
)
def test_what_is_no_collection_is_named(body: bytes) -> None:
    for parse in (parse_collection, parse_mods):
        with pytest.raises(SourceError, match="ACL Anthology"):
            parse(body)


def test_markup_nested_too_deep_is_refused() -> None:
    title = b"<b>" * 2000 + b"word" + b"</b>" * 2000
    with pytest.raises(SourceError, match="deeper"):
        parse_collection(b'<collection id="2025.acl"><volume id="x">' + title + b"</volume></collection>")


@pytest.mark.parametrize("number", ["", "x", "-1", "99999999", "１", "1&#x202e;"])
@pytest.mark.parametrize("collection", ["2025.acl", "P19"])
def test_a_paper_whose_id_cannot_be_is_left_out(collection: str, number: str) -> None:
    paper = f'<paper id="{number}"><title>T</title></paper>'
    body = f'<collection id="{collection}"><volume id="1">{paper}</volume></collection>'
    assert parse_collection(body.encode()) == []


async def test_a_file_comes_once_until_it_changes() -> None:
    http = FileHttp({"2025.acl.xml": written(["One Title", "Two Titles"])})
    chosen = Acl(collection="2025.acl")
    ids, cursor = await read(http, chosen=chosen)
    assert len(ids) == 2
    assert await read(http, cursor, chosen) == ([], cursor)
    assert await read(http, cursor) == ([], cursor)  # after a restart
    http.files["2025.acl.xml"] = written(["One Title", "Two Titles", "Three Titles"])
    ids, cursor = await read(http, cursor, chosen)
    assert len(ids) == 3
    assert await read(http, cursor, chosen) == ([], cursor)


async def test_a_file_that_was_not_stored_comes_again() -> None:
    http = FileHttp({"2025.acl.xml": written(["One Title"])})
    chosen = Acl(collection="2025.acl")
    _, cursor = await read(http, chosen=chosen)
    http.files["2025.acl.xml"] = written(["One Title", "Two Titles"])
    assert len((await read(http, cursor, chosen))[0]) == 2
    assert len((await read(http, cursor, chosen))[0]) == 2


async def test_one_volume_alone() -> None:
    http = FileHttp({"2025.acl.xml": COLLECTION})
    assert (await read(http, chosen=Acl(collection="2025.acl", volume="srw")))[0] == ["acl:2025.acl-srw.1"]
    with pytest.raises(SourceError, match=r"no volume 2025\.acl-short\. 2025\.acl has: long, srw\."):
        await read(http, chosen=Acl(collection="2025.acl", volume="short"))


@pytest.mark.parametrize("body", [b"", b"<html>", COLLECTION[:900]])
async def test_a_file_that_is_none_is_an_error(body: bytes) -> None:
    with pytest.raises(SourceError, match="ACL Anthology"):
        await read(FileHttp({"2025.acl.xml": body}))


async def test_a_collection_that_is_not_there_is_named() -> None:
    with pytest.raises(SourceError, match=r"no collection 2025\.acl"):
        await read(FileHttp())


async def test_find_gives_the_paper_or_none() -> None:
    http = FileHttp({"2025.acl-long.1.xml": MODS, "2020.acl-main.7.xml": MODS})
    found = await source.find("acl:2025.acl-long.1", http)
    assert found is not None
    assert found.id == "acl:2025.acl-long.1"
    assert await source.find("acl:2020.acl-main.7", http) is None  # another's record
    assert await source.find("acl:2020.acl-main.8", http) is None


async def test_check_refuses_by_name() -> None:
    http = FileHttp({"2025.acl.xml": COLLECTION})
    assert await source.check("2025.acl", http) == "ACL Anthology 2025.acl, 3 papers so far"
    assert await source.check("https://aclanthology.org/volumes/2025.acl-srw/", http) == (
        "ACL Anthology 2025.acl-srw, 1 paper so far"
    )
    for wrong, said in (("2025.nothing", "no collection"), ("2025.acl-x", "no volume"), ("no such", "neither")):
        with pytest.raises(UsageError, match=said):
            await source.check(wrong, http)


def test_pick_makes_one_source_each() -> None:
    picked = source.pick(["2025.ACL", "p19-1", "2025.acl", "2025.acl-long"], SimpleNamespace())
    assert [one.name for one in picked] == ["acl:2025.acl", "acl:P19-1", "acl:2025.acl-long"]


@pytest.mark.parametrize(
    "wrong", ["", "acl", "2025.acl/../x", "25.acl", "https://aclanthology.org/events/acl-2025/", "\x00"]
)
def test_what_cannot_be_a_collection_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(SettingsError, match="acl"):
        source.pick([wrong], SimpleNamespace())
