"""copier.yml and the catalogue say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jinja2
import pytest
import yaml

from band_new_adapter import catalog, questions, template
from docs import generate

TEXT = (template.root() / "copier.yml").read_text(encoding="utf-8")


def asked_for_a_package(question: Mapping[str, Any]) -> bool:
    """Whether somebody who makes a package of their own decides on it."""
    when = jinja2.Template(question.get("when", "True"))
    return when.render(destination="package") == "True"


COPIER: Mapping[str, Any] = {
    key: value
    for key, value in yaml.safe_load(TEXT).items()
    if key[0] != "_" and asked_for_a_package(value)
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
    if isinstance(wanted, str):
        wanted = jinja2.Template(wanted).render(pattern=catalog.DEFAULT_PATTERN)
    assert (list(default) if question.many else default) == wanted


@pytest.mark.parametrize("name", generate.PASSAGES)
def test_passages_made_from_the_catalogue_are_fresh(name: str) -> None:
    text = (generate.ROOT / name).read_text(encoding="utf-8")
    assert text == generate.PASSAGES[name](text), "run `make docs`"


@pytest.mark.parametrize("pattern", catalog.PATTERNS)
@pytest.mark.parametrize("provider", catalog.PROVIDERS.values(), ids=lambda p: p.key)
def test_a_provider_goes_with_its_pattern_alone(
    pattern: int, provider: catalog.Provider
) -> None:
    validator = jinja2.Template(COPIER["provider"]["validator"])
    refused = validator.render(pattern=pattern, provider=provider.key).strip()
    assert bool(refused) == (provider.pattern != pattern)


@pytest.mark.parametrize("pattern", catalog.PATTERNS)
def test_the_default_provider_of_a_pattern_is_of_that_pattern(pattern: int) -> None:
    default = catalog.DEFAULT_PROVIDERS[pattern]
    assert catalog.PROVIDERS[default].pattern == pattern
    named = jinja2.Template(COPIER["provider"]["default"]).render(pattern=pattern)
    assert named == default


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
