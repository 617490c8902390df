"""Modules that plugins written for hermes-agent import, under their names and for where it is not installed.

`hermes_sdk.plugins.upstream_names` offers this directory as the last place where Python looks. The functions are those
that published plugins use, on our own parts; what is not here raises ImportError, which such plugins are ready for.
"""
