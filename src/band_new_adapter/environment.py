"""Where the checks of a package run: here, or in an environment made for it."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from band_new_adapter import apply, process
from band_new_adapter.errors import CannotWrite, EnvironmentProblem

_SHOWN_LINES = 6


@dataclass(frozen=True, slots=True)
class Environment:
    """A Python with everything that the checks need, and how to call it."""

    python: Path
    description: str


def environment_for(requirements: Sequence[Requirement]) -> Environment:
    """This tool's own environment if it has all that is required, otherwise a
    virtual environment that is made once for these requirements.

    Raises EnvironmentProblem when that cannot be made.
    """
    if not any(unmet(requirement) for requirement in requirements):
        description = f"the environment of this tool, Python {_version()}"
        return Environment(Path(sys.executable), description)
    folder = _cache() / _key(requirements)
    if not _python(folder).is_file():
        try:
            _make(folder, requirements)
        except CannotWrite as error:
            raise _problem(error.message, requirements) from error
    description = f"an environment made for it, Python {_version()}, in {folder}"
    return Environment(_python(folder), description)


def environment_at(
    folder: Path, requirements: Sequence[Requirement]
) -> Environment | None:
    """The virtual environment in `folder`, if it has all that is required."""
    python = _python(folder)
    if not python.is_file():
        return None
    code = "from importlib.metadata import distributions as d\n"
    code += "print(*(f'{x.name} {x.version}' for x in d()), sep='\\n')"
    words = (str(python), "-I", "-c", code)
    ended = process.run(process.Command(words, folder, _variables()))
    pairs = (line.split(" ") for line in ended.output.splitlines() if " " in line)
    versions = {canonicalize_name(name): version for name, version, *_ in pairs}
    for wanted in requirements:
        found = versions.get(canonicalize_name(wanted.name))
        if found is None or not wanted.specifier.contains(found, prereleases=True):
            return None
    return Environment(python, f"the environment {folder}")


def unmet(requirement: Requirement, extra: str = "") -> list[Requirement]:
    """What of `requirement`, its extras included, is not installed here."""
    if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
        return []
    try:
        found = metadata.distribution(requirement.name)
    except metadata.PackageNotFoundError:
        return [requirement]
    if not requirement.specifier.contains(found.version, prereleases=True):
        return [requirement]
    return [
        missing
        for extra in sorted(requirement.extras)
        for text in found.requires or []
        if "extra" in text
        for missing in unmet(Requirement(text), extra)
    ]


def _make(folder: Path, requirements: Sequence[Requirement]) -> None:
    with apply.scratch(folder.parent) as outer:
        made = outer / folder.name
        for words in _steps(made, [str(r) for r in requirements]):
            command = process.Command(words, outer, _variables())
            ended = process.run(command)
            if ended.status != 0:
                raise _problem(ended.output, requirements)
        apply.keep(made, folder)


def _steps(folder: Path, wanted: list[str]) -> Iterator[tuple[str, ...]]:
    python = str(_python(folder))
    if uv := shutil.which("uv"):
        yield (uv, "venv", "--quiet", "--python", sys.executable, str(folder))
        yield (uv, "pip", "install", "--quiet", "--python", python, *wanted)
    else:
        yield (sys.executable, "-m", "venv", str(folder))
        pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check")
        yield (*pip, "--retries", "1", "install", *wanted)


def _problem(output: str, requirements: Sequence[Requirement]) -> EnvironmentProblem:
    last = "\n".join(output.strip().splitlines()[-_SHOWN_LINES:])
    missing = " ".join(f"'{r}'" for needed in requirements for r in unmet(needed))
    return EnvironmentProblem(
        f"What the checks need could not be installed:\n{last}",
        f"Connect to a network, or install it beside this tool: {missing}. "
        "A new adapter can also be made without its checks: --no-check.",
    )


def _cache() -> Path:
    return Path("~/.band-new-adapter/environments").expanduser()


def _key(requirements: Sequence[Requirement]) -> str:
    parts = [*sorted(map(str, requirements)), sys.version, sys.base_prefix]
    text = "\n".join([*parts, platform.machine()])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _python(folder: Path) -> Path:
    if os.name == "nt":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def _version() -> str:
    return platform.python_version()


def _variables() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
