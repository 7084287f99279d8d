"""The only starter of processes. What a process did is a value, never lost."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from band_new_adapter import interrupts
from band_new_adapter.errors import ToolError

_POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, where and with what environment it runs.

    It is stopped when it takes longer than `limit` seconds.
    """

    words: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]
    limit: float = 900.0
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit status (None: stopped at its limit), its
    output (standard output and error as they came) and its time in seconds."""

    command: Command
    status: int | None
    raw: bytes
    seconds: float

    @property
    def output(self) -> str:
        text = self.raw.decode("utf-8", "replace").replace("\r\n", "\n")
        if self.status is None:
            text += f"\nStopped: it ran for more than {self.command.limit:.0f} s.\n"
        return text


@dataclass(slots=True)
class _Running:
    command: Command
    child: subprocess.Popen[bytes]
    output: IO[bytes]
    started: float


def run(command: Command) -> Ended:
    """Run one command to its end."""
    with closing(side_by_side([command])) as ended:
        return next(ended)


def side_by_side(commands: Sequence[Command]) -> Generator[Ended]:
    """Run all commands at once; yield each as it ends.

    Closing the iterator, and any exception in it, kills what still runs, with
    the processes that it started.
    """
    running: list[_Running] = []
    with ExitStack() as files:
        files.callback(lambda: [_kill(item.child) for item in running])
        for command in commands:
            given = files.enter_context(tempfile.TemporaryFile())
            output = files.enter_context(tempfile.TemporaryFile())
            _start(command, given, output, running)
        while running:
            for item in [item for item in running if _is_over(item)]:
                ended = _ended(item)
                running.remove(item)
                yield ended
            time.sleep(_POLL_SECONDS)


def _start(
    command: Command, given: IO[bytes], output: IO[bytes], running: list[_Running]
) -> None:
    given.write(command.stdin)
    given.seek(0)
    # A signal between the start of a child and its name on the list of what to
    # kill would leave it behind.
    with interrupts.held():
        try:
            child = subprocess.Popen(
                command.words,
                cwd=command.folder,
                env=dict(command.environment),
                stdin=given,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise ToolError(
                f"{command.words[0]} was not found.", "Install it, then run again."
            ) from error
        running.append(_Running(command, child, output, time.monotonic()))


def _is_over(item: _Running) -> bool:
    if item.child.poll() is not None:
        return True
    return time.monotonic() - item.started > item.command.limit


def _ended(item: _Running) -> Ended:
    status = item.child.poll()
    _kill(item.child)
    item.output.seek(0)
    seconds = time.monotonic() - item.started
    return Ended(item.command, status, item.output.read(), seconds)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End `child` and its whole group; it may be over already."""
    try:
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()
