"""How long a message may take on its way. Everything follows from the lease, so that the proportions always hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Timing:
    """Durations of the delivery, in seconds, from the one that is chosen.

    `lease`: a process that claimed a message has it so long; then another may take it over.
    """

    lease: float = 120.0

    @property
    def deadline(self) -> float:
        """A send that has not ended by then is given up; whether it arrived is uncertain."""
        return self.lease / 2

    @property
    def least_left(self) -> float:
        """A send begins only with so much of the lease left, so that it ends within it: a machine may have slept."""
        return self.lease * 0.625

    @property
    def look(self) -> float:
        """From the last possible send to the first look, and from one look to the next."""
        return self.lease / 2

    @property
    def soon(self) -> float:
        """What is claimed can be begun within this time."""
        return self.lease / 4

    @property
    def give_up(self) -> timedelta:
        """A message whose arrival could not be looked up for so long stays unknown."""
        return timedelta(seconds=self.lease * 180)

    @property
    def before(self) -> timedelta:
        """A look begins so long before the first claim, since clocks differ."""
        return timedelta(seconds=self.lease * 2.5)

    @property
    def stale(self) -> timedelta:
        """A message that could not be sent for so long is set aside."""
        return timedelta(seconds=self.lease * 720)
