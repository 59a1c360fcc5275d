"""The ports of the bot: Source, Platform and Embedder. Ranker is the recommender's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol, Self, runtime_checkable

from bot.core.check import Check
from bot.core.message import Message
from bot.core.request import Address, Receipt, Request
from recommender.types import FloatArray, Paper

CURSOR_LIMIT = 2000  # characters
Invoke = Callable[[Request], AsyncGenerator[Message, None]]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a platform knows of an address.

    `manages`: the person there may change what the channel gets; of an address without a channel, what anybody in the
    workspace gets. `roles` are the ids of the roles that the person has there.
    """

    name: str = ""
    purpose: str = ""
    time_zone: str = ""
    manages: bool = False
    missing_permissions: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """One HTTP route that a platform wants mounted on the bot's server."""

    method: str
    path: str
    handler: Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many messages a second a platform takes from the bot, and of those to one destination.

    `per_workspace`: the first counts for each workspace by itself. No second ever holds more.
    """

    a_second: float = 20.0
    to_one: float = 1.0
    per_workspace: bool = False


@dataclass(frozen=True, slots=True)
class Bad:
    """One entry of a file that could not be taken: the line it begins in, counted from 1, and why, in a few words."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a source was read: all papers before it are whole up to `text`, which only the source understands.

    An empty one means that it begins anew. Raises ValueError for more than 2000 characters.
    """

    text: str

    def __post_init__(self) -> None:
        """Refuse what is longer than it may be."""
        if len(self.text) > CURSOR_LIMIT:
            raise ValueError(f"a cursor of {len(self.text):,} characters; {CURSOR_LIMIT:,} are kept")


class Answer(Protocol):
    """What a server answered in the end."""

    status: int
    url: str  # after redirects
    body: bytes
    headers: Mapping[str, str]  # names in lower case
    same: bool  # nothing changed since the last time; the body is empty

    def text(self) -> str:
        """Return the body, decoded by what its headers or it say, else as UTF-8. Never raises."""

    def json(self) -> Any:
        """Return the body, read as JSON. Raises SourceError, which names the host."""


class Http(Protocol):
    """A polite client. Statuses that are no answer, and what cannot be reached, raise SourceError with its `after`.

    `limit`: bytes of a body at most. `within`: seconds for one call, its tries included. `fresh`: ask only for what
    changed since the last time. `missing`: statuses that are an answer too, as 404 where one looks something up.
    """

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        limit: int = 20_000_000,
        within: float = 60.0,
        fresh: bool = False,
        missing: Collection[int] = (),
    ) -> Answer:
        """Ask for what is at a URL."""

    async def post(
        self,
        url: str,
        *,
        json: Any,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        limit: int = 20_000_000,
        within: float = 60.0,
        missing: Collection[int] = (),
    ) -> Answer:
        """Send JSON to a URL."""


class Source(Protocol):
    """A place that papers come from. It is asked every `every`.

    The `source` of a module is a kind of sources, and may have more: `bot.jobs.chosen` tells what.
    """

    name: str
    every: timedelta

    def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        """Yield papers that came after `since` (aware, UTC; None: all), and cursors between them. Raises SourceError.

        It goes on from `cursor`, the text of the last Cursor that was stored; at first it is empty.
        """


class Embedder(Protocol):
    """A model that turns texts into vectors, near ones for texts on the same. Nothing is missing without one.

    The `embedder` of a module of `bot.embedders` has `open(settings, http)`, which returns one, without touching disk
    or network, or None if the settings name another kind, and raises SettingsError.
    """

    def name(self) -> str:
        """Return what tells the model and its version: vectors of two names are never compared. It may read files.

        Raises EmbedderError.
        """

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return vectors of length 1, (len(texts), d), float32, the same for the same text. Raises EmbedderError."""

    async def close(self) -> None:
        """Let go of what it holds. Never raises."""


class Platform(Protocol):
    """A place where people read and type. Its class is the `platform` of its module.

    It may have more: an attribute `limits: Limits` (without it the usual ones hold); `people: str`, the workspace in
    which people are kept where they are the same in all; `zones = False` where it tells no time zones, so that it is
    not asked; and the methods of `Joins`, `Checks` and `Closes`.
    """

    name: str

    @classmethod
    def open(cls, setup: Any) -> Self | None:
        """Make it of a `bot.platforms._setup.Setup`, without touching the network.

        None: the settings do not ask for it. Raises SettingsError, naming what is missing.
        """

    async def run(self, invoke: Invoke) -> None:
        """Listen until cancelled or closed. Of each answer the first message is posted, and later ones replace it."""

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Deliver one message that nobody asked for just now. Raises Retry, Refused or Uncertain."""

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Say whether the message of `key` is there. Raises Unknown if it cannot look."""

    async def about(self, address: Address) -> Facts:
        """Tell what is known of a place and of what the person may do in it."""

    def routes(self) -> Sequence[Route]:
        """HTTP routes (sign-in, events); empty if the platform calls out by itself."""


@runtime_checkable
class Joins(Protocol):
    """A platform on which the bot has to be in a channel before it can post there."""

    async def join(self, address: Address, topics: Sequence[str] = ()) -> None:
        """Make sure that the bot can post on `topics` in this channel. Raises Refused, whose words are for people."""


@runtime_checkable
class Checks(Protocol):
    """A platform that can tell the doctor how it is."""

    async def check(self) -> Sequence[Check]:
        """Look at the credentials, at permissions and at what is paused, and say it. Never raises."""


@runtime_checkable
class Closes(Protocol):
    """A platform that holds connections."""

    async def close(self) -> None:
        """Let go of everything at the end of the process. Never raises."""
