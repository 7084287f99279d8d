from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from band_new_adapter import questions
from band_new_adapter.errors import AnswersMissing, UsageProblem
from band_new_adapter.questions import Known, Question


def test_defaults_leave_only_the_name_to_say() -> None:
    answers, notes = questions.gather({"adapter": "acme"}, defaults=True, ask=None)
    assert answers.data == {
        "adapter": "acme",
        "class_prefix": "Acme",
        "pattern": 2,
        "provider": "openai",
        "emit": ["tool_calls", "thoughts", "task_events", "usage"],
        "capabilities": ["memory", "contacts", "files", "tasks"],
        "description": "Connects Acme to Band chat rooms.",
        "license": "MIT",
    }
    assert notes == ()


def test_hyphens_are_underscores_and_that_is_said() -> None:
    answers, notes = questions.gather({"adapter": "a-b"}, defaults=True, ask=None)
    assert answers.package == "band_adapter_a_b"
    assert answers.distribution == "band-adapter-a-b"
    assert notes == ("a-b is read as a_b: Python names have no hyphens.",)


def test_without_a_terminal_the_missing_flags_are_named() -> None:
    with pytest.raises(AnswersMissing) as caught:
        questions.gather({"provider": "custom", "emit": []}, defaults=False, ask=None)
    assert "NAME, --capability, --description," in caught.value.message
    assert "--defaults" in caught.value.remedy


def test_the_name_has_no_default() -> None:
    with pytest.raises(AnswersMissing, match="NAME, which has no default"):
        questions.gather({}, defaults=True, ask=None)


def test_six_answers_leave_nothing_to_ask() -> None:
    given = {
        "adapter": "acme",
        "pattern": "2",
        "provider": "custom",
        "emit": ["none"],
        "capabilities": ["files"],
        "description": "Acme.",
    }
    answers, _ = questions.gather(given, defaults=False, ask=None)
    assert (answers.emit, answers.capabilities) == ((), ("files",))


def test_what_is_not_given_is_asked_in_order() -> None:
    asked = []

    def ask(question: Question, known: Known) -> Any:
        asked.append(question.key)
        assert question.default
        return question.default(known)

    questions.gather({"adapter": "acme"}, defaults=False, ask=ask)
    assert asked == ["pattern", "provider", "emit", "capabilities", "description"]


def test_a_wrong_answer_is_told_before_a_missing_one() -> None:
    with pytest.raises(UsageProblem, match="no choice 'acme'"):
        questions.gather({"provider": "acme"}, defaults=False, ask=None)


@pytest.mark.parametrize("name", ["answers.json", "answers.yml"])
def test_a_data_file_gives_answers(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    answers = {"_commit": "v1", "adapter": "acme", "pattern": 2, "emit": ["usage"]}
    path.write_text(json.dumps(answers))
    given = questions.read_data_file(path)
    assert given == {"adapter": "acme", "pattern": 2, "emit": ["usage"]}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yml", "adapter: [", "neither YAML nor JSON"),
        ("a.json", "{", "neither YAML nor JSON"),
        ("a.yml", "- acme", "no answers by key"),
        ("a.yml", "", "no answers by key"),
        ("a.yml", "name: acme", "answers 'name'"),
        ("a.yml", "emits: [usage]", "Did you mean 'emit'"),
        ("a.yml", "adapter: \ud800", "neither YAML nor JSON"),
    ],
)
def test_a_data_file_that_cannot_be_used(
    name: str, text: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, errors="surrogatepass")
    with pytest.raises(UsageProblem, match=said):
        questions.read_data_file(tmp_path / name)


def test_a_data_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="cannot be read: No such file"):
        questions.read_data_file(tmp_path / "a.yml")


@pytest.mark.parametrize(
    "answer", [{"adapter": False}, {"description": 7}, {"emit": [1]}, {"emit": None}]
)
def test_what_yaml_made_of_words_is_not_taken(answer: dict[str, object]) -> None:
    with pytest.raises(UsageProblem, match="has to be text"):
        questions.gather({"adapter": "acme"} | answer, defaults=True, ask=None)


def test_a_provider_settles_the_pattern() -> None:
    given = {"adapter": "acme", "provider": "custom-framework"}
    found, _ = questions.gather(given, defaults=True, ask=None)
    assert found.pattern == 1


def test_a_pattern_has_a_provider_of_its_own_by_default() -> None:
    found, _ = questions.gather({"adapter": "a", "pattern": 1}, defaults=True, ask=None)
    assert found.provider == "custom-framework"


def test_a_provider_of_the_other_pattern_is_refused_with_the_choices() -> None:
    given = {"adapter": "acme", "provider": "openai", "pattern": "1"}
    with pytest.raises(UsageProblem, match="openai does not go with") as caught:
        questions.gather(given, defaults=True, ask=None)
    assert "custom-framework" in caught.value.remedy
