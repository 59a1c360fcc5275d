"""What Slack says of blocks and views: its limits of lengths and counts, ids that occur twice, and totals.

Sources: Slack's reference of Block Kit, the limits in slack_sdk's models, and for the total what its users measured
(github.com/slackapi/bolt-js issues 2509 and 2867): one markdown block passes with 13,297 characters, and with 13,172
beside a divider; "12,000 characters of text, with a buffer for block containers". So each block weighs 125.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Any

from tests.fakes.slack.elements import ACCESSORY, ACTION, IMAGE, INPUT, RICH
from tests.fakes.slack.shape import (
    Check,
    among,
    anything,
    by_type,
    flag,
    many,
    number,
    plain,
    shape,
    text,
    url,
    words,
    wrong,
)
from tests.fakes.slack.state import Json

TOTAL = 13_422  # the weight of a message's blocks: their text, and CONTAINER for each
CONTAINER = 125
VIEW_BYTES = 250_000

_ID = {"block_id": text(1, 255)}


def _block(name: str, needed: dict[str, Check], any_of: tuple[str, ...] = (), **more: Check) -> Check:
    return shape({"type": among(name), **needed}, {**_ID, **more}, any_of)


_BLOCKS: dict[str, Check] = {
    "section": _block(
        "section",
        {},
        ("text", "fields"),
        text=words(3000),
        fields=many(words(2000), 1, 10),
        accessory=ACCESSORY,
        expand=flag,
    ),
    "header": _block("header", {"text": plain(150)}),
    "divider": _block("divider", {}),
    "context": _block(
        "context",
        {
            "elements": many(
                by_type(
                    {
                        "image": IMAGE,
                        "plain_text": plain(2000),
                        "mrkdwn": words(2000),
                    }
                ),
                1,
                10,
            )
        },
    ),
    "actions": _block("actions", {"elements": many(ACTION, 1, 25)}),
    "image": _block(
        "image",
        {"alt_text": text(1, 2000)},
        ("image_url", "slack_file"),
        image_url=url(),
        slack_file=anything,
        title=plain(2000),
    ),
    "input": _block(
        "input", {"label": plain(2000), "element": INPUT}, hint=plain(2000), optional=flag, dispatch_action=flag
    ),
    "rich_text": _block("rich_text", {"elements": many(RICH, 1, 3000)}),
    "markdown": _block("markdown", {"text": text(1, 12_000)}),
    "table": _block("table", {"rows": many(many(anything, 1, 20), 1, 100)}, column_settings=anything),
    "video": _block(
        "video",
        {"alt_text": text(1, 2000), "title": plain(200), "thumbnail_url": url(), "video_url": url()},
        author_name=text(1, 50),
        description=plain(200),
        provider_icon_url=url(),
        provider_name=text(1, 50),
        title_url=url(),
    ),
}
_IN_MESSAGE = by_type(_BLOCKS)
_IN_VIEW = by_type({name: check for name, check in _BLOCKS.items() if name not in ("markdown", "table")})
_COMMON: dict[str, Check] = {
    "private_metadata": text(0, 3000),
    "callback_id": text(0, 255),
    "external_id": text(0, 255),
}
_MODAL = shape(
    {"type": among("modal"), "title": plain(24), "blocks": many(_IN_VIEW, 0, 100)},
    {
        **_COMMON,
        "close": plain(24),
        "submit": plain(24),
        "clear_on_close": flag,
        "notify_on_close": flag,
        "submit_disabled": flag,
        "team_id": text(1, 255),
        "app_id": text(1, 255),
        "team_size": number(0, 10),
    },
)
_HOME = shape({"type": among("home"), "blocks": many(_IN_VIEW, 0, 100)}, _COMMON)


def faults_of_blocks(blocks: Any) -> list[str]:
    """Return what Slack does not take in a message's blocks, with a pointer to each."""
    found = list(many(_IN_MESSAGE, 0, 50)(blocks, "/blocks"))
    return found or list(_twice(blocks, "/blocks"))


def weight(blocks: list[Json]) -> int:
    """Return what a message's blocks weigh: the characters of their text, escaped, and of each block itself."""
    return sum(CONTAINER + sum(len(escape(said, quote=False)) for said in _texts(block)) for block in blocks)


def faults_of_view(view: Any, kind: str = "modal") -> list[str]:
    """Return what Slack does not take in a view."""
    found = list((_MODAL if kind == "modal" else _HOME)(view, "/view"))
    if found:
        return found
    found = list(_twice(view["blocks"], "/view/blocks"))
    inputs = [block for block in view["blocks"] if block["type"] == "input"]
    if kind == "modal" and inputs and "submit" not in view:
        found.append(wrong("missing required field: submit (an input block is in the blocks)", "/view"))
    focused = [block for block in inputs if block["element"].get("focus_on_load")]
    if len(focused) > 1:
        found.append(wrong("only one element can have focus_on_load", "/view/blocks"))
    return found


def too_large(view: Json) -> bool:
    """Say whether a view has more bytes than Slack takes."""
    return len(json.dumps(view, ensure_ascii=False).encode()) > VIEW_BYTES


def named(blocks: list[Json], count: Iterator[int]) -> list[Json]:
    """Return the blocks with an id for each block and element that has none, as Slack gives them back."""
    made = []
    for block in blocks:
        block = {"block_id": f"b{next(count)}", **block}
        for key in ("accessory", "element"):
            if isinstance(block.get(key), dict) and block[key]["type"] != "image":
                block[key] = {"action_id": f"a{next(count)}", **block[key]}
        if block["type"] == "actions":
            block["elements"] = [{"action_id": f"a{next(count)}", **one} for one in block["elements"]]
        made.append(block)
    return made


def actionable(block: Json) -> list[Json]:
    """Return the elements of a block that people act on."""
    if block["type"] == "actions":
        return list(block["elements"])
    one = block.get("accessory") or block.get("element")
    return [one] if isinstance(one, dict) and one["type"] != "image" else []


def _twice(blocks: list[Json], at: str) -> Iterator[str]:
    ids = Counter(block["block_id"] for block in blocks if "block_id" in block)
    for index, block in enumerate(blocks):
        if ids[block.get("block_id", "")] > 1:
            yield wrong(f"block_id `{block['block_id']}` already exists", f"{at}/{index}/block_id")
        acted = Counter(one["action_id"] for one in actionable(block) if "action_id" in one)
        for name, times in acted.items():
            if times > 1:
                yield wrong(f"`action_id` {name} already exists", f"{at}/{index}")


def _texts(value: Any) -> Iterator[str]:
    """Yield each text that people see, and each address in it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str):
                if key in ("text", "alt_text") or (key == "url" and value.get("type") == "link"):
                    yield inner
            else:
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
