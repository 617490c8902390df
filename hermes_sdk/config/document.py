"""A YAML file with the position of every key: what config.yaml and plugin.yaml are read through.

Nothing here raises for what a file contains: a document that cannot be read has `data` None and a problem.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any, Final

import yaml

from hermes_sdk.config.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KeyPath = tuple["str | int", ...]
"""Way to a value: mapping keys and list positions."""

_Loader: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SIZE_LIMIT: Final = 4 * 1024 * 1024
"""Bytes. No hand-written file is near it; a log that was saved under the wrong name is above it."""


class YamlDocument:
    """One YAML file, read and checked as far as YAML itself goes.

    Args:
        path: The file. It may be absent, a directory or a device: that is a problem, not an exception.
        shown: How messages name the file; its full path when left out.
    """

    def __init__(self, path: Path | str, *, shown: str = "") -> None:
        self.path = os.fspath(path)
        self.shown = shown or self.path
        self.data: Any = None
        """The content, of any YAML type; None for an absent, empty or broken file."""
        self.text = ""
        self.exists = True
        self.broken = False
        """The file is there and cannot be understood."""
        self.problems: list[Problem] = []
        self._root: Any = None
        self._read()

    def _read(self) -> None:
        try:
            self.text = _read_text(self.path)
        except FileNotFoundError:
            self.exists = False
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            self._give_up("HS102", f":{line}", "bytes that are not UTF-8", "save the file as UTF-8")
        except _NotAFileError as error:
            self._give_up("HS101", "", str(error), "")
        except OSError as error:
            self._give_up("HS101", "", f"an unreadable file ({error.strerror})", "check its permissions")
        else:
            self._parse()

    def _parse(self) -> None:
        loader = None
        try:
            loader = _Loader(self.text)
            self._root = loader.get_single_node()
            if self._root is not None:
                self._note_repeated_keys()
                self.data = loader.construct_document(self._root)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            found = (getattr(error, "problem", None) or str(error).partition("\n")[0]).removeprefix("found ")
            hint = "indent with blanks, YAML allows no tabs" if mark and self._is_tab(mark) else ""
            self._give_up("HS102", _place(mark), found, hint)
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
            # PyYAML lets a scalar such as `2026-13-45` or `!!int x` through to here, without its position
            place = _place(self._first_unreadable())
            self._give_up("HS102", place, "a value that YAML cannot represent", "put it in quotes")
        finally:
            if loader is not None:
                loader.dispose()

    def _is_tab(self, mark: Any) -> bool:
        lines = self.text.splitlines()
        line = lines[mark.line] if mark.line < len(lines) else ""
        return line.startswith("\t", mark.column)

    def _first_unreadable(self) -> Any:
        loader = _Loader("")
        for mapping in _collections(self._root):
            children = mapping.value if isinstance(mapping, yaml.SequenceNode) else sum(mapping.value, ())
            for child in children:
                if isinstance(child, yaml.ScalarNode):
                    try:
                        loader.construct_object(child)
                    except Exception:
                        return child.start_mark
        return None

    def _give_up(self, code: str, place: str, found: str, fix: str) -> None:
        self.broken = True
        self.data = self._root = None
        wanted = "a readable file" if code == "HS101" else "valid YAML"
        name = self.path.rpartition(os.sep)[2]
        self.problems.append(Problem(code, name, self.shown + place, found, wanted, fix))

    def where(self, path: KeyPath = ()) -> str:
        """Return ``file:line:column`` of a key or list item; of its nearest parent when it is absent."""
        mark = None if self._root is None else self._root.start_mark
        node = self._root
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            mark, node = found
        return self.shown + _place(mark)

    def written(self, path: KeyPath) -> str | None:
        """Return a scalar as it stands in the file: ``1.10`` stays ``1.10``. None when it is no scalar."""
        node = self._root
        for step in path:
            found = _child(node, step)
            node = None if found is None else found[1]
        return node.value if isinstance(node, yaml.ScalarNode) else None

    def _note_repeated_keys(self) -> None:
        for mapping in _collections(self._root):
            if not isinstance(mapping, yaml.MappingNode):
                continue
            seen: set[str] = set()
            for key, _ in mapping.value:
                if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
                    continue
                if key.value in seen:
                    place = self.shown + _place(key.start_mark)
                    fix = "only the last one counts: join them"
                    self.problems.append(Problem("HS105", key.value, place, "a key given twice", "each key once", fix))
                seen.add(key.value)


class _NotAFileError(Exception):
    """A directory, pipe, device or a file of absurd size stands where a file is wanted."""


def _read_text(path: str) -> str:
    # O_NONBLOCK: opening a pipe that somebody left in a plugin directory must not hang the host
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _NotAFileError("a directory" if stat.S_ISDIR(status.st_mode) else "a pipe or device")
        if status.st_size > _SIZE_LIMIT:
            raise _NotAFileError(f"a file of {status.st_size} bytes")
        chunks = []
        while chunk := os.read(descriptor, _SIZE_LIMIT):
            chunks.append(chunk)
    finally:
        os.close(descriptor)
    return b"".join(chunks).decode("utf-8-sig")


def _child(node: Any, step: str | int) -> tuple[Any, Any] | None:
    """Return (mark, node) of one step down; the last of repeated keys, as the data has it."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        item = node.value[step]
        return item.start_mark, item
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return key.start_mark, value
    return None


def _place(mark: Any) -> str:
    return "" if mark is None else f":{mark.line + 1}:{mark.column + 1}"


def _collections(root: Any) -> Iterator[Any]:
    """Walk every mapping and sequence once, also where aliases make the document a graph."""
    pending, seen = [root], set()
    while pending:
        node = pending.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            pending.extend(value for _, value in node.value)
        else:
            pending.extend(node.value)
