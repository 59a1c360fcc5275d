"""OpenReview as a source: paging that loses nothing, changes, lookups, accounts, and venues that do not exist."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError, UsageError
from bot.sources import _openreview_pages as paging
from bot.sources._openreview_api import Api
from bot.sources.openreview import OpenReview, source
from recommender.types import Paper
from tests.fakes.openreview_server import CHALLENGE, VENUE, MemoryHttp, OpenReviewWorld, note

EMPTY = (200, b'{"notes": []}')
GROUP = {VENUE: {"id": VENUE, "domain": VENUE, "content": {"title": {"value": "ICLR 2026 Conference"}}}}
OLD = "ICLR.cc/2019/Conference"


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten notes a page, so that few make many."""
    ways = tuple(paging.Way(way.old, way.params, 10) for way in paging.WAYS)
    monkeypatch.setattr(paging, "WAYS", ways)


def world(papers: int, **more: Any) -> OpenReviewWorld:
    return OpenReviewWorld(notes=[note(number) for number in range(papers)], groups=dict(GROUP), **more)


async def read(http: Any, cursor: str = "", chosen: OpenReview | None = None) -> tuple[list[str], str, str]:
    """Return the numbers of the papers that came, the last cursor, and the error that ended it."""
    found: list[str] = []
    try:
        async for item in (chosen or OpenReview(venue=VENUE)).fetch(None, http, cursor):
            if isinstance(item, Cursor):
                assert len(item.text) <= 2000
                cursor = item.text
            else:
                found.append(item.id.removeprefix("openreview:note").lstrip("0") or "0")
    except SourceError as error:
        return found, cursor, str(error)
    return found, cursor, ""


def numbers(*of: int) -> list[str]:
    return [str(number) for number in range(*of)]


@pytest.mark.parametrize("papers", [1, 9, 10, 11, 20, 35])
@pytest.mark.parametrize(
    "more", [{}, {"knows_after": False}, {"counts": False}, {"knows_after": False, "counts": False}]
)
async def test_the_whole_list_comes_once(papers: int, more: dict[str, bool]) -> None:
    served = world(papers, **more)
    found, cursor, error = await read(MemoryHttp(served))
    assert (found, error) == (numbers(papers), "")
    assert json.loads(cursor)["whole"] is True
    assert len(served.asked) <= papers // 10 + 3


async def test_only_accepted_papers_come_unless_others_were_chosen() -> None:
    served = world(2)
    for number, ending in enumerate(("Rejected", "Withdrawn", "Desk_Rejected"), 50):
        served.notes.append(note(number, venue=f"{VENUE}/{ending}_Submission"))
    assert (await read(MemoryHttp(served)))[0] == numbers(2)
    rejected = OpenReview(venue=f"{VENUE}/Rejected_Submission")
    assert (await read(MemoryHttp(served), chosen=rejected))[0] == ["50"]


async def test_a_page_that_fails_is_gone_on_with() -> None:
    served = world(35, faults=[None, None, (500, b"")])
    found, cursor, error = await read(MemoryHttp(served))
    assert found == numbers(20)
    assert "500" in error
    found, cursor, error = await read(MemoryHttp(served), cursor)
    assert (found, error) == (numbers(20, 35), "")


async def test_an_empty_page_in_the_middle_is_asked_for_again() -> None:
    served = world(35, faults=[None, EMPTY])
    assert (await read(MemoryHttp(served)))[::2] == (numbers(35), "")


async def test_a_list_that_ends_too_early_is_an_error_and_goes_on_from_there() -> None:
    served = world(35, faults=[None, None, EMPTY, EMPTY, EMPTY])
    found, cursor, error = await read(MemoryHttp(served))
    assert (found, error) == (
        numbers(20),
        f"OpenReview gave 20 of 35 papers of {VENUE}, then none. The rest comes next time.",
    )
    assert (await read(MemoryHttp(served), cursor))[::2] == (numbers(20, 35), "")


async def test_a_list_that_became_shorter_meanwhile_is_read_again_from_its_beginning() -> None:
    served = world(35, faults=[None, None, None, (503, b"")])
    _, cursor, _ = await read(MemoryHttp(served))
    del served.notes[28:]
    assert (await read(MemoryHttp(served), cursor))[::2] == (numbers(28), "")


async def test_once_all_are_read_only_changes_are_asked_for() -> None:
    served = world(35)
    _, cursor, _ = await read(MemoryHttp(served))
    for each in served.notes:
        each["tmdate"] -= 10 * 86_400_000
    served.notes += [note(number) for number in range(80, 95)]
    served.asked.clear()
    found, cursor, error = await read(MemoryHttp(served), cursor)
    assert (sorted(found), error) == (numbers(80, 95), "")
    assert len(served.asked) == 2
    assert json.loads(cursor)["newest"] == served.notes[-1]["tmdate"]


async def test_a_list_that_is_empty_suddenly_is_an_error() -> None:
    served = world(5)
    _, cursor, _ = await read(MemoryHttp(served))
    served.notes.clear()
    found, after, error = await read(MemoryHttp(served), cursor)
    assert (found, after) == ([], cursor)
    assert "then none" in error


async def test_changes_that_break_off_are_asked_for_again() -> None:
    served = world(5)
    _, cursor, _ = await read(MemoryHttp(served))
    served.notes += [note(number) for number in range(100, 130)]
    served.faults = [None, EMPTY]
    found, after, error = await read(MemoryHttp(served), cursor)
    assert after == cursor
    assert "though there are more" in error
    found, after, error = await read(MemoryHttp(served), cursor)
    assert set(found) >= set(numbers(100, 130))
    assert error == ""


async def test_a_venue_that_has_decided_nothing_yet_has_no_papers() -> None:
    served = world(0)
    assert await read(MemoryHttp(served)) == ([], "", "")
    assert not any(path.startswith("/old") for path, _ in served.asked)


async def test_old_venues_are_asked_for_at_the_old_interface() -> None:
    old = []
    for number in range(25):
        replies = [
            {
                "invitation": f"{OLD}/-/Paper{number}/Decision",
                "content": {"decision": "Reject" if number % 2 else "Accept"},
            }
        ]
        each = note(number) | {"invitation": f"{OLD}/-/Blind_Submission", "details": {"directReplies": replies}}
        old.append(each | {"content": {"title": f"Old paper number {number}", "abstract": "It is old."}})
    served = OpenReviewWorld(old_notes=old, groups={OLD: {"id": OLD}})
    found, cursor, error = await read(MemoryHttp(served), chosen=OpenReview(venue=OLD))
    assert (found, error) == (numbers(0, 25, 2), "")
    served.asked.clear()
    assert (await read(MemoryHttp(served), cursor, OpenReview(venue=OLD)))[2] == ""
    assert {path for path, _ in served.asked} == {"/old/notes"}


async def test_a_venue_that_does_not_exist_is_named() -> None:
    assert (await read(MemoryHttp(world(0)), chosen=OpenReview(venue="ICLR.cc/2062")))[2] == (
        "OpenReview has no venue called ICLR.cc/2062."
    )
    with pytest.raises(UsageError, match=r"no venue called ICLR\.cc/2062"):
        await source.check("ICLR.cc/2062", MemoryHttp(world(0)))


async def test_check_says_how_a_venue_is_called() -> None:
    http = MemoryHttp(world(0))
    assert await source.check(VENUE, http) == "OpenReview ICLR 2026 Conference"
    assert await source.check(f"{VENUE}/Rejected_Submission", http) == "OpenReview ICLR 2026 Conference (rejected)"
    assert await source.check(f"https://openreview.net/group?id={VENUE}", http) == "OpenReview ICLR 2026 Conference"


@pytest.mark.parametrize("cursor", ["x", "{}", "[]", '{"way": 99}', "\ud800", '{"way":0,"after":5}', '{"whole":true}'])
async def test_a_cursor_that_cannot_be_read_is_the_beginning(cursor: str) -> None:
    assert (await read(MemoryHttp(world(12)), cursor))[::2] == (numbers(12), "")


def test_one_source_a_venue() -> None:
    picked = source.pick([VENUE, f"https://openreview.net/group?id={VENUE}#tab", "TMLR"], SimpleNamespace())
    assert [one.name for one in picked] == [f"openreview:{VENUE}", "openreview:TMLR"]


@pytest.mark.parametrize(
    "wrong", ["", "  ", "two words", "a/../b?x=1", "ICLR.cc//x", "\x00", "x" * 500, "https://openreview.net/"]
)
def test_what_is_no_venues_name_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(SettingsError, match="openreview"):
        source.pick([wrong], SimpleNamespace())


async def test_one_paper_by_its_forum() -> None:
    served = world(3)
    served.notes.append(
        note(70, venue=f"{VENUE}/Withdrawn_Submission", said="ICLR 2026 Conference Withdrawn Submission")
    )
    served.old_notes.append(note(71) | {"content": {"title": "An old paper indeed", "venue": "ICLR 2018 Poster"}})
    http = MemoryHttp(served)
    found = await source.find("openreview:note000001", http)
    assert isinstance(found, Paper)
    assert found.venue == "ICLR 2026 Poster"
    withdrawn = await source.find("openreview:note000070", http)
    assert withdrawn is not None
    assert withdrawn.venue == "Submitted to ICLR 2026 (withdrawn)"
    old = await source.find("openreview:note000071", http)
    assert old is not None
    assert old.title == "An old paper indeed"
    assert await source.find("openreview:nothing00", http) is None


async def test_a_forum_that_is_not_public_is_none() -> None:
    hidden = (403, b'{"name": "ForbiddenError", "message": "You are not allowed"}')
    assert await source.find("openreview:hidden00", MemoryHttp(world(0, faults=[hidden, hidden]))) is None


async def test_search_by_words() -> None:
    found = await source.look("number 3", 2, MemoryHttp(world(35)))
    assert [each.id for each in found] == ["openreview:note000003", "openreview:note000030"]
    assert await source.look("  ", 2, MemoryHttp(world(35))) == []


async def test_a_challenge_is_told_with_the_way_out() -> None:
    _, _, error = await read(MemoryHttp(world(3, closed=True)))
    assert error == (
        "OpenReview wants proof that this is no robot (403). Make a free account at openreview.net and set "
        "PAPERROUND_OPENREVIEW_USER and PAPERROUND_OPENREVIEW_PASSWORD."
    )


async def test_an_account_signs_in_once_and_again_when_that_is_over() -> None:
    settings = SimpleNamespace(openreview_user="me@example.org", openreview_password=SecretStr("secret"))
    kind = OpenReview()
    chosen = kind.pick([VENUE], settings)[0]
    assert "secret" not in repr(chosen)
    over = (403, json.dumps(CHALLENGE).encode())
    served = world(25, closed=True, password="secret", faults=[None, over])
    assert (await read(MemoryHttp(served), chosen=chosen))[::2] == (numbers(25), "")
    assert await kind.keyed(settings).find("openreview:note000001", MemoryHttp(served)) is not None
    assert served.logins == 2


async def test_an_account_that_is_refused_is_told_without_its_password() -> None:
    chosen = OpenReview(venue=VENUE, api=Api(user="me@example.org", password="wrong"))
    _, _, error = await read(MemoryHttp(world(3, closed=True, password="secret")), chosen=chosen)
    assert error == (
        "OpenReview refuses this account. Check PAPERROUND_OPENREVIEW_USER and PAPERROUND_OPENREVIEW_PASSWORD."
    )


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"", b'{"notes": "none"}', b'{"no'])
async def test_an_answer_that_is_none_is_an_error_and_moves_nothing(body: bytes) -> None:
    served = world(35, faults=[None, (200, body)])
    found, cursor, error = await read(MemoryHttp(served))
    assert found == numbers(10)
    assert error.startswith("OpenReview")
    assert (await read(MemoryHttp(served), cursor))[::2] == (numbers(10, 35), "")


async def test_a_server_that_gives_one_page_for_ever_is_left() -> None:
    page = (200, json.dumps({"notes": [note(number) for number in range(10)], "count": 500}).encode())
    _, _, error = await read(MemoryHttp(world(0, faults=[page] * 100)))
    assert "twice" in error
