"""plugin.yaml: its keys as data, and what one file says. No pydantic here: a thousand are read at a start."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from hermes_sdk.config.document import YamlDocument
from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.config.schema import Field, check_mapping, is_flag_or_names, is_mapping, is_names, is_text
from hermes_sdk.plugins.gates import FailClosed, read_fail_closed

MANIFEST_NAMES: Final = ("plugin.yaml", "plugin.yml")
MANIFEST_VERSION: Final = 1
KINDS: Final = ("standalone", "backend", "platform", "exclusive", "model-provider")
_LONGEST_NAME: Final = 100


def _is_version(value: Any) -> bool:
    # `version: 1.10` is a number to YAML and `version: 2026-01-31` a date; both are read as written
    return (isinstance(value, str | int | float) and not isinstance(value, bool)) or hasattr(value, "isoformat")


def _is_whole_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_requirements(value: Any) -> bool:
    return isinstance(value, list) and all(
        (isinstance(item, str) and item.strip()) or (isinstance(item, dict) and is_text(item.get("name")))
        for item in value
    )


FIELDS: Final = (
    Field(
        "name",
        "text",
        is_text,
        "What the plugin is called in configuration and messages.",
        default="the directory's name",
    ),
    Field("version", "a version", _is_version, "Version of the plugin, shown by `plugins list`."),
    Field("description", "text", is_text, "One line that says what the plugin does."),
    Field("author", "text", is_text, "Who wrote it."),
    Field(
        "kind",
        f"one of {', '.join(KINDS)}",
        is_text,
        "What it is for. Any but `standalone` needs a host with a registrar for it.",
        default="standalone",
    ),
    Field(
        "provides_hooks",
        "a list of names",
        is_names,
        "Hooks that it implements: for people, and for the standing block of a fail-closed plugin.",
        aliases=("hooks",),
    ),
    Field("provides_tools", "a list of names", is_names, "Tools that it registers, for people."),
    Field(
        "requires_env",
        "a list of names, or of mappings with a name",
        _is_requirements,
        "Environment variables that it needs. It loads without them, and is listed as needing them.",
    ),
    Field(
        "requires_sdk",
        "a version specifier such as '>=0.1'",
        is_text,
        "Versions of hermes-sdk that it works with; with any other it is refused.",
    ),
    Field("manifest_version", "a whole number", _is_whole_number, "Version of this format.", default="1"),
    Field("settings", "a mapping", is_mapping, "Settings that it reads, by name, for people."),
    Field(
        "fail_closed",
        "true, false or a list of hooks",
        is_flag_or_names,
        "Whether a failure blocks the tool call or withholds the output; a list: only on these hooks.",
        default="false",
        null_is_absent=False,
    ),
)
"""Every key of plugin.yaml; the reference page and the checks are both made from it."""


@dataclass(slots=True)
class Manifest:
    """What a plugin says about itself. Plugins see it as `ctx.manifest`, with upstream's attributes."""

    name: str
    version: str = ""
    description: str = ""
    author: str = ""
    kind: str = "standalone"
    provides_hooks: list[str] = field(default_factory=list)
    provides_tools: list[str] = field(default_factory=list)
    requires_env: list[str | dict[str, Any]] = field(default_factory=list)
    """Names, or mappings with a ``name`` and whatever else the author wrote."""
    requires_sdk: str = ""
    manifest_version: int = MANIFEST_VERSION
    settings: dict[str, Any] = field(default_factory=dict)
    """What each setting is, in whatever form the author wrote it."""
    fail_closed: FailClosed = False
    source: str = ""
    path: str = ""
    """The directory, or what the entry point names."""
    key: str = ""
    """``name`` at top level, ``category/directory`` in a category: what everything else refers to."""

    @property
    def required_variables(self) -> list[str]:
        """Names of the environment variables that the plugin asks for."""
        return [item if isinstance(item, str) else str(item["name"]) for item in self.requires_env]


def read_manifest(path: str, directory: str) -> tuple[Manifest, list[Problem]] | None:
    """Read one manifest.

    Args:
        path: The file.
        directory: Name of the plugin's directory, the default of `name`.

    Returns:
        (manifest, problems), or None when there is no such file. A problem with severity ``error`` means that
        the plugin must not be loaded; the manifest then holds what could be read.
    """
    document = YamlDocument(path)
    if not document.exists:
        return None
    if document.broken:
        return Manifest(directory), document.problems
    data = {} if document.data is None else document.data
    if not isinstance(data, dict):
        found = Problem("HS103", MANIFEST_NAMES[0], document.where(), kind_of(data), "a mapping of keys")
        return Manifest(directory), [*document.problems, found]
    values, problems = check_mapping(document, (), data, FIELDS)
    problems = [*document.problems, *problems, *_wrong_values(document, values)]
    if "version" in values:
        values["version"] = document.written(("version",)) or str(values["version"])
    named: dict[str, Any] = {"name": directory} | values
    return Manifest(**named), problems


def _wrong_values(document: YamlDocument, values: dict[str, Any]) -> list[Problem]:
    """Look at values of the right type; those that cannot be used are taken out or replaced."""
    problems = []
    if "name" in values:
        values["name"] = values["name"].strip()
    if not _is_name(values.get("name", "unnamed")):
        del values["name"]
        wanted = "a printable name without '/', ':' and '*'"
        problems.append(Problem("HS106", "name", document.where(("name",)), "an unusable name", wanted))
    if "kind" in values:
        values["kind"], found = _kind(document, values["kind"])
        problems.extend(found)
    version = values.get("manifest_version", MANIFEST_VERSION)
    if version != MANIFEST_VERSION:
        place = document.where(("manifest_version",))
        fix = "the plugin was written for another hermes-sdk"
        problems.append(Problem("HS106", "manifest_version", place, str(version), str(MANIFEST_VERSION), fix))
    if "requires_sdk" in values:
        problems.extend(_specifier(document, values["requires_sdk"]))
    if "fail_closed" in values:
        values["fail_closed"], found = read_fail_closed(document, ("fail_closed",), values["fail_closed"])
        problems.extend(found)
    return problems


def _kind(document: YamlDocument, written: str) -> tuple[str, list[Problem]]:
    kind = written.strip().lower()
    if kind in KINDS:
        return kind, []
    from hermes_sdk.errors import did_you_mean

    fix = did_you_mean(kind, KINDS) or "it is taken for standalone"
    wanted = f"one of {', '.join(KINDS)}"
    place = document.where(("kind",))
    return "standalone", [Problem("HS106", "kind", place, repr(written[:40]), wanted, fix, "warning")]


def _specifier(document: YamlDocument, written: str) -> list[Problem]:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        SpecifierSet(written)
    except InvalidSpecifier:
        place = document.where(("requires_sdk",))
        wanted = "a version specifier"
        return [Problem("HS106", "requires_sdk", place, repr(written[:40]), wanted, "write it as '>=0.1,<2'")]
    return []


def _is_name(name: str) -> bool:
    """Whether a name can be told from a category (``/``), a source (``:``) and the ``*`` of plugins.order."""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and not any(mark in name for mark in "/:*")
