"""What a strictness promises, in words, and where the promise stands. Pure."""

from __future__ import annotations

from bot.core.card import count

_SHARES = {"relaxed": "2 in 5", "normal": "1 in 5", "strict": "1 in 10"}


def promised(strictness: str, tau: float, counted: int, wasted: float, *, begun: bool, guess: bool) -> str:
    """Say what a strictness promises and where it stands, in a line.

    `tau` is the probability asked of a paper now, above 1 where none is enough; `wasted` is the sum of the shares of
    places lost in the digests that are `counted`. `begun`: what others here pressed says where it begins; `guess`: too
    few have rated papers for a probability to be a fact.
    """
    said = f"strictness {strictness}: in the long run, at most {_SHARES[strictness]} places go to papers marked less."
    asked = f"{tau:.0%}".replace("%", " %") + (", as I guess it" if guess else "")
    if counted:
        so_far = f"{wasted / counted:.0%}".replace("%", " %")
        said += (
            f" So far {so_far} of the places did, over {count(counted, 'digest that counts', 'digests that count')}."
        )
        if tau > 1.0:
            return f"{said} Nothing passes for now; each day without a paper makes it easier again."
        return f"{said} A paper has to fit {asked}, now."
    if begun:
        return f"{said} None of your digests counts yet; by what others pressed, a paper has to fit {asked}."
    return f"{said} Too little has been pressed yet, so a plain threshold holds: a paper has to fit {asked}."
