"""Add entries to lists of mappings in config.yaml, such as `hooks.pre_tool_call`, and touch nothing else.

As in edit.py the file is edited as text, by the positions that the YAML parser gives, and the result is parsed again
and compared with what was meant. What is written in flow style, or shared by an anchor, is left to its author.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from hermes_sdk.config.edit import change_text, last_index
from hermes_sdk.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def append_entries(path: Path, section: str, entries: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Add entries to the lists ``<section>.<key>``; sections, keys and the file itself are made where absent.

    Args:
        path: The YAML file.
        section: The top-level key, ``hooks``.
        entries: For each key what is added at the end of its list; values of any YAML type.

    Raises:
        ConfigError: The file cannot be read or edited safely (HS101, HS109); it is untouched.
    """
    change_text(path, lambda text: _edited(path, text, section, entries))


def _edited(path: Path, text: str, section: str, entries: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    try:
        before = yaml.safe_load(text)
        edit = _Insertion(text, section)
        for key, added in entries.items():
            edit.append(key, added)
        if _is_as_meant(before, yaml.safe_load(edit.text), section, entries):
            return edit.text
        why = "other keys would change"
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        why = str(error).partition("\n")[0]
    raise ConfigError(
        f"{path.name} cannot be edited safely and was left as it is",
        where=str(path),
        why=why,
        fix="add the block by hand",
        code="HS109",
    )


def _is_as_meant(before: Any, after: Any, section: str, entries: Mapping[str, Sequence[Mapping[str, Any]]]) -> bool:
    """Whether `after` is `before` with the entries at the ends of their lists (any YAML types)."""
    wanted = dict(before or {})
    lists = dict(wanted.get(section) or {})
    for key, added in entries.items():
        lists[key] = [*(lists.get(key) or []), *(dict(entry) for entry in added)]
    # repr, because a .nan somewhere in the file is not equal to itself; sorted, because new keys stand at the end
    return repr(_ordered(wanted | {section: lists})) == repr(_ordered(after))


def _ordered(document: Any) -> list[Any]:
    return sorted(document.items(), key=repr)


class _Dumper(yaml.SafeDumper):
    """Writes the items of a list under their key with an indent, as people do."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent in every case."""
        super().increase_indent(flow, indentless=False)


def as_yaml(value: Any) -> str:
    """Return a value of any YAML type as a block, each text on one line and keys in their order."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000)


class _Insertion:
    """One text that grows; every step parses it again, so positions are never stale."""

    def __init__(self, text: str, section: str) -> None:
        self.text = text
        self._section_name = section
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def append(self, key: str, entries: Sequence[Mapping[str, Any]]) -> None:
        """Add entries at the end of one list of the section."""
        section = self._section()
        if section is None or _is_empty(section):
            self._open_section(section)
            section = self._section()
        if section is None or _is_empty(section):
            indent = "  "
            self._insert_behind(self._section_key(), self._list(key, entries, indent))
            return
        if not isinstance(section, yaml.MappingNode) or section.flow_style:
            raise ValueError(f"{self._section_name} is not written as a block")
        indent = " " * section.value[0][0].start_mark.column
        pair = next(((name, value) for name, value in reversed(section.value) if name.value == key), None)
        if pair is None:
            self._insert_behind(section, self._list(key, entries, indent))
        elif _is_empty(pair[1]):
            self._drop(pair[1])
            name = next(name for name, _ in reversed(self._section().value) if name.value == key)
            self._insert_behind(name, self._items(entries, f"{indent}  "))
        elif isinstance(pair[1], yaml.SequenceNode) and not pair[1].flow_style:
            dash = " " * pair[1].start_mark.column
            self._insert_behind(pair[1], self._items(entries, dash))
        else:
            raise ValueError(f"{self._section_name}.{key} is not written as a block list")

    def _root(self) -> Any:
        return yaml.compose(self.text, Loader=yaml.SafeLoader)

    def _pair(self) -> Any:
        root = self._root()
        if root is None:
            return None
        if not isinstance(root, yaml.MappingNode) or root.flow_style:
            raise ValueError("the file is not written as a block of keys")
        return next((pair for pair in reversed(root.value) if pair[0].value == self._section_name), None)

    def _section(self) -> Any:
        pair = self._pair()
        return None if pair is None else pair[1]

    def _section_key(self) -> Any:
        return self._pair()[0]

    def _open_section(self, section: Any) -> None:
        """Write the section's key, or take away the ``{}`` behind it."""
        if section is not None:
            self._drop(section)
            return
        gap = "" if not self.text or self.text.endswith("\n") else self._newline
        self.text += f"{gap}{self._section_name}:{self._newline}"

    def _drop(self, node: Any) -> None:
        start = len(self.text[: node.start_mark.index].rstrip(" ")) if _is_written(node) else node.start_mark.index
        self.text = self.text[:start] + self.text[node.end_mark.index :]

    def _insert_behind(self, node: Any, block: str) -> None:
        """Insert lines behind the last line of a node."""
        last = last_index(node)
        end = self.text.find("\n", last)
        if end < 0:
            self.text += self._newline + block.rstrip("\r\n") + self._newline
        else:
            self.text = self.text[: end + 1] + block + self.text[end + 1 :]

    def _list(self, key: str, entries: Sequence[Mapping[str, Any]], indent: str) -> str:
        head = yaml.safe_dump(key, allow_unicode=True).partition("\n")[0]
        return f"{indent}{head}:{self._newline}{self._items(entries, f'{indent}  ')}"

    def _items(self, entries: Sequence[Mapping[str, Any]], indent: str) -> str:
        dumped = as_yaml([dict(entry) for entry in entries])
        return "".join(f"{indent}{line}{self._newline}" for line in dumped.splitlines())


def _is_empty(node: Any) -> bool:
    """Whether a node is nothing, ``null``, ``{}`` or ``[]``."""
    if isinstance(node, yaml.ScalarNode):
        return node.tag == "tag:yaml.org,2002:null"
    return not node.value


def _is_written(node: Any) -> bool:
    return bool(node.start_mark.index != node.end_mark.index)
