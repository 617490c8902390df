"""`hermes-sdk gateway pair`: strangers who asked to be known, and those who are."""

from typing import Annotated

import typer

from hermes_sdk.cli.options import HomeOption, JsonOption, use_home

app = typer.Typer(help="Let strangers in by their pairing codes.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_users(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List who is paired, and who asked."""
    from hermes_sdk.cli.gateway_control import print_pairing

    raise typer.Exit(print_pairing(use_home(home), as_json=as_json))


@app.command("approve")
def approve(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code that the stranger was told.")],
    home: HomeOption = None,
) -> None:
    """Let the user of a code in, also in a gateway that runs."""
    from hermes_sdk.cli.gateway_control import approve_code

    raise typer.Exit(approve_code(use_home(home), code))


@app.command("revoke")
def revoke(
    platform: Annotated[str, typer.Argument(metavar="PLATFORM", help="The user's platform.")],
    user: Annotated[str, typer.Argument(metavar="USER", help="The user's id there.")],
    home: HomeOption = None,
) -> None:
    """Shut a paired user out again."""
    from hermes_sdk.cli.gateway_control import revoke_user

    raise typer.Exit(revoke_user(use_home(home), platform, user))
