"""PD3: arguments that JSON cannot carry raise inside the hook runner, and the guard is skipped."""

import json

import pytest


def circular():
    value = {}
    value["me"] = value
    return value


CASES = {
    "circular": circular(),
    "tuple keys": {(1, 2): 3},
    "bytes": {"x": b"\xff"},
    "nan": {"x": float("nan")},
    "a set": {"x": {1, 2}},
    "an object": {"x": object()},
    "a list": [1],
    "nothing": None,
    "deep": {"x": json.loads("[" * 300 + "]" * 300)},
    "a surrogate": {"x": "\ud800"},
    "a huge number": {"x": 10**10_000},
}


def refuse(token):
    raise AssertionError(f"{token} is no JSON")


@pytest.mark.parametrize("mode", ["process", "serve"])
@pytest.mark.parametrize("kind", CASES)
def test_pd3_the_guard_reads_strict_json_and_blocks(shell_home, tmp_path, kind, mode):
    once = f"""cat > {tmp_path}/read\necho '{{"action": "block", "message": "no"}}'"""
    each = f"""
        read -r line; printf '%s\\n' "$line" > {tmp_path}/read
        echo '{{"id": 1, "action": "block", "message": "no"}}'
    """
    script = shell_home.script("guard.sh", once if mode == "process" else each)
    manager = shell_home.started({"pre_tool_call": [{"command": script, "mode": mode, "matcher": "terminal"}]})
    assert manager.hook.pre_tool_call(tool_name="terminal", args=CASES[kind])[:2] == ("block", "no")
    payload = json.loads((tmp_path / "read").read_bytes().decode("utf-8", "strict"), parse_constant=refuse)
    if kind == "a list":
        assert payload["tool_input"] == [1]
    elif kind == "nothing":
        assert payload["tool_input"] is None
    else:
        assert isinstance(payload["tool_input"], dict)
        assert payload["tool_input"]


@pytest.mark.parametrize("tool_name", [None, 3, ["terminal"], ""])
def test_pd3_a_tool_name_of_any_type_is_no_trouble(shell_home, tool_name):
    entry = {"command": shell_home.answering("g.sh", '{"action": "block"}')}
    manager = shell_home.started({"pre_tool_call": [{**entry, "matcher": "terminal"}, entry]})
    assert manager.hook.pre_tool_call(tool_name=tool_name, args={}).blocked
