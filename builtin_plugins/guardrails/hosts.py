"""Hosts in addresses, whatever form they are written in, against host patterns of a policy."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://", re.ASCII)
_LOOSE: Final = re.compile(r"(?:view-source:)*(https?|ftps?|wss?):[/\\]*", re.IGNORECASE)
"""How an address may begin that browsers and curl understand all the same."""
_GLOB: Final = re.compile(r"[{}]|\[(?![0-9A-Fa-f:.%]+\])")
"""What curl makes several addresses of."""
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_SCP: Final = re.compile(r"(?:[^/@:\s]{1,64}@)?(\[[0-9A-Fa-f:.]+\]|[^/:@\s]{1,253}):(?!/{2})", re.ASCII)
_PORT: Final = re.compile(r":(\d{1,5})\Z", re.ASCII)
_BAD: Final = re.compile(r"[\x00-\x20\x7f]")
_CARRYING: Final = re.compile(
    r"(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})\.(?:nip\.io|sslip\.io|xip\.io|traefik\.me)\Z", re.ASCII
)
"""Names of public services that answer with the address in the name."""
PRIVATE: Final = "private"
"""Stands for this machine, private networks and link-local addresses."""
_LOCAL_NAMES: Final = ("localhost", "localhost.localdomain", "ip6-localhost")


def normalised(name: str) -> str:
    """Return a host in its one form: lower case, ASCII, an address in any notation as four numbers or IPv6."""
    name = unquote(name).strip().strip("[]").partition("%")[0]
    name = unicodedata.normalize("NFKC", name).replace("\u3002", ".").lower().rstrip(".")
    address = address_of(name)
    if address is not None:
        return str(address)
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return name
    return name


def address_of(name: str) -> Address | None:
    """Return the address that a host is, in the notations of inet_aton too: 2130706433, 0x7f.1, 0177.0.0.1."""
    try:
        if ":" in name:
            six = ipaddress.IPv6Address(name)
            if six in _NAT64:
                return ipaddress.IPv4Address(int(six) & 0xFFFFFFFF)
            return six.ipv4_mapped or six
        if name[:1].isdigit() and re.fullmatch(r"[0-9a-fx.]{1,64}", name):
            return ipaddress.IPv4Address(socket.inet_aton(name))
    except (ValueError, OSError):
        pass
    return None


def is_glob(url: str) -> bool:
    """Whether curl may make another host of an address than the one that is written."""
    return _GLOB.search(_LOOSE.sub("", url, count=1).partition("/")[0]) is not None


def hosts_of_url(url: str) -> list[str]:
    r"""Return the hosts that programs may take for that of an address; more than one where they differ.

    ``https://a.example\@b.example`` is a.example to a browser and b.example to others.
    """
    text = _BAD.sub("", url)
    loose = _LOOSE.match(text)
    if loose:
        text = f"{loose[1]}://{text[loose.end() :]}"
    readings = {text, text.replace("\\", "/")}
    if not SCHEME.match(text):
        readings = {f"//{reading.lstrip('/')}" for reading in readings}
    found = []
    for reading in sorted(readings):
        try:
            netloc = urlsplit(reading).netloc
        except ValueError:
            netloc = reading.partition("//")[2].partition("/")[0]
        for each in {netloc.rpartition("@")[2], netloc.partition("@")[2] or netloc}:
            host = with_port(each)
            if host and host not in found:
                found.append(host)
    return found


def host_of_remote(text: str) -> str | None:
    """Return the host of ``user@host:path``, as scp, rsync and git write it; None for a local path."""
    match = _SCP.match(text)
    return with_port(match[1]) if match else None


def with_port(netloc: str) -> str:
    """Return ``host`` or ``host:port``, the host normalised."""
    name, port = netloc, ""
    if netloc.count(":") == 1 or "]" in netloc:
        match = _PORT.search(netloc)
        if match:
            name, port = netloc[: match.start()], match[1]
        else:
            name = netloc.rstrip(":")
    host = normalised(name)
    if not host:
        return ""
    return f"{host}:{port}" if port and ":" not in host else f"[{host}]:{port}" if port else host


@lru_cache(maxsize=4096)
def host_matches(pattern: str, host: str) -> bool:
    """Whether a host is one that a policy's pattern is about.

    Args:
        pattern: ``api.example.com``, ``*.example.com`` (hosts below it), ``*``, ``10.0.0.0/8``, ``private``; a port
            may follow a name: ``localhost:8080``.
        host: As `with_port` gives it.
    """
    if pattern == "*":
        return True
    name, port = _split(host)
    carrying = _CARRYING.search(name)
    address = address_of(".".join(carrying.groups()) if carrying else name)
    if pattern == PRIVATE:
        if address is not None:
            return not address.is_global or address.is_multicast
        return name in _LOCAL_NAMES or name.endswith((".localhost", ".local", ".internal")) or "." not in name
    if "/" in pattern:
        network = ipaddress.ip_network(pattern, strict=False)
        return address is not None and address.version == network.version and address in network
    wanted, wanted_port = _split(pattern)
    if wanted_port and wanted_port != port:
        return False
    if wanted.startswith("*."):
        return name.endswith(wanted[1:])
    return normalised(wanted) in (name, str(address))


def _split(host: str) -> tuple[str, str]:
    if host.startswith("["):
        name, _, port = host[1:].partition("]")
        return name, port.lstrip(":")
    return (host, "") if host.count(":") != 1 else (host.partition(":")[0], host.partition(":")[2])


def check_pattern(pattern: str) -> None:
    """Let a policy's host pattern pass.

    Raises:
        ValueError: It can match no host; says why.
    """
    if SCHEME.match(pattern):
        raise ValueError(f"write the host alone, such as {(hosts_of_url(pattern) or ['api.example.com'])[0]}")
    if "/" in pattern:
        ipaddress.ip_network(pattern, strict=False)
    elif pattern != "*" and ("*" in pattern.removeprefix("*.") or not _split(pattern)[0].removeprefix("*.")):
        raise ValueError("`*` stands alone, or in front as in *.example.com")
