"""A directory that makes hermes-sdk and what it needs importable in an environment of hermes-agent.

Links into the environment that the tests run in, so that nothing is installed and hermes-agent's environment stays as
its release left it. Its own packages come first; the linked ones are pure Python.
"""

from importlib import metadata
from pathlib import Path
from tomllib import loads

ROOT = Path(__file__).resolve().parents[2]
BEYOND_HERMES_AGENT = ("importlib-metadata", "pluggy", "shellingham", "typer", "zipp")
"""Requirements of hermes-sdk that hermes-agent does not bring itself."""


def link_contract(site):
    """Make what a plugin of the SDK imports available: the contract, and pluggy, which it needs."""
    _link_distribution("pluggy", site)
    (site / "hermes_hookspecs").symlink_to(ROOT / "hookspecs" / "hermes_hookspecs")
    return site


def link_framework(site):
    """Make all of hermes-sdk available, with its entry points, as an installation would."""
    for name in BEYOND_HERMES_AGENT:
        _link_distribution(name, site)
    (site / "hermes_hookspecs").symlink_to(ROOT / "hookspecs" / "hermes_hookspecs")
    (site / "hermes_sdk").symlink_to(ROOT / "hermes_sdk")
    project = loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    add_distribution(site, project["name"], project["version"], project["entry-points"])
    return site


def add_distribution(site, name, version, entry_points):
    """Write the metadata of an installed distribution."""
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in entry_points.items()
    ]
    (info / "entry_points.txt").write_text("".join(lines), "utf-8")


def _link_distribution(name, site):
    distribution = metadata.distribution(name)
    tops = {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}
    for top in sorted(tops):
        (site / top).symlink_to(Path(str(distribution.locate_file(top))).resolve())
