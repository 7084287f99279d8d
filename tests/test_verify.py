from __future__ import annotations

from pathlib import Path

import pytest

from band_new_adapter.package import Package
from band_new_adapter.verify import CheckResult, Verdict, verify
from tests import toy

SOURCE = "src/band_adapter_acme/__init__.py"
TEST = "tests/conformance/test_answer.py"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return toy.make_package(tmp_path / "band-adapter-acme")


def judge(package: Path) -> Verdict:
    return verify(Package.at(package), Path("shown"))


def failed(verdict: Verdict) -> list[str]:
    return [result.check.name for result in verdict.results if not result.passed]


def conformance(verdict: Verdict) -> CheckResult:
    return verdict.results[-1]


def change(package: Path, name: str, old: str, new: str) -> None:
    text = (package / name).read_text()
    assert old in text
    (package / name).write_text(text.replace(old, new))


def test_a_sound_package_is_green_and_stays_as_it_is(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("RUFF_NO_SUCH", "1")
    before, told = toy.tree(package), []
    verdict = verify(Package.at(package), Path("shown"), told.append)
    assert verdict.passed, [result.output for result in verdict.results]
    assert set(told) == set(verdict.results)
    assert toy.tree(package) == before
    rules = conformance(verdict).rules
    assert [(rule.id, rule.passed, rule.failed) for rule in rules] == [
        ("TOOL-1", 1, ()),
        ("TOOL-2", 0, ()),
    ]
    assert rules[0].text == "The answer is a number."


@pytest.mark.parametrize(
    ("name", "old", "new", "check"),
    [
        pytest.param(SOURCE, "answer: int = 42", "answer: int=42", "format"),
        pytest.param(SOURCE, "class", "import os\n\n\nclass", "lint"),
        pytest.param(SOURCE, "= 42", '= "42"', "types"),
        pytest.param(TEST, '"42"', '"43"', "conformance"),
    ],
    ids=lambda value: value,
)
def test_each_check_fails_alone(
    name: str, old: str, new: str, check: str, package: Path
) -> None:
    change(package, name, old, new)
    assert failed(judge(package)) == [check]


def test_a_broken_rule_is_named_with_its_tests(package: Path) -> None:
    change(package, TEST, '"42"', '"43"')
    result = conformance(judge(package))
    assert result.rules[0].failed == ("tests/conformance/test_answer.py::test_answer",)
    assert 'assert int("43") == 42' in result.output
    assert str(package) not in result.output


def test_a_failed_test_can_be_given_to_pytest(package: Path) -> None:
    method = "class TestAnswer:\n    def test_method(self): assert 1 == 2\n"
    change(package, TEST, '@pytest.mark.rule("TOOL-1")\ndef', "def")
    change(
        package, TEST, "def test", f'@pytest.mark.rule("TOOL-1")\n{method}\n\ndef test'
    )
    (name,) = conformance(judge(package)).rules[0].failed
    assert name == "tests/conformance/test_answer.py::TestAnswer::test_method"


@pytest.mark.parametrize(
    "old", ["def test_answer", "int(", '@pytest.mark.rule("TOOL-1")'], ids=str
)
def test_no_proof_is_a_failure(old: str, package: Path) -> None:
    new = {"def test_answer": "def answer", "int(": "open("}.get(old, "")
    change(package, TEST, old, new)
    assert "conformance" in failed(judge(package))


def test_missing_rules_are_a_failure(package: Path) -> None:
    (package / "tests/conformance/rules.py").unlink()
    assert "rules.py is missing" in conformance(judge(package)).output


def test_a_run_that_says_nothing_is_a_failure(package: Path) -> None:
    (package / "tests/conformance/conftest.py").write_text("import os\n\nos._exit(0)\n")
    assert failed(judge(package)) == ["conformance"]


def test_a_folder_that_git_ignores_is_checked_all_the_same(package: Path) -> None:
    (package.parent / ".git").mkdir()
    (package.parent / ".gitignore").write_text("*\n")
    change(package, SOURCE, "= 42", '="42"')
    assert failed(judge(package)) == ["format", "types"]
