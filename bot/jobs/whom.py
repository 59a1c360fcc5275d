"""Who is asked for a paper that is not here, and in which order. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.core.reached import Wish

# Who is asked first: whoever publishes, then archives, then collectors. What plug-ins bring comes last.
ORDER = ("arxiv", "openreview", "acl", "biorxiv", "medrxiv", "crossref", "openalex", "semanticscholar")
HOMES = {"arxiv": "arxiv", "openreview": "openreview", "acl": "acl", "s2": "semanticscholar"}  # who gives such ids
LOOKS = ("arxiv", "semanticscholar", "openalex")  # who is asked for words, all at the same time
_RXIV = ("doi:10.1101/", "doi:10.64898/")
DOIS = {"acl": ("doi:10.18653/v1/", "doi:10.3115/v1/"), "biorxiv": _RXIV, "medrxiv": _RXIV}  # who know no others

Asked = Sequence[tuple[str, Any]]  # sources, by the name that their papers are stored under


def in_order(kinds: Mapping[str, Any]) -> Asked:
    """Return kinds of sources, given by module name, by their own names, in the order in which they are asked."""
    named = [(str(getattr(kind, "name", module)), kind) for module, kind in kinds.items()]
    places = {name: place for place, name in enumerate(ORDER)}
    return sorted(named, key=lambda one: (places.get(one[0], len(ORDER)), one[0]))


def whom(kinds: Asked, wish: Wish) -> Asked:
    """Return those of the kinds, in order, that can be asked for something."""
    if wish.kind == "look":
        return [(name, kind) for name, kind in kinds if name in LOOKS and hasattr(kind, "look")]
    namespace = wish.text.partition(":")[0]
    able = [(name, kind) for name, kind in kinds if namespace in getattr(kind, "finds", ())]
    if namespace == "doi":
        able = [one for one in able if wish.text.startswith(DOIS.get(one[0], ""))]
    return able


def is_home(name: str, id_: str) -> bool:
    """Say whether ids such as this are given by that source, so that it has the last word on them."""
    return HOMES.get(id_.partition(":")[0]) == name
