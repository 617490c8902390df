"""`hermes-sdk gateway`: the messaging gateway of a home."""

import typer

from hermes_sdk.cli import gateway_hooks

app = typer.Typer(help="Run a messaging gateway.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(gateway_hooks.app, name="hooks")
