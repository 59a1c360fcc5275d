"""A digest of one paper, with every kind of button."""

from bot.core.message import Button, Card, Message

BUTTONS = (
    Button("More like this", "more:9c1:0"),
    Button("Less", "less:9c1:0"),
    Button("PDF", url="https://x.example/a.pdf"),
    Button("Similar papers", "similar:9c1:0", menu=True),
)
SWAX = Card(
    "openreview:02NbD16OnA",
    "Short Window Attention Enables Long-Term Memorization",
    "https://openreview.net/forum?id=02NbD16OnA",
    1,
    (
        "L. Cabannes, M. Beck, +7 · ICLR 2026 · openreview · fits 82 %",
        "why: sliding window, xLSTM — near “xLSTM Scaling Laws”, which you liked",
        "› A counter-intuitive finding with SWAX is that larger windows do not help.",
    ),
    BUTTONS,
)
DIGEST = Message(
    "Good morning. 5 of 231 new papers", (SWAX,), (Button("Next ▸", "page:9c1:1"),), "next: Wed 09:00 Berlin"
)
