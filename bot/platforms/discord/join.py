"""Before a channel is subscribed: whether digests can be posted there, and by name what is missing."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.core.plain import plain
from bot.core.request import Address
from bot.errors import Refused
from bot.platforms.discord.forum import tags_of
from bot.platforms.discord.manifest import invite_url
from bot.platforms.discord.places import Channel, Places
from bot.platforms.discord.read import PEOPLE

MOST_NAMED = 20  # tags
_LATER = "Discord does not answer just now. Try again in a minute."
_TAKES_NONE = "Digests can be posted in text channels, announcement channels, forums and threads. Choose one of those."


async def join(places: Places, address: Address, topics: Sequence[str] = ()) -> None:
    """Make sure that digests on `topics` can be posted in a channel. Raises Refused, whose words are for people."""
    if not address.channel:
        return
    if not await _is_member(places, address.workspace):
        raise Refused(_invite(places))
    facts = await places.about(Address(address.platform, address.workspace, channel=address.channel))
    try:
        channel = await places.channel(address)
    except Exception as error:
        raise Refused(_LATER) from error
    if facts.missing_permissions:
        where = f"#{plain(channel.name)}" if channel and facts.name else "that channel"
        raise Refused(
            f"In {where} I lack: {', '.join(facts.missing_permissions)}. Whoever manages the server gives it to my "
            "role, in the channel's settings under Permissions. Then try again."
        )
    if channel is None:
        raise Refused(_LATER)
    if problem := obstacle(channel, topics):
        raise Refused(problem)


async def _is_member(places: Places, workspace: str) -> bool:
    """Say whether the bot is in a server: some have no more than its commands. Raises Refused if nobody can tell."""
    try:
        return workspace != PEOPLE and await places.guild(workspace) is not None
    except Exception as error:
        raise Refused(_LATER) from error


def obstacle(channel: Channel, topics: Sequence[str]) -> str:
    """Say what stands in the way of digests in a channel, its permissions aside; nothing if nothing does. Pure."""
    name = f"#{plain(channel.name)}"
    if isinstance(channel, discord.Thread):
        return (
            f"The thread {name} is locked. Whoever manages it can unlock it; then try again." if channel.locked else ""
        )
    if isinstance(channel, discord.ForumChannel):
        if not channel.flags.require_tag or tags_of(channel.available_tags, topics):
            return ""
        named = [plain(tag.name) for tag in channel.available_tags if not tag.moderated][:MOST_NAMED]
        has = f"It has: {', '.join(named)}. Subscribe with one of them as a topic." if named else "It has none."
        return f"The forum {name} requires a tag on each post, and none fits the topic. {has}"
    return "" if isinstance(channel, discord.TextChannel) else _TAKES_NONE


def _invite(places: Places) -> str:
    return (
        "I am no member here, so I cannot post here. Whoever manages the server can add me: "
        f"{invite_url(places.application)} – or leave in= out, and the digest comes to you directly."
    )
