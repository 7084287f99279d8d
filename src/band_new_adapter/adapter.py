"""An adapter that exists: where it is, what it was made from, how it is made again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from band_new_adapter import questions, walk
from band_new_adapter.answers import Answers
from band_new_adapter.errors import NotAnAdapter, UpdateRefused, UsageProblem
from band_new_adapter.host import Host
from band_new_adapter.reading import read
from band_new_adapter.record import FOLDER
from band_new_adapter.render import ANSWERS_FILE, render

_NO_PLACE = {"node_modules", "site-packages", "__pycache__"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """What an answers file holds: the answers, the template's version and source,
    and for a checkout where its files go."""

    answers: Answers
    version: str
    source: str
    place: Mapping[str, object]


_OF_A_CHECKOUT = ("destination", "root", "source", "tests", "distribution", "probes")
_NOT_OF_A_CHECKOUT = {"description": "", "license": "none"}


def recorded(path: Path) -> Recorded:
    """What the answers file of an adapter holds.

    Raises NotAnAdapter for what is not, or no longer, a whole answers file.
    """
    restore = "Restore it from the repository's history."
    try:
        found = questions.read(path, str(path))
    except UsageProblem as error:
        raise NotAnAdapter(error.message, restore) from error
    place = {key: found[key] for key in _OF_A_CHECKOUT if key in found}
    own = {k: v for k, v in found.items() if k[:1] != "_" and k not in place}
    if place:
        own = _NOT_OF_A_CHECKOUT | own
    missing = [q.key for q in questions.QUESTIONS if q.key not in own]
    missing += [key for key in ("_commit", "_src_path") if key not in found]
    if missing:
        lacks = f"{path} has no answer for {', '.join(missing)}."
        raise NotAnAdapter(lacks, restore)
    try:
        questions.refuse_unknown(own, str(path))
        answers, _ = questions.gather(own, defaults=False, ask=None)
    except UsageProblem as error:
        raise NotAnAdapter(f"{path}: {error.message}", restore) from error
    return Recorded(answers, str(found["_commit"]), str(found["_src_path"]), place)


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

    @classmethod
    def of_package(cls, folder: Path) -> Adapter:
        """The package in `folder`. Raises NotAnAdapter."""
        found = recorded(folder / ANSWERS_FILE)
        whole = folder.resolve()
        return cls(whole, ANSWERS_FILE, found.answers, found.version, found.place)

    @classmethod
    def in_host(cls, host: Host, file: PurePosixPath) -> Adapter:
        """The adapter with the answers in `file` of `host`. Raises NotAnAdapter."""
        found = recorded(host.root / file)
        return cls(host.root, file, found.answers, found.version, found.place, host)

    def require_own(
        self, ours: Mapping[PurePosixPath, bytes], answers: Answers
    ) -> None:
        """Raise UpdateRefused if the answers are not those of the code in `ours`,
        which may have the new `answers` already."""
        source = PurePosixPath("src") / self.answers.package
        if self.host:
            return
        if not any(source in path.parents for path in ours):
            raise UpdateRefused(
                f"{self.answers_file} has the answers of {self.answers.adapter!r}, and "
                f"there is no {source}.",
                "A name cannot be changed by an update: restore the name, or the file.",
            )
        modules = {p: c for p, c in ours.items() if source in p.parents}
        modules = {p: c for p, c in modules.items() if p.suffix == ".py"}
        try:
            found = read(modules).found
        except NotAnAdapter:
            return
        for key in ("emit", "capabilities"):
            recorded, new = getattr(self.answers, key), getattr(answers, key)
            if key in found and set(found[key].value) not in (set(recorded), set(new)):
                told = ", ".join(found[key].value) or "none"
                raise UpdateRefused(
                    f"{self.answers_file} says {key}: {', '.join(recorded) or 'none'}; "
                    f"the code says {told} ({found[key].evidence}).",
                    "Restore the one that was edited. To change an answer: "
                    f"band-adapter update --set {key}={told.replace(' ', '')}.",
                )

    def files(
        self, source: Path, version: str, answers: Answers | None = None
    ) -> dict[PurePosixPath, bytes]:
        """What the template in `source`, which is `version`, makes of the answers."""
        return render(
            answers or self.answers, source, self.place, self.answers_file, version
        )


def at(path: Path) -> Adapter:
    """The one adapter at `path`: a package, a host with one, or an answers file.

    Raises NotAnAdapter where there is none, or more than one.
    """
    if path.is_file() and path.parent.name == str(FOLDER):
        host = Host.at(path.parent.parent)
        return Adapter.in_host(host, FOLDER / path.name)
    found = list(_here(path))
    if len(found) > 1:
        files = ", ".join(str(adapter.answers_file) for adapter in found)
        raise NotAnAdapter(
            f"{path} has {len(found)} adapters: {files}.", "Name one of them, or --all."
        )
    if not found:
        raise NotAnAdapter(
            f"{path} has no adapter that band-new-adapter made: no {ANSWERS_FILE}.",
            "Give the folder of one. One without answers gets them by: "
            "band-adapter adopt.",
        )
    return found[0]


def below(path: Path) -> list[Adapter]:
    """All adapters in `path` and below it. Raises NotAnAdapter where there is none."""
    found: list[Adapter] = []
    for here, _, _ in walk.folders(path, _has_no_adapter):
        found += _here(here)
    if not found:
        raise NotAnAdapter(
            f"There is no adapter in {path} or below it.",
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
