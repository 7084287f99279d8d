"""Fixtures for all tests."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from band_new_adapter import __main__, bundle, interrupts, template
from tests import toy

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "drive-it-from-a-program.md"
DOCUMENTED = set(re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8")))
"""The words of the JSON documents."""


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


class Cli:
    """Runs a command in this process and keeps what it printed."""

    def __init__(
        self, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
    ) -> None:
        self._capsys, self._patch = capsys, patch
        self.out = self.err = ""

    def new(self, *words: str) -> int:
        return self._run("single", "band-new-adapter", words)

    def adapter(self, *words: str) -> int:
        return self._run("several", "band-adapter", words)

    def _run(self, app: str, name: str, words: tuple[str, ...]) -> int:
        self._patch.setattr(sys, "argv", [name, *words])
        self._capsys.readouterr()
        code = __main__._main(app, name)
        self.out, self.err = self._capsys.readouterr()
        return code

    @property
    def json(self) -> dict:
        """The document that was printed; what is in it stands in the page about it."""
        found = json.loads(self.out)
        assert {*found, found["status"]} <= DOCUMENTED
        return found


@pytest.fixture
def cli(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("ignore", "listen"):
        monkeypatch.setattr(interrupts, name, lambda: None)
    return Cli(capsys, monkeypatch)
