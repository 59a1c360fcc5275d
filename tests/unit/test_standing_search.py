"""Standing searches: what may be asked for, where a reading begins, and how pages are read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError
from bot.sources._standing import Page, first_day, mail, read, setting, whole, words_of
from recommender.types import Paper

NOW = datetime(2026, 12, 2, 17, 0, tzinfo=UTC)


def test_words_are_tidied_and_each_is_searched_for_once() -> None:
    assert words_of("openalex", ["  coral\u200b  reefs ", "Coral Reefs", "图 网络"]) == ["coral reefs", "图 网络"]


@pytest.mark.parametrize("bad", ["", "   ", "?", "a", "\x00", "x" * 61])
def test_what_cannot_be_searched_for_is_refused_by_name(bad: str) -> None:
    with pytest.raises(SettingsError, match=r"^openalex"):
        words_of("openalex", ["coral reefs", bad])


@pytest.mark.parametrize(
    ("since", "cursor", "day"),
    [
        (None, "", date(2026, 11, 2)),  # at first, the last 30 days
        (datetime(2026, 11, 25, 1, 0, tzinfo=timezone(timedelta(hours=2))), "", date(2026, 10, 25)),
        (NOW, "2026-11-20", date(2026, 10, 21)),  # 30 days before it was read whole
        (None, "on 2026-11-20", date(2026, 11, 20)),  # where it broke off
        (None, "on 2099-01-01", date(2026, 12, 2)),  # never in the future, where nothing would be found again
        (None, "2099-01-01", date(2026, 11, 2)),
        (None, "nonsense", date(2026, 11, 2)),
        (None, "on nonsense", date(2026, 11, 2)),
        (None, "0001-01-01", date(1899, 12, 2)),
    ],
)
def test_a_reading_begins_before_what_was_read_whole(since: datetime | None, cursor: str, day: date) -> None:
    assert first_day(since, cursor, NOW) == day


def paper(number: int) -> Paper:
    return Paper(id=f"s2:{number:040x}", title=f"Paper {number}")


class Pages:
    """Pages by their names, each given once; the last one again and again."""

    def __init__(self, **pages: list[Page]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    async def __call__(self, following: str) -> Page:
        self.asked.append(following)
        left = self.pages[following or "first"]
        return left.pop(0) if len(left) > 1 else left[0]


async def taken(pages: Pages, most: int = 10) -> list[Paper | Cursor]:
    return [item async for item in read(pages, "Scholar", NOW, most)]


async def until_it_fails(items: AsyncIterator[Any]) -> tuple[list[Any], str]:
    """Return what came before the failure, and what that said."""
    kept: list[Any] = []
    try:
        async for item in items:
            kept.append(item)  # noqa: PERF401 - it fails on the way
    except SourceError as error:
        return kept, str(error)
    raise AssertionError("it did not fail")


async def test_a_cursor_follows_each_page_and_the_last_one_says_that_all_is_read() -> None:
    pages = Pages(
        first=[Page((paper(1),), 1, 2, "b", date(2026, 11, 20))], b=[Page((paper(2),), 1, 2, "", date(2026, 11, 21))]
    )
    assert await taken(pages) == [paper(1), Cursor("on 2026-11-20"), paper(2), whole(NOW)]


async def test_nothing_found_is_read_whole() -> None:
    assert await taken(Pages(first=[Page()])) == [Cursor("2026-12-02")]


async def test_an_empty_page_between_others_is_asked_for_again() -> None:
    full, empty = Page((paper(2),), 1, 3, "c"), Page((), 0, 3, "c")
    pages = Pages(first=[Page((paper(1),), 1, 3, "b")], b=[empty, full], c=[Page((paper(3),), 1, 3)])
    assert await taken(pages) == [paper(1), paper(2), paper(3), whole(NOW)]
    assert pages.asked == ["", "b", "b", "c"]


async def test_a_page_that_stays_empty_is_a_failure_and_what_came_before_it_is_kept() -> None:
    pages = Pages(first=[Page((paper(1),), 1, 3, "b", date(2026, 11, 20))], b=[Page((), 0, 3, "c")])
    kept, why = await until_it_fails(read(pages, "Scholar", NOW, 10))
    assert why.startswith("Scholar gave an empty page")
    assert kept == [paper(1), Cursor("on 2026-11-20")]


async def test_an_empty_first_page_of_many_is_a_failure() -> None:
    with pytest.raises(SourceError, match="empty page"):
        await taken(Pages(first=[Page((), 0, 500)]))


async def test_an_empty_last_page_is_none() -> None:
    pages = Pages(first=[Page((paper(1),), 1, 1, "b")], b=[Page((), 0, 1)])
    assert await taken(pages) == [paper(1), whole(NOW)]


async def test_pages_in_a_circle_are_left() -> None:
    pages = Pages(first=[Page((paper(1),), 1, 3, "b")], b=[Page((paper(2),), 1, 3, "b")])
    with pytest.raises(SourceError, match="the same page twice"):
        await taken(pages)
    assert pages.asked == ["", "b"]


async def test_after_so_many_pages_it_goes_on_another_time() -> None:
    pages = Pages(first=[Page((paper(1),), 1, 3, "b", date(2099, 1, 1))], b=[Page((paper(2),), 1, 3)])
    assert await taken(pages, most=1) == [paper(1), Cursor("on 2026-12-02")]


def test_settings_are_read_hidden_or_not() -> None:
    settings = SimpleNamespace(s2_key=SecretStr(" abc "), contact="papers@example.org", odd=3)
    assert [setting(settings, name) for name in ("s2_key", "contact", "odd", "none")] == [
        "abc", "papers@example.org", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("contact", "address"),
    [
        ("papers@example.org", "papers@example.org"),
        ("mailto:papers@example.org", "papers@example.org"),
        ("https://example.org/@me", ""),
        ("", ""),
    ],
)
def test_a_contact_is_a_mail_address_or_not(contact: str, address: str) -> None:
    assert mail(contact) == address
