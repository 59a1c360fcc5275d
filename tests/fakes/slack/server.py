"""The fake Slack as a process of its own, for benches. What it does is told by HTTP; what happened is asked so.

    python -m tests.fakes.slack.server --port 8123 --teams 2 --channels 100 --users 200

The first line that it prints is JSON: the addresses, the app's secrets, and its workspaces with their tokens, channels
and people. Then, all with JSON bodies:

    POST /control/settings   {"events_url": "…", "messages": true, "tiers": false, "history_lag": 0}
    POST /control/commands   {"text": "search x", "count": 200, "within": 30}  -> seconds to acknowledge and to answer
    POST /control/fail       {"method": "chat.postMessage", "fault": "drop", "times": 1, "after": 1, "take": false}
    GET  /control/counts     -> sockets, calls by method, messages by workspace, calls that limits refused
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from typing import Any

from aiohttp import web

from tests.fakes.slack.people import Seen
from tests.fakes.slack.slack import FakeSlack
from tests.fakes.slack.state import Json


class Control:
    """Takes what a bench tells and asks."""

    def __init__(self, slack: FakeSlack) -> None:
        self._slack = slack

    def add(self, app: web.Application) -> None:
        """Add the routes."""
        app.router.add_post("/control/settings", self.settings)
        app.router.add_post("/control/commands", self.commands)
        app.router.add_post("/control/fail", self.fail)
        app.router.add_get("/control/counts", self.counts)

    async def settings(self, request: web.Request) -> web.Response:
        """Change settings."""
        said = await request.json()
        self._slack.events_url = said.get("events_url", self._slack.events_url)
        self._slack.history_lag = said.get("history_lag", self._slack.history_lag)
        for name in ("messages", "tiers", "outside", "a_minute"):
            setattr(self._slack.limits, name, said.get(name, getattr(self._slack.limits, name)))
        return web.json_response({"ok": True})

    async def commands(self, request: web.Request) -> web.Response:
        """Type commands, all at once, each by another person as far as there are so many."""
        said = await request.json()
        asked = said["text"] if isinstance(said["text"], list) else [said["text"]]
        people = [(team, user) for team in self._slack.teams.values() for user in team.users.values() if not user.bot]
        work = []
        for number in range(int(said.get("count", 1))):
            team, user = people[number % len(people)]
            rooms = [one for one in team.channels.values() if not one.direct]
            channel = random.choice(rooms)
            work.append(self._one(channel, user, asked[number % len(asked)], float(said.get("within", 30))))
        done = await asyncio.gather(*work)
        acks, answers = [one[0] for one in done], [one[1] for one in done]
        return web.json_response({"acks": acks, "answers": answers, "lost": answers.count(None)})

    async def fail(self, request: web.Request) -> web.Response:
        """Let calls fail."""
        said = await request.json()
        times, after = int(said.get("times", 1)), float(said.get("after", 1))
        self._slack.fail(said["method"], said["fault"], times, after=after, take=bool(said.get("take")))
        return web.json_response({"ok": True})

    async def counts(self, request: web.Request) -> web.Response:
        """Tell what happened so far."""
        teams = self._slack.teams.values()
        posted = {team.id: [one for room in team.channels.values() for one in room.messages] for team in teams}
        stamps = sorted(float(one["ts"]) for messages in posted.values() for one in messages if one.get("bot_id"))
        return web.json_response(
            {
                "sockets": len(self._slack.sockets.lines),
                "calls": Counter(call.method for call in self._slack.calls),
                "errors": Counter(f"{call.method} {call.error}" for call in self._slack.calls if call.error),
                "messages": {team: len(messages) for team, messages in posted.items()},
                "refused": self._slack.limits.refused,
                "span": stamps[-1] - stamps[0] if stamps else 0.0,
            }
        )

    async def _one(self, channel: Any, user: Any, text: str, within: float) -> tuple[float | None, float | None]:
        started = time.perf_counter()
        seen: Seen = await self._slack.command(channel, user, text)
        try:
            await seen.reply(within=within)
        except AssertionError:
            return seen.seconds, None
        return seen.seconds, time.perf_counter() - started


def described(slack: FakeSlack) -> Json:
    """Return what a bench has to know."""
    return {
        "api_url": slack.api_url,
        "app_token": slack.app_token,
        "signing_secret": slack.signing_secret,
        "client_id": slack.client_id,
        "client_secret": slack.client_secret,
        "teams": [
            {
                "id": team.id,
                "bot_token": team.bot_token,
                "bot_user": team.bot_user,
                "bot_id": team.bot_id,
                "channels": [one.id for one in team.channels.values()],
                "users": [one.id for one in team.users.values() if not one.bot],
            }
            for team in slack.teams.values()
        ],
    }


async def serve(port: int, teams: int, channels: int, users: int) -> None:
    """Serve until cancelled."""
    slack = FakeSlack(port)
    slack.extend(Control(slack).add)
    async with slack:
        for number in range(teams):
            team = slack.team(f"Lab {number}")
            people = [team.user(f"user{one}") for one in range(users)]
            for one in range(channels):
                team.channel(f"room{one}", members=people, bot=True)
        print(json.dumps(described(slack)), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--teams", type=int, default=1)
    parser.add_argument("--channels", type=int, default=1)
    parser.add_argument("--users", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(serve(given.port, given.teams, given.channels, given.users))
