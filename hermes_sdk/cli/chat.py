"""`hermes-sdk chat`: talk to an agent in the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from hermes_sdk.cli.options import (
    AcceptHooksOption,
    BaseUrlOption,
    HomeOption,
    ModelOption,
    PluginOption,
    RecordOption,
    RecordRawOption,
    StrictOption,
    WorkdirOption,
    check_who_answers,
    redacted,
    use_accept_hooks,
    use_home,
)


def chat(
    ctx: typer.Context,
    script: Annotated[
        Path | None,
        typer.Option(
            "--script",
            metavar="FILE",
            help="Answer from the turns of a session script instead of a model.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    plugin: PluginOption = None,
    home: HomeOption = None,
    workdir: WorkdirOption = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show the plugins that only looked on, too.")] = False,
    record: RecordOption = None,
    record_raw: RecordRawOption = False,
    strict: StrictOption = False,
    accept_hooks: AcceptHooksOption = False,
) -> None:
    """Talk to an agent in the terminal.

    The model is scripted, or behind an OpenAI-compatible endpoint.
    `/help` lists the commands, plugins' own included. Ctrl-C interrupts a turn, twice it ends the program.
    """
    check_who_answers(ctx, script, model)
    from hermes_sdk.cli.chat_session import ChatRequest, chat_session

    use_accept_hooks(accepted=accept_hooks)
    request = ChatRequest(
        home=use_home(home),
        script=script,
        model=model,
        base_url=base_url,
        plugins=tuple(plugin or ()),
        workdir=workdir,
        trace=trace,
        strict=strict,
        record=record,
        redacted=redacted(record, raw=record_raw),
    )
    raise typer.Exit(chat_session(request, ctx.obj.log))
