"""The only writer: beside the destination first, then into place, or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from band_new_adapter import interrupts
from band_new_adapter.errors import writing
from band_new_adapter.plan import Plan


@contextmanager
def staged(plan: Plan) -> Generator[Path]:
    """The plan's folder under its own name in a temporary one, on the same disk.

    What was not moved into place is gone when the block ends, however it ends.
    """
    # In an empty folder that exists already it is made inside: the place beside
    # it may be on another disk, or not ours to write to.
    beside = next(path for path in _upwards(plan.folder) if path.is_dir())
    with scratch(beside) as outer:
        folder = outer / plan.folder.name
        with writing(plan.folder):
            folder.mkdir()
            for change in plan.changes:
                path = folder / change.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(change.after)
        yield folder


def move(folder: Path, destination: Path) -> None:
    """Put `folder` at `destination`, where nothing is or an empty folder.

    It happens whole or not at all. From here on no signal ends the run: what it
    made is there, and saying "interrupted, nothing changed" would be false.
    """
    made: list[Path] = []
    moved: list[Path] = []
    interrupts.ignore()
    interrupts.check()
    with writing(destination):
        try:
            if destination.is_dir():
                for item in sorted(folder.iterdir()):
                    os.rename(item, destination / item.name)
                    moved.append(item)
            else:
                for parent in reversed(list(destination.parents)):
                    if not parent.is_dir():
                        parent.mkdir()
                        made.append(parent)
                os.rename(folder, destination)
        except OSError:
            for item in moved:
                os.rename(destination / item.name, item)
            for parent in reversed(made):
                parent.rmdir()
            raise


def put(path: Path, content: bytes) -> None:
    """Write a whole file or leave the old one: no reader sees half of it."""
    with writing(path), scratch(path.parent) as folder:
        part = folder / path.name
        part.write_bytes(content)
        os.replace(part, path)


@contextmanager
def scratch(parent: Path) -> Generator[Path]:
    """A new temporary folder in `parent`, which is made when it is not there.
    It is gone when the block ends."""
    folder = parent / f".band-new-adapter-{secrets.token_hex(4)}"
    try:
        with writing(parent):
            folder.mkdir(parents=True)
        yield folder
    finally:
        with interrupts.held():
            shutil.rmtree(folder, ignore_errors=True)


def keep(folder: Path, target: Path) -> None:
    """Make `folder` known as `target`, in the place of what was there."""
    with writing(target), scratch(target.parent) as old:
        if target.exists():
            os.rename(target, old / target.name)
        os.rename(folder, target)


def _upwards(path: Path) -> Iterator[Path]:
    yield path
    yield from path.parents
