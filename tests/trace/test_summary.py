"""What a session's table counts for each plugin."""

from __future__ import annotations

from hermes_sdk.dispatch.outcomes import Step
from hermes_sdk.trace.summary import Tally


def step(plugin: str, what: str, *, ms: float | None = 1.0, error: str | None = None) -> Step:
    return Step(plugin, "user", what, duration_ms=ms, error=error)


def test_each_kind_of_step_counts_in_its_column() -> None:
    tally = Tally()
    for what in (
        "block",
        "withhold",
        "skip",
        "approve",
        "modify",
        "transform",
        "rewrite",
        "context",
        "continue",
    ):
        tally.add([step("p", what)], 1.0)
    (row,) = tally.rows()
    assert (row.calls, row.blocked, row.asked, row.rewrote, row.added, row.failed) == (9, 3, 1, 3, 2, 0)
    assert row.duration_ms == 9.0


def test_observed_and_ignored_steps_are_calls_only() -> None:
    tally = Tally()
    tally.add([step("p", "observed"), step("p", "ignored", ms=None)], 2.0)
    (row,) = tally.rows()
    assert (row.calls, row.blocked, row.rewrote, row.added, row.failed) == (2, 0, 0, 0, 0)


def test_a_fail_closed_failure_counts_as_failed_and_as_blocked() -> None:
    tally = Tally()
    tally.add([step("gate", "block", error="KeyError: 'cmd'"), step("other", "failed", error="x")], 1.0)
    gate, other = tally.rows()
    assert (gate.blocked, gate.failed) == (1, 1)
    assert (other.blocked, other.failed) == (0, 1)


def test_rows_keep_the_expected_order_and_show_idle_plugins() -> None:
    tally = Tally()
    tally.expect("first", "builtin")
    tally.expect("idle", "user")
    tally.add([step("late", "observed"), step("first", "observed")], 1.0)
    assert [row.plugin for row in tally.rows()] == ["first", "idle", "late"]
    assert tally.rows()[1].calls == 0


def test_middleware_rewrites_are_counted() -> None:
    tally = Tally()
    tally.add_rewrites(("a", "b", "a"))
    assert {row.plugin: row.rewrote for row in tally.rows()} == {"a": 2, "b": 1}


def test_the_mean_time_of_a_hook_call() -> None:
    tally = Tally()
    assert tally.ms_per_call == 0.0
    tally.add([], 3.0)
    tally.add([], 1.0)
    assert tally.ms_per_call == 2.0
    assert tally.as_document() == {"hook_calls": 2, "hook_ms": 4.0, "ms_per_call": 2.0, "plugins": []}
