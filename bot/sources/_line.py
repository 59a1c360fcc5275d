"""A line before some rooms, in which those who hurry stand in front."""

from __future__ import annotations

import asyncio
from collections import deque

IN_A_ROW = 3  # who hurry go before the others so often, and then one of the others goes
_Place = asyncio.Future[bool]


class Line:
    """Lets so many in at a time, in the order in which they came; those who hurry before the others."""

    def __init__(self, rooms: int) -> None:
        self._free = rooms
        self._hurried: deque[_Place] = deque()
        self._others: deque[_Place] = deque()
        self._in_a_row = 0

    async def enter(self, hurried: bool, *, again: bool = False) -> bool:
        """Wait for a room. True: of somebody who gave way, and who has waited for everything else already.

        `again`: one who gave way is the first of the others.
        """
        if self._free:
            self._free -= 1
            return False
        line = self._hurried if hurried else self._others
        place: _Place = asyncio.get_running_loop().create_future()
        line.insert(0 if again else len(line), place)
        try:
            return await place
        except asyncio.CancelledError:
            if place in line:
                line.remove(place)
            elif place.done() and not place.cancelled():  # the room came just as it left
                self.leave(ready=place.result())
            raise

    def begins(self, hurried: bool) -> bool:
        """Say whether one who has a room, and has waited for everything else, may begin.

        If not, the room has gone to one who hurries: `enter` again.
        """
        if hurried:
            self._in_a_row += bool(self._others)
            return True
        if self._hurried and self._in_a_row < IN_A_ROW:
            self.leave(ready=True)
            return False
        self._in_a_row = 0
        return True

    def leave(self, *, ready: bool = False) -> None:
        """Give the room to the next in line. `ready`: everything else was waited for already."""
        while line := self._next():
            place = line.popleft()
            if not place.done():  # it was cancelled, and does not know it yet
                place.set_result(ready)
                return
        self._free += 1

    def _next(self) -> deque[_Place]:
        full = self._in_a_row >= IN_A_ROW and self._others
        return self._hurried if self._hurried and not full else self._others
