"""What the tests of all registrars share: an adapter, and what every edit promises."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import replace
from textwrap import dedent
from typing import Any

from band_new_adapter.register.edit import Edit
from band_new_adapter.register.entry import Entry

Registrar = Callable[[str, Entry], Edit]

ACME = Entry(
    module="acme",
    prefix="Acme",
    root="band",
    provider="openai",
    title="Acme",
    distribution="band-sdk",
    extra="acme",
    requirements=("openai>=2,<4",),
    emit=("tool_calls", "usage"),
    capabilities=("memory", "contacts", "files"),
)
LONGEST = replace(
    ACME,
    module="a" * 30,
    prefix="A" * 30,
    extra="a" * 30,
    capabilities=("memory", "contacts", "files"),
)


def entry(**changes: Any) -> Entry:
    return replace(ACME, **changes)


def edited(registrar: Registrar, text: str, adapter: Entry = ACME) -> str:
    """`text` after the edit, which only adds, and adds nothing a second time."""
    edit = registrar(text, adapter)
    assert edit
    after = edit.apply(text)
    assert not registrar(after, adapter)
    assert len(after) == len(text) + sum(len(i.text) for i in edit.insertions)
    return after


def added_lines(before: str, after: str) -> str:
    """The lines that came in, as they are; the diff takes no line out."""
    lines = list(
        difflib.ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True))
    )
    assert not [line for line in lines if line.startswith("-")]
    return "".join(line[2:] for line in lines if line.startswith("+"))


def text(block: str) -> str:
    """A block of a test, without its indentation."""
    return dedent(block).lstrip("\n")
