"""The seed page's examples as cases: each with every payload of the hooks that it registers."""

import re
from pathlib import Path

from cases import Case, Plugin
from payload_choice import all_of

FOLDER = Path(__file__).resolve().parents[1] / "data" / "seed" / "plugins"
REGISTERED = re.compile(r'ctx\.register_hook\("(\w+)"')


def seed_cases():
    """Return a case for each example."""
    return [_case(path.stem, path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.py"))]


def _case(name, source):
    hooks = dict.fromkeys(REGISTERED.findall(source))
    firings = tuple(firing for hook in hooks for firing in all_of(hook))
    return Case(f"seed {name}", (Plugin(name, source=source),), firings)
