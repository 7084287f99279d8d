"""The next steps of a new adapter, which somebody types as they stand."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.conftest import Cli

pytestmark = pytest.mark.usefixtures("toy_tool")

ACME = ("acme", "--defaults", "--no-check")


@pytest.fixture(autouse=True)
def path(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A folder that is all of the path, with this tool's commands."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "band-adapter").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.parametrize("name", ["it's", "a $HOME b", "`x`", '"', "模型"])
def test_a_shell_reads_the_folder_as_it_is(name: str, cli: Cli) -> None:
    assert cli.new(*ACME, "--json", "--output", name) == 0
    assert shlex.split(cli.json["next"][0]) == ["cd", name]


@pytest.mark.parametrize(
    ("provider", "written"),
    [
        ("openai", []),
        ("custom", ["src/band_adapter_acme/model.py"]),
        ("custom-framework", ["src/band_adapter_acme/framework.py"]),
    ],
)
def test_what_is_left_to_write_is_a_step(
    provider: str, written: list[str], cli: Cli
) -> None:
    assert cli.new(*ACME, "--json", "--provider", provider) == 0
    steps = [step.split(" ") for step in cli.json["next"]]
    assert [word[1].rstrip(":") for word in steps if word[0] == "Write"] == written


def test_what_is_not_on_the_path_is_put_there_first(
    cli: Cli, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = Path(".venv/bin/python").absolute()
    python.parent.mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(python))
    (path / "band-adapter").unlink()
    assert cli.new(*ACME, "--json", "--output", "one") == 0
    assert cli.json["next"][0] == "cd one"
    python.with_name("activate").touch()
    assert cli.new(*ACME, "--json", "--output", "two") == 0
    assert cli.json["next"][:2] == ["source .venv/bin/activate", "cd two"]
    (path / "band-adapter").touch(mode=0o755)
    assert cli.new(*ACME, "--json", "--output", "three") == 0
    assert cli.json["next"][0] == "cd three"


@pytest.mark.parametrize("columns", ["20", "40", "80"])
def test_no_path_is_cut_on_a_narrow_screen(
    columns: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    name = "x" * 120
    assert cli.new(*ACME, "--output", name) == 0
    assert f" {name}\n" in cli.out
    assert not [line for line in cli.out.splitlines() if line != line.rstrip()]
