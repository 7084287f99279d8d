"""Lists the providers with what each supports."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator

import typer

from band_new_adapter.catalog import CAPABILITIES, EMIT, PATTERNS, PROVIDERS, Provider
from band_new_adapter.errors import GREEN


def run(*, as_json: bool) -> int:
    """Print the catalogue."""
    if as_json:
        providers = [_document(provider) for provider in PROVIDERS.values()]
        values = {"status": "listed", "exit": GREEN, "providers": providers}
        typer.echo(json.dumps(values, indent=2))
        return GREEN
    typer.echo("\n\n".join(_text(provider) for provider in PROVIDERS.values()))
    return GREEN


def _document(provider: Provider) -> dict[str, object]:
    return {
        "key": provider.key,
        "title": provider.title,
        "pattern": provider.pattern,
        "requirement": provider.requirement,
        "versions": provider.versions,
        "key_variable": provider.key_variable,
        "emit": list(provider.emit),
        "capabilities": list(provider.capabilities),
        "refused": dict(provider.refused),
        "beside": {
            extra: needed
            for needed, extras in provider.beside.items()
            for extra in extras
        },
    }


def _text(provider: Provider) -> str:
    lines = [provider.key, *_wrapped(provider.title)]
    facts = {
        "tool loop": PATTERNS[provider.pattern],
        "works with": provider.versions,
        "installs": provider.requirement or "nothing of its own",
        "key in": provider.key_variable or "NAME_API_KEY, after the adapter's name",
        "emit": ", ".join(provider.emit),
        "capabilities": ", ".join(provider.capabilities),
        "beside extras of band-sdk": "; ".join(("all", *_needs(provider))),
    }
    for name, text in facts.items():
        lines += _wrapped(f"{name}: {text}")
    for kind in (*EMIT, *CAPABILITIES):
        if kind in provider.refused:
            lines += _wrapped(f"not {kind}: {provider.refused[kind]}")
    return "\n".join(lines)


def _needs(provider: Provider) -> Iterator[str]:
    for needed, extras in provider.beside.items():
        yield f"{', '.join(extras)} {'need' if len(extras) > 1 else 'needs'} {needed}"


def _wrapped(text: str) -> list[str]:
    columns = shutil.get_terminal_size().columns - 1
    return textwrap.wrap(
        text,
        columns,
        initial_indent="  ",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )
