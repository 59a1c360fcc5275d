"""What a platform is put together from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.config import Settings
from bot.core.command import Command
from bot.store.engine import Store


@dataclass(frozen=True, slots=True)
class Setup:
    """Given to `Platform.open`: the settings, the store for what a platform keeps, the commands, and the clock."""

    settings: Settings
    store: Store
    commands: Mapping[str, Command]
    now: Callable[[], datetime]
