"""What an administrator writes into settings: read, or refused with a ValueError that says what would be right."""

from __future__ import annotations

import re

_NAME = re.compile(r"[\w-]{1,40}", re.ASCII)


def read_allowed(text: str) -> str:
    """Read `platform` or `platform:workspace`, several with commas between. Raises ValueError for anything else."""
    places = [tuple(part.strip() for part in place.split(":", 1)) for place in text.split(",") if place.strip()]
    if (text and not places) or not all(_NAME.fullmatch(place[0]) and all(place) for place in places):
        raise ValueError("type a platform, such as slack, or one of its workspaces, such as slack:T0123, with commas")
    return ",".join(":".join((place[0].lower(), *place[1:])) for place in places)


def read_command(text: str) -> str:
    """Read the name of the command, with or without its slash. Raises ValueError for one that no platform takes."""
    name = text.strip().removeprefix("/").lower()
    if not re.fullmatch(r"[a-z0-9_-]{1,30}", name):
        raise ValueError("type up to 30 letters a to z, digits, - and _, such as papers or papers-test")
    return name


def read_address(text: str, example: str) -> str:
    """Read `host:port`, or a port of this machine; `off` gives an empty text. Raises ValueError for anything else."""
    text = text.strip()
    if not text or text.lower() == "off":
        return ""
    match = re.fullmatch(r"(?:(\[[0-9a-fA-F:.]+\]|[\w.-]+):)?([0-9]{1,5})", text, re.ASCII)
    if match is None or int(match[2]) > 65535:
        raise ValueError(f"type an address and a port, such as {example}, or off")
    return f"{match[1] or '127.0.0.1'}:{int(match[2])}"


def read_url(text: str) -> str:
    """Read where something is reached from outside, without the last slash. Raises ValueError for anything else."""
    match = re.fullmatch(r"(https?)://(\[[0-9a-fA-F:]+\]|[\w.-]+)(:[0-9]{1,5})?(/[\w./~-]*)?", text.strip(), re.ASCII)
    here = match is not None and match[2] in ("localhost", "127.0.0.1", "[::1]")
    if text and (match is None or (match[1] == "http" and not here)):
        raise ValueError("type an address such as https://papers.example.org")
    return text.strip().rstrip("/")


def read_api(text: str) -> str:
    """Read the address that methods' names are put behind; a proxy in one's own network may go without TLS."""
    return read_base(text, "https://slack.com/api/") + "/"


def read_base(text: str, example: str) -> str:
    """Read the address of an interface, without its last slash. Raises ValueError for anything else."""
    if not re.fullmatch(r"https?://[^\s?#@]+", text.strip()):
        raise ValueError(f"type an address such as {example}")
    return text.strip().rstrip("/")


def read_embedder(text: str) -> str:
    """Read a folder or the address of an interface, or nothing. Raises ValueError for an address that is none."""
    text = text.strip()
    return read_base(text, "http://localhost:11434/v1") if "://" in text else text


def read_contact(text: str) -> str:
    """Read a mail address or a web page, or nothing. Raises ValueError for anything else."""
    if not re.fullmatch(r"(https?://[^\s()<>]{3,190}|[^\s()<>@:/]{1,64}@[\w.-]{1,190})?", text.strip(), re.ASCII):
        raise ValueError("type a mail address or the address of a web page, such as papers@example.org")
    return text.strip()


def read_key(text: str) -> str:
    """Read a key of an interface, or nothing. Raises ValueError for anything else, and never tells it."""
    if not re.fullmatch(r"[\x21-\x7e]{0,200}", text):
        raise ValueError("copy the key as it was given to you, without spaces")
    return text


def read_id(text: str) -> str:
    """Read one of Discord's ids, or nothing. Raises ValueError for anything else."""
    if not re.fullmatch(r"([0-9]{15,20})?", text.strip(), re.ASCII):
        raise ValueError("type the id, which is a number of 17 to 20 digits (right click › Copy Server ID)")
    return text.strip()


def read_shards(text: str) -> str:
    """Read numbers and ranges of shards, such as `0-3,5`, or nothing. Raises ValueError for anything else."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        match = re.fullmatch(r"([0-9]{1,5})(?:\s*-\s*([0-9]{1,5}))?", part, re.ASCII)
        if match is None or (match[2] and int(match[2]) < int(match[1])):
            raise ValueError("type numbers of shards, which count from 0, such as 0-3 or 0,2")
    return ",".join("".join(part.split()) for part in parts)


def read_yes(value: object) -> bool:
    """Read yes or no, in the usual words. Raises ValueError for anything else."""
    said = str(value).strip().lower()
    if said in ("true", "yes", "on", "1"):
        return True
    if said in ("false", "no", "off", "0"):
        return False
    raise ValueError("type yes or no")
