"""A package without answers: found and looked through, never written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from band_new_adapter import bundle, template, walk
from band_new_adapter.answers import Answers
from band_new_adapter.errors import NotAnAdapter
from band_new_adapter.host import Host
from band_new_adapter.merge import in_newlines_of
from band_new_adapter.pyproject import FILE
from band_new_adapter.record import FOLDER
from band_new_adapter.render import ANSWERS_FILE, render

_NO_ADAPTER = {
    "tests",
    "examples",
    "docs",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "__pycache__",
}


@dataclass(frozen=True, slots=True)
class Orphan:
    """A package in `folder` (absolute): its pyproject.toml, the modules that an
    adapter can be made of, and the one of them that was named, if one was."""

    folder: Path
    pyproject: bytes
    modules: Mapping[PurePosixPath, bytes]
    only: PurePosixPath | None

    @classmethod
    def at(cls, path: Path) -> Orphan:
        """The package in the folder `path`, or around the module `path`.

        Raises NotAnAdapter for what is none, and for one that has answers.
        """
        folder = _folder(path)
        files = {_inside(folder, file): file for file in _modules(folder)}
        only = None
        if path.is_file():
            only = _inside(folder, path.resolve())
            files[only] = path
        modules = {inside: walk.content(file) for inside, file in files.items()}
        return cls(folder, walk.content(folder / FILE), modules, only)

    def nearest(self, answers: Answers) -> tuple[str, bytes]:
        """The version of the template that made most of the files here, the newest
        where several did, and the answers file that it makes."""
        made = render(answers, template.root())
        best = self._same(made)
        version, content = template.TAG, made[ANSWERS_FILE]
        # Nothing is older where nothing, or all but the answers, is of today.
        if best in (0, len(made) - 1):
            return version, content
        tags = reversed(template.tags(template.BUNDLE.read_bytes()))
        for tag in (tag for tag in tags if tag != template.TAG):
            with bundle.extracted(tag) as source:
                made = render(answers, source, version=tag)
            if (same := self._same(made)) > best:
                best, version, content = same, tag, made[ANSWERS_FILE]
        return version, content

    def _same(self, made: Mapping[PurePosixPath, bytes]) -> int:
        """How many of the files are here as they were made, their newlines apart."""
        here = ((self.folder / path, content) for path, content in made.items())
        found = ((walk.content(f), content) for f, content in here if f.is_file())
        return sum(own == in_newlines_of(own, content) for own, content in found)


def _folder(path: Path) -> Path:
    remedy = "Give the folder of an adapter's package, or the file with its class."
    if not path.exists():
        raise NotAnAdapter(f"{path} does not exist.", remedy)
    if not path.is_dir() and path.suffix != ".py":
        raise NotAnAdapter(f"{path} is no folder, and no Python module.", remedy)
    here = path.resolve()
    near = [here] if path.is_dir() else list(here.parents)
    folder = next((one for one in near if (one / FILE).is_file()), None)
    if folder is None:
        raise NotAnAdapter(f"{here} is in no package: there is no {FILE}.", remedy)
    if os.path.lexists(folder / ANSWERS_FILE):
        raise NotAnAdapter(
            f"{folder} has answers already, in {ANSWERS_FILE}.",
            "There is nothing to adopt: band-adapter update. If the file is broken, "
            "remove it first.",
        )
    if host := Host.around(folder):
        raise NotAnAdapter(
            f"{here} is in {host.distribution or folder}, which takes adapters in. "
            "Answers alone are of no use there: what was made is recorded with them.",
            f"Restore {FOLDER}/ from the repository's history, or have "
            "the adapter made there: band-adapter new NAME --into PATH.",
        )
    return folder


def _inside(folder: Path, file: Path) -> PurePosixPath:
    return PurePosixPath(file.relative_to(folder).as_posix())


def _modules(folder: Path) -> Iterator[Path]:
    for inside in walk.files(folder, _has_no_modules):
        name, file = inside.name, folder / inside
        test = name.startswith("test_") or name in ("conftest.py", "setup.py")
        if name.endswith(".py") and not test and file.is_file():
            yield file


def _has_no_modules(folder: Path) -> bool:
    unlikely = folder.name in _NO_ADAPTER or folder.name[0] == "."
    return unlikely or (folder / FILE).exists()
