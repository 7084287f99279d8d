"""The git program: how it is asked so that only the repository counts."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from band_new_adapter import process
from band_new_adapter.errors import GitUnfit, ToolError

_OLDEST = (2, 31)
# Empty is false for every git; older ones take "false" for a program.
_NO_MONITOR = ("-c", "core.fsmonitor=")
# What says how the user's git is set up, and not which repository is meant.
_PASSED_ON = re.compile("GIT_(EXEC_PATH|CONFIG|SSL|SSH|CEILING|DISCOVERY).*")
_WARNINGS = re.compile(rb"(?:warning: [^\n]*\n)+")


def ask(*words: str, at: Path, given: bytes = b"") -> process.Ended:
    """Run git in the folder `at`, with `given` as its input.

    Of the user's variables those count that the user's own git reads as well to
    know what it ignores and whom it trusts. The index is not refreshed, so that
    no hook is run either. Raises GitUnfit where there is no git.
    """
    program = shutil.which("git")
    if program is None:
        raise GitUnfit("There is no git here.", "Install it, then run again.")
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or _PASSED_ON.fullmatch(name)
    }
    own |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    command = (program, *_NO_MONITOR, *words)
    return process.run(process.Command(command, at, own, stdin=given))


def records(answer: process.Ended) -> list[bytes]:
    """What git printed, parted at each NUL, without the warnings in between.

    Raises ToolError if git failed.
    """
    if answer.status != 0:
        raise failed(answer)
    parts = answer.raw.split(b"\0")
    starts = [found.end() if (found := _WARNINGS.match(p)) else 0 for p in parts]
    kept = (part[start:] for part, start in zip(parts, starts, strict=True))
    return [part for part in kept if part]


def failed(answer: process.Ended) -> ToolError:
    """The error for an answer that is none."""
    return ToolError(
        f"git cannot read the repository around {answer.command.folder}: "
        f"{last_words(answer)}.",
        "See that `git status` works there.",
    )


def last_words(answer: process.Ended) -> str:
    """The line that says why git failed."""
    lines = answer.output.strip().splitlines() or ["nothing"]
    said = next((line for line in lines if line.startswith("fatal: ")), lines[-1])
    return said.removesuffix(".")


def refuse_old(here: Path) -> None:
    """Raise GitUnfit if the git program is too old, or does not work."""
    answer = ask("version", at=here)
    numbers = re.search(r"git version (\d+)\.(\d+)", answer.output)
    if not numbers:
        raise GitUnfit(
            f"git does not say its version, but: {last_words(answer)}.",
            "See that `git version` works.",
        )
    if tuple(map(int, numbers.groups())) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise GitUnfit(
            f"git is {numbers[1]}.{numbers[2]}, which is too old.",
            f"Install git {oldest} or later.",
        )
