"""`hermes-sdk config`: where the configuration is."""

import typer

from hermes_sdk.cli.options import HomeOption, use_home

app = typer.Typer(help="Show where the configuration is.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Show where the configuration is."""


@app.command("path")
def path(home: HomeOption = None) -> None:
    """Print the path of config.yaml.

    It is that of the active home, and printed whether it exists or not.
    """
    from hermes_sdk.cli.config_path import print_config_path

    print_config_path(use_home(home))
