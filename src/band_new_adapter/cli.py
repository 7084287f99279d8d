"""The command line: parse, call one command, return its exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from band_new_adapter import answers as naming
from band_new_adapter import questions
from band_new_adapter.errors import USAGE, UnknownChoice, UsageProblem
from band_new_adapter.flags import (
    HELP,
    All,
    Capability,
    ClassPrefix,
    Conflict,
    DataFile,
    Defaults,
    Description,
    DryRun,
    Emit,
    Into,
    Json,
    License,
    Name,
    NoCheck,
    OnlySay,
    Output,
    Pattern,
    Provider,
    Set,
    To,
    Version,
    Yes,
)
from band_new_adapter.prompts import ask, can_ask

if TYPE_CHECKING:
    from band_new_adapter.host import Host


def _typer(help: str) -> typer.Typer:
    # Plain help: the rich one costs as much again as all the rest of --help.
    return typer.Typer(help=help, rich_markup_mode=None, pretty_exceptions_enable=False)


single = _typer("Make a Band adapter package, checked and green.")
several = _typer("Make Band adapters and keep them green.")


@single.command()
@several.command("new")
def new(
    name: Annotated[
        str | None, typer.Argument(help=HELP["adapter"], metavar="NAME")
    ] = None,
    pattern: Pattern = None,
    provider: Provider = None,
    emit: Emit = None,
    capability: Capability = None,
    description: Description = None,
    class_prefix: ClassPrefix = None,
    license: License = None,
    data_file: DataFile = None,
    defaults: Defaults = False,
    output: Output = None,
    into: Into = None,
    dry_run: DryRun = False,
    json: Json = False,
    no_check: NoCheck = False,
    version: Version = False,
) -> int:
    """Make an adapter package, checked and green."""
    flags = {
        "adapter": name,
        "pattern": pattern,
        "provider": provider,
        "emit": emit,
        "capabilities": capability,
        "description": description,
        "class_prefix": class_prefix,
        "license": license,
    }
    if output == "":
        raise UsageProblem("--output is empty.", "Name the folder to make.")
    if into is not None and output is not None:
        raise UsageProblem(
            "--into and --output exclude each other.",
            "--into puts the adapter into a checkout, --output makes a package.",
        )
    host = _host(into, output)
    given = questions.read_data_file(data_file) if data_file else {}
    given |= {key: value for key, value in flags.items() if value is not None}
    if host:
        # A checkout has its own license and says itself what it is.
        given = {"description": "", "license": "none"} | given
    answers, notes = questions.gather(
        given, defaults=defaults, ask=ask if can_ask() and not json else None
    )
    if host:
        from band_new_adapter.commands import into as placing

        naming.module(answers.adapter)
        return placing.run(
            answers, notes, host, dry_run=dry_run, check=not no_check, as_json=json
        )
    from band_new_adapter.commands import new as command

    folder = None if output is None else Path(output)
    options = command.Options(folder, dry_run, not no_check, json)
    return command.run(answers, notes, options)


def _host(into: str | None, output: str | None) -> Host | None:
    """The host that the adapter goes into, if it is not to be a package."""
    from band_new_adapter.host import Host

    if into is not None:
        return Host.at(Path(into))
    return Host.around(Path()) if output is None else None


@several.command()
def update(
    path: Annotated[
        Path, typer.Argument(help="The adapter's folder.", metavar="PATH")
    ] = Path("."),
    all: All = False,
    check: OnlySay = False,
    to: To = None,
    set: Set = None,
    conflict: Conflict = "inline",
    dry_run: DryRun = False,
    json: Json = False,
    no_check: NoCheck = False,
) -> int:
    """Bring an adapter to the newest template, and keep your changes."""
    if conflict not in ("inline", "rej"):
        raise UnknownChoice("--conflict", conflict, ("inline", "rej"))
    from band_new_adapter.commands import update as command

    if check:
        return command.behind(path, every=all, as_json=json)
    options = command.Options(
        to, tuple(set or ()), conflict == "inline", dry_run, not no_check, json
    )
    return command.run(path, every=all, options=options)


@several.command()
def adopt(
    path: Annotated[
        Path,
        typer.Argument(
            help="The package's folder; or the file with the adapter's class.",
            metavar="PATH",
        ),
    ] = Path("."),
    name: Name = None,
    pattern: Pattern = None,
    provider: Provider = None,
    emit: Emit = None,
    capability: Capability = None,
    description: Description = None,
    class_prefix: ClassPrefix = None,
    license: License = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> int:
    """Give an adapter its answers, read from its code, for updates."""
    from band_new_adapter.commands import adopt as command

    given = (
        ("adapter", name),
        ("pattern", pattern),
        ("provider", provider),
        ("emit", emit),
        ("capabilities", capability),
        ("description", description),
        ("class_prefix", class_prefix),
        ("license", license),
    )
    known = {key: value for key, value in given if value is not None}
    return command.run(path, known, yes=yes, dry_run=dry_run, as_json=json)


@several.command()
def remove(
    name: Annotated[str, typer.Argument(help="The adapter's name.", metavar="NAME")],
    path: Annotated[
        Path, typer.Argument(help="The checkout or folder it is in.", metavar="PATH")
    ] = Path("."),
    dry_run: DryRun = False,
    json: Json = False,
) -> int:
    """Take an adapter out again; keep and list what a person wrote."""
    from band_new_adapter.commands import remove as command

    adapter = naming.name(name)
    return command.run(adapter, path, dry_run=dry_run, as_json=json)


@several.command()
def check(
    path: Annotated[
        Path,
        typer.Argument(
            help="The adapter's folder, or the checkout that it is in; or a file that "
            "makes any adapter meet a model.",
            metavar="PATH",
        ),
    ] = Path("."),
    json: Json = False,
) -> int:
    """Format, lint, types and conformance of an adapter, by rule."""
    from band_new_adapter.commands import check as command

    return command.run(path, as_json=json)


@several.command("list")
def list_(json: Json = False) -> int:
    """The providers, with what each supports."""
    from band_new_adapter.commands import list as command

    return command.run(as_json=json)


@several.callback(invoke_without_command=True)
def _several(context: typer.Context, version: Version = False) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(USAGE)
