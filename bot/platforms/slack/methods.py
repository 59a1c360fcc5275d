"""Every Web API method that the bot calls: the bot scopes it needs, and what each of Slack's error codes means. Pure.

The codes are those of Slack's reference of each method, and the few that it sends without listing them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.errors import DeliveryError, Refused, Retry, Uncertain

Kind = type[DeliveryError]


@dataclass(frozen=True, slots=True)
class Method:
    """What the bot's token needs for a method, and the class of each code that may come back, common ones included."""

    scopes: tuple[str, ...]
    codes: Mapping[str, Kind]


def _codes(*, refused: str = "", retry: str = "", uncertain: str = "") -> dict[str, Kind]:
    kinds: dict[str, Kind] = dict.fromkeys(refused.split(), Refused)
    return kinds | dict.fromkeys(retry.split(), Retry) | dict.fromkeys(uncertain.split(), Uncertain)


ENDED = frozenset({"account_inactive", "invalid_auth", "token_expired", "token_revoked"})
"""The token is not good any more; the workspace has to install the app again, or to come back."""

CODES: Mapping[str, Kind] = _codes(
    refused="""
        access_denied accesslimited account_inactive deprecated_endpoint ekm_access_denied enterprise_is_restricted
        insecure_request invalid_arg_name invalid_arguments invalid_array_arg invalid_auth invalid_charset
        invalid_form_data invalid_json invalid_post_type is_bot json_not_object method_deprecated method_not_supported
        missing_argument missing_post_type missing_scope no_permission not_allowed_token_type not_authed
        team_access_not_granted token_expired token_revoked two_factor_setup_required unknown_method
        user_is_restricted
    """,
    # Not taken: too many, a body that arrived cut short, or a workspace that is being moved for a while.
    retry="org_login_required rate_limited ratelimited request_timeout team_added_to_org",
    # Slack says of these that part of the operation may have succeeded.
    uncertain="fatal_error internal_error service_unavailable",
)
"""What any method may answer."""


def _method(*scopes: str, refused: str = "", retry: str = "", uncertain: str = "") -> Method:
    return Method(scopes, {**CODES, **_codes(refused=refused, retry=retry, uncertain=uncertain)})


_CONTENT = """
    as_user_not_supported attachment_payload_limit_exceeded invalid_attachments invalid_blocks invalid_blocks_format
    invalid_metadata_format invalid_metadata_schema markdown_text_conflict metadata_must_be_sent_from_app
    metadata_too_large msg_blocks_too_long msg_too_long no_text too_many_attachments too_many_contact_cards
    slack_connect_blocked_file_type slack_connect_canvas_sharing_blocked slack_connect_clip_sharing_blocked
    slack_connect_file_link_sharing_blocked slack_connect_file_upload_sharing_blocked
    slack_connect_lists_sharing_blocked
"""
_PLACE = """
    cannot_reply_to_message channel_not_found is_archived is_inactive messages_tab_disabled not_in_channel
    restricted_action restricted_action_non_threadable_channel restricted_action_read_only_channel
    restricted_action_thread_locked restricted_action_thread_only_channel team_not_found thread_not_found
"""
_PAGES = "invalid_cursor invalid_limit invalid_ts_latest invalid_ts_oldest pagination_not_available"
_VIEW = "duplicate_external_id hash_conflict invalid_view not_found view_too_large"
_TRIGGER = "exchanged_trigger_id expired_trigger_id invalid_trigger invalid_trigger_id push_limit_reached"

METHODS: Mapping[str, Method] = {
    "chat.postMessage": _method(
        "chat:write",
        refused=_CONTENT + _PLACE + "cannot_dm_bot duplicate_channel_not_found duplicate_message_not_found",
        retry="external_channel_migrating message_limit_exceeded",
    ),
    "chat.postEphemeral": _method(
        "chat:write", refused=_CONTENT + _PLACE + "user_not_in_channel", retry="message_limit_exceeded"
    ),
    "chat.update": _method(
        "chat:write",
        refused=_CONTENT
        + _PLACE
        + """block_mismatch cant_broadcast_message cant_update_message edit_window_closed message_not_found
        no_dual_broadcast_content_update""",
        retry="external_channel_migrating streaming_state_conflict",
        uncertain="update_failed",
    ),
    "conversations.history": _method(
        "channels:history", "groups:history", "im:history", refused="channel_not_found not_in_channel " + _PAGES
    ),
    "conversations.info": _method(
        "channels:read", "groups:read", refused="channel_not_found method_not_supported_for_channel_type"
    ),
    "conversations.join": _method(
        "channels:join",
        refused="""channel_not_found is_archived method_not_supported_for_channel_type too_many_members
        restricted_action""",
    ),
    "conversations.open": _method(
        "im:write",
        refused="""cannot_dm_bot channel_not_found invalid_user_combination method_not_supported_for_channel_type
        not_enough_users too_many_users user_disabled user_not_found user_not_visible users_list_not_supplied
        users_not_found""",
    ),
    "users.info": _method("users:read", refused="user_not_found user_not_visible users_not_found"),
    "views.open": _method(refused=_VIEW + " " + _TRIGGER),
    "views.push": _method(refused=_VIEW + " " + _TRIGGER),
    "views.update": _method(refused=_VIEW),
    "views.publish": _method(refused=_VIEW + " not_enabled user_not_found"),
    "files.getUploadURLExternal": _method(
        "files:write",
        refused="""alt_txt_too_large file_upload_size_restricted file_uploads_disabled
        file_uploads_except_images_disabled snippet_too_large storage_limit_reached unknown_snippet_type
        unknown_subtype""",
    ),
    "files.completeUploadExternal": _method(
        "files:write",
        refused=_PLACE + "blocks_not_allowed file_not_found invalid_channel invalid_channels posting_to_channel_denied",
        uncertain="file_update_failed",
    ),
    "auth.test": _method(),
    "apps.connections.open": _method(refused="forbidden_team missing_args", retry="too_many_websockets"),
    "oauth.v2.access": _method(
        refused="""bad_client_secret bad_redirect_uri cannot_install_an_org_installed_app invalid_client_id
        invalid_code invalid_code_verifier invalid_grant_type invalid_refresh_token invalid_scope no_scopes
        oauth_authorization_url_mismatch org_installed_already preview_feature_not_available"""
    ),
}
"""The last three are called with other tokens than the bot's, or with none."""

OF_MESSAGE = frozenset(_CONTENT.split())
"""Codes that are about what was to be posted: another message may well be taken."""

HISTORY = frozenset({"conversations.history"})
"""Called only where the settings let the bot look for its own messages."""

_INSTALL_AGAIN = "Somebody who manages the workspace has to install the app again."
_WORDS = {
    "channel_not_found": "The channel is gone, or I am not in it: invite me first.",
    "not_in_channel": "I am not in the channel: invite me first.",
    "is_archived": "The channel is archived.",
    "is_inactive": "The channel is archived.",
    "messages_tab_disabled": "Direct messages with the app are switched off in the app's settings.",
    "user_disabled": "This person's account is closed.",
    "user_not_found": "Nobody of that name is in this workspace.",
    "user_not_visible": "I may not see this person.",
    "account_inactive": f"The app was removed from this workspace. {_INSTALL_AGAIN}",
    "token_revoked": f"The app was removed from this workspace. {_INSTALL_AGAIN}",
    "token_expired": f"The app's token has expired. {_INSTALL_AGAIN}",
    "invalid_auth": f"The app's token is not valid. {_INSTALL_AGAIN}",
    "missing_scope": f"The app lacks a permission. {_INSTALL_AGAIN}",
}


def kind_of(method: str, code: str) -> Kind | None:
    """Return the class of what a method answered, or None for a code that nobody has documented."""
    return METHODS[method].codes.get(code)


def words(method: str, code: str) -> str:
    """Say what an answer means, to whoever wanted the message to arrive."""
    if code.startswith("restricted_action"):
        return f"Not everybody may post in this channel ({code})."
    return _WORDS.get(code, f"Slack refused it: {method} said {code}.")
