"""A signal at any moment: exit 130 and nothing left, or done and green."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import toy

# A shell's background job ignores Ctrl-C, and so would what it starts.
RUN = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from band_new_adapter import interrupts
interrupts.listen()
try:
    from pathlib import Path
    from band_new_adapter import template
    folder, template.BUNDLE = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
    template.root = lambda: folder
    print("ready", flush=True)
    from band_new_adapter.__main__ import band_new_adapter
except KeyboardInterrupt:
    sys.exit(130)
band_new_adapter()
"""


def start(folder: Path, template: Path, bundle: Path) -> subprocess.Popen[str]:
    folder.mkdir()
    words = [str(template), str(bundle), "acme", "--defaults"]
    child = subprocess.Popen(
        [sys.executable, "-c", RUN, *words],
        cwd=folder,
        env=os.environ
        | {"TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    assert child.stdout.readline() == "ready\n"
    return child


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_twenty_moments(tmp_path: Path, toy_template: Path, toy_bundle: Path) -> None:
    began = time.monotonic()
    child = start(tmp_path / "whole", toy_template, toy_bundle)
    out, err = child.communicate()
    whole = time.monotonic() - began
    assert child.returncode == 0, out + err

    def interrupted(moment: int) -> tuple[int, list[str], str]:
        folder = tmp_path / str(moment)
        child = start(folder, toy_template, toy_bundle)
        time.sleep(whole * moment / 20)
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[moment % 3]
        child.send_signal(number)
        out, err = child.communicate()
        return child.returncode, left(folder), out + err

    with ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(interrupted, range(20)))
    assert 130 in [code for code, _, _ in ends]
    for code, names, text in ends:
        expected = {0: ["band-adapter-acme"], 130: []}
        assert names == expected[code], text
        assert "Traceback" not in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_check_that_runs_is_killed_with_its_children(
    number: signal.Signals, tmp_path: Path, toy_bundle: Path
) -> None:
    slow = toy.make_template(tmp_path / "slow")
    test = slow / "template/package/tests/conformance/test_answer.py"
    pid = tmp_path / "pid"
    test.write_text(
        "import os, pathlib, time\n"
        f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid()) + ' ')\n"
        "time.sleep(60)\n"
    )
    child = start(tmp_path / "made", slow, toy_bundle)
    while not (pid.exists() and pid.read_text().endswith(" ")):
        assert child.poll() is None, child.communicate()
        time.sleep(0.02)
    child.send_signal(number)
    _, err = child.communicate(timeout=10)
    assert (child.returncode, left(tmp_path / "made")) == (130, [])
    assert err == "Interrupted: nothing changed.\n"
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
