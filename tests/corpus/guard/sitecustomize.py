"""Refuses every connection that leaves this machine; Python imports it in a corpus process before all else.

An audit hook cannot be removed again, and sees the connections of every library. What it refused is appended
to the file named by CORPUS_REFUSED, so that a report can say what a plugin tried.
"""

import os
import sys
from pathlib import Path

LOOPBACK = {"127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "", None}


def _host(event, arguments):
    if event == "socket.getaddrinfo":
        return arguments[0]
    address = arguments[1]
    return address[0] if isinstance(address, tuple) else "localhost"


def _refuse(event, arguments):
    if event not in {"socket.connect", "socket.sendto", "socket.getaddrinfo"}:
        return
    host = _host(event, arguments)
    host = host.decode() if isinstance(host, bytes) else host
    if host in LOOPBACK:
        return
    if refused := os.environ.get("CORPUS_REFUSED"):
        with Path(refused).open("a", encoding="utf-8") as file:
            file.write(f"{event} {host}\n")
    raise ConnectionRefusedError(f"{event} {host}: this process may only reach loopback")


sys.addaudithook(_refuse)
