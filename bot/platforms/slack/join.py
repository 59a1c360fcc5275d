"""Getting into a channel: a public one is joined; into a private one somebody has to invite the bot."""

from __future__ import annotations

from bot.core.request import HOME, Address
from bot.errors import DeliveryError, Refused
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.facts import Places, name_of

_LATER = "Slack does not answer just now. Try again in a minute."


async def join(calls: Calls, places: Places, address: Address) -> None:
    """Make sure that the bot can post in this channel. Raises Refused, whose words are for people."""
    workspace, id_ = address.workspace, address.channel
    if id_ in ("", HOME) or id_.startswith("D"):
        return
    try:
        places.forget(workspace, id_)
        channel = await places.channel(workspace, id_)
        bot = name_of(await places.person(workspace, (await calls.token(workspace)).bot_user))
        name = channel.get("name")
        if channel.get("is_archived"):
            raise Refused(f"#{name} is archived, so nothing can be posted there. Choose another channel.")
        if channel.get("is_member"):
            return
        if not channel or channel.get("is_private"):
            raise Refused(_invite(bot, f"#{name}" if name else "that channel"))
        await _enter(calls, workspace, id_, _invite(bot, f"#{name}"))
        places.forget(workspace, id_)
    except Refused:
        raise
    except DeliveryError as error:
        raise Refused(_LATER) from error


async def _enter(calls: Calls, workspace: str, channel: str, words: str) -> None:
    try:
        await calls.call(workspace, "conversations.join", channel=channel)
    except Refused as error:
        raise Refused(words) from error


def _invite(bot: str, place: str) -> str:
    who = f"/invite @{bot}" if bot else "/invite, and choose this app,"
    return f"I am not in {place} yet, and cannot join it by myself. Type {who} in {place}, and try again."
