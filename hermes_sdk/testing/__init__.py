"""The test kit of plugin authors: a pytest plugin that comes with hermes-sdk, and what its fixtures hand out.

pytest finds it by itself. docs/how-to/test-your-plugin.md shows it, docs/reference/testing.md has every fixture.
"""
