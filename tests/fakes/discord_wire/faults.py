"""What goes wrong on purpose: answers with an error, broken connections, silence."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(slots=True)
class Fail:
    """A fault for calls of a method and a path ("/channels/*/messages").

    `how`: status (answered with `status` and `code`), reset (the connection is reset), drop (it is closed), hang (no
    answer comes), garbage (a broken answer). `taken`: what was asked is done all the same. `times`: how often; -1
    always. `after`: so many calls go well before. `retry_after` (seconds), `everywhere` and `via`: of a 429.
    """

    method: str
    path: str
    status: int = 500
    code: int = 0
    words: str = ""
    times: int = 1
    taken: bool = False
    how: str = "status"
    after: int = 0
    retry_after: float = 0.5
    everywhere: bool = False
    via: bool = True
    hits: int = 0

    def hit(self, method: str, path: str) -> bool:
        """Say whether this call fails, and count it."""
        if not self.times or self.method not in ("*", method) or not fnmatchcase(path, self.path):
            return False
        if self.after > 0:
            self.after -= 1
            return False
        self.times -= self.times > 0
        self.hits += 1
        return True
