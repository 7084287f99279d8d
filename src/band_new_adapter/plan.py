"""What would be written where: a value, and so the dry run as well."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from band_new_adapter import walk
from band_new_adapter.errors import DestinationTaken, writing


@dataclass(frozen=True, slots=True)
class Change:
    """One file: its path in the plan's folder, its content before and after.

    None stands for a file that is not there. One that moves here `was` elsewhere, and
    keeps who may read, write and run it.
    """

    path: PurePosixPath
    before: bytes | None
    after: bytes | None
    was: PurePosixPath | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes to `folder` (absolute), in the order of their paths."""

    folder: Path
    changes: tuple[Change, ...]

    @classmethod
    def of_new(cls, folder: Path, files: Mapping[PurePosixPath, bytes]) -> Plan:
        """A folder that is to be made with exactly these files."""
        changes = (Change(path, None, files[path]) for path in sorted(files))
        return cls(folder, tuple(changes))

    @classmethod
    def into(
        cls,
        folder: Path,
        files: Mapping[PurePosixPath, bytes],
        edited: Mapping[PurePosixPath, tuple[bytes | None, bytes]],
    ) -> Plan:
        """A folder that is to have these files as well, and others changed from
        what they are to what they are to be.

        What is there already, as it is to be, is no change. Raises
        DestinationTaken for a file that is there and is something else.
        """
        changes = []
        for path in sorted(files):
            found = _content(folder, path)
            if found not in (None, files[path]):
                raise DestinationTaken(
                    f"{path} exists in {folder}, and is not what would be made.",
                    "Choose another name, or move it away. An adapter that "
                    "band-new-adapter made is changed with band-adapter update --set, "
                    "and taken out with band-adapter remove.",
                )
            if found is None:
                changes.append(Change(path, None, files[path]))
        for path in sorted(edited):
            before, after = edited[path]
            if before != after:
                changes.append(Change(path, before, after))
        return cls(folder, tuple(sorted(changes, key=lambda change: change.path)))


def _content(folder: Path, path: PurePosixPath) -> bytes | None:
    file = folder / path
    for above in (folder / parent for parent in path.parents):
        if os.path.lexists(above) and not above.is_dir():
            raise DestinationTaken(
                f"{above} is no folder, and {path} would be made in it.",
                "Move it away.",
            )
    if file.is_dir():
        raise DestinationTaken(
            f"{file} is a folder, where a file would be made.", "Move it away."
        )
    return walk.content(file) if os.path.lexists(file) else None


def free_folder(path: Path) -> Path:
    """`path`, absolute, where nothing is yet or only an empty folder.

    Raises DestinationTaken otherwise.
    """
    folder = path.absolute()
    with writing(folder):
        if folder.is_dir():
            if first := next(folder.iterdir(), None):
                raise DestinationTaken(
                    f"{path} exists and is not empty: it has {first.name}.",
                    "Choose another folder with --output, or move this one away.",
                )
        elif folder.exists() or folder.is_symlink():
            raise DestinationTaken(
                f"{path} exists and is not a folder.",
                "Choose another place with --output.",
            )
        for parent in folder.parents:
            if parent.is_dir():
                break
            if parent.exists():
                raise DestinationTaken(
                    f"{parent} is not a folder, so that {path.name} cannot be in it.",
                    "Choose another place with --output.",
                )
    return folder
