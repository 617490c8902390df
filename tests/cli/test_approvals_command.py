"""`hermes-sdk approvals`: what `always` left behind, and taking it back."""

import json

from hermes_sdk.host.approval_store import ApprovalStore


def test_standing_approvals_are_listed_and_revoked(program):
    store = ApprovalStore(program.home)
    store.add("host", "rm_rf", "recursive delete")
    store.add("guard", "net:[red]example.org", "network")
    store.add("guard", "net:other", "network")

    lines = program("approvals", "list").out.splitlines()
    assert lines[0].split() == ["plugin", "rule", "key", "approved", "at", "what", "for"]
    assert any(line.startswith("guard") and "net:[red]example.org" in line for line in lines)
    listed = json.loads(program("approvals", "list", "--json").out)
    assert [(entry["plugin"], entry["rule_key"]) for entry in listed["approvals"]] == [
        ("host", "rm_rf"),
        ("guard", "net:[red]example.org"),
        ("guard", "net:other"),
    ]

    assert program("approvals", "revoke", "guard", "net:other").out == "revoked guard net:other\n"
    assert program("approvals", "revoke", "guard").out == "revoked guard net:[red]example.org\n"
    assert [entry.key for entry in store.entries()] == [("host", "rm_rf")]


def test_revoking_what_is_not_approved_says_so(program):
    done = program("approvals", "revoke", "guard", "nothing")
    assert done.code == 1
    assert "no standing approval for rule 'nothing' of plugin 'guard'" in done.err


def test_a_damaged_file_is_reported_and_left_alone(program):
    damaged = program.home / "approvals.json"
    damaged.write_text('{"approvals": [')
    for command in (["list"], ["revoke", "host"]):
        done = program("approvals", *command)
        assert done.code == 1
        assert "approvals.json" in done.err
        assert "Traceback" not in done.err
    assert damaged.read_text() == '{"approvals": ['
