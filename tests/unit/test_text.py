from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recommender import text
from recommender.types import Paper

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (r"\textbf{x} and \emph{y}", "x and y"),
        (r"\textbf{nested \emph{words} here}", "nested words here"),
        (r"in $O(n\log n)$ time", "in O(n log n) time"),
        (r"50\% \& more", "50% & more"),
        (r"Erd\H{o}s, Ren\'e, G\"{o}del", "Erdos, Rene, Godel"),
        (r"known~\citep[see][]{smith2020} results", "known results"),
        ("*only* **bold** `code` # head > quote ~~gone~~", "only bold code head quote gone"),
        ("see [our code](https://x.org/a) at https://github.com/a/b now", "see our code at now"),
        ("an eﬃcient ﬁlter", "an efficient filter"),
        ("zero\u200bwidth\u2060 \u202eright\u202c to\u200f left", "zerowidth right to left"),
        ("a\x00b\x07 c\ttab", "ab c tab"),
        ("gener-\nation", "gener-ation"),
        ("one\ntwo\n\n\nthree  four", "one two\n\nthree four"),
        ("(cid:12)ne", "ne"),
        ("Ｆｕｌｌ ｗｉｄｔｈ ②", "Full width 2"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_clean(raw: str, wanted: str) -> None:
    assert text.clean(raw) == wanted


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("The state of the art", ["state", "art"]),
        ("Café NAÏVE Straße İstanbul", ["cafe", "naive", "straße", "istanbul"]),
        ("multi-modal", ["multi", "modal"]),
        ("don't", []),
        ("a b c 7", []),
        ("3D GPT-4 2024", ["3d", "gpt", "2024"]),
        ("量子計算", ["量子", "子計", "計算"]),
        ("使用transformer模型", ["使用", "transformer", "模型"]),
        ("がん", ["がん"]),
        ("量", ["量"]),
        ("한국어", ["한국", "국어"]),
        ("😀 --- “”", []),
    ],
)
def test_words(raw: str, wanted: list[str]) -> None:
    assert text.words(raw) == wanted


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("networks", "network"), ("policies", "policy"), ("losses", "loss"), ("loss", "loss"), ("boxes", "box"),
        ("searches", "search"), ("analyses", "analysis"), ("analysis", "analysis"), ("biases", "bias"),
        ("bias", "bias"), ("matrices", "matrix"), ("corpus", "corpus"), ("bus", "bus"), ("gas", "gas"),
        ("databases", "database"), ("series", "series"), ("processes", "process"), ("class", "class"),
    ],
)  # fmt: skip
def test_stem(word: str, stem: str) -> None:
    assert text.stem(word) == stem
    assert text.stem(stem) == stem


def test_terms_are_words_and_pairs_as_the_text_writes_them() -> None:
    found = text.terms(r"Pre-training the \textbf{State} of the art. Models")
    assert found == [
        ("pre", "Pre"),
        ("pre training", "Pre-training"),
        ("training", "training"),
        ("training state", "training the State"),
        ("state", "State"),
        ("state art", "State of the art"),
        ("art", "art"),
        ("model", "Models"),
        ("pretraining", "Pre-training"),
    ]


def test_pairs_do_not_cross_sentences_or_paragraphs() -> None:
    keys = {key for key, _ in text.terms("graph theory. Neural nets\n\nvision models; language: speech")}
    assert "theory neural" not in keys
    assert "net vision" not in keys
    assert "model language" not in keys
    assert "graph theory" in keys


def test_spellings_of_a_compound_meet() -> None:
    assert {"pretraining"} <= {key for key, _ in text.terms("pre-training")} & {k for k, _ in text.terms("pretraining")}


@unhurried
@given(st.text(max_size=80))
def test_hashes_are_those_of_the_terms(raw: str) -> None:
    keys = text.hash_terms([key for key, _ in text.terms(raw)])
    assert np.array_equal(np.sort(keys), np.sort(text.term_hashes(raw)))


@unhurried
@given(st.text(alphabet=st.sampled_from("ab é\u0301-\\${}.\n量子가İß_ſŉ" + "ﬁ\u200b"), max_size=60))
def test_hashes_are_those_of_the_terms_in_nasty_alphabets(raw: str) -> None:
    keys = text.hash_terms([key for key, _ in text.terms(raw)])
    assert np.array_equal(np.sort(keys), np.sort(text.term_hashes(raw)))
    assert {key for key, _ in text.terms(raw) if " " not in key} >= {text.stem(word) for word in text.words(raw)}


@unhurried
@given(st.text(max_size=80))
def test_no_text_breaks_anything(raw: str) -> None:
    text.clean(raw)
    text.plain(raw)
    text.area_hash(raw)


def test_kinds_stand_in_the_lowest_bits() -> None:
    word, pair = text.hash_terms(["graph", "graph theory"])
    assert word & np.uint64(3) == text.WORD
    assert pair & np.uint64(3) == text.PAIR
    assert text.area_hash("Graph Theory") & 3 == text.AREA


def test_a_pair_is_ordered() -> None:
    assert len(set(text.hash_terms(["graph theory", "theory graph", "graph graph"]).tolist())) == 3


def test_hashes_are_the_same_in_every_process() -> None:
    assert text.hash_terms(["graph", "graph theory"]).tolist() == [12236097586664538108, 9147636701612306533]


def test_areas_fold() -> None:
    assert text.area_hash("Vision, Audio & Language") == text.area_hash("vision audio   LANGUAGE")
    assert text.area_hash("vision") != text.area_hash("language")


def test_plain_keeps_stop_words() -> None:
    assert text.plain("What Is It? — Café!") == "what is it cafe"


def test_paper_text_is_title_abstract_keywords() -> None:
    paper = Paper("x:1", "Title", "Abstract.", keywords=("one", "two"), categories=("area",), authors=("Ada",))
    assert text.paper_text(paper) == "Title\n\nAbstract.\n\none. two"
    assert text.paper_text(Paper("x:1", "")) == ""


@pytest.mark.parametrize(
    "piece", ["word ", "\\a{", "\\a[", "[", "](", "$", "{", "-", "\n", "a-", "量", "\\cite[", "- \n", "h://", "é\u0301"]
)
def test_a_million_characters_cost_no_more_than_a_long_text(piece: str) -> None:
    raw = (piece * 1_000_000)[:1_000_000]
    assert len(text.term_hashes(raw)) <= 3 * text.LONGEST
    text.terms(raw)
    assert len(text.paper_text(Paper("x:1", "t", raw))) <= text.LONGEST


def test_lone_surrogates_pass() -> None:
    assert len(text.term_hashes("bad\ud800word")) > 0
    text.plain("\ud800")


@given(st.text(st.sampled_from("aAbdefinorstTxy09"), min_size=1, max_size=6))
def test_a_word_is_meant_if_it_is_among_the_words(token: str) -> None:
    assert text.meant(token) == bool(text.words(token))
