"""The ways in which a host can call hooks here. Standard library only."""

WAYS = ("invoke_hook", "hook", "ahook")
