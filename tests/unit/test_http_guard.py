"""No URL, redirect or name leads into the local network."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from bot.errors import SourceError
from bot.sources._guard import Guard, private
from bot.sources._http import Client
from tests.fakes.odd_http import leads_on, says, serving

HERE = "127.0.0.1/32"


PRIVATE = """
    0.0.0.0 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.251 239.255.255.250 240.0.0.1
    255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.1.2.3 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::1
    100::1 2001::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0
    fec0::1 ff02::1 2606:4700::1%eth0 localhost nonsense"""
PUBLIC = (
    "8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 2606:4700::1111 2a00:1450:4001::200e ::ffff:8.8.8.8 "
    "64:ff9b::808:808"
)


@pytest.mark.parametrize("address", PRIVATE.split())
def test_private(address: str) -> None:
    assert private(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public(address: str) -> None:
    assert not private(address)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "feed",
        "http://",
        "http:///feed",
        "//example.org/feed",
        "ftp://example.org/feed",
        "file:///etc/passwd",
        "gopher://example.org/",
        "javascript:alert(1)",
        "data:text/xml,<rss/>",
        "http://user:secret@example.org/feed",
        "http://user@example.org/feed",
        "https://:secret@example.org/feed",
        "http://example.org:22/",
        "http://example.org:25/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://example.org:x/",
        "http://127.0.0.1/",
        "http://127.0.0.1./",
        "http://127.1/",
        "http://2130706433/",
        "http://017700000001/",
        "http://0177.0.0.1/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://127.0.0.0x1/",
        "http://127.0.0.1.:8080/",
        "http://１２７.０.０.１/",
        "http://127。0。0。1/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[fe80::1%25eth0]/",
        "http://[2002:7f00:1::]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1",
        "http://exa mple.org/",
        "http://a..b/",
        "http://" + "a" * 64 + ".org/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org/" + "x" * 5000,
    ],
)
async def test_url_that_is_refused(url: str) -> None:
    with pytest.raises(SourceError) as found:
        Guard().url(url)
    assert "refused" in str(found.value)
    assert "secret" not in str(found.value)
    assert len(str(found.value)) < 250


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/feed",
        "HTTPS://EXAMPLE.org/feed?x=1#part",
        "https://example.org:8443/",
        "http://example.org:8080",
        "https://bücher.example/feed",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]/feed",
        "https://0x.example.org/",
        "https://10.example.org/",
    ],
)
def test_url_that_may_be_asked_for(url: str) -> None:
    assert Guard().url(url).host


def test_secrets_of_a_query_are_not_shown() -> None:
    with pytest.raises(SourceError) as found:
        Guard().url("ftp://example.org/x?api_key=geheim")
    assert "geheim" not in str(found.value)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://u:geheim@example.org/x",
        "ftp://u:ge@geheim@example.org/x",
        "ftp://u:?geheim@example.org/x",
        "ftp://u:#geheim@example.org/x",
        "ftp://example.org/?key=a@geheim",
        "ftp://example.org/#geheim",
        "u:geheim@example.org",
    ],
)
def test_secrets_of_a_url_are_not_shown(url: str) -> None:
    with pytest.raises(SourceError) as found:
        Guard().url(url)
    assert "geheim" not in str(found.value)


def test_what_a_redirect_says_is_shown_as_text() -> None:
    for to in ("http://[\udcff", "http://a\u202eb.org/", "http://[\x1b[31m", "//\x00"):
        with pytest.raises(SourceError) as found:
            Guard().after(URL("https://feeds.example.org/x"), to)
        assert str(found.value).isprintable()


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("http://127.0.0.1/admin", "public internet"),
        ("//10.0.0.1/", "public internet"),
        ("file:///etc/passwd", "only http: and https:"),
        ("ftp://example.org/", "only http: and https:"),
        ("http://example.org/", "from https: to http:"),
        ("https://a:b@example.org/", "password"),
        ("http://[", "no URL"),
    ],
)
def test_redirect_that_is_refused(to: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        Guard().after(URL("https://feeds.example.org/x"), to)


def test_redirects_may_be_relative() -> None:
    assert str(Guard().after(URL("https://feeds.example.org/a/x"), "../b?y#z")) == "https://feeds.example.org/b?y"


def test_socket_of_a_private_address_is_never_made() -> None:
    with pytest.raises(SourceError, match="public internet"):
        Guard().socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80)))


# --- on sockets


class Names(AbstractResolver):
    """Leads each name to the next of its addresses each time it is asked, and then to the last."""

    def __init__(self, **names: list[str]) -> None:
        self.names = {name.replace("_", "."): list(addresses) for name, addresses in names.items()}
        self.asked = 0

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
        """Lead."""
        self.asked += 1
        if host not in self.names:
            raise OSError("no such name")
        addresses = self.names[host]
        found = (addresses.pop(0) if len(addresses) > 1 else addresses[0]).split()
        return [
            ResolveResult(
                hostname=host,
                host=one,
                port=port,
                family=socket.AF_INET6 if ":" in one else socket.AF_INET,
                proto=0,
                flags=0,
            )
            for one in found
        ]

    async def close(self) -> None:
        """Do nothing."""


async def never_asked(client: Client, url: str, reason: str = "public internet") -> None:
    try:
        with pytest.raises(SourceError, match=reason):
            await client.get(url)
    finally:
        await client.close()


@pytest.mark.parametrize(
    "to", ["127.0.0.1", "::1", "10.0.0.1", "::ffff:127.0.0.1", "8.8.8.8 127.0.0.1", "fe80::1%eth0"]
)
async def test_a_name_that_leads_to_a_private_address(to: str) -> None:
    await never_asked(Client(resolver=Names(feeds_example_org=[to])), "http://feeds.example.org/")


async def test_localhost() -> None:
    await never_asked(Client(), "http://localhost/")


async def test_a_name_that_leads_elsewhere_the_second_time() -> None:
    async with serving() as good, serving(host="127.0.0.2") as hidden:
        good.on("/x", says("well"))
        hidden.on("/x", says("secret"))
        names = Names(feeds_example_org=["127.0.0.1", "127.0.0.2"])
        client = Client(pace={}, private=[HERE], resolver=names)
        url = f"http://feeds.example.org:{good.port}/x"
        assert (await client.get(url)).text() == "well"
        hidden_url = f"http://feeds.example.org:{hidden.port}/x"
        await never_asked(client, hidden_url, "feeds.example.org is refused: it leads to 127.0.0.2, which")
        assert names.asked == 2, "a name is looked up for each connection"
        assert not hidden.asked


async def test_a_name_that_leads_elsewhere_in_the_middle_of_a_redirect() -> None:
    async with serving() as good, serving(host="127.0.0.2") as hidden:
        good.on("/x", leads_on(f"http://feeds.example.org:{hidden.port}/x"))
        names = Names(feeds_example_org=["127.0.0.1", "127.0.0.2"])
        client = Client(pace={}, private=[HERE], resolver=names)
        await never_asked(client, f"http://feeds.example.org:{good.port}/x")
        assert not hidden.asked


@pytest.mark.parametrize(
    "to", ["http://{host}:{port}/", "//{host}:{port}/", "http://{number}:{port}/", "file:///etc/passwd"]
)
async def test_a_redirect_into_the_network(to: str) -> None:
    async with serving() as good, serving(host="127.0.0.2") as hidden:
        hidden.on("/", says("secret"))
        url = good.on("/x", leads_on(to.format(host="127.0.0.2", number="2130706434", port=hidden.port)))
        await never_asked(Client(pace={}, private=[HERE]), url, "refused")
        assert len(good.asked) == 1
        assert not hidden.asked


async def test_a_redirect_without_an_end() -> None:
    async with serving() as server:
        url = server.on("/x", leads_on("/x"))
        await never_asked(Client(pace={}, private=True), url, "more than 5 redirects")
        assert len(server.asked) == 6


async def test_five_redirects_are_followed() -> None:
    async with serving() as server:
        for number in range(5):
            server.on(f"/{number}", leads_on(f"/{number + 1}", (301, 302, 303, 307, 308)[number]))
        server.on("/5", says("well"))
        client = Client(pace={}, private=True)
        answer = await client.get(f"{server.url}/0")
        await client.close()
        assert (answer.text(), answer.url) == ("well", f"{server.url}/5")


async def test_a_key_goes_to_no_other_host() -> None:
    async with serving() as one, serving() as two:
        one.on("/here", says("well"))
        two.on("/there", says("well"))
        headers = {"X-API-Key": "secret", "Authorization": "secret", "Accept": "text/xml"}
        client = Client(pace={}, private=True)
        await client.get(one.on("/x", leads_on("/here")), headers=headers)
        await client.get(one.on("/y", leads_on(f"{two.url}/there")), headers=headers)
        await client.close()
        assert one.asked[1].headers["x-api-key"] == "secret"
        assert two.asked[0].headers["accept"] == "text/xml"
        assert not any("secret" in value for value in two.asked[0].headers.values())


async def test_a_redirect_of_what_was_sent_is_no_answer() -> None:
    async with serving() as server:
        client = Client(pace={}, private=True)
        with pytest.raises(SourceError, match="307"):
            await client.post(server.on("/x", leads_on("/y", 307)), json={})
        await client.close()
        assert len(server.asked) == 1


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as server, serving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        client = Client(pace={}, private=True)
        assert (await client.get(server.on("/x", says("well")))).text() == "well"
        await client.close()
        assert not proxy.asked


async def test_a_name_that_leads_nowhere() -> None:
    client = Client(pace={}, private=True, resolver=Names(), sleep=_at_once)
    await never_asked(client, "http://nowhere.example/", "cannot be found")


async def _at_once(_seconds: float) -> None:
    return
