"""What is checked: a file, a plugin directory, a project, a wheel, or an installed distribution."""

from __future__ import annotations

import contextlib
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from hermes_sdk.errors import PluginError, nearest
from hermes_sdk.plugins.manifest import MANIFEST_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

TargetKind = Literal["file", "directory", "project", "wheel", "distribution"]

_NOT_SHIPPED: Final = frozenset(
    {
        "tests",
        "test",
        "docs",
        "examples",
        "build",
        "dist",
        "venv",
        "env",
        "node_modules",
        "__pycache__",
    }
)


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One entry point as it is declared."""

    group: str
    name: str
    value: str
    declared_in: Path
    """pyproject.toml, or entry_points.txt of the metadata."""


@dataclass(frozen=True, slots=True)
class Target:
    """A plugin as files."""

    name: str
    kind: TargetKind
    root: Path
    """What dotted module names count from."""
    python: tuple[Path, ...]
    others: tuple[Path, ...]
    """Everything else that is shipped."""
    manifests: tuple[Path, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    requires_host: str | None = None
    """Version specifier of the declared dependency on hermes-agent, or None without one."""
    package: str = ""
    """Dotted name in front of a directory plugin's modules."""
    shown: Path = field(default_factory=Path)
    """What paths in findings are relative to."""


@contextlib.contextmanager
def opened(argument: str) -> Iterator[Target]:
    """Find what an argument means; a wheel is unpacked for the time being.

    Args:
        argument: A path, or the name of an installed distribution.

    Raises:
        PluginError: There is no such path or distribution, or no plugin in it.
    """
    path = Path(argument).expanduser()
    if path.suffix == ".whl" and path.is_file():
        with tempfile.TemporaryDirectory(prefix="hermes-sdk-check-") as directory:
            yield _wheel(path, Path(directory))
    elif path.is_file():
        yield _file(path)
    elif path.is_dir():
        yield _project(path) if (path / "pyproject.toml").is_file() else _directory(path)
    elif path.exists() or "/" in argument or argument.startswith((".", "~")):
        fix = "name a file, a plugin directory, a project with pyproject.toml, a wheel, or an installed distribution"
        raise PluginError(f"cannot check {argument}", why="there is no such file or directory", fix=fix, code="HS260")
    else:
        yield _distribution(argument)


def _file(path: Path) -> Target:
    if path.suffix != ".py":
        fix = "name a Python file, a plugin directory, a project, a wheel, or an installed distribution"
        raise PluginError(f"cannot check {path}", why="it is no Python file and no wheel", fix=fix, code="HS260")
    return Target(path.stem, "file", path.parent, (path,), (), shown=path.parent)


def _directory(path: Path) -> Target:
    path = path.resolve()
    manifests = tuple(path / name for name in MANIFEST_NAMES if (path / name).is_file())
    if not manifests and not (path / "__init__.py").is_file():
        inside = sorted(child.name for child in path.iterdir() if _is_plugin(child))
        why = "it has no plugin.yaml, no __init__.py and no pyproject.toml"
        fix = f"check one of the plugins in it: {', '.join(inside[:8])}" if inside else "name the plugin's directory"
        raise PluginError(f"there is no plugin in {path}", why=why, fix=fix, code="HS260")
    python, others = _files(path)
    return Target(path.name, "directory", path, python, others, manifests, package=_identifier(path.name), shown=path)


def _project(path: Path) -> Target:
    path = path.resolve()
    file = path / "pyproject.toml"
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PluginError(f"cannot check {path}", where=str(file), why=str(error), code="HS260") from error
    project = data.get("project", {})
    root = path / "src" if (path / "src").is_dir() else path
    python, others = _files(root)
    others += tuple(found for found in (file, path / "README.md") if found.is_file() and found not in others)
    points = tuple(
        EntryPoint(str(group), str(name), str(value), file)
        for group, entries in _mapping(project.get("entry-points")).items()
        for name, value in _mapping(entries).items()
    )
    manifests = tuple(found for found in others if found.name in MANIFEST_NAMES)
    if root != path:
        manifests += tuple(path / name for name in MANIFEST_NAMES if (path / name).is_file())
    host = _host_requirement([str(item) for item in project.get("dependencies", [])])
    name = str(project.get("name", path.name))
    package = _identifier(path.name) if root == path and (path / "__init__.py").is_file() else ""
    return Target(name, "project", root, python, others, manifests, points, host, package, shown=path)


def _wheel(path: Path, directory: Path) -> Target:
    try:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(directory)
    except (zipfile.BadZipFile, OSError) as error:
        raise PluginError(f"cannot check {path}", why=f"it is no wheel: {error}", code="HS260") from error
    metadata = next(directory.glob("*.dist-info"), None)
    if metadata is None:
        raise PluginError(f"cannot check {path}", why="it has no .dist-info directory", code="HS260")
    python, others = _files(directory)
    others = tuple(found for found in others if found.parent != metadata)
    return _installed(path.name, "wheel", directory, python, others, metadata)


def _distribution(name: str) -> Target:
    import importlib_metadata

    try:
        distribution = importlib_metadata.distribution(name)
    except importlib_metadata.PackageNotFoundError:
        known = {str(found.metadata["Name"]) for found in importlib_metadata.distributions() if found.metadata["Name"]}
        close = nearest(name, known)
        fix = f"did you mean {close!r}?" if close else "install it here first, or name its directory"
        raise PluginError(f"no distribution {name!r} is installed", fix=fix, code="HS260") from None
    root = Path(str(distribution.locate_file("")))
    listed = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
    metadata = next((file.parent for file in listed if file.name == "METADATA"), root)
    inside = [file for file in listed if file.is_file() and root in file.parents and file.parent != metadata]
    python = tuple(sorted(file for file in inside if file.suffix == ".py"))
    others = tuple(sorted(file for file in inside if file.suffix not in {".py", ".pyc"}))
    return _installed(name, "distribution", root, python, others, metadata)


def _installed(
    name: str, kind: TargetKind, root: Path, python: tuple[Path, ...], others: tuple[Path, ...], metadata: Path
) -> Target:
    import importlib_metadata

    found = importlib_metadata.PathDistribution(metadata)
    file = metadata / "entry_points.txt"
    points = tuple(EntryPoint(point.group, point.name, point.value, file) for point in found.entry_points)
    manifests = tuple(path for path in others if path.name in MANIFEST_NAMES)
    host = _host_requirement(list(found.requires or ()))
    return Target(name, kind, root, python, others, manifests, points, host, shown=root)


def _files(root: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the Python files and the other files below a directory that are shipped."""
    python: list[Path] = []
    others: list[Path] = []
    waiting = [root]
    while waiting:
        for path in sorted(waiting.pop().iterdir()):
            if path.name.startswith(".") or path.is_symlink():
                continue
            if path.is_dir():
                if path.name not in _NOT_SHIPPED and not path.name.endswith((".egg-info", ".dist-info")):
                    waiting.append(path)
            elif path.suffix == ".py":
                python.append(path)
            elif path.suffix != ".pyc":
                others.append(path)
    return tuple(sorted(python)), tuple(sorted(others))


def _is_plugin(path: Path) -> bool:
    return any((path / name).is_file() for name in MANIFEST_NAMES)


def _identifier(name: str) -> str:
    return "".join(character if character.isalnum() else "_" for character in name)


def _mapping(value: Any) -> dict[Any, Any]:
    """Return a mapping of a TOML file (Any: whatever stands there), or an empty one."""
    return value if isinstance(value, dict) else {}


def _host_requirement(dependencies: list[str]) -> str | None:
    from packaging.requirements import InvalidRequirement, Requirement

    for text in dependencies:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.name.lower().replace("_", "-") == "hermes-agent" and requirement.specifier:
            return str(requirement.specifier)
    return None
