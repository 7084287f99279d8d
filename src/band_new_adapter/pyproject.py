"""A project as its pyproject.toml has it: read, never written."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from band_new_adapter import walk
from band_new_adapter.errors import TOO_DEEP, ProjectRefused

FILE = "pyproject.toml"


def at(folder: Path) -> dict[str, Any]:
    """The [project] of the project in `folder`; empty where the file has none.

    Raises CannotRead and ProjectRefused.
    """
    file = folder / FILE
    return table(walk.content(file), str(file))


def table(content: bytes, shown: str) -> dict[str, Any]:
    """The [project] in a file's `content`; empty where it has none. Messages call
    the file `shown`. Raises ProjectRefused."""
    try:
        project = tomllib.loads(content.decode("utf-8-sig")).get("project", {})
    except (ValueError, *TOO_DEEP) as error:
        raise ProjectRefused(f"{shown} is not TOML: {error}.") from error
    if not isinstance(project, dict):
        raise ProjectRefused(f"{shown} has a project that is no table.")
    return project


def extras(project: Mapping[str, Any], shown: str) -> dict[str, object]:
    """What each extra asks for, by its normalized name. Raises ProjectRefused."""
    found = project.get("optional-dependencies", {})
    if not isinstance(found, dict):
        raise ProjectRefused(f"{shown} has extras that are no table.")
    return {canonicalize_name(key): value for key, value in found.items()}


def requirements(listed: object, shown: str) -> tuple[Requirement, ...]:
    """What a list of requirements asks for. Raises ProjectRefused."""
    if not isinstance(listed, list):
        raise ProjectRefused(f"{shown} asks for {listed!r}, which is no list.")
    return tuple(_requirement(str(text), shown) for text in listed)


def _requirement(text: str, shown: str) -> Requirement:
    try:
        return Requirement(text)
    except InvalidRequirement as error:
        message = f"{shown} asks for {text!r}, which is no requirement."
        raise ProjectRefused(message) from error
