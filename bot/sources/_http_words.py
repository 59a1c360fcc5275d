"""What the client says of hosts, and of itself."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from yarl import URL

_MEANINGS = {
    401: " (not allowed: is the key right?)",
    403: " (not allowed)",
    404: " (there is no such thing)",
    410: " (it is gone)",
}


def user_agent(contact: str) -> str:
    """Return how the client introduces itself, as "paperround/0.1 (+mailto:lab@example.org)"."""
    plain = "".join(char for char in contact.strip() if "!" <= char <= "~" and char not in "()")
    if "@" in plain and "://" not in plain:
        plain = f"mailto:{plain.removeprefix('mailto:')}"
    try:
        name = f"paperround/{version('paperround')}"
    except PackageNotFoundError:  # it runs from a checkout that was never installed
        name = "paperround"
    return f"{name} (+{plain})" if plain else name


def called(url: URL) -> str:
    """Return what people know the host of a URL as."""
    host = (url.host or "")[:100]
    return host if url.is_default_port() else f"{host}:{url.port}"


def meaning(status: int) -> str:
    """Return what a status means, to follow its number; empty if it says nothing to people."""
    return _MEANINGS.get(status, "")


def instant(seconds: float) -> datetime:
    """Return the time (aware, UTC) of so many seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def clock(seconds: float, now: float) -> str:
    """Return a time for people, with its day if that is not the day of `now`; both are in seconds since 1970."""
    then = instant(seconds)
    return f"{then:%H:%M} UTC" if then.date() == instant(now).date() else f"{then:%Y-%m-%d %H:%M} UTC"
