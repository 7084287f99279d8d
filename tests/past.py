"""Adapters as the versions of the template made them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath

from band_new_adapter import bundle, template
from band_new_adapter.answers import Answers
from band_new_adapter.render import render
from tests import hosts, variants

Tree = Mapping[PurePosixPath, bytes]

VERSIONS = tuple(template.tags(template.BUNDLE.read_bytes()))
FIRST, NEWEST = VERSIONS[0], VERSIONS[-1]


@cache
def made(version: str, answers: Answers) -> Tree:
    """What a version makes of answers."""
    with bundle.extracted(version) as source:
        return render(answers, source, version=version)


def whole(provider: str) -> Answers:
    """The answers of an adapter with all kinds."""
    every = (a for a in variants.variants() if a.provider == provider)
    return max(every, key=kinds)


def kinds(answers: Answers) -> int:
    return len(answers.emit) + len(answers.capabilities)


def repository(folder: Path, tree: Tree) -> Path:
    """`folder`, made with the files of `tree` and put under git."""
    for path, content in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    hosts.committed(folder)
    return folder


def tree(folder: Path) -> Tree:
    """The files of a repository, git's own and what it ignores apart."""
    listed = hosts.git(
        folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"
    )
    paths = (PurePosixPath(name) for name in listed.split("\0") if name)
    return {p: (folder / p).read_bytes() for p in paths if (folder / p).is_file()}
