"""Slack, as a platform: natively, through the real slack-bolt."""

from bot.platforms.slack.manifest import manifest
from bot.platforms.slack.slack import Slack

platform = Slack

__all__ = ["Slack", "manifest", "platform"]
