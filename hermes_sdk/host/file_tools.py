"""The tools ``read_file``, ``write_file`` and ``patch``: files below the working directory, or named in full.

Results are JSON text. What a tool edits is noted on the turn, for pre_verify.
"""

from __future__ import annotations

import difflib
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any, Final

from hermes_sdk.errors import did_you_mean
from hermes_sdk.host.calls import CallInFlight, ToolOutcome
from hermes_sdk.host.patch_format import FilePatch, PatchError, parse_patch
from hermes_sdk.host.toolbox import Tool, ToolArgumentError, integer_argument, text_argument

MAX_READ: Final = 100_000
"""Characters that one read_file returns."""

_DEFAULT_LINES: Final = 500
_MOST_LINES: Final = 2_000
_LONGEST_DIFF: Final = 20_000

_PATH: Final = {"type": "string", "description": "Relative to the working directory, absolute, or with ~."}

_READ_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "path": _PATH,
        "offset": {"type": "integer", "minimum": 1, "default": 1, "description": "First line."},
        "limit": {"type": "integer", "default": _DEFAULT_LINES, "description": "Lines, at most 2000."},
    },
    "required": ["path"],
}
_WRITE_PARAMETERS: Final = {
    "type": "object",
    "properties": {"path": _PATH, "content": {"type": "string", "description": "All of the file's text."}},
    "required": ["path", "content"],
}
_PATCH_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["replace", "patch"], "default": "replace"},
        "path": _PATH,
        "old_string": {"type": "string", "description": "Text to find; once in the file unless replace_all."},
        "new_string": {"type": "string", "description": "What takes its place."},
        "replace_all": {"type": "boolean", "default": False},
        "patch": {"type": "string", "description": "For mode patch: *** Begin Patch ... *** End Patch."},
    },
}


class FileTools:
    """Reads and edits files for one session.

    Args:
        workdir: What relative paths are relative to.
    """

    def __init__(self, workdir: Path) -> None:
        self._workdir = workdir

    def tools(self) -> list[Tool]:
        """Return the three tools."""
        return [
            Tool("read_file", "Read a text file with line numbers.", _READ_PARAMETERS, self.read),
            Tool("write_file", "Write a file, replacing what it held.", _WRITE_PARAMETERS, self.write),
            Tool("patch", "Replace text in files.", _PATCH_PARAMETERS, self.patch),
        ]

    def read(self, args: dict[str, Any], call: CallInFlight) -> ToolOutcome:  # noqa: ARG002
        """Return lines of a file as ``NUMBER|TEXT``; of a longer one as much as fits."""
        path = resolve(self._workdir, text_argument(args, "path"))
        lines = read_text(path).splitlines()
        first = integer_argument(args, "offset", 1, least=1, most=max(1, len(lines)))
        limit = integer_argument(args, "limit", _DEFAULT_LINES, least=1, most=_MOST_LINES)
        shown: list[str] = []
        room = MAX_READ
        for number, line in enumerate(lines[first - 1 : first - 1 + limit], first):
            text = f"{number}|{line}"
            if len(text) >= room:
                if not shown:  # one endless line: a part of it is better than nothing, for ever
                    shown.append(f"{text[:room]} [cut]")
                break
            shown.append(text)
            room -= len(text) + 1
        last = first - 1 + len(shown)
        fields: dict[str, Any] = {"content": "\n".join(shown), "total_lines": len(lines)}
        if last < len(lines):
            fields |= {"truncated": True, "next_offset": last + 1}
        return ToolOutcome(json.dumps(fields, ensure_ascii=False))

    def write(self, args: dict[str, Any], call: CallInFlight) -> ToolOutcome:
        """Write a file; directories are made."""
        path = resolve(self._workdir, text_argument(args, "path"))
        content = text_argument(args, "content")
        write_text(path, content)
        call.turn.note_change(str(path))
        size = len(content.encode("utf-8", errors="surrogatepass"))
        return ToolOutcome(json.dumps({"path": str(path), "bytes_written": size}, ensure_ascii=False))

    def patch(self, args: dict[str, Any], call: CallInFlight) -> ToolOutcome:
        """Replace text in one file, or apply a patch to several."""
        if args.get("mode", "replace") == "patch" or ("patch" in args and "old_string" not in args):
            return self._apply(text_argument(args, "patch"), call)
        path = resolve(self._workdir, text_argument(args, "path"))
        old, new = text_argument(args, "old_string"), text_argument(args, "new_string")
        before = read_text(path)
        count = before.count(old) if old else 0
        if count == 0:
            return ToolOutcome.failed(_not_found(path, old, before))
        if count > 1 and args.get("replace_all") is not True:
            message = f"old_string stands {count} times in {path}: give more of it, or set replace_all"
            return ToolOutcome.failed(message)
        after = before.replace(old, new)
        write_text(path, after)
        call.turn.note_change(str(path))
        return _edited({path: (before, after)}, replacements=count)

    def _apply(self, patch: str, call: CallInFlight) -> ToolOutcome:
        changes: dict[Path, tuple[str, str | None]] = {}
        for file in parse_patch(patch):
            self._plan(file, changes)
        # nothing is written before every hunk was found to fit
        for path, (_, after) in changes.items():
            if after is None:
                path.unlink()
            else:
                write_text(path, after)
            call.turn.note_change(str(path))
        return _edited(changes)

    def _plan(self, file: FilePatch, changes: dict[Path, tuple[str, str | None]]) -> None:
        path = resolve(self._workdir, file.path)
        original, current = changes.get(path, (None, None))
        if file.kind == "add":
            if path.exists():
                raise PatchError(f"{path} exists: update it instead")
            changes[path] = ("", file.apply(""))
            return
        before = current if current is not None else read_text(path)
        original = before if original is None else original
        if file.kind == "delete":
            changes[path] = (original, None)
            return
        after = file.apply(before)
        if file.move_to is None:
            changes[path] = (original, after)
        else:
            changes[path] = (original, None)
            changes[resolve(self._workdir, file.move_to)] = ("", after)


def resolve(workdir: Path, name: str) -> Path:
    """Return the path that a tool's argument means.

    Raises:
        ToolArgumentError: It is empty, or has a null byte.
    """
    if not name.strip() or "\0" in name:
        raise ToolArgumentError(f"{name!r} is no path")
    return Path(os.path.normpath(workdir / Path(name).expanduser()))


def read_text(path: Path) -> str:
    """Return the text of a regular file.

    Raises:
        ToolArgumentError: It is absent, a directory, a device, or not text.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "a device or pipe"
            raise ToolArgumentError(f"{path} is {kind}, not a file")
        content = path.read_bytes()
    except FileNotFoundError:
        siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, siblings)
        raise ToolArgumentError(f"no such file: {path}{'; ' + hint if hint else ''}") from None
    except OSError as error:
        raise ToolArgumentError(f"{path} cannot be read: {error.strerror}") from None
    if b"\0" in content[:8192]:
        raise ToolArgumentError(f"{path} is a binary file of {len(content)} bytes")
    return content.decode("utf-8", errors="replace")


def write_text(path: Path, content: str) -> None:
    """Replace a file whole, keeping its mode; directories are made.

    Raises:
        ToolArgumentError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(path.stat().st_mode) if path.is_file() else None
        if path.exists() and mode is None:
            raise ToolArgumentError(f"{path} is no regular file")
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
                file.write(content)
            temporary.chmod(0o644 if mode is None else mode)
            # a link stays one: what it points to is replaced
            temporary.replace(path.resolve())
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ToolArgumentError(f"{path} cannot be written: {error.strerror}") from None


def _edited(changes: dict[Path, tuple[str, str | None]], **fields: Any) -> ToolOutcome:
    diff = "".join(
        "".join(
            difflib.unified_diff(
                before.splitlines(keepends=True),
                (after or "").splitlines(keepends=True),
                str(path),
                str(path) if after is not None else "/dev/null",
            )
        )
        for path, (before, after) in changes.items()
    )
    answer = {
        "success": True,
        "files": [str(path) for path in changes],
        "diff": diff[:_LONGEST_DIFF],
        **fields,
    }
    return ToolOutcome(json.dumps(answer, ensure_ascii=False))


def _not_found(path: Path, old: str, text: str) -> str:
    if not old:
        return "old_string is empty: use write_file to make a file"
    first = old.strip().partition("\n")[0]
    near = difflib.get_close_matches(first, [line.strip() for line in text.splitlines()], n=1)
    hint = f"; the nearest line is {near[0]!r}" if near else ""
    return f"old_string is not in {path}{hint}"
