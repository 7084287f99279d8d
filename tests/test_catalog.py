"""copier.yml and the catalogue say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from band_new_adapter import catalog, questions, template

TEXT = (template.root() / "copier.yml").read_text(encoding="utf-8")
COPIER: Mapping[str, Any] = {
    key: value for key, value in yaml.safe_load(TEXT).items() if key[0] != "_"
}


def choices(key: str) -> dict[Any, str]:
    return {value: label for label, value in COPIER[key]["choices"].items()}


def test_the_questions_are_the_same() -> None:
    found = {q.key: q.text for q in questions.QUESTIONS}
    assert found == {key: question["help"] for key, question in COPIER.items()}


@pytest.mark.parametrize(
    "key", ["pattern", "emit", "capabilities", "provider", "license"]
)
def test_the_choices_are_the_same(key: str) -> None:
    question = next(q for q in questions.QUESTIONS if q.key == key)
    assert question.choices
    assert dict(question.choices({})) == choices(key)


@pytest.mark.parametrize(
    "key", ["pattern", "emit", "capabilities", "provider", "license"]
)
def test_the_defaults_are_the_same(key: str) -> None:
    question = next(q for q in questions.QUESTIONS if q.key == key)
    assert question.default
    default = question.default({})
    wanted = COPIER[key]["default"]
    assert (list(default) if question.many else default) == wanted


def test_the_default_description_is_the_same() -> None:
    question = next(q for q in questions.QUESTIONS if q.key == "description")
    assert question.default
    assert (
        question.default({"class_prefix": "{{ class_prefix }}"})
        == COPIER["description"]["default"]
    )


@pytest.mark.parametrize("provider", catalog.PROVIDERS.values(), ids=lambda p: p.key)
def test_what_is_refused_is_a_kind(provider: catalog.Provider) -> None:
    assert provider.pattern in catalog.PATTERNS
    assert set(provider.refused) <= {*catalog.EMIT, *catalog.CAPABILITIES}
