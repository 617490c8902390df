"""A directory that makes hermes-sdk and what it needs importable in an environment of hermes-agent.

Links into the environment of this process, so that nothing is installed and hermes-agent's environment stays as its
release left it. What is there already is not linked.
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from tomllib import loads
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT: Final = Path(__file__).resolve().parents[2]


def link_contract(site: Path) -> Path:
    """Make what a plugin of the SDK imports available: the contract, and pluggy, which it needs."""
    _link_distribution("pluggy", site)
    (site / "hermes_hookspecs").symlink_to(ROOT / "hookspecs" / "hermes_hookspecs")
    return site


def link_framework(site: Path, environment: Path, extras: Iterable[str] = ()) -> Path:
    """Make all of hermes-sdk available with its entry points, as an installation into an environment would."""
    project = loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (packages,) = (environment / "lib").glob("python3*/site-packages")
    there = {canonicalize_name(each.name) for each in metadata.distributions(path=[str(packages)])}
    optional = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(each for extra in extras for each in optional[extra])]
    for name in sorted(_needed(wanted) - there):
        _link_distribution(name, site)
    (site / "hermes_hookspecs").symlink_to(ROOT / "hookspecs" / "hermes_hookspecs")
    (site / "hermes_sdk").symlink_to(ROOT / "hermes_sdk")
    add_distribution(site, project["name"], project["version"], project["entry-points"])
    return site


def add_distribution(site: Path, name: str, version: str, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    """Write the metadata of an installed distribution."""
    directory = site / f"{name.replace('-', '_')}-{version}.dist-info"
    directory.mkdir()
    (directory / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in entry_points.items()
    ]
    (directory / "entry_points.txt").write_text("".join(lines), "utf-8")


def _needed(requirements: Iterable[str]) -> set[str]:
    """Return the names of all distributions that some requirements lead to, extras left out."""
    needed: set[str] = set()
    pending = list(requirements)
    while pending:
        requirement = Requirement(pending.pop())
        name = canonicalize_name(requirement.name)
        optional = requirement.marker is not None and re.search(r"\bextra\b", str(requirement.marker))
        applies = requirement.marker is None or requirement.marker.evaluate()
        if applies and not optional and name not in needed:
            needed.add(name)
            pending.extend(metadata.requires(name) or ())
    return needed


def _link_distribution(name: str, site: Path) -> None:
    distribution = metadata.distribution(name)
    tops = {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}
    for top in sorted(tops):
        if not (site / top).is_symlink():  # several distributions may share a namespace package
            (site / top).symlink_to(Path(str(distribution.locate_file(top))).resolve())
