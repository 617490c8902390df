"""Change lists of names in config.yaml and nothing else: comments, order and formatting stay.

The file is edited as text, by the positions that the YAML parser gives. Each change is parsed again and
compared with what was meant; a file where that does not come out right (an anchor shared with another key,
for example) is left alone, and the error says what to write by hand.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from hermes_sdk.config.atomic import directory_lock, write_atomically
from hermes_sdk.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_BOM: Final = b"\xef\xbb\xbf"
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


def write_lists(path: Path, section: str, lists: Mapping[str, Sequence[str]]) -> None:
    """Set ``<section>.<key>`` to a list of names for each key of `lists`.

    Args:
        path: The YAML file; it is created when absent.
        section: The top-level key, ``plugins``.
        lists: The wanted content of each list.

    Raises:
        ConfigError: The file cannot be read or edited safely (HS109); it is untouched.
    """
    change_text(path, lambda text: _edited(path, text, section, lists))


def change_text(path: Path, change: Callable[[str], str]) -> None:
    """Replace a text file by what `change` makes of it, under a lock; an absent file is an empty text.

    Raises:
        ConfigError: The file cannot be read (HS101), or `change` refuses; it is untouched.
        OSError: It cannot be written; it is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with directory_lock(path.parent):
        try:
            raw = path.read_bytes() if path.exists() else b""
            text = raw.removeprefix(_BOM).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path.name} is not changed", where=str(path), why=str(error), code="HS101") from error
        edited = change(text)
        if edited != text:
            bom = _BOM if raw.startswith(_BOM) else b""
            write_atomically(path, bom + edited.encode("utf-8"))


def _edited(path: Path, text: str, section: str, lists: Mapping[str, Sequence[str]]) -> str:
    edited = text
    try:
        before = yaml.safe_load(text)
        for key, names in lists.items():
            edited = _ListEdit(edited, section, key).to(names)
        safe = _same_but(before, yaml.safe_load(edited), section, lists)
        why = "the change would touch other keys"
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        safe = False
        why = f"it could not be understood ({str(error).partition(chr(10))[0]})"
    if not safe:
        by_hand = "; ".join(f"{section}.{key}: {json.dumps(list(names))}" for key, names in lists.items())
        raise ConfigError(
            f"{path.name} cannot be edited safely and was left as it is",
            where=str(path),
            why=why,
            fix=f"write by hand {by_hand}",
            code="HS109",
        )
    return edited


def _same_but(before: Any, after: Any, section: str, lists: Mapping[str, Sequence[str]]) -> bool:
    """Whether `after` has the wanted lists and is otherwise what `before` was (any YAML types)."""
    before, after = dict(before or {}), dict(after)
    old, new = dict(before.pop(section, None) or {}), dict(after.pop(section))
    for key, names in lists.items():
        old.pop(key, None)
        if new.pop(key) != list(names):
            return False
    # repr, because a .nan somewhere in the file is not equal to itself
    return repr((before, old)) == repr((after, new))


class _ListEdit:
    """One list in one text; every step edits the text and parses it again, so positions are never stale."""

    def __init__(self, text: str, section: str, key: str) -> None:
        self.text = text
        self.section = section
        self.key = key
        self.newline = "\r\n" if "\r\n" in text else "\n"

    def to(self, wanted: Sequence[str]) -> str:
        """Return the text with the list as `wanted`, changing as few lines as possible."""
        sequence = self._sequence()
        if sequence is None:
            self._create(wanted)
            return self.text
        names = [item.value for item in sequence.value]
        for index, name in enumerate(wanted):
            if name not in names:
                place = names.index(wanted[index - 1]) + 1 if index else 0
                self._insert(place, name)
                names.insert(place, name)
        for index in reversed(range(len(names))):
            if names[index] not in wanted:
                self._remove(index)
        return self.text

    def _root(self) -> Any:
        return yaml.compose(self.text, Loader=yaml.SafeLoader)

    def _section(self) -> Any:
        return _value_of(self._root(), self.section)

    def _sequence(self) -> Any:
        node = _value_of(self._section(), self.key)
        return node if isinstance(node, yaml.SequenceNode) else None

    def _splice(self, start: int, end: int, replacement: str) -> None:
        self.text = self.text[:start] + replacement + self.text[end:]

    def _line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        """Index of the line break behind `index`, or of the end of the text."""
        found = self.text.find("\n", index)
        if found < 0:
            return len(self.text)
        return found - 1 if self.text[found - 1] == "\r" else found

    def _insert(self, index: int, name: str) -> None:
        sequence = self._sequence()
        items = sequence.value
        if not items:
            start = sequence.start_mark.index + 1
            self._splice(start, start, _scalar(name))
        elif sequence.flow_style:
            before = index < len(items)
            place = items[index].start_mark.index if before else items[-1].end_mark.index
            self._splice(place, place, f"{_scalar(name)}, " if before else f", {_scalar(name)}")
        else:
            dash = " " * sequence.start_mark.column + "- " + _scalar(name)
            if index < len(items):
                place = self._line_start(items[index].start_mark.index)
                self._splice(place, place, dash + self.newline)
            else:
                place = self._line_end(items[-1].end_mark.index)
                self._splice(place, place, self.newline + dash)

    def _remove(self, index: int) -> None:
        sequence = self._sequence()
        items = sequence.value
        item = items[index]
        if sequence.flow_style:
            start, end = item.start_mark.index, item.end_mark.index
            if index:
                start = items[index - 1].end_mark.index
            elif len(items) > 1:
                end = items[1].start_mark.index
            else:
                end += len(self.text[end:]) - len(self.text[end:].lstrip(" ,"))
            self._splice(start, end, "")
            return
        start = self._line_start(item.start_mark.index)
        end = self._line_end(item.end_mark.index)
        end = min(len(self.text), end + len(self.newline))
        self._splice(start, end, "")
        if len(items) == 1:
            self._fill_empty("[]")

    def _create(self, wanted: Sequence[str]) -> None:
        section = self._section()
        if isinstance(section, yaml.MappingNode) and _value_of(section, self.key) is not None:
            self._fill_empty(_flow(wanted))
        elif isinstance(section, yaml.MappingNode):
            self._add_pair(section, wanted)
        elif section is not None and section.start_mark.index != section.end_mark.index:
            # `plugins: null` spelled out
            self._splice(section.start_mark.index, section.end_mark.index, f"{{{self.key}: {_flow(wanted)}}}")
        elif section is not None:
            place = self._line_end(section.end_mark.index)
            self._splice(place, place, self.newline + self._block("  ", wanted))
        else:
            self._add_section(wanted)

    def _add_pair(self, mapping: Any, wanted: Sequence[str]) -> None:
        if mapping.flow_style:
            start = mapping.start_mark.index + 1
            comma = ", " if mapping.value else ""
            self._splice(start, start, f"{self.key}: {_flow(wanted)}{comma}")
            return
        place = self._line_end(last_index(mapping))
        indent = " " * mapping.value[0][0].start_mark.column
        self._splice(place, place, self.newline + self._block(indent, wanted))

    def _add_section(self, wanted: Sequence[str]) -> None:
        root = self._root()
        if isinstance(root, yaml.MappingNode) and root.flow_style:
            start = root.start_mark.index + 1
            comma = ", " if root.value else ""
            self._splice(start, start, f"{self.section}: {{{self.key}: {_flow(wanted)}}}{comma}")
            return
        gap = "" if not self.text or self.text.endswith("\n") else self.newline
        self.text += gap + f"{self.section}:{self.newline}" + self._block("  ", wanted) + self.newline

    def _fill_empty(self, value: str) -> None:
        """Write a value behind a key that has none."""
        for key, node in self._section().value:
            if key.value == self.key:
                if node.start_mark.index != node.end_mark.index:
                    self._splice(node.start_mark.index, node.end_mark.index, value)
                else:
                    colon = self.text.index(":", key.end_mark.index) + 1
                    self._splice(colon, colon, " " + value)

    def _block(self, indent: str, wanted: Sequence[str]) -> str:
        if not wanted:
            return f"{indent}{self.key}: []"
        lines = [f"{indent}{self.key}:", *(f"{indent}  - {_scalar(name)}" for name in wanted)]
        return self.newline.join(lines)


def _value_of(mapping: Any, key: str) -> Any:
    if not isinstance(mapping, yaml.MappingNode):
        return None
    return next((value for name, value in reversed(mapping.value) if name.value == key), None)


def last_index(node: Any) -> int:
    """Index of the last character of a node; its own end mark stands behind blank lines and comments."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        index: int = node.end_mark.index
        is_block_text = isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}
        return index - 1 if is_block_text else index
    last = node.value[-1]
    return last_index(last[1] if isinstance(last, tuple) else last)


def _flow(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_scalar, names))}]"


def _scalar(name: str) -> str:
    """Write a name so that YAML reads back this very text."""
    if _PLAIN.fullmatch(name) and yaml.safe_load(name) == name:
        return name
    return json.dumps(name, ensure_ascii=False)
