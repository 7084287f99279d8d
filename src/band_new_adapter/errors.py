"""What can be expected to go wrong: a message, a remedy and an exit code."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

GREEN = 0
FAILED = 1
USAGE = 2
CONFLICTS = 3
BEHIND = 3
CHECK_FAILED = 4
INTERRUPTED = 130


TOO_DEEP = (RecursionError, MemoryError)
"""How a parser gives up on what is nested deeper than anybody writes."""


class ToolError(Exception):
    """An expected failure. Anything else that is raised is a bug of this tool.

    `message` says what was found, `remedy` what the user can do about it.
    """

    exit_code = FAILED

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class UsageProblem(ToolError):
    """The command line, or an answer on it, cannot be used."""

    exit_code = USAGE


class NameRefused(UsageProblem):
    """A name that would break where it is used; `nearest` is a good one."""

    def __init__(self, name: str, reason: str, nearest: str) -> None:
        super().__init__(
            f"{name!r} cannot name an adapter: {reason}.", f"Try {nearest!r} instead."
        )
        self.nearest = nearest


class UnknownChoice(UsageProblem):
    """An answer that is none of the choices of its question."""

    def __init__(self, flag: str, value: object, choices: Iterable[object]) -> None:
        words = [*map(str, choices)]
        super().__init__(
            f"{flag} has no choice {str(value)!r}.{meant(str(value), words)}",
            f"Choose from: {', '.join(words)}.",
        )


class AnswersMissing(UsageProblem):
    """Questions without an answer, where nobody can be asked."""

    def __init__(self, flags: Iterable[str], *, defaults: bool) -> None:
        found = f"No answer for {', '.join(flags)}"
        if defaults:
            super().__init__(f"{found}, which has no default.", "Give it.")
        else:
            super().__init__(
                f"{found}, and no terminal to ask on.",
                "Give each of them, or --defaults for all that have a default.",
            )


class DestinationTaken(ToolError):
    """The folder to make is already something else."""


class NotAnAdapter(ToolError):
    """The folder to check is not an adapter package."""


class NoSuchFolder(ToolError):
    """The folder that an adapter is looked for in is not there; its name was given,
    perhaps, in the place of its folder."""

    def __init__(self, path: Path) -> None:
        usual = path.with_name(f"band-adapter-{path.name.replace('_', '-')}")
        super().__init__(
            f"There is no folder {path}.",
            f"Did you mean {usual}?" if usual.is_dir() else "Give that of an adapter.",
        )


class HostRefused(ToolError):
    """The place cannot take an adapter in: unknown, too old, or broken."""


class ProjectRefused(ToolError):
    """A pyproject.toml that cannot be read as one."""

    def __init__(self, found: str) -> None:
        super().__init__(found, "Correct the file.")


class GitUnfit(ToolError):
    """There is no git program, or one that is too old or does not work."""


class NotInRepository(ToolError):
    """git has nothing to compare the folder with, and could not bring it back."""


class NotClean(ToolError):
    """The folder has work that is not committed, or git something not ended."""


class FilesIgnored(ToolError):
    """git is told to ignore what belongs to the adapter."""


class UnknownVersion(ToolError):
    """The template never had this version, or has it in a newer tool only."""

    def __init__(self, tag: str, known: Iterable[str], *, newer: bool) -> None:
        super().__init__(
            f"There is no version {tag!r} of the template here, only "
            f"{', '.join(known)}.",
            "A newer band-new-adapter may have it: upgrade the tool."
            if newer
            else "Correct it where it stands: in --to, or _commit in the answers file.",
        )


class UpdateRefused(ToolError):
    """What is asked of an update is not what updates do."""


class Unresolved(ToolError):
    """An earlier update left a conflict, and it is still there."""


class ChangedMeanwhile(ToolError):
    """A file is not as it was when the plan was made."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} was changed while this command ran.", "Run the command again."
        )


class CannotWrite(ToolError):
    """The file system refused: read-only, full, or not there."""

    def __init__(self, path: Path, error: OSError) -> None:
        forbidden = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        remedy = "Make it writable" if forbidden else "Make room"
        super().__init__(
            f"{path} cannot be written: {error.strerror or error}.",
            f"{remedy}, or choose another place, and run the command again.",
        )


class NotPutBack(ToolError):
    """The file system refused while changes were taken back; `kept` has what was
    there before."""

    def __init__(
        self, folder: Path, failed: Mapping[PurePosixPath, OSError], kept: Path
    ) -> None:
        path, error = next(iter(failed.items()))
        super().__init__(
            f"{folder} could not be put back: {', '.join(map(str, failed))} "
            f"({path}: {error.strerror or error}).",
            f"Take them from {kept}, where they are as they were.",
        )


class CannotRead(ToolError):
    """The file system refused: a folder, not readable, or no longer there."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path} cannot be read: {error.strerror or error}.")


class EnvironmentProblem(ToolError):
    """No environment has, or could be given, what the checks need."""


class UnknownShape(ToolError):
    """A file that an entry has to be added to, and that says it in a way that is
    not known here; `lines` is what has to be in it."""

    def __init__(self, found: str, lines: str = "") -> None:
        super().__init__(found, f"Add this by hand:\n{lines}" if lines else "")
        self.lines = lines


def meant(word: str, known: Iterable[str]) -> str:
    """A sentence that asks for the one that is `known` and most like `word`, to stand
    behind another; empty where none is like it."""
    by_letters = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(word.casefold(), by_letters, n=1)
    return f" Did you mean {by_letters[near[0]]!r}?" if near else ""


class NameTaken(UnknownShape):
    """An entry of that name, which says something else."""

    def __init__(self, found: str, remedy: str = "Choose another name.") -> None:
        super().__init__(found)
        self.remedy = remedy


@contextmanager
def writing(path: Path) -> Generator[None]:
    """Whatever the file system refuses in this block is `CannotWrite`."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(path, error) from error
