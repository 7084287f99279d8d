"""Answers for the tests of the template, read from the questions in copier.yml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle, product
from pathlib import PurePosixPath
from typing import Any

import yaml

from band_new_adapter import template
from band_new_adapter.answers import Answers
from band_new_adapter.catalog import PROVIDERS
from band_new_adapter.render import render

QUESTIONS: Mapping[str, Any] = yaml.safe_load(
    (template.root() / "copier.yml").read_text(encoding="utf-8")
)
NAMES = (
    ("x", "X"),
    ("open_ai", "OpenAI"),
    ("a_name_with_as_many_as_30_char", "Abcdefghijklmnopqrstuvwxyz1234"),
)


def choices(question: str) -> tuple[Any, ...]:
    """The values of a question's choices."""
    offered = QUESTIONS[question]["choices"].values()
    return tuple(c["value"] if isinstance(c, dict) else c for c in offered)


def subsets(question: str) -> tuple[tuple[str, ...], ...]:
    """None, each alone, and all of a question's choices."""
    every = choices(question)
    return ((), *((choice,) for choice in every), every)


def variants() -> Iterator[Answers]:
    """Each provider with none, each and all of its emit kinds and capabilities.

    The names take turns, so that each kind of name meets each choice.
    """
    names = cycle(NAMES)
    for provider, emit, capabilities in product(
        choices("provider"), subsets("emit"), subsets("capabilities")
    ):
        name, prefix = next(names)
        pattern = PROVIDERS[provider].pattern
        yield Answers(
            adapter=name,
            class_prefix=prefix,
            pattern=pattern,
            provider=provider,
            emit=emit,
            capabilities=capabilities,
            description=f"Connects {prefix} to Band chat rooms.",
            license="MIT",
        )


def label(answers: Answers) -> str:
    """A variant in a word, for the name of a test or of a folder."""
    emit = "+".join(answers.emit) if len(answers.emit) < 2 else "all"
    tools = "+".join(answers.capabilities) if len(answers.capabilities) < 2 else "all"
    return f"{answers.provider}-{emit or 'none'}-{tools or 'none'}"


def files(answers: Answers) -> dict[PurePosixPath, str]:
    """The text of each file of a new package."""
    made = render(answers, template.root())
    return {path: content.decode() for path, content in made.items()}
