"""Every seed paper is found first by its title and by a paraphrase of its abstract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app import App
from bot.config import Settings
from bot.demo import SEED, seeds_folder
from bot.jobs.ingest import ingest
from bot.sources import local
from bot.store import areas, catalogue, papers

METADATA = json.loads((seeds_folder() / "iclr2026-metadata.json").read_text(encoding="utf-8"))
TITLES = [entry["title"] for entry in METADATA]
SHARED = Path(__file__).parents[2].parent / "shared" / "corpora" / "iclr2026.jsonl.gz"

# In the order of the seeds; written from the abstracts' sense, with other words where there are any.
PARAPHRASES = [
    "using checklists graded by a judge as the reward when training a model by RL on medical and science answers",
    "rebuild a whole 3D scene, hidden surfaces too, from photos without camera poses, points not tied to pixels",
    "does SAM training make networks less overconfident, so that their confidence matches their accuracy",
    "remove transformer blocks whose hidden states carry little information, as measured by entropy",
    "prune layers of a language model while fine-tuning it, by adding up the gradients of the first steps",
    "how many chain-of-thought steps does a constant precision transformer need to simulate a Turing machine",
    "find the times at which a multilayer random dot product graph changes, with confidence intervals",
    "reconstruct high dynamic range video from noisy, blurry frames taken with alternating exposures",
    "gradient descent on the first layer of a wide KAN reaches zero training error, how quickly",
    "mixing sliding window attention with xLSTM layers: smaller windows make the recurrent memory work better",
    "detect all objects that a phrase refers to by reasoning step by step over each candidate box",
    "direct preference optimization goes wrong when the policy class cannot express the true reward",
    "robust decisions from prediction sets without insisting on coverage, in the manner of conformal prediction",
    "a classifier can tell from a language model's answers that it was made to unlearn something",
    "train a better draft model for speculative decoding with extra linear branches that are merged afterwards",
    "compare how xLSTM and transformers scale with compute, model size and context length",
    "discover the symmetries of each input without knowing the group, by normalising its canonical pose at test time",
    "transformers that infer which token depends on which in Markov chains, as Bayesian model averaging would",
    "linear classifier that starts from the line between two class centroids and rotates it in planes",
]


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    app = App.open(Settings(data_dir=tmp_path_factory.mktemp("seeds"), database_url=""))
    report = ingest(app.store, local.read(seeds_folder() / SEED), "local", app.now())
    assert (report.new, report.refused) == (19, 0)
    app.library.update(learn=True)
    yield app
    app.close()


async def first(app: App, words: str) -> str:
    found = await app.library.search(words, 5)
    stored = await app.store.read(papers.get, [found[0].number])
    return next(iter(stored.values())).paper.title


@pytest.mark.parametrize("title", TITLES)
async def test_found_first_by_title(seeded: App, title: str) -> None:
    assert await first(seeded, title) == title


@pytest.mark.parametrize(("words", "title"), list(zip(PARAPHRASES, TITLES, strict=True)))
async def test_found_first_by_paraphrase(seeded: App, words: str, title: str) -> None:
    assert await first(seeded, words) == title


@pytest.fixture(scope="module")
def conference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    if not SHARED.exists():
        pytest.skip("../shared is not here: the whole of ICLR 2026 cannot be searched")
    app = App.open(Settings(data_dir=tmp_path_factory.mktemp("iclr"), database_url=""))
    for path in (seeds_folder() / SEED, SHARED):
        ingest(app.store, local.read(path), "local", app.now())
    app.library.update(learn=True)
    yield app
    app.close()


async def test_found_among_all_of_the_conference(conference: App) -> None:
    """Among 5,358 papers every title comes first, and nearly every paraphrase."""
    with conference.store.reading() as conn:
        assert papers.count(conn) == 5358  # the seeds are among them, and were merged
    assert [await first(conference, title) for title in TITLES] == TITLES
    right = [await first(conference, words) == title for words, title in zip(PARAPHRASES, TITLES, strict=True)]
    assert sum(right) >= 16


async def test_areas_bring_their_own_papers(conference: App) -> None:
    """A subscription to each area by name: at least 6 of its top ten in the mean are of that area."""
    from recommender.bar import plain
    from recommender.types import Interest, Profile

    with conference.store.reading() as conn:
        names = [area.name for area in areas.areas(conn, conference.now())]
        inside = {name: areas.in_area(conn, name) for name in names}
        everything = set(catalogue.numbers(conn))
    assert len(names) == 21
    hits = []
    for area in names:
        profile = Profile((Interest(area, (area,)),))
        picks = await conference.library.pick(profile, everything, set(), [10], [plain("relaxed")])
        hits.append(sum(pick.number in inside[area] for pick in picks))
    assert sum(hits) / len(hits) >= 6
