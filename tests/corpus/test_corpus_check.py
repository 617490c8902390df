"""`hermes-sdk check` on the published plugins: every finding was read by hand beside their code, and is true."""

import sys

import pytest
from corpus_pins import PINS

from hermes_sdk.check import check

pytestmark = pytest.mark.corpus

# what each one says, by (code, file, line); notes too
FINDINGS = {
    "rtk-hermes": [("HC201", "rtk_hermes/__init__.py", 187)],  # runs a program for each command, at most 2 s
    "noisegate-hermes": [],
    "hermes-axiorank": [("HC201", "hermes_axiorank/remote.py", 71)],  # asks its server for each call
    "latitude-telemetry-hermes": [
        ("HC503", "latitude_telemetry_hermes/hooks.py", 330),
        ("HC101", "latitude_telemetry_hermes/hooks.py", 335),  # hooks of streams, that no release fires
        ("HC101", "latitude_telemetry_hermes/hooks.py", 337),
        ("HC101", "latitude_telemetry_hermes/hooks.py", 338),
        ("HC503", "latitude_telemetry_hermes/hooks.py", 343),
    ],
    "multi-user-rbac": [],
    "acp-hermes": [
        ("HC201", "acp_hermes/__init__.py", 252),  # asks its server for each call
        ("HC303", "acp_hermes/plugin.yaml", 5),
        ("HC303", "acp_hermes/plugin.yaml", 6),
    ],
    "agentguard-hermes-plugin": [
        ("HC201", "agentguard_hermes/plugin.py", 159),
        ("HC203", "agentguard_hermes/plugin.py", 162),  # prints when its server does not answer
        ("HC201", "agentguard_hermes/plugin.py", 272),
        ("HC202", "agentguard_hermes/plugin.py", 279),
    ],
    "vaibot-hermes-circuitbreaker": [
        ("HC201", "vaibot/guard.py", 112),
        ("HC303", "vaibot/plugin.yaml", 5),
        ("HC303", "vaibot/plugin.yaml", 6),
        ("HC303", "vaibot/plugin.yaml", 20),
    ],
    "hermes-loop-plugin": [],
    "hermes-chat-recorder": [
        ("HC502", "hermes_chat_recorder/describer.py", 66),  # tools that hermes-agent has and nobody else
        ("HC502", "hermes_chat_recorder/transcriber.py", 42),
    ],
}


@pytest.fixture(params=PINS)
def report(request, sites, monkeypatch):
    """What the check of one plugin came to, with nothing of the plugin imported."""
    site = sites[request.param]
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    report = check(request.param)
    assert not sys.modules.keys() & {path.name.partition(".")[0] for path in site.iterdir()}
    return report


def test_every_finding_is_a_true_one(report):
    found = [(finding.code, finding.place.path.as_posix(), finding.place.line) for finding in report.findings]
    assert found == FINDINGS[report.target]


def test_the_hooks_that_a_plugin_registers_are_read_from_its_text(report):
    assert set(report.hooks) == set(PINS[report.target]["hooks"])
