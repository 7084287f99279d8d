"""What is in a folder, but for the environments that somebody made there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from band_new_adapter.errors import CannotRead

Skip = Callable[[Path], bool]
"""Whether a folder is not to be looked into."""


def folders(root: Path, skip: Skip) -> Iterator[tuple[Path, list[str], list[str]]]:
    """`root` and each folder below it, with the names of the folders and of the files
    in it, sorted. Virtual environments are never looked into."""
    for folder, names, files in os.walk(root):
        here = Path(folder)
        names[:] = sorted(
            name
            for name in names
            if not skip(here / name) and not (here / name / "pyvenv.cfg").exists()
        )
        yield here, names, sorted(files)


def files(root: Path, skip: Skip) -> Iterator[PurePosixPath]:
    """The paths in `root` of all files below it."""
    for here, _, names in folders(root, skip):
        inside = PurePosixPath(here.relative_to(root).as_posix())
        yield from (inside / name for name in names)


def content(file: Path) -> bytes:
    """What is in a file. Raises CannotRead."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise CannotRead(file, error) from error


def written(root: Path) -> Iterator[PurePosixPath]:
    """The paths in `root` of all files below it, but for what tools brought there."""
    return files(root, lambda folder: folder.name in (".git", "node_modules"))
