"""Discord, as a platform: natively, through the real discord.py."""

from bot.platforms.discord.discord import Discord
from bot.platforms.discord.manifest import manifest

platform = Discord

__all__ = ["Discord", "manifest", "platform"]
