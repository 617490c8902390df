"""Judges where a tool call would send an original: to a host that the settings name, or it is not put back.

An address is read strictly: what two programs could read differently (user information, backslashes, characters
beyond ASCII, a second slash) is refused, not interpreted. A shell command counts only as one plain call of curl, and
runs as it was understood: every word is quoted anew, so that nothing in it can act.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LABELS: Final = r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ENTRY: Final = re.compile(rf"(?P<scheme>https?://)?(?P<any>\*\.)?(?P<name>{_LABELS})(?::(?P<port>[0-9]{{1,5}}))?")
_URL: Final = re.compile(
    rf"(?i:(?P<scheme>https?)://(?P<name>{_LABELS}))(?::(?P<port>[0-9]{{1,5}}))?(?:[/?#][!-\[\]-~]*)?", re.ASCII
)
"""Printable ASCII but for the backslash, which browsers read as a slash."""
_DEFAULT_PORTS: Final = {"https": 443, "http": 80}

_FLAGS: Final = frozenset("sSfiIG")
_LONG_FLAGS: Final = frozenset(
    ("--silent", "--show-error", "--fail", "--fail-with-body", "--include", "--head", "--get", "--compressed")
)
_VALUED: Final = {
    "-H": "--header",
    "-X": "--request",
    "-d": "--data",
    "-u": "--user",
    "-A": "--user-agent",
    "-m": "--max-time",
    **{
        name: name
        for name in ("--data-raw", "--data-binary", "--data-urlencode", "--json", "--connect-timeout", "--url")
    },
}
_SENDS_FILES: Final = frozenset(("--data", "--data-binary", "--data-urlencode", "--json"))
"""Options whose value may be `@file`; of the third one `name@file`, too."""
_LONG_VALUED: Final = frozenset(_VALUED.values())
"""All of curl's options that are let through: none of them names another host, a file to write, or a proxy."""


class NotPermittedError(ValueError):
    """A call may go where no original may; the text says why, without any argument's content."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host that originals may be sent to."""

    scheme: str
    name: str
    port: int
    subdomains: bool
    """Whether the hosts below it are meant, not itself."""

    @classmethod
    def parse(cls, entry: str) -> Host:
        """Read ``[http://][*.]name[:port]``, as settings write it; https and its port by default.

        Raises:
            ValueError: It is something else.
        """
        read = _ENTRY.fullmatch(entry)
        if read is None or (read["any"] and "." not in read["name"]):
            raise ValueError(f"{entry!r} is no host: write api.example.com, *.example.com or http://localhost:8080")
        scheme = (read["scheme"] or "https").removesuffix("://")
        return cls(scheme, read["name"], int(read["port"] or _DEFAULT_PORTS[scheme]), bool(read["any"]))

    def permits(self, scheme: str, name: str, port: int) -> bool:
        """Whether an address is this host's."""
        fits = name.endswith(f".{self.name}") if self.subdomains else name == self.name
        return fits and (scheme, port) == (self.scheme, self.port)


def check_url(url: object, hosts: Sequence[Host]) -> None:
    """Let the address of a permitted host pass.

    Args:
        url: What a call has as its address, of whatever type.
        hosts: The permitted ones.

    Raises:
        NotPermittedError: It is no plain address, or another host's.
    """
    read = _URL.fullmatch(url) if isinstance(url, str) else None
    if read is None:
        raise NotPermittedError("it has no plain http address")
    scheme, name = read["scheme"].lower(), read["name"].lower()
    if not any(host.permits(scheme, name, int(read["port"] or _DEFAULT_PORTS[scheme])) for host in hosts):
        raise NotPermittedError("it goes to another host")


def check_request(args: object) -> None:
    """Let a request pass that goes where its address says.

    Args:
        args: The arguments of a tool, of whatever type.

    Raises:
        NotPermittedError: It names a proxy, or another host in a header.
    """
    if not isinstance(args, dict):
        return
    for name, value in args.items():
        if "proxy" in str(name).lower() or "proxies" in str(name).lower():
            if value:
                raise NotPermittedError("it names a proxy")
        elif "header" in str(name).lower():
            if any(map(_names_a_host, _header_lines(value))):
                raise NotPermittedError("a header could send it elsewhere")
        else:
            check_request(value)


def _header_lines(headers: object) -> Iterator[str]:
    """Yield headers as lines, however a tool takes them: a mapping, pairs, lines, or one text."""
    if isinstance(headers, dict):
        yield from (f"{name}: {value}" for name, value in headers.items())
    elif isinstance(headers, str):
        yield from re.split(r"[\r\n]+", headers)
    elif isinstance(headers, list | tuple):
        for one in headers:
            if isinstance(one, list | tuple):
                yield ": ".join(map(str, one))
            else:
                yield from _header_lines(one)


def restore_in_curl(command: object, hosts: Sequence[Host], restore: Callable[[str], str]) -> str:
    """Return a curl command with originals put back, quoted so that the shell takes every word as it is.

    Functions and aliases called curl and the user's `.curlrc` are passed by: they could send it elsewhere.

    Args:
        command: The command, of whatever type.
        hosts: Where it may go.
        restore: Puts originals back into one word.

    Raises:
        NotPermittedError: It is anything but one plain call of curl with addresses of these hosts.
    """
    words = _words(command)
    if not words or words.pop(0) != "curl":
        raise NotPermittedError("it is no plain call of curl")
    _check_words(words, hosts)
    restored = [restore(word) for word in words]
    _check_words(restored, hosts)  # an original may be made up, and be `Host: evil.example` or `@file`
    for before, after in zip(words, restored, strict=True):
        if before != after and _acts(before, after):
            raise NotPermittedError("an original could act in curl")
    return shlex.join(["command", "curl", "-q", "-g", *restored])


def _check_words(words: Sequence[str], hosts: Sequence[Host]) -> None:
    addresses = 0
    coming = iter(words)
    for word in coming:
        option, value = _option(word) if word.startswith("-") else ("--url", word)
        if option in _LONG_VALUED and value is None:
            value = next(coming, None)
            if value is None:
                raise NotPermittedError("an option of curl has no value")
        if option == "--url":
            check_url(value, hosts)
            addresses += 1
        elif option == "--header" and _names_a_host(value or ""):
            raise NotPermittedError("a header could send it elsewhere")
        elif option in _SENDS_FILES and "@" in (value or "").partition("=")[0][: None if "url" in option else 1]:
            raise NotPermittedError("it sends a file")
    if not addresses:
        raise NotPermittedError("it has no plain http address")


def _acts(before: str, after: str) -> bool:
    """Whether an original would end a header, be an option, or name a file: `@file`, also as `-d@file`."""
    first = next(at for at, character in enumerate(before) if after[at : at + 1] != character or character == "[")
    in_front = before[:first]
    return any(character in after for character in "\r\n\0") or (
        (not in_front or in_front.startswith("-")) and after[first : first + 1] in {"@", "-"}
    )


def _option(word: str) -> tuple[str, str | None]:
    """Return an option's long name, and its value where the same word holds it; flags of one letter have no name.

    Raises:
        NotPermittedError: It is none of those that are let through.
    """
    if word in _LONG_FLAGS | _LONG_VALUED:
        return word, None
    letters = word[1:].lstrip("".join(_FLAGS))
    if not letters and word != "-":
        return "", None
    name = _VALUED.get(f"-{letters[:1]}")
    if name is None or word.startswith("--"):
        raise NotPermittedError("an option of curl could send it elsewhere")
    return name, letters[1:] or None


def _names_a_host(header: str) -> bool:
    """Whether a header, or a file of headers, could tell a shared server that another site is meant."""
    name = header.lstrip(":").partition(":")[0].strip().lower()
    return header.startswith("@") or name in {"host", "authority", "x-forwarded-host", "forwarded"}


def _words(command: object) -> list[str]:
    if not isinstance(command, str) or any(character in command for character in "$`\\\0\r\n"):
        raise NotPermittedError("it is no plain call of curl")
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        raise NotPermittedError("it is no plain call of curl") from None
