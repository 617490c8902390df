"""CT3: an allowlist of the wrong shape, or a cut one, is silently read as empty, and overwritten by the next approval.

It approves nothing, is reported with its path and the shape it should have, and is left alone.
"""

import logging

import pytest

from hermes_sdk.errors import ConfigError
from hermes_sdk.shell_hooks.consent import FILE_NAME, Allowlist
from hermes_sdk.shell_hooks.doctor import general_checks
from hermes_sdk.shell_hooks.listing import list_hooks

DAMAGED = {
    "another shape": ('{"{tmp}/h.sh": {"sha256": "00"}}', "unrecognised allowlist format"),
    "cut": ('{"approvals": [{"event":"pre_tool_call","comm', "it is no JSON"),
    "a list": ("[]", "unrecognised allowlist format"),
    "no command": ('{"approvals": [{"event": "pre_tool_call"}]}', "an approval without event and command"),
    "no utf-8": ("\udcff", "it cannot be read"),
}


@pytest.fixture(params=DAMAGED)
def damaged(request, shell_home):
    """A home with an approved gate whose allowlist was damaged afterwards, and what is wrong with it."""
    content, why = DAMAGED[request.param]
    shell_home.hooks({"pre_tool_call": [{"command": shell_home.answering("h.sh", "{}"), "fail_closed": True}]})
    shell_home.start()
    (shell_home.path / FILE_NAME).write_bytes(content.encode("utf-8", "surrogateescape"))
    return shell_home, why


def test_ct3_a_damaged_allowlist_approves_nothing_and_is_reported(damaged, caplog):
    home, why = damaged
    with caplog.at_level(logging.WARNING):
        manager, in_force = home.start(accept=False)
    assert manager.hook.pre_tool_call(tool_name="terminal", args={}).blocked
    assert len(in_force.unapproved_gates) == 1
    (record,) = [record for record in caplog.records if why in record.getMessage()]
    assert record.levelname == "ERROR"
    assert str(home.path / FILE_NAME) in record.getMessage()


def test_ct3_the_shape_that_is_expected_is_shown(damaged):
    home, why = damaged
    problem = Allowlist(home.path).problem()
    assert problem.startswith("[HS125]")
    assert why in problem
    if "JSON" not in why and "read" not in why:
        assert 'expected {"approvals": [{"event": "...", "command": "..."}]}' in problem


def test_ct3_nothing_overwrites_it(damaged):
    home, _ = damaged
    before = (home.path / FILE_NAME).read_bytes()
    _, in_force = home.start(accept=True)
    assert len(in_force.unapproved_gates) == 1
    home.start(accept=False, ask=lambda hook: pytest.fail(f"nobody is asked about {hook.command}"))
    with pytest.raises(ConfigError, match="HS125"):
        Allowlist(home.path).approve(in_force.found.entries)
    with pytest.raises(ConfigError, match="HS125"):
        Allowlist(home.path).revoke("x")
    assert (home.path / FILE_NAME).read_bytes() == before


def test_ct3_list_and_doctor_report_it(damaged):
    home, why = damaged
    listing = list_hooks(home.path)
    assert why in listing.allowlist_problem
    assert [check.level for check in general_checks(listing) if check.name == "allowlist"] == ["wrong"]
