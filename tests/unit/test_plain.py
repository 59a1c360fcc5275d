"""Text as people read it: LaTeX, markdown and invisible characters."""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.plain import first_sentence, plain, sentences, visible

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpora" / "iclr2026.jsonl.gz"

READS = {
    # formulas
    r"$O(n\log n)$": "O(n log n)",
    r"$x^2 + y_i$": "x² + yᵢ",
    r"$10^{-3}$": "10⁻³",
    r"$x^{n+1}$": "xⁿ⁺¹",
    r"$\mathbb{R}^{d \times k}$": "ℝ^(d × k)",
    r"$\widetilde{\mathcal{O}}(T^{-1/4})$": "Õ(T^(-1/4))",
    r"$\frac{a}{b}$ and $\frac{a+1}{2}$": "a/b and (a+1)/2",
    r"$\sqrt{T}$, $\sqrt{T\log T}$": "√T, √(T log T)",
    r"\(\alpha\) and \[\beta\]": "α and β",
    r"$\{0,1\}^n$": "{0,1}ⁿ",
    r"a $2.5\times$ speed-up": "a 2.5× speed-up",
    r"$\ell_1$-norm": "ℓ₁-norm",
    r"$L_{\rm ref}$": "L_ref",
    # prices are no formulas
    "costs $5 million and $10 more": "costs $5 million and $10 more",
    r"\$5": "$5",
    "$18/hour versus $60/hour": "$18/hour versus $60/hour",
    "$>$10ms": ">10ms",
    # commands
    r"\textbf{x}": "x",
    r"\textbf{Rubrics (\textit{RaR})}": "Rubrics (RaR)",
    r"by 31\% and A\&B": "by 31% and A&B",
    "by 31% and more": "by 31% and more",
    r"as shown~\citet{a2020} before": "as shown before",
    r"Fig.~1": "Fig. 1",
    "about ~10%": "about ~10%",
    "http://example.org/~user": "http://example.org/~user",
    r"Erd\H{o}s, G\"odel, Fran\c{c}ois, \'{e}, {\'e}": "Erdős, Gödel, François, é, é",
    r"our \method works": "our method works",
    r"\href{https://example.org}{code}": "code",
    r"``quoted'' and `this'": "“quoted” and ‘this’",
    "4{,}000 {BERT}": "4,000 BERT",
    r"\{unbalanced": "unbalanced",
    r"R\’enyi \— e.g.": "R’enyi — e.g.",
    r"\binom{n}{k}, \footnote{see https://example.org}": "(n choose k), (see https://example.org)",
    r"$90^\circ$, $A^\top$, $\hat{xy}$, $x^*$": "90°, Aᵀ, xy, x*",
    r"\hyperref[sec]{Section} and \href{https://example.org}{{code}}": "Section and code",
    r"$\mathcal O(1)$ and {\bf bold}": "O(1) and bold",
    # markdown
    "**x** and __x__": "x and x",
    "*only* _x_ `code` ~~gone~~": "only x code gone",
    "**a *b* c**": "a b c",
    "[t](https://example.org/a)": "t",
    "![t](https://example.org/a.png)": "t",
    "# Heading\n> quoted": "Heading quoted",
    # what only looks like it
    "snake_case and other_snake_case": "snake_case and other_snake_case",
    "A<B & C>D <!channel> <@U012ABC>": "A<B & C>D <!channel> <@U012ABC>",
    "@everyone now <@&1234567890123456789>": "@everyone now <@&1234567890123456789>",
    "A* and B* search": "A* and B* search",
    "2 * 3 * 4": "2 * 3 * 4",
    "C# and #1 [12] (see [3])": "C# and #1 [12] (see [3])",
    "a||b": "a||b",
    "x > y": "x > y",
    "f(x)_i": "f(x)_i",
    # invisible
    "a\u200bb\u202ec\x00d\ufeff\u2066": "abcd",
    "👩\u200d🔬 and a\u200db": "👩\u200d🔬 and ab",
    "🏳\ufe0f\u200d🌈": "🏳\ufe0f\u200d🌈",
    "a \n\t b\u2028c\x85d": "a b c d",
    "\ud800lone": "lone",
    "pages 1--5, and so---on, --flag": "pages 1–5, and so—on, --flag",
    "使用 $n$ 个样本": "使用 n 个样本",
    "": "",
}


@pytest.mark.parametrize(("text", "wanted"), READS.items())
def test_reads(text: str, wanted: str) -> None:
    assert plain(text) == wanted


def _clean(text: str) -> bool:
    return not any(
        unicodedata.category(c) in ("Cc", "Cs") or (c != "\u200d" and unicodedata.category(c) == "Cf") for c in text
    )


MARKED = st.lists(
    st.sampled_from(
        [
            *"\\$${}{}^__**~~``-#> []()|&%'\"\n\x00",
            "a",
            "B",
            "1",
            " ",
            "\u200d",
            "👩",
            "\\textbf{",
            "\\frac",
            "\\alpha",
            "```",
            "](http://a",
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=600, deadline=None)
@given(st.one_of(MARKED, st.text(max_size=80), st.text(alphabet=st.characters(codec=None), max_size=40)))
def test_never_raises_is_stable_and_shows_no_control_characters(text: str) -> None:
    once = plain(text)
    assert plain(once) == once
    assert _clean(once)
    assert _clean(visible(text))
    assert visible(visible(text)) == visible(text)
    assert "  " not in once
    assert once == once.strip()
    sentences(text)
    assert first_sentence(text) == (sentences(text) or [""])[0]


@pytest.mark.parametrize(
    "piece", ["{", "\\", "$", "**a ", "[", "`", "\\textbf{", "_a ", "~", "$a", "\\frac{a}", "^{", "``a", "> ", "{a,"]
)
def test_a_million_marks_end(piece: str) -> None:
    assert plain(piece * (1_000_000 // len(piece))) is not None


def test_marks_nested_deeper_than_anyone_means() -> None:
    once = plain("*_`" * 40 + "deep" + "`_*" * 40)
    assert plain(once) == once
    assert "deep" in once


@pytest.mark.skipif(not CORPUS.exists(), reason="the shared corpora are not here")
def test_real_abstracts_leave_no_marks() -> None:
    marked = stray = 0
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        for abstract in (json.loads(line)["abstract"] for line in lines):
            if re.search(r"\\[A-Za-z%&#_{]|\$[^$]+\$", abstract):
                marked += 1
                read = plain(abstract)
                assert "\\" not in read
                assert plain(read) == read
                stray += bool(re.search(r"[{}$]|\*\*", read))
    assert marked > 1300
    assert stray < 0.015 * marked  # sets such as {-1, 0, 1}, and prices


def test_sentences() -> None:
    assert sentences("We show it. It works, e.g. here. Smith et al. agree! Fig. 3 shows J. Doe. Really?") == [
        "We show it.",
        "It works, e.g. here.",
        "Smith et al. agree!",
        "Fig. 3 shows J. Doe.",
        "Really?",
    ]
    assert sentences("Accuracy is 3.5 points. (It is.) “Yes.” And.") == [
        "Accuracy is 3.5 points.",
        "(It is.)",
        "“Yes.”",
        "And.",
    ]
    assert sentences("我们提出。效果很好！") == ["我们提出。", "效果很好！"]
    assert sentences(" ") == []
    assert first_sentence("no end of it") == "no end of it"
    assert first_sentence("") == ""
