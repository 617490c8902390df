"""`python -m hermes_sdk` is `hermes-sdk`."""

from __future__ import annotations

import sys

from hermes_sdk.cli import main

if __name__ == "__main__":
    sys.exit(main())
