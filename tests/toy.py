"""A template of a few lines, for tests that are about the tool around it."""

from __future__ import annotations

import shutil
from pathlib import Path

from band_new_adapter import template

_FILES = {
    "{{ _copier_conf.answers_file }}.jinja": "{{ _copier_answers | to_nice_yaml }}",
    "README.md.jinja": "{{ description }}\n",
    "pyproject.toml.jinja": """\
[project]
name = "band-adapter-{{ adapter | replace('_', '-') }}"
version = "0.1.0"
dependencies = ["pytest"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["src", "."]
markers = ["rule(id): the rule that a test is about"]

[tool.pyrefly]
project-includes = ["src"]
""",
    "src/band_adapter_{{ adapter }}/__init__.py.jinja": """\
class {{ class_prefix }}Adapter:
    answer: int = 42
""",
    "tests/conformance/rules.py": """\
RULES: dict[str, str] = {
    "TOOL-1": "The answer is a number.",
    "TOOL-2": "The question is known.",
}
""",
    "tests/conformance/conftest.py": """\
def pytest_collection_modifyitems(items):
    for item in items:
        for mark in item.iter_markers("rule"):
            item.user_properties.extend(("rule", rule) for rule in mark.args)
""",
    "tests/conformance/test_answer.py": """\
import pytest


@pytest.mark.rule("TOOL-1")
def test_answer():
    assert int("42") == 42
""",
}


def make_template(folder: Path) -> Path:
    """Write the toy with the real questions to `folder`, and return it."""
    folder.mkdir(parents=True)
    shutil.copy(template.root() / "copier.yml", folder)
    for name, text in _FILES.items():
        path = folder / "template" / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def make_package(folder: Path) -> Path:
    """Write the toy as it is after rendering, for an adapter called acme."""
    for name, text in _FILES.items():
        if name.startswith("{{"):
            continue
        for mark, word in {
            "{{ adapter | replace('_', '-') }}": "acme",
            "{{ adapter }}": "acme",
            "{{ class_prefix }}": "Acme",
            "{{ description }}": "Acme.",
            ".jinja": "",
        }.items():
            name, text = name.replace(mark, word), text.replace(mark, word)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`: path to content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
