"""The client of sources against servers on real sockets, well and unwell."""

from __future__ import annotations

import asyncio
import gzip
import random
import ssl
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from bot.errors import SourceError
from bot.sources import _http
from bot.sources._http import Client
from bot.sources._http_answer import Answer
from bot.sources._pace import Pace
from tests.fakes.odd_http import (
    Clock,
    OddServer,
    bomb,
    cut,
    cut_chunks,
    endless,
    late,
    leads_on,
    packed,
    raw,
    same_if,
    says,
    serving,
)

HOUR = 3600.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[OddServer]:
    async with serving(clock.now) as server:
        yield server


@pytest.fixture
async def client(clock: Clock) -> AsyncIterator[Client]:
    made = Client("lab@example.org", pace={}, private=True, now=clock.now, sleep=clock.sleep, chance=lambda: 1.0)
    yield made
    await made.close()


async def refused(client: Client, url: str, **more: int | float) -> SourceError:
    with pytest.raises(SourceError) as found:
        await client.get(url, **more)  # type: ignore[arg-type]
    return found.value


async def begun(*servers: OddServer) -> None:
    while not all(server.asked for server in servers):  # noqa: ASYNC110 - a server tells nobody that it was asked
        await asyncio.sleep(0.01)


# --- what is well


async def test_answer(client: Client, server: OddServer) -> None:
    url = server.on("/x", says('{"a": [1, NaN]}', kind="application/json", X_Total="7"))
    answer = await client.get(url, params={"q": "a b&c", "n": 3}, headers={"X-Key": "k"})
    assert answer.json() == {"a": [1, None]}
    assert (answer.status, answer.same, answer.headers["x-total"]) == (200, False, "7")
    asked = server.asked[0]
    assert asked.path == "/x?q=a+b%26c&n=3"
    assert asked.headers["x-key"] == "k"
    assert asked.headers["user-agent"].startswith("paperround")
    assert asked.headers["user-agent"].endswith(" (+mailto:lab@example.org)")


async def test_post(client: Client, server: OddServer) -> None:
    answer = await client.post(server.on("/x", says("[]", kind="application/json")), json={"ids": ["é"]})
    assert answer.json() == []
    assert (server.asked[0].method, server.asked[0].headers["content-type"]) == ("POST", "application/json")


async def test_missing_is_an_answer_if_asked_for(client: Client, server: OddServer) -> None:
    url = server.on("/x", says("no such paper", 404))
    assert (await client.get(url, missing=(404,))).text() == "no such paper"
    assert "answered 404 (there is no such thing)." in str(await refused(client, url))


async def test_a_status_that_is_final_is_not_asked_for_again(client: Client, server: OddServer) -> None:
    for status in (400, 401, 403, 404, 410):
        url = server.on(f"/{status}", says("", status))
        assert str(status) in str(await refused(client, url))
    assert len(server.asked) == 5
    assert not client.resting()


async def test_used_again_after_it_was_closed(client: Client, server: OddServer) -> None:
    url = server.on("/x", says("a"))
    await client.get(url)
    await client.close()
    assert (await client.get(url)).body == b"a"


async def test_closed_while_it_asks_nobody_is_asked_again(server: OddServer, clock: Clock) -> None:
    client = Client(pace={"": Pace(1.0)}, private=True, now=clock.now, sleep=clock.sleep)
    url = server.on("/x", late(5, says("late")), says("well"))
    calls = [asyncio.ensure_future(client.get(url)) for _ in range(3)]
    await begun(server)
    await client.close()
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert {str(one) for one in ended} == {f"127.0.0.1:{server.port} is asked no further: the program ends."}
    assert len(server.asked) == 1
    assert not client.resting()
    assert client._session is None
    assert (await client.get(url)).text() == "well"
    await client.close()


# --- what is the same as before


async def test_fresh_asks_whether_it_changed(client: Client, server: OddServer) -> None:
    url = server.on("/x", same_if('"1"', "one"))
    assert (await client.get(url, fresh=True)).text() == "one"
    again = await client.get(url, fresh=True)
    assert (again.same, again.body, again.status) == (True, b"", 304)
    assert (await client.get(url)).text() == "one", "who does not ask for news gets everything"


async def test_forgotten_it_brings_everything_again(client: Client, server: OddServer) -> None:
    url = server.on("/x", same_if('"1"', "one"))
    await client.get(url, fresh=True)
    client.forget(url)
    assert (await client.get(url, fresh=True)).text() == "one"
    client.forget()
    assert (await client.get(url, fresh=True)).text() == "one"


async def test_conditions_of_the_caller(client: Client, server: OddServer) -> None:
    url = server.on("/x", same_if('"1"', "one"))
    assert (await client.get(url, headers={"If-None-Match": '"1"'})).same


async def test_304_that_nobody_asked_for_is_no_answer(client: Client, server: OddServer) -> None:
    assert "304" in str(await refused(client, server.on("/x", says("", 304))))


async def test_last_modified_and_a_tag_that_is_too_long(client: Client, server: OddServer) -> None:
    stamp = formatdate(0, usegmt=True)
    url = server.on("/x", says("a", Last_Modified=stamp, ETag="x" * 4000))
    await client.get(url, fresh=True)
    await client.get(url, fresh=True)
    assert server.asked[1].headers["if-modified-since"] == stamp
    assert "if-none-match" not in server.asked[1].headers


# --- what is unwell for a moment


@pytest.mark.parametrize(
    "act",
    [
        says("", 503),
        says("", 500),
        says("", 429),
        says("", 503, Retry_After="2"),
        cut(b"<feed>"),
        cut(b""),
        cut_chunks(b"<feed>"),
        raw(b""),
        raw(b"HTTP/1.1 200 OK\r\n"),
        raw(b"220 smtp.example.org\r\n\r\n"),
        packed(gzip.compress(b"a" * 5000)[:-20]),
        packed(b"not packed at all"),
        packed(b"x", "br"),
    ],
)
async def test_tried_again(client: Client, server: OddServer, act: object, clock: Clock) -> None:
    url = server.on("/x", act, act, says("well"))  # type: ignore[arg-type]
    began = clock.now()
    assert (await client.get(url)).text() == "well"
    assert len(server.asked) == 3
    assert 4 <= clock.now() - began <= 6, "two waits: of 2 s and of up to 4 s"
    assert not client.resting()


async def test_three_times_in_a_row_is_an_error(client: Client, server: OddServer) -> None:
    error = await refused(client, server.on("/x", says("", 503)))
    assert str(error) == f"127.0.0.1:{server.port} answered 503, three times in a row."
    assert error.after == 0
    assert len(server.asked) == 3


async def test_cut_off_body_is_never_an_answer(client: Client, server: OddServer) -> None:
    assert "broke off in the middle of an answer, three times" in str(await refused(client, server.on("/x", cut(b"<"))))


async def test_short_retry_after_is_obeyed(client: Client, server: OddServer, clock: Clock) -> None:
    url = server.on("/x", says("", 503, Retry_After="40"), says("well"))
    assert (await client.get(url)).text() == "well"
    assert server.asked[1].at - server.asked[0].at >= 40


async def test_short_retry_after_as_a_date(client: Client, server: OddServer, clock: Clock) -> None:
    stamp = formatdate(clock.now() + 30, usegmt=True)
    await client.get(server.on("/x", says("", 429, Retry_After=stamp), says("well")))
    assert 30 <= server.asked[1].at - server.asked[0].at <= 32


async def test_long_retry_after_is_left_to_the_caller(client: Client, server: OddServer, clock: Clock) -> None:
    url = server.on("/x", says("", 429, Retry_After="3600"), says("well"))
    error = await refused(client, url)
    assert error.after == HOUR
    assert str(error) == f"127.0.0.1:{server.port} answered 429. It is left alone until 18:00 UTC."
    await clock.sleep(1800)
    error = await refused(client, url)
    assert error.after == 1800
    assert len(server.asked) == 1, "nobody asks in between"
    assert list(client.resting()) == [f"127.0.0.1:{server.port}"]
    await clock.sleep(1800)
    assert (await client.get(url)).text() == "well"
    assert not client.resting()


async def test_long_retry_after_stands_though_another_call_is_well(client: Client, server: OddServer) -> None:
    slow = asyncio.ensure_future(client.get(server.on("/slow", late(0.1, says("well")))))
    await begun(server)
    url = server.on("/x", says("", 429, Retry_After="3600"), says("well"))
    await refused(client, url)
    await slow
    assert (await refused(client, url)).after == HOUR
    assert len(server.asked) == 2


async def test_nobody_can_ask_for_more_than_a_day(client: Client, server: OddServer) -> None:
    assert (await refused(client, server.on("/x", says("", 503, Retry_After="999999999")))).after == 86400


async def test_silence(client: Client, server: OddServer) -> None:
    error = await refused(client, server.on("/x", late(10, says("well"))), within=0.15)
    assert "did not answer within" in str(error)


async def test_who_is_in_a_hurry_says_nothing_of_the_host(client: Client, server: OddServer) -> None:
    url = server.on("/x", late(10, says("well")))
    for _ in range(6):
        await refused(client, url, within=0.01)
    assert not client.resting()


async def test_silence_counts(client: Client, server: OddServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_http, "SLOW", 0.01)
    url = server.on("/x", late(10, says("well")))
    for _ in range(5):
        await refused(client, url, within=0.02)
    assert client.resting()


async def test_a_slow_trickle_ends(client: Client, server: OddServer) -> None:
    error = await refused(client, server.on("/x", endless(b"x", pause=0.01)), within=0.15)
    assert "did not answer within" in str(error)
    assert len(server.asked) <= 2


async def test_nobody_there(client: Client) -> None:
    async with serving() as gone:
        url = gone.url
    assert "cannot be reached, three times in a row." in str(await refused(client, url))


async def test_a_caller_that_gives_up_leaves_nothing_behind(server: OddServer, clock: Clock) -> None:
    client = Client(pace={"": Pace(0.0)}, private=True, now=clock.now, sleep=clock.sleep)
    url = server.on("/x", late(5, says("late")), says("well"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await client.get(url)
    assert (await client.get(url)).text() == "well", "its turn was given back"
    await client.close()


# --- what is unwell for long


async def test_429_for_an_hour(client: Client, server: OddServer, clock: Clock) -> None:
    ends = clock.now() + HOUR

    async def busy(at: OddServer, asked: object, writer: asyncio.StreamWriter) -> None:
        act = says("", 429) if clock.now() < ends else says("well")
        await act(at, asked, writer)  # type: ignore[arg-type]

    url = server.on("/x", busy)
    answer: Answer | None = None
    while answer is None:
        try:
            answer = await client.get(url)
        except SourceError as error:
            await clock.sleep(max(error.after, 60))
    assert answer.text() == "well"
    assert clock.now() < ends + HOUR
    assert len(server.asked) <= 12, "it is left alone for 5, 10, 20 and 40 minutes"


async def test_circuit(client: Client, server: OddServer, clock: Clock) -> None:
    url = server.on("/x", says("", 500))
    await refused(client, url)
    error = await refused(client, url)
    assert str(error).endswith(" answered 500, 5 times in a row. It is left alone until 17:05 UTC.")
    assert error.after == 300
    assert len(server.asked) == 5
    waits = []
    for _ in range(6):
        await clock.sleep(error.after)
        error = await refused(client, url)
        waits.append(error.after)
    assert waits == [600, 1200, 2400, 3600, 3600, 3600]
    assert len(server.asked) == 11, "one call shows whether it is well again"
    server.on("/x", says("well"))
    await clock.sleep(3600)
    await client.get(url)
    server.on("/x", says("", 500))
    await refused(client, url)
    assert not client.resting(), "it starts anew"


async def test_one_host_that_is_unwell_is_no_other(client: Client, server: OddServer, clock: Clock) -> None:
    async with serving(clock.now) as other:
        bad, good = server.on("/x", says("", 500)), other.on("/x", says("well"))
        for _ in range(4):
            await refused(client, bad)
            assert (await client.get(good)).text() == "well"
        assert len(other.asked) == 4


async def test_hosts_that_hold_their_connections_hold_up_no_other(client: Client, server: OddServer) -> None:
    async with AsyncExitStack() as stack:
        slow = [await stack.enter_async_context(serving()) for _ in range(25)]
        held = [asyncio.ensure_future(client.get(one.on("/x", late(9, says(""))))) for one in slow]
        await begun(*slow)
        assert (await client.get(server.on("/x", says("well")), within=5)).text() == "well"
        for call in held:
            call.cancel()
        await asyncio.wait(held)


# --- pace


async def test_pace_of_a_group(clock: Clock) -> None:
    async with serving(clock.now) as one, serving(clock.now) as two:
        pace = Pace(3.0, 1, "arXiv")
        table = {f"127.0.0.1:{one.port}": pace, f"127.0.0.1:{two.port}": pace}
        client = Client(pace=table, private=True, now=clock.now, sleep=clock.sleep)
        urls = [one.on("/a", says("a")), two.on("/b", says("b"))] * 4
        await asyncio.gather(*(client.get(url) for url in urls))
        times = sorted(asked.at for asked in one.asked + two.asked)
        gaps = [later - earlier for earlier, later in pairwise(times)]
        assert all(gap >= 3 for gap in gaps)
        assert times[-1] - times[0] <= 7 * 3.01
        assert one.most_at_once == two.most_at_once == 1
        await client.close()


async def test_redirects_keep_the_pace_too(clock: Clock) -> None:
    async with serving(clock.now) as server:
        client = Client(pace={"": Pace(3.0)}, private=True, now=clock.now, sleep=clock.sleep)
        server.on("/b", says("well"))
        await client.get(server.on("/a", leads_on("/b")))
        assert server.asked[1].at - server.asked[0].at >= 3
        await client.close()


async def test_others_wait_too_while_a_host_rests_for_a_moment(clock: Clock) -> None:
    async with serving(clock.now) as server:
        client = Client(pace={"": Pace(1.0)}, private=True, now=clock.now, sleep=clock.sleep, chance=lambda: 0.5)
        urls = [server.on("/a", says("", 503, Retry_After="20"), says("a")), server.on("/b", says("b"))]
        answers = await asyncio.gather(*(client.get(url) for url in urls))
        assert [answer.text() for answer in answers] == ["a", "b"]
        times = [asked.at for asked in server.asked]
        assert times[1] - times[0] >= 20
        assert times[2] - times[1] >= 1
        await client.close()


# --- what is too much


async def test_too_large_is_refused_at_once(client: Client, server: OddServer) -> None:
    url = server.on("/x", says("x" * 2000))
    error = await refused(client, url, limit=1000)
    assert "sent more than the 1,000 bytes that are read." in str(error)
    assert len(server.asked) == 1
    assert len((await client.get(url, limit=2000)).body) == 2000


@pytest.mark.parametrize("kind", ["endless", "bomb", "bomb in deflate", "padding"])
async def test_memory_is_bounded(client: Client, server: OddServer, kind: str) -> None:
    packs = {"bomb": packed(bomb(60_000_000)), "bomb in deflate": packed(zlib.compress(bytes(60_000_000)), "deflate")}
    packs["padding"] = packed(gzip.compress(b"x") + bytes(6_000_000))
    url = server.on("/x", packs.get(kind) or endless())
    await client.get(server.on("/warm", says("")))
    tracemalloc.start()
    try:
        await refused(client, url, limit=5_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12_000_000
    assert server.sent < 20_000_000


async def test_a_body_of_200_mb_is_not_even_begun(client: Client, server: OddServer) -> None:
    url = server.on("/x", raw(b"HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n"))
    assert "sent more than the 20,000,000 bytes that are read." in str(await refused(client, url))


async def test_members_without_end(client: Client, server: OddServer) -> None:
    assert "cannot be unpacked" in str(await refused(client, server.on("/x", packed(gzip.compress(b"") * 2000))))


async def test_nothing_is_ever_cut_short_or_mixed_up(client: Client, server: OddServer, clock: Clock) -> None:
    dice = random.Random(7)
    whole = {f"/{number}": str(number).encode() * dice.randint(1, 30_000) for number in range(40)}
    for path, body in whole.items():
        zipped = gzip.compress(body)
        bad = [says("", 503), says("", 429, Retry_After="5"), cut(body), cut_chunks(body), raw(b""), raw(b"rubbish")]
        bad.append(packed(zipped[: dice.randrange(len(zipped))]))
        well = dice.choice([says(body), packed(zipped)])
        server.on(path, *dice.choices(bad, k=dice.randint(0, 4)), well)
    found: dict[str, bytes] = {}
    while len(found) < len(whole):
        for path in whole.keys() - found.keys():
            try:
                found[path] = (await client.get(server.url + path)).body
            except SourceError as error:
                await clock.sleep(error.after)
    assert found == whole


# --- TLS


async def test_tls(client: Client, server: OddServer, tmp_path: Path) -> None:
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(*self_signed(tmp_path))
    secure = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=own)
    port = secure.sockets[0].getsockname()[1]
    error = await refused(client, f"https://127.0.0.1:{port}/x")
    secure.close()
    assert str(error) == f"127.0.0.1:{port} has no certificate that can be trusted."
    assert not server.asked


async def test_no_tls(client: Client) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    listening = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    assert "speaks no TLS" in str(await refused(client, f"https://127.0.0.1:{port}/x"))
    listening.close()


def self_signed(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(made.public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return chain, secret


# --- what is packed


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(b"a" * 100_000), "gzip"),
        (gzip.compress(b"a" * 50_000) + gzip.compress(b"a" * 50_000), "gzip"),
        (gzip.compress(b"a" * 100_000) + b"\0\0\0", "x-gzip"),
        (zlib.compress(b"a" * 100_000), "deflate"),
        (zlib.compress(b"a" * 100_000, wbits=-15), "deflate"),
        (b"a" * 100_000, "identity"),
    ],
)
async def test_packed(client: Client, server: OddServer, body: bytes, encoding: str) -> None:
    assert (await client.get(server.on("/x", packed(body, encoding)))).body == b"a" * 100_000
