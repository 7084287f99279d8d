"""What would be written where: a value, and so the dry run as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from band_new_adapter.errors import DestinationTaken, writing


@dataclass(frozen=True, slots=True)
class Change:
    """One file: its path in the plan's folder, its content before (None: there
    is no such file) and after."""

    path: PurePosixPath
    before: bytes | None
    after: bytes


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
