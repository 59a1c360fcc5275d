"""The real commands on a server of Discord, as people see them: the whole way, with forms, buttons and digests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from bot.platforms.discord.tree import SIMILAR
from bot.store import owners
from tests.fakes.rig_discord import shown
from tests.fakes.walk_discord import Walk, walking


@pytest.fixture
async def walk() -> AsyncIterator[Walk]:
    async with walking() as made:
        yield made


async def test_from_the_form_to_the_preview_to_why_it_was_less(walk: Walk) -> None:
    form = await walk.type("subscribe")
    assert list(form.fields) == ["topic", "at", "on", "max", "tz"]
    seen = await walk.submit(form, topic="attention")
    assert seen.ephemeral
    assert seen.text.startswith("You follow “attention” now.")
    (preview,) = walk.rig.dm.said
    assert "A preview:" in preview.text
    assert "I do not know your time zone" in preview.text
    less = await walk.press(preview, "Less")
    assert not less.ephemeral
    assert less.original is not None
    assert less.original.labels == ["Undo", "Say why"]
    why = await walk.press(less.original, "Say why")
    said = await walk.submit(why, because="it is about video")
    assert said.text
    assert not walk.rig.channel.said


async def test_the_time_zone_is_changed_by_the_button_of_the_preview(walk: Walk) -> None:
    await walk.type("subscribe", topic="attention")
    (preview,) = walk.rig.dm.said
    form = await walk.press(preview, "Time zone")
    assert "tz" in form.fields
    changed = await walk.submit(form, tz="Europe/Berlin")
    assert "Berlin" in changed.text
    listed = await walk.type("subscriptions")
    assert "Berlin" in listed.text


async def test_a_schedule_by_form(walk: Walk) -> None:
    await walk.type("subscribe", topic="attention")
    form = await walk.type("schedule")
    changed = await walk.submit(form, at="07:30", on=["1", "3"] if "1" in str(form.fields["on"]) else ["mon", "wed"])
    assert "07:30" in shown(*changed.messages).text
    assert "07:30" in shown(*(await walk.type("subscriptions")).messages).text


async def test_a_channel_is_subscribed_by_whoever_manages_it_and_all_may_press(walk: Walk) -> None:
    refused = await walk.type("subscribe", walk.rig.bob, topic="attention", into=walk.rig.channel)
    assert refused.ephemeral
    assert refused.text.startswith("Only those who manage #reading can subscribe it.")
    seen = await walk.type("subscribe", topic="attention", into=walk.rig.channel)
    assert "#reading follows “attention” now." in shown(*seen.messages).text
    assert walk.name_of("channel", walk.rig.guild.id, walk.rig.channel.id) == "reading"
    assert walk.name_of("person", "@me", walk.rig.ada.id) == "Ada"
    listed = await walk.type("subscriptions")
    assert listed.original is not None
    assert "for #reading, asked for by you" in shown(listed.original).text
    # Another member forges what the list holds for Ada: nothing comes of it.
    action = next(one["custom_id"] for one in listed.original.buttons if one["label"] == "Unsubscribe")
    theirs = await walk.type("topics", walk.rig.bob)
    assert theirs.original is not None
    forged = await walk.done(await walk.rig.fake.forge(walk.rig.bob, theirs.original, action))
    assert forged.ephemeral
    assert "for #reading, asked for by you" in shown(*(await walk.type("subscriptions")).messages).text


@pytest.mark.parametrize("said", ["in=#reading", "in:reading"])
async def test_a_channel_that_is_typed_by_name_is_answered_with_what_works(walk: Walk, said: str) -> None:
    refused = await walk.type("ask", text=f"subscribe attention {said}")
    assert shown(*refused.messages).text.startswith(
        "in: I see no channel “reading”. Choose it in the option “in” of /papers subscribe, "
        "or type there: /papers ask text:subscribe TOPIC in:here."
    )
    seen = await walk.type("ask", text="subscribe attention in:here")
    assert "#reading follows “attention” now." in shown(*seen.messages).text


@pytest.mark.parametrize(
    "action", ["more:0:0", "nonsense", "undo:ffffff:0", "form:1:0", "page:zz:1", "home:1:0", "x" * 90]
)
async def test_a_button_that_leads_nowhere_is_answered_kindly(walk: Walk, action: str) -> None:
    seen = await walk.type("topics", walk.rig.bob)
    assert seen.original is not None
    forged = await walk.done(await walk.rig.fake.forge(walk.rig.ada, seen.original, action))
    assert forged.ephemeral
    assert forged.text


async def test_a_search_is_shared_with_all_and_turned_for_oneself(walk: Walk) -> None:
    seen = await walk.type("search", words="attention", share=True)
    assert seen.original is not None
    (shared,) = seen.followups
    assert shown(seen.original).text.startswith(shown(shared).text)  # at first contact more is told privately
    saved = await walk.press(shared, "Save", walk.rig.bob)
    assert saved.ephemeral
    assert "Saved" in saved.text
    assert not walk.rig.fake.pings


async def test_whoever_is_brought_along_is_invited_to_the_server(walk: Walk) -> None:
    elsewhere = walk.rig.fake.guild("Elsewhere", owner=walk.rig.ada, bot=False).channel("general")
    found = await walk.done(
        await walk.rig.fake.slash(walk.rig.ada, elsewhere, "search", {"words": "attention"}, installed="user")
    )
    assert "ICLR" in found.text
    here = {"topic": "attention", "in": elsewhere}
    refused = await walk.done(await walk.rig.fake.slash(walk.rig.ada, elsewhere, "subscribe", here, installed="user"))
    assert "https://" in refused.text
    assert "oauth2/authorize" in refused.text


async def test_of_a_place_where_the_bot_is_not_nothing_is_kept_unless_something_is_shared_there(walk: Walk) -> None:
    fake, ada = walk.rig.fake, walk.rig.ada
    place = fake.guild("Elsewhere", owner=ada, bot=False).channel("secret-project")

    def stored() -> str | None:
        with walk.bot.app.store.reading() as conn:
            found = owners.known(conn, "discord", "@me", "channel", place.id, "")
        return found.name if found else None

    found = await walk.done(await fake.slash(ada, place, "search", {"words": "attention"}, installed="user"))
    await walk.done(await fake.slash(ada, place, "subscribe", {"topic": "attention"}, installed="user"))
    assert found.original is not None
    saved = await walk.press(found.original, "Save")
    assert "Saved" in saved.text
    assert stored() is None
    shared = {"words": "attention", "share": True}
    seen = await walk.done(await fake.slash(ada, place, "search", shared, installed="user"))
    assert len(seen.followups) == 1
    assert stored() == place.id


async def test_what_is_all_of_a_server_is_called_so(walk: Walk) -> None:
    """Whoever is drawn a command reads of servers; `workspace` is the name of a command only."""
    seen = [await walk.type("workspace", walk.rig.bob), await walk.type("workspace")]
    seen += [await walk.type("workspace", tz="Europe/Berlin"), await walk.type("ask", text="help schedule")]
    texts = [shown(*one.messages).text for one in seen]
    assert texts[0].startswith("Only those who manage this server can see")
    assert "0 subscriptions in this server" in texts[1]
    assert not [text for text in texts if " workspace" in text.replace("/papers workspace", "")]
    assert " workspace" not in json.dumps(walk.rig.fake.commands)


async def test_similar_papers_of_a_message_that_somebody_wrote(walk: Walk) -> None:
    link = "https://openreview.net/forum?id=btgVfhudI1"
    said = await walk.rig.fake.write(walk.rig.bob, walk.rig.channel, f"have you read {link}?")
    seen = await walk.done(await walk.rig.fake.menu(walk.rig.ada, said, SIMILAR))
    assert seen.ephemeral
    assert seen.original is not None
    assert "Similar papers" in seen.original.labels


async def test_all_that_is_stored_of_a_person_comes_directly_and_is_forgotten(walk: Walk) -> None:
    await walk.type("save", paper="https://openreview.net/forum?id=btgVfhudI1")
    await walk.type("export")
    assert any(one["attachments"] for one in walk.rig.dm.said)
    asked = await walk.type("forget")
    assert asked.original is not None
    gone = await walk.press(asked.original, asked.original.labels[0])
    assert gone.ephemeral
    assert (await walk.type("saved")).text.startswith("You have saved nothing yet.")


@pytest.mark.parametrize("words", ["don't", "“quoted”", "-- x", "x" * 1000, "the of and", "🙂🙃", "@everyone <@&12>"])
async def test_any_words_have_an_answer(walk: Walk, words: str) -> None:
    seen = await walk.type("search", words=words)
    assert seen.text
    assert not walk.rig.fake.pings
