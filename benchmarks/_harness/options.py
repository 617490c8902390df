"""The command line that all benchmark scripts share."""

from __future__ import annotations

import argparse


def parser(description: str, *, rounds: int) -> argparse.ArgumentParser:
    """Return a parser with `--json` and `--rounds`; `description` is the script's docstring."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    made.add_argument(
        "--rounds",
        type=positive,
        default=rounds,
        help=f"measurements of each contestant ({rounds}); the best counts",
    )
    return made


def add_peer(made: argparse.ArgumentParser) -> None:
    """Add `--without-hermes-agent`."""
    made.add_argument(
        "--without-hermes-agent",
        action="store_true",
        help="leave out the rows against hermes-agent, which the first run installs into .venvs/",
    )


def positive(text: str) -> int:
    """Return a whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return number


def numbers(text: str) -> list[int]:
    """Return the whole numbers of a comma-separated list."""
    return [int(part) for part in text.split(",")]
