from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter.errors import CannotRead, DestinationTaken
from band_new_adapter.plan import Change, Plan, free_folder


def test_a_new_folder_is_one_change_a_file_in_order(tmp_path: Path) -> None:
    files = {PurePosixPath("b"): b"2", PurePosixPath("a/c"): b"1"}
    plan = Plan.of_new(tmp_path, files)
    assert plan.changes == (
        Change(PurePosixPath("a/c"), None, b"1"),
        Change(PurePosixPath("b"), None, b"2"),
    )


@pytest.mark.parametrize("name", ["new", "new/deep/er", "empty"])
def test_a_free_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert free_folder(tmp_path / name) == tmp_path / name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("full", "not empty: it has file"),
        ("full/file", "not a folder"),
        ("full/file/new", "file is not a folder"),
        ("dangling", "not a folder"),
    ],
)
def test_a_taken_folder(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(DestinationTaken, match=said):
        free_folder(tmp_path / name)


IN_THE_WAY = {
    "a folder": ("a/b.txt", "", "is a folder, where a file would be made"),
    "a file above": ("", "a", r"a is no folder, and a/b\.txt would be made in it"),
    "another file": ("", "a/b.txt", "is not what would be made"),
}


@pytest.mark.parametrize(
    ("folder", "file", "said"), IN_THE_WAY.values(), ids=IN_THE_WAY
)
def test_what_is_in_the_way_is_said_before_anything_is_written(
    folder: str, file: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    if file:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    with pytest.raises(DestinationTaken, match=said):
        Plan.into(tmp_path, {PurePosixPath("a/b.txt"): b"1"}, {})


def test_a_link_to_nothing_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "nowhere")
    with pytest.raises(CannotRead, match="No such file"):
        Plan.into(tmp_path, {PurePosixPath("a"): b"1"}, {})
