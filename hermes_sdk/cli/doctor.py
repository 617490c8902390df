"""`hermes-sdk doctor`: what is wrong with the plugins of a home. Runs no plugin code; inside hermes-agent it ran."""

from dataclasses import asdict

import typer

from hermes_sdk.cli.options import HomeOption, JsonOption, use_home
from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK


def doctor(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Say what is wrong with the plugins of a home.

    As `hermes sdk doctor` it looks at the plugins that run inside of hermes-agent, and says what that host cannot do
    with them. The exit code is 1 when something is wrong.
    """
    from hermes_sdk.cli import screen
    from hermes_sdk.interop.diagnosis import diagnose

    active = use_home(home)
    found = diagnose(active)
    if as_json:
        screen.print_json({"home": str(active), **asdict(found)})
    else:
        from hermes_sdk.cli.tables import print_pair

        shown = screen.console()
        print_pair(shown, "home", str(active))
        if found.host:
            print_pair(shown, "inside of", found.host)
        print_pair(shown, "plugins", ", ".join(found.plugins) or "none")
        for host in found.live:
            print_pair(shown, "live", f"in pid {host['pid']} since {host['started']}")
        for finding in found.findings:
            print_pair(shown, finding.about, finding.text)
        if not found.findings:
            shown.print("nothing is wrong")
    raise typer.Exit(EXIT_FAILED if found.findings else EXIT_OK)
