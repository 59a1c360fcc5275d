"""Posts in a forum: a digest is one, with the forum's own tags. Discord knows no nonce of them, so a double is deleted.

A post is a thread, whose id is that of its first message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import discord
import structlog

from bot.core.fold import folded
from bot.core.message import Message
from bot.core.request import Receipt
from bot.platforms.discord.client import Client
from bot.platforms.discord.marks import is_marked
from bot.platforms.discord.render import components_of, title_of
from bot.platforms.discord.shown import view_of

MOST_TAGS = 5  # of a post
REPEATED = 1.0  # seconds: discord.py waits as long before it says by itself again what may have been taken
BEFORE = 60.0  # seconds that clocks may differ
NOBODY = discord.AllowedMentions.none()

log = structlog.get_logger()


def tags_of(tags: Iterable[discord.ForumTag], topics: Sequence[str]) -> list[discord.ForumTag]:
    """Return the tags that fit the topics, five at most: those that are a topic first, then those of its words. Pure.

    Tags that only moderators may set are left out.
    """
    words = [folded(topic) for topic in topics]
    free = [tag for tag in tags if not tag.moderated]
    same = [tag for tag in free if folded(tag.name) in words]
    rest = [tag for tag in free if folded(tag.name) not in words]
    near = [tag for tag in rest if any(_fits(folded(tag.name), topic) for topic in words)]
    return [*same, *near][:MOST_TAGS]


def _fits(tag: str, topic: str) -> bool:
    """Say whether all words of the one are words of the other."""
    one, other = set(tag.split()), set(topic.split())
    return bool(one and other) and (one <= other or other <= one)


async def post(client: Client, forum: discord.ForumChannel, message: Message, key: str) -> Receipt:
    """Make a post of a message. Raises what discord.py raises."""
    began = asyncio.get_running_loop().time()
    thread, first = await forum.create_thread(
        name=title_of(message),
        view=view_of(components_of(message, key=key)),
        applied_tags=tags_of(forum.available_tags, message.topics),
        allowed_mentions=NOBODY,
        suppress_embeds=True,
    )
    if asyncio.get_running_loop().time() - began >= REPEATED:
        try:
            found = await find(client, forum, key, first.created_at)
        except Exception as error:  # the post is made, whatever its double does
            log.warning("nobody looked for a double of a post", key=key, reason=type(error).__name__)
        else:
            return found or receipt(thread.id)
    return receipt(thread.id)


async def find(client: Client, forum: discord.ForumChannel, key: str, since: datetime) -> Receipt | None:
    """Look for the post of `key` that was made since then; later doubles are deleted. Raises what discord.py raises."""
    oldest = discord.utils.time_snowflake(since) - (int(BEFORE * 1000) << 22)
    ours = []
    for thread in sorted(await _posts(client, forum, oldest)):
        try:
            first = await client.http.get_message(thread, thread)
        except discord.NotFound:
            continue
        if is_marked(first.get("components") or (), key):
            ours.append(thread)
    for double in ours[1:]:
        await _delete(client, double, key)
    return receipt(ours[0]) if ours else None


async def _posts(client: Client, forum: discord.ForumChannel, oldest: int) -> set[int]:
    """Return the ids of the bot's own posts in a forum since the snowflake `oldest`: open ones, and closed ones."""
    me = client.user.id if client.user else 0
    told: list[Any] = [
        await client.http.get_active_threads(forum.guild.id),
        await client.http.get_public_archived_threads(forum.id, limit=100),
    ]
    threads = [thread for answer in told for thread in answer["threads"]]
    mine = [one for one in threads if str(one["parent_id"]) == str(forum.id) and str(one["owner_id"]) == str(me)]
    return {int(one["id"]) for one in mine if int(one["id"]) >= oldest}


async def _delete(client: Client, thread: int, key: str) -> None:
    """Delete a post of ours: that takes no permission as long as nobody has answered. If it does, its words go."""
    try:
        try:
            await client.http.delete_channel(thread)
        except discord.Forbidden:
            await client.http.delete_message(thread, thread)
            await client.http.edit_channel(thread, archived=True)
        log.warning("a double of a post was deleted", key=key)
    except Exception as error:
        log.warning("a double of a post stays", key=key, reason=str(error))


def receipt(message: int, channel: int = 0) -> Receipt:
    """Return what the id of a message says; that of a post is its channel's too."""
    return Receipt(f"{channel or message}:{message}", discord.utils.snowflake_time(message))
