"""The tool's commands, as whole processes, against what they stand beside.

`python -m benchmarks.cli`; README.md says what each line is.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import band_new_adapter
from band_new_adapter import template
from benchmarks.measure import interleaved, line

PYTHON = sys.executable
_SOURCE = str(Path(band_new_adapter.__file__).parents[1])
# What the installed script runs, whether the tool is installed or not.
TOOL_SCRIPT = f"""
import sys
sys.path.insert(0, {_SOURCE!r})
from band_new_adapter.__main__ import band_new_adapter
band_new_adapter()
"""
TOOL = (PYTHON, "-c", TOOL_SCRIPT)
BARE_APP = """
import typer
app = typer.Typer(rich_markup_mode=None)
@app.command()
def main(name: str) -> None: ...
app()
"""


class Cost(NamedTuple):
    """Seconds of a whole process, its children included: on the clock, and of CPU."""

    clock: float
    cpu: float


Measure = Callable[[], Cost]


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Place:
    """A folder for everything that is run here, its home folder included."""

    folder: Path

    def run(self, words: Sequence[str], cwd: Path | None = None) -> None:
        """Run a command to its end. Raises, with its output, if it fails."""
        ended = subprocess.run(
            words,
            cwd=cwd or self.folder,
            env=self._variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise SystemExit(f"{' '.join(words)}\n{ended.stdout}")

    def command(self, *words: str, cwd: Path | None = None) -> Measure:
        """A command to measure; `{new}` in it is a folder that does not exist."""

        def measure() -> Cost:
            new = self.folder / "new"
            there = [word.replace("{new}", str(new)) for word in words]
            cpu, clock = _cpu(), time.perf_counter()
            self.run(there, cwd)
            cost = Cost(time.perf_counter() - clock, _cpu() - cpu)
            shutil.rmtree(new, ignore_errors=True)
            return cost

        return measure

    def _variables(self) -> dict[str, str]:
        """Those of a user who has activated this environment."""
        path = os.pathsep.join((str(Path(PYTHON).parent), os.environ["PATH"]))
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        return {**kept, "HOME": str(self.folder), "PATH": path}

    def template_in_git(self) -> Path:
        """A git repository with the working tree's template as its only version."""
        repository = self.folder / "template"
        for path, content in template.files(template.root()).items():
            file = repository / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        who = ("-c", "user.name=bench", "-c", "user.email=bench@band.invalid")
        for words in (
            ("init", "--quiet"),
            ("add", "--all"),
            (*who, "commit", "--quiet", "--message=template"),
            (*who, "tag", "--annotate", "--message=template", template.TAG),
        ):
            self.run(("git", *words), repository)
        return repository


def compare(
    about: Mapping[str, str], commands: Mapping[str, Measure], rounds: int
) -> None:
    """Print the first command against others; `about` has a text for each of them."""
    found = interleaved(commands, rounds)
    first, *_ = found.values()
    for name, text in about.items():
        for kind, number in (("clock", 0), ("CPU", 1)):
            ours, theirs = (
                [c[number] for c in costs] for costs in (first, found[name])
            )
            line(f"{text}, {kind}", ours, theirs)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="band-new-adapter-") as made:
        place = Place(Path(made))
        compare(
            {
                "typer": "--help / python -c 'import typer'",
                "bare": "--help / --help of a bare Typer app",
            },
            {
                "help": place.command(*TOOL, "--help"),
                "typer": place.command(PYTHON, "-c", "import typer"),
                "bare": place.command(PYTHON, "-c", BARE_APP, "--help"),
            },
            rounds=15,
        )
        new = (*TOOL, "bench", "--defaults", "--output", "{new}")
        answers = ("--defaults", "--quiet", "--data", "adapter=bench")
        source = str(place.template_in_git())
        copy = (PYTHON, "-m", "copier", "copy", *answers, source, "{new}")
        compare(
            {"copier": "a package without checks / copier copy from git"},
            {
                "tool": place.command(*new, "--no-check"),
                "copier": place.command(*copy),
            },
            rounds=9,
        )
        package = place.folder / "package"
        place.run((*new[:-1], str(package), "--no-check"))
        compare(
            {"suite": "a package with its green report / its suite alone"},
            {
                "tool": place.command(*new),
                "suite": place.command(PYTHON, "-m", "pytest", "-q", cwd=package),
            },
            rounds=3,
        )


if __name__ == "__main__":
    main()
