"""Settings: the only reader of the environment. Every setting is a variable PAPERROUND_… in the environment."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.core.typed import Count, Strictness, Time, Weekdays, Zone
from bot.errors import SettingsError

PREFIX = "PAPERROUND_"


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
    keep_days: int = Field(default=180, ge=1, le=3660, description="Days for which the buttons of a message work.")
    heartbeat_seconds: int = Field(
        default=20, ge=1, le=3600, description="Seconds between the signs of life that `paperround status` looks for."
    )


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
