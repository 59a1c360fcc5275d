"""Permissions by name, and who has which in a channel: Discord's algorithm (docs, topics/permissions)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fakes.discord_wire.state import Channel, Guild, User

BITS = {
    "create_instant_invite": 0,
    "kick_members": 1,
    "ban_members": 2,
    "administrator": 3,
    "manage_channels": 4,
    "manage_guild": 5,
    "add_reactions": 6,
    "view_audit_log": 7,
    "view_channel": 10,
    "send_messages": 11,
    "manage_messages": 13,
    "embed_links": 14,
    "attach_files": 15,
    "read_message_history": 16,
    "mention_everyone": 17,
    "use_external_emojis": 18,
    "connect": 20,
    "speak": 21,
    "change_nickname": 26,
    "manage_roles": 28,
    "manage_webhooks": 29,
    "use_application_commands": 31,
    "manage_threads": 34,
    "create_public_threads": 35,
    "create_private_threads": 36,
    "send_messages_in_threads": 38,
    "use_external_apps": 50,
}
ALL = sum(1 << bit for bit in BITS.values())
EVERYONE = (
    "create_instant_invite",
    "add_reactions",
    "view_channel",
    "send_messages",
    "embed_links",
    "attach_files",
    "read_message_history",
    "mention_everyone",
    "use_external_emojis",
    "connect",
    "speak",
    "change_nickname",
    "use_application_commands",
    "create_public_threads",
    "create_private_threads",
    "send_messages_in_threads",
    "use_external_apps",
)


def bits(names: Iterable[str]) -> int:
    """Return permissions as a number. Raises KeyError for a name that is none."""
    return sum(1 << BITS[name] for name in set(names))


def in_guild(guild: Guild, user: User) -> int:
    """Return what a member may in a server, channels left aside."""
    if user is guild.owner:
        return ALL
    may = guild.roles[guild.id].permissions
    for role in guild.members.get(user.id, ()):
        if role in guild.roles:
            may |= guild.roles[role].permissions
    return ALL if may & bits(["administrator"]) else may


def in_channel(channel: Channel, user: User) -> int:
    """Return what a member may in a channel; in a thread: in the channel that it is of."""
    guild = channel.guild
    if guild is None:
        return bits(EVERYONE)
    if user.id not in guild.members:
        return 0
    may = in_guild(guild, user)
    if may == ALL:
        return may
    told = (channel.parent or channel).overwrites
    roles = [told[role] for role in guild.members[user.id] if role in told]
    for layer in ([told[guild.id]] if guild.id in told else [], roles, [told[user.id]] if user.id in told else []):
        for _, _, deny in layer:
            may &= ~deny
        for _, allow, _ in layer:
            may |= allow
    return _implied(may)


def _implied(may: int) -> int:
    """Take what is worth nothing without another: nothing without sight, no mention of all without words."""
    if not may & bits(["view_channel"]):
        return 0
    if not may & bits(["send_messages"]):
        may &= ~bits(["mention_everyone", "embed_links", "attach_files"])
    return may


def has(channel: Channel, user: User, *names: str) -> bool:
    """Say whether a person has all of these permissions in a channel."""
    wanted = bits(names)
    return in_channel(channel, user) & wanted == wanted
