"""Every combination of answers gives a package that one would be content to ship."""

from __future__ import annotations

import ast
import os
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter import template
from band_new_adapter.answers import Answers
from band_new_adapter.package import Package
from band_new_adapter.process import Command, run
from band_new_adapter.verify import verify
from tests import variants
from tests.mutation import judge, rules

PACKAGE = template.root() / "template" / "package"
ALL = tuple(variants.variants())
# Each provider with none and each of the kinds, those of both questions at once. The
# one with all kinds is green in the report below, and before it gets its mutants.
DIAGONAL = [
    answers
    for answers in ALL
    if variants.subsets("emit").index(answers.emit)
    == variants.subsets("capabilities").index(answers.capabilities)
    < len(variants.choices("emit")) + 1
]

# Words that must not be found where the kind was not chosen.
TRACES = {
    "tool_calls": r"TOOL_CALLS|ToolEventKey|redact",
    "thoughts": r"THOUGHT|reasoning: str|_reasoning\(",
    "task_events": r"TASK_EVENTS|MessageType\.TASK|_report_turn",
    "usage": r"Emit\.USAGE|TurnUsage|_usage\b",
    "memory": r"MEMORY|[Mm]emories",
    "contacts": r"Capability\.CONTACTS",
    "files": r"Capability\.FILES|\bImage\b|image_",
    "tasks": r"Capability\.TASKS",
}
LEFT_OVER = re.compile(r"\{%|%\}|\{#|#\}|(?<!\$)\{\{|TODO|\n{4,}|[ \t]\n")


@dataclass(frozen=True)
class Made:
    """A package: the answers, where it is, and its files that were rendered."""

    answers: Answers
    folder: Path
    texts: dict[PurePosixPath, str]


@pytest.fixture(scope="module", params=ALL, ids=variants.label)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Made:
    return make(request.param, tmp_path_factory.mktemp("package"))


def make(answers: Answers, folder: Path) -> Made:
    texts = variants.files(answers)
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    rendered = {p: text for p, text in texts.items() if not (PACKAGE / p).is_file()}
    return Made(answers, folder, rendered)


def test_nothing_of_the_template_is_left(made: Made) -> None:
    for path, text in made.texts.items():
        assert not LEFT_OVER.search(text), path
        assert not text or re.search(r"[^\n]\n\Z", text), path


def test_what_was_not_chosen_leaves_no_trace(made: Made) -> None:
    told = "\n".join(
        text
        for path, text in made.texts.items()
        if path.parts[0] == "src" or path.name == "README.md"
    )
    chosen = {*made.answers.emit, *made.answers.capabilities}
    for kind, trace in TRACES.items():
        found = re.search(f".*({trace}).*", told)
        assert bool(found) == (kind in chosen), (kind, found and found[0])


def test_every_file_says_what_it_was_made_for(made: Made) -> None:
    answers, texts = made.answers, made.texts
    project = tomllib.loads(texts[PurePosixPath("pyproject.toml")])["project"]
    assert project["name"] == answers.distribution
    assert set(project["optional-dependencies"]) == {answers.extra, "test"}
    source = ast.parse(texts[PurePosixPath("src", answers.package, "adapter.py")])
    classes = {node.name for node in source.body if isinstance(node, ast.ClassDef)}
    assert {answers.adapter_class, f"{answers.adapter_class}Config"} <= classes


@pytest.mark.parametrize("check", [("format", "--check"), ("check",)], ids=" ".join)
def test_the_package_is_clean(made: Made, check: tuple[str, ...]) -> None:
    words = (sys.executable, "-m", "ruff", *check, "--no-cache", ".")
    ended = run(Command(words, made.folder, os.environ))
    assert ended.status == 0, ended.output


@pytest.mark.parametrize("answers", DIAGONAL, ids=variants.label)
def test_the_package_is_green_at_once(answers: Answers, tmp_path: Path) -> None:
    """Types are among the conformance tests, as rule PKG-4."""
    folder = make(answers, tmp_path).folder
    outcome = judge(folder, rules(folder))
    assert outcome.failure is None, outcome.failure
    assert outcome.passed >= 100


@pytest.mark.parametrize("provider", variants.choices("provider"))
def test_the_report_of_a_new_package_is_green_for_every_rule(
    provider: str, tmp_path: Path
) -> None:
    answers = next(a for a in reversed(ALL) if a.provider == provider)
    verdict = verify(Package.at(make(answers, tmp_path).folder), tmp_path)
    assert verdict.passed, [result.output for result in verdict.results]
    conformance = verdict.results[-1]
    assert conformance.tests >= 100
    assert conformance.skipped == 0
    untested = {rule.id for rule in conformance.rules if not rule.passed}
    assert untested == {rule.id for rule in conformance.rules} - rules(tmp_path)
