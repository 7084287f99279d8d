"""The git repository around a folder: asked, never written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from band_new_adapter import git, process
from band_new_adapter.errors import (
    FilesIgnored,
    NotClean,
    NotInRepository,
    ToolError,
)

_UNMERGED = {b"DD", b"AU", b"UD", b"UA", b"DU", b"AA", b"UU"}
_RECORD = re.compile(rb"([ MTADU?]{2}) (.+)", re.DOTALL)
_OPERATIONS = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply/applying": "am",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "sequencer": "cherry-pick",
    "BISECT_LOG": "bisect",
}
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree that has commits, and a folder in it that git does not ignore.

    Both paths are absolute and without links; `top` is the work tree's root.
    """

    top: Path
    folder: Path

    @classmethod
    def around(cls, folder: Path) -> Repository:
        """The repository that `folder` is in.

        Raises GitUnfit without a git that can be asked, and NotInRepository
        where git keeps nothing of the folder.
        """
        here = folder.resolve()
        if not here.is_dir():
            raise NotInRepository(
                f"{folder} is not a folder.", "Give the one of an adapter."
            )
        git.refuse_old(here)
        found = cls((here / _way_up(here)).resolve(), here)
        if git.ask("rev-parse", "--quiet", "--verify", "HEAD^{commit}", at=here).status:
            raise NotInRepository(
                f"The repository {found.top} has no commit yet.",
                "Commit what there is, so that the changes can be told from it.",
            )
        inside = found._inside
        if inside.parts and _ignored((inside,), found.top):
            raise NotInRepository(
                f"git ignores {here}, so it keeps nothing of it.",
                f"`git check-ignore --no-index -v {_name(here)}` says why: change that, "
                "and commit what there is.",
            )
        return found

    def dirt(
        self, paths: Iterable[PurePosixPath] | None = None
    ) -> tuple[PurePosixPath, ...]:
        """The files in the folder that are not as they were committed: changed,
        deleted, staged, unmerged, or new and not ignored; relative to the folder.

        `paths`, files or folders, leaves out all others.
        """
        return _among(self._status(), paths)

    def unmerged(
        self, paths: Iterable[PurePosixPath] | None = None
    ) -> tuple[PurePosixPath, ...]:
        """Those files of `dirt` that have a conflict which nobody resolved."""
        return _among(_only_unmerged(self._status()), paths)

    def ignored(self, paths: Iterable[PurePosixPath]) -> tuple[PurePosixPath, ...]:
        """Which of `paths`, relative to the folder, git is told to ignore.

        They need not exist, and may be tracked all the same.
        """
        return _ignored(tuple(paths), self.folder)

    def files(self) -> tuple[PurePosixPath, ...]:
        """The files in the folder that git keeps, relative to it."""
        answer = git.ask("ls-files", "-z", "--", ".", at=self.folder)
        names = map(os.fsdecode, git.records(answer))
        return tuple(sorted(map(PurePosixPath, names)))

    def operation(self) -> str:
        """What git has begun and not ended in this work tree, such as "merge" or
        "rebase"; empty if nothing."""
        answer = git.ask("rev-parse", "--absolute-git-dir", at=self.folder)
        (place,) = git.records(answer)
        folder = Path(os.fsdecode(place.removesuffix(b"\n")))
        begun = (name for file, name in _OPERATIONS.items() if (folder / file).exists())
        return next(begun, "")

    def require_clean(self, paths: Iterable[PurePosixPath] | None = None) -> None:
        """Raise NotClean if a change now could not be told from the user's own."""
        if operation := self.operation():
            end = "reset" if operation == "bisect" else "--abort"
            raise NotClean(
                f"git {operation} is under way in {self.top}.",
                f"Finish it, or end it with `git {operation} {end}`.",
            )
        only = None if paths is None else tuple(paths)
        status = self._status()
        if unmerged := _among(_only_unmerged(status), only):
            raise NotClean(
                f"{self.folder} has conflicts that nobody resolved: "
                f"{_names(unmerged)}.",
                "Resolve and commit them.",
            )
        if dirt := _among(status, only):
            raise NotClean(
                f"{self.folder} has changes that are not committed: {_names(dirt)}.",
                "Commit or stash them.",
            )

    def require_checked_out(self, paths: Iterable[PurePosixPath] | None = None) -> None:
        """Raise NotClean if git keeps files in a clean folder that are not there."""
        kept = _among(self.files(), paths)
        if absent := tuple(p for p in kept if not os.path.lexists(self.folder / p)):
            raise NotClean(
                f"git keeps files of {self.folder} that are not checked out: "
                f"{_names(absent)}.",
                "`git sparse-checkout disable` brings them.",
            )

    def require_kept(self, paths: Iterable[PurePosixPath]) -> None:
        """Raise FilesIgnored if git would not keep one of `paths`."""
        if ignored := self.ignored(sorted(paths)):
            raise FilesIgnored(
                f"git ignores what belongs to {self.folder}: {_names(ignored)}.",
                f"`git check-ignore --no-index -v {_name(ignored[0])}` there says why: "
                "change that.",
            )

    @property
    def _inside(self) -> PurePosixPath:
        return PurePosixPath(self.folder.relative_to(self.top).as_posix())

    def _status(self) -> dict[PurePosixPath, bytes]:
        """What git says of each file in the folder, in two letters."""
        words = ("status", "--porcelain=v1", "-z", "--untracked-files=all")
        answer = git.ask(*words, "--no-renames", "--", ".", at=self.folder)
        found = {}
        for record in git.records(answer):
            parts = _RECORD.fullmatch(record)
            if not parts:
                raise ToolError(
                    f"git status says what is not known here: {record!r}.",
                    "See that `git status --porcelain` works there.",
                )
            path = PurePosixPath(os.fsdecode(parts[2]))
            found[path.relative_to(self._inside)] = parts[1]
        return found


def _only_unmerged(status: Mapping[PurePosixPath, bytes]) -> list[PurePosixPath]:
    return [path for path, code in status.items() if code in _UNMERGED]


def _among(
    found: Iterable[PurePosixPath], paths: Iterable[PurePosixPath] | None
) -> tuple[PurePosixPath, ...]:
    """Those found that are one of `paths`, or in it; all if that is None."""
    if paths is None:
        return tuple(sorted(found))
    wanted = set(paths)
    return tuple(sorted(p for p in found if not wanted.isdisjoint((p, *p.parents))))


def _way_up(here: Path) -> str:
    """The way from `here` to the root of the work tree, such as `../../`."""
    words = ("rev-parse", "--is-inside-work-tree", "--show-cdup")
    answer = git.ask(*words, at=here)
    if answer.status:
        raise _refusal(here, answer)
    (lines,) = git.records(answer)
    inside, way, *_ = lines.decode().split("\n")
    if inside != "true":
        raise NotInRepository(
            f"{here} is in no work tree: it is a bare repository, or git's own folder.",
            "Give a folder in a checkout of it.",
        )
    return way


def _refusal(here: Path, answer: process.Ended) -> ToolError:
    said = answer.output
    if "dubious ownership" in said or "unsafe repository" in said:
        trust = re.search(r"git config --global --add safe\.directory .+", said)
        return NotInRepository(
            f"git does not trust the repository around {here}: its owner is "
            "somebody else.",
            f"If you do: `{trust[0]}`." if trust else "Take it over, or clone it.",
        )
    if "not a git repository (" in said:
        return NotInRepository(
            f"{here} is not in a git repository.",
            "Put it under git (`git init`) and commit what there is.",
        )
    return git.failed(answer)


def _ignored(paths: tuple[PurePosixPath, ...], at: Path) -> tuple[PurePosixPath, ...]:
    # The dot keeps what git would take for an option or for a pattern apart.
    given = {os.fsencode(f"./{path}"): path for path in paths}
    words = ("check-ignore", "--no-index", "-z", "--stdin")
    answer = git.ask(*words, at=at, given=b"".join(name + b"\0" for name in given))
    if link := re.search(rb"'\./([^']*)' is beyond a symbolic link", answer.raw):
        raise FilesIgnored(
            f"{os.fsdecode(link[1])} is behind a link in {at}, so that git does not "
            "keep it.",
            "Put the folder itself in the place of the link, and commit.",
        )
    none_is = answer.status == 1
    return () if none_is else tuple(given[name] for name in git.records(answer))


def _names(paths: tuple[PurePosixPath, ...]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(map(_name, paths[:_SHOWN])) + more


def _name(path: PurePosixPath | Path) -> str:
    """A path as it can be printed, whatever is in it."""
    return str(path) if str(path).isprintable() else ascii(str(path))
