"""XML from strangers."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import SourceError
from bot.sources import _xml
from bot.sources._xml import local, parse_xml, strip_namespaces

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
LAUGHS = (
    "<!DOCTYPE lolz ["
    + '<!ENTITY lol "lol">'
    + "".join(f'<!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">' for n in range(1, 10))
    + "]><lolz>&lol9;</lolz>"
).replace("&lol0;", "&lol;")


def broken(body: bytes) -> str:
    with pytest.raises(SourceError) as found:
        parse_xml(body, "The answer of x.org")
    text = str(found.value)
    assert text.startswith("The answer of x.org ")
    assert len(text) < 200
    return text


def test_xml() -> None:
    root = parse_xml((HEAD + '<feed xmlns="urn:x"><!-- no --><t y="1">a &amp; é</t></feed>').encode(), "It")
    assert (local(root.tag), root[-1].text) == ("feed", "a & é")
    assert [local(one.tag) for one in strip_namespaces(root).iter()] == ["feed", "t"]
    assert root.findtext("t") == "a & é"


@pytest.mark.parametrize(
    "document",
    [
        LAUGHS,
        f'<!DOCTYPE b [<!ENTITY a "{"a" * 50_000}">]><b>{"&a;" * 10_000}</b>',
        '<!DOCTYPE b [<!ENTITY x SYSTEM "file:///etc/passwd">]><b>&x;</b>',
        '<!DOCTYPE b [<!ENTITY % x SYSTEM "http://127.0.0.1/x.dtd"> %x;]><b/>',
        '<!DOCTYPE b SYSTEM "http://127.0.0.1/x.dtd"><b/>',
        "<!DOCTYPE rss><rss/>",
    ],
)
@pytest.mark.parametrize("charset", ["utf-8", "utf-16"])
def test_bombs(document: str, charset: str) -> None:
    assert "has a document type or entities, which is refused" in broken(document.encode(charset))


@pytest.mark.parametrize("body", [b"", b" \n", b"\0\0"])
def test_nothing(body: bytes) -> None:
    assert "is empty" in broken(body)


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE html><html><body>Rate exceeded.</body></html>",
        b"\xef\xbb\xbf\n<!-- x --><HTML lang='en'><p>",
        b"<html/>",
        b"<head>",
    ],
)
def test_web_page(body: bytes) -> None:
    assert "is a web page, no XML" in broken(body)


def test_many_comments_take_no_time() -> None:
    assert "no XML" in broken(b"<!--" + b"x--><!--" * 1000)
    assert parse_xml(b"<!-- <html> -->" * 1000 + b"<a/>", "It").tag == "a"


@pytest.mark.parametrize(
    "body",
    [
        b"Rate exceeded.",
        b'{"a": 1}',
        b"<feed>",
        b"<feed><entry></feed>",
        b"<feed/><feed/>",
        b"<feed>&nbsp;</feed>",
        b"<feed a=1/>",
        b'<?xml version="1.0" encoding="no-such"?><feed>',
        (HEAD + "<feed><entry><title>cut o").encode(),
    ],
)
def test_broken(body: bytes) -> None:
    assert "no XML, or was cut off" in broken(body)


def test_too_deep() -> None:
    assert "deeper" in broken(b"<a>" * 100_000)
    assert "deeper" in broken(b"<a>" * 101 + b"</a>" * 101)
    assert parse_xml(b"<a>" * 100 + b"</a>" * 100, "It") is not None


def test_too_many_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_xml, "MOST", 2000)
    assert "more elements" in broken(b"<a>" + b"<b/>" * 2000 + b"</a>")
    assert "more elements" in broken(b"<a>" + b"<b x='' y=''/>" * 700 + b"</a>")
    assert len(parse_xml(b"<a>" + b"<b/>" * 1999 + b"</a>", "It")) == 1999


def test_too_large() -> None:
    assert "are the most that is read" in broken(b"<a>" + b"x" * 50_000_000)


LONG = "u" * 500


@pytest.mark.parametrize(
    "document",
    [
        f'<a xmlns="{LONG}"><b/></a>',
        f"<a><b x='1'\n xmlns:p = '{LONG}' p:c=''/></a>",
        f'<a xmlns:p="u" xmlns:{LONG}=\t"{LONG}"/>',
        "<a " + " ".join(f'b{n}=""' for n in range(2000)) + "/>",
        "<a><b " + " ".join(f"b{n} = '>'" for n in range(1500)) + "/></a>",
    ],
)
@pytest.mark.parametrize("charset", ["utf-8", "utf-16"])
def test_names_that_grow_in_the_parser(document: str, charset: str) -> None:
    assert "is refused" in broken(document.encode(charset))


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<a b='", '<a b=""', " xmlns", " xmlns:", " xmlns=", " xmlns='", "xmlns:x"]
)
def test_what_grows_is_found_in_no_time(piece: str) -> None:
    broken(b"<a>" + (piece * (3_000_000 // len(piece))).encode())


def test_long_texts_and_large_tags_that_are_well() -> None:
    text = "a=&quot;b&quot; c='d' " * 2000
    assert parse_xml(f"<a b='{text.replace(chr(39), '')}'>{text} xmlns=</a>".encode(), "It").text is not None
    assert len(parse_xml(("<a " + " ".join(f'b{n}="{n:020}"' for n in range(900)) + "/>").encode(), "It").attrib) == 900


def test_many_names_in_a_long_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_xml, "NAMES", 100_000)
    elements = "".join(f"<b{n}/>" for n in range(500))
    assert "more elements" in broken(f"<a xmlns='{LONG[1:]}'>{elements}</a>".encode())
    assert parse_xml(f"<a>{elements}</a>".encode(), "It") is not None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ((HEAD + "<a>Müller</a>").encode("latin-1"), "M\ufffdller"),  # it says UTF-8 and is not
        (b'<?xml version="1.0" encoding="ISO-8859-1"?><a>M\xfcller</a>', "Müller"),
        ('<?xml version="1.0" encoding="GBK"?><a>北京</a>'.encode("gbk"), "北京"),
        ('<?xml version="1.0" encoding="no-such"?><a>é</a>'.encode(), "é"),
        ('<?xml version="1.0" encoding="utf-16"?><a>é</a>'.encode(), "é"),
        ("<a>é</a>".encode("utf-16"), "é"),
        (b"\n <?xml version='1.0'?><a>x</a>", "x"),
        (b"<a>x\x00\x0b\x1b y\xef\xbf\xbf</a>", "x y"),
        (b"<a>x&#0;&#11;&#x1B; y</a>", "x y"),
    ],
)
def test_mended(body: bytes, text: str) -> None:
    assert parse_xml(body, "It").text == text


@given(st.binary(max_size=200) | st.text(alphabet="<>/?!&;a'\"= [x\0#1-", max_size=60).map(str.encode))
def test_nothing_else_is_raised(body: bytes) -> None:
    with suppress(SourceError):
        parse_xml(body, "It")
