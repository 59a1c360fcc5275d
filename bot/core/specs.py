"""How an administrator names sources: `arxiv:cs.CL` is a kind of sources, and what of it is wanted. Pure."""

from __future__ import annotations

from bot.core.fold import named

SPEC_LIMIT = 500  # characters


def read_spec(text: str) -> str:
    """Read `kind` or `kind:what`, without spaces around them. Raises ValueError for anything else."""
    kind, colon, what = (part.strip() for part in text.strip().partition(":"))
    whole = f"{kind.casefold()}{colon}{what}" if what else kind.casefold()
    if not kind or (colon and not what) or not whole.isprintable():
        raise ValueError(f"{named(text)} names no source; type a kind, such as huggingface, or arxiv:cs.CL")
    if len(whole) > SPEC_LIMIT:
        raise ValueError(f"{named(text)} is longer than {SPEC_LIMIT} characters")
    return whole


def read_specs(text: str) -> str:
    """Read several with commas between, each once. Raises ValueError for one that is none."""
    return ",".join(dict.fromkeys(read_spec(part) for part in text.split(",") if part.strip()))


def parts(spec: str) -> tuple[str, str]:
    """Return the kind, and what of it is wanted; empty for all."""
    kind, _, what = spec.partition(":")
    return kind, what
