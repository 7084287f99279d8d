"""The host's own files: what has to be added to each of them, and where.

A registrar is `(text, entry) -> Edit`. It only adds, it adds nothing twice, and it
raises UnknownShape for what it does not know, NameTaken for another's entry.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from band_new_adapter.errors import NameTaken, UnknownShape
from band_new_adapter.register.edit import Edit
from band_new_adapter.register.entry import Entry
from band_new_adapter.register.places import PLACES


@dataclass(frozen=True, slots=True)
class Registration:
    """An edit of one file; an empty one where the entry is there already."""

    path: PurePosixPath
    place: str
    edit: Edit


@dataclass(frozen=True, slots=True)
class Left:
    """What a person has to do: what was found in a file, and the lines to add, or
    behind `$ ` the command that makes it."""

    path: PurePosixPath
    place: str
    found: str
    lines: str


@dataclass(frozen=True, slots=True)
class Registrations:
    """All that a host needs. Several edits of one path apply in their order, each to
    what the one before it made. `absent` names the places that the host has not."""

    made: tuple[Registration, ...]
    left: tuple[Left, ...]
    absent: tuple[str, ...]

    def apply(self, files: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
        """The files that change, as they will be."""
        changed: dict[PurePosixPath, str] = {}
        for one in self.made:
            if one.edit:
                text = changed.get(one.path, files[one.path])
                changed[one.path] = one.edit.apply(text)
        return changed


def registrations(
    files: Mapping[PurePosixPath, str],
    entry: Entry,
    recorded: Collection[PurePosixPath] = (),
) -> Registrations:
    """What each of the `files` (by their paths in the host) needs for `entry`.

    Raises UnknownShape, with the lines to add by hand, for a required place. In
    those `recorded` the adapter has been before: what is not known there is what a
    person made of it, and is left.
    """
    made: list[Registration] = []
    left: list[Left] = []
    absent: list[str] = []
    texts = dict(files)
    for place in (place for place in PLACES if place.lists(entry)):
        found = [path for path in texts if place.matches(path, texts[path], entry)]
        for path in found:
            try:
                edit = place.registrar(texts[path], entry)
            except UnknownShape as error:
                message, lines = f"{path}: {error.message}.", place.lines(entry)
                if path not in recorded and isinstance(error, NameTaken):
                    raise NameTaken(message, error.remedy) from error
                if path not in recorded and place.required:
                    raise UnknownShape(message, lines) from error
                left.append(Left(path, place.name, error.message, lines))
            else:
                made.append(Registration(path, place.name, edit))
                texts[path] = edit.apply(texts[path])
        if not found:
            absent.append(place.name)
    return Registrations(tuple(made), tuple(left), tuple(absent))
