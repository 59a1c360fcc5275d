"""All of arXiv, or of a category, by OAI-PMH: https://info.arxiv.org/help/oa/index.html."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import date
from typing import Any

from bot.core.ports import Cursor
from bot.errors import SourceError
from bot.sources._arxiv_categories import set_of
from bot.sources._arxiv_oai import BAD_TOKEN, parse_oai
from recommender.types import Paper


async def harvest(
    url: str, http: Any, category: str, first: date | None, last: date | None, cursor: str
) -> AsyncIterator[Paper | Cursor]:
    """Yield all papers of a category ("": of all) whose records changed from `first` to `last`, and cursors.

    Tokens live for a day; with a cursor whose token has died the list begins anew. Raises SourceError.
    """
    plain = {"verb": "ListRecords", "metadataPrefix": "arXiv"}
    plain |= {"set": set_of(category)} if category else {}
    plain |= {"from": first.isoformat()} if first else {}
    plain |= {"until": last.isoformat()} if last else {}
    token = _token(cursor)
    resumed = bool(token)
    while True:
        params = {"verb": "ListRecords", "resumptionToken": token} if token else plain
        answer = await asyncio.to_thread(parse_oai, (await http.get(url, params=params)).body)
        if answer.error == BAD_TOKEN:
            if not resumed:
                raise SourceError("arXiv's OAI-PMH lost its place in the list. It begins anew next time.")
            token, resumed = "", False
            continue
        for paper in answer.papers:
            yield paper
        if not answer.token:
            yield Cursor("")
            return
        if answer.token == token:
            raise SourceError("arXiv's OAI-PMH gave the same part of the list twice.")
        token, resumed = answer.token, False
        yield Cursor(json.dumps({"token": token}))


def _token(cursor: str) -> str:
    try:
        said = json.loads(cursor) if cursor else {}
        token = said.get("token") if isinstance(said, dict) else ""
    except (ValueError, RecursionError):
        return ""
    return token if isinstance(token, str) else ""
