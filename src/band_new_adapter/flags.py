"""The options of the commands: each question's, and those beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from band_new_adapter import __version__, catalog, questions

HELP = {question.key: question.text for question in questions.QUESTIONS}
"""The text of each question, by its key."""


def choices(*words: str) -> dict[str, object]:
    """A choice's metavar, and its completion."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return {"metavar": "|".join(words), "autocompletion": complete}


Pattern = Annotated[
    str | None,
    typer.Option(help=HELP["pattern"], **choices(*map(str, catalog.PATTERNS))),
]
Provider = Annotated[
    str | None,
    typer.Option(help=HELP["provider"], **choices(*catalog.PROVIDERS)),
]
Emit = Annotated[
    list[str] | None,
    typer.Option(
        help=f"{HELP['emit']} Repeat it, or join with commas.",
        **choices(*catalog.EMIT, "all", "none"),
    ),
]
Capability = Annotated[
    list[str] | None,
    typer.Option(
        help=f"{HELP['capabilities']} Repeat it, or join with commas.",
        **choices(*catalog.CAPABILITIES, "all", "none"),
    ),
]
Description = Annotated[
    str | None, typer.Option(help=HELP["description"], metavar="TEXT")
]
ClassPrefix = Annotated[
    str | None, typer.Option(help=HELP["class_prefix"], metavar="WORD")
]
License = Annotated[
    str | None, typer.Option(help=HELP["license"], **choices(*catalog.LICENSES))
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.")
]
Name = Annotated[str | None, typer.Option(help=HELP["adapter"], metavar="NAME")]
Yes = Annotated[bool, typer.Option("--yes", help="Write the answers; ask nothing.")]
DataFile = Annotated[
    Path | None,
    typer.Option(help="Answers in YAML or JSON; flags win.", metavar="FILE"),
]
Defaults = Annotated[
    bool, typer.Option("--defaults", help="Ask nothing; take the defaults.")
]
Output = Annotated[
    str | None,
    typer.Option(
        help="Folder to make, instead of ./band-adapter-NAME.", metavar="FOLDER"
    ),
]
Into = Annotated[
    str | None,
    typer.Option(
        help="Checkout of band-sdk, or collection of adapters, that it goes into; "
        "the one you stand in, unless --output is given.",
        metavar="PATH",
    ),
]
NoCheck = Annotated[
    bool, typer.Option("--no-check", help="Do not check what was written.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done; write nothing.")
]
All = Annotated[bool, typer.Option("--all", help="All adapters in PATH and below it.")]
OnlySay = Annotated[
    bool,
    typer.Option("--check", help="Only say whether there is a newer template."),
]
To = Annotated[
    str | None,
    typer.Option(help="Version of the template, if not the newest.", metavar="VERSION"),
]
Set = Annotated[
    list[str] | None,
    typer.Option(help="Change an answer. Repeat it.", metavar="QUESTION=VALUE"),
]
Conflict = Annotated[
    str,
    typer.Option(
        help="Where both sides of a conflict stand: in the file, or theirs in a "
        "file.rej beside it.",
        **choices("inline", "rej"),
    ),
]


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
