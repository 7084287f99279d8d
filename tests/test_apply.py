from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter import apply, interrupts
from band_new_adapter.errors import CannotWrite
from band_new_adapter.plan import Plan
from tests.toy import tree

FILES = {PurePosixPath("a/b.txt"): b"one\r\n", PurePosixPath("c"): b"two"}
TREE = {"a/b.txt": b"one\r\n", "c": b"two"}


@pytest.fixture(autouse=True)
def signals_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "ignore", lambda: None)


def make(folder: Path) -> None:
    with apply.staged(Plan.of_new(folder, FILES)) as staged:
        assert staged.name == folder.name
        apply.move(staged, folder)


@pytest.mark.parametrize("name", ["new", "new/deep/er", "empty"])
def test_the_whole_folder_and_nothing_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    make(tmp_path / name)
    assert tree(tmp_path) == {f"{name}/{path}": TREE[path] for path in TREE}
    assert not list(tmp_path.rglob(".*"))


def test_the_folder_one_stands_in_stays_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path.cwd())
    assert tree(Path()) == TREE


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, ZeroDivisionError])
@pytest.mark.parametrize("name", ["new", "empty"])
def test_nothing_is_left_of_what_was_not_moved(
    error: type[BaseException], name: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(error), apply.staged(Plan.of_new(tmp_path / name, FILES)):
        raise error
    assert list(tmp_path.rglob("*")) == [tmp_path / "empty"]


@pytest.mark.parametrize("call", range(1, 4))
def test_a_move_that_fails_is_taken_back(
    call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, calls = os.rename, []

    def failing(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == call:
            raise OSError(28, "No space left on device", str(target))
        rename(source, target)

    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(os, "rename", failing)
    for name in ("empty", "new/er"):
        try:
            make(tmp_path / name)
        except CannotWrite as error:
            assert "No space left on device" in error.message
            assert not (tmp_path / name / "c").exists()
            break
    else:
        pytest.fail("it was to fail")
    assert not (tmp_path / "new").exists() or call == 4


def test_a_full_disk_is_a_sentence_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CannotWrite, match="No space left on device"):
        make(tmp_path / "new")
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    apply.put(path, b"one")
    apply.put(path, b"two")
    assert tree(tmp_path) == {"deep/file": b"two"}


def test_a_kept_folder_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    for text in ("one", "two"):
        with apply.scratch(tmp_path) as folder:
            (folder / "env").mkdir()
            (folder / "env" / "file").write_text(text)
            apply.keep(folder / "env", tmp_path / "env")
    assert tree(tmp_path) == {"env/file": b"two"}
