"""Stops before anything is written when the name cannot be a plugin's."""

import keyword
import re
import sys

NAME = "{{ cookiecutter.name }}"
MODULE = "{{ cookiecutter.__module }}"


def problem() -> str:
    """Return why the name will not do, or an empty text."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*", NAME):
        return "a name begins with a letter and has letters, digits, and single '-' or '_' between them"
    if keyword.iskeyword(MODULE) or MODULE in sys.stdlib_module_names or MODULE in {"hermes_sdk", "hermes_hookspecs"}:
        return f"'{MODULE}' is a module of Python or of hermes-sdk already"
    return ""


if found := problem():
    sys.stderr.write(f"'{NAME}' cannot be the name of a plugin: {found}\n")
    sys.exit(1)
