"""Stop words and plural stemming for English; words of other languages pass unchanged, bar a final s."""

from __future__ import annotations

_STOP = """
    a about above across after again against all almost alone along already also although always am among an and
    another any anyone anything are around as at back be became because become becomes been before beforehand behind
    being below beside besides between beyond both but by can cannot could did do does doing done down due during each
    eg either else elsewhere enough et al etc even ever every everyone everything everywhere except few find for found
    former formerly from further get give go had has have having he hence her here hers herself him himself his how
    however i ie if in indeed instead into is it its itself just keep last latter least less made make many may me
    meanwhile might mine more moreover most mostly much must my myself namely neither never nevertheless next no
    nobody none nor not nothing now of off often on once one only onto or other others otherwise our ours ourselves
    out over own part per perhaps please put rather re same see seem seemed seeming seems several she should since so
    some someone something sometimes somewhere still such take than that the their theirs them themselves then thence
    there thereby therefore therein these they this those though through throughout thru thus to together too toward
    towards under until up upon us used using very via was we well were what whatever when whence whenever where
    whereas whereby wherein wherever whether which while whither who whoever whole whom whose why will with within
    without would yet you your yours yourself yourselves don doesn didn isn aren wasn weren hasn haven hadn won
    wouldn couldn shouldn ll ve
"""
STOP = frozenset(_STOP.split())
"""Words that carry no topic; those of contractions (don, ll, ve) too."""

_IRREGULAR = {
    "analyses": "analysis", "axes": "axis", "bases": "basis", "biases": "bias", "caches": "cache", "children": "child",
    "corpora": "corpus", "crises": "crisis", "criteria": "criterion", "diagnoses": "diagnosis", "gas": "gas",
    "gases": "gas", "heuristics": "heuristic", "hypotheses": "hypothesis", "indices": "index", "lens": "lens",
    "lenses": "lens", "matrices": "matrix", "men": "man", "mice": "mouse", "movies": "movie", "phenomena": "phenomenon",
    "series": "series", "species": "species", "syntheses": "synthesis", "theses": "thesis", "vertices": "vertex",
    "women": "woman", "bias": "bias", "atlas": "atlas", "canvas": "canvas", "bayes": "bayes", "always": "always",
    "aliases": "alias", "alias": "alias", "pandas": "pandas", "atlases": "atlas", "viruses": "virus",
    "statuses": "status", "headaches": "headache", "niches": "niche", "ties": "tie", "pies": "pie", "lies": "lie",
    "dies": "die", "cookies": "cookie", "processes": "process", "christmas": "christmas", "texas": "texas",
}  # fmt: skip


def stem(word: str) -> str:
    """Return a folded word without its plural ending (after Harman, "How effective is suffixing?", JASIS 1991)."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4 and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]
