"""The `hooks:` block as typed entries, each problem with its line (semantics 8)."""

import math

import pytest

from hermes_sdk.config import Config
from hermes_sdk.config.problems import Problem
from hermes_sdk.shell_hooks.entries import ShellEntry, read_entries


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a configuration: text of a config.yaml, or entries of pre_tool_call."""

    def read(text=None, event="pre_tool_call", **entry):
        if text is None:
            return read_entries(Config.of(tmp_path, {"hooks": {event: [{"command": "./h.sh", **entry}]}}))
        (tmp_path / "config.yaml").write_text(text)
        return read_entries(Config.load(tmp_path))

    return read


def one(found):
    assert len(found.entries) == 1, found
    return found.entries[0]


def test_an_entry_has_the_values_of_the_seed_where_it_says_nothing(read, tmp_path):
    """Seed S8, S10, K8."""
    entry = one(read())
    assert entry.argv == (str(tmp_path / "h.sh"),)
    assert entry.command == "./h.sh"
    assert (entry.timeout, entry.matcher, entry.fail_closed, entry.rejudge) == (60.0, None, False, True)
    assert (entry.mode, entry.dialect, entry.exit_2_blocks, entry.env) == ("process", "hermes", True, None)
    assert not read().problems


def test_entries_stand_in_the_order_in_which_they_are_declared(read):
    """Seed X36 to X38: an entry may have no matcher."""
    found = read(
        """
hooks:
  pre_tool_call:
    - {command: a, matcher: terminal}
    - {command: b, enabled: false}
    - {command: c}
  subagent_stop:
    - {command: d}
  output_spill: {max_chars: 10}
hooks_auto_accept: true
"""
    )
    assert [(entry.event, entry.number, entry.command) for entry in found.entries] == [
        ("pre_tool_call", 0, "a"),
        ("pre_tool_call", 2, "c"),
        ("subagent_stop", 0, "d"),
    ]
    assert [entry.where.rpartition("/")[2] for entry in found.entries] == [
        "config.yaml:4:7",
        "config.yaml:6:7",
        "config.yaml:8:7",
    ]
    assert found.auto_accept
    assert found.problems == []


@pytest.mark.parametrize(
    ("value", "used", "said"),
    [
        (5, 5.0, None),
        (0.25, 0.25, None),
        (300, 300.0, None),
        (301, 300.0, "at most 300"),
        (math.inf, 300.0, "at most 300"),
        (0, 60.0, "a positive number of seconds"),
        (-1, 60.0, "a positive number of seconds"),
        (math.nan, 60.0, "a positive number of seconds"),
        ("5", 60.0, "a positive number of seconds"),
        (True, 60.0, "a positive number of seconds"),
        (None, 60.0, None),
    ],
)
def test_a_timeout_is_seconds_and_anything_else_is_reported_with_what_is_used(read, value, used, said):
    """Seed S10, S15."""
    found = read(timeout=value)
    assert one(found).timeout == used
    assert [problem.severity for problem in found.problems] == ([] if said is None else ["warning"])
    if said is not None:
        assert said in str(found.problems[0])
        assert f"{used:g} is used" in str(found.problems[0])


@pytest.mark.parametrize("event", ["pre_tool_call", "post_tool_call", "transform_tool_result"])
@pytest.mark.parametrize(
    ("matcher", "matches", "does_not"),
    [
        ("terminal", ["terminal"], ["terminal_2", "my_terminal", ""]),
        ("write_file|patch", ["write_file", "patch"], ["patches", "write_file|patch"]),
        ("mcp_.*", ["mcp_", "mcp_x"], ["xmcp_y"]),
        ("", ["terminal", ""], []),
        ("*", ["terminal", ""], []),
    ],
)
def test_a_matcher_is_a_regular_expression_for_the_whole_tool_name(read, event, matcher, matches, does_not):
    """Seed S16 to S18."""
    entry = one(read(event=event, matcher=matcher))
    assert all(entry.matches({"tool_name": name}) for name in matches)
    assert not any(entry.matches({"tool_name": name}) for name in does_not)


@pytest.mark.parametrize("event", ["pre_llm_call", "on_session_start", "transform_terminal_output"])
def test_elsewhere_a_matcher_is_reported_and_ignored(read, event):
    """Seed S16."""
    found = read(event=event, matcher="terminal")
    assert one(found).matches({})
    assert "it is ignored" in str(found.problems[0])
    assert not read(event=event, matcher="*").problems


def test_a_matcher_that_cannot_be_compiled_refuses_the_entry(read):
    found = read(matcher="(")
    assert found.entries == []
    assert "is no regular expression" in str(found.problems[0])
    gate = one(read(matcher="(", fail_closed=True))
    assert "is no regular expression" in gate.refused
    assert gate.matches({"tool_name": "anything"})


def test_background_and_parallel_are_for_observers(read):
    observer = one(read(event="post_tool_call", background=True, parallel=True))
    assert (observer.background, observer.parallel) == (True, True)
    found = read(background=True, parallel=True)
    assert (one(found).background, one(found).parallel) == (False, False)
    assert [problem.key for problem in found.problems] == [
        "hooks.pre_tool_call[0].background",
        "hooks.pre_tool_call[0].parallel",
    ]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"url": "ftp://x"}, "a url that starts with http:// or https://"),
        ({"url": "https://"}, "a url that starts with http:// or https://"),
        ({}, "a url that starts with http:// or https://"),
        ({"url": "https://x", "headers": {"a": 1}}, "headers must be texts"),
    ],
)
def test_an_http_entry_needs_a_url(read, entry, why):
    found = read(type="http", **entry)
    assert found.entries == []
    assert why in str(found.problems[0])


def test_consent_to_an_http_entry_is_given_to_its_url(read):
    entry = one(read(type="http", url="https://x/y", headers={"authorization": "z"}))
    assert (entry.command, entry.url, entry.argv) == ("POST https://x/y", "https://x/y", ())


def test_consent_to_a_list_of_words_is_given_to_the_text_that_means_the_same(read):
    assert one(read(command=["sh", "-c", "cat | tee x"])).command == "sh -c 'cat | tee x'"


# -- names of events -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "fix"),
    [
        ("agent:end", "it is a gateway event: write a HOOK.yaml"),
        ("PreToolUse", "write 'pre_tool_call' here, and dialect: claude"),
        ("UserPromptSubmit", "write 'pre_llm_call' here"),
        ("pre_tool_cal", "did you mean 'pre_tool_call'?"),
        ("completely_different", "known are "),
    ],
)
def test_an_unknown_event_is_reported_with_what_is_meant(read, event, fix):
    """Seed S12, S29."""
    found = read(event=event)
    assert found.entries == []
    (problem,) = found.problems
    assert (problem.code, problem.key) == ("HS122", f"hooks.{event}")
    assert fix in str(problem)


@pytest.mark.parametrize(
    ("event", "blocked", "matcher"),
    [
        ("pre_tool_cal", "pre_tool_call", "terminal"),
        ("transform_tool_results", "transform_tool_result", "terminal"),
        ("completely_different", "pre_tool_call", "terminal"),
        ("PreToolUse", "pre_tool_call", None),  # its matcher is for other tool names
        ("agent:end", None, None),
        ("PostToolUse", None, None),
        ("post_tool_cal", None, None),
    ],
)
def test_a_gate_on_an_unknown_event_blocks_what_comes_nearest(read, event, blocked, matcher):
    found = read(event=event, fail_closed=True, matcher="terminal")
    assert [entry.event for entry in found.entries] == ([] if blocked is None else [blocked])
    for entry in found.entries:
        assert "is no event" in entry.refused
        assert (entry.matcher and entry.matcher.pattern) == matcher


# -- switches --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "trust", "problems"),
    [
        ("", "command", 0),
        ("hooks_trust: content", "content", 0),
        ("hooks_trust: contents", "content", 1),
        ("hooks_trust: [x]", "content", 1),
        ("hooks_trust:", "command", 0),
    ],
)
def test_a_slip_in_hooks_trust_does_not_give_less_than_was_wished(read, text, trust, problems):
    found = read(f"{text}\n")
    assert found.trust == trust
    assert len(found.problems) == problems


@pytest.mark.parametrize("value", ["yes please", "1", "[true]"])
def test_hooks_auto_accept_is_true_or_false(read, value):
    found = read(f"hooks_auto_accept: {value}\n")
    assert not found.auto_accept
    assert isinstance(found.problems[0], Problem)


def test_entries_are_compared_by_identity(read):
    first, second = one(read()), one(read())
    assert isinstance(first, ShellEntry)
    assert first != second
    assert len({first, second}) == 2


# -- conditions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "args", "holds"),
    [
        ({"args.command": "rm .*"}, {"command": "rm -rf /"}, True),
        ({"args.command": "rm .*"}, {"command": "rm -rf /\nls"}, True),
        ({"args.command": "rm .*"}, {"command": "ls; rm x"}, False),
        ({"args.command": ["rm .*", "ls"]}, {"command": "ls"}, True),
        ({"args.command": "rm .*"}, {}, False),
        ({"args.command": "rm .*"}, {"command": 3}, False),
        ({"args.path": "**/.env"}, {"path": ".env"}, True),
        ({"args.path": "**/.env"}, {"path": "/a/b/.env"}, True),
        ({"args.path": "**/.env"}, {"path": "/a/b/../.env"}, True),
        ({"args.path": "**/.env"}, {"path": "/a/.env.txt"}, False),
        ({"args.path": "src/*.py"}, {"path": "src/a.py"}, True),
        ({"args.path": "src/*.py"}, {"path": "./src//a.py"}, True),
        ({"args.path": "src/*.py"}, {"path": "src/b/a.py"}, False),
        ({"args.path": "src/**"}, {"path": "src/b/a.py"}, True),
        ({"args.path": "a?.py"}, {"path": "ab.py"}, True),
        ({"args.path": "re:.*py"}, {"path": "x/y.py"}, True),
        ({"args.target": "glob:**/x"}, {"target": "a/x"}, True),
        ({"args.paths": ".*env"}, {"paths": ["a", "b.env"]}, True),
        ({"args.background": True}, {"background": True}, True),
        ({"args.background": True}, {"background": 1}, False),
        ({"args.timeout": 5}, {"timeout": 5.0}, True),
        ({"args.timeout": None}, {"timeout": None}, True),
        ({"args.a.b": "x"}, {"a": {"b": "x"}}, True),
        ({"args.a.b": "x"}, {"a": "b"}, False),
        ({"args.command": "x", "args.path": "y"}, {"command": "x", "path": "z"}, False),
        ({"session_id": "s.*"}, {}, True),
    ],
)
def test_conditions_look_at_arguments(read, when, args, holds):
    entry = one(read(when=when))
    assert entry.matches({"tool_name": "terminal", "args": args, "session_id": "s1"}) is holds


def test_conditions_know_both_names_of_the_arguments(read):
    entry = one(read(event="transform_tool_result", when={"args.command": "ls"}))
    assert entry.matches({"tool_name": "terminal", "arguments": {"command": "ls"}})


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ({"args.command": "("}, "is no regular expression"),
        ({"args.command": []}, "would never run"),
        ({"args.command": {"x": 1}}, "must be text"),
        ({"args..x": "y"}, "names no argument"),
        ({3: "y"}, "names no argument"),
        (["args.command"], "wanted a mapping of conditions"),
    ],
)
def test_a_condition_that_cannot_be_used_refuses_the_entry(read, when, why):
    found = read(when=when)
    assert found.entries == []
    assert why in " ".join(map(str, found.problems))


# -- outbound --------------------------------------------------------------------------------------------------------

TARGET = {"url": "https://audit.example/hook", "events": ["post_tool_call"], "secret_env": "KEY"}


def read_targets(tmp_path, *targets):
    return read_entries(Config.of(tmp_path, {"hooks": {"outbound": list(targets)}}))


def test_an_outbound_target_is_read(tmp_path):
    found = read_targets(tmp_path, TARGET | {"timeout": 3}, TARGET | {"enabled": False})
    (target,) = found.outbound
    assert found.problems == []
    assert (target.event, target.command, target.argv) == ("outbound", "POST https://audit.example/hook", ())
    assert (target.events, target.secret_env, target.timeout) == (("post_tool_call",), "KEY", 3.0)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"url": "audit.example"}, "a url that starts with http:// or https://"),
        ({"secret_env": ""}, "secret_env"),
        ({"events": []}, "it needs events"),
        ({"events": ["post_tool_cal"]}, "did you mean 'post_tool_call'?"),
        ({"events": "post_tool_call"}, "wanted a list of names"),
        ({"timeout": -1}, "wanted a positive number of seconds"),
    ],
)
def test_an_outbound_target_that_cannot_be_used_is_left_out(tmp_path, change, why):
    found = read_targets(tmp_path, TARGET | change)
    assert found.outbound == []
    assert why in " ".join(map(str, found.problems))


@pytest.mark.parametrize("target", ["https://x", ["https://x"], 3])
def test_an_outbound_target_is_a_mapping(tmp_path, target):
    found = read_entries(Config.of(tmp_path, {"hooks": {"outbound": target}}))
    assert found.outbound == []
    assert found.problems[0].code == "HS121"
