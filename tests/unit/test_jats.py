"""Markup of publishers to plain text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources._jats import LONGEST, plain_markup

FORMULA = (
    "<jats:inline-formula><jats:alternatives>"
    "<jats:tex-math>\\documentclass{x} \\begin{document}$$\\alpha$$\\end{document}</jats:tex-math>"
    "<mml:math><mml:mi>α</mml:mi></mml:math></jats:alternatives></jats:inline-formula>"
)


@pytest.mark.parametrize(
    ("marked", "read"),
    [
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
        ("<jats:title>Abstract</jats:title><jats:p>One.</jats:p>", "One."),
        ("<jats:title>ABSTRACT.</jats:title>One.", "One."),
        ("<jats:sec><jats:title>Methods</jats:title><jats:p>We.</jats:p></jats:sec>", "Methods: We."),
        ("<jats:title>Why?</jats:title><jats:p>So.</jats:p>", "Why? So."),
        ("<jats:title></jats:title>Text", "Text"),
        ("<b>Background</b> We <em>do</em>", "Background We do"),
        ("H<sub>2</sub>O, x<sup>2</sup>, T<sub>max</sub>, 10<sup>-3</sup>", "H₂O, x², Tmax, 10⁻³"),
        ("<jats:list><jats:list-item><jats:p>a</jats:p></jats:list-item></jats:list>b", "a b"),
        ("one<br>two<br/>three", "one two three"),
        ('see <a href="https://example.org">there</a>', "see there"),
        ("p &lt; 0.05 &amp; more", "p < 0.05 & more"),
        ("R&amp;amp;D and &amp;lt;x&amp;gt;", "R&D and <x>"),
        ("&lt;p&gt;All &lt;i&gt;escaped&lt;/i&gt;&lt;/p&gt;", "All escaped"),
        ("a <!-- hidden <i> --> b", "a b"),
        ("<![CDATA[kept]]> <?gone x?>too", "kept too"),
        (f"at {FORMULA}.", "at $\\alpha$."),
        ("<mml:math><mml:msup><mml:mi>x</mml:mi> <mml:mn>2</mml:mn></mml:msup></mml:math>", "x²"),
        ("<mml:math><mml:msub><mml:mi>x</mml:mi><mml:mi>max</mml:mi></mml:msub></mml:math>", "x_max"),
        ("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>", "a/(b + 1)"),
        ("<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>", "xᵢ²"),
        ("<math><msqrt><mi>n</mi></msqrt><mo>≤</mo><mfenced><mi>a</mi><mi>b</mi></mfenced></math>", "√n ≤ (a, b)"),
        ("<math><mover><mi>x</mi><mo>¯</mo></mover></math>", "x"),
        (
            '<math><semantics><mi>y</mi><annotation encoding="application/x-tex">y_i</annotation></semantics></math>',
            "$y_i$",
        ),
    ],
)
def test_markup_is_read(marked: str, read: str) -> None:
    assert plain_markup(marked) == read


@pytest.mark.parametrize(
    "text",
    [
        "A<B & C>D <!channel> <@U012ABC>",
        "n<5 and m>6",
        "$O(n\\log n)$ and 5\\% more",
        "a <unknown> tag",
        "<",
        "<>",
        "List<String> in Java",
        "漢字かな交じり文 👩\u200d💻",
    ],
)
def test_what_is_no_tag_is_text(text: str) -> None:
    assert plain_markup(text) == text


@pytest.mark.parametrize(
    ("broken", "read"),
    [
        ("<i>left open", "left open"),
        ("closed</i> too often</p>", "closed too often"),
        ("<b>crossed <i>tags</b> here</i>", "crossed tags here"),
        ("<jats:title>no end", "no end:"),
        ("<!-- no end", "<!-- no end"),
        ("<i>" * 200 + "deep" + "</i>" * 200, "deep"),
        ("<math><msup><mi>x</mi></msup></math>", "x"),
    ],
)
def test_broken_markup_loses_no_words(broken: str, read: str) -> None:
    assert plain_markup(broken) == read


@pytest.mark.parametrize("piece", ["<", "<b ", "<!--", "<i>", "</i>", '<a x="', "&amp;", "<p><title>", "<math><msup>"])
def test_hostile_lengths_are_bounded(piece: str) -> None:
    assert len(plain_markup(piece * (2 * LONGEST // len(piece)))) <= LONGEST * 2


TAGS = [
    f"<{mark}{name}>" for name in ("i", "jats:title", "mml:math", "mml:msup", "sub", "tex-math") for mark in ("", "/")
]


@given(st.lists(st.sampled_from([*TAGS, "<!--", "-->", "&lt;", "&amp;", "x", "2", " ", "\x00", "\u202e"]), max_size=30))
def test_it_never_raises_and_hides_nothing(pieces: list[str]) -> None:
    read = plain_markup("".join(pieces))
    assert not {unicodedata.category(letter) for letter in read} & {"Cc", "Cs", "Cf"}
    assert read == read.strip()
