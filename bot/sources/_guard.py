"""Where the client may go: to which URLs, and to which addresses of the internet.

Anybody may add a feed's URL, so it must be no way into the network that the bot stands in. URLs are judged before each
hop, and addresses when a connection is made: a name that leads elsewhere the second time gains nothing.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from yarl import URL

from bot.errors import SourceError

PORTS = (80, 443, 8080, 8443)  # those of web servers: nothing else is spoken to, though it may answer
LONGEST = 4000  # characters of a URL
_NAME = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*")
_SHOWN = 80  # characters of what somebody wrote that an error repeats

# https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry: what is not for all, and
# multicast. Of version 6 only 2000::/3 is given out at all.
_BARRED_4 = tuple(
    map(
        ip_network,
        [
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ],
    )
)
_GIVEN_6 = ip_network("2000::/3")
_BARRED_6 = tuple(ip_network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
_NAT64 = ip_network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an address of version 4


def private(address: str) -> bool:
    """Say whether an address, as text, is anything but one host of the public internet.

    An address of version 4 in one of version 6 (mapped, or by NAT64) is judged as what it holds; 6to4 and Teredo are
    private, since nothing but tunnels is behind them.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return True
    if isinstance(found, IPv6Address):
        held = found.ipv4_mapped or (IPv4Address(int(found) & 0xFFFFFFFF) if found in _NAT64 else None)
        if held is None:
            return found.scope_id is not None or found not in _GIVEN_6 or any(found in net for net in _BARRED_6)
        found = held
    return any(found in net for net in _BARRED_4)


class Guard:
    """Refuses what the client must not reach.

    `open_to`: networks that are let in though they are private, such as "127.0.0.1/32", or True for all; then any
    port will do. It is for tests.
    """

    def __init__(self, open_to: bool | Iterable[str] = False) -> None:
        self._all = open_to is True
        self._open = () if isinstance(open_to, bool) else tuple(ip_network(text) for text in open_to)
        self._ports = None if self._all or self._open else PORTS

    def url(self, text: str | URL) -> URL:
        """Return a URL that may be asked for. Raises SourceError, which tells why it may not; secrets are not shown."""
        try:
            found = URL(text) if isinstance(text, str) and len(text) <= LONGEST else text
            if isinstance(found, str):
                raise SourceError(f"A URL of {len(found):,} characters is refused: {LONGEST:,} are the most.")
            found = found.with_fragment(None)
            reason = self._refusal(found)
        except ValueError:
            raise SourceError(f"“{_shown(str(text))}” is refused: it is no URL.") from None
        if reason:
            raise SourceError(f"“{_shown(str(text))}” is refused: {reason}.")
        return found

    def after(self, here: URL, to: str) -> URL:
        """Return where a redirect leads. Raises SourceError if that is refused."""
        try:
            there = here.join(URL(to))
        except ValueError:
            raise SourceError(f"{here.host} leads on to “{_shown(to)}”, which is no URL.") from None
        try:
            there = self.url(there)
        except SourceError as error:
            raise SourceError(f"{here.host} leads on to another address. {error}") from error
        if here.scheme == "https" and there.scheme == "http":
            raise SourceError(f"{here.host} leads on from https: to http:, which is refused.")
        return there

    def judge(self, address: str, host: str = "") -> None:
        """Raise SourceError if nothing may be asked at `address`, to which the name `host` led."""
        if self._all or not private(address):
            return
        if any(ip_address(address.partition("%")[0]) in net for net in self._open):
            return
        led = (
            f"{host} is refused: it leads to {address}, which"
            if host and host != address
            else f"{address} is refused: it"
        )
        raise SourceError(f"{led} is no address of the public internet.")

    def socket(self, info: tuple[Any, ...]) -> socket.socket:
        """Return a socket for one result of `getaddrinfo`. Raises SourceError if its address is refused."""
        family, kind, proto, _, place = info
        self.judge(str(place[0]))
        return socket.socket(family, kind, proto)

    def _refusal(self, url: URL) -> str:
        if url.scheme not in ("http", "https"):
            return "only http: and https: are read"
        if url.user is not None or url.password is not None:
            return "it holds a user name or a password"
        host = (url.raw_host or "").rstrip(".")
        if not host:
            return "it names no host"
        if ":" not in host and not _NAME.fullmatch(host):
            return "its host is no name"
        if self._ports and url.port not in self._ports:
            return f"port {url.port} is none of {', '.join(map(str, self._ports))}"
        if ":" in host or _numeric(host.rpartition(".")[2]):
            try:
                ip_address(host)
            except ValueError:
                return "its host is a number that is no plain address"
            try:
                self.judge(host)
            except SourceError:
                return "it is no address of the public internet"
        return ""


def _numeric(label: str) -> bool:
    """Say whether a host that ends so is an address, in whatever form: https://url.spec.whatwg.org/#ends-in-a-number-checker."""
    return label.isdigit() or (
        label[:2].lower() == "0x" and all(char in "0123456789abcdefABCDEF" for char in label[2:])
    )


def _shown(text: str) -> str:
    """Return what an error repeats of a URL: nothing of what may be secret in it."""
    plain = re.split(r"[?#]", text, maxsplit=1)[0]
    if "@" in text:  # a password may hold any of these characters
        before, at, rest = plain.rpartition("@")
        scheme, slashes, _ = (before if at else plain).partition("//")
        plain = (f"{scheme}//" if slashes else "") + "…" + (f"@{rest}" if at else "")
    plain = "".join(char if char.isprintable() else "\ufffd" for char in plain[: _SHOWN + 1])
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"
