"""HC301 to HC401: how a plugin is packed: entry points, manifest, something to load, no secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hermes_sdk.check.finding import Edit, Finding, Place
from hermes_sdk.check.program import own_nodes
from hermes_sdk.errors import nearest
from hermes_sdk.plugins.entry_points import GROUP, is_near_group
from hermes_sdk.plugins.manifest import MANIFEST_NAMES, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from hermes_sdk.check.program import Program
    from hermes_sdk.check.registrations import Registration
    from hermes_sdk.check.target import EntryPoint, Target

_PLACE: Final = re.compile(r"^(?P<path>.*?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?$")


def package_findings(
    target: Target, program: Program, found: list[Registration], *, registers: bool
) -> Iterator[Finding]:
    """Yield what is wrong with the package.

    Args:
        target: What is checked.
        program: Its Python files.
        found: What they register.
        registers: Whether there is a function ``register``.
    """
    yield from _groups(target)
    for point in target.entry_points:
        if point.group == GROUP:
            yield from _entry_target(point, program)
    for path in target.manifests:
        yield from _manifest(path, found)
    yield from _nothing_to_load(target, program, found, registers=registers)


def _groups(target: Target) -> Iterator[Finding]:
    groups = {point.group: point for point in target.entry_points}
    if GROUP in groups:
        return
    for group, point in groups.items():
        if not is_near_group(group):
            continue
        place, edits = _written(point.declared_in, group)
        message = f"no host looks at the entry point group {group!r}"
        yield Finding("HC301", "error", place, message, f"call it {GROUP!r}", edits)


def _written(file: Path, group: str) -> tuple[Place, tuple[Edit, ...]]:
    """Return where a group is named in a file, and in pyproject.toml how to mend it."""
    for number, line in enumerate(_read(file).split("\n"), start=1):
        if line.strip().startswith("["):
            column = line.find(group)
            if column >= 0:
                place = Place(file, number, column + 1, number, column + 1 + len(group))
                quoted = line[column - 1 : column] in {'"', "'"}
                return place, (Edit(place, GROUP),) if quoted and file.suffix == ".toml" else ()
    return Place(file), ()


def _entry_target(point: EntryPoint, program: Program) -> Iterator[Finding]:
    name, _, attribute = (part.strip() for part in point.value.partition(":"))
    attribute = attribute.partition("[")[0].strip()
    place = _line_of(point.declared_in, point.value)
    module = program.modules.get(name)
    if module is None:
        if name.partition(".")[0] not in {known.partition(".")[0] for known in program.modules}:
            return  # it may be in another distribution
        close = nearest(name, program.modules)
        fix = f"did you mean {close!r}?" if close else ""
        yield Finding("HC302", "error", place, f"entry point {point.name!r} names no module: {name}", fix)
        return
    first = attribute.partition(".")[0]
    if not first:
        return
    known = _names(module.tree) | set(module.imports)
    if first not in known and not any(name.endswith(".*") or name == "*" for name in module.imports.values()):
        close = nearest(first, known)
        fix = f"did you mean {close!r}?" if close else ""
        yield Finding("HC302", "error", place, f"{name} has no {first!r}, which entry point {point.name!r} names", fix)


def _names(tree: object) -> set[str]:
    import ast

    names: set[str] = set()
    for node in own_nodes(tree) if isinstance(tree, ast.Module) else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def _manifest(path: Path, found: list[Registration]) -> Iterator[Finding]:
    read = read_manifest(str(path), path.parent.name)
    if read is None:
        return
    manifest, problems = read
    for problem in problems:
        where = _PLACE.fullmatch(problem.where)
        line, column = (int(where[key] or 0) if where else 0 for key in ("line", "column"))
        message = f"{problem.key}: found {problem.found}, wanted {problem.wanted}"
        yield Finding("HC303", problem.severity, Place(path, line, column), message, problem.fix)
    registered = {registration.hook for registration in found}
    for hook in manifest.provides_hooks:
        if registered and hook not in registered:
            close = nearest(hook, registered)
            fix = f"did you mean {close!r}?" if close else f"it registers {', '.join(sorted(registered))}"
            place = _line_of(path, hook)
            yield Finding("HC305", "warning", place, f"provides_hooks names {hook!r}, which is not registered", fix)


def _nothing_to_load(
    target: Target, program: Program, found: Iterable[Registration], *, registers: bool
) -> Iterator[Finding]:
    if target.kind == "directory":
        if not target.manifests:
            fix = f"add a {MANIFEST_NAMES[0]} with 'name: {target.name}'"
            yield Finding("HC304", "error", Place(target.root), "there is no manifest: no host finds the plugin", fix)
        if not (target.root / "__init__.py").is_file():
            yield Finding("HC304", "error", Place(target.root), "there is no __init__.py: nothing can be loaded")
            return
    elif target.kind in {"wheel", "distribution", "project"} and not target.manifests:
        near = any(is_near_group(point.group) for point in target.entry_points)
        if not near and all(point.group != GROUP for point in target.entry_points):
            message = f"there is no entry point in the group {GROUP!r}: no host finds the plugin"
            yield Finding("HC304", "error", Place(target.shown), message, _example(target, program))
    if not registers and not list(found):
        message = "there is neither register(ctx) nor a @hookimpl function: loading it does nothing"
        yield Finding("HC304", "error", Place(target.shown), message)


def _example(target: Target, program: Program) -> str:
    module = next(iter(program.modules), "your_package")
    return f'add to pyproject.toml: [project.entry-points."{GROUP}"] {target.name} = "{module.partition(".")[0]}"'


def _line_of(path: Path, text: str) -> Place:
    for number, line in enumerate(_read(path).split("\n"), start=1):
        column = line.find(text)
        if column >= 0:
            return Place(path, number, column + 1, number, column + 1 + len(text))
    return Place(path)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""
