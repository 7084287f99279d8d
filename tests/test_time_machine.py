"""An adapter of any version, edited by its author, comes to the newest version.

To edit and then update is the same as to update and then edit: nothing is lost that
the author wrote, and nothing that the template has now.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter.answers import Answers
from band_new_adapter.merge import MARKERS
from band_new_adapter.render import ANSWERS_FILE
from band_new_adapter.updating import Update, plan_update
from tests import hosts, past, variants
from tests.conftest import Cli
from tests.edits import ALONE, EDITS, all_made
from tests.past import FIRST, NEWEST, VERSIONS, Tree, made

WHOLE = tuple(map(past.whole, variants.choices("provider")))
FEW = tuple(
    answers
    for answers in variants.variants()
    if answers.provider in ("openai", "custom") and past.kinds(answers) < 2
)
MINE = b"# mine\n"

each_version = pytest.mark.parametrize("version", VERSIONS)
each_answers = pytest.mark.parametrize("answers", WHOLE + FEW, ids=variants.label)
each_older = pytest.mark.parametrize("version", VERSIONS[:-1])
each_provider = pytest.mark.parametrize("answers", WHOLE, ids=variants.label)


def merged(base: Tree, theirs: Tree, ours: Tree) -> tuple[Update, Tree]:
    """The update of `ours`, and what is there after it."""
    update = plan_update(Path("/adapter"), base, theirs, ours)
    after = {**ours, **{c.path: c.after for c in update.plan.changes}}
    return update, {path: text for path, text in after.items() if text is not None}


def wrong(
    base: Tree, theirs: Tree, ours: Tree, wanted: Tree
) -> list[tuple[str, PurePosixPath]]:
    """The files that conflict, or are not as wanted, after an update."""
    update, found = merged(base, theirs, ours)
    conflicts = [("conflict", one.path) for one in update.conflicted]
    paths = sorted({*found, *wanted})
    return conflicts + [
        ("other", path) for path in paths if found.get(path) != wanted.get(path)
    ]


@each_version
@each_answers
def test_an_untouched_adapter_becomes_a_new_one(answers: Answers, version: str) -> None:
    base, theirs = made(version, answers), made(NEWEST, answers)
    assert not wrong(base, theirs, base, theirs)


@each_version
@each_answers
def test_every_edit_is_still_there(answers: Answers, version: str) -> None:
    base, theirs = made(version, answers), made(NEWEST, answers)
    corpus = {edit.name: (edit,) for edit in (*EDITS, *ALONE)} | {"all": EDITS}
    found = {
        name: wrong(
            base,
            theirs,
            all_made(edits, base, answers),
            all_made(edits, theirs, answers),
        )
        for name, edits in corpus.items()
    }
    assert not {name: files for name, files in found.items() if files}


@pytest.mark.parametrize(
    "provider", ["openai", "custom", "langgraph", "custom-framework"]
)
def test_the_command_brings_an_edited_adapter_to_green(
    cli: Cli, tmp_path: Path, provider: str
) -> None:
    answers = past.whole(provider)
    ours = all_made(EDITS, made(FIRST, answers), answers)
    folder = past.repository(tmp_path / "adapter", ours)
    assert cli.adapter("update", str(folder)) == 0, cli.out
    assert past.tree(folder) == all_made(EDITS, made(NEWEST, answers), answers)
    # Done once more, it changes nothing.
    past.repository(folder, {})
    assert cli.adapter("update", str(folder), "--no-check") == 0
    assert hosts.git(folder, "status", "--porcelain") == ""


@each_older
@each_provider
def test_the_lines_beside_the_templates_are_the_authors(
    answers: Answers, version: str
) -> None:
    """No conflict where two changes do not touch the same lines, however near."""
    base, theirs = made(version, answers), made(NEWEST, answers)
    ours, wanted = dict(base), dict(theirs)
    edited = 0
    for path in _changed(base, theirs):
        before, after = (
            tree[path].splitlines(keepends=True) for tree in (base, theirs)
        )
        for i, j in _beside(before, after):
            edited += 1
            before[i] = after[j] = before[i].replace(b"\n", b"  " + MINE)
        ours[path], wanted[path] = b"".join(before), b"".join(after)
    assert edited
    assert not wrong(base, theirs, ours, wanted)


@each_older
@each_provider
def test_the_same_lines_conflict_and_no_others(answers: Answers, version: str) -> None:
    """A line of each file that the template changes is the author's as well."""
    base, theirs = made(version, answers), made(NEWEST, answers)
    ours = dict(base)
    for path in _changed(base, theirs):
        lines = base[path].splitlines(keepends=True)
        place = next(_same(lines, theirs[path].splitlines(keepends=True)), None)
        if place is not None:
            lines[place] = MINE
            ours[path] = b"".join(lines)
    update, found = merged(base, theirs, ours)
    edited = {path for path in base if ours[path] != base[path]}
    assert edited
    assert {one.path for one in update.conflicted} == edited
    assert {path for path in found if found[path] != theirs.get(path)} == edited
    for one in update.conflicted:
        (conflict,) = one.conflicts
        lines = found[one.path].splitlines(keepends=True)
        first, *sides, last = lines[conflict.first - 1 : conflict.last]
        assert (first, last) == (MARKERS[0] + b"\n", MARKERS[2] + b"\n")
        mine, _, new = b"".join(sides).partition(MARKERS[1] + b"\n")
        assert MINE in mine
        assert new in theirs[one.path]


def _changed(base: Tree, theirs: Tree) -> list[PurePosixPath]:
    """The files that the author can edit, and that the template changes."""
    return [
        p for p in base if p in theirs and base[p] != theirs[p] and p != ANSWERS_FILE
    ]


def _beside(before: list[bytes], after: list[bytes]) -> Iterator[tuple[int, int]]:
    """Where lines that stay stand beside others, before and after; no lines that
    are there twice, as nobody can tell which of them changed."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for i, j, size in matcher.get_matching_blocks():
        for k in sorted({0, size - 1} if size else ()):
            if before.count(before[i + k]) == after.count(after[j + k]) == 1:
                yield i + k, j + k


def _same(before: list[bytes], after: list[bytes]) -> Iterator[int]:
    """The lines that become others."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, first, *_ in matcher.get_opcodes():
        if kind == "replace":
            yield first
