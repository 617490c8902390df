"""Tests of the test kit run pytest in pytest."""

pytest_plugins = ("pytester",)
