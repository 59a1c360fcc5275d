"""The stand-in of Discord's wire, driven by the real discord.py: what people do, and what the bot answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
import pytest_asyncio
from discord import app_commands

from tests.fakes.discord_wire.errors import SetupError
from tests.fakes.discord_wire.fake import FakeDiscord
from tests.fakes.discord_wire.rig import online, wired
from tests.fakes.discord_wire.seen import Seen


class Bot(discord.AutoShardedClient):
    """A small bot: commands, buttons, forms, mentions."""

    def __init__(self, **more: Any) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        super().__init__(intents=intents, max_messages=None, chunk_guilds_at_startup=False, **more)
        self.heard: list[discord.Message] = []
        self.tree = app_commands.CommandTree(self)
        group = app_commands.Group(
            name="papers",
            description="Papers",
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
        )
        group.command(name="search", description="Search")(search)
        group.command(name="form", description="A form")(form)
        group.command(name="where", description="Where")(where)
        search_command: Any = group.get_command("search")
        search_command.autocomplete("words")(complete)
        self.tree.add_command(group)
        self.tree.add_command(app_commands.ContextMenu(name="Similar", callback=similar))

    async def on_message(self, message: discord.Message) -> None:
        """Keep what is heard."""
        self.heard.append(message)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Answer buttons and forms."""
        data: Any = interaction.data
        if interaction.type is discord.InteractionType.component:
            if data["custom_id"] == "edit":
                await interaction.response.edit_message(content="edited")
            elif data["custom_id"] == "later":
                await interaction.response.defer()
                await interaction.edit_original_response(content="later", view=None)
            else:
                await interaction.response.send_message(f"pressed {data['custom_id']}", ephemeral=True)
        elif interaction.type is discord.InteractionType.modal_submit:
            said = data["components"][0]["component"]["value"]
            await interaction.response.send_message(f"sent {said}", ephemeral=True)


class Form(discord.ui.Modal, title="A form"):
    """One input."""

    topic: Any = discord.ui.Label(text="Topic", component=discord.ui.TextInput(custom_id="topic", default="cells"))


async def search(interaction: discord.Interaction[Any], words: str, count: int = 3) -> None:
    """Defer, answer, follow."""
    await interaction.response.defer(ephemeral=True)
    view = discord.ui.View(timeout=None)
    for name in ("edit", "later", "other"):
        view.add_item(discord.ui.Button(label=name.title(), custom_id=name))
    view.stop()
    await interaction.edit_original_response(content=f"{words} x {count}", view=view)
    await interaction.followup.send("for all")


async def form(interaction: discord.Interaction[Any]) -> None:
    """Open a form."""
    await interaction.response.send_modal(Form())


async def where(interaction: discord.Interaction[Any], channel: discord.TextChannel, who: discord.Member) -> None:
    """Say what was named, and where this is."""
    await interaction.response.send_message(f"{channel.id} {who.id} {interaction.permissions.manage_channels}")


async def complete(_interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
    """Offer what is typed, twice."""
    return [app_commands.Choice(name=current * 2, value=current * 2)]


async def similar(interaction: discord.Interaction[Any], message: discord.Message) -> None:
    """Answer to a message's menu."""
    await interaction.response.send_message(f"like {message.content}")


@pytest_asyncio.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    """A Discord with no server yet."""
    async with wired() as one:
        yield one


@pytest_asyncio.fixture
async def bot(fake: FakeDiscord) -> AsyncIterator[Bot]:
    """A bot that listens and whose commands are synced."""
    client = Bot()
    async with client:
        await client.login(fake.token)
        await client.tree.sync()
        async with online(fake, client):
            yield client


async def test_a_command_is_deferred_answered_and_followed(fake: FakeDiscord, bot: Bot) -> None:
    ada = fake.user("ada")
    guild = fake.guild("Lab", owner=ada)
    channel = guild.channel("reading")
    seen = await fake.slash(ada, channel, "search", {"words": "cells", "count": 7})
    await seen.until(lambda one: one.followups)
    assert seen.acked_in is not None
    assert seen.acked_in < 1
    assert (seen.ephemeral, seen.deferred) == (True, True)
    answer = await seen.answer()
    assert answer.text == "cells x 7"
    assert answer.labels == ["Edit", "Later", "Other"]
    assert answer.ephemeral
    assert [one.text for one in channel.said] == ["for all"]


async def test_buttons_edit_or_answer(fake: FakeDiscord, bot: Bot) -> None:
    ada = fake.user("ada")
    channel = fake.guild(owner=ada).channel("reading")
    answer = await (await fake.slash(ada, channel, "papers search", {"words": "x"})).answer()
    pressed = await fake.press(ada, answer, "Other")
    assert (await pressed.answer()).text == "pressed other"
    edited = await fake.press(ada, answer, "edit")
    assert await edited.answer() is answer
    assert answer.text == "edited"
    later = await fake.press(ada, answer, "later")
    assert (await later.answer()).text == "later"
    assert answer.buttons == []
    forged = await fake.forge(ada, answer, "old:1")
    assert (await forged.answer()).text == "pressed old:1"
    with pytest.raises(SetupError):
        await fake.press(ada, answer, "Edit")


async def test_a_form_is_opened_and_sent(fake: FakeDiscord, bot: Bot) -> None:
    ada = fake.user("ada")
    seen = await (await fake.slash(ada, None, "form")).until()
    assert seen.modal is not None
    assert list(seen.fields) == ["topic"]
    assert (await (await fake.submit(ada, seen)).answer()).text == "sent cells"
    assert (await (await fake.submit(ada, seen, {"topic": "genes"})).answer()).text == "sent genes"
    with pytest.raises(SetupError):
        await fake.submit(ada, seen, {"topic": ""})


async def test_what_one_types_is_completed_and_a_message_has_a_menu(fake: FakeDiscord, bot: Bot) -> None:
    ada = fake.user("ada")
    channel = fake.guild(owner=ada).channel("reading")
    assert await fake.autocomplete(ada, channel, "search", "words", "ab") == [{"name": "abab", "value": "abab"}]
    message = await fake.write(ada, channel, "a paper")
    assert (await (await fake.menu(ada, message, "Similar")).answer()).text == "like a paper"


async def test_options_name_people_and_channels(fake: FakeDiscord, bot: Bot) -> None:
    ada, ben = fake.user("ada"), fake.user("ben")
    guild = fake.guild("Lab", owner=ada)
    guild.join(ben, [guild.role("Chairs", ["manage_channels"])])
    channel = guild.channel("reading")
    seen = await fake.slash(ben, channel, "where", {"channel": channel, "who": ada})
    assert (await seen.answer()).text == f"{channel.id} {ada.id} True"
    with pytest.raises(SetupError, match="needed"):
        await fake.slash(ben, channel, "where", {"channel": channel})
    with pytest.raises(SetupError, match="no such option"):
        await fake.slash(ben, channel, "where", {"channel": channel, "who": ada, "x": 1})


async def test_messages_are_heard_and_written(fake: FakeDiscord, bot: Bot) -> None:
    ada = fake.user("ada")
    channel = fake.guild(owner=ada).channel("reading")
    await fake.write(ada, channel, "nobody asked")
    await fake.write(ada, channel, f"{fake.bot.mention} hello")
    await fake.write(ada, None, "in private")
    await fake.until(lambda: len(bot.heard) == 3)
    assert [one.content for one in bot.heard] == ["", f"{fake.bot.mention} hello", "in private"]
    place: Any = bot.get_channel(int(channel.id))
    said = await place.send("hello", nonce="a" * 24)
    assert channel.said[-1]["nonce"] == "a" * 24
    await said.edit(content="@everyone")
    assert channel.said[-1].text == "@everyone"
    assert [one.id async for one in place.history(limit=1)] == [said.id]


async def test_an_app_that_a_person_brought_follows_five_times(fake: FakeDiscord, bot: Bot) -> None:
    ada, ben = fake.user("ada"), fake.user("ben")
    channel = fake.group(ada, ben)
    seen: Seen = await fake.slash(ada, channel, "search", {"words": "x"}, installed="user")
    await seen.until(lambda one: one.followups)
    assert seen.payload["context"] == 2
    assert seen.payload["authorizing_integration_owners"] == {"1": ada.id}


async def test_a_late_answer_and_a_second_one_are_refused(fake: FakeDiscord, bot: Bot) -> None:
    ada = fake.user("ada")
    twice = await fake.slash(ada, None, "search", {"words": "x"}, twice=True)
    await twice.until(lambda one: one.refused)
    assert twice.refused == [40060]
    fake.answer_within = -1.0
    late = await fake.slash(ada, None, "search", {"words": "x"})
    await late.until(lambda one: one.refused)
    assert late.refused == [10062]
    assert not late.acked
