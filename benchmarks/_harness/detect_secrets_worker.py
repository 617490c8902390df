"""Runs in detect-secrets' own environment: scans texts with all of its plugins, as `detect-secrets scan` does.

``{"texts": [...], "rounds": N}`` on stdin, ``{"found": [[value, ...], ...], "seconds": S}`` on stdout: what is found in
each text, and the fastest of the rounds.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Answer the request."""
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    request = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder, default_settings():
        paths = [Path(folder, f"{place}.txt") for place in range(len(request["texts"]))]
        for path, text in zip(paths, request["texts"], strict=True):
            path.write_text(text, encoding="utf-8")
        best = float("inf")
        for _ in range(request["rounds"]):
            started = time.perf_counter()
            found = [[secret.secret_value for secret in scan_file(str(path))] for path in paths]
            best = min(best, time.perf_counter() - started)
    json.dump({"found": found, "seconds": best}, sys.stdout)


if __name__ == "__main__":
    main()
