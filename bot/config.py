"""Settings: the only reader of the environment. Every setting is a variable PAPERROUND_… in the environment."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.core.typed import Count, Strictness, Time, Weekdays, Zone
from bot.errors import SettingsError

PREFIX = "PAPERROUND_"
_NAME = re.compile(r"[\w-]{1,40}", re.ASCII)
_METRICS = "127.0.0.1:9464"


def read_allowed(text: str) -> str:
    """Read `platform` or `platform:workspace`, several with commas between. Raises ValueError for anything else."""
    places = [tuple(part.strip() for part in place.split(":", 1)) for place in text.split(",") if place.strip()]
    if (text and not places) or not all(_NAME.fullmatch(place[0]) and all(place) for place in places):
        raise ValueError("type a platform, such as slack, or one of its workspaces, such as slack:T0123, with commas")
    return ",".join(":".join((place[0].lower(), *place[1:])) for place in places)


def read_command(text: str) -> str:
    """Read the name of the command, with or without its slash. Raises ValueError for one that no platform takes."""
    name = text.strip().removeprefix("/").lower()
    if not re.fullmatch(r"[a-z0-9_-]{1,30}", name):
        raise ValueError("type up to 30 letters a to z, digits, - and _, such as papers or papers-test")
    return name


def read_address(text: str) -> str:
    """Read `host:port`, or a port of this machine; `off` gives an empty text. Raises ValueError for anything else."""
    text = text.strip()
    if not text or text.lower() == "off":
        return ""
    match = re.fullmatch(r"(?:(\[[0-9a-fA-F:.]+\]|[\w.-]+):)?([0-9]{1,5})", text, re.ASCII)
    if match is None or int(match[2]) > 65535:
        raise ValueError(f"type an address and a port, such as {_METRICS}, or off")
    return f"{match[1] or '127.0.0.1'}:{int(match[2])}"


class Settings(BaseSettings):
    """What an administrator can choose. The descriptions are the comments of deploy/env.example."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid")

    data_dir: Annotated[Path, AfterValidator(Path.expanduser)] = Field(
        default_factory=lambda: user_data_path("paperround"),
        description="Folder of the database file and the index. Empty: the data folder of this system.",
    )
    database_url: str = Field(
        default="",
        description="Where everything is stored. Empty: an SQLite file in the data folder. "
        "For PostgreSQL: postgresql://user:password@host/name",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="How much is logged: debug, info, warning or error."
    )
    log_format: Literal["auto", "human", "json"] = Field(
        default="auto", description="How a log line looks: human, json, or auto (human at a terminal, JSON otherwise)."
    )
    ranker: str = Field(default="default", description="Which ranker picks the papers: default, tfidf, svm or recent.")
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
    metrics_address: Annotated[str, BeforeValidator(read_address)] = Field(
        default=_METRICS,
        description="Where a running bot shows its metrics for Prometheus: an address and a port of this machine. "
        "off: nowhere.",
    )

    def allows(self, platform: str, workspace: str) -> bool:
        """Say whether the bot may answer and deliver there."""
        places = self.allowed.split(",")
        return not self.allowed or platform in places or f"{platform}:{workspace}" in places


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
