"""The only writer: beside the destination first, then into place, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from band_new_adapter import interrupts
from band_new_adapter.errors import (
    CannotWrite,
    ChangedMeanwhile,
    NotPutBack,
    writing,
)
from band_new_adapter.plan import Change, Plan


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
            _lay_out(plan, folder)
        yield folder


@contextmanager
def written(plan: Plan) -> Generator[None]:
    """The plan's changes, made in its folder, which is there already.

    They stay when the block ends, and are taken back, byte for byte, when it
    raises. A file that is no longer as the plan saw it is `ChangedMeanwhile`.
    """
    done: list[Change] = []
    with scratch(_near(plan.folder)) as outer:
        old, new = outer / "old", outer / "new"
        with writing(plan.folder):
            old.mkdir()
            new.mkdir()
            _lay_out(plan, new)
            _refuse_the_changed(plan)
        try:
            with interrupts.held():
                # What records what was made is hidden, and comes last: a run that is
                # killed outright then has something left to do, and does not look done.
                for change in sorted(plan.changes, key=lambda c: str(c.path)[0] == "."):
                    done.append(change)
                    with writing(plan.folder / change.path):
                        _replace(plan.folder, change.path, old, new)
            yield
            # What is kept from here on must not be called interrupted.
            interrupts.ignore()
            interrupts.check()
        except BaseException:
            with interrupts.held():
                _take_back(plan.folder, done, outer)
            raise


@contextmanager
def copied_before(plan: Plan) -> Generator[Path]:
    """A copy of the plan's folder as it was before its changes, without what can
    be made again; it is gone when the block ends."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "node_modules", "build")
    with tempfile.TemporaryDirectory(prefix="band-new-adapter-") as outer:
        folder = Path(outer, plan.folder.name)
        with writing(folder):
            shutil.copytree(plan.folder, folder, ignore=ignored, symlinks=True)
            for change in plan.changes:
                path = folder / change.path
                if change.before is None:
                    path.unlink(missing_ok=True)
                    _remove_empty(path.parent, folder)
                else:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(change.before)
        yield folder


def _near(folder: Path) -> Path:
    """A folder on the disk of `folder`, beside it if that can be: what checks look
    at shall not have the old files in it."""
    beside = folder.parent
    same = beside.stat().st_dev == folder.stat().st_dev
    return beside if same and os.access(beside, os.W_OK) else folder


def _lay_out(plan: Plan, folder: Path) -> None:
    for change in plan.changes:
        if change.after is not None:
            path = folder / change.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(change.after)
            found = plan.folder / (change.was or change.path)
            if found.exists():
                shutil.copymode(found, path)


def _refuse_the_changed(plan: Plan) -> None:
    for change in plan.changes:
        path = plan.folder / change.path
        found = path.read_bytes() if os.path.lexists(path) else None
        if found != change.before:
            raise ChangedMeanwhile(path)
        if found is not None and not os.access(path, os.W_OK):
            raise CannotWrite(path, PermissionError(errno.EACCES, "it is read-only"))


def _replace(folder: Path, path: PurePosixPath, old: Path, new: Path) -> None:
    """Move the file at `path` to `old` and the one in `new` into its place."""
    target = folder / path
    if os.path.lexists(target):
        (old / path).parent.mkdir(parents=True, exist_ok=True)
        # What a link points to is what was read, and what is to change; but what is
        # to go is the link alone.
        if (new / path).exists():
            target = target.resolve()
        os.rename(target, old / path)
    if (new / path).exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(new / path, target)
    else:
        _remove_empty(target.parent, folder)


def _take_back(folder: Path, done: list[Change], outer: Path) -> None:
    """Undo the changes that were `done`. What the file system does not take back is
    kept where it is, and NotPutBack says where."""
    failed: dict[PurePosixPath, OSError] = {}
    for change in reversed(done):
        try:
            _put_back(folder, change, outer / "old")
        except OSError as error:
            failed[change.path] = error
    if failed:
        kept = outer.with_name(f"{outer.name}-kept")
        os.rename(outer, kept)
        raise NotPutBack(folder, failed, kept / "old")


def _put_back(folder: Path, change: Change, old: Path) -> None:
    target = (folder / change.path).resolve()
    if change.before is None:
        # Something else may be in the way of its folder.
        if target.is_file():
            target.unlink()
        _remove_empty(target.parent, folder)
    elif os.path.lexists(old / change.path):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(old / change.path, target)


def _remove_empty(folder: Path, stop: Path) -> None:
    """Remove `folder`, and those above it, as far as nothing is in them."""
    for candidate in (folder, *folder.parents):
        if candidate == stop or not candidate.is_dir() or any(candidate.iterdir()):
            return
        candidate.rmdir()


def prune(folder: Path) -> None:
    """Remove `folder` if nothing is in it."""
    with writing(folder):
        if not any(folder.iterdir()):
            folder.rmdir()


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
