"""The table of Slack's methods against the code: nothing is called that is not in it, and each code has its class."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.errors import Refused, Retry, Uncertain
from bot.platforms.slack.methods import CODES, ENDED, HISTORY, METHODS, kind_of, words

FOLDER = Path(__file__).parents[2] / "bot" / "platforms" / "slack"
SOURCES = {path.name: path.read_text() for path in FOLDER.glob("*.py") if path.name != "methods.py"}
LITERAL = re.compile(
    r"""["']((?:chat|conversations|users|views|files|auth|apps|oauth|team|bots|reactions|pins|dialog)
                     (?:\.[a-zA-Z0-9]+)+)["']""",
    re.VERBOSE,
)
CLIENT = {
    "auth.test": "auth_test",
    "oauth.v2.access": "AsyncOAuthFlow",
    "apps.connections.open": "apps_connections_open",
}


def test_what_is_called_is_in_the_table() -> None:
    called = {name for source in SOURCES.values() for name in LITERAL.findall(source)}
    assert called
    assert called <= set(METHODS)


def test_what_is_in_the_table_is_called() -> None:
    everything = "\n".join(SOURCES.values())
    named = set(LITERAL.findall(everything))
    unused = {name for name in METHODS if name not in named and CLIENT.get(name, "!") not in everything}
    assert not unused & {name for name in METHODS if name not in CLIENT}


def test_no_call_goes_past_the_one_way() -> None:
    for name, source in SOURCES.items():
        own = name in ("check.py", "tokens.py", "oauth.py")  # tokens that are not stored, or not looked up yet
        assert name == "calls.py" or own or ".api_call(" not in source, name
        assert not own or set(LITERAL.findall(source)) <= set(CLIENT), name
        assert not re.search(r"client\.(chat|conversations|users|views|files)_", source), name


@pytest.mark.parametrize("name", METHODS)
def test_each_code_has_a_class(name: str) -> None:
    method = METHODS[name]
    assert set(method.codes.values()) <= {Retry, Refused, Uncertain}
    assert dict(CODES).items() <= dict(method.codes).items()  # no method changes what is common
    assert all(re.fullmatch(r"[a-z0-9_]+", code) for code in method.codes)
    assert all(re.fullmatch(r"[a-z]+:[a-z]+", scope) for scope in method.scopes)


@pytest.mark.parametrize(
    ("method", "code", "kind"),
    [
        ("chat.postMessage", "channel_not_found", Refused),
        ("chat.postMessage", "is_archived", Refused),
        ("chat.postMessage", "msg_blocks_too_long", Refused),
        ("chat.postMessage", "ratelimited", Retry),
        ("chat.postMessage", "rate_limited", Retry),
        ("chat.postMessage", "message_limit_exceeded", Retry),
        ("chat.postMessage", "team_added_to_org", Retry),
        ("chat.postMessage", "internal_error", Uncertain),
        ("chat.postMessage", "fatal_error", Uncertain),
        ("chat.postMessage", "service_unavailable", Uncertain),
        ("chat.postMessage", "account_inactive", Refused),
        ("chat.update", "update_failed", Uncertain),
        ("chat.update", "message_not_found", Refused),
        ("conversations.history", "not_in_channel", Refused),
        ("conversations.open", "user_not_found", Refused),
        ("views.open", "expired_trigger_id", Refused),
        ("views.publish", "hash_conflict", Refused),
        ("chat.postMessage", "something_new", None),
    ],
)
def test_the_class_of_a_code(method: str, code: str, kind: type[Exception] | None) -> None:
    assert kind_of(method, code) is kind


def test_words_say_what_to_do_and_name_what_they_do_not_know() -> None:
    assert "invite me" in words("chat.postMessage", "not_in_channel")
    assert "something_new" in words("chat.postMessage", "something_new")
    assert "restricted_action_read_only_channel" in words("chat.postMessage", "restricted_action_read_only_channel")
    assert all("install" in words("chat.postMessage", code) for code in ENDED)


def test_histories_need_the_scopes_that_a_setting_gives_up() -> None:
    reads = {name for name, method in METHODS.items() if any(scope.endswith(":history") for scope in method.scopes)}
    assert reads == HISTORY
