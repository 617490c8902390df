"""Write the reference pages that are made from the sources: ``python docs/generate [--check] [PAGES ...]``.

With ``--check`` nothing is written; pages that are out of date are named, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import check_page
import cli_page
import differences_page
import gateway_events_page
import guardrails_pages
import hook_pages
import seed_rules
import typed_stub
import upstream_names

ROOT: Final = Path(__file__).parents[2]

# In this order: the table of seed rules also reads the hook pages.
GENERATORS: Final = {
    "hooks": hook_pages.render,
    "cli": cli_page.render,
    "check": check_page.render,
    "differences": differences_page.render,
    "gateway-events": gateway_events_page.render,
    "guardrails-commands": guardrails_pages.commands,
    "guardrails-policy": guardrails_pages.policy,
    "typed": typed_stub.render,
    "upstream-names": upstream_names.render,
    "seed-rules": seed_rules.render,
}


def outdated(pages: dict[Path, str]) -> list[Path]:
    """Return the pages whose file differs or is missing.

    A generator of several pages owns their folder: a Markdown file in it that is no page any more counts too.
    """
    changed = [path for path, text in pages.items() if not path.exists() or path.read_text("utf-8") != text]
    owned_folder = next(iter(pages)).parent if len(pages) > 1 else None
    if owned_folder is not None:
        changed += [path for path in sorted(owned_folder.glob("*.md")) if path not in pages]
    return changed


def write(pages: dict[Path, str]) -> None:
    """Bring the files of `pages` up to date and remove what is no page any more."""
    for path in outdated(pages):
        if path in pages:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[path], "utf-8")
        else:
            path.unlink()


def main() -> int:
    """Write or check the pages; return the exit code."""
    parser = argparse.ArgumentParser(prog="python docs/generate", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is out of date")
    parser.add_argument("pages", nargs="*", metavar="PAGES", help=f"{' or '.join(GENERATORS)}; default: all")
    options = parser.parse_args()
    if unknown := set(options.pages) - set(GENERATORS):
        parser.error(f"unknown pages {', '.join(sorted(unknown))}; there are {', '.join(GENERATORS)}")

    stale = 0
    for name in options.pages or GENERATORS:
        pages = GENERATORS[name](ROOT)
        for path in outdated(pages):
            stale += 1
            note = "out of date, run: python docs/generate" if options.check else "written"
            sys.stderr.write(f"{path.relative_to(ROOT)}: {note}\n")
        if not options.check:
            write(pages)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
