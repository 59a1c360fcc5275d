"""What Discord takes of components: of messages (version 2 and before) and of modals, by its documented limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.fakes.discord_wire.errors import Path, Wrong
from tests.fakes.discord_wire.state import Json, walk

ROW, BUTTON, SELECT, INPUT, USERS, ROLES, MENTIONABLES, CHANNELS = 1, 2, 3, 4, 5, 6, 7, 8
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER, LABEL, UPLOAD = 9, 10, 11, 12, 13, 14, 17, 18, 19
SELECTS = (SELECT, USERS, ROLES, MENTIONABLES, CHANNELS)
MOST, MOST_TEXT = 40, 4000
TOP = (ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR, CONTAINER)
INSIDE = (ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR)

_KNOWN: dict[int, set[str]] = {
    ROW: {"components"},
    BUTTON: {"style", "label", "emoji", "custom_id", "url", "disabled", "sku_id"},
    SELECT: {"custom_id", "options", "placeholder", "min_values", "max_values", "disabled", "required"},
    INPUT: {"custom_id", "style", "label", "min_length", "max_length", "required", "value", "placeholder"},
    SECTION: {"components", "accessory"},
    TEXT: {"content"},
    THUMBNAIL: {"media", "description", "spoiler"},
    GALLERY: {"items"},
    FILE: {"file", "spoiler", "name", "size"},
    SEPARATOR: {"divider", "spacing"},
    CONTAINER: {"components", "accent_color", "spoiler"},
    LABEL: {"label", "description", "component"},
    UPLOAD: {"custom_id", "min_values", "max_values", "required"},
}
_MENU = {"custom_id", "placeholder", "default_values", "min_values", "max_values", "disabled", "required"}
_KNOWN |= {USERS: _MENU, ROLES: _MENU, MENTIONABLES: _MENU, CHANNELS: _MENU | {"channel_types"}}


def message(wrong: Wrong, components: Any, v2: bool) -> None:
    """Check a message's components; `v2`: of version 2."""
    at: Path = ("components",)
    if not wrong.listed(at, components, 0, MOST if v2 else 5):
        return
    for index, one in enumerate(components):
        component(wrong, one, (*at, index), TOP if v2 else (ROW,))
    if wrong.tree:
        return
    if v2 and sum(1 for _ in walk(components)) > MOST:
        wrong.add(at, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", f"Total number of components cannot exceed {MOST}")
    if sum(len(one["content"]) for one in walk(components) if one["type"] == TEXT) > MOST_TEXT:
        words = f"The text displayed in this message exceeds the maximum size of {MOST_TEXT} characters"
        wrong.add(at, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", words)
    _twice(wrong, components, at)


def modal(wrong: Wrong, data: Json) -> None:
    """Check a modal."""
    wrong.length(("custom_id",), data.get("custom_id"), 1, 100)
    wrong.length(("title",), data.get("title"), 1, 45)
    if wrong.listed(("components",), data.get("components"), 1, 5):
        for index, one in enumerate(data["components"]):
            component(wrong, one, ("components", index), (ROW, LABEL, TEXT), in_modal=True)
        if not wrong.tree:
            _twice(wrong, data["components"], ("components",))


def component(wrong: Wrong, one: Any, at: Path, allowed: tuple[int, ...], in_modal: bool = False) -> None:
    """Check one component, of one of the types that are allowed there."""
    kind = one.get("type") if isinstance(one, dict) else None
    if kind not in allowed:
        wrong.add((*at, "type"), "BASE_TYPE_CHOICES", f"Value must be one of {{{', '.join(map(str, allowed))}}}.")
        return
    for name in one.keys() - _KNOWN[kind] - {"type", "id"}:
        wrong.add((*at, name), "UNKNOWN_FIELD", "Discord does not know this field here.")
    if one.get("id") is not None:
        wrong.number((*at, "id"), one["id"], 0, 2**31 - 1)
    if kind in SELECTS:
        _select(wrong, one, at, in_modal)
    elif kind == ROW and in_modal:
        _inner(wrong, one, at, (INPUT,), 1, in_modal=True)
    else:
        _CHECKS[kind](wrong, one, at)


def _inner(wrong: Wrong, one: Json, at: Path, allowed: tuple[int, ...], most: int, in_modal: bool = False) -> None:
    path = (*at, "components")
    if wrong.listed(path, one.get("components"), 1, most):
        for index, each in enumerate(one["components"]):
            component(wrong, each, (*path, index), allowed, in_modal)


def _row(wrong: Wrong, one: Json, at: Path) -> None:
    inner = one.get("components")
    menus = isinstance(inner, list) and any(isinstance(each, dict) and each.get("type") in SELECTS for each in inner)
    _inner(wrong, one, at, SELECTS if menus else (BUTTON,), 1 if menus else 5)


def _button(wrong: Wrong, one: Json, at: Path) -> None:
    style = one.get("style")
    if not wrong.number((*at, "style"), style, 1, 6):
        return
    if style == 5:
        if wrong.length((*at, "url"), one.get("url"), 1, 512):
            _web(wrong, one["url"], (*at, "url"))
        if one.get("custom_id"):
            wrong.add((*at, "custom_id"), "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A link has no id.")
    elif style != 6:
        wrong.length((*at, "custom_id"), one.get("custom_id"), 1, 100)
        if one.get("url"):
            wrong.add((*at, "url"), "BUTTON_COMPONENT_INVALID_STYLE", "Only a button of style 5 has an address.")
    if one.get("label") is not None:
        wrong.length((*at, "label"), one["label"], 0, 80)
    if style != 6 and not one.get("label") and not one.get("emoji"):
        wrong.required((*at, "label"))


def _web(wrong: Wrong, url: str, at: Path) -> None:
    if not url.startswith(("http://", "https://", "discord://")) or any(char.isspace() for char in url):
        wrong.add(at, "URL_TYPE_INVALID_URL", "Not a well formed URL.")


def _select(wrong: Wrong, one: Json, at: Path, in_modal: bool) -> None:
    wrong.length((*at, "custom_id"), one.get("custom_id"), 1, 100)
    if one.get("placeholder") is not None:
        wrong.length((*at, "placeholder"), one["placeholder"], 0, 150)
    for name, least in (("min_values", 0), ("max_values", 1)):
        if one.get(name) is not None:
            wrong.number((*at, name), one[name], least, 25)
    if in_modal and one.get("disabled"):
        wrong.add((*at, "disabled"), "MODAL_DISABLED", "A select in a modal cannot be disabled.")
    if one["type"] != SELECT or not wrong.listed((*at, "options"), one.get("options"), 1, 25):
        return
    for index, option in enumerate(one["options"]):
        path = (*at, "options", index)
        wrong.length((*path, "label"), option.get("label"), 1, 100)
        wrong.length((*path, "value"), option.get("value"), 1, 100)
        if option.get("description") is not None:
            wrong.length((*path, "description"), option["description"], 0, 100)
    for value, times in Counter(option.get("value") for option in one["options"]).items():
        if times > 1:
            wrong.add((*at, "options"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", f"{value} is there twice.")
    chosen = sum(bool(option.get("default")) for option in one["options"])
    if chosen > one.get("max_values", 1):
        wrong.add((*at, "options"), "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "More are chosen than may be.")


def _input(wrong: Wrong, one: Json, at: Path) -> None:
    wrong.length((*at, "custom_id"), one.get("custom_id"), 1, 100)
    wrong.number((*at, "style"), one.get("style"), 1, 2)
    for name, most in (("label", 45), ("placeholder", 100), ("value", 4000)):
        if one.get(name) is not None:
            wrong.length((*at, name), one[name], 0, most)
    for name, least in (("min_length", 0), ("max_length", 1)):
        if one.get(name) is not None:
            wrong.number((*at, name), one[name], least, 4000)
    if isinstance(one.get("value"), str) and len(one["value"]) > (one.get("max_length") or 4000):
        wrong.add((*at, "value"), "BASE_TYPE_MAX_LENGTH", f"Must be {one['max_length']} or fewer in length.")


def _section(wrong: Wrong, one: Json, at: Path) -> None:
    _inner(wrong, one, at, (TEXT,), 3)
    component(wrong, one.get("accessory"), (*at, "accessory"), (BUTTON, THUMBNAIL))


def _text(wrong: Wrong, one: Json, at: Path) -> None:
    wrong.length((*at, "content"), one.get("content"), 1, MOST_TEXT)


def _media(name: str) -> Callable[[Wrong, Json, Path], None]:
    def check(wrong: Wrong, one: Json, at: Path) -> None:
        if not isinstance(one.get(name), dict) or not one[name].get("url"):
            wrong.required((*at, name, "url"))

    return check


def _gallery(wrong: Wrong, one: Json, at: Path) -> None:
    if wrong.listed((*at, "items"), one.get("items"), 1, 10):
        for index, item in enumerate(one["items"]):
            _media("media")(wrong, item, (*at, "items", index))


def _separator(wrong: Wrong, one: Json, at: Path) -> None:
    if one.get("spacing") is not None:
        wrong.number((*at, "spacing"), one["spacing"], 1, 2)


def _container(wrong: Wrong, one: Json, at: Path) -> None:
    _inner(wrong, one, at, INSIDE, MOST)
    if one.get("accent_color") is not None:
        wrong.number((*at, "accent_color"), one["accent_color"], 0, 0xFFFFFF)


def _label(wrong: Wrong, one: Json, at: Path) -> None:
    wrong.length((*at, "label"), one.get("label"), 1, 45)
    if one.get("description") is not None:
        wrong.length((*at, "description"), one["description"], 0, 100)
    component(wrong, one.get("component"), (*at, "component"), (INPUT, *SELECTS, UPLOAD), in_modal=True)


def _upload(wrong: Wrong, one: Json, at: Path) -> None:
    wrong.length((*at, "custom_id"), one.get("custom_id"), 1, 100)


_CHECKS: dict[int, Callable[[Wrong, Json, Path], None]] = {
    ROW: _row,
    BUTTON: _button,
    INPUT: _input,
    SECTION: _section,
    TEXT: _text,
    THUMBNAIL: _media("media"),
    GALLERY: _gallery,
    FILE: _media("file"),
    SEPARATOR: _separator,
    CONTAINER: _container,
    LABEL: _label,
    UPLOAD: _upload,
}


def _twice(wrong: Wrong, components: list[Json], at: Path) -> None:
    for name, code in (("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"), ("id", "COMPONENT_ID_DUPLICATED")):
        counted = Counter(one[name] for one in walk(components) if one.get(name))
        for value, times in counted.items():
            if times > 1:
                wrong.add(at, code, f"Component {name} cannot be duplicated: {value}")


def numbered(components: list[Json]) -> list[Json]:
    """Return components with an id for each that has none, as Discord gives them back."""
    taken = {one["id"] for one in walk(components) if one.get("id")}
    count = iter(number for number in range(1, 10_000) if number not in taken)

    def named(one: Json) -> Json:
        made = {**one, "id": one.get("id") or next(count)}
        if "components" in made:
            made["components"] = [named(each) for each in made["components"]]
        for name in ("accessory", "component"):
            if isinstance(made.get(name), dict):
                made[name] = named(made[name])
        return made

    return [named(one) for one in components]
