"""conversations.* and users.*: channels, their histories, and people."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tests.fakes.slack.errors import Fault
from tests.fakes.slack.state import Channel, Json, Team, User
from tests.fakes.slack.world import World

OUTSIDE_PAGE = 15


def kind_of(channel: Channel | None) -> str:
    """Return the word for a channel's kind in the names of scopes."""
    if channel is not None and channel.direct:
        return "im"
    return "groups" if channel is not None and channel.private else "channels"


def scope(family: str) -> Callable[[World, Team, Json], str]:
    """Return what tells which scope a call about a channel needs: channels:read, groups:history, …"""

    def needed(world: World, team: Team, form: Json) -> str:
        return f"{kind_of(team.channels.get(str(form.get('channel', ''))))}:{family}"

    return needed


def channel_object(team: Team, channel: Channel) -> Json:
    """Return a channel as Slack shows it to the bot."""
    common = {"id": channel.id, "created": 1_700_000_000, "is_archived": channel.archived, "context_team_id": team.id}
    if channel.direct:
        other = next((one for one in channel.members if one != team.bot_user), "")
        return {**common, "is_im": True, "user": other, "is_org_shared": False}
    return {
        **common,
        "name": channel.name,
        "name_normalized": channel.name,
        "creator": channel.creator,
        "is_channel": not channel.private,
        "is_group": channel.private,
        "is_im": False,
        "is_mpim": False,
        "is_private": channel.private,
        "is_member": team.bot_user in channel.members,
        "is_general": channel.name == "general",
        "is_shared": channel.shared,
        "is_ext_shared": channel.shared,
        "topic": {"value": channel.topic, "creator": channel.creator, "last_set": 0},
        "purpose": {"value": channel.purpose, "creator": channel.creator, "last_set": 0},
    }


def user_object(user: User) -> Json:
    """Return a person as Slack shows them."""
    own = {"is_admin": user.admin or user.owner, "is_owner": user.owner, "is_primary_owner": False}
    found: Json = {
        "id": user.id,
        "team_id": user.team_id,
        "name": user.name,
        "real_name": user.name.title(),
        "deleted": user.deleted,
        "profile": {"real_name": user.name.title(), "display_name": user.name, "team": user.team_id},
        "is_bot": user.bot,
        "is_app_user": False,
        "updated": 1_700_000_000,
    }
    if user.deleted:
        return found
    found |= {"tz": user.tz, "tz_label": user.tz, "tz_offset": 3600, "is_restricted": False}
    return found | ({"is_stranger": False} if user.home_team else own)


def open_(world: World, team: Team, form: Json) -> Json:
    """Open a direct message."""
    ids = [one for one in str(form.get("users") or "").split(",") if one]
    if form.get("channel"):
        return {"channel": {"id": world.channel_of(team, form["channel"]).id}}
    if not ids:
        raise Fault("users_list_not_supplied")
    if len(ids) > 1:
        raise Fault("missing_scope", needed="mpim:write", provided=",".join(sorted(team.scopes)))
    user = world.user_of(team, ids[0])
    if user.deleted:
        raise Fault("user_disabled")
    if user.bot:
        raise Fault("cannot_dm_bot")
    return {"channel": {"id": team.dm(user).id}, "no_op": False, "already_open": False}


def info(world: World, team: Team, form: Json) -> Json:
    """Tell of a channel."""
    channel = world.channel_of(team, form.get("channel"))
    found = channel_object(team, channel)
    if _true(form.get("include_num_members")):
        found["num_members"] = len(channel.members)
    return {"channel": found}


def join(world: World, team: Team, form: Json) -> Json:
    """Let the bot into a public channel."""
    channel = world.channel_of(team, form.get("channel"))
    if channel.private:
        raise Fault("method_not_supported_for_channel_type")
    if channel.archived:
        raise Fault("is_archived")
    if team.bot_user in channel.members:
        return {"channel": channel_object(team, channel), "warning": "already_in_channel"}
    channel.members.add(team.bot_user)
    event = {"type": "member_joined_channel", "user": team.bot_user, "channel": channel.id, "channel_type": "C"}
    world.emit(team, event | {"team": team.id})
    return {"channel": channel_object(team, channel)}


def leave(world: World, team: Team, form: Json) -> Json:
    """Let the bot out of a channel."""
    channel = world.channel_of(team, form.get("channel"))
    if team.bot_user not in channel.members:
        return {"not_in_channel": True}
    channel.members.discard(team.bot_user)
    return {}


def history(world: World, team: Team, form: Json) -> Json:
    """Return a page of a channel's messages, the newest first; replies in threads are not among them."""
    channel = _inside(world, team, form)
    shown = [one for one in channel.messages if one.get("thread_ts", one["ts"]) == one["ts"]]
    return _page(world, form, _span(world, shown, form)[::-1], {"is_limited": False, "pin_count": 0})


def replies(world: World, team: Team, form: Json) -> Json:
    """Return a page of a thread, the oldest first."""
    channel = _inside(world, team, form)
    ts = str(form.get("ts") or "")
    shown = [one for one in channel.messages if ts in (one["ts"], one.get("thread_ts"))]
    if not shown:
        raise Fault("thread_not_found")
    return _page(world, form, _span(world, shown, form), {})


def list_(world: World, team: Team, form: Json) -> Json:
    """Return a page of the channels that the bot can see."""
    kinds = str(form.get("types") or "public_channel").split(",")
    shown = []
    for channel in team.channels.values():
        kind = "im" if channel.direct else "private_channel" if channel.private else "public_channel"
        visible = not channel.private or team.bot_user in channel.members
        if kind in kinds and visible and not (channel.archived and _true(form.get("exclude_archived"))):
            shown.append(channel_object(team, channel))
    return _cut(form, "channels", shown, 100, 1000)


def members(world: World, team: Team, form: Json) -> Json:
    """Return a page of who is in a channel."""
    return _cut(form, "members", sorted(world.channel_of(team, form.get("channel")).members), 100, 1000)


def user_info(world: World, team: Team, form: Json) -> Json:
    """Tell of a person."""
    return {"user": user_object(world.user_of(team, form.get("user")))}


def user_list(world: World, team: Team, form: Json) -> Json:
    """Return a page of the people."""
    return _cut(form, "members", [user_object(user) for user in team.users.values()], 0, 1000)


def user_channels(world: World, team: Team, form: Json) -> Json:
    """Return a page of the channels that somebody is in."""
    who = str(form.get("user") or team.bot_user)
    inside = [one for one in team.channels.values() if who in one.members and not one.direct]
    return _cut(form, "channels", [channel_object(team, one) for one in inside], 100, 1000)


def _inside(world: World, team: Team, form: Json) -> Channel:
    channel = world.channel_of(team, form.get("channel"))
    if team.bot_user not in channel.members:
        raise Fault("not_in_channel")
    return channel


def _span(world: World, messages: list[Json], form: Json) -> list[Json]:
    """Return the messages of the time that was asked for, as far as the history has them already."""
    oldest = _time(form.get("oldest"), 0.0, "invalid_ts_oldest")
    latest = _time(form.get("latest"), float("inf"), "invalid_ts_latest")
    until, inclusive = time.time() - world.history_lag, _true(form.get("inclusive"))

    def fits(ts: float) -> bool:
        inner = oldest <= ts <= latest if inclusive else oldest < ts < latest
        return inner and (not world.history_lag or ts <= until)

    return [one for one in messages if fits(float(one["ts"]))]


def _time(value: Any, default: float, code: str) -> float:
    try:
        return float(value) if value not in (None, "") else default
    except ValueError:
        raise Fault(code) from None


def _page(world: World, form: Json, messages: list[Json], more: Json) -> Json:
    most = OUTSIDE_PAGE if world.limits.outside else 999
    cut = _cut(form, "messages", messages, OUTSIDE_PAGE if world.limits.outside else 100, most)
    if not _true(form.get("include_all_metadata")):
        cut["messages"] = [{key: one[key] for key in one if key != "metadata"} for one in cut["messages"]]
    return {**cut, **more, "has_more": bool(cut["response_metadata"]["next_cursor"])}


def _cut(form: Json, name: str, values: list[Any], usual: int, most: int) -> Json:
    """Return a page of values, with the cursor of the next."""
    try:
        size = min(int(form.get("limit") or usual or len(values) or 1), most)
    except ValueError:
        raise Fault("invalid_limit") from None
    cursor = str(form.get("cursor") or "next:0")
    if size < 1:
        raise Fault("invalid_limit")
    if not cursor.startswith("next:") or not cursor[5:].isdigit():
        raise Fault("invalid_cursor")
    first = int(cursor[5:])
    following = f"next:{first + size}" if first + size < len(values) else ""
    return {name: values[first : first + size], "response_metadata": {"next_cursor": following}}


def _true(value: Any) -> bool:
    return str(value).lower() in ("1", "true")
