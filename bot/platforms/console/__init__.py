"""The terminal, as a platform. It remembers nothing itself."""

from bot.platforms.console.chat import Console, Memory

platform = Console

__all__ = ["Console", "Memory", "platform"]
