"""Finds plugins in the four sources. Reads manifests and metadata; imports and runs nothing of a plugin."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hermes_sdk.config.problems import Problem
from hermes_sdk.home import truthy_env
from hermes_sdk.plugins.candidate import Candidate
from hermes_sdk.plugins.entry_points import scan_entry_points
from hermes_sdk.plugins.manifest import MANIFEST_NAMES, Manifest, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

PROJECT_SWITCH: Final = "HERMES_ENABLE_PROJECT_PLUGINS"


@dataclass(slots=True)
class Found:
    """Everything that discovery found."""

    candidates: list[Candidate] = field(default_factory=list)
    """In calling order, before `plugins.order`."""
    problems: list[Problem] = field(default_factory=list)
    """What concerns no single plugin: an unreadable directory, a near miss of our entry point group."""


def builtin_directory() -> Path:
    """Return where the built-in plugins are: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "builtin_plugins"
    return inside if inside.is_dir() else package.parent / "builtin_plugins"


def discover(
    home: Path,
    *,
    builtin_dir: Path | None = None,
    project_dir: Path | None = None,
    entry_points: bool = True,
) -> Found:
    """Find every plugin of a home.

    Args:
        home: Its ``plugins`` directory is the source ``user``.
        builtin_dir: Directory of the built-in plugins; ours by default.
        project_dir: The project, whose ``.hermes/plugins`` counts when HERMES_ENABLE_PROJECT_PLUGINS is on;
            the working directory by default.
        entry_points: Whether to look at installed distributions.
    """
    found = Found()
    user = home / "plugins"
    roots = [("builtin", builtin_dir or builtin_directory()), ("user", user)]
    if truthy_env(PROJECT_SWITCH):
        project = (project_dir or Path.cwd()) / ".hermes" / "plugins"
        # started in ~ the project's directory is the user's own: every plugin would shadow itself
        if os.path.realpath(project) != os.path.realpath(user):
            roots.append(("project", project))
    else:
        logger.debug("project plugins are off: %s is not set", PROJECT_SWITCH)
    for source, root in roots:
        before = len(found.candidates)
        found.candidates.extend(_scan(str(root), source, found.problems))
        logger.debug("%s plugins in %s: %d", source, root, len(found.candidates) - before)
    if entry_points:
        installed, problems = scan_entry_points()
        logger.debug("entry point plugins: %d", len(installed))
        found.candidates.extend(installed)
        found.problems.extend(problems)
    found.candidates.sort(key=lambda candidate: candidate.order)
    return found


def directory_candidate(directory: Path, source: str = "direct") -> Candidate | None:
    """Return the plugin in one directory, or None where neither a manifest nor an ``__init__.py`` is."""
    path = os.path.realpath(directory)
    name = path.rpartition(os.sep)[2]
    return _plugin(path, name, name, source) or _without_manifest(path, name, source)


def plugins_inside(project: Path) -> list[Path]:
    """Return the directories with a manifest in a project: in it, or in its ``src``."""
    roots = [root for root in (project / "src", project) if root.is_dir()]
    return [each for root in roots for each in sorted(root.iterdir()) if has_manifest(each)]


def has_manifest(directory: Path) -> bool:
    """Whether a directory has a manifest, readable or not."""
    return directory.is_dir() and any((directory / name).is_file() for name in MANIFEST_NAMES)


def _scan(root: str, source: str, problems: list[Problem]) -> Iterator[Candidate]:
    for name in _directories(root, problems, mistaken=True):
        path = f"{root}{os.sep}{name}"
        candidate = _plugin(path, name, name, source)
        if candidate is not None:
            yield candidate
            continue
        inside = list(_category(path, name, source, problems))
        yield from inside
        if inside:
            continue
        if (bare := _without_manifest(path, name, source)) is not None:
            yield bare
        elif os.path.isfile(f"{path}{os.sep}pyproject.toml"):  # noqa: PTH113 - as in _has_code
            fix = "pip install it, or put the directory that has its plugin.yaml here"
            problems.append(Problem("HS101", name, path, "a project", "a plugin's directory", fix, "warning"))


def _category(path: str, category: str, source: str, problems: list[Problem]) -> Iterator[Candidate]:
    """Look one level deeper: a directory without a manifest groups plugins."""
    for name in _directories(path, problems):
        label = f"{category}/{name}"
        candidate = _plugin(f"{path}{os.sep}{name}", name, label, source)
        if candidate is not None:
            candidate.key = candidate.manifest.key = label
            yield candidate
        else:
            logger.debug("%s: no plugin.yaml, and categories are one level deep", label)


def _directories(root: str, problems: list[Problem], *, mistaken: bool = False) -> list[str]:
    """Return the names of the directories in `root`; `mistaken` reports what somebody took for a plugin."""
    names = []
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                if _is_directory(entry):
                    names.append(entry.name)
                elif mistaken and (problem := _mistaken(entry)) is not None:
                    problems.append(problem)
    except FileNotFoundError:
        return []
    except OSError as error:
        found = f"something that cannot be read ({error.strerror})"
        problems.append(Problem("HS101", root, root, found, "a directory of plugins"))
        return []
    return names


def _mistaken(entry: os.DirEntry[str]) -> Problem | None:
    """Say what is wrong with a file that somebody expects to load; other files are none of our business."""
    name, wanted = entry.name, "a plugin's directory"
    if name.startswith("."):
        return None
    if name.endswith(".py"):
        fix = f"move it to {name.removesuffix('.py')}/__init__.py, with a plugin.yaml beside it"
        return Problem("HS101", name, entry.path, "a file", wanted, fix, "warning")
    if entry.is_symlink() and not os.path.exists(entry.path):  # noqa: PTH110 - as in _has_code
        return Problem("HS101", name, entry.path, "a link that leads nowhere", wanted, "remove or renew it", "warning")
    return None


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.name[0] != "." and entry.name != "__pycache__" and entry.is_dir()
    except OSError:  # a symbolic link that leads in a circle
        return False


def _plugin(path: str, directory: str, label: str, source: str) -> Candidate | None:
    read = None
    for name in MANIFEST_NAMES:
        file = f"{path}{os.sep}{name}"
        read = read_manifest(file, directory)
        if read is not None:
            break
    if read is None:
        return None
    manifest, problems = read
    manifest.source, manifest.path, manifest.key = source, path, manifest.name
    name, version = manifest.name, manifest.version
    candidate = Candidate(name, name, source, label, path, manifest, version=version, problems=problems)
    if not candidate.broken and not _has_code(path):
        problems.append(Problem("HS205", "__init__.py", path, "no such file", "the plugin's code"))
    return candidate


def _without_manifest(path: str, name: str, source: str) -> Candidate | None:
    """Report code without a manifest: somebody expects it to load, and it is never imported."""
    if not _has_code(path):
        return None
    fix = f"add a plugin.yaml with 'name: {name}'"
    problem = Problem("HS101", MANIFEST_NAMES[0], path, "no such file", "a manifest", fix)
    manifest = Manifest(name, source=source, path=path, key=name)
    return Candidate(name, name, source, name, path, manifest, problems=[problem])


def _has_code(path: str) -> bool:
    return os.path.isfile(f"{path}{os.sep}__init__.py")  # noqa: PTH113 - asked a thousand times at a start
