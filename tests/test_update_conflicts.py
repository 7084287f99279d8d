"""Edits of the very lines that the template changes: both sides are shown, and told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter.merge import MARKERS
from tests import hosts, past
from tests.conftest import Cli
from tests.edits import EDITS, all_made
from tests.past import FIRST, NEWEST, Tree, made

ANSWERS = past.whole("custom")
PLACE = PurePosixPath("pyproject.toml")
LINE, MINE, THEIRS = (
    f'    "hypothesis>=6.{number}",\n'.encode() for number in (130, 150, 135)
)
NEW = made(NEWEST, ANSWERS)
BESIDE = [edit for edit in EDITS if str(PLACE) not in edit.paths]


def edited(folder: Path) -> Path:
    """An adapter of the first version with a conflict, and edits that are none."""
    ours = dict(made(FIRST, ANSWERS))
    assert ours[PLACE].count(LINE) == NEW[PLACE].count(THEIRS) == 1
    ours[PLACE] = ours[PLACE].replace(LINE, MINE)
    return past.repository(folder, all_made(BESIDE, ours, ANSWERS))


def wanted(line: bytes, **more: bytes) -> Tree:
    """What is to be there afterwards, where `line` stands for that of the template."""
    there = dict(all_made(BESIDE, NEW, ANSWERS))
    return there | {PLACE: there[PLACE].replace(THEIRS, line)}


def lines_of(text: bytes, part: bytes) -> tuple[int, int]:
    """The first and the last line of `part`, from 1."""
    before, found, _ = text.partition(part)
    assert found
    return before.count(b"\n") + 1, before.count(b"\n") + part.count(b"\n")


def test_both_sides_stand_in_the_file_and_nothing_else_is_touched(
    cli: Cli, tmp_path: Path
) -> None:
    folder = edited(tmp_path / "adapter")
    assert cli.adapter("update", str(folder)) == 3
    before, between, after = (mark + b"\n" for mark in MARKERS)
    both = before + MINE + between + THEIRS + after
    assert past.tree(folder) == wanted(both)
    first, last = lines_of(past.tree(folder)[PLACE], both)
    assert f"  {PLACE}, lines {first}-{last}\n" in cli.out
    changed = hosts.git(folder, "diff", str(PLACE))
    for line in (MINE, THEIRS):
        assert line.decode() in changed


def test_the_document_names_file_and_lines(cli: Cli, tmp_path: Path) -> None:
    folder = edited(tmp_path / "adapter")
    assert cli.adapter("update", str(folder), "--json") == 3
    (adapter,) = cli.json["adapters"]
    assert (cli.json["exit"], adapter["exit"]) == (3, 3)
    assert cli.json["status"] == "conflicted"
    assert "checks" not in adapter
    (found,) = [f for f in adapter["files"] if f["outcome"] == "conflicted"]
    ((first, last),) = found["lines"]
    lines = (folder / PLACE).read_bytes().splitlines(keepends=True)
    assert found["path"] == str(PLACE)
    assert lines[first - 1].startswith(MARKERS[0])
    assert lines[last - 1].startswith(MARKERS[2])


def test_a_dry_run_tells_the_same_and_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    folder = edited(tmp_path / "adapter")
    before = past.tree(folder)
    assert cli.adapter("update", str(folder), "--dry-run", "--json") == 3
    planned = cli.json["adapters"]
    assert past.tree(folder) == before
    assert cli.adapter("update", str(folder), "--json") == 3
    assert cli.json["adapters"] == planned


def test_theirs_can_stand_beside_the_file(cli: Cli, tmp_path: Path) -> None:
    folder = edited(tmp_path / "adapter")
    assert cli.adapter("update", str(folder), "--conflict", "rej") == 3
    assert "theirs is in pyproject.toml.rej" in cli.out
    found = dict(past.tree(folder))
    rejected = found.pop(PLACE.with_name(f"{PLACE.name}.rej"))
    assert found == wanted(MINE)
    assert rejected.splitlines(keepends=True)[-2:] == [b"-" + LINE, b"+" + THEIRS]


@pytest.mark.parametrize("conflict", ["inline", "rej"])
def test_the_next_update_waits_until_somebody_has_decided(
    cli: Cli, tmp_path: Path, conflict: str
) -> None:
    folder = edited(tmp_path / "adapter")
    update: Callable[[], int] = lambda: cli.adapter("update", str(folder), "--no-check")
    assert cli.adapter("update", str(folder), "--conflict", conflict) == 3
    left = past.tree(folder)
    assert update() == 1
    assert "not committed" in cli.err
    hosts.committed(folder)
    assert update() == 1
    assert "conflict that nobody resolved: pyproject.toml" in cli.err
    assert past.tree(folder) == left
    (folder / PLACE).write_bytes(wanted(MINE)[PLACE])
    (folder / f"{PLACE}.rej").unlink(missing_ok=True)
    hosts.committed(folder)
    assert update() == 0
    assert past.tree(folder) == wanted(MINE)
