"""An adapter that exists: where it is, what it was made from, how it is made again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from band_new_adapter import questions, walk
from band_new_adapter.answers import Answers
from band_new_adapter.errors import NoSuchFolder, NotAnAdapter, UsageProblem
from band_new_adapter.host import Host
from band_new_adapter.record import FOLDER
from band_new_adapter.render import ANSWERS_FILE, render

_NO_PLACE = {"node_modules", "site-packages", "__pycache__"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """What an answers file holds: the answers, the template's version, and for a
    checkout where its files go."""

    answers: Answers
    version: str
    place: Mapping[str, object]


_OF_A_CHECKOUT = ("destination", "root", "source", "tests", "distribution", "probes")
_NOT_OF_A_CHECKOUT = {"description": "", "license": "none"}


def recorded(path: Path, placed: Collection[str] = ()) -> Recorded:
    """What the answers file of an adapter holds; `placed` are the keys of its place.

    Raises NotAnAdapter for what is not, or no longer, a whole answers file.
    """
    restore = "Restore it from the repository's history."
    try:
        found = questions.read(path, str(path))
    except UsageProblem as error:
        raise NotAnAdapter(error.message, restore) from error
    place = {key: found[key] for key in placed if key in found}
    own = {k: v for k, v in found.items() if k[:1] != "_" and k not in place}
    if placed:
        own = _NOT_OF_A_CHECKOUT | own
    missing = [q.key for q in questions.QUESTIONS if q.key not in own]
    missing += [k for k in (*placed, "_commit", "_src_path") if k not in found]
    if missing:
        lacks = f"{path} has no answer for {', '.join(missing)}."
        raise NotAnAdapter(lacks, restore)
    try:
        questions.refuse_unknown(own, "it")
        answers, _ = questions.gather(own, defaults=False, ask=None)
    except UsageProblem as error:
        raise NotAnAdapter(f"{path}: {error.message}", restore) from error
    return Recorded(answers, str(found["_commit"]), place)


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter in `folder` (absolute): a package of its own, or in `host`.

    `place` are the answers that say where a checkout has its files.
    """

    folder: Path
    answers_file: PurePosixPath
    answers: Answers
    version: str
    place: Mapping[str, Any]
    host: Host | None = None

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self.answers.adapter if self.host else self.answers.distribution

    @property
    def source(self) -> PurePosixPath:
        """The folder that all of its modules are in."""
        own = PurePosixPath("src", self.answers.package)
        return PurePosixPath(self.place["source"]) if self.host else own

    @property
    def module(self) -> PurePosixPath:
        """Where the template puts its class."""
        there = PurePosixPath("adapters", f"{self.answers.adapter}.py")
        return self.source / (there if self.host else "adapter.py")

    @classmethod
    def of_package(cls, folder: Path) -> Adapter:
        """The package in `folder`. Raises NotAnAdapter."""
        found = recorded(folder / ANSWERS_FILE)
        whole = folder.resolve()
        return cls(whole, ANSWERS_FILE, found.answers, found.version, found.place)

    @classmethod
    def in_host(cls, host: Host, file: PurePosixPath) -> Adapter:
        """The adapter with the answers in `file` of `host`. Raises NotAnAdapter."""
        found = recorded(host.root / file, _OF_A_CHECKOUT)
        return cls(host.root, file, found.answers, found.version, found.place, host)

    def files(
        self, source: Path, version: str, answers: Answers | None = None
    ) -> dict[PurePosixPath, bytes]:
        """What the template in `source`, which is `version`, makes of the answers."""
        return render(
            answers or self.answers, source, self.place, self.answers_file, version
        )


def at(path: Path) -> Adapter:
    """The one adapter at `path`: a package, a host with one, or an answers file.

    Raises NotAnAdapter where there is none, or more than one, and NoSuchFolder.
    """
    if not path.exists():
        raise NoSuchFolder(path)
    if is_recorded_in(path):
        host = Host.at(path.absolute().parent.parent)
        return Adapter.in_host(host, FOLDER / path.name)
    found = list(_here(path))
    if len(found) > 1:
        files = ", ".join(str(adapter.answers_file) for adapter in found)
        raise NotAnAdapter(
            f"{path.resolve()} has {len(found)} adapters: {files}.",
            "Name one of these files; update also takes --all.",
        )
    if not found:
        raise NotAnAdapter(
            f"{path.resolve()} has no adapter that band-new-adapter made: no "
            f"{ANSWERS_FILE}, and no answers in {FOLDER}/.",
            "Give the folder of one. A package without answers gets them by: "
            "band-adapter adopt.",
        )
    return found[0]


def is_recorded_in(path: Path) -> bool:
    """Whether `path` is the answers file of an adapter in a host."""
    return path.is_file() and path.absolute().parent.name == str(FOLDER)


def below(path: Path) -> list[Adapter]:
    """All adapters in `path` and below it.

    Raises NotAnAdapter where there is none, and NoSuchFolder.
    """
    if not path.exists():
        raise NoSuchFolder(path)
    found: list[Adapter] = []
    for here, _, _ in walk.folders(path, _has_no_adapter):
        found += _here(here)
    if not found:
        raise NotAnAdapter(
            f"There is no adapter in {path.resolve()} or below it.",
            f"Each of them has {ANSWERS_FILE}, or a file in {FOLDER}/.",
        )
    return found


def _has_no_adapter(folder: Path) -> bool:
    hidden = folder.name[0] == "." and folder.name != str(FOLDER)
    return hidden or folder.name in _NO_PLACE


def _here(path: Path) -> Iterator[Adapter]:
    if (path / ANSWERS_FILE).is_file():
        yield Adapter.of_package(path)
    for file in sorted((path / FOLDER).glob("*.yml")):
        yield Adapter.in_host(Host.at(path), FOLDER / file.name)
