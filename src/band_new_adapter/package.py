"""An adapter package on disk: found and described, never written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from band_new_adapter import pyproject
from band_new_adapter.errors import NoSuchFolder, NotAnAdapter

_PREFIX = "band-adapter-"
RULES = Path("tests", "conformance", "rules.py")
"""Where a package says which rules its conformance tests are about."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package: its folder (absolute), its distribution name, and what its
    checks need to be installed beside it."""

    folder: Path
    distribution: str
    requirements: tuple[Requirement, ...]

    @classmethod
    def at(cls, path: Path) -> Package:
        """The package in the folder `path`.

        Raises NotAnAdapter, NoSuchFolder and ProjectRefused.
        """
        if not path.exists():
            raise NoSuchFolder(path)
        folder = path.resolve()
        remedy = "Give the folder of an adapter that band-new-adapter made."
        if not (folder / pyproject.FILE).is_file():
            message = f"{folder} is not an adapter: it has no {pyproject.FILE}."
            raise NotAnAdapter(message, remedy)
        project = pyproject.at(folder)
        name = canonicalize_name(str(project.get("name", "")))
        if not (folder / RULES).is_file() and not name.startswith(_PREFIX):
            raise NotAnAdapter(
                f"{folder} is a package, but not an adapter: it has no {RULES.as_posix()}.",
                remedy,
            )
        shown = str(folder / pyproject.FILE)
        extras = pyproject.extras(project, shown)
        own = (extras.get(extra, []) for extra in (name.removeprefix(_PREFIX), "test"))
        requirements = [
            requirement
            for listed in (project.get("dependencies", []), *own)
            for requirement in pyproject.requirements(listed, shown)
        ]
        others = (r for r in requirements if canonicalize_name(r.name) != name)
        return cls(folder, name, tuple(others))
