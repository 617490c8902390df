"""`hermes-sdk check`: reads a plugin without importing it, and says what will not work as its author thinks.

from pathlib import Path
from hermes_sdk.check import check

for finding in check("my-plugin/").findings:
    print(finding)
"""

from hermes_sdk.check.checker import CheckReport, check
from hermes_sdk.check.finding import Finding, Place
from hermes_sdk.check.rules import RULES, Rule

__all__ = ["RULES", "CheckReport", "Finding", "Place", "Rule", "check"]
