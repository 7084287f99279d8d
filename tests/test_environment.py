from __future__ import annotations

import sys
import tomllib
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement

from band_new_adapter import environment, process, questions, template
from band_new_adapter.errors import EnvironmentProblem, ToolError
from band_new_adapter.package import Package
from band_new_adapter.render import render
from tests import toy

HERE = Requirement("pytest>=8")
NOWHERE = Requirement("no-such-distribution>=1; python_version > '3'")


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("pytest", []),
        ("pytest>=8,<1000", []),
        ("PyTest_Asyncio", []),
        ("pytest<1", ["pytest<1"]),
        ("no-such-distribution", ["no-such-distribution"]),
        ("no-such-distribution; python_version < '3'", []),
        ("band-sdk[no-such-extra]", []),
        ("hypothesis[cli]", ["black"]),
    ],
)
def test_what_is_missing_here(text: str, missing: list[str]) -> None:
    found = [str(r).partition(">")[0] for r in environment.unmet(Requirement(text))]
    assert [name for name in found if name in (*missing, text)] == missing


def test_this_environment_is_used_when_it_has_everything() -> None:
    found = environment.environment_for([HERE])
    assert found.python == Path(sys.executable)
    assert "of this tool" in found.description


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The commands that would have been run; each makes what it is to make."""
    ran: list[tuple[str, ...]] = []

    def run(command: process.Command) -> process.Ended:
        ran.append(command.words)
        if "venv" in command.words:
            python = environment._python(Path(command.words[-1]))
            python.parent.mkdir(parents=True)
            python.touch()
        return process.Ended(command, 0, b"", 0)

    monkeypatch.setattr(process, "run", run)
    return ran


@pytest.mark.parametrize("uv", [None, "/bin/uv"])
def test_another_environment_is_made_once(
    uv: str | None,
    home: Path,
    steps: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: uv)
    first = environment.environment_for([HERE, NOWHERE])
    assert str(NOWHERE) in steps[-1]
    assert (steps[0][0] == uv) is bool(uv)
    assert environment.environment_for([NOWHERE, HERE]) == first
    assert len(steps) == 2
    assert first.python.is_file()
    assert first.python.is_relative_to(home / ".band-new-adapter" / "environments")
    assert "made for it" in first.description


def test_what_cannot_be_installed_is_a_sentence_and_leaves_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: process.Command) -> process.Ended:
        command.folder.joinpath("half").mkdir()
        return process.Ended(command, 1, b"first\nno route to host\n", 0)

    monkeypatch.setattr(process, "run", run)
    with pytest.raises(EnvironmentProblem, match="no route to host") as caught:
        environment.environment_for([HERE, NOWHERE])
    assert "no-such-distribution>=1" in caught.value.remedy
    assert "pytest" not in caught.value.remedy
    assert not list((home / ".band-new-adapter" / "environments").iterdir())


def test_no_place_for_an_environment_is_the_same_problem(home: Path) -> None:
    home.joinpath(".band-new-adapter").write_text("not a folder")
    with pytest.raises(EnvironmentProblem, match="cannot be written") as caught:
        environment.environment_for([NOWHERE])
    assert "install it beside this tool: 'no-such" in caught.value.remedy


def test_a_package_is_read_from_its_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "Band_Adapter.My-API"\ndependencies = ["band-sdk"]\n'
        "[project.optional-dependencies]\n"
        'my_api = ["openai>=2"]\ntest = ["pytest", "band-adapter-my-api[my_api]"]\n'
        'other = ["no-such-distribution"]\n'
    )
    package = Package.at(tmp_path)
    assert package.distribution == "band-adapter-my-api"
    assert [str(r) for r in package.requirements] == ["band-sdk", "openai>=2", "pytest"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "has no pyproject.toml"),
        ("[project", "is not TOML"),
        ("[tool.x]\n", "not an adapter: it has no tests/conformance"),
        ("[project]\nname = 'other'\n", "not an adapter: it has no tests/conformance"),
        ("[project]\nname = 'band-adapter-a'\ndependencies = ['=']\n", "asks for '='"),
        ("[project]\nname = 'band-adapter-a'\ndependencies = '='\n", "is no list"),
        (
            "[project]\nname = 'band-adapter-a'\noptional-dependencies = 1\n",
            "extras that are no table",
        ),
        ("project = 1\n", "a project that is no table"),
    ],
)
def test_what_is_not_an_adapter(text: str | None, said: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ToolError, match=said):
        Package.at(tmp_path)


def test_this_tool_requires_what_its_packages_require(tmp_path: Path) -> None:
    """So that their checks need no environment of their own."""
    acme, _ = questions.gather({"adapter": "acme"}, defaults=True, ask=None)
    pyproject = render(acme, template.root())[PurePosixPath("pyproject.toml")]
    (tmp_path / "pyproject.toml").write_bytes(pyproject)
    ours = (template.root() / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(ours)["project"]
    here = project["dependencies"] + project["optional-dependencies"]["openai"]
    assert set(Package.at(tmp_path).requirements) <= set(map(Requirement, here))


def test_the_toy_is_a_package(tmp_path: Path) -> None:
    assert Package.at(toy.make_package(tmp_path)).distribution == "band-adapter-acme"
