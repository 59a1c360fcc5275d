"""What answers are written with. What Discord asks to wait for is waited for: somebody is there, but not for long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import discord

from bot.core.command import Command
from bot.core.message import File, Form, Message
from bot.core.request import Address
from bot.errors import DeliveryError, Retry, Uncertain
from bot.platforms.discord.codes import verdict
from bot.platforms.discord.form import modal
from bot.platforms.discord.marks import nonce_in
from bot.platforms.discord.read import PEOPLE, PLATFORM
from bot.platforms.discord.render import components_of
from bot.platforms.discord.send import Post
from bot.platforms.discord.shown import modal_of, view_of

TRIES, PATIENCE = 4, 20.0  # tries of one answer, and the seconds that each may take or have to wait
NOBODY = discord.AllowedMentions.none()
T = TypeVar("T")


class Desk:
    """Writes answers. Whatever it does raises Refused, Retry (after several tries) or Uncertain."""

    def __init__(self, post: Post, commands: Mapping[str, Command]) -> None:
        self._post = post
        self.commands = commands

    async def is_here(self, workspace: str) -> bool:  # noqa: ARG002 - Discord tells nothing of where the bot is not
        """Say whether the bot is in a workspace."""
        return True

    async def respond(self, interaction: discord.Interaction, message: Message, *, in_place: bool = False) -> None:
        """Put an answer where an interaction's own is; an earlier one is replaced.

        `in_place`: the message pressed is. If that was a delivery, its mark is kept.
        """
        pressed = interaction.message if in_place else None
        parts = components_of(message, nonce=nonce_in(pressed.components) if pressed else "")
        await _patiently(
            lambda: interaction.edit_original_response(view=view_of(parts), allowed_mentions=NOBODY), again=True
        )

    async def open(self, interaction: discord.Interaction, form: Form) -> None:
        """Open a form: only as the first answer, and within three seconds."""
        await _once(lambda: interaction.response.send_modal(modal_of(modal(form, self.commands))))

    async def follow(self, interaction: discord.Interaction, message: Message, *, private: bool) -> None:
        """Write one more answer to an interaction, for the person only or for all who are there."""
        parts = components_of(message)
        await _patiently(
            lambda: interaction.followup.send(
                view=view_of(parts), ephemeral=private, allowed_mentions=NOBODY, suppress_embeds=True, wait=True
            )
        )

    async def post(
        self, channel: discord.abc.Messageable, message: Message, below: discord.Message | None = None
    ) -> discord.Message:
        """Post a message into a channel, as an answer `below` another, and return it."""
        parts = components_of(message)
        reference = None if below is None else below.to_reference(fail_if_not_exists=False)
        return await _patiently(
            lambda: channel.send(
                view=view_of(parts),
                reference=reference,  # type: ignore[arg-type]
                allowed_mentions=NOBODY,
                suppress_embeds=True,
            )
        )

    async def edit(self, posted: discord.Message, message: Message) -> None:
        """Replace a message that the bot wrote."""
        parts = components_of(message)
        await _patiently(lambda: posted.edit(view=view_of(parts), allowed_mentions=NOBODY), again=True)

    async def alone_with(self, at: Address) -> discord.abc.Messageable:
        """Return the direct message with this person."""
        return await _waiting(lambda: self._post.channel_of(alone(at)))

    async def direct(self, at: Address, message: Message) -> None:
        """Write to this person alone."""
        await self.post(await self.alone_with(at), message)

    async def upload(self, at: Address, file: File) -> None:
        """Send a file to this person alone: never into a channel."""
        await _waiting(lambda: self._post.file(alone(at), file))


def alone(at: Address) -> Address:
    """Return the address of the direct message with a person."""
    return Address(PLATFORM, PEOPLE, at.user)


async def _patiently(work: Callable[[], Awaitable[T]], *, again: bool = False) -> T:
    """Call Discord until it takes what it is given; `again`: what may have been taken may be said once more."""
    return await _waiting(lambda: _once(work), again=again)


async def _waiting(work: Callable[[], Awaitable[T]], *, again: bool = False) -> T:
    """Try as long as what there is to wait for is short."""
    for _ in range(TRIES - 1):
        try:
            return await work()
        except Retry as error:
            if error.after > PATIENCE:
                raise
            await asyncio.sleep(error.after or 1.0)
        except Uncertain:
            if not again:
                raise
            await asyncio.sleep(1.0)
    return await work()


async def _once(work: Callable[[], Awaitable[T]]) -> T:
    try:
        async with asyncio.timeout(PATIENCE):
            return await work()
    except DeliveryError:
        raise
    except Exception as error:
        raise verdict(error) from error
