"""Whole packages, as they were when somebody last read them.

`make golden` writes them anew; its diff is what a change of the template does.
Files that the template copies as they are stand in the template alone.
"""

from __future__ import annotations

import sys
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter import template
from band_new_adapter.answers import Answers
from tests import variants

GOLDEN = Path(__file__).with_name("golden")
PACKAGE = template.root() / "template" / "package"
ALL = (variants.choices("emit"), variants.choices("capabilities"))
CASES = (
    {
        variants.label(answers): answers
        for answers in (
            Answers("openai", "OpenAI", 2, "openai", *all_or_none, "An API.", license_)
            for all_or_none, license_ in (
                (ALL, "MIT"),
                (((), ()), "none"),
            )
        )
    }
    | {
        variants.label(answers): answers
        for answers in (
            Answers("acme", "Acme", pattern, provider, *ALL, "An API.", "MIT")
            for pattern, provider in (
                (1, "custom-framework"),
                (1, "openai-agents"),
                (1, "langgraph"),
                (2, "openai-responses"),
                (2, "anthropic"),
                (2, "gemini"),
            )
        )
    }
    | {
        variants.label(answers): answers
        for answers in (
            Answers("acme", "Acme", 2, "custom", *all_or_none, "An API.", "Apache-2.0")
            for all_or_none in (
                ALL,
                (("usage",), ("files",)),
            )
        )
    }
)


def rendered(answers: Answers) -> dict[str, str]:
    """The files that depend on the answers."""
    return {
        path.as_posix(): text
        for path, text in variants.files(answers).items()
        if not (PACKAGE / path).is_file()
    }


def recorded(case: str) -> dict[str, str]:
    folder = GOLDEN / case
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("case", CASES)
def test_a_package_is_as_it_was(case: str) -> None:
    assert rendered(CASES[case]) == recorded(case)


def test_there_is_no_other_golden_package() -> None:
    assert {folder.name for folder in GOLDEN.iterdir()} == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_all_other_files_are_those_of_the_template(case: str) -> None:
    for path, text in variants.files(CASES[case]).items():
        if (PACKAGE / path).is_file():
            assert text == (PACKAGE / path).read_text(encoding="utf-8"), path


def write() -> None:
    """Put today's packages in the place of the recorded ones."""
    for case, answers in CASES.items():
        now = rendered(answers)
        for name in recorded(case).keys() - now.keys():
            (GOLDEN / case / name).unlink()
        for name, text in now.items():
            path = GOLDEN / case / PurePosixPath(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write())
