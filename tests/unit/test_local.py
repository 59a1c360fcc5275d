"""Files that people have, good and bad."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sqlite3
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.core.ids import normalise
from bot.core.ports import Bad
from bot.errors import FileError
from bot.sources._open import Limits
from bot.sources.local import check, read
from recommender.types import Paper

PROJECT = Path(__file__).parents[2]
CORPORA = PROJECT.parent / "shared" / "corpora"
ABSTRACT = "We study how long sentences are read. They are read slowly, as our experiments on three corpora show."
OTHER = "Graph networks are widely used for molecules. We make them deeper, and explain when this helps and when not."
SMALL = Limits(file=2 << 20, line=1000, document=5000)

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def both(items: Iterable[Paper | Bad]) -> tuple[list[Paper], list[Bad]]:
    found = list(items)
    return [item for item in found if isinstance(item, Paper)], [item for item in found if isinstance(item, Bad)]


def lines(*entries: object) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def one(write: Write, **entry: object) -> Paper:
    papers, bad = both(read(write("one.jsonl", lines(entry))))
    assert bad == []
    return papers[0]


# --- plain abstracts


def test_the_seeds() -> None:
    papers, bad = both(read(PROJECT / "seeds" / "iclr2026-abstracts.txt"))
    assert bad == []
    assert len({paper.title for paper in papers}) == len(papers) == 19
    assert sum(bool(paper.authors) for paper in papers) == 17
    assert not any(paper.title_guessed or "论文列表" in paper.abstract + paper.title for paper in papers)
    assert {(paper.venue, paper.year, paper.source) for paper in papers} == {("ICLR", 2026, "openreview")}
    first = papers[0]
    assert first.id == "openreview:c1bTcrDmt4"
    assert first.ids == ("arxiv:2507.17746",)
    assert first.url == "https://openreview.net/forum?id=c1bTcrDmt4"
    assert first.title == "Rubrics as Rewards: Reinforcement Learning Beyond Verifiable Domains"
    assert first.abstract.startswith("Reinforcement Learning with Verifiable Rewards (RLVR) has proven effective")
    assert r"$\textbf{Rubrics as Rewards (\textit{RaR})}$" in first.abstract
    assert first.authors[:2] == ("Anisha Gunjal", "Anthony Wang")
    assert first.categories == ("foundation or frontier models, including LLMs",)
    assert len(first.keywords) == 8


def test_abstracts_without_metadata(write: Write) -> None:
    papers, bad = both(read(write("a.txt", f"NeurIPS 2025 accepted\nsome papers\n\n{ABSTRACT}\n\n{OTHER}\n")))
    assert bad == []
    assert [paper.title for paper in papers] == [
        "We study how long sentences are read.",
        "Graph networks are widely used for molecules.",
    ]
    assert all(paper.title_guessed and paper.id.startswith("local:") and len(paper.id) == 22 for paper in papers)
    assert {(paper.venue, paper.year, paper.source) for paper in papers} == {("NeurIPS", 2025, "local")}
    again, _ = both(read(write("b.txt", f"{OTHER}\n\n{ABSTRACT.replace(' ', '  ')}")))
    assert {paper.id for paper in again} == {paper.id for paper in papers}


@pytest.mark.parametrize("heading", ["", "ICLR 2026\n\n", "My list\n\nPart one\n\n", "# Papers\n\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_headings_and_line_ends(write: Write, heading: str, end: str) -> None:
    text = f"{heading}{ABSTRACT}\n\n\n{OTHER}".replace("\n", end)
    papers, bad = both(read(write("a.txt", text.encode())))
    assert [paper.abstract for paper in papers] == [ABSTRACT, OTHER]
    assert bad == []


def test_a_heading_right_on_top(write: Write) -> None:
    papers, _ = both(read(write("a.txt", f"ICLR 2026 list\n{ABSTRACT} {OTHER}\n")))
    assert [paper.abstract for paper in papers] == [f"{ABSTRACT} {OTHER}"]


def test_wrapped_paragraphs_and_one_abstract_a_line(write: Write) -> None:
    papers, _ = both(read(write("a.txt", ABSTRACT.replace(" ", "\n") + "\n \n" + OTHER.replace(". ", ".\n"))))
    assert [paper.abstract for paper in papers] == [ABSTRACT, OTHER]
    long = [f"{ABSTRACT} {OTHER} {ABSTRACT} Number {number}." for number in range(4)]
    papers, _ = both(read(write("b.txt", "\n".join(long))))
    assert [paper.abstract for paper in papers] == long


def test_a_paragraph_of_16_mb_is_refused(write: Write) -> None:
    content = f"{ABSTRACT}\n\n" + f"{'x' * 1000}\n" * (17 << 10) + f"\n{OTHER}\n\n{'y' * (17 << 20)}"
    papers, bad = both(read(write("a.txt", content)))
    assert [paper.abstract for paper in papers] == [ABSTRACT, OTHER]
    assert [item.reason for item in bad] == ["longer than 16 MB"] * 2


def test_a_heading_in_between_is_told(write: Write) -> None:
    papers, bad = both(read(write("a.txt", f"{ABSTRACT}\n\nSession 2\n\n{OTHER}\n")))
    assert len(papers) == 2
    assert [(item.line, "heading" in item.reason) for item in bad] == [(3, True)]


def test_metadata_that_does_not_fit(write: Write) -> None:
    text = f"List\n\n{ABSTRACT}\n\n{OTHER}\n"
    write("x-metadata.json", json.dumps([{"n": 2, "title": "Deeper Graphs", "id": "2504.08385"}]))
    papers, bad = both(read(write("x-abstracts.txt", text)))
    assert [(paper.title, paper.title_guessed) for paper in papers] == [
        ("We study how long sentences are read.", True),
        ("Deeper Graphs", False),
    ]
    assert papers[1].id == "arxiv:2504.08385"
    assert [item.reason for item in bad] == ["x-metadata.json tells of 1 papers, but there are 2 abstracts"]

    write("x-metadata.json", json.dumps([{"title": 3}, {"title": None}]))
    papers, bad = both(read(write("x-abstracts.txt", text)))
    assert [paper.title_guessed for paper in papers] == [True, True]
    assert [item.reason for item in bad] == ["its metadata was left out: the title is not text"]


@pytest.mark.parametrize("content", [b"", b"[{", b"%PDF-1.4", b'{"a": 1}', b"[" * 100_000, b"\xff\xfe\x00"])
def test_damaged_metadata_is_left_out(write: Write, content: bytes) -> None:
    write("x-metadata.json", content)
    papers, bad = both(read(write("x-abstracts.txt", f"{ABSTRACT}\n\n{OTHER}\n")))
    assert len(papers) == 2
    assert len(bad) == 1
    assert bad[0].reason.startswith("x-metadata.json was left out: ")


# --- one entry


def test_ids(write: Write) -> None:
    openreview = one(
        write, id="02NbD16OnA", title="T", url="https://openreview.net/forum?id=02NbD16OnA", arxiv="2504.08385"
    )
    assert (openreview.id, openreview.ids, openreview.source) == (
        "openreview:02NbD16OnA",
        ("arxiv:2504.08385",),
        "openreview",
    )
    own = one(write, id="nips2018:xyz", title="T", url="https://aclanthology.org/P19-1001/")
    assert (own.id, own.ids, own.source) == ("nips2018:xyz", ("acl:P19-1001",), "acl")
    assert one(write, title="T", doi="https://doi.org/10.48550/arXiv.2504.08385").id == "arxiv:2504.08385"
    assert one(write, title="T", DOI="10.1145/ABC").url == "https://doi.org/10.1145/abc"
    assert one(write, title="T", PMID=31452104.0).id == "pmid:31452104"
    assert one(write, title="T", openreview_id="c1bTcrDmt4").id == "openreview:c1bTcrDmt4"
    assert one(write, title="T", id=17).id == one(write, title=" t ", id=18).id
    assert one(write, title="T", id=17).id.startswith("local:")
    assert one(write, title="T", id="x" * 5000, doi=["a"], arxiv={"a": 1}, pmid=True).id.startswith("local:")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (["Ada Lovelace", "Alan Turing"], ("Ada Lovelace", "Alan Turing")),
        ("Ada Lovelace; Alan Turing", ("Ada Lovelace", "Alan Turing")),
        ("Lovelace, Ada; Turing, Alan", ("Ada Lovelace", "Alan Turing")),
        ("Ada Lovelace and Alan Turing", ("Ada Lovelace", "Alan Turing")),
        ("Lovelace, Ada and Turing, Alan", ("Ada Lovelace", "Alan Turing")),
        ("Ada Lovelace, Alan Turing", ("Ada Lovelace", "Alan Turing")),
        ("Ada Lovelace, Alan Turing and Grace Hopper", ("Ada Lovelace", "Alan Turing", "Grace Hopper")),
        ("Ada Lovelace, Alan Turing, and Grace Hopper", ("Ada Lovelace", "Alan Turing", "Grace Hopper")),
        ("Lovelace, A., Turing, A. M.", ("A. Lovelace", "A. M. Turing")),
        ("Lovelace, Ada", ("Ada Lovelace",)),
        ("Sammy Davis, Jr., Ada Lovelace", ("Sammy Davis Jr.", "Ada Lovelace")),
        ("Ada Lovelace et al.", ("Ada Lovelace et al.",)),
        (["Ada Lovelace", "et al."], ("Ada Lovelace",)),
        (
            [{"name": "Ada Lovelace"}, {"given": "Alan", "family": "Turing"}, {}, 3, None],
            ("Ada Lovelace", "Alan Turing"),
        ),
        ("Alexander Anderson", ("Alexander Anderson",)),
        ("", ()),
        (None, ()),
        (17, ()),
        (float("nan"), ()),
        ({"a": 1}, ()),
    ],
)
def test_authors(write: Write, value: object, wanted: tuple[str, ...]) -> None:
    assert one(write, title="T", authors=value).authors == wanted


def test_venue_year_and_dates(write: Write) -> None:
    def of(**entry: object) -> tuple[str, int | None, datetime | None]:
        paper = one(write, title="T", **entry)
        return paper.venue, paper.year, paper.published

    day = datetime(2024, 3, 10, tzinfo=UTC)
    assert of(venue="ICLR", year=2026) == ("ICLR", 2026, None)
    assert of(conference="ICLR 2026") == ("ICLR", 2026, None)
    assert of(journal="Nature") == ("Nature", None, None)
    assert of(year="2024") == of(year=2024.0) == of(date="2024") == of(date="2024-03") == ("", 2024, None)
    assert of(published="2024-03-10") == of(date="10 March 2024") == of(date="2024/03/10") == ("", 2024, day)
    assert of(published="2024-03-10T13:30:45-08:00")[2] == datetime(2024, 3, 10, 21, 30, 45, tzinfo=UTC)
    assert of(updated="Sun, 10 Mar 2024 00:00:00 GMT")[2] == day
    assert of(cdate=1710028800000)[2] == day
    no_dates: list[object] = [
        "2024-13-40",
        "soon",
        10**30,
        -1,
        float("nan"),
        float("inf"),
        True,
        [],
        {},
        "99999-01-01",
        "",
    ]
    for wrong in [*no_dates, "0001-01-01", "2024-03-10T25:00"]:
        assert of(published=wrong) == ("", None, None), wrong
    no_years: list[object] = [99999, 0, "99999", "x", float("nan"), float("inf"), True, [2024], 10**400]
    for wrong in no_years:
        assert of(year=wrong) == ("", None, None), wrong


def test_lists(write: Write) -> None:
    area = "applications to computer vision, audio, language, and other modalities"
    paper = one(write, Title="T", keywords="a, b, a", primary_area=area, categories="cs.LG cs.AI", status="Poster")
    assert paper.keywords == ("a", "b")
    assert paper.categories == (area, "cs.LG", "cs.AI")
    paper = one(write, title="T", keywords=["a", 3, None, "b;c"], subjects="one; two", categories=["cs.LG", 4])
    assert (paper.keywords, paper.categories) == (("a", "b;c"), ("cs.LG", "one", "two"))


def test_links_are_web_links(write: Write) -> None:
    assert one(write, title="T", url="javascript:alert(1)").url == ""
    assert one(write, title="T", url="x", pdf="https://example.org/a.pdf").url == "https://example.org/a.pdf"
    assert one(write, title="T", url="https://example.org/a b").url == ""
    assert one(write, title="T", url="nonsense", arxiv="2504.08385").url == "https://arxiv.org/abs/2504.08385"


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("a\x00b\x07c\x9fd\ud800e", "abcde"),
        ("e(cid:14)cient \ufb01nal", "ecient final"),
        ("R&D &lt;b&gt; &amp; &#8217;x&#x2019; &nope; &lt", "R&D <b> & ’x’ &nope; &lt"),
        ("  two\n\n lines\t ", "two lines"),
        (r"$x_1$ **bold** \textbf{y}", r"$x_1$ **bold** \textbf{y}"),
        ("A<B & C>D <!channel>", "A<B & C>D <!channel>"),
        ("caf\u00c3\u00a9", "caf\u00c3\u00a9"),
        ("\u202eright to left\u200b", "right to left"),
        ("日本語 🎉", "日本語 🎉"),
    ],
)
def test_text_is_made_safe_and_kept(write: Write, raw: str, wanted: str) -> None:
    paper = one(write, title=raw, abstract=f"x {raw}")
    assert paper.title == wanted
    assert paper.abstract == f"x {wanted}"


# --- JSON lines


def test_bad_lines_are_told_and_the_good_ones_go_in(write: Write) -> None:
    content = "\n".join(
        [
            json.dumps({"title": "Good"}),
            "{broken",
            "",
            "[1, 2]",
            "17",
            json.dumps({"title": 17}),
            json.dumps({"title": ["a", "b"], "abstract": "x"}),
            json.dumps({"title": None, "abstract": None}),
            json.dumps({"title": "\u200b", "abstract": float("nan")}),
            json.dumps({"abstract": {"a": 1}, "title": "x"}),
            json.dumps({"title": ["In a list"]}),
            '{"title": "First", "title": "Last"}',
            '{"TITLE": "", "Title": "Filled"}',
            '{"title": ' + "[" * 50_000,
            '{"title": "Big", "year": ' + "9" * 5000 + "}",
            json.dumps({"title": None, "abstract": ABSTRACT}),
        ]
    )
    papers, bad = both(read(write("a.jsonl", content)))
    assert [paper.title for paper in papers] == [
        "Good",
        "In a list",
        "Last",
        "Filled",
        "We study how long sentences are read.",
    ]
    assert [item.line for item in bad] == [2, 4, 5, 6, 7, 8, 9, 10, 14, 15]
    assert bad[0].reason == "not JSON: Expecting property name enclosed in double quotes at character 2"
    assert [item.reason for item in bad[3:6]] == ["the title is not text"] * 2 + ["neither a title nor an abstract"]
    assert all(item.reason and len(item.reason) < 120 for item in bad)


def test_a_line_of_16_mb_is_refused(write: Write) -> None:
    content = lines({"title": "A"}, {"title": "Big", "abstract": "x" * (16 << 20)}, {"title": "B"})
    papers, bad = both(read(write("a.jsonl", content)))
    assert [paper.title for paper in papers] == ["A", "B"]
    assert bad == [Bad(2, "longer than 16 MB")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"])
@pytest.mark.parametrize("form", ["jsonl", "csv", "txt"])
def test_encodings(write: Write, encoding: str, form: str) -> None:
    title = "Über die Größe von Sätzen."
    text = {
        "jsonl": f'{{"title": "{title}"}}\n' * 3,
        "csv": f'title,year\n"{title}",2024\n',
        "txt": f"{title}\n\n{ABSTRACT}\n",
    }
    papers, bad = both(read(write(f"a.{form}", text[form].encode(encoding))))
    assert papers[0].title == title
    assert bad == []


# --- JSON documents


def test_json_lists_and_objects(write: Write) -> None:
    entries = [{"title": "A"}, {"title": "B"}]
    for value in (
        entries,
        {"papers": entries},
        {"total": 2, "notes": entries, "x": []},
        {"mine": entries},
        {"meta": {"papers": [1]}, "papers": entries, "others": [3]},
    ):
        for indent in (None, 1):
            papers, bad = both(read(write("a.json", json.dumps(value, indent=indent))))
            assert [paper.title for paper in papers] == ["A", "B"], value
            assert bad == []
    papers, _ = both(read(write("a.json", json.dumps({"title": "Alone", "authors": ["X"]}, indent=1))))
    assert [paper.title for paper in papers] == ["Alone"]
    papers, _ = both(read(write("a.json", lines(*entries))))
    assert [paper.title for paper in papers] == ["A", "B"]
    assert both(read(write("a.json", "[]"))) == ([], [])


def test_json_that_breaks_gives_what_came_before(write: Write) -> None:
    papers, bad = both(read(write("a.json", '[\n{"title": "A"},\n17,\n{"title": "B"},\n{"title": \n')))
    assert [paper.title for paper in papers] == ["A", "B"]
    assert [item.line for item in bad] == [3, 5]
    papers, bad = both(read(write("a.json", '{"papers": [{"title": "A"}\n {"title": "B"}]}')))
    assert [paper.title for paper in papers] == ["A"]
    assert [(item.line, "comma" in item.reason) for item in bad] == [(1, True)]


@pytest.mark.parametrize("content", ['{"a": 1}', '{"a": [1], "b": [2]}', "hello", "{", "{" * 50_000, '"text"'])
def test_json_without_a_list_of_papers(write: Write, content: str) -> None:
    with pytest.raises(FileError, match=r"a\.json"):
        both(read(write("a.json", content)))


def test_a_json_document_that_is_too_large(write: Write) -> None:
    content = json.dumps([{"title": "T" * 3000}, {"title": "U" * 3000}])
    with pytest.raises(FileError, match="more than 5000 bytes: write one object a line"):
        both(read(write("a.json", content), limits=SMALL))


# --- tables


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "noending"])
def test_tables(write: Write, delimiter: str, name: str) -> None:
    out = io.StringIO()
    table = csv.writer(out, delimiter=delimiter)
    table.writerow(["Title", "Abstract Text", "Authors", "Year", "Primary Area", "Title"])
    table.writerow(["A, B; C", 'Line one.\n\nLine "two"|', "Ada Lovelace; Alan Turing", "2024", "area, with comma", ""])
    table.writerow([])
    table.writerow(["Second", "nan", "None", "", "", ""])
    papers, bad = both(read(write(name, out.getvalue())))
    assert bad == []
    assert papers[0].title == "A, B; C"
    assert papers[0].authors == ("Ada Lovelace", "Alan Turing")
    assert papers[0].categories == ("area, with comma",)
    assert (papers[1].title, papers[1].abstract, papers[1].authors) == ("Second", "", ())


def test_a_table_with_abstract_text(write: Write) -> None:
    papers, _ = both(read(write("a.csv", 'title,abstract_text\nT,"One.\nTwo."\n')))
    assert papers[0].abstract == "One. Two."


def test_bad_rows(write: Write) -> None:
    content = 'title,year\nA,2024\nB,2024,too,many\n,\n"",2020\n"C\nc",2020\nD\n"open,2020\nE,2021\nF,2022\n'
    papers, bad = both(read(write("a.csv", content)))
    assert [paper.title for paper in papers] == ["A", "C c", "D", "E", "F"]
    assert [(item.line, item.reason) for item in bad] == [
        (3, "has 4 fields where the first line names 2"),
        (5, "neither a title nor an abstract"),
        (9, "a quote is opened and not closed"),
    ]


def test_long_lines_of_a_table(write: Write) -> None:
    content = f"title,year\nA,2024\n{'x' * 2000},2024\nB,2024\n{'y' * 2000}"
    papers, bad = both(read(write("a.csv", content), limits=SMALL))
    assert [paper.title for paper in papers] == ["A", "B"]
    assert sorted(item.line for item in bad) == [3, 5]


def test_many_open_quotes(write: Write) -> None:
    content = "title,year\n" + 'x,"open\ny,1\n' * 1000
    papers, bad = both(read(write("a.csv", content)))
    assert len(papers) + len(bad) > 900


def test_a_table_without_titles(write: Write) -> None:
    with pytest.raises(FileError, match="no column called title or abstract"):
        both(read(write("a.csv", "name,year\nA,2024\n")))


# --- the file itself


def test_packed_files_and_progress(write: Write) -> None:
    content = lines(*({"title": f"Paper {number}"} for number in range(3000))).encode()
    path = write("a.jsonl.gz", gzip.compress(content[:40_000]) + gzip.compress(content[40_000:]) + b"\x00" * 100)
    heard: list[tuple[int, int]] = []
    papers, bad = both(read(path, lambda done, total: heard.append((done, total))))
    assert len(papers) == 3000
    assert bad == []
    assert heard == sorted(heard)
    assert heard[-1] == (path.stat().st_size, path.stat().st_size)


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "txt"])
def test_a_packed_file_that_is_cut_short(write: Write, form: str) -> None:
    unlike = [f"{os.urandom(3000).hex()}." for _ in range(300)]
    content = {
        "jsonl": lines(*({"title": text} for text in unlike)),
        "json": json.dumps([{"title": text} for text in unlike]),
        "csv": "title,year\n" + "".join(f'"{text}",2020\n' for text in unlike),
        "txt": "\n\n".join(unlike),
    }[form]
    packed = gzip.compress(content.encode())
    papers, bad = both(read(write(f"a.{form}.gz", packed[: len(packed) // 2])))
    assert 100 < len(papers) < 200
    assert [paper.title for paper in papers] == unlike[: len(papers)]
    assert len(bad) == 1
    assert "cut short or damaged" in bad[0].reason
    damaged = bytearray(packed)
    damaged[len(packed) // 2 : len(packed) // 2 + 50] = b"\xff" * 50
    papers, bad = both(read(write(f"b.{form}.gz", bytes(damaged))))
    assert papers
    assert bad


def test_a_bomb_is_refused(write: Write) -> None:
    bomb = write("a.jsonl.gz", gzip.compress((json.dumps({"title": "x" * 500}) + "\n").encode() * 10_000))
    found = read(bomb, limits=SMALL)
    assert isinstance(next(found), Paper)
    with pytest.raises(FileError, match="holds more than 2 MB: split it"):
        both(found)
    one_line = write("b.jsonl.gz", gzip.compress(b"x" * 50_000))
    assert both(read(one_line, limits=SMALL)) == ([], [Bad(1, "longer than 16 MB")])


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", ABSTRACT)
    return out.getvalue()


def _sqlite(folder: Path) -> bytes:
    path = folder / "db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a)")
    connection.close()
    return path.read_bytes()


BINARY: dict[str, Any] = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n", "is empty"),
    "bom": (b"\xef\xbb\xbf", "is empty"),
    "empty gz": (gzip.compress(b""), "is empty"),
    "gz head": (b"\x1f\x8b\x08", "is empty"),
    "zip": (_zip(), "zip archive"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3", "a PDF"),
    "png": (b"\x89PNG\r\n\x1a\n", "a picture"),
    "gz in gz": (gzip.compress(gzip.compress(b"x")), "packed twice"),
    "pdf in gz": (gzip.compress(b"%PDF-1.7\n"), "a PDF"),
    "parquet": (b"PAR1\x15\x00", "Parquet"),
    "noise": (bytes(range(256)) * 20, "is not text"),
    "zeros": (bytes(5000), "is not text"),
    "one zero": (b"\x00", "is not text"),
    "bibtex": (b"% mine\n@article{a,\n title={T}\n}\n", "BibTeX"),
    "html": (b"<!DOCTYPE html><html>", "web page"),
    "ris": (b"TY  - JOUR\nTI  - T\n", "tagged file"),
}


@pytest.mark.parametrize("kind", BINARY)
def test_what_is_no_text_is_refused_at_once(write: Write, kind: str) -> None:
    content, said = BINARY[kind]
    path = write("some file.txt", content)
    for look in (read, check):
        with pytest.raises(FileError) as caught:
            look(path)
        assert said in str(caught.value)
        assert "some file.txt: " in str(caught.value)
        assert "\n" not in str(caught.value)


def test_what_is_no_file(tmp_path: Path, write: Write) -> None:
    for path, said in (
        (tmp_path / "nothing.txt", "there is no such file"),
        (tmp_path, "is a folder"),
        (Path("/dev/zero"), "is not a regular file"),
        (tmp_path / ("x" * 5000), "cannot be read"),
        (tmp_path / "a\x00b", "cannot be read"),
        (write("a.sqlite", _sqlite(tmp_path)), "a SQLite database"),
    ):
        with pytest.raises(FileError, match=said):
            read(path)
    with pytest.raises(FileError, match="larger than 2 MB: split it"):
        read(write("large.txt", b"x" * (3 << 20)), limits=SMALL)


def test_no_permission(write: Write) -> None:
    path = write("a.txt", ABSTRACT)
    path.chmod(0)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)  # root may read everything, so be nobody
    try:
        with pytest.raises(FileError, match="may not be read"):
            read(path)
    finally:
        os.seteuid(me)


TOKENS = st.lists(
    st.sampled_from(
        b'{"title": "|"}|\n|\n\n|"|,|title,abstract\n|[|]|{|}|:|"papers"|\x1f\x8b|\xff\xfe|\x00|\\ud800|\\u0000|NaN'
        b'|1e999|\xe4|\r|A b. |id|\t|"year": '.split(b"|")
    ),
    max_size=30,
).map(b"".join)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=300), TOKENS, TOKENS.map(gzip.compress), st.text(max_size=200).map(str.encode)
    ),
    name=st.sampled_from(["a", "a.txt", "a.jsonl", "a.json", "a.csv", "a.tsv", "a.json.gz"]),
)
@example(content=b'{"title": "\\ud800\\u0000x"}', name="a.jsonl")
def test_any_bytes_are_papers_or_refused(tmp_path: Path, content: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    try:
        papers, bad = both(read(path))
    except FileError as error:
        papers, bad = [], [Bad(1, str(error))]
    for paper in papers:
        assert paper.title
        assert all(normalise(identifier) == identifier for identifier in (paper.id, *paper.ids))
        for text in (
            paper.title,
            paper.abstract,
            paper.venue,
            paper.url,
            *paper.authors,
            *paper.keywords,
            *paper.categories,
        ):
            assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in text)
    assert all(item.line >= 1 and item.reason and "\n" not in item.reason for item in bad)


# --- the real ones


@pytest.mark.skipif(not CORPORA.exists(), reason="the shared corpora are not here")
@pytest.mark.parametrize(("name", "count"), [("iclr2026", 5358), ("conferences", 33_315)])
def test_real_corpora(name: str, count: int) -> None:
    papers = bad = 0
    sources: Counter[str] = Counter()
    ids = set()
    for item in read(CORPORA / f"{name}.jsonl.gz"):
        if isinstance(item, Bad):
            bad += 1
        else:
            papers += 1
            sources[item.source] += 1
            ids.add(item.id)
    assert (papers, bad, len(ids)) == (count, 0, count)
    if name == "iclr2026":
        assert sources == {"openreview": count}
    else:
        assert sources == {"local": 20_691, "acl": 8770, "openreview": 3854}


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"value": value}], ids=["v1", "v2"])
def test_notes_as_openreview_exports_them(tmp_path: Path, wrap: Callable[[object], object]) -> None:
    fields = {
        "title": "A note on sparse attention",
        "abstract": "It is sparse.",
        "authors": ["Ada Byron"],
        "venue": "ICLR 2026 Poster",
    }
    note = {"id": "abcDEF1234", "forum": "abcDEF1234", "content": {name: wrap(value) for name, value in fields.items()}}
    path = tmp_path / "notes.json"
    path.write_text(json.dumps({"notes": [note], "count": 1}))
    (paper,) = read(path)
    assert isinstance(paper, Paper)
    assert (paper.id, paper.title, paper.authors) == ("openreview:abcDEF1234", fields["title"], ("Ada Byron",))
    assert (paper.abstract, paper.venue) == ("It is sparse.", "ICLR 2026 Poster")


def test_two_papers_of_one_short_title_stay_two(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    rows = [{"title": "Introduction", "abstract": f"The {word} volume."} for word in ("first", "second")]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert len({paper.id for paper in read(path) if isinstance(paper, Paper)}) == 2
