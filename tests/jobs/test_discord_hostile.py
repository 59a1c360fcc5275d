"""What comes to Discord forged, broken, late or twice: a private, friendly line, and nothing in the store changes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import Table, select
from structlog.testing import capture_logs

from bot.demo import SEED, seeds_folder
from bot.jobs.ingest import ingest
from bot.platforms.discord.marks import action_of
from bot.platforms.discord.tree import SIMILAR
from bot.sources import local
from bot.store import tables
from recommender.types import Paper
from tests.fakes.bot import FAULT, Bot, make_bot
from tests.fakes.discord_wire.options import find
from tests.fakes.discord_wire.seen import COMMAND, COMPONENT, SUBMIT, Seen
from tests.fakes.discord_wire.state import Channel, User
from tests.fakes.discord_wire.state import Message as Posted
from tests.fakes.markdown_discord import invites, pings
from tests.fakes.rig_discord import Rig, shown

KEPT = (tables.subscriptions, tables.interests, tables.marks, tables.saved, tables.wishes, tables.workspaces)
HEADS = ("unsubscribe", "undo", "less", "form", "run")
BROKEN = (FAULT, "Something went wrong", "None", "Traceback")
PAPER = "https://openreview.net/forum?id=btgVfhudI1"
TRICKS = (
    "@every@everyone",
    "@@everyoneeveryone @he@herere",
    r"\@everyone \\@here",
    "@\u200beveryone @every\u200bone @here\u2060",
    "@everyone now <@&1234567890123456789> <@1234567890123456789>",
    "<@<@1>2> <@!1234567890123456789> <@&<@&1>2>",
    "[@everyone](https://discord.gg/abc) discord.gg/abc",
    "`@everyone` ||@here|| ```\n@everyone```",
)
WORDS = ("--", " ", "—", "\u200b", "\u202eabc", "zzz", "0", "'; DROP TABLE papers; --", "/papers", "🙂", "the of")
OLD_BUTTONS = (
    *(
        "v0",
        "less",
        "less:",
        "less:x:y",
        "::",
        "#",
        "\u202e",
        "@everyone",
        "unsubscribe:sub1",
        "run:0:0",
        "form:subscribe:",
    ),
    *("LESS:{}:0", "less:{}:fffffff", "less:{}:-1", "paper:{}:0", "less|{}|0", "less:" + "9" * 95, "less:" + "f" * 95),
)
OLD_FORMS = (
    "subscribe",
    "form",
    "form::",
    "form:v0:",
    "form:subscribe",
    "form:subscribe:%",
    "form:SUBSCRIBE:",
    "x" * 100,
)


@dataclass
class Town:
    """A bot with the seeds on a server of Ada's, where Bob may nothing."""

    rig: Rig
    bot: Bot
    read: set[str] = field(default_factory=set)  # what was said and is known to call nobody

    async def type(
        self, command: str, by: User | None = None, at: Channel | None = None, /, *, twice: bool = False, **values: Any
    ) -> Seen:
        """Type a command in the channel, and wait until it is done; `into`: its option `in`."""
        if "into" in values:
            values["in"] = values.pop("into")
        user, where = by or self.rig.ada, at or self.rig.channel
        return await self.done(await self.rig.fake.slash(user, where, command, values, twice=twice))

    async def press(self, message: Posted, what: str, by: User | None = None) -> Seen:
        """Press a button, and wait until it is done."""
        return await self.done(await self.rig.fake.press(by or self.rig.ada, message, what))

    async def raw(self, kind: int, data: dict[str, Any], by: User | None = None, source: Posted | None = None) -> Seen:
        """Send an interaction that no client of today would send."""
        user = by or self.rig.ada
        return await self.done(self.rig.fake._people._send(user, self.rig.channel, kind, data, source=source))

    async def forge(self, by: User, message: Posted, custom_id: str) -> Seen:
        """Press what the message does not have."""
        return await self.done(await self.rig.fake.forge(by, message, custom_id))

    async def at_once(self, by: User, forged: Sequence[str]) -> list[Seen]:
        """Press all of these, which a message of one's own does not have, some at a time."""
        message = (await self.type("topics", by)).original
        assert message is not None
        seen: list[Seen] = []
        for first in range(0, len(forged), 25):
            some = [await self.rig.fake.forge(by, message, one) for one in forged[first : first + 25]]
            await self.done(*some)
            seen += some
        return seen

    async def fill(self, custom_id: str, by: User | None = None, /, **values: str) -> Seen:
        """Send a form that was never opened."""
        inputs = [{"type": 4, "id": n, "custom_id": name, "value": value} for n, (name, value) in _numbered(values)]
        labels = [{"type": 18, "id": 100 + n, "component": one} for n, one in enumerate(inputs)]
        return await self.raw(SUBMIT, {"custom_id": custom_id, "components": labels}, by)

    async def done(self, *seen: Seen) -> Seen:
        """Wait until nothing is at work: whatever came of it, it is a line that calls nobody."""
        for one in seen:
            await one.until(lambda each: each.acked or each.refused)
        await self.rig.settled()
        said = [message for one in seen for message in one.messages] + self.rig.channel.said + self.rig.dm.said
        for text in {one.text for one in said if one["author"]["id"] == self.rig.fake.bot.id} - self.read:
            assert not [one for one in BROKEN if one in text], text
            assert not pings(text), text
            assert not invites(text), text
            self.read.add(text)
        assert not self.rig.fake.pings
        return seen[0]

    def kept(self, *only: Table) -> list[list[tuple[Any, ...]]]:
        """Return what is stored of what people follow, marked, saved and chose."""
        with self.bot.app.store.reading() as conn:
            return [sorted(map(tuple, conn.execute(select(one))), key=repr) for one in only or KEPT]

    def rows(self, table: Table) -> list[Any]:
        """Return the rows of a table, in the order of their numbers."""
        with self.bot.app.store.reading() as conn:
            return sorted(conn.execute(select(table)), key=lambda row: row[0])

    def count(self, table: Table) -> int:
        """Return how many there are."""
        return len(self.kept(table)[0])


def _numbered(values: dict[str, str]) -> Iterable[tuple[int, tuple[str, str]]]:
    return enumerate(values.items(), 1)


def private(seen: Seen) -> str:
    """Return what was answered, to the person alone."""
    assert seen.ephemeral
    assert seen.text
    assert all(one.ephemeral for one in seen.messages)
    return seen.text


def actions(messages: Iterable[Posted]) -> list[str]:
    """Return all that the buttons of messages do."""
    ids = (one["custom_id"] for message in messages for one in message.buttons if "custom_id" in one)
    return list(dict.fromkeys(map(action_of, ids)))


@pytest.fixture(scope="module")
def some() -> list[Paper]:
    """Papers that are enough to follow and to search, and fewer than one learns from."""
    read = local.read(seeds_folder() / SEED)
    return [one for one in read if isinstance(one, Paper) and "attention" in one.abstract][:60]


@pytest.fixture
async def town(some: list[Paper]) -> AsyncIterator[Town]:
    bot, rig = make_bot(some), Rig()
    await rig.open(bot.app.invoke, bot.app.store)
    rig.fake.limits = False
    bot.app.platforms["discord"] = rig.discord
    yield Town(rig, bot)
    await rig.close()


def others(forged: Iterable[str]) -> list[str]:
    """Return what nobody made of it: other things done to the first item of each list."""
    lists = dict.fromkeys(one.split(":")[1] for one in forged if one.count(":") == 2)
    return [f"{head}:{number}:0" for number in lists for head in HEADS]


# -- text


async def test_nobody_is_called_by_a_title_an_author_or_an_abstract(town: Town) -> None:
    odd = [
        Paper(f"x:{n}", f"zyzzyva {trick}", f"zyzzyva {trick} " * 30, (trick, "Ada"), source="local")
        for n, trick in enumerate(TRICKS)
    ]
    ingest(town.bot.app.store, odd, "local", town.bot.at)
    town.bot.app.library.update()
    seen = await town.type("search", words="zyzzyva", share=True)
    (public,) = seen.followups
    assert seen.original is not None
    pages = [shown(public).text]
    while (label := seen.original.labels[-1]).startswith("Next"):
        await town.press(seen.original, label)
        pages.append(shown(seen.original).text)
    assert len(pages) == 2
    for trick in ("@every@everyone", "@everyone now <@&1234567890123456789>", "<@<@1>2>"):
        assert f"zyzzyva {trick}" in "\n".join(pages)
    for label in dict.fromkeys(one["label"] for one in public.buttons if "custom_id" in one):
        private(await town.press(public, label, town.rig.bob))


async def test_nobody_is_called_by_what_people_type_and_are_called(town: Town) -> None:
    for trick in TRICKS:
        eve = town.rig.fake.user(trick[:30])
        town.rig.guild.join(eve)
        room = town.rig.guild.channel(trick[:60], topic=trick)
        for by, at in ((town.rig.ada, room), (eve, town.rig.channel)):
            await town.type("subscribe", by, at, topic=f"attention {trick}", into=room)
            await town.type("search", by, at, words=trick, share=True)
        await town.type("subscriptions")
        await town.type("ask", eve, text=f"serach {trick}")
        await town.type("unsubscribe", eve, name=trick)
        await town.type("follow", eve, author=trick)
        await town.type("mute", eve, words=trick)
        await town.type("workspace", role=town.rig.guild.role(trick[:60]))
        said = await town.rig.fake.write(eve, town.rig.channel, f"{town.rig.fake.bot.mention} {trick}")
        await town.rig.settled()
        await town.done(await town.rig.fake.menu(town.rig.ada, said, SIMILAR))


async def test_nobody_is_called_by_the_tags_of_a_forum(town: Town) -> None:
    forum = town.rig.guild.channel("@everyone papers", kind="forum", topic="@here")
    forum.set_tags([trick[:20] for trick in TRICKS], required=True)
    said = private(await town.type("subscribe", topic="attention", into=forum))
    assert "requires a tag" in said
    assert not town.count(tables.subscriptions)


async def test_an_option_of_six_thousand_characters_is_answered(town: Town) -> None:
    before = town.kept()
    options = {"subscribe": "topic", "unsubscribe": "name", "similar": "paper", "search": "words", "ask": "text"}
    for name, option in options.items():
        found = find(town.rig.fake.world, None, name)
        for text in ("x" * 6000, "word " * 1200, "@everyone " * 600, "注" * 6000):
            said = private(await town.raw(COMMAND, found.data([{"type": 3, "name": option, "value": text}], {})))
            assert name in ("search", "ask") or said.startswith(f"{option}: it has 6,000 characters")
    assert town.kept() == before


async def test_a_form_with_more_than_its_inputs_hold_is_refused_by_name(town: Town) -> None:
    before = town.kept()
    for name in ("topic", "at", "on", "max", "tz"):
        said = private(await town.fill("form:subscribe:", None, **{"topic": "attention", name: "x" * 6000}))
        assert said.startswith(f"{name}: it has 6,000 characters")
    assert "topic" in private(await town.type("subscribe", topic="attention " * 30))
    assert town.kept() == before


async def test_words_of_no_use_have_an_answer(town: Town) -> None:
    before = town.kept()
    for words in WORDS:
        private(await town.type("search", words=words))
        private(await town.type("ask", text=words))
    assert town.kept() == before


# -- places and roles


async def test_a_channel_that_the_bot_does_not_see_is_told_and_not_subscribed(town: Town) -> None:
    before, guild = town.kept(), town.rig.guild
    hidden = guild.channel("hidden", private=True)
    elsewhere = town.rig.fake.guild("Elsewhere", owner=town.rig.ada, bot=False).channel("general")
    other = town.rig.fake.guild("Other", owner=town.rig.bob).channel("theirs")
    gone = guild.channel("gone")
    gone.delete()
    for channel in (hidden, hidden.thread("inside")):
        said = private(await town.type("subscribe", topic="attention", into=channel))
        assert "View Channel" in said
        assert channel.name not in said
    assert "View Channel" in private(await town.type("subscribe", None, hidden, topic="attention", into=hidden))
    assert "View Channel" in private(await town.type("ask", None, hidden, text="subscribe attention in=here"))
    for channel in (hidden, elsewhere, other, gone):
        said = private(await town.type("ask", text=f"subscribe attention in=<#{channel.id}>"))
        assert channel.name not in said
        said = private(await town.fill(f"form:subscribe:in={quote(channel.mention)}", topic="attention"))
        assert channel.name not in said
    for typed in ("<#0>", "<#99999999999999999999999>", "<#-1>", "#hidden"):
        private(await town.type("ask", text=f"subscribe attention in={typed}"))
    assert town.kept() == before


async def test_a_role_that_was_deleted_lets_nobody_subscribe(town: Town) -> None:
    readers = town.rig.guild.role("Readers")
    town.rig.guild.join(town.rig.bob, [readers])
    private(await town.type("workspace", role=readers))
    await town.type("subscribe", town.rig.bob, topic="attention", into=town.rig.channel)
    before = town.kept()
    assert len(before[0]) == 1
    readers.delete()
    guild = town.rig.discord._link.client.get_guild(int(town.rig.guild.id))
    await town.rig.fake.until(lambda: guild is not None and guild.get_role(int(readers.id)) is None)
    said = private(await town.type("subscribe", town.rig.bob, topic="robots", into=town.rig.channel))
    assert said.startswith("Only those who manage #reading")
    private(await town.type("workspace"))
    for text in (f"workspace role=<@&{readers.id}|Readers>", "workspace role=none", "workspace channels=everyone"):
        private(await town.type("ask", town.rig.bob, text=text))
    private(await town.fill("form:workspace:", town.rig.bob, role=f"<@&{readers.id}>", channels="everyone"))
    assert town.kept() == before
    private(await town.type("ask", text="workspace role=<@&1|Nobody's>"))
    private(await town.type("subscribe", town.rig.bob, topic="robots", into=town.rig.channel))
    private(await town.fill(f"form:subscribe:in={quote(town.rig.channel.mention)}", town.rig.bob, topic="robots"))
    assert town.kept(tables.subscriptions, tables.interests) == before[:2]


async def test_whoever_left_a_server_changes_nothing_of_it_any_more(town: Town) -> None:
    bob, alone = town.rig.bob, town.rig.fake.dm(town.rig.bob)
    private(await town.type("workspace", channels="everyone"))
    await town.type("subscribe", bob, topic="attention", into=town.rig.channel)
    listed = (await town.type("subscriptions", bob, alone)).original
    assert listed is not None
    before = town.kept()
    town.rig.guild.leave(bob)
    town.rig.discord._places._kept.clear()  # what is remembered for a minute
    for label in ("Pause", "Unsubscribe"):
        assert (await town.press(listed, label, bob)).text.startswith("Only whoever subscribed this channel")
    for name in ("sub1", "attention"):
        said = (await town.type("unsubscribe", bob, alone, name=name)).text
        assert said.startswith("Only whoever subscribed this channel")
    assert not (await town.rig.fake.autocomplete(bob, alone, "subscribe", "with", ""))
    assert town.kept() == before


async def test_what_one_follows_is_offered_to_nobody_else(town: Town) -> None:
    await town.type("subscribe", topic="attention and a secret")
    for command, option in (("unsubscribe", "name"), ("schedule", "which"), ("pause", "name"), ("subscribe", "topic")):
        for typed in ("", "attention and"):
            offered = await town.rig.fake.autocomplete(town.rig.bob, town.rig.channel, command, option, typed)
            assert not [one for one in offered if "secret" in str(one)]


# -- buttons and forms of others, and of other versions


async def ours(town: Town, channel: Channel | None = None) -> list[str]:
    """Let Ada follow, mark and save, for herself or also for a channel, and return all that her buttons do."""
    seen = [await town.type("subscribe", topic="robots", into=channel)] if channel else []
    seen += [
        await town.type("subscribe", topic="attention"),
        await town.type("search", words="attention"),
        await town.type("save", paper=PAPER),
        await town.type("follow", author="Ada Lovelace"),
    ]
    preview = town.rig.dm.said[-1]
    seen += [await town.press(preview, label) for label in ("More", "Less", "Save") if label in preview.labels]
    names = ("subscriptions", "topics", "saved", "workspace", "profile", "help", "pause", "schedule", "forget")
    seen += [await town.type(name) for name in names]
    return actions([*town.rig.dm.said, *(message for each in seen for message in each.messages)])


async def test_what_another_forges_of_ones_own_buttons_changes_nothing(town: Town) -> None:
    forged = await ours(town)
    before = town.kept()
    assert all(before[:5])
    assert len(forged) > 30
    for one in await town.at_once(town.rig.bob, [*forged, *others(forged)]):
        private(one)
    assert town.kept() == before


async def test_of_a_channels_buttons_another_may_press_those_that_are_for_all(town: Town) -> None:
    posted = await ours(town, town.rig.channel)
    before, bob = town.kept(), town.rig.bob
    for one in await town.at_once(bob, [*posted, *others(posted)]):
        private(one)
    assert town.kept(tables.subscriptions, tables.interests, tables.workspaces) == [*before[:2], before[5]]
    (me,) = [row.id for row in town.rows(tables.owners) if row.external == bob.id]
    (channel,) = [row.id for row in town.rows(tables.owners) if row.kind == "channel"]
    theirs = {row.id for row in town.rows(tables.interests) if row.owner_id == channel}
    assert {row.interest_id for row in town.rows(tables.marks) if row.person_id == me} <= theirs
    assert [tuple(row) for row in town.rows(tables.marks) if row.person_id != me] == before[2]


async def test_a_form_that_names_anothers_subscription_changes_nothing(town: Town) -> None:
    await ours(town, town.rig.channel)
    before = town.kept()
    numbers = [row[0] for row in before[0]]
    assert len(numbers) == 2
    bob = town.rig.bob
    for name in [*(f"sub{number}" for number in numbers), "attention", "robots", "all"]:
        for command, option in (("schedule", "which"), ("pause", "name"), ("unsubscribe", "name"), ("resume", "name")):
            said = private(await town.fill(f"form:{command}:{option}={name}", bob, at="03:00"))
            assert "03:00" not in said
            private(await town.fill(f"form:{command}:", bob, **{option: name}))
        private(await town.fill(f"form:less:name={name}&paper=1", bob, because="x"))
        private(await town.type("ask", bob, text=f"schedule {name} to=<@{bob.id}>"))
    for hidden in ("undo", "handover", "home", "joined", "page", "mute_author"):
        private(await town.fill(f"form:{hidden}:", bob, name="sub1"))
    assert town.kept() == before


async def test_buttons_and_forms_of_another_version_do_nothing(town: Town) -> None:
    number = next(one.split(":")[1] for one in await ours(town) if one.startswith("less:"))
    seen = await town.type("topics")
    assert seen.original is not None
    before = town.kept()
    for custom_id in OLD_BUTTONS:
        made = custom_id.format(number)
        private(await town.forge(town.rig.ada, seen.original, made))
        select = {"custom_id": made, "component_type": 3, "values": ["1"], "id": 1}
        private(await town.raw(COMPONENT, select, source=seen.original))
    for custom_id in OLD_FORMS:
        private(await town.fill(custom_id, nothing="x"))
    for parts in ([], [{"type": 99}], [{"type": 18, "id": 1}], [{"type": 1, "components": []}]):
        private(await town.raw(SUBMIT, {"custom_id": "form:schedule:which=sub77", "components": parts}))
    assert town.kept() == before


async def test_a_command_of_another_version_is_answered_kindly(town: Town) -> None:
    before = town.kept()
    found = find(town.rig.fake.world, None, "search")
    for name in ("read", "subscribe-all", "undo"):
        data = found.data([{"type": 3, "name": "words", "value": "x"}], {})
        data["options"][0]["name"] = name
        assert "another version" in private(await town.raw(COMMAND, data))
    data = found.data([{"type": 3, "name": "query", "value": "x"}], {})
    assert private(await town.raw(COMMAND, data))
    assert town.kept() == before


# -- late, twice, again


async def test_what_discord_takes_no_answer_to_is_done_once_and_logged(town: Town) -> None:
    for topic, fault in (("attention", {"status": 404, "code": 10062}), ("robots", {"status": 400, "code": 40060})):
        town.rig.fake.fail("POST", "/interactions/*", **fault)
        before = town.count(tables.subscriptions)
        with capture_logs() as logs:
            seen = await town.rig.fake.slash(town.rig.ada, town.rig.channel, "subscribe", {"topic": topic})
            await town.rig.fake.until(lambda b=before: town.count(tables.subscriptions) > b)
            await town.rig.settled()
        assert town.count(tables.subscriptions) == before + 1
        assert not seen.messages
        assert [one["code"] for one in logs if one["event"] == "not acknowledged"] == [fault["code"]]
        assert [
            one
            for one in logs
            if one["event"] in ("an answer comes too late to be shown", "an answer was given elsewhere")
        ]
        assert "error" not in {one["log_level"] for one in logs}


async def test_what_is_delivered_twice_is_done_once(town: Town) -> None:
    await town.type("subscribe", twice=True, topic="attention")
    assert town.count(tables.subscriptions) == 1
    assert len(town.rig.dm.said) == 1
    (preview,) = town.rig.dm.said
    pressed = await town.rig.fake.press(town.rig.ada, preview, "Less", twice=True)
    await town.done(pressed)
    assert town.count(tables.marks) == 1
    assert len(town.rig.dm.said) == 2
    form = await town.type("schedule")
    sent = await town.done(await town.rig.fake.submit(town.rig.ada, form, {"at": "07:30"}, twice=True))
    assert private(sent)
    assert [row.at for row in town.rows(tables.subscriptions)] == ["07:30"]
    assert len(town.rig.dm.said) == 3


async def test_a_double_click_has_one_effect(town: Town) -> None:
    await town.type("subscribe", topic="attention", into=town.rig.channel)
    found = await town.type("search", words="attention", share=True)
    (public,) = found.followups

    async def twice(message: Posted, label: str, by: User) -> list[Seen]:
        seen = [await town.rig.fake.press(by, message, label) for _ in range(2)]
        return [await town.done(one) for one in seen]

    for one in await twice(public, "Save", town.rig.bob):
        assert "Saved" in private(one) or "saved" in private(one)
    assert town.count(tables.saved) == 1
    listed = await town.type("subscriptions")
    assert listed.original is not None
    first, _ = await twice(listed.original, "Unsubscribe", town.rig.ada)
    assert all(row.removed_at for row in town.rows(tables.interests))
    undo = next(one for one in (first.original, _.original) if one is not None and "Undo" in one.labels)
    assert undo is not None
    await twice(undo, "Undo", town.rig.ada)
    assert [row.removed_at for row in town.rows(tables.interests)] == [None]
    assert town.count(tables.subscriptions) == 1


async def test_a_button_of_last_month_works_after_a_restart(town: Town) -> None:
    await town.type("subscribe", topic="attention")
    (preview,) = town.rig.dm.said
    town.bot.pass_(days=31)
    await town.rig.stop()
    await town.rig.start()
    town.bot.app.platforms["discord"] = town.rig.discord
    await town.press(preview, "Less")
    assert town.count(tables.marks) == 1
    await town.press(preview, "Save")
    assert town.count(tables.saved) == 1
