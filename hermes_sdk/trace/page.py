"""A recording as one page: style, script and data are in it, and its policy lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.trace.stepwise import acting, steps_of, verdict

if TYPE_CHECKING:
    from hermes_sdk.trace.recording import Entry, Recording

_SHOWN: Final = 4_000
"""Characters of a value that a page has; the recording has them all."""
_POLICY: Final = (
    "default-src 'none'; style-src {style}; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'"
)
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p id="about"></p>
<form id="filters" role="search">
<label>Plugin <select id="plugin"><option value="">all</option></select></label>
<label>Hook <select id="hook"><option value="">all</option></select></label>
<label>Search <input id="search" type="search" autocomplete="off"></label>
<label><input id="acting" type="checkbox"> only where somebody acted</label>
</form>
<p id="count" role="status"></p>
</header>
<main id="rows" tabindex="0" role="list" aria-label="Timeline"></main>
<noscript>This page draws a recording with a script that is in it.</noscript>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def page(recording: Recording) -> str:
    """Return the page, as text; whatever stands in the recording is data, never markup."""
    style, script = (_part(name) for name in ("report.css", "report.js"))
    header = recording.header
    title = str(header.get("title") or recording.path.name)
    data = {
        "title": title,
        "recorded_at": header.get("recorded_at"),
        "redacted": header.get("redacted"),
        "plugins": [f"{each['key']} {each.get('version') or ''}".strip() for each in header.get("plugins") or ()],
        "rows": [_row(entry) for entry in recording.entries],
    }
    # `</script>` and `<!--` inside of a string must not end the element
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return _PAGE.format(
        title=_escaped(title),
        style=style,
        script=script,
        policy=_POLICY.format(style=_hash(style), script=_hash(script)),
        data=text,
    )


def _row(entry: Entry) -> dict[str, Any]:
    data = entry.data
    row: dict[str, Any] = {
        "n": entry.number,
        "at": data.get("at_ms") or 0,
        "depth": data.get("depth") or 0,
        "name": entry.name,
        "hook": entry.is_hook,
        "tool": data.get("tool") or data.get("tool_name") or "",
        "ms": data.get("ms") or data.get("duration_ms") or 0,
    }
    if not entry.is_hook:
        own = {"n", "at_ms", "depth", "type", "event", "session", "turn"}
        row["text"] = _event_text(data)
        row["more"] = _short({key: value for key, value in data.items() if key not in own})
        return row
    row["text"] = verdict(entry)
    row["more"] = _short(data.get("payload"))
    row["steps"] = [
        {
            "plugin": step.plugin,
            "source": step.source,
            "what": step.what,
            "acts": acting(step.what),
            "detail": step.error or step.detail,
            "ms": step.duration_ms,
            "diff": [line[:_SHOWN] for line in step.diff[:200]],
        }
        for step in steps_of(entry)
    ]
    return row


def _event_text(data: Any) -> str:
    for key in ("user_message", "text", "result", "error", "goal", "reason", "command", "status"):
        value = data.get(key)
        if isinstance(value, str) and value:
            return value[:300]
    return ""


def _short(value: Any) -> str:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\n… {len(text) - _SHOWN:,} characters more"


def _part(name: str) -> str:
    return (files("hermes_sdk.trace") / "report" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
