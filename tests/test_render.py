from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
import yaml

from band_new_adapter import questions, template
from band_new_adapter.answers import Answers, class_prefix
from band_new_adapter.errors import UsageProblem
from band_new_adapter.render import render
from tests import toy

ACME, _ = questions.gather({"adapter": "acme"}, defaults=True, ask=None)
ANSWERS_FILE = PurePosixPath(".copier-answers.yml")

HOSTILE = [
    pytest.param("{{ 7*7 }}{% raw %}{# #}{{ undefined }}", id="Jinja"),
    pytest.param('\'"""\\ \n\r\n\t --- # a: [b]', id="quotes and newlines"),
    pytest.param("\x01\x07\x1b\x7f\x85\u2028\ufeff🙂", id="control characters"),
    pytest.param("word " * 2_000, id="long"),
    pytest.param("", id="empty"),
]


@pytest.mark.parametrize("description", HOSTILE)
def test_free_text_arrives_as_it_is(description: str, toy_template: Path) -> None:
    files = render(replace(ACME, description=description), toy_template)
    assert files[PurePosixPath("README.md")].decode() == f"{description}\n"
    assert yaml.safe_load(files[ANSWERS_FILE])["description"] == description


@pytest.mark.parametrize("description", HOSTILE)
def test_the_same_as_copier_makes_from_the_bundle(
    description: str, toy_template: Path, toy_bundle: Path, home: Path, tmp_path: Path
) -> None:
    answers = replace(ACME, emit=(), capabilities=("files",), description=description)
    assert copied(answers, toy_bundle, home, tmp_path) == by_name(
        render(answers, toy_template)
    )


@pytest.mark.parametrize("provider", ["openai", "custom"])
def test_the_same_as_copier_makes_of_the_real_template(
    provider: str, home: Path, tmp_path: Path
) -> None:
    answers = replace(ACME, provider=provider, emit=("usage",), license="none")
    made = copied(answers, template.BUNDLE, home, tmp_path)
    assert made == by_name(render(answers, template.root()))


def by_name(files: dict[PurePosixPath, bytes]) -> dict[str, bytes]:
    return {str(path): content for path, content in files.items()}


def copied(
    answers: Answers, bundle: Path, home: Path, folder: Path
) -> dict[str, bytes]:
    """What `copier copy` makes of the bundle in the home."""
    place = home / ".band-new-adapter" / "template.bundle"
    place.parent.mkdir()
    place.write_bytes(bundle.read_bytes())
    data = folder / "data.yml"
    data.write_text(yaml.safe_dump(answers.data), encoding="utf-8")
    words = ["copy", "--quiet", "--defaults", "--data-file", str(data)]
    command = [sys.executable, "-m", "copier", *words, template.SOURCE, "made"]
    subprocess.run(command, cwd=folder, check=True)
    return toy.tree(folder / "made")


def test_git_and_the_users_settings_play_no_part(
    toy_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = render(ACME, toy_template)
    settings = tmp_path / "settings.yml"
    settings.write_text("defaults: [this is not what Copier reads")
    monkeypatch.setenv("COPIER_SETTINGS_PATH", str(settings))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert render(ACME, toy_template) == before


def test_a_clone_is_rendered_as_it_lies_there(tmp_path: Path) -> None:
    clone = toy.make_template(tmp_path / "clone")
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    assert b"Acme" in render(ACME, clone)[PurePosixPath("README.md")]


@pytest.mark.parametrize("provider", ["openai", "custom"])
def test_prefixes_that_would_hide_an_import_are_refused(provider: str) -> None:
    files = render(replace(ACME, provider=provider), template.root())
    sources = [files[path] for path in files if path.suffix == ".py"]
    hidden = {
        name.removesuffix(suffix)
        for source in sources
        for name in imported(ast.parse(source))
        for suffix in ("Adapter", "AdapterConfig", "HistoryConverter", "Model")
        if name.endswith(suffix) and f"Acme{suffix}".encode() in source
    }
    assert "Simple" in hidden
    for prefix in hidden - {"", "Acme"}:
        with pytest.raises(UsageProblem, match="would hide"):
            class_prefix(prefix)


def imported(module: ast.Module) -> set[str]:
    found = (node for node in ast.walk(module) if isinstance(node, ast.ImportFrom))
    return {alias.name for node in found for alias in node.names}
