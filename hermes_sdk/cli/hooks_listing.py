"""`hooks list`: what is configured, and what of it may run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK
from hermes_sdk.cli.screen import print_json
from hermes_sdk.shell_hooks.listing import Consent, list_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.shell_hooks.listing import Listing


def print_hooks(home: Path, *, as_json: bool = False) -> int:
    """Print the shell hooks of a home and return the exit code."""
    listing = list_hooks(home)
    if as_json:
        from hermes_sdk.cli.hooks_documents import listing_document

        print_json(listing_document(listing))
    else:
        from hermes_sdk.cli.hooks_screen import show_list

        show_list(listing)
    return EXIT_FAILED if _something_is_wrong(listing) else EXIT_OK


def _something_is_wrong(listing: Listing) -> bool:
    refused = any(listed.consent is Consent.REFUSED for listed in listing.entries)
    return bool(listing.problems or listing.allowlist_problem or refused)
