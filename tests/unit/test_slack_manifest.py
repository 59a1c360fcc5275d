"""The manifest against the code and against Slack's reference of manifests: nothing is missing, nothing is too many.

`paperround manifest slack >deploy/slack-manifest.json` writes the repository's copy anew.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.config import Settings
from bot.errors import SettingsError
from bot.platforms.slack.listen import ENDS
from bot.platforms.slack.manifest import EVENTS, EVENTS_PATH, INSTALL_PATH, REDIRECT_PATH, SIMILAR, manifest, scopes
from bot.platforms.slack.methods import HISTORY, METHODS
from bot.plugins import load

ROOT = Path(__file__).parents[2]
SLACK = ROOT / "bot/platforms/slack"
COMMANDS = load("bot.commands")
PUBLIC = "https://papers.example.org"
WHY = {  # each scope, and what it is for: README and whoever installs the app have to be told of a new one
    "app_mentions:read": "@paperround in a channel",
    "channels:history": "whether a digest arrived whose answer was lost",
    "channels:join": "a channel's subscription",
    "channels:read": "names of channels, who made them, who comes and goes",
    "chat:write": "digests and answers",
    "commands": "/papers and the shortcut",
    "files:write": "exports",
    "groups:history": "as channels:history, for private channels",
    "groups:read": "as channels:read, for private channels",
    "im:history": "what is written to the bot directly",
    "im:write": "digests of one person",
    "users:read": "names, time zones, who is an administrator",
}


def settings(**values: Any) -> Settings:
    return Settings(**values)


def made(**values: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(manifest(settings(**values), COMMANDS))
    return found


MODES: list[dict[str, Any]] = [
    {},
    {"slack_history": False},
    {"public_url": PUBLIC},
    {"slack_mode": "http", "public_url": PUBLIC + "/bot"},
    {"slack_mode": "http", "public_url": PUBLIC, "slack_history": False, "command": "papers-test"},
]

TEXT, FLAG, HTTPS = (str, 1), bool, re.compile(r"https://[^\s]+")
SCHEMA: dict[str, Any] = {  # Slack's reference: fields, longest texts, most entries; "!" marks what has to be there
    "display_information!": {
        "name!": (str, 35),
        "description": (str, 140),
        "background_color": re.compile("#[0-9a-f]{6}"),
    },
    "features": {
        "app_home": {"home_tab_enabled": FLAG, "messages_tab_enabled": FLAG, "messages_tab_read_only_enabled": FLAG},
        "bot_user": {"display_name!": re.compile(r"[a-z0-9._-]{1,80}"), "always_online": FLAG},
        "shortcuts": (
            list,
            10,
            {
                "name!": (str, 24),
                "type!": re.compile("message|global"),
                "callback_id!": (str, 255),
                "description!": (str, 150),
            },
        ),
        "slash_commands": (
            list,
            50,
            {
                "command!": re.compile("/[a-z0-9_-]{1,31}"),
                "description!": (str, 2000),
                "usage_hint": (str, 1000),
                "should_escape": FLAG,
                "url": HTTPS,
            },
        ),
    },
    "oauth_config": {
        "redirect_urls": (list, 1000, HTTPS),
        "scopes": {"bot": (list, 255, re.compile("[a-z_]+(:[a-z]+)?"))},
    },
    "settings": {
        "event_subscriptions": {"request_url": HTTPS, "bot_events": (list, 100, re.compile("[a-z_]+([.][a-z]+)?"))},
        "interactivity": {"is_enabled!": FLAG, "request_url": HTTPS},
        "org_deploy_enabled": FLAG,
        "socket_mode_enabled": FLAG,
        "token_rotation_enabled": FLAG,
    },
}


def check(value: Any, schema: Any, at: str = "") -> None:
    """Hold a value against the schema."""
    if isinstance(schema, dict):
        fields = {name.rstrip("!"): inner for name, inner in schema.items()}
        assert value.keys() <= fields.keys(), at
        assert {name.rstrip("!") for name in schema if name.endswith("!")} <= value.keys(), at
        for name, inner in value.items():
            check(inner, fields[name], f"{at}.{name}")
    elif isinstance(schema, re.Pattern):
        assert schema.fullmatch(value), f"{at}: {value}"
    elif schema is FLAG:
        assert isinstance(value, bool), at
    elif schema[0] is str:
        assert 0 < len(value) <= schema[1], f"{at}: {value}"
    else:
        assert 0 < len(value) <= schema[1], at
        assert len({json.dumps(entry) for entry in value}) == len(value), at
        for entry in value:
            check(entry, schema[2], at)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_it_is_as_slack_takes_it(mode: dict[str, Any]) -> None:
    check(made(**mode), SCHEMA)


def test_what_the_issue_asks_for_stands_in_it() -> None:
    found = made()
    [command] = found["features"]["slash_commands"]
    assert (command["command"], command["should_escape"]) == ("/papers", True)
    assert found["features"]["app_home"] == {
        "home_tab_enabled": True,
        "messages_tab_enabled": True,
        "messages_tab_read_only_enabled": False,
    }
    [shortcut] = found["features"]["shortcuts"]
    assert (shortcut["name"], shortcut["type"], shortcut["callback_id"]) == ("Find similar papers", "message", SIMILAR)
    switches = found["settings"]
    assert switches["interactivity"] == {"is_enabled": True}
    assert not switches["token_rotation_enabled"]
    assert not switches["org_deploy_enabled"]


def test_every_word_of_the_hint_is_a_command() -> None:
    hint = made()["features"]["slash_commands"][0]["usage_hint"]
    assert all(part.split()[0] in COMMANDS for part in hint.split(" · "))
    assert SIMILAR in COMMANDS


def test_in_socket_mode_no_address_stands_in_it() -> None:
    found = made()
    assert found["settings"]["socket_mode_enabled"] is True
    assert "http" not in json.dumps(found)


def test_in_http_mode_every_address_is_the_bots() -> None:
    found = made(slack_mode="http", public_url=PUBLIC + "/bot/")
    there = f"{PUBLIC}/bot{EVENTS_PATH}"
    assert found["settings"]["socket_mode_enabled"] is False
    assert found["settings"]["event_subscriptions"]["request_url"] == there
    assert found["settings"]["interactivity"]["request_url"] == there
    assert [command["url"] for command in found["features"]["slash_commands"]] == [there]
    assert found["oauth_config"]["redirect_urls"] == [f"{PUBLIC}/bot{REDIRECT_PATH}"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"slack_mode": "http"}, "PAPERROUND_PUBLIC_URL is missing"),
        ({"slack_mode": "http", "public_url": "http://localhost:8080"}, "https:// only"),
        ({"public_url": "http://127.0.0.1:8080"}, "https:// only"),
    ],
)
def test_an_address_that_slack_cannot_reach_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        manifest(settings(**values), COMMANDS)


def test_each_scope_is_known_and_none_is_too_many() -> None:
    assert made()["oauth_config"]["scopes"] == {"bot": sorted(WHY)}


def test_history_can_be_given_up_but_for_direct_messages_which_are_an_event() -> None:
    lost = set(scopes(settings())) - set(scopes(settings(slack_history=False)))
    assert lost == {"channels:history", "groups:history"}


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("history", [True, False])
def test_every_method_that_is_called_is_covered(method: str, history: bool) -> None:
    if history or method not in HISTORY:
        assert set(METHODS[method].scopes) <= set(scopes(settings(slack_history=history)))


@pytest.mark.parametrize("event", sorted(EVENTS))
def test_every_event_is_covered(event: str) -> None:
    assert set(EVENTS[event]) <= set(scopes(settings(slack_history=False)))


@pytest.mark.parametrize("scope", sorted(WHY))
def test_a_scope_is_there_for_a_method_an_event_or_the_commands(scope: str) -> None:
    needed = [name for name, method in METHODS.items() if scope in method.scopes]
    needed += [name for name, wanted in EVENTS.items() if scope in wanted]
    assert needed or scope == "commands"


def constants(name: str) -> set[str]:
    """Return the texts that stand in one file of the platform."""
    tree = ast.parse((SLACK / name).read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def heard() -> set[str]:
    """Return the kinds of events that listen.py tells apart: what `kind` is compared with."""
    found: set[str] = set(ENDS)
    for node in ast.walk(ast.parse((SLACK / "listen.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == "kind":
            found |= {str(one.value) for one in ast.walk(node) if isinstance(one, ast.Constant)}
    return found


def test_what_is_listened_to_is_in_it_and_the_other_way_round() -> None:
    assert heard() == {event.partition(".")[0] for event in EVENTS}


def test_what_others_call_the_paths_is_what_the_manifest_calls_them() -> None:
    said = set().union(*(constants(file.name) for file in SLACK.glob("*.py") if file.name != "manifest.py"))
    paths = {text for text in said if re.fullmatch(r"/slack/\w+", text)}
    assert paths <= {EVENTS_PATH, INSTALL_PATH, REDIRECT_PATH}


def test_the_repositorys_copy_is_the_one_of_the_usual_settings() -> None:
    assert (ROOT / "deploy/slack-manifest.json").read_text(encoding="utf-8") == manifest(settings(), COMMANDS) + "\n", (
        "write it anew: paperround manifest slack >deploy/slack-manifest.json"
    )


def test_slack_gives_its_manifest_to_the_verb() -> None:
    made = load("bot.platforms", "manifest", optional=True)["slack"]
    assert made(settings(), COMMANDS) == manifest(settings(), COMMANDS)
