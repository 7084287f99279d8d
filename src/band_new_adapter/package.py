"""An adapter package on disk: found and described, never written."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

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
        """The package in the folder `path`. Raises NotAnAdapter and NoSuchFolder."""
        if not path.exists():
            raise NoSuchFolder(path)
        folder = path.resolve()
        project = _project(folder)
        name = canonicalize_name(str(project.get("name", "")))
        if not (folder / RULES).is_file() and not name.startswith(_PREFIX):
            raise NotAnAdapter(
                f"{folder} is a package, but not an adapter: it has no {RULES.as_posix()}.",
                "Give the folder of an adapter that band-new-adapter made.",
            )
        extras = {
            canonicalize_name(key): value
            for key, value in project.get("optional-dependencies", {}).items()
        }
        wanted = [*project.get("dependencies", [])]
        for extra in (name.removeprefix(_PREFIX), "test"):
            wanted += extras.get(canonicalize_name(extra), [])
        try:
            requirements = tuple(Requirement(text) for text in wanted)
        except InvalidRequirement as error:
            raise NotAnAdapter(
                f"{folder / 'pyproject.toml'} asks for what cannot be read: {error}.",
                "Correct the requirement.",
            ) from error
        others = (r for r in requirements if canonicalize_name(r.name) != name)
        return cls(folder, name, tuple(others))


def _project(folder: Path) -> dict[str, Any]:
    remedy = "Give the folder of an adapter that band-new-adapter made."
    file = folder / "pyproject.toml"
    try:
        text = file.read_text(encoding="utf-8")
        project = tomllib.loads(text).get("project")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        message = (
            f"{folder} is not an adapter: pyproject.toml cannot be read ({reason})."
        )
        raise NotAnAdapter(message, remedy) from error
    except tomllib.TOMLDecodeError as error:
        message = f"{file} is not TOML: {error}."
        raise NotAnAdapter(message, "Correct the file.") from error
    if not isinstance(project, dict):
        message = f"{folder} is not an adapter: its pyproject.toml has no [project]."
        raise NotAnAdapter(message, remedy)
    return project
