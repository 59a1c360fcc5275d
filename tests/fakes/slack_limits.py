"""What Slack refuses of a message or a view, and with which of its error codes. Pure; written from Slack's reference.

No reference gives the characters that all blocks of a message may have. Slack's people say 12,000 of text and something
for each container; seen were 13,297 with one block, and 125 fewer with one more (slackapi/bolt-js issues 2509, 2867).
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.slack_blocks import IN_MESSAGE, IN_WINDOW, ON_HOME, plain
from tests.fakes.slack_shapes import Check, Invalid, each, flag, one_of, shape, string

TOTAL, CONTAINER = 13_422, 125  # characters of all blocks of a message, and what each block counts for itself
TEXT = 4000  # characters of `text`: up to 40,000 are cut where messages are posted, and refused where they are changed
METADATA = 8000  # bytes
VIEW = 250_000  # bytes

_VIEW: dict[str, Check] = {"private_metadata": string(3000, 0), "callback_id": string(255), "external_id": string(255)}
_WINDOW = shape(
    {"type": one_of("modal"), "title": plain(24), "blocks": IN_WINDOW},
    {
        **_VIEW,
        "close": plain(24),
        "submit": plain(24),
        **dict.fromkeys(("clear_on_close", "notify_on_close", "submit_disabled"), flag),
    },
)
_HOME = shape({"type": one_of("home"), "blocks": ON_HOME}, _VIEW)
_EVENT = shape({"event_type": string(pattern="[A-Za-z0-9_.-]+"), "event_payload": lambda value, at: None})
_FILES = each(shape({"id": string()}, {"title": string(), "highlight_type": string()}), 1)


def refusal(method: str, payload: Mapping[str, Any]) -> str:
    """Return the code with which Slack refuses the arguments of a method, read from JSON; "" if it takes them."""
    return str(answer(method, payload).get("error", ""))


def answer(method: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Slack answers, with a JSON pointer to what is wrong; empty if it takes the arguments."""
    if method in ("chat.postMessage", "chat.postEphemeral", "chat.update", "response_url"):
        return _message(method, payload)
    if method.startswith("views."):
        return _view(method, payload.get("view"))
    if method == "files.completeUploadExternal":
        return _checked("invalid_arguments", _FILES, payload.get("files"), "/files")
    return {}


def weight(blocks: Any) -> int:
    """Return how many characters Slack counts of blocks: texts and the addresses in rich text, escaped, and blocks."""
    return sum(len(html.escape(said, quote=False)) for said in _said(blocks)) + CONTAINER * len(blocks)


def _said(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        if value.get("type") == "link":
            yield value["url"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _said(inner)


def _message(method: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    text, blocks, metadata = payload.get("text") or "", payload.get("blocks"), payload.get("metadata")
    if not text and not blocks and not payload.get("delete_original"):
        return {"error": "no_text"}
    if len(str(text)) > TEXT:
        return {"error": "msg_too_long"}
    if blocks is not None and not isinstance(blocks, list):
        return {"error": "invalid_blocks_format"}
    if wrong := _checked("invalid_blocks", IN_MESSAGE, blocks or [], "/blocks"):
        return wrong
    if method != "response_url" and weight(blocks or []) > TOTAL:
        return {"error": "msg_blocks_too_long"}
    return _metadata(metadata) if metadata is not None else {}


def _metadata(metadata: Any) -> dict[str, Any]:
    if not isinstance(metadata, dict) or not isinstance(metadata.get("event_payload"), dict):
        return {"error": "invalid_metadata_format"}
    if len(json.dumps(metadata).encode()) > METADATA:
        return {"error": "metadata_too_large"}
    return _checked("invalid_metadata_format", _EVENT, metadata, "/metadata")


def _view(method: str, view: Any) -> dict[str, Any]:
    if len(json.dumps(view).encode()) > VIEW:
        return {"error": "view_too_large"}
    if wrong := _checked("invalid_arguments", _HOME if method == "views.publish" else _WINDOW, view, "/view"):
        return wrong
    inputs = any(block["type"] == "input" for block in view["blocks"])
    if inputs and view["type"] == "modal" and "submit" not in view:
        return _wrong("invalid_arguments", "missing required field: submit [json-pointer:/view]")
    return {}


def _checked(code: str, check: Check, value: Any, at: str) -> dict[str, Any]:
    try:
        check(value, at)
    except Invalid as error:
        return _wrong(code, str(error))
    return {}


def _wrong(code: str, words: str) -> dict[str, Any]:
    return {"error": code, "response_metadata": {"messages": [f"[ERROR] {words}"]}}
