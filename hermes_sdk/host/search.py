"""The tool ``search_files``: what stands in files, or which files there are."""

from __future__ import annotations

import fnmatch
import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.calls import CallInFlight, ToolOutcome
from hermes_sdk.host.file_tools import resolve
from hermes_sdk.host.toolbox import Tool, ToolArgumentError, integer_argument, text_argument

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SKIPPED: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache"}
)
_LARGEST_FILE: Final = 5_000_000
_LONGEST_LINE: Final = 500

_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "description": "A regular expression, or a glob for target files."},
        "target": {"type": "string", "enum": ["content", "files"], "default": "content"},
        "path": {"type": "string", "default": ".", "description": "Directory or file to search."},
        "file_glob": {"type": "string", "description": "Only files with such a name."},
        "limit": {"type": "integer", "default": 50},
        "offset": {"type": "integer", "default": 0},
        "output_mode": {"type": "string", "enum": ["content", "files_only", "count"], "default": "content"},
        "context": {"type": "integer", "default": 0, "description": "Lines around each match."},
    },
    "required": ["pattern"],
}


@dataclass(frozen=True, slots=True)
class _Match:
    path: str
    line: int
    content: str


class Search:
    """Searches files for one session.

    Args:
        workdir: What relative paths are relative to.
    """

    def __init__(self, workdir: Path) -> None:
        self._workdir = workdir

    def tools(self) -> list[Tool]:
        """Return the tool."""
        return [Tool("search_files", "Search in files, or for files.", _PARAMETERS, self.search)]

    def search(self, args: dict[str, Any], call: CallInFlight) -> ToolOutcome:
        """Search, and return one page of what was found."""
        pattern = text_argument(args, "pattern")
        root = resolve(self._workdir, str(args.get("path") or "."))
        if not root.exists():
            raise ToolArgumentError(f"no such file or directory: {root}")
        limit = integer_argument(args, "limit", 50, least=1, most=1_000)
        offset = integer_argument(args, "offset", 0, least=0, most=1_000_000)
        if args.get("target", "content") == "files":
            return self._names(pattern, root, offset, limit)
        try:
            expression = re.compile(pattern)
        except re.error as error:
            raise ToolArgumentError(f"{pattern!r} is no regular expression: {error}") from None
        around = integer_argument(args, "context", 0, least=0, most=20)
        files = self._files(root, str(args.get("file_glob") or "*"))
        found: list[_Match] = []
        for path in files:
            if call.turn.interrupt.is_set():
                return ToolOutcome.failed("interrupted", status="cancelled", error_type="interrupted")
            found.extend(self._in_file(path, expression, around))
        return _answer(found, str(args.get("output_mode") or "content"), offset, limit)

    def _names(self, glob: str, root: Path, offset: int, limit: int) -> ToolOutcome:
        paths = [path for path in self._files(root, "*") if self._fits(path, glob)]
        paths.sort(key=lambda path: (-path.stat().st_mtime, str(path)))
        shown = [self._shown(path) for path in paths[offset : offset + limit]]
        return ToolOutcome(json.dumps({"total_count": len(paths), "files": shown}, ensure_ascii=False))

    def _fits(self, path: Path, glob: str) -> bool:
        return fnmatch.fnmatch(path.name, glob) or fnmatch.fnmatch(self._shown(path), glob)

    def _files(self, root: Path, glob: str) -> Iterator[Path]:
        if root.is_file():
            yield root
            return
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED)
            for name in sorted(names):
                path = root.__class__(folder, name)
                if fnmatch.fnmatch(name, glob) and path.is_file():
                    yield path

    def _in_file(self, path: Path, expression: re.Pattern[str], around: int) -> Iterator[_Match]:
        try:
            if path.stat().st_size > _LARGEST_FILE:
                return
            content = path.read_bytes()
        except OSError:
            return
        if b"\0" in content[:8192]:
            return
        lines = content.decode("utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            if expression.search(line):
                window = lines[max(0, number - 1 - around) : number + around]
                shown = "\n".join(part[:_LONGEST_LINE] for part in window)
                yield _Match(self._shown(path), number, shown)

    def _shown(self, path: Path) -> str:
        return os.path.relpath(path, self._workdir) if path.is_relative_to(self._workdir) else str(path)


def _answer(found: list[_Match], mode: str, offset: int, limit: int) -> ToolOutcome:
    by_file: dict[str, int] = {}
    for match in found:
        by_file[match.path] = by_file.get(match.path, 0) + 1
    fields: dict[str, Any] = {"total_count": len(found)}
    if mode == "files_only":
        fields["files"] = list(by_file)[offset : offset + limit]
    elif mode == "count":
        fields["counts"] = by_file
    else:
        page = found[offset : offset + limit]
        fields["matches"] = [{"path": match.path, "line": match.line, "content": match.content} for match in page]
        if offset + len(page) < len(found):
            fields |= {"truncated": True, "next_offset": offset + len(page)}
    return ToolOutcome(json.dumps(fields, ensure_ascii=False))
