"""views.*: windows, and each person's page of the bot."""

from __future__ import annotations

import secrets
from typing import Any

from tests.fakes.slack.blocks import faults_of_view, named, too_large
from tests.fakes.slack.errors import Fault
from tests.fakes.slack.state import Json, Team, new_id
from tests.fakes.slack.world import View, World

DEEPEST = 3


def open_(world: World, team: Team, form: Json) -> Json:
    """Open a window for the person who has just done something."""
    view = taken(world, form.get("view"))
    trigger = world.use_trigger(team, form.get("trigger_id"))
    if trigger.view and trigger.view in world.views:
        return _pushed(world, team, trigger.user, world.views[trigger.view], view)
    return {"view": made(world, team, trigger.user, view).data}


def push(world: World, team: Team, form: Json) -> Json:
    """Open a window over the one that the person is in."""
    view = taken(world, form.get("view"))
    trigger = world.use_trigger(team, form.get("trigger_id"))
    if trigger.view not in world.views:
        raise Fault("invalid_trigger_id")
    return _pushed(world, team, trigger.user, world.views[trigger.view], view)


def update(world: World, team: Team, form: Json) -> Json:
    """Fill a window that is open."""
    found = _found(world, team, form)
    view = taken(world, form.get("view"))
    if form.get("hash") and form["hash"] != found.data["hash"]:
        raise Fault("hash_conflict")
    refill(world, found, view)
    return {"view": found.data}


def publish(world: World, team: Team, form: Json) -> Json:
    """Show a person the bot's page."""
    user = world.user_of(team, form.get("user_id"))
    if not team.has_home_tab:
        raise Fault("not_enabled")
    view = taken(world, form.get("view"), "home")
    old = team.homes.get(user.id)
    if form.get("hash") and (old is None or form["hash"] != old["hash"]):
        raise Fault("hash_conflict")
    home = _data(world, team, view, old["id"] if old else new_id("V"))
    team.homes[user.id] = home
    return {"view": home}


def taken(world: World, view: Any, kind: str = "modal") -> Json:
    """Return a view that Slack takes. Raises Fault."""
    if not isinstance(view, dict):
        raise Fault("invalid_arguments", response_metadata={"messages": ["[ERROR] missing required field: view"]})
    if faults := faults_of_view(view, kind):
        raise Fault("invalid_arguments", response_metadata={"messages": faults})
    if too_large(view):
        raise Fault("view_too_large")
    name = view.get("external_id")
    if name and any(one.data.get("external_id") == name for one in world.views.values() if one.open):
        raise Fault("duplicate_external_id")
    return view


def made(world: World, team: Team, user: str, view: Json, below: list[str] | None = None) -> View:
    """Open a window."""
    data = _data(world, team, view, new_id("V"))
    data |= {"root_view_id": (below or [data["id"]])[0], "previous_view_id": below[-1] if below else None}
    opened = View(team, user, data, below=list(below or []))
    world.views[data["id"]] = opened
    return opened


def refill(world: World, old: View, view: Json) -> None:
    """Show something else in a window."""
    kept = {name: old.data[name] for name in ("root_view_id", "previous_view_id")}
    old.data = _data(world, old.team, view, old.data["id"]) | kept


def _pushed(world: World, team: Team, user: str, over: View, view: Json) -> Json:
    if not over.open:
        raise Fault("not_found")
    below = [*over.below, over.data["id"]]
    if len(below) >= DEEPEST:
        raise Fault("push_limit_reached")
    return {"view": made(world, team, user, view, below).data}


def _found(world: World, team: Team, form: Json) -> View:
    for one in world.views.values():
        outside = bool(form.get("external_id")) and one.data.get("external_id") == form["external_id"]
        if one.open and one.team is team and (outside or one.data["id"] == form.get("view_id")):
            return one
    raise Fault("not_found")


def _data(world: World, team: Team, view: Json, id_: str) -> Json:
    """Return a view as Slack gives it back."""
    empty: Json = {"title": None, "close": None, "submit": None, "clear_on_close": False, "notify_on_close": False}
    own: Json = {
        "id": id_,
        "team_id": team.id,
        "app_id": team.app_id,
        "app_installed_team_id": team.id,
        "bot_id": team.bot_id,
        "hash": f"{next(world.count)}.{secrets.token_hex(4)}",
        "state": {"values": {}},
        "root_view_id": id_,
        "previous_view_id": None,
    }
    names = {"private_metadata": "", "callback_id": "", "external_id": ""}
    return {**empty, **names, **view, **own, "blocks": named(view["blocks"], world.count)}
