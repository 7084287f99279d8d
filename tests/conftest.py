"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from band_new_adapter import bundle, template
from tests import toy


@pytest.fixture(autouse=True)
def home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A home of the test's own: nothing of the user's counts or is touched."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


@pytest.fixture(scope="session")
def toy_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy.make_template(tmp_path_factory.mktemp("toy") / "template")


@pytest.fixture(scope="session")
def toy_bundle(toy_template: Path) -> Path:
    path = toy_template.with_name("template.bundle")
    path.write_bytes(bundle.build(template.files(toy_template), template.TAG, path))
    return path


@pytest.fixture
def toy_tool(
    toy_template: Path, toy_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool carries the toy instead of the real template."""
    monkeypatch.setattr(template, "root", lambda: toy_template)
    monkeypatch.setattr(template, "BUNDLE", toy_bundle)
