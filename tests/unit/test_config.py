"""A wrong setting is one line: which variable it is, and what would be right."""

from __future__ import annotations

import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from bot.config import PREFIX, Settings, load
from bot.errors import SettingsError, SetupError

ROOT = Path(__file__).parents[2]
KEYS = [
    b64encode(bytes([number]) * 32).decode() for number in (1, 2)
]  # the same in each process that collects the tests
SECRETS = {
    "slack_bot_token": "xoxb-1-sEcret",
    "slack_app_token": "xapp-1-A1-sEcret",
    "slack_signing_secret": "sEcret0123",
    "slack_client_secret": "sEcret4567",
    "discord_token": f"{b64encode(b'112233445566778899').decode()}.GsEcre.t-sEcret_0",
    "secret_keys": KEYS[0],
}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the settings of whoever runs the tests out of the environment."""
    for name in [name for name in os.environ if name.upper().startswith(PREFIX)]:
        monkeypatch.delenv(name)


def test_the_defaults_load() -> None:
    settings = load()
    assert settings.data_dir.is_absolute()
    assert settings.database_url == ""
    assert (settings.digest_at, settings.digest_on, settings.time_zone) == ("09:00", "12345", "UTC")
    assert (settings.digest_max, settings.strictness, settings.ranker) == (5, "normal", "default")
    assert (settings.fresh_days, settings.keep_days, settings.heartbeat_seconds) == (7, 180, 20)
    assert (settings.say_nothing, settings.channels, settings.allowed) == ("say", "managers", "")
    assert (settings.command, settings.lease_seconds) == ("papers", 120)
    assert settings.metrics_address == "127.0.0.1:9464"
    assert (settings.slack_mode, settings.slack_history, settings.http_address) == ("socket", True, "127.0.0.1:8080")
    assert (settings.slack_api_url, settings.public_url, settings.slack_client_id) == ("https://slack.com/api/", "", "")
    assert (settings.discord_guild, settings.discord_shard_count, settings.discord_shard_ids) == ("", 0, "")
    assert (settings.discord_mentions, settings.discord_api_url) == (True, "https://discord.com/api/v10")
    assert not any(getattr(settings, name).get_secret_value() for name in SECRETS)


def test_an_address_of_the_metrics_is_kept_on_this_machine() -> None:
    assert load().metrics_address.startswith("127.0.0.1:")


@pytest.mark.parametrize(
    ("allowed", "inside", "outside"),
    [
        ("", [("slack", "T1"), ("irc", "")], []),
        ("slack:T1,discord", [("slack", "T1"), ("discord", "7")], [("slack", "T2"), ("slack", ""), ("slack", "t1")]),
        ("slack", [("slack", "T1")], [("slac", "k"), ("discord", "slack")]),
        ("discord:7", [("discord", "7"), ("discord", "@me")], [("discord", "8"), ("discord", ""), ("slack", "@me")]),
        ("discord", [("discord", "7"), ("discord", "@me")], [("slack", "@me")]),
        ("a:b:c", [("a", "b:c")], [("a", "b"), ("a:b", "c,d")]),
    ],
)
def test_where_the_bot_may_work(
    monkeypatch: pytest.MonkeyPatch, allowed: str, inside: list[tuple[str, str]], outside: list[tuple[str, str]]
) -> None:
    monkeypatch.setenv(f"{PREFIX}ALLOWED", allowed)
    settings = load()
    assert [place for place in inside if not settings.allows(*place)] == []
    assert [place for place in outside if settings.allows(*place)] == []


@pytest.mark.parametrize(
    ("name", "typed", "read"),
    [
        ("DATA_DIR", "/srv/papers", Path("/srv/papers")),
        ("DATABASE_URL", "postgresql://someone@host/name", "postgresql://someone@host/name"),
        ("LOG_LEVEL", "debug", "debug"),
        ("LOG_FORMAT", "json", "json"),
        ("RANKER", "svm", "svm"),
        ("DIGEST_AT", "8am", "08:00"),
        ("DIGEST_ON", "Mon–Fri", "12345"),
        ("TIME_ZONE", "europe/berlin", "Europe/Berlin"),
        ("DIGEST_MAX", "12", 12),
        ("STRICTNESS", "Strict", "strict"),
        ("FRESH_DAYS", " 14 ", 14),
        ("KEEP_DAYS", "30", 30),
        ("HEARTBEAT_SECONDS", "5", 5),
        ("SAY_NOTHING", "silent", "silent"),
        ("CHANNELS", "everyone", "everyone"),
        ("ALLOWED", " Slack:T0123 , discord,", "slack:T0123,discord"),
        ("ALLOWED", "irc:net:#room", "irc:net:#room"),
        ("COMMAND", "/Papers-Test", "papers-test"),
        ("LEASE_SECONDS", "2.5", 2.5),
        ("METRICS_ADDRESS", "localhost:0", "localhost:0"),
        ("METRICS_ADDRESS", "9100", "127.0.0.1:9100"),
        ("METRICS_ADDRESS", "[::1]:09100", "[::1]:9100"),
        ("METRICS_ADDRESS", "Off", ""),
        ("SLACK_CLIENT_ID", "111.222", "111.222"),
        ("SLACK_MODE", "http", "http"),
        ("SLACK_HISTORY", "No", False),
        ("SLACK_HISTORY", "on", True),
        ("SLACK_API_URL", "http://127.0.0.1:1/api", "http://127.0.0.1:1/api/"),
        ("DISCORD_GUILD", " 112233445566778899 ", "112233445566778899"),
        ("DISCORD_SHARD_COUNT", "16", 16),
        ("DISCORD_SHARD_IDS", " 0 - 3, 5,", "0-3,5"),
        ("DISCORD_MENTIONS", "no", False),
        ("DISCORD_API_URL", "http://127.0.0.1:1/api/v10/", "http://127.0.0.1:1/api/v10"),
        ("EMBEDDER", " models/minilm ", "models/minilm"),
        ("EMBEDDER", "http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("EMBEDDER_MODEL", " nomic ", "nomic"),
        ("HTTP_ADDRESS", "0.0.0.0:80", "0.0.0.0:80"),
        ("HTTP_ADDRESS", "off", ""),
        ("PUBLIC_URL", "https://Papers.example.org/bot/", "https://Papers.example.org/bot"),
        ("PUBLIC_URL", "http://localhost:8080", "http://localhost:8080"),
    ],
)
def test_each_setting_is_read(monkeypatch: pytest.MonkeyPatch, name: str, typed: str, read: object) -> None:
    monkeypatch.setenv(f"{PREFIX}{name}", typed)
    assert getattr(load(), name.lower()) == read


@pytest.mark.parametrize("name", list(Settings.model_fields))
def test_an_empty_setting_is_the_default(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    usual = load()
    monkeypatch.setenv(f"{PREFIX}{name.upper()}", "")
    assert load() == usual


def test_a_database_of_ones_own_replaces_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERROUND_DATABASE_URL", "postgresql://host/name")
    assert load().database_url == "postgresql://host/name"


WRONG = [
    ("LOG_LEVEL", "loud", "'debug', 'info', 'warning' or 'error'"),
    ("LOG_FORMAT", "xml", "'auto', 'human' or 'json'"),
    ("DIGEST_AT", "25:00", "“25:00” is no time of day; type it as 09:00, 9am or 21:30"),
    ("DIGEST_ON", "someday", "weekdays, daily, weekend, Mon–Fri or mon,wed"),
    ("TIME_ZONE", "Berlln", "did you mean Europe/Berlin? Change"),
    ("TIME_ZONE", "+02:00", "type a city, such as Europe/Berlin"),
    ("DIGEST_MAX", "0", "a number from 1 to 50"),
    ("DIGEST_MAX", "many", "whole number; type one from 1 to 50"),
    ("STRICTNESS", "very", "relaxed, normal or strict"),
    ("FRESH_DAYS", "0", "at least 1"),
    ("FRESH_DAYS", "367", "at most 366"),
    ("FRESH_DAYS", "1.5", "a whole number"),
    ("KEEP_DAYS", "-1", "at least 1"),
    ("KEEP_DAYS", "9" * 40, "at most 3660"),
    ("KEEP_DAYS", "x\ny", "a whole number"),
    ("HEARTBEAT_SECONDS", "soon", "a whole number"),
    ("SAY_NOTHING", "never", "'say' or 'silent'"),
    ("CHANNELS", "nobody", "'managers' or 'everyone'"),
    ("ALLOWED", " , ", "with commas"),
    ("ALLOWED", "slack:", "slack:T0123"),
    ("ALLOWED", ":T0123", "slack:T0123"),
    ("ALLOWED", "my team", "slack:T0123"),
    ("COMMAND", "/", "papers-test"),
    ("COMMAND", "p" * 31, "up to 30 letters"),
    ("COMMAND", "my papers", "digits, - and _"),
    ("COMMAND", "papiér", "a to z"),
    ("EMBEDDER", "ftp://example.org", "http://localhost:11434/v1"),
    ("LEASE_SECONDS", "1", "at least 2"),
    ("LEASE_SECONDS", "nan", "a finite number"),
    ("LEASE_SECONDS", "inf", "a finite number"),
    ("LEASE_SECONDS", "1e9", "at most 3600"),
    ("LEASE_SECONDS", "long", "has to be a number"),
    ("METRICS_ADDRESS", "127.0.0.1", "127.0.0.1:9464"),
    ("METRICS_ADDRESS", "127.0.0.1:70000", "or off"),
    ("METRICS_ADDRESS", "http://host:80/", "or off"),
    ("METRICS_ADDRESS", ":9464", "or off"),
    ("SLACK_BOT_TOKEN", "xapp-1-sEcret", "it belongs to PAPERROUND_SLACK_APP_TOKEN"),
    ("SLACK_BOT_TOKEN", "xoxp-1-sEcret", "a user token"),
    ("SLACK_BOT_TOKEN", "xoxe.xoxb-1-sEcret", "make the app anew from the manifest"),
    ("SLACK_BOT_TOKEN", "sEcret", "it begins with xoxb-"),
    ("SLACK_BOT_TOKEN", "xoxb-sEcret xoxb-2", "the whole token"),
    ("SLACK_BOT_TOKEN", "xoxb-", "the whole token"),
    ("SLACK_APP_TOKEN", "xoxb-1-sEcret", "it belongs to PAPERROUND_SLACK_BOT_TOKEN"),
    ("SLACK_SIGNING_SECRET", "xapp-sEcret", "this is a token"),
    ("SLACK_CLIENT_SECRET", "sEcret!", "App Credentials"),
    ("SLACK_CLIENT_ID", "my app", "App Credentials"),
    ("SLACK_MODE", "https", "'socket' or 'http'"),
    ("SLACK_HISTORY", "maybe", "type yes or no"),
    ("SLACK_API_URL", "slack.com/api", "https://slack.com/api/"),
    ("DISCORD_TOKEN", "112233445566778899", "this is the application ID; the token stands on the page Bot"),
    ("DISCORD_TOKEN", "0a" * 32, "this is the public key"),
    ("DISCORD_TOKEN", "sEcret-sEcret_sEcretsEcret012345", "this is the client secret"),
    ("DISCORD_TOKEN", "sEcret.sEcret.sEcret", "copy the whole token"),
    ("DISCORD_TOKEN", "MTEyMjMzNDQ1NTY2Nzc4ODk5.sEcret", "three parts with dots between"),
    ("DISCORD_TOKEN", "MTEyMjMzNDQ1NTY2Nzc4ODk5.sEcret.s Ecret", "three parts with dots between"),
    ("DISCORD_GUILD", "Our lab", "Copy Server ID"),
    ("DISCORD_SHARD_COUNT", "-1", "at least 0"),
    ("DISCORD_SHARD_COUNT", "two", "a whole number"),
    ("DISCORD_SHARD_IDS", "all", "such as 0-3 or 0,2"),
    ("DISCORD_SHARD_IDS", "3-0", "such as 0-3 or 0,2"),
    ("DISCORD_SHARD_IDS", "-1", "such as 0-3 or 0,2"),
    ("DISCORD_MENTIONS", "maybe", "type yes or no"),
    ("DISCORD_API_URL", "discord.com/api", "https://discord.com/api/v10"),
    ("HTTP_ADDRESS", "here", "127.0.0.1:8080, or off"),
    ("PUBLIC_URL", "papers.example.org", "https://papers.example.org"),
    ("PUBLIC_URL", "http://papers.example.org", "https://papers.example.org"),
    ("PUBLIC_URL", "https://me:sEcret@papers.example.org", "https://papers.example.org"),
    ("PUBLIC_URL", "https://papers.example.org/?x=1", "https://papers.example.org"),
    ("SECRET_KEYS", "sEcret", "paperround key"),
    ("SECRET_KEYS", f"{KEYS[0]},{KEYS[1]}sEcret", "number 2 is no key"),
]


@pytest.mark.parametrize(("name", "typed", "right"), WRONG)
def test_a_wrong_setting_is_named_with_what_would_be_right(
    monkeypatch: pytest.MonkeyPatch, name: str, typed: str, right: str
) -> None:
    monkeypatch.setenv(f"{PREFIX}{name}", typed)
    with pytest.raises(SettingsError) as caught:
        load()
    text = str(caught.value)
    assert text.startswith(f"{PREFIX}{name}: ")
    assert right in text
    assert text.endswith(" Change it in the environment.")
    assert text.isprintable()
    assert "Input" not in text
    assert "sEcret" not in text


def test_secrets_are_read_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(f"{PREFIX}{name.upper()}", f" {value} ")
    settings = load()
    assert {name: getattr(settings, name).get_secret_value() for name in SECRETS} == SECRETS
    assert "sEcret" not in repr(Settings(database_url="postgresql://me:sEcret@host/name"))
    shown = f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert not any(value in shown for value in SECRETS.values())


def test_several_keys_may_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{PREFIX}SECRET_KEYS", f" {KEYS[0]} , {KEYS[1]},")
    assert load().secret_keys.get_secret_value() == ",".join(KEYS)


def test_several_wrong_settings_are_all_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERROUND_LOG_LEVEL", "loud")
    monkeypatch.setenv("PAPERROUND_DIGEST_MAX", "0")
    with pytest.raises(SettingsError, match=r"PAPERROUND_LOG_LEVEL: .*; PAPERROUND_DIGEST_MAX: ") as caught:
        load()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PAPERROUND_LOGLEVEL", "PAPERROUND_LOG_LEVEL"),
        ("PAPERROUND_DATABASE", "PAPERROUND_DATABASE_URL"),
        ("PAPERROUND_TIMEZONE", "PAPERROUND_TIME_ZONE"),
        ("PAPERROUND_log_level", "PAPERROUND_LOG_LEVEL"),
    ],
)
def test_a_slip_in_a_name_is_refused_with_the_near_one(monkeypatch: pytest.MonkeyPatch, name: str, meant: str) -> None:
    monkeypatch.setenv(name, "x")
    with pytest.raises(SettingsError, match=rf"^{name} is no setting of this program\. Did you mean {meant}\?"):
        load()


@pytest.mark.parametrize("name", ["PAPERROUND_XYZ", "PAPERROUND_FOO", "PAPERROUND_"])
def test_a_name_near_to_none_is_refused_without_a_guess(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "x")
    with pytest.raises(SettingsError) as caught:
        load()
    assert str(caught.value) == f"{name} is no setting of this program. Take it out of the environment."


def test_names_of_other_programs_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERROUNDS_LOG_LEVEL", "loud")
    monkeypatch.setenv("LOG_LEVEL", "loud")
    assert load().log_level == "info"


def test_a_setting_cannot_be_changed_once_it_is_read() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load().ranker = "svm"


def test_a_wrong_setting_is_a_wrong_setup() -> None:
    assert issubclass(SettingsError, SetupError)


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("PAPERROUND_LOG_LEVEL", "loud", "PAPERROUND_LOG_LEVEL"),
        ("PAPERROUND_RANKER", "best", "svm"),
        ("PAPERROUND_TIMEZONE", "UTC", "PAPERROUND_TIME_ZONE"),
        ("PAPERROUND_DATABASE_URL", "oracle://host/name", "postgresql://"),
    ],
)
def test_the_program_ends_with_one_line_and_exit_code_2(tmp_path: Path, name: str, typed: str, said: str) -> None:
    data = tmp_path / "data"
    done = subprocess.run(
        [sys.executable, "-c", "from bot.cli import main; main()", "status"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PAPERROUND_DATA_DIR": str(data), name: typed},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("paperround: ")
    assert said in line
    assert not data.exists()
