"""Findings as SARIF 2.1.0, which code hosts show beside the lines of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.check.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.check.checker import CheckReport
    from hermes_sdk.check.finding import Finding, Place

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "PLUGIN"
"""What relative paths count from."""


def sarif(reports: Iterable[CheckReport], version: str) -> dict[str, Any]:
    """Return one log with a run for each report, as JSON-ready data.

    Args:
        reports: What was checked.
        version: Version of this checker.
    """
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, version) for report in reports]}


def _run(report: CheckReport, version: str) -> dict[str, Any]:
    rules = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.summary.replace("`", "")},
            "fullDescription": {"text": rule.why.replace("`", "")},
            "defaultConfiguration": {"level": rule.severity},
        }
        for rule in RULES.values()
    ]
    driver = {"name": "hermes-sdk check", "version": version, "rules": rules}
    return {
        "tool": {"driver": driver},
        "originalUriBaseIds": {_ROOT: {"uri": report.root.absolute().as_uri() + "/"}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in report.findings],
    }


def _result(finding: Finding) -> dict[str, Any]:
    text = f"{finding.message}; {finding.fix}" if finding.fix else finding.message
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": list(RULES).index(finding.code),
        "level": finding.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(finding.place)}],
    }
    if finding.edits:
        changes = [
            {
                "artifactLocation": _artifact(edit.place),
                "replacements": [{"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}}],
            }
            for edit in finding.edits
        ]
        result["fixes"] = [{"description": {"text": finding.fix}, "artifactChanges": changes}]
    return result


def _location(place: Place) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": _artifact(place)}
    if place.line:
        location["region"] = _region(place)
    return location


def _artifact(place: Place) -> dict[str, Any]:
    if place.path.is_absolute():
        return {"uri": place.path.as_uri()}
    return {"uri": place.path.as_posix(), "uriBaseId": _ROOT}


def _region(place: Place) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column or 1}
    if place.end_line:
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    return region
