"""What Discord has to be told, against the code: no permission, scope or intent is missing, none is too many."""

from __future__ import annotations

import ast
from base64 import urlsafe_b64encode
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import discord
import pytest
from pydantic import SecretStr

from bot.config import Settings
from bot.errors import SettingsError
from bot.platforms.discord.client import Client
from bot.platforms.discord.manifest import (
    INTENTS,
    PERMISSIONS,
    application_id,
    intents,
    invite_url,
    manifest,
    permissions,
    user_url,
)
from bot.platforms.discord.places import LABELS
from bot.platforms.discord.shards import numbers, shards
from bot.plugins import load

APP = "112233445566778899"
TOKEN = f"{urlsafe_b64encode(APP.encode()).decode().rstrip('=')}.GsEcre.t-sEcret_0"
COMMANDS = load("bot.commands")
FOLDER = Path(__file__).parents[2] / "bot/platforms/discord"
NEITHER = {"connect"}  # a client does it
OF_PEOPLE = {
    "manage_channels",
    "manage_guild",
    "manage_threads",
    "administrator",
}  # what is asked of whoever types, not of the bot


def asked(link: str) -> dict[str, str]:
    """Return what a link asks for."""
    parts = urlsplit(link)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "discord.com", "/oauth2/authorize")
    return {name: value for name, (value,) in parse_qs(parts.query).items()}


def test_the_invite_asks_for_the_table_and_no_more() -> None:
    link = asked(invite_url(APP))
    bits = discord.Permissions(int(link.pop("permissions")))
    assert bits == discord.Permissions(**dict.fromkeys(PERMISSIONS, True))
    assert link == {"client_id": APP, "scope": "bot applications.commands", "integration_type": "0"}
    assert permissions().value == 1 << 10 | 1 << 11 | 1 << 16 | 1 << 38  # by the numbers of Discord's reference


def test_a_person_installs_the_commands_alone() -> None:
    assert asked(user_url(APP)) == {"client_id": APP, "scope": "applications.commands", "integration_type": "1"}


def named(folder: Path) -> set[str]:
    """Return discord.py's names of permissions that stand in the code of a folder, the manifest left out."""
    found = set()
    for file in folder.glob("*.py"):
        if file.name != "manifest.py":
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute):
                    found.add(node.attr)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.add(node.value)
                elif isinstance(node, ast.keyword) and node.arg:
                    found.add(node.arg)
    return found & set(discord.Permissions.VALID_FLAGS) - NEITHER


def test_every_permission_that_the_code_names_is_asked_for_and_none_is_too_many() -> None:
    assert named(FOLDER) - OF_PEOPLE <= set(PERMISSIONS)
    assert set(PERMISSIONS) <= named(FOLDER)


def test_no_intent_is_privileged() -> None:
    wanted = discord.Intents.none()
    for name in INTENTS:
        setattr(wanted, name, True)
    assert not [name for name in ("members", "presences", "message_content") if getattr(wanted, name)]


def test_mentions_are_heard_if_the_settings_say_so() -> None:
    assert intents(Settings()) == ["guilds", "dm_messages", "guild_messages"]
    assert intents(Settings(discord_mentions=False)) == ["guilds", "dm_messages"]
    assert "guild_messages" not in manifest(Settings(discord_mentions=False), COMMANDS)


@pytest.mark.parametrize("mentions", [True, False])
def test_the_client_asks_for_these_intents_and_no_more(mentions: bool) -> None:
    settings = Settings(discord_mentions=mentions)
    assert {name for name, asked_for in Client(settings).intents if asked_for} == set(intents(settings))


def test_the_manifest_holds_the_links_and_what_they_ask_for_and_no_token() -> None:
    said = manifest(Settings(discord_token=SecretStr(TOKEN)), COMMANDS)
    assert invite_url(APP) in said
    assert user_url(APP) in said
    for name, why in PERMISSIONS.values():
        assert name in said
        assert why in said
    assert "Privileged Gateway Intents: all off" in said
    assert "sEcret" not in said
    assert all(line == line.rstrip() for line in said.splitlines())


def test_the_verb_finds_it() -> None:
    assert load("bot.platforms", "manifest", optional=True)["discord"] is manifest


def test_what_a_channel_must_allow_is_what_the_invite_asks_for() -> None:
    assert set(LABELS) == set(PERMISSIONS)


def test_without_a_token_it_says_what_to_put_into_the_links() -> None:
    said = manifest(Settings(), COMMANDS)
    assert "client_id=APPLICATION_ID&" in said
    assert "PAPERROUND_DISCORD_TOKEN" in said.splitlines()[-1]


@pytest.mark.parametrize(
    ("token", "application"), [(TOKEN, APP), ("MTIz.x.y", "123"), ("", ""), ("x.y.z", ""), ("////.y.z", ""), ("é", "")]
)
def test_a_token_tells_its_application(token: str, application: str) -> None:
    assert application_id(token) == application


@pytest.mark.parametrize(
    ("text", "read"), [("", []), ("0", [0]), ("0-3,5", [0, 1, 2, 3, 5]), ("5,2-3,3", [2, 3, 5]), ("4-4", [4])]
)
def test_shards_are_read(text: str, read: list[int]) -> None:
    assert numbers(text) == read


def test_shards_of_a_process() -> None:
    assert shards(Settings()) == (None, None)
    assert shards(Settings(discord_shard_count=4)) == (4, None)
    assert shards(Settings(discord_shard_count=4, discord_shard_ids="2-3")) == (4, [2, 3])


@pytest.mark.parametrize(("count", "ids", "said"), [(0, "0", "SHARD_COUNT"), (4, "3-4", "no shard 4 of 4")])
def test_shards_that_there_are_not(count: int, ids: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        shards(Settings(discord_shard_count=count, discord_shard_ids=ids))
