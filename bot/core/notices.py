"""What somebody is told of a digest that did not arrive as it should."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.message import fit
from bot.core.plain import plain

NAME_LIMIT, REASON_LIMIT = 80, 200  # characters
REMOVED = "removed"  # what may be done to a subscription; of all else it is there afterwards


def refused(names: Sequence[str], place: str, reason: str) -> str:
    """Return the text on a digest that its destination does not take. `names` are its interests'.

    `place` is the name of a channel, or empty for a direct message.
    """
    why = fit(" ".join(reason.split()).rstrip(".") or "it is closed to me", REASON_LIMIT)
    return (
        f"The digest for “{_joined(names)}” could not be delivered to {_where(place)}: {why}. "
        f"It is paused. To go on: /papers resume {fit(names[0], NAME_LIMIT)}"
    )


def unknown(names: Sequence[str], place: str) -> str:
    """Return the text on a digest of which nobody can say whether it arrived. Arguments as for `refused`."""
    return (
        f"I could not find out whether the digest for “{_joined(names)}” reached {_where(place)}. "
        "I do not send it twice; its papers may come again in the next one."
    )


def handed_over(name: str, place: str, by: str, number: int) -> str:
    """Return the text for whoever has a channel's subscription (its number) from now on. `by`: who gave it to them."""
    return (
        f"{fit(plain(by), NAME_LIMIT)} handed the digest “{fit(plain(name), NAME_LIMIT)}” of {_where(place)} over to "
        f"you: you are told if it cannot be delivered. To change it: /papers schedule sub{number}"
    )


def changed(
    names: Sequence[str], place: str, by: str, done: str, numbers: Sequence[int], topics: Sequence[str] = ()
) -> str:
    """Return the text for whoever asked for subscriptions, on what somebody else (`by`) has `done` to them.

    `names` are those of the interests and `numbers` those of their digests; `topics` are what can be subscribed anew.
    """
    called = f"“{_joined([plain(name) for name in names])}”"
    what = f"The digest {called} of {_where(place)}, which you asked for," if place else f"Your digest {called}"
    again = "; ".join(plain(topic) for topic in topics)
    if done == REMOVED:
        topic = again if len(again) <= NAME_LIMIT else "TOPIC"
        then = (
            f"To have it again{', type there' if place else ''}: /papers subscribe {topic}{' in=here' if place else ''}"
        )
    else:
        then = "See all: /papers subscriptions" if numbers[1:] else f"To see it: /papers schedule sub{numbers[0]}"
    return f"{what} was {done} by {fit(plain(by), NAME_LIMIT)}. {then}"


def _joined(names: Sequence[str]) -> str:
    return fit(", ".join(names), NAME_LIMIT)


def _where(place: str) -> str:
    return f"#{place.removeprefix('#')}" if place else "you"
