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
# What an installed script runs, whether the tool is installed or not.
SCRIPT = f"""
import sys
sys.path.insert(0, {_SOURCE!r})
from band_new_adapter import __main__
__main__."""
TOOL = (PYTHON, "-c", f"{SCRIPT}band_new_adapter()")
VERBS = (PYTHON, "-c", f"{SCRIPT}band_adapter()")
COPIER = (PYTHON, "-m", "copier")
ANSWERS = ("--defaults", "--quiet", "--data", "adapter=bench")
WHO = ("-c", "user.name=bench", "-c", "user.email=bench@band.invalid")
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

    def command(
        self, *words: str, cwd: Path | None = None, copied: Path | None = None
    ) -> Measure:
        """A command to measure; `{new}` in it is a folder that does not exist, or
        a copy of `copied`."""

        def measure() -> Cost:
            new = self.folder / "new"
            if copied:
                shutil.copytree(copied, new)
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
        self.commit(repository)
        tag = (*WHO, "tag", "--annotate", "--message=template", template.TAG)
        self.run(("git", *tag), repository)
        return repository

    def package_of(self, version: str) -> Path:
        """A repository with a package as `version` of the template makes it.

        The tool has to have run here before.
        """
        package = self.folder / version
        which = ("--vcs-ref", version, template.SOURCE, str(package))
        self.run((*COPIER, "copy", *ANSWERS, *which))
        self.commit(package)
        return package

    def commit(self, folder: Path) -> None:
        """Make a repository of `folder`."""
        commit = (*WHO, "commit", "--quiet", "--message=all")
        for words in (("init", "--quiet"), ("add", "--all"), commit):
            self.run(("git", *words), folder)


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


def compare_help(place: Place) -> None:
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


def compare_new(place: Place) -> None:
    new = (*TOOL, "bench", "--defaults", "--output", "{new}")
    source = str(place.template_in_git())
    compare(
        {"copier": "a package without checks / copier copy from git"},
        {
            "tool": place.command(*new, "--no-check"),
            "copier": place.command(*COPIER, "copy", *ANSWERS, source, "{new}"),
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


def compare_update(place: Place) -> None:
    oldest, *_ = template.tags(template.BUNDLE.read_bytes())
    package = place.package_of(oldest)
    ours = (*VERBS, "update", "--no-check", "{new}")
    theirs = (*COPIER, "update", "--defaults", "--quiet", "{new}")
    compare(
        {"copier": "an update without checks / copier update"},
        {
            "tool": place.command(*ours, copied=package),
            "copier": place.command(*theirs, copied=package),
        },
        rounds=9,
    )


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="band-new-adapter-") as made:
        place = Place(Path(made))
        compare_help(place)
        compare_new(place)
        compare_update(place)


if __name__ == "__main__":
    main()
