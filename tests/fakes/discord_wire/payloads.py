"""What Discord says of people, servers, roles, channels and members."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.fakes.discord_wire.permissions import in_channel
from tests.fakes.discord_wire.state import DM, EPOCH, FORUM, GROUP, VOICE, Channel, Guild, Json, Role, User

JOINED = "2026-01-01T00:00:00+00:00"


def at(id_: str) -> str:
    """Return the time in an id, as Discord writes times."""
    return datetime.fromtimestamp(((int(id_) >> 22) + EPOCH) / 1000, UTC).isoformat()


def user(one: User) -> Json:
    """Return a person."""
    more: Json = {"bot": True} if one.bot else {}
    return {
        "id": one.id,
        "username": one.name,
        "discriminator": "0",
        "global_name": None if one.bot else one.name.capitalize(),
        "avatar": None,
        "public_flags": 0,
        **more,
    }


def member(guild: Guild, one: User) -> Json:
    """Return a member of a server."""
    return {
        "user": user(one),
        "roles": list(guild.members.get(one.id, ())),
        "nick": None,
        "avatar": None,
        "joined_at": JOINED,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "pending": False,
        "premium_since": None,
        "communication_disabled_until": None,
    }


def role(one: Role) -> Json:
    """Return a role."""
    managed = one is one.guild.bot_role
    return {
        "id": one.id,
        "name": one.name,
        "permissions": str(one.permissions),
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": list(one.guild.roles).index(one.id),
        "managed": managed,
        "mentionable": False,
        "flags": 0,
        "icon": None,
        "unicode_emoji": None,
    }


def channel(one: Channel) -> Json:
    """Return a channel, a thread or a direct message."""
    last = str(next(reversed(one.messages))) if one.messages else None
    if one.guild is None:
        told: Json = {"id": one.id, "type": one.type, "last_message_id": last, "flags": 0}
        told["recipients"] = [user(person) for person in one.recipients]
        return told if one.type == DM else {**told, "name": one.name, "owner_id": one.owner, "icon": None}
    common: Json = {
        "id": one.id,
        "type": one.type,
        "guild_id": one.guild.id,
        "name": one.name,
        "parent_id": one.parent.id if one.parent else None,
        "last_message_id": last,
        "rate_limit_per_user": 0,
        **({"bitrate": 64000, "user_limit": 0} if one.type == VOICE else {}),
        "flags": (1 << 4) if one.tag_required else 0,
    }
    return {**common, **(_thread(one) if one.is_thread else _standing(one))}


def partial_channel(one: Channel, viewer: User) -> Json:
    """Return a channel as an interaction brings it, with what its person may there."""
    told = channel(one)
    return told if one.type in (DM, GROUP) else {**told, "permissions": str(in_channel(one, viewer))}


def guild(one: Guild) -> Json:
    """Return a server, as GET /guilds/{id} does."""
    return {
        "id": one.id,
        "name": one.name,
        "owner_id": one.owner.id,
        "roles": [role(each) for each in one.roles.values()],
        "emojis": [],
        "stickers": [],
        "features": [],
        "icon": None,
        "description": None,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "afk_timeout": 300,
        "preferred_locale": "en-US",
        "system_channel_flags": 0,
        "premium_progress_bar_enabled": False,
    }


def guild_created(one: Guild, bot: User) -> Json:
    """Return a server as the gateway brings it to a bot without the members intent."""
    channels = list(one.channels.values())
    return {
        **guild(one),
        "joined_at": JOINED,
        "large": False,
        "unavailable": False,
        "member_count": len(one.members),
        "members": [member(one, bot)],
        "channels": [channel(each) for each in channels if not each.is_thread],
        "threads": [channel(each) for each in channels if each.is_thread and not each.archived],
        "voice_states": [],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def _standing(one: Channel) -> Json:
    told: Json = {
        "topic": one.topic or None,
        "position": 0,
        "nsfw": False,
        "permission_overwrites": [
            {"id": id_, "type": kind, "allow": str(allow), "deny": str(deny)}
            for id_, (kind, allow, deny) in one.overwrites.items()
        ],
    }
    if one.type == FORUM:
        forum: dict[str, Any] = {"available_tags": one.tags, "default_reaction_emoji": None, "default_forum_layout": 0}
        told |= {**forum, "default_sort_order": None, "default_thread_rate_limit_per_user": 0}
    return told


def _thread(one: Channel) -> Json:
    return {
        "owner_id": one.owner,
        "message_count": max(0, len(one.messages) - 1),
        "total_message_sent": len(one.messages),
        "member_count": 1,
        "applied_tags": one.applied,
        "thread_metadata": {
            "archived": one.archived,
            "locked": one.locked,
            "auto_archive_duration": 4320,
            "archive_timestamp": at(one.id),
            "create_timestamp": at(one.id),
        },
    }
