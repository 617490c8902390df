"""How `hermes-sdk check` shows what it finds: for people, as JSON, as SARIF."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from hermes_sdk.check import RULES, check
from hermes_sdk.check.fixing import fix
from hermes_sdk.check.sarif import sarif
from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK
from hermes_sdk.cli.screen import console, plain, print_json
from hermes_sdk.errors import ConfigError, counted, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from hermes_sdk.check import CheckReport, Finding

_COLOURS: Final = {"error": "bold red", "warning": "yellow", "note": "dim"}


def check_targets(targets: list[str], *, ignore: list[str], mend: bool, sarif_file: Path | None, as_json: bool) -> int:
    """Check plugins, show what is found, and return the exit code.

    Args:
        targets: Paths or names of distributions.
        ignore: Codes of rules to leave out.
        mend: Whether to make the safe edits, and then look again.
        sarif_file: Where SARIF goes; ``-`` is stdout.
        as_json: One document on stdout instead of a screen.

    Raises:
        ConfigError: `ignore` names no rule.
        PluginError: A target is no plugin.
    """
    for code in ignore:
        if code not in RULES:
            fix_text = did_you_mean(code, RULES) or f"the rules are {', '.join(RULES)}"
            raise ConfigError(f"--ignore {code}", why="there is no such rule", fix=fix_text, code="HS106")
    reports, mended = [], 0
    for target in targets:
        report = check(target, ignore=ignore)
        if mend and (done := fix(report.root, report.findings)):
            mended += done
            report = check(target, ignore=ignore)
        reports.append(report)
    if sarif_file is not None:
        _write_sarif(reports, sarif_file)
    if as_json:
        print_json({"ok": all(report.ok for report in reports), "fixed": mended, "checked": _documents(reports)})
    elif sarif_file is None or str(sarif_file) != "-":
        _show(console(), reports, mended)
    return EXIT_OK if all(report.ok for report in reports) else EXIT_FAILED


def _show(screen: Console, reports: list[CheckReport], mended: int) -> None:
    """Print a finding a line, however long: editors and `grep` read them."""
    if mended:
        screen.print(Text(f"{counted(mended, 'finding')} mended in place"))
    for report in reports:
        for finding in report.findings:
            screen.print(_line(finding), soft_wrap=True)
        hooks = ", ".join(report.hooks) or "no hooks that the text names"
        screen.print(Text(plain(f"{report.target}: {_summary(report)}; {hooks}"), "bold"), soft_wrap=True)


def _line(finding: Finding) -> Text:
    text = Text(plain(f"{finding.place}: "))
    text.append(f"{finding.code} {RULES[finding.code].name}", _COLOURS[finding.severity])
    text.append(plain(f": {finding.message}"))
    if finding.fix:
        text.append(plain(f"; {finding.fix}"))
    if finding.edits:
        text.append(" (--fix does it)", "dim")
    return text


def _summary(report: CheckReport) -> str:
    found = Counter(finding.severity for finding in report.findings)
    parts = [counted(found[severity], severity) for severity in ("error", "warning", "note") if found[severity]]
    return f"{counted(report.files, 'file')}, {', '.join(parts) or 'nothing found'}"


def _documents(reports: list[CheckReport]) -> list[dict[str, Any]]:
    return [
        {
            "target": report.target,
            "root": str(report.root),
            "files": report.files,
            "hooks": list(report.hooks),
            "ok": report.ok,
            "findings": [_document(finding) for finding in report.findings],
        }
        for report in reports
    ]


def _document(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "code": finding.code,
        "name": RULES[finding.code].name,
        "severity": finding.severity,
        "path": str(place.path),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "message": finding.message,
        "fix": finding.fix,
        "fixable": bool(finding.edits),
    }


def _write_sarif(reports: list[CheckReport], file: Path) -> None:
    from importlib.metadata import version

    text = json.dumps(sarif(reports, version("hermes-sdk")), indent=2, ensure_ascii=False) + "\n"
    if str(file) == "-":
        sys.stdout.write(text)
    else:
        file.write_text(text, "utf-8")
