"""What a contract test needs of a terminal: feed what is typed, read back what a person sees."""

from __future__ import annotations

import io
import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

from bot.core.message import Message
from bot.core.request import Address, Request
from bot.platforms.console import Console

_LINK = re.compile(r"\x1b\]8;[^;]*;([^\x1b]*)\x1b\\")
_LINE = re.compile(r"^ *(https?://\S+)$", re.MULTILINE)  # a line by itself
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Held:
    """A memory that outlives the console, as the store does."""

    actions: dict[Address, list[str]] = field(default_factory=dict)

    async def remember(self, address: Address, actions: list[str]) -> None:
        self.actions[address] = actions

    async def recall(self, address: Address) -> list[str]:
        return self.actions.get(address, [])


@dataclass(frozen=True)
class Shown:
    """What a person sees: words as they are read, and where links lead. `raw` is what was written."""

    text: str
    links: tuple[str, ...]
    raw: str


class Rig:
    """A console in one of its three looks."""

    def __init__(self, look: str) -> None:
        self.look = look
        self.memory = Held()
        self.address = Address("console", "local", "ada", "")
        self.requests: list[Request] = []

    def platform(self, typed: str = "", out: io.StringIO | None = None) -> Console:
        return Console(
            stdin=io.StringIO(typed),
            stdout=out or io.StringIO(),
            memory=self.memory,
            user=self.address.user,
            as_json=self.look == "json",
            color=self.look == "rich",
            width=100,
        )

    async def say(self, typed: str, *answers: Message) -> Shown:
        """Type lines; each is answered by these messages, of which later ones replace the first."""
        out = io.StringIO()
        await self.platform(typed + "\n", out).run(self._invoke(answers))
        return self._shown(out.getvalue())

    async def press(self, message: Message, label: str, *answers: Message) -> Shown:
        """Have a message shown, and press its first button of that label."""
        await self.say("list", message)
        buttons = [b for card in message.cards for b in card.buttons] + list(message.buttons)
        pressable = [button for button in buttons if button.action]
        number = next(i for i, button in enumerate(pressable, 1) if button.label == label)
        return await self.say(str(number), *answers)

    async def send(self, message: Message, key: str) -> Shown:
        """Deliver a message that nobody asked for."""
        out = io.StringIO()
        receipt = await self.platform(out=out).send(self.address, message, key)
        assert receipt.id
        assert receipt.at.tzinfo is not None
        return self._shown(out.getvalue())

    def _invoke(self, answers: Sequence[Message]) -> Callable[[Request], AsyncGenerator[Message, None]]:
        async def invoke(request: Request) -> AsyncGenerator[Message, None]:
            self.requests.append(request)
            for answer in answers:
                yield answer

        return invoke

    def _shown(self, raw: str) -> Shown:
        if self.look == "json":
            texts: list[str] = []
            links: list[str] = []
            for line in raw.splitlines():
                content = json.loads(line)
                assert set(content) == {"text", "cards", "buttons", "footer", "files", "public", "form"}
                cards = content["cards"]
                texts += [content["text"], *(t for card in cards for t in (card["title"], *card["lines"]))]
                texts += [button["label"] for card in [*cards, content] for button in card["buttons"]]
                texts += [content["footer"]]
                links += [card["url"] for card in cards if card["url"]]
            return Shown("\n".join(texts), tuple(links), raw)
        links = _LINK.findall(raw) + (_LINE.findall(raw) if self.look == "plain" else [])
        return Shown(_COLOR.sub("", _LINK.sub("", raw)), tuple(link for link in links if link), raw)


RIGS: dict[str, Callable[[], Rig]] = {look: (lambda look=look: Rig(look)) for look in ("plain", "rich", "json")}  # type: ignore[misc]
