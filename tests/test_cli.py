"""The two commands as a user has them: arguments in, text and exit code out."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter import __main__, __version__, catalog, interrupts
from band_new_adapter.errors import CannotWrite, NotPutBack
from band_new_adapter.template import SOURCE
from tests import toy
from tests.conftest import Cli

pytestmark = pytest.mark.usefixtures("toy_tool")

ACME = ("acme", "--defaults")


def test_a_new_adapter_is_made_and_green(cli: Cli, home: Path) -> None:
    assert cli.new(*ACME) == 0
    assert "Made band-adapter-acme" in cli.out
    assert "in the environment of this tool" in cli.out
    assert " cd band-adapter-acme\n" in cli.out
    assert "FAILED" not in cli.out
    made = toy.tree(Path("band-adapter-acme"))
    assert b"class AcmeAdapter" in made["src/band_adapter_acme/__init__.py"]
    assert Path(SOURCE).expanduser().is_relative_to(home)
    assert Path(SOURCE).expanduser().is_file()
    assert os.listdir() == ["band-adapter-acme"]


def test_json_is_one_document(cli: Cli) -> None:
    assert cli.new(*ACME, "--json", "--output", "x/y") == 0
    found = cli.json
    assert (found["status"], found["exit"]) == ("green", 0)
    assert found["folder"] == str(Path("x/y").absolute())
    assert found["files"] == list(toy.tree(Path("x/y")))
    assert [check["passed"] for check in found["checks"]] == [True] * 4
    assert found["rules"][0]["id"] == "TOOL-1"
    assert cli.err == ""


def test_a_dry_run_says_what_then_happens_and_writes_nothing(cli: Cli) -> None:
    assert cli.new(*ACME, "--no-check", "--dry-run", "--json") == 0
    planned = cli.json
    assert planned["status"] == "planned"
    assert SOURCE in planned["notes"][0]
    assert os.listdir() == []
    assert not Path(SOURCE).expanduser().exists()
    assert cli.new(*ACME, "--no-check", "--json") == 0
    made = cli.json
    assert made["status"] == "unchecked"
    assert made["files"] == planned["files"] == list(toy.tree(Path(made["folder"])))
    assert made["notes"] == []
    assert made["next"] and planned["next"] == []


def test_again_is_refused_and_changes_nothing(cli: Cli) -> None:
    assert cli.new(*ACME, "--no-check") == 0
    before = toy.tree(Path())
    assert cli.new(*ACME, "--no-check") == 1
    assert "exists and is not empty" in cli.err
    assert toy.tree(Path()) == before


def test_a_failing_check_is_shown_and_what_was_made_is_kept(
    cli: Cli, toy_template: Path
) -> None:
    broken = toy.make_template(Path("template"))
    test = broken / "template/package/tests/conformance/test_answer.py"
    test.write_text(test.read_text().replace('"42"', '"43"'))
    cli._patch.setattr("band_new_adapter.template.root", lambda: broken.absolute())
    assert cli.new(*ACME) == 4
    assert "TOOL-1 is broken: The answer is a number." in cli.out
    assert 'assert int("43") == 42' in cli.out
    assert "Begin with TOOL-1.\n" in cli.out
    assert "is kept to look at" in cli.out
    assert cli.adapter("check", "band-adapter-acme", "--json") == 4
    assert cli.json["status"] == "failed"
    assert cli.json["rules"][0]["failed"]


def test_what_is_no_adapter_is_not_checked(cli: Cli) -> None:
    assert cli.adapter("check") == 1
    assert "is not an adapter" in cli.err
    assert cli.adapter("check", "nowhere", "--json") == 1
    assert cli.json["status"] == "error"


@pytest.mark.parametrize("verb", [["check"], ["update"], ["update", "--all"]], ids=str)
def test_who_gives_a_name_for_a_folder_is_told_the_folder(
    verb: list[str], cli: Cli
) -> None:
    Path("band-adapter-my-acme").mkdir()
    assert cli.adapter(*verb, "my_acme") == 1
    assert "There is no folder my_acme." in cli.err
    assert "Did you mean band-adapter-my-acme?" in cli.err
    assert cli.adapter(*verb, "other") == 1
    assert "Did you mean" not in cli.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["acme"], "No answer for --pattern, --provider, --emit, --capability"),
        (["--defaults"], "No answer for NAME"),
        (["acme", "--provider", "x"], "Choose from: openai, openai-responses"),
        (["acme", "--provider", "opnai"], "Did you mean 'openai'?"),
        (["acme", "--emit", "usage,tool_call"], "Did you mean 'tool_calls'?"),
        (["acme", "--license", "mit"], "Did you mean 'MIT'?"),
        (["acme", "--pattern", "3"], "Choose from: 1, 2"),
        (["acme", "--emit", "x"], "Choose from: tool_calls, thoughts"),
        (["acme", "--capability", "x"], "Choose from: memory, contacts"),
        (["acme", "--license", "x"], "Choose from: MIT"),
        (["../acme", "--defaults"], "a path"),
        (["acme", "--defaults", "--description", "\udcff"], "U+DCFF"),
        (["acme", "--no-such-option"], "--no-such-option"),
        (["acme", "more"], "more"),
        (["acme", "--emit"], "--emit"),
        (["acme", "--data-file", "nowhere"], "cannot be read"),
        (["acme", "--defaults", "--output", ""], "--output is empty"),
    ],
    ids=str,
)
def test_usage_errors_say_what_to_do(words: list[str], said: str, cli: Cli) -> None:
    assert cli.new(*words) == 2
    assert said in cli.err
    assert cli.out == ""
    assert cli.adapter("new", *words, "--json") == 2
    assert (cli.json["status"], cli.json["exit"]) == ("error", 2)
    assert os.listdir() == []


def test_without_a_verb_there_is_the_help_whole_and_nothing_else(cli: Cli) -> None:
    assert cli.adapter() == 2
    asked = cli.err
    assert cli.adapter("--help") == 0
    assert asked == cli.out
    assert "  list " in asked and "..." not in asked.partition("Commands:")[2]


def test_a_wrong_option_names_the_help_of_its_command(cli: Cli) -> None:
    assert cli.adapter("list", "--jsn") == 2
    assert "--json" in cli.err and "band-adapter list --help" in cli.err


def test_flags_win_over_the_data_file(cli: Cli) -> None:
    Path("a.json").write_text('{"adapter": "acme", "emit": [], "license": "none"}')
    words = ("--data-file", "a.json", "--emit", "usage,thoughts", "--defaults")
    assert cli.new("other", *words, "--dry-run", "--json") == 0
    answers = cli.json["answers"]
    assert answers["adapter"] == "other"
    assert answers["emit"] == ["thoughts", "usage"]
    assert answers["license"] == "none"


def test_a_home_that_cannot_be_written_is_noted(cli: Cli, home: Path) -> None:
    home.rmdir()
    home.write_text("not a folder")
    assert cli.new(*ACME, "--no-check") == 0
    assert "Note:" in cli.out
    assert "`copier update` has no source" in " ".join(cli.out.split())


def test_list_names_every_provider_and_kind(cli: Cli) -> None:
    assert cli.adapter("list") == 0
    assert "openai" in cli.out
    assert "task_events" in cli.out
    assert "google-adk needs google-genai<3" in cli.out
    assert max(map(len, cli.out.splitlines())) < 80
    assert cli.adapter("list", "--json") == 0
    assert (cli.json["status"], cli.json["exit"]) == ("listed", 0)
    listed = {p["key"]: p for p in cli.json["providers"]}
    assert list(listed) == list(catalog.PROVIDERS)
    assert listed["anthropic"]["requirement"] == "anthropic>=1,<3"
    assert listed["anthropic"]["beside"]["dev"] == "anthropic<2"
    assert listed["custom"]["beside"] == {}


def test_interrupts_and_bugs_end_differently(cli: Cli) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def bug(*_: object) -> None:
        raise ZeroDivisionError

    cli._patch.setattr("band_new_adapter.commands.new.render", interrupt)
    assert cli.new(*ACME) == 130
    assert "nothing changed" in cli.err
    cli._patch.setattr("band_new_adapter.commands.new.render", bug)
    with pytest.raises(ZeroDivisionError):
        cli.new(*ACME)


def test_what_an_interrupt_breaks_is_an_interrupt(cli: Cli) -> None:
    def broken(error: Exception) -> Callable[..., None]:
        def render(*_: object) -> None:
            raise error

        return render

    cli._patch.setattr(interrupts, "pending", lambda: True)
    for error in (OSError(9, "Bad file descriptor"), CannotWrite(Path("x"), OSError())):
        cli._patch.setattr("band_new_adapter.commands.new.render", broken(error))
        assert cli.new(*ACME) == 130
    left = NotPutBack(Path("x"), {PurePosixPath("a"): OSError(28, "full")}, Path("y"))
    cli._patch.setattr("band_new_adapter.commands.new.render", broken(left))
    assert cli.new(*ACME) == 1
    assert "Take them from y" in cli.err


def test_without_a_standard_output_the_work_is_done(cli: Cli) -> None:
    for flag in ("--no-check", "--json"):
        with pytest.MonkeyPatch.context() as patch:
            words = [*ACME, "--no-check", flag, "--output", flag.strip("-")]
            patch.setattr(sys, "argv", ["band-new-adapter", *words])
            patch.setattr(sys, "stdout", None)
            assert __main__._main("single", "band-new-adapter") == 0
        assert Path(flag.strip("-"), "pyproject.toml").is_file()


LAZY = """
import sys
from band_new_adapter import __main__
sys.argv = ["band-adapter", *sys.argv[1:]]
code = __main__._main("several", "band-adapter")
heavy = {"copier", "band", "rich", "yaml", "pytest"} & set(sys.modules)
sys.exit(99 if heavy else code)
"""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--help"], 0),
        (["new", "--help"], 0),
        (["--version"], 0),
        (["list"], 0),
        (["new", "2fast"], 2),
        (["new", "acme"], 2),
        (["new", "acme", "--defaults", "--provider", "x"], 2),
        (["new", "--no-such-option"], 2),
        (["no-such-verb"], 2),
    ],
    ids=str,
)
def test_what_needs_little_imports_little(words: list[str], code: int) -> None:
    command = [sys.executable, "-c", LAZY, *words]
    source = str(Path(__main__.__file__).parents[1])
    ended = subprocess.run(
        command,
        check=False,
        env=os.environ | {"PYTHONPATH": source},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == code, ended.stdout + ended.stderr
    if words == ["--version"]:
        assert __version__ in ended.stdout


SOURCES = {"PYTHONPATH": str(Path(__main__.__file__).parents[1])}


@pytest.fixture
def toy_program(toy_template: Path, toy_bundle: Path) -> str:
    """What makes a toy, as a program of its own."""
    return (
        "import sys; from pathlib import Path; from band_new_adapter import template;"
        f"template.root = lambda: Path({str(toy_template)!r});"
        f"template.BUNDLE = Path({str(toy_bundle)!r});"
        "from band_new_adapter.__main__ import band_new_adapter; band_new_adapter()"
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("words", "code"), [(ACME, 0), (["acme"], 2)], ids=str)
def test_a_closed_stream_changes_nothing(
    closed: str, words: Sequence[str], code: int, cli: Cli, toy_program: str
) -> None:
    command = shlex.join([sys.executable, "-c", toy_program, *words, "--no-check"])
    ended = subprocess.run(
        ["sh", "-c", f"{command} {closed}"],
        check=False,
        env=os.environ | SOURCES,
        capture_output=True,
    )
    assert ended.returncode == code, ended.stderr
    assert b"Traceback" not in ended.stderr
    assert Path("band-adapter-acme").is_dir() == (code == 0)


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"NO_COLOR": "1", "COLUMNS": "40"},
        {"TERM": "dumb"},
    ],
    ids=str,
)
def test_any_output_takes_the_report(
    variables: dict[str, str], cli: Cli, toy_program: str
) -> None:
    words = [*ACME, "--no-check", "--output", "模型"]
    ended = subprocess.run(
        [sys.executable, "-c", toy_program, *words],
        check=False,
        env=os.environ | SOURCES | variables,
        capture_output=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert b"Made band-adapter-acme" in ended.stdout
    assert b"\x1b" not in ended.stdout
