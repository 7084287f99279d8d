"""The questions on a real terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from band_new_adapter import catalog, cli
from band_new_adapter.commands import list as list_command
from tests.test_answers import TOY

# A shell's background job ignores Ctrl-C, and so would what it starts.
ASKED = """
import fcntl, json, signal, sys, termios
signal.signal(signal.SIGINT, signal.default_int_handler)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from band_new_adapter import __main__, cli
from band_new_adapter.commands import new
def run(answers, notes, options):
    print("ANSWERS " + json.dumps(answers.data))
    return 0
new.run = run
sys.argv[0] = "band-new-adapter"
__main__.band_new_adapter()
"""


def talk(typed: str, *words: str, columns: int = 60) -> tuple[int, str]:
    """Type into the command on a terminal; its exit code and the screen."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", ASKED, *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=os.environ
        | {
            "PYTHONPATH": str(Path(cli.__file__).parents[1]),
            "COLUMNS": str(columns),
            "NO_COLOR": "1",
        },
        start_new_session=True,
    )
    os.close(slave)
    screen = os.read(master, 4096)
    os.write(master, typed.encode())
    while True:
        try:
            screen += os.read(master, 4096)
        except OSError:
            break
    os.close(master)
    return child.wait(), screen.decode().replace("\r\n", "\n")


def answers_on(screen: str) -> dict[str, object]:
    line = next(line for line in screen.splitlines() if "ANSWERS" in line)
    return json.loads(line.partition("ANSWERS ")[2])


def test_every_question_is_asked_and_every_wrong_answer_again() -> None:
    typed = "2fast\nmy-api\n3\n2\nx\ncustom\nsmell\n1,usage\nnone\n\n"
    code, screen = talk(typed)
    assert code == 0, screen
    assert "Try 'fast2' instead" in " ".join(screen.split())
    assert "--provider has no choice 'x'" in screen
    assert "1. openai: OpenAI Chat Completions" in screen
    assert "2. The adapter" in screen
    found = answers_on(screen)
    assert (found["adapter"], found["provider"]) == ("my_api", "custom")
    assert (found["emit"], found["capabilities"]) == (["tool_calls", "usage"], [])
    assert found["description"] == "Connects MyAPI to Band chat rooms."


def test_enter_takes_the_defaults_and_flags_are_not_asked() -> None:
    code, screen = talk("\n\n\n\n", "acme", "--emit", "usage", columns=40)
    assert code == 0, screen
    assert answers_on(screen)["emit"] == ["usage"]
    assert "tool_calls" not in screen.partition("ANSWERS")[0]
    lines = screen.partition("ANSWERS")[0].splitlines()
    asked = [line for line in lines if not line.startswith("description [")]
    assert max(map(len, asked)) <= 40


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_leaving_is_an_interrupt(key: str) -> None:
    code, screen = talk(f"acme\n{key}")
    assert code == 130
    assert screen.endswith("\nInterrupted: nothing changed.\n")


def test_what_a_provider_cannot_do_is_not_offered_and_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(catalog.PROVIDERS, "toy", TOY)  # pyrefly: ignore
    list_command.run(as_json=False)
    toy = capsys.readouterr().out.partition("\n\ntoy\n")[2]
    assert "emit: tool_calls, task_events, usage\n" in toy
    assert "not thoughts: it never says what it thinks\n" in toy
