"""README against the code: every command, verb, setting, metric and duration it names is there, and none is missing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.config import PREFIX, Settings
from bot.core.drawn import ASK
from bot.core.timing import Timing
from bot.jobs.deliver import LOOKS
from bot.jobs.plan import QUIET
from bot.jobs.web import HEALTH
from bot.metrics import REGISTRY
from bot.platforms.discord.manifest import PERMISSIONS, PORTAL
from bot.platforms.discord.tree import SIMILAR
from bot.platforms.slack.manifest import INSTALL_PATH, scopes
from bot.plugins import GROUPS, load
from bot.store.installs import KEPT
from tests.unit.test_deploy import verbs

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = {name: command for name, command in load("bot.commands").items() if not command.hidden}


def part(title: str) -> str:
    """Return one section of README."""
    return README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def named(text: str) -> set[str]:
    """Return the first words of what stands in backquotes."""
    return {words.split()[0] for words in re.findall(r"`([^`\n]+)`", text)}


def table(text: str) -> str:
    """Return the first column of the tables in a text."""
    return "\n".join(row.split("|")[1] for row in text.splitlines() if row.startswith("|"))


def test_every_command_is_in_the_table_and_nothing_else_is() -> None:
    shown = named(table(part("What people type")))
    opposites = {"unfollow", "unmute"} if "and their opposites" in README else set()
    assert shown | opposites | {"type"} >= set(COMMANDS)
    assert shown <= set(COMMANDS) | {"/papers"}


def test_every_source_that_can_be_chosen_is_in_the_table_and_nothing_else_is() -> None:
    kinds = {name for name, kind in load("bot.sources", "source").items() if hasattr(kind, "pick")}
    assert {one.partition(":")[0] for one in named(table(part("Where papers come from")))} == kinds


def test_every_verb_is_named() -> None:
    said = set(re.findall(r"paperround ([a-z]+)", README)) | named(table(part("Run it on a server")))
    assert verbs() - said == {"demo"}, "the demo is run by deploy/demo"
    assert "deploy/demo" in README
    assert set(re.findall(r"`paperround ([a-z]+)", README)) <= verbs()


def test_every_option_of_a_verb_that_is_named_is_there() -> None:
    source = (ROOT / "bot/cli.py").read_text(encoding="utf-8")
    said = "".join(
        part(title)
        for title in ("Install it on Slack", "Install it on Discord", "What people type", "Run it on a server")
    )
    for option in set(re.findall(r"(?<!pip )--([a-z][a-z-]+)", said)):
        assert f'"--{option}"' in source or f"{option.replace('-', '_')}: Annotated" in source, option


def test_settings_that_are_named_are_settings() -> None:
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(rf"{PREFIX}[A-Z0-9_]+", README)) <= known
    assert f"`{Settings.model_fields['metrics_address'].default}`" in README


ORDER = [
    "See it run",
    "Install it on Slack",
    "Install it on Discord",
    "What people type",
    "Where papers come from",
    "Configure it",
    "Run it on a server",
    "What is promised",
    "How well it ranks",
    "Contribute",
]


def test_it_goes_in_the_readers_order() -> None:
    assert re.findall(r"^## (.+)$", README, re.MULTILINE) == ORDER


def test_the_way_to_slack_names_what_there_is() -> None:
    slack = part("Install it on Slack")
    manifest = json.loads((ROOT / "deploy/slack-manifest.json").read_text(encoding="utf-8"))
    assert "(deploy/slack-manifest.json)" in slack
    assert f"@{manifest['features']['bot_user']['display_name']}" in slack
    assert manifest["features"]["shortcuts"][0]["name"] in slack
    for setting in (name for name in Settings.model_fields if name.startswith("slack_") and name != "slack_api_url"):
        assert f"{PREFIX}{setting.upper()}" in slack, setting
    assert f"`{Settings.model_fields['http_address'].default}`" in slack
    assert INSTALL_PATH in slack
    assert HEALTH in slack
    (file,) = re.findall(r"paperround import (seeds/\S+)", slack)
    assert (ROOT / file).is_file()


def test_permissions_that_are_named_are_asked_for() -> None:
    slack = part("Install it on Slack")
    named_scopes = set(re.findall(r"`([a-z_]+:[a-z]+)`", slack)) - {"connections:write"}
    with_history, without = (set(scopes(Settings(slack_history=history))) for history in (True, False))
    assert named_scopes == with_history - without


def test_the_way_to_discord_names_what_there_is() -> None:
    way = part("Install it on Discord")
    assert f"<{PORTAL}>" in way
    assert SIMILAR in way
    assert f"`/papers {ASK}`" in way
    shown = {name for name in Settings.model_fields if name.startswith("discord_")} - {"discord_api_url"}
    for setting in shown | {"time_zone", "channels"}:
        assert f"{PREFIX}{setting.upper()}" in way, setting
    (file,) = re.findall(r"paperround import (seeds/\S+)", way)
    assert (ROOT / file).is_file()
    assert f"deleted {KEPT.days} days later" in " ".join(way.split())


def test_every_permission_on_discord_is_told() -> None:
    way = " ".join(part("Install it on Discord").split()).partition("**What it may do, and why**")[2]
    assert [name for name, _ in PERMISSIONS.values() if name not in way] == []


def test_what_is_typed_on_discord_is_understood() -> None:
    typed = re.findall(r"`/papers ([a-z]+)([^`]*)`", part("Install it on Discord"))
    assert {"subscribe", "digest", "workspace"} <= {name for name, _ in typed}
    for name, rest in typed:
        given = set(re.findall(r"([a-z]+):", rest))
        assert given <= ({arg.name for arg in COMMANDS[name].args} if name != ASK else set()), name


@pytest.mark.parametrize("file", re.findall(r"\]\(([^)#:]+)\)", README))
def test_files_that_are_linked_are_there(file: str) -> None:
    assert (ROOT / file).exists()


def test_what_is_typed_in_slack_is_understood() -> None:
    typed = re.findall(r"`/papers ([a-z]+)([^`]*)`", part("Install it on Slack"))
    assert typed
    for name, rest in typed:
        options = {word.partition("=")[0] for word in rest.split() if "=" in word}
        assert options <= set(COMMANDS[name].options)
    assert {"at", "on", "tz"} <= set(COMMANDS["subscribe"].options)
    assert f"every weekday at {Settings.model_fields['digest_at'].default}" in " ".join(README.split())


def test_metrics_that_are_named_are_metrics() -> None:
    known = {sample.name for metric in REGISTRY.collect() for sample in metric.samples}
    known |= {metric.name for metric in REGISTRY.collect()}
    said = set(re.findall(r"`(paperround_[a-z_]+)`", README))
    assert said
    assert said <= known


def test_what_is_promised_is_what_the_code_does() -> None:
    promised, timing = part("What is promised"), Timing()
    assert (timing.look, LOOKS) == (60, 2)
    assert "two looks at the history, a minute and two later" in promised
    assert timing.give_up.total_seconds() == 6 * 3600
    assert "after six hours" in promised
    assert timing.stale.total_seconds() == 24 * 3600
    assert "more than a day" in promised
    assert QUIET.days == 7
    assert "silent for a week" in promised


@pytest.mark.parametrize("group", GROUPS.values())
def test_entry_points_are_named(group: str) -> None:
    assert f"`{group}`" in README or f"`.{group.rpartition('.')[2]}`" in README
