"""One check from start to end: find the files, parse them, ask every rule, leave out what the author silenced."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hermes_sdk.check.body_rules import body_findings
from hermes_sdk.check.context_rules import context_findings, member_uses
from hermes_sdk.check.finding import Finding, Place
from hermes_sdk.check.hook_rules import hook_findings
from hermes_sdk.check.package_rules import package_findings
from hermes_sdk.check.program import Module, Program
from hermes_sdk.check.registrations import register_functions, registrations
from hermes_sdk.check.secret_rules import secret_findings
from hermes_sdk.check.suppressions import silenced
from hermes_sdk.check.target import opened

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from hermes_sdk.check.target import Target


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What one check came to."""

    target: str
    """Name of what was checked."""
    root: Path
    """What the findings' paths are relative to."""
    findings: tuple[Finding, ...]
    """By file and line."""
    files: int
    """Python files that were read."""
    hooks: tuple[str, ...]
    """Hooks that the plugin registers, as far as its text says so."""

    @property
    def ok(self) -> bool:
        """Whether there is nothing but notes."""
        return all(finding.severity == "note" for finding in self.findings)


def check(argument: str | Path, *, ignore: Collection[str] = ()) -> CheckReport:
    """Check a plugin without importing or running any of it.

    Args:
        argument: A Python file, a plugin directory, a project with pyproject.toml, a wheel, or the name of an
            installed distribution.
        ignore: Codes of rules that are not asked.

    Raises:
        PluginError: There is no such thing, or no plugin in it.
    """
    with opened(str(argument)) as target:
        program, findings = _parsed(target)
        found = registrations(program)
        entries = register_functions(program)
        findings += hook_findings(found)
        findings += body_findings(program, found, entries)
        findings += context_findings(program, found, member_uses(program, entries), target)
        findings += package_findings(target, program, found, registers=bool(entries))
        findings += secret_findings(target)
        findings = silenced(program, findings)
        shown = sorted(
            (_relative(finding, target) for finding in findings if finding.code not in ignore),
            key=lambda finding: (finding.place, finding.code),
        )
        hooks = tuple(sorted({registration.hook for registration in found}))
        return CheckReport(target.name, target.shown, tuple(shown), len(target.python), hooks)


def _parsed(target: Target) -> tuple[Program, list[Finding]]:
    modules: dict[str, Module] = {}
    findings: list[Finding] = []
    for path in target.python:
        try:
            with warnings.catch_warnings():  # an invalid escape in somebody's string
                warnings.simplefilter("ignore")
                text = _source(path)
                tree = ast.parse(text, filename=str(path))
        except SyntaxError as error:
            place = Place(path, error.lineno or 0, error.offset or 0)
            findings.append(Finding("HC001", "error", place, f"it cannot be parsed: {error.msg}"))
        except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
            findings.append(Finding("HC001", "error", Place(path), f"it cannot be read: {error}"))
        else:
            name, is_package = _dotted(path, target)
            modules[name] = Module(name, path, text, tree, is_package=is_package)
    return Program(modules), findings


def _source(path: Path) -> str:
    """Read a file as Python reads it: with its coding cookie, and any line ends."""
    import tokenize

    with tokenize.open(path) as stream:
        return stream.read()


def _dotted(path: Path, target: Target) -> tuple[str, bool]:
    parts = [*([target.package] if target.package else []), *path.relative_to(target.root).with_suffix("").parts]
    is_package = parts[-1] == "__init__"
    return ".".join(parts[:-1] if is_package else parts), is_package


def _relative(finding: Finding, target: Target) -> Finding:
    try:
        path = finding.place.path.relative_to(target.shown)
    except ValueError:
        return finding
    return replace(finding, place=replace(finding.place, path=path))
