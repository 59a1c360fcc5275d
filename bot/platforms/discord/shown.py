"""Components as discord.py wants them: views and modals that are what Discord is told, and that nothing keeps.

discord.py stores a view that was sent, to call it when something is pressed, unless it has been stopped. Ours are
stateless: what is pressed is read from the interaction, whichever process sent it. So they are stopped before they are
sent, and hold no items.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import discord

Payload = dict[str, Any]


class Shown(discord.ui.LayoutView):
    """A view that is a list of Discord's components. It is made in a running loop, and finished from the start."""

    def __init__(self, components: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(timeout=None)
        self._components = [dict(one) for one in components]
        self.stop()

    def has_components_v2(self) -> bool:
        """Say so, since its components are no items of discord.py."""
        return True

    def to_components(self) -> list[Payload]:
        """Return the components as they are."""
        return self._components


class Asked(discord.ui.Modal):
    """A modal that is what Discord is told. It is made in a running loop, and finished from the start."""

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(title=str(payload["title"]), custom_id=str(payload["custom_id"]), timeout=None)
        self._payload = dict(payload)
        self.stop()

    def to_components(self) -> list[Payload]:
        """Return its components as they are."""
        return list(self._payload["components"])

    def to_dict(self) -> Payload:
        """Return all of it as it is."""
        return self._payload


def view_of(components: Sequence[Mapping[str, Any]]) -> Shown:
    """Return a view of components, ready to be sent. Raises RuntimeError outside a running loop."""
    asyncio.get_running_loop()  # discord.py would make a view that cannot be stopped, and keep it
    return Shown(components)


def modal_of(payload: Mapping[str, Any]) -> Asked:
    """Return a modal, ready to be sent. Raises RuntimeError outside a running loop."""
    asyncio.get_running_loop()
    return Asked(payload)
