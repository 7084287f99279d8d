"""The command line: parse, call one command, return its exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from band_new_adapter import __version__, catalog, questions
from band_new_adapter import answers as naming
from band_new_adapter.errors import UsageProblem
from band_new_adapter.prompts import ask, can_ask

if TYPE_CHECKING:
    from band_new_adapter.host import Host

_HELP = {question.key: question.text for question in questions.QUESTIONS}


def _typer(help: str, *, verbs: bool) -> typer.Typer:
    # Plain help: the rich one costs as much again as all the rest of --help.
    return typer.Typer(
        help=help,
        no_args_is_help=verbs,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


single = _typer("Make a Band adapter package, checked and green.", verbs=False)
several = _typer("Make Band adapters and keep them green.", verbs=True)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"band-new-adapter {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version", help="Print the version.", callback=_version, is_eager=True
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.")
]


def _choices(*words: str) -> dict[str, object]:
    """A choice's metavar, and its completion."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return {"metavar": "|".join(words), "autocompletion": complete}


@single.command()
@several.command("new")
def new(
    name: Annotated[
        str | None, typer.Argument(help=_HELP["adapter"], metavar="NAME")
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(help=_HELP["pattern"], **_choices(*map(str, catalog.PATTERNS))),
    ] = None,
    provider: Annotated[
        str | None,
        typer.Option(help=_HELP["provider"], **_choices(*catalog.PROVIDERS)),
    ] = None,
    emit: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{_HELP['emit']} Repeat it, or join with commas.",
            **_choices(*catalog.EMIT, "all", "none"),
        ),
    ] = None,
    capability: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{_HELP['capabilities']} Repeat it, or join with commas.",
            **_choices(*catalog.CAPABILITIES, "all", "none"),
        ),
    ] = None,
    description: Annotated[
        str | None, typer.Option(help=_HELP["description"], metavar="TEXT")
    ] = None,
    class_prefix: Annotated[
        str | None, typer.Option(help=_HELP["class_prefix"], metavar="WORD")
    ] = None,
    license: Annotated[
        str | None,
        typer.Option(help=_HELP["license"], **_choices(*catalog.LICENSES)),
    ] = None,
    data_file: Annotated[
        Path | None,
        typer.Option(help="Answers in YAML or JSON; flags win.", metavar="FILE"),
    ] = None,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Ask nothing; take the defaults.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option(
            help="Folder to make, instead of ./band-adapter-NAME.", metavar="FOLDER"
        ),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            help="Checkout of band-sdk, or collection of adapters, that it goes into; "
            "the one you stand in, unless --output is given.",
            metavar="PATH",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be made; write nothing.")
    ] = False,
    json: Json = False,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not check what was made.")
    ] = False,
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
def remove(
    name: Annotated[str, typer.Argument(help="The adapter's name.", metavar="NAME")],
    path: Annotated[
        Path, typer.Argument(help="The checkout or folder it is in.", metavar="PATH")
    ] = Path("."),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would go; write nothing.")
    ] = False,
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
            help="The adapter's folder; or a file that makes any adapter meet a model.",
            metavar="PATH",
        ),
    ] = Path("."),
    json: Json = False,
) -> int:
    """Lint, format, types and conformance of an adapter; the report by rule."""
    from band_new_adapter.commands import check as command

    return command.run(path, as_json=json)


@several.command("list")
def list_(json: Json = False) -> int:
    """The providers, with what each supports."""
    from band_new_adapter.commands import list as command

    return command.run(as_json=json)


@several.callback()
def _several(version: Version = False) -> None:
    pass
