"""Find what a folder holds: built-in parts and those of outsiders come through the same door."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

GROUPS = {
    "bot.sources": "paperround.sources",
    "bot.commands": "paperround.commands",
    "bot.platforms": "paperround.platforms",
    "bot.embedders": "paperround.embedders",
    "recommender.rankers": "paperround.rankers",
}


def load(package: str, name: str = "", *, optional: bool = False) -> dict[str, Any]:
    """Return the object called `name` of each module of a package, by module name, plus those of the entry points.

    Without a name, the object is called as its module (`help.py` may hold `help_`). Modules that start with an
    underscore are not plug-ins. Raises AttributeError if a module does not hold what it should; with `optional` it is
    left out, and what outsiders have is looked for by name in the modules of their entry points.
    """
    found: dict[str, Any] = {}
    folder = import_module(package)
    for info in sorted(pkgutil.iter_modules(folder.__path__), key=lambda info: info.name):
        if info.name.startswith("_"):
            continue
        module = import_module(f"{package}.{info.name}")
        attribute = name or (info.name if hasattr(module, info.name) else f"{info.name}_")
        if not optional or hasattr(module, attribute):
            found[info.name.rstrip("_")] = getattr(module, attribute)
    for point in entry_points(group=GROUPS[package]):
        if not optional:
            found.setdefault(point.name, point.load())
        elif hasattr(module := import_module(point.module), name):
            found.setdefault(point.name, getattr(module, name))
    return found
