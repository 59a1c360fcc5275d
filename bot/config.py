"""Settings: the only reader of the environment. Every setting is a variable PAPERROUND_… in the environment."""

from __future__ import annotations

import os
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.core.configured import (
    read_address,
    read_allowed,
    read_api,
    read_base,
    read_command,
    read_contact,
    read_embedder,
    read_id,
    read_key,
    read_shards,
    read_url,
    read_yes,
)
from bot.core.credential import read_bot_token, read_keys, read_secret, read_token
from bot.core.specs import read_specs
from bot.core.typed import Count, Strictness, Time, Weekdays, Zone
from bot.errors import SettingsError

PREFIX = "PAPERROUND_"
_METRICS, _HTTP = "127.0.0.1:9464", "127.0.0.1:8080"
_DISCORD = "https://discord.com/api/v10"
_PEOPLE = "@me"  # the workspace of people where a platform knows them in all of its servers alike


def _hidden(read: Callable[[str], str]) -> AfterValidator:
    """Return the validator of a secret, which `read` checks."""
    return AfterValidator(lambda secret: SecretStr(read(secret.get_secret_value().strip())))


class Settings(BaseSettings):
    """What an administrator can choose. The descriptions are the comments of deploy/env.example."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid")

    data_dir: Annotated[Path, AfterValidator(Path.expanduser)] = Field(
        default_factory=lambda: user_data_path("paperround"),
        description="Folder of the database file and the index. Empty: the data folder of this system.",
    )
    database_url: str = Field(
        default="",
        repr=False,  # it may hold a password
        description="Where everything is stored. Empty: an SQLite file in the data folder. "
        "For PostgreSQL: postgresql://user:password@host/name",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="How much is logged: debug, info, warning or error."
    )
    log_format: Literal["auto", "human", "json"] = Field(
        default="auto", description="How a log line looks: human, json, or auto (human at a terminal, JSON otherwise)."
    )
    ranker: str = Field(
        default="default", description="Which ranker picks the papers: default, tfidf, svm, cda or recent."
    )
    embedder: Annotated[str, AfterValidator(read_embedder)] = Field(
        default="",
        description="What makes dense vectors for the default ranker: a folder with model.onnx and tokenizer.json "
        "(needs the extra dense), or the address of an OpenAI-compatible API, such as http://localhost:11434/v1. "
        "Empty: nothing, and nothing is missing.",
    )
    embedder_model: Annotated[str, AfterValidator(str.strip)] = Field(
        default="", description="Of such an API: the model's name."
    )
    embedder_key: Annotated[SecretStr, _hidden(read_key)] = Field(
        default=SecretStr(""), description="Of such an API: the key, if it wants one."
    )
    digest_at: Annotated[str, BeforeValidator(Time.read)] = Field(
        default="09:00", description="Local time of a new subscription that names none."
    )
    digest_on: Annotated[str, BeforeValidator(Weekdays.read)] = Field(
        default="weekdays", validate_default=True, description="Days of a new subscription that names none."
    )
    time_zone: Annotated[str, BeforeValidator(Zone.read)] = Field(
        default="UTC", description="Time zone of people whose platform does not tell theirs, such as Europe/Berlin."
    )
    digest_max: Annotated[int, BeforeValidator(lambda value: Count.read(str(value)))] = Field(
        default=5, description="Papers in a digest, at most, for a new subscription that names no number."
    )
    strictness: Annotated[str, BeforeValidator(lambda value: Strictness.read(str(value)).value)] = Field(
        default="normal", description="How near a paper must be to be shown: relaxed, normal or strict."
    )
    wildcard: bool = Field(
        default=True,
        description="Whether the last place of a digest of five papers or more is for one from outside the usual, "
        "marked as such.",
    )
    fresh_days: int = Field(default=7, ge=1, le=366, description="Days for which a paper counts as new.")
    say_nothing: Literal["say", "silent"] = Field(
        default="say",
        description="What a new subscription does on a day without papers: say (why there are none) or silent. "
        "After a week of silence it says so in any case.",
    )
    channels: Literal["managers", "everyone"] = Field(
        default="managers",
        description="Who may subscribe channels and change what they get: managers (who the platform says they are) "
        "or everyone. A workspace may choose for itself.",
    )
    allowed: Annotated[str, BeforeValidator(read_allowed)] = Field(
        default="",
        description="Where the bot answers and delivers: platforms, or workspaces and servers of a platform, "
        "with commas between: slack:T0123,discord. Empty: everywhere.",
    )
    command: Annotated[str, BeforeValidator(read_command)] = Field(
        default="papers",
        description="The command's name, without its slash; another one lets a test bot stand beside the real one.",
    )
    lookups: Annotated[bool, BeforeValidator(read_yes)] = Field(
        default=True,
        description="Whether a paper that somebody names, and that is not here, is asked for at arXiv, Crossref and "
        "others, and words if somebody adds everywhere. no: only what is here is looked up.",
    )
    keep_days: int = Field(
        default=180,
        ge=1,
        le=3660,
        description="Days for which the buttons of a message work, and for which a delivered message is remembered.",
    )
    lease_seconds: float = Field(
        default=120,
        ge=2,
        le=3600,
        allow_inf_nan=False,
        description="Seconds for which a process that takes a message to send it has it for itself. A send is given "
        "up after half of that.",
    )
    heartbeat_seconds: int = Field(
        default=20, ge=1, le=3600, description="Seconds between the signs of life that `paperround status` looks for."
    )
    metrics_address: Annotated[str, BeforeValidator(lambda text: read_address(text, _METRICS))] = Field(
        default=_METRICS,
        description="Where a running bot shows its metrics for Prometheus: an address and a port of this machine. "
        "off: nowhere.",
    )
    sources: Annotated[str, AfterValidator(read_specs)] = Field(
        default="",
        description="Which sources of papers are asked, with commas between: arxiv:cs.CL,arxiv:cs.LG,huggingface. "
        "More are added while it runs by: paperround sources add",
    )
    contact: Annotated[str, AfterValidator(read_contact)] = Field(
        default="",
        description="Whom a source may write to about this bot: a mail address or a web page. arXiv, Crossref and "
        "others ask for one.",
    )
    s2_key: Annotated[SecretStr, _hidden(read_key)] = Field(
        default=SecretStr(""), description="Semantic Scholar: the API key. Without one its calls are few and slow."
    )
    openalex_key: Annotated[SecretStr, _hidden(read_key)] = Field(
        default=SecretStr(""), description="OpenAlex: the API key. Without one its calls are few."
    )
    openreview_user: Annotated[str, AfterValidator(str.strip)] = Field(
        default="", description="OpenReview: the mail address of an account, which it asks for from most machines."
    )
    openreview_password: SecretStr = Field(
        default=SecretStr(""), description="OpenReview: the password of that account."
    )
    slack_bot_token: Annotated[SecretStr, _hidden(read_token("xoxb-"))] = Field(
        default=SecretStr(""),
        description="Slack, one workspace: the bot token (xoxb-…), from OAuth & Permissions of the app's settings.",
    )
    slack_app_token: Annotated[SecretStr, _hidden(read_token("xapp-"))] = Field(
        default=SecretStr(""),
        description="Slack, Socket Mode: the app-level token (xapp-…) with the scope connections:write.",
    )
    slack_signing_secret: Annotated[SecretStr, _hidden(read_secret)] = Field(
        default=SecretStr(""), description="Slack, HTTP mode: the signing secret, from Basic Information."
    )
    slack_client_id: Annotated[str, AfterValidator(read_secret)] = Field(
        default="", description="Slack, many workspaces (OAuth): the client ID, from Basic Information."
    )
    slack_client_secret: Annotated[SecretStr, _hidden(read_secret)] = Field(
        default=SecretStr(""), description="Slack, many workspaces (OAuth): the client secret, from Basic Information."
    )
    slack_mode: Literal["socket", "http"] = Field(
        default="socket",
        description="How Slack reaches the bot: socket (the bot calls out: no public address) or http (Slack calls "
        "PAPERROUND_PUBLIC_URL).",
    )
    slack_history: Annotated[bool, BeforeValidator(read_yes)] = Field(
        default=True,
        description="Whether the bot may read the history of its channels, to see whether a message of its own arrived "
        "whose answer was lost. no: it asks for no such permission; then nothing comes twice, and one may be lost.",
    )
    slack_api_url: Annotated[str, AfterValidator(read_api)] = Field(
        default="https://slack.com/api/", description="Where Slack's Web API is, for a proxy or a test."
    )
    discord_token: Annotated[SecretStr, _hidden(read_bot_token)] = Field(
        default=SecretStr(""),
        description="Discord: the bot's token, from the page Bot of the application's settings (Reset Token).",
    )
    discord_guild: Annotated[str, BeforeValidator(lambda value: read_id(str(value)))] = Field(
        default="",
        description="Discord, for development: the id of the one server that gets the commands, at once. "
        "Empty: everybody gets them.",
    )
    discord_shard_count: int = Field(
        default=0,
        ge=0,
        le=10000,
        description="Discord, in thousands of servers: into how many shards they are split. 0: as many as Discord "
        "recommends.",
    )
    discord_shard_ids: Annotated[str, BeforeValidator(lambda value: read_shards(str(value)))] = Field(
        default="",
        description="Discord: the shards of this process, such as 0-3 or 0,2, if several share them; the number of all "
        "of them has to be set too. Empty: all.",
    )
    discord_mentions: Annotated[bool, BeforeValidator(read_yes)] = Field(
        default=True,
        description="Whether the bot hears what mentions it in a channel. no: Discord sends it far fewer events, which "
        "counts in thousands of servers.",
    )
    discord_api_url: Annotated[str, AfterValidator(lambda text: read_base(text, _DISCORD))] = Field(
        default=_DISCORD, description="Where Discord's API is, for a proxy or a test."
    )
    http_address: Annotated[str, BeforeValidator(lambda text: read_address(text, _HTTP))] = Field(
        default=_HTTP,
        description="Where the bot listens for HTTP, if a platform needs it (Slack: HTTP mode, OAuth): an address and "
        "a port of this machine, for a proxy with TLS in front of it. off: nowhere.",
    )
    public_url: Annotated[str, AfterValidator(read_url)] = Field(
        default="", description="Under which address the world reaches it, such as https://papers.example.org."
    )
    secret_keys: Annotated[SecretStr, _hidden(read_keys)] = Field(
        default=SecretStr(""),
        description="Keys by which tokens of many workspaces are encrypted in the database, with commas between: the "
        "first encrypts, all of them decrypt. One is made by: paperround key",
    )

    def allows(self, platform: str, workspace: str) -> bool:
        """Say whether the bot may answer and deliver there; to people wherever it may be in one of their servers."""
        places = self.allowed.split(",")
        if not self.allowed or platform in places or f"{platform}:{workspace}" in places:
            return True
        return workspace == _PEOPLE and any(place.startswith(f"{platform}:") for place in places)


def load() -> Settings:
    """Read the settings. Raises SettingsError, which names each wrong variable and what would be right."""
    _refuse_unknown()
    try:
        return Settings()
    except ValidationError as error:
        wrong = [f"{PREFIX}{str(part['loc'][0]).upper()}: {_reason(part['msg'])}" for part in error.errors()]
        said = "; ".join(wrong)
        raise SettingsError(f"{said}{'' if said.endswith('?') else '.'} Change it in the environment.") from None


def _reason(text: str) -> str:
    """Say the validator's words as the rest of the program speaks."""
    text = text.removeprefix("Value error, ").partition(", unable to parse")[0].rstrip(".")
    for theirs, ours in (
        ("Input should be", "it has to be"),
        ("a valid integer", "a whole number"),
        ("a valid number", "a number"),
        ("greater than or equal to", "at least"),
        ("less than or equal to", "at most"),
    ):
        text = text.replace(theirs, ours)
    return text


def _refuse_unknown() -> None:
    known = [name.upper() for name in Settings.model_fields]
    for name in sorted(os.environ):
        word = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and word not in known:
            near = get_close_matches(word.upper(), known, 1)
            hint = f" Did you mean {PREFIX}{near[0]}?" if near else ""
            raise SettingsError(f"{name} is no setting of this program.{hint} Take it out of the environment.")
