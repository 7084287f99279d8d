"""The questions on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import Any

import typer

from band_new_adapter import catalog
from band_new_adapter.errors import ToolError
from band_new_adapter.questions import Known, Question

_WIDEST = 88


def can_ask() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask(question: Question, known: Known) -> Any:
    """Ask until the answer is good; return it as the question reads it."""
    typer.echo()
    _say(question.text)
    choices = list(question.choices(known).items()) if question.choices else []
    for number, (key, text) in enumerate(choices, 1):
        named = text if str(key) == str(number) else f"{key}: {text}"
        _say(f"{number}. {named}", indent="   ")
    for reason in _refused(question, known):
        _say(reason, indent="   ")
    if question.many:
        _say("Several with commas between them; or all, or none.")
    while True:
        answer = typer.prompt(question.key, default=_default(question, known))
        try:
            return question.read(_by_number(answer, choices, question.many), known)
        except ToolError as error:
            _say(f"{error.message} {error.remedy}", color="red")


def _default(question: Question, known: Known) -> str | None:
    if question.default is None:
        return None
    return "all" if question.many else str(question.default(known))


def _by_number(answer: str, choices: list[tuple[Any, str]], many: bool) -> str:
    """`answer` with the numbers in it replaced by the choices they stand for."""
    keys = {str(number): str(key) for number, (key, _) in enumerate(choices, 1)}
    if not many:
        return keys.get(answer.strip(), answer)
    return ",".join(keys.get(word.strip(), word) for word in answer.split(","))


def _refused(question: Question, known: Known) -> list[str]:
    if not question.many:
        return []
    refused = catalog.PROVIDERS[known["provider"]].refused
    kinds = catalog.EMIT if question.key == "emit" else catalog.CAPABILITIES
    return [f"(not {kind}: {refused[kind]})" for kind in kinds if kind in refused]


def _say(text: str, indent: str = "", color: str | None = None) -> None:
    columns = min(shutil.get_terminal_size().columns, _WIDEST)
    lines = textwrap.wrap(
        text, columns - 1, initial_indent=indent, subsequent_indent=indent * 2
    )
    said = "\n".join(lines)
    if color and "NO_COLOR" not in os.environ:
        said = typer.style(said, fg=color)
    typer.echo(said)
