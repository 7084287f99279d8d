"""Gives an adapter its answers: read from its code, shown, confirmed, written."""

from __future__ import annotations

import shlex
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from band_new_adapter import apply, questions, template, versions
from band_new_adapter.answers import Answers
from band_new_adapter.console import tell
from band_new_adapter.errors import FAILED, GREEN, USAGE, UsageProblem
from band_new_adapter.orphan import Orphan
from band_new_adapter.plan import Plan
from band_new_adapter.prompts import ask, can_ask
from band_new_adapter.reading import Reading, read
from band_new_adapter.render import ANSWERS_FILE

_FLAGS = {q.key: q.flag for q in questions.QUESTIONS} | {"adapter": "--name"}
# Where these cannot be told, others decide them.
_FOLLOW = {"class_prefix", "pattern"}


@dataclass(frozen=True, slots=True)
class _Adoption:
    """The answers for a package, what they were read from, and the version of the
    template that the package is most like, with the answers file that it makes."""

    folder: Path
    reading: Reading
    answers: Answers
    version: str
    content: bytes
    notes: tuple[str, ...]


def run(
    path: Path, given: Mapping[str, Any], *, yes: bool, dry_run: bool, as_json: bool
) -> int:
    """Write the answers of the adapter at `path`; those that are `given`, by key, are
    not read. Return the exit code."""
    adoption = _read(path, given, may_ask=can_ask() and not as_json)
    plan = Plan.into(adoption.folder, {ANSWERS_FILE: adoption.content}, {})
    asking = can_ask() and not (as_json or yes or dry_run)
    if asking:
        _show(adoption)
        yes = typer.confirm(f"\nWrite them to {ANSWERS_FILE}?")
    notes = adoption.notes
    if dry_run:
        notes += versions.to_come()
        status, code = "planned", GREEN
    elif yes:
        with apply.written(plan):
            notes += versions.place()
        status, code = "adopted", GREEN
    else:
        status, code = "unconfirmed", FAILED if asking else USAGE
    values = _document(adoption, status, code) | {
        "notes": list(notes),
        "next": _next_steps(status, path, given),
    }

    def text() -> None:
        if not asking:
            _show(adoption)
        _print_end(values)

    tell(values, text, as_json=as_json)
    return code


def _read(path: Path, given: Mapping[str, Any], *, may_ask: bool) -> _Adoption:
    orphan = Orphan.at(path)
    reading = read(orphan.modules, orphan.pyproject, orphan.only)
    reading = reading.corrected(given, _FLAGS)
    untold = [key for key in reading.untold if key not in _FOLLOW]
    if untold:
        reasons = "; ".join(f"{key} ({reading.untold[key]})" for key in untold)
        found = f"{reading.adapter_class} in {reading.module} does not tell: {reasons}."
        if not may_ask:
            flags = ", ".join(_FLAGS[key] for key in untold)
            raise UsageProblem(found, f"Give {flags}.")
        _say(found)
    known = {key: found.value for key, found in reading.found.items()}
    answers, notes = questions.gather(known, defaults=False, ask=ask)
    version, content = orphan.nearest(answers)
    notes += tuple(_misplaced(reading, answers))
    return _Adoption(orphan.folder, reading, answers, version, content, notes)


def _misplaced(reading: Reading, answers: Answers) -> Iterator[str]:
    usual = f"src/{answers.package}/adapter.py"
    if str(reading.module) != usual:
        yield (
            f"The template has {usual}, and this adapter is {reading.module}. An "
            "update finds what it knows by its place: move it before you update."
        )
    if reading.adapter_class != answers.adapter_class:
        yield (
            f"The template has the class {answers.adapter_class}, and this one is "
            f"{reading.adapter_class}: rename it before you update."
        )


def _next_steps(status: str, path: Path, given: Mapping[str, Any]) -> list[str]:
    if status == "planned":
        return []
    if status == "adopted":
        return [
            f"Commit {ANSWERS_FILE}: updates need it.",
            "Bring it to the newest template: band-adapter update",
        ]
    words = ["band-adapter", "adopt", str(path)]
    for key, value in given.items():
        for word in value if isinstance(value, list) else [value]:
            words += [_FLAGS[key], word]
    return [
        "Correct what was read with flags, if need be.",
        f"Confirm: {shlex.join([*words, '--yes'])}",
    ]


def _document(adoption: _Adoption, status: str, code: int) -> dict[str, Any]:
    found = adoption.reading.found
    return {
        "status": status,
        "exit": code,
        "distribution": adoption.answers.distribution,
        "folder": str(adoption.folder),
        "adapter_class": adoption.reading.adapter_class,
        "module": str(adoption.reading.module),
        "answers": adoption.answers.data,
        "evidence": {key: found[key].evidence for key in _FLAGS if key in found},
        "template": {"version": adoption.version, "source": template.SOURCE},
        "files": [str(ANSWERS_FILE)],
    }


def _show(adoption: _Adoption) -> None:
    """The answers, each with what says so."""
    reading = adoption.reading
    typer.echo(f"Read {reading.adapter_class} in {reading.module}\n")
    for key, value in adoption.answers.data.items():
        told = ", ".join(value) or "none" if isinstance(value, list) else str(value)
        shown = told if told.isprintable() else repr(told)
        found = reading.found.get(key)
        evidence = f" ({found.evidence})" if found else ""
        _say(f"{key:13} {shown}{evidence}", "  ", " " * 16)
    _say(f"{'template':13} {adoption.version}", "  ", " " * 16)


def _print_end(values: Mapping[str, Any]) -> None:
    typer.echo()
    for note in values["notes"]:
        _say(f"Note: {note}")
    wrote = {
        "planned": f"Would write {ANSWERS_FILE}.",
        "adopted": f"Wrote {ANSWERS_FILE}.",
        "unconfirmed": "Nothing is written: nobody confirmed these answers.",
    }
    typer.echo(wrote[values["status"]])
    for number, step in enumerate(values["next"], 1):
        typer.echo(f"  {number}. {step}")


def _say(text: str, first: str = "", then: str = "") -> None:
    columns = shutil.get_terminal_size().columns - 1
    typer.echo(
        textwrap.fill(
            text,
            columns,
            initial_indent=first,
            subsequent_indent=then,
            break_on_hyphens=False,
            break_long_words=False,
        )
    )
