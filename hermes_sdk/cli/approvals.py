"""`hermes-sdk approvals`: what was allowed for good, and taking it back."""

from typing import Annotated

import typer

from hermes_sdk.cli.options import HomeOption, JsonOption, use_home
from hermes_sdk.cli.screen import console, plain, print_json
from hermes_sdk.errors import ConfigError

app = typer.Typer(help="List and revoke what was approved with `always`.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_approvals(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List what is approved for good."""
    from dataclasses import asdict

    from hermes_sdk.host.approval_store import ApprovalStore

    store = ApprovalStore(use_home(home))
    entries = store.entries()
    if as_json:
        print_json({"path": str(store.path), "approvals": [asdict(entry) for entry in entries]})
        return
    if not entries:
        print("nothing is approved for good")
        return
    from hermes_sdk.cli.tables import PlainTable

    rows = [(entry.plugin, entry.rule_key, entry.approved_at, entry.description) for entry in entries]
    console().print(PlainTable(("plugin", "rule key", "approved at", "what for"), rows))


@app.command("revoke")
def revoke(
    plugin: Annotated[str, typer.Argument(help="Whose approval; `host` for the host's own patterns.")],
    rule_key: Annotated[str | None, typer.Argument(help="Which rule; all of the plugin's when left out.")] = None,
    home: HomeOption = None,
) -> None:
    """Take approvals back.

    A running session keeps what it remembers for itself until it ends.
    """
    from hermes_sdk.host.approval_store import ApprovalStore

    store = ApprovalStore(use_home(home))
    revoked = store.revoke(plugin, rule_key)
    for entry in revoked:
        print(f"revoked {plain(entry.plugin)} {plain(entry.rule_key)}")
    if not revoked:
        what = f"rule {rule_key!r} of plugin {plugin!r}" if rule_key else f"plugin {plugin!r}"
        raise ConfigError(
            f"no standing approval for {what}",
            where=str(store.path),
            fix="see `hermes-sdk approvals list`",
            code="HS141",
        )
