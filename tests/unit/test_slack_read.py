"""What Slack tells, as requests: payloads have the shapes of Slack's reference, with what we do not read left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.message import Form
from bot.core.request import HOME, Address, Request
from bot.platforms.slack import read
from bot.platforms.slack.views import form_view
from tests.fakes.slack_surfaces import COMMANDS

TEAM, OTHER, ORG = "T0001", "T0002", "E0001"
BOT = "U0BOT"
READERS = [read.slash, read.press, read.submission, read.shortcut, read.message, read.opened_home, read.is_guest]


def slash(**more: Any) -> dict[str, Any]:
    return {
        "command": "/papers",
        "text": "search robots",
        "team_id": TEAM,
        "user_id": "U1",
        "user_name": "ada",
        "channel_id": "C1",
        "channel_name": "reading",
        "trigger_id": "1.2.abc",
        "response_url": "https://hooks.slack.example/1",
    } | more


def press(**more: Any) -> dict[str, Any]:
    return {
        "type": "block_actions",
        "team": {"id": TEAM, "domain": "lab"},
        "user": {"id": "U1", "username": "ada", "name": "ada", "team_id": TEAM},
        "trigger_id": "1.2.abc",
        "container": {"type": "message", "message_ts": "17.1", "channel_id": "C1", "is_ephemeral": False},
        "channel": {"id": "C1", "name": "reading"},
        "message": {"ts": "17.1", "bot_id": "B1", "team": TEAM, "text": "Good morning."},
        "actions": [{"type": "button", "action_id": "press:do-0:0", "value": "more:4f2:0", "action_ts": "18.5"}],
    } | more


def event(kind: str = "message", **more: Any) -> dict[str, Any]:
    inner = {"type": kind, "user": "U1", "text": "robots", "ts": "17.1", "channel": "D1", "team": TEAM}
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "event_id": "Ev1",
        "is_ext_shared_channel": False,
        "authorizations": [{"team_id": TEAM, "user_id": BOT, "is_bot": True}],
        "event": {**inner, "channel_type": "im", **more},
    }


def test_a_command_is_a_request() -> None:
    assert read.slash(slash()) == Request(
        Address("slack", TEAM, "U1", "C1"),
        "search robots",
        key="slack:command:T0001:1.2.abc",
        person="ada",
        place="reading",
        forms=True,
    )


def test_a_command_in_a_direct_message_has_no_channel() -> None:
    request = read.slash(slash(channel_id="D1", channel_name="directmessage"))
    assert request is not None
    assert (request.address.channel, request.place) == ("", "")


def test_a_private_channel_whose_name_is_not_told_has_none() -> None:
    request = read.slash(slash(channel_name="privategroup"))
    assert request is not None
    assert (request.address.channel, request.place) == ("C1", "")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("search A&lt;B &amp; C&gt;D", "search A<B & C>D"),
        ("search don't “quoted”", "search don't “quoted”"),
        ("show <https://arxiv.org/abs/2504.08385|arxiv.org/abs/2504.08385>", "show https://arxiv.org/abs/2504.08385"),
        ("show <https://x.org/?a=1&amp;b=2>", "show https://x.org/?a=1&b=2"),
        ("subscribe robots in=<#C1|reading>", "subscribe robots in=<#C1|reading>"),
        ("subscribe robots in=<#C1>", "subscribe robots in=<#C1>"),
        ("handover x to=<@U2|ada>", "handover x to=<@U2|ada>"),
        (f"<@{BOT}> search robots", "search robots"),
        (f"search robots <@{BOT}>", "search robots"),
        ("search <!channel> <!here|here> <!subteam^S1|@team>", "search @channel here @team"),
        ("search <mailto:a@b.org|a@b.org>", "search a@b.org"),
        ("&amp;lt;", "&lt;"),
        ("  ", ""),
    ],
)
def test_a_text_is_read_as_it_was_typed(sent: str, said: str) -> None:
    assert read.typed(sent, BOT) == said


def test_a_press_is_a_request() -> None:
    assert read.press(press()) == Request(
        Address("slack", TEAM, "U1", "C1"),
        action="more:4f2:0",
        key="slack:press:T0001:1.2.abc:18.5",
        person="ada",
        place="reading",
        forms=True,
    )


def test_an_entry_of_a_menu_is_pressed_too() -> None:
    entry = {"type": "overflow", "selected_option": {"value": "show:4f2:0"}, "action_ts": "18.5"}
    request = read.press(press(actions=[entry]))
    assert request is not None
    assert request.action == "show:4f2:0"


@pytest.mark.parametrize("value", [None, "", "open:4"])
def test_what_only_opens_a_link_is_no_request(value: str | None) -> None:
    assert read.press(press(actions=[{"type": "button", "value": value, "action_ts": "1"}])) is None


def test_a_press_below_a_thread_is_answered_there() -> None:
    message = {"bot_id": "B1", "team": TEAM, "ts": "17.2", "thread_ts": "17.1"}
    request = read.press(press(message=message))
    assert request is not None
    assert request.address.thread == "17.1"


def test_a_press_on_the_home_page_is_one_there() -> None:
    body = press(channel=None, message=None, container={"type": "view"}, view={"type": "home", "id": "V1"})
    request = read.press(body)
    assert request is not None
    assert request.address == Address("slack", TEAM, "U1", HOME)
    assert read.is_private(body)


def test_a_press_in_a_window_is_one_in_the_channel_that_it_was_opened_from() -> None:
    view = form_view(Form("less", {"paper": "p"}, ("because",)), COMMANDS, channel="C7") | {"id": "V1"}
    request = read.press(press(channel=None, message=None, container={"type": "view"}, view=view))
    assert request is not None
    assert request.address.channel == "C7"


def test_who_sees_what_was_pressed() -> None:
    assert not read.is_private(press())
    assert read.is_private(press(container={"type": "message", "is_ephemeral": True}))
    assert read.is_private(press(channel={"id": "D1", "name": "directmessage"}))


def test_the_workspace_is_the_installations_and_who_is_of_another_is_a_guest() -> None:
    theirs = press(team={"id": OTHER}, user={"id": "U9", "team_id": OTHER})
    request = read.press(theirs)
    assert request is not None
    assert (request.address.workspace, request.guest) == (TEAM, True)
    view = {"type": "modal", "app_installed_team_id": TEAM, "private_metadata": '{"command": "less"}', "id": "V1"}
    form = read.submission({"team": {"id": OTHER}, "user": {"id": "U9", "team_id": OTHER}, "view": view})
    assert form is not None
    assert (form.address.workspace, form.guest) == (TEAM, True)


def test_members_of_one_organisation_are_no_guests() -> None:
    body = press(enterprise={"id": ORG}, user={"id": "U1", "team_id": ORG})
    assert not read.is_guest(body)
    assert not read.is_guest(event(user_team=ORG) | {"enterprise_id": ORG})


@pytest.mark.parametrize(
    ("more", "shared", "guest"),
    [
        ({}, False, False),
        ({"team": OTHER}, True, True),
        ({"user_team": OTHER}, True, True),
        ({"team": "", "user_team": TEAM}, True, False),
        ({"team": ""}, True, True),
        ({"team": ""}, False, False),
    ],
)
def test_who_writes_from_another_organisation_is_a_guest(more: dict[str, Any], shared: bool, guest: bool) -> None:
    body = event("app_mention", channel="C1", **more) | {"is_ext_shared_channel": shared}
    request = read.message(body, BOT)
    assert request is not None
    assert request.guest == guest


def test_a_direct_message_is_a_request() -> None:
    assert read.message(event(), BOT) == Request(
        Address("slack", TEAM, "U1"), "robots", key="slack:message:T0001:D1:17.1"
    )


def test_a_mention_is_answered_in_its_thread() -> None:
    text = f"<@{BOT}> search robots &amp; arms"
    request = read.message(event("app_mention", channel="C1", text=text), BOT)
    assert request == Request(
        Address("slack", TEAM, "U1", "C1", "17.1"), "search robots & arms", key="slack:message:T0001:C1:17.1"
    )
    below = read.message(event("app_mention", channel="C1", text=text, thread_ts="16.0"), BOT)
    assert below is not None
    assert below.address.thread == "16.0"


def test_two_events_of_one_message_have_one_key() -> None:
    both = [read.message(event(kind, text=f"<@{BOT}> robots"), BOT) for kind in ("message", "app_mention")]
    assert both[0] == both[1] is not None


@pytest.mark.parametrize(
    "more",
    [
        {"bot_id": "B2"},
        {"subtype": "bot_message"},
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"edited": {"user": "U1", "ts": "18.0"}},
        {"hidden": True},
        {"user": BOT},
        {"user": ""},
        {"channel": "C1"},  # a message of a channel that is no mention
    ],
)
def test_messages_of_bots_edited_ones_and_our_own_are_ignored(more: dict[str, Any]) -> None:
    assert read.message(event(**more), BOT) is None


def test_a_message_with_a_file_is_heard() -> None:
    assert read.message(event(subtype="file_share"), BOT) is not None


def test_a_form_is_a_request() -> None:
    view = form_view(Form("less", {"paper": "arxiv:1"}, ("because",)), COMMANDS, channel="C1")
    state = {"values": {"arg:because": {"value": {"type": "plain_text_input", "value": " too old "}}}}
    body = {
        "type": "view_submission",
        "team": {"id": TEAM},
        "user": {"id": "U1", "username": "ada", "team_id": TEAM},
        "trigger_id": "1.2.abc",
        "view": {**view, "id": "V1", "hash": "h", "state": state, "team_id": TEAM, "app_installed_team_id": TEAM},
    }
    assert read.submission(body) == Request(
        Address("slack", TEAM, "U1", "C1"),
        command="less",
        values={"paper": "arxiv:1", "because": "too old"},
        key="slack:form:T0001:V1:1.2.abc",
        person="ada",
        forms=True,
    )
    assert read.submission(body | {"view": {"private_metadata": "{"}}) is None


def shortcut(message: dict[str, Any]) -> Request | None:
    body = {
        "type": "message_action",
        "callback_id": "similar",
        "team": {"id": TEAM},
        "user": {"id": "U1", "name": "ada", "team_id": TEAM},
        "channel": {"id": "C1", "name": "reading"},
        "trigger_id": "1.2.abc",
        "message": message,
    }
    return read.shortcut(body)


@pytest.mark.parametrize(
    "message",
    [
        {"text": "look: <https://arxiv.org/abs/2504.08385v2|this one>, good"},
        {"text": "look: arXiv:2504.08385."},
        {"text": "", "attachments": [{"title": "x", "from_url": "https://arxiv.org/abs/2504.08385"}]},
        {
            "text": "digest",
            "blocks": [
                {
                    "type": "rich_text",
                    "elements": [{"elements": [{"type": "link", "url": "https://arxiv.org/pdf/2504.08385"}]}],
                }
            ],
        },
        {"text": "<https://example.org/|no paper> and <https://doi.org/10.48550/arXiv.2504.08385>"},
    ],
)
def test_the_first_paper_of_a_message_is_what_is_asked_about(message: dict[str, Any]) -> None:
    request = shortcut(message)
    assert request is not None
    assert (request.text, request.address.channel) == ("similar arxiv:2504.08385", "C1")


@pytest.mark.parametrize(
    "message", [{"text": "good morning <https://example.org/|site>"}, {}, {"text": "<@U1|x> 2:30"}]
)
def test_a_message_without_a_paper_asks_for_nothing(message: dict[str, Any]) -> None:
    assert shortcut(message) is None


def test_the_home_page_is_opened() -> None:
    request = read.opened_home(event("app_home_opened", tab="home"))
    assert request == Request(Address("slack", TEAM, "U1", HOME), key="slack:event:T0001:Ev1", forms=True, event="home")
    assert read.opened_home(event("app_home_opened", tab="messages")) is None


def test_who_brings_the_bot_into_a_channel_is_told() -> None:
    body = event("member_joined_channel", user=BOT, inviter="U1", channel="C1")
    assert read.joined(body, BOT) == Request(
        Address("slack", TEAM, "U1", "C1"), key="slack:event:T0001:Ev1", event="joined"
    )
    assert read.joined(event("member_joined_channel", user="U2", inviter="U1", channel="C1"), BOT) is None
    assert read.joined(event("member_joined_channel", user=BOT, channel="C1"), BOT) is None


@pytest.mark.parametrize("body", [slash, press, event])
def test_each_part_that_is_missing_or_of_another_kind_is_borne(body: Any) -> None:
    whole = body()
    for key in whole:
        for wrong in (None, [], {}, "", "x", 5, [None], {"id": 5}):
            for reader in READERS:
                reader(whole | {key: wrong})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(press())), inner, max_size=5),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(sorted({*press(), *event(), *slash(), "view"})), JSON))
def test_no_payload_breaks_a_reader(body: dict[str, Any]) -> None:
    for reader in READERS:
        reader(body)
    read.joined(body, BOT)
    read.is_private(body)
