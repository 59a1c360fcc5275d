"""The doctor: one check after another, each with what was found and what to do about it. It changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

import structlog

from bot.config import Settings
from bot.core.check import Check, Verdict, size
from bot.core.ports import Checks, Closes, Platform
from bot.errors import SetupError, StoreError
from bot.jobs.checkup import look_inside
from bot.jobs.doubts import same
from bot.jobs.machine import disk, packages, time_zones
from bot.store import health, migrate
from bot.store.engine import Store
from bot.store.library import Library

log = structlog.get_logger()


_PATIENCE = 60.0  # seconds for all that a platform looks at

Opening = Callable[[], tuple[Store, Library]]
Openers = Callable[[Store], Mapping[str, Callable[[], Platform | None]]]


def examine(
    settings: Settings,
    url: str,
    open_: Opening,
    opens: Openers,
    now: Callable[[], datetime],
) -> list[Check]:
    """Look at everything, in order. What cannot be looked at is a check that is wrong, and the others go on.

    `open_` opens the database at `url` and the index; it is called only if the database is there and at this program's
    revision, since opening would make or change it; without it, platforms keep what they look at in memory. `opens`
    gives, by name, what opens each platform on a store. `now` is this machine's time (aware).
    """
    first = _safely("database", lambda: migrations(url))
    inside: dict[str, Callable[[], Check]] = {}
    store = None
    if first.verdict == "ok":
        try:
            store, library = open_()
        except StoreError as error:
            first = Check("database", "wrong", str(error))
        else:
            inside = {"database": partial(database, store, url), "migrations": lambda: first}
            inside |= look_inside(store, library, settings, now) | {"same papers": partial(same, store)}
    found = [_safely(name, check) for name, check in inside.items()] or [first]
    found.append(_safely("time zones", time_zones))
    found += _platforms(opens, store)
    return [*found, _safely("packages", packages), _safely("disk", lambda: disk(settings.data_dir))]


def _platforms(opens: Openers, store: Store | None) -> list[Check]:
    made = store or Store.open("sqlite://")
    try:
        return ask_platforms(opens, made)
    except Exception as error:
        return [_failed("platforms", error)]
    finally:
        if store is None:
            made.close()


def _safely(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except StoreError as error:
        return Check(name, "wrong", str(error))
    except Exception as error:
        return _failed(name, error)


def _failed(name: str, error: Exception) -> Check:
    log.error("a check failed", check=name, exc_info=error)
    line = f"it could not be looked at ({type(error).__name__})"
    return Check(name, "wrong", line, "The log says more; please report it.")


def migrations(url: str) -> Check:
    """See that the database is there and at this program's revision, without changing it."""
    if not health.is_there(url):
        line = f"there is none yet at {health.name(url)}"
        return Check("migrations", "look", line, "It is made by: paperround run, import or chat")
    found = health.revision(url)
    if found == migrate.HEAD:
        return Check("migrations", "ok", f"revision {found}, as this program needs it")
    if found is not None and found > migrate.HEAD:
        line = f"revision {found} is newer than this program, which knows {migrate.HEAD}"
        return Check("migrations", "wrong", line, "Install a newer Paperround, or name another database.")
    line = f"revision {found or 'none'}; this program will bring it to {migrate.HEAD} when it starts"
    return Check("migrations", "look", line, "Make a backup first, and stop bots of an older version.")


def database(store: Store, url: str) -> Check:
    """Say which database it is and how large."""
    with store.reading() as conn:
        bytes_ = health.size(conn)
    kind = "PostgreSQL" if store.dialect == "postgresql" else "SQLite"
    return Check("database", "ok", f"{kind}, {size(bytes_)}: {health.name(url)}")


def ask_platforms(opens: Openers, store: Store) -> list[Check]:
    """Open each platform and let it say how it is; one that the settings do not ask for says nothing."""
    found: list[Check] = []
    told: dict[str, str] = {}
    for name, make in sorted(opens(store).items()):
        try:
            platform = make()
        except SetupError as error:
            told[name] = "not ready"
            found.append(Check(name, "wrong", str(error)))
            continue
        if platform is not None:
            told[name] = "set up"
            found += asyncio.run(_ask(platform))
    if not told:
        line = "none is set up, so digests come to the terminal alone"
        return [
            Check("platforms", "look", line, "README says how, under Install it on Slack and Install it on Discord.")
        ]
    verdict: Verdict = "look" if "not ready" in told.values() else "ok"
    return [Check("platforms", verdict, ", ".join(f"{name} {state}" for name, state in told.items())), *found]


async def _ask(platform: Platform) -> list[Check]:
    try:
        async with asyncio.timeout(_PATIENCE):
            return list(await platform.check()) if isinstance(platform, Checks) else []
    except TimeoutError:
        return [Check(platform.name, "wrong", f"it did not answer within {_PATIENCE:.0f} seconds")]
    except Exception as error:
        return [_failed(platform.name, error)]
    finally:
        if isinstance(platform, Closes):
            await platform.close()
