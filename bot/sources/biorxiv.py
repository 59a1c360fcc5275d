"""bioRxiv: preprints of biology, by category."""

from __future__ import annotations

from bot.sources._rxiv import Rxiv

CATEGORIES = (
    "animal behavior and cognition",
    "biochemistry",
    "bioengineering",
    "bioinformatics",
    "biophysics",
    "cancer biology",
    "cell biology",
    "clinical trials",
    "developmental biology",
    "ecology",
    "epidemiology",
    "evolutionary biology",
    "genetics",
    "genomics",
    "immunology",
    "microbiology",
    "molecular biology",
    "neuroscience",
    "paleontology",
    "pathology",
    "pharmacology and toxicology",
    "physiology",
    "plant biology",
    "scientific communication and education",
    "synthetic biology",
    "systems biology",
    "zoology",
)

source = Rxiv(
    "biorxiv", "bioRxiv", CATEGORIES, about="bioRxiv, all of it or one category: biorxiv, biorxiv:neuroscience"
)
