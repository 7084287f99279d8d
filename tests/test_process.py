from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from band_new_adapter import process
from band_new_adapter.errors import ToolError
from band_new_adapter.process import Command


def python(code: str, folder: Path, limit: float = 60, stdin: bytes = b"") -> Command:
    words = (sys.executable, "-c", code)
    return Command(words, folder, dict(os.environ), limit, stdin)


def test_status_and_output_are_kept(tmp_path: Path) -> None:
    code = "import sys; print(sys.stdin.read()); print('é', file=sys.stderr); exit(3)"
    command = python(f"# -*- coding: utf-8 -*-\n{code}", tmp_path, stdin=b"in")
    ended = process.run(command)
    assert (ended.status, sorted(ended.output.split())) == (3, ["in", "é"])


def test_the_quick_one_ends_first(tmp_path: Path) -> None:
    slow = python("import time; time.sleep(0.5)", tmp_path)
    quick = python("pass", tmp_path)
    with closing(process.side_by_side([slow, quick])) as ended:
        assert [item.command for item in ended] == [quick, slow]


def test_too_long_is_a_failure_that_says_so(tmp_path: Path) -> None:
    ended = process.run(python("import time; time.sleep(60)", tmp_path, limit=0.3))
    assert ended.status is None
    assert "more than 0 s" in ended.output


def test_a_missing_program_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no-such-program was not found"):
        process.run(Command(("no-such-program",), tmp_path, dict(os.environ)))


def test_closing_kills_what_runs_with_its_children(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys, time; child = subprocess.Popen([sys.executable,"
        " '-c', 'import time; time.sleep(60)']);"
        " open('pids.part', 'w').write(f'{os.getpid()} {child.pid}');"
        " os.rename('pids.part', 'pids'); time.sleep(60)"
    )
    pids = tmp_path / "pids"
    quick = python(
        "import os, time\nwhile not os.path.exists('pids'): time.sleep(0.01)", tmp_path
    )
    with closing(process.side_by_side([python(code, tmp_path), quick])) as ended:
        assert next(ended).command == quick
    running = [int(pid) for pid in pids.read_text().split()]
    deadline = time.monotonic() + 5
    while any(map(_runs, running)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(_runs, running))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False
