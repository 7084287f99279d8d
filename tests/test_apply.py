from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter import apply, interrupts
from band_new_adapter.errors import CannotWrite, ChangedMeanwhile, NotPutBack
from band_new_adapter.plan import Change, Plan
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


EDITED = {
    PurePosixPath("a/b.txt"): (b"one\r\n", b"one\r\ntwo\r\n"),
    PurePosixPath("c"): (b"two", b"three"),
    PurePosixPath("gone/d"): (b"old", None),
    PurePosixPath("new/e"): (None, b"made"),
}
BEFORE = {"a/b.txt": b"one\r\n", "c": b"two", "gone/d": b"old"}
AFTER = {"a/b.txt": b"one\r\ntwo\r\n", "c": b"three", "new/e": b"made"}


@pytest.fixture
def edits(tmp_path: Path) -> Plan:
    """A plan for a folder that is there, with a change of each kind."""
    folder = tmp_path / "host"
    for name, content in BEFORE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "c").chmod(0o755)
    changes = (Change(path, *pair) for path, pair in EDITED.items())
    return Plan(folder, tuple(changes))


def test_changes_are_made_and_stay(edits: Plan) -> None:
    with apply.written(edits):
        assert tree(edits.folder).items() >= AFTER.items()
    assert tree(edits.folder) == AFTER
    assert (edits.folder / "c").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in edits.folder.iterdir()) == ["a", "c", "new"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, ZeroDivisionError])
def test_changes_are_taken_back_when_the_block_fails(
    error: type[BaseException], edits: Plan
) -> None:
    with pytest.raises(error), apply.written(edits):
        raise error
    assert tree(edits.folder) == BEFORE
    assert (edits.folder / "c").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in edits.folder.iterdir()) == ["a", "c", "gone"]


def test_what_is_in_the_way_does_not_keep_the_rest_from_being_put_back(
    edits: Plan,
) -> None:
    (edits.folder / "new").touch()
    with pytest.raises(CannotWrite), apply.written(edits):
        pass
    assert tree(edits.folder) == BEFORE | {"new": b""}


@pytest.mark.parametrize("name", ["rename", "replace"])
@pytest.mark.parametrize("call", range(1, 9))
def test_changes_are_taken_back_when_any_write_fails(
    name: str, call: int, edits: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = getattr(os, name), []

    def failing(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == call:
            raise OSError(28, "No space left on device", str(target))
        real(source, target)

    monkeypatch.setattr(os, name, failing)
    try:
        with apply.written(edits):
            pass
    except CannotWrite as error:
        assert "No space left on device" in error.message
        assert any(str(edits.folder / path) in error.message for path in EDITED)
        assert error.remedy.startswith("Make room")
        assert tree(edits.folder) == BEFORE
    else:
        assert len(calls) < call
        assert tree(edits.folder) == AFTER


@pytest.mark.parametrize("path", sorted(EDITED))
def test_what_was_changed_meanwhile_is_not_touched(
    path: PurePosixPath, edits: Plan
) -> None:
    (edits.folder / path).parent.mkdir(exist_ok=True)
    (edits.folder / path).write_bytes(b"somebody's")
    found = tree(edits.folder)
    with pytest.raises(ChangedMeanwhile, match=path.name), apply.written(edits):
        pytest.fail("it was written")
    assert tree(edits.folder) == found


def test_a_read_only_file_in_the_middle(
    edits: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = os.access
    # Whoever may do everything is not stopped by a file's mode.
    monkeypatch.setattr(
        os, "access", lambda path, mode: path.name != "c" and access(path, mode)
    )
    with pytest.raises(CannotWrite) as raised, apply.written(edits):
        pytest.fail("it was written")
    path = edits.folder / "c"
    assert raised.value.message == f"{path} cannot be written: it is read-only."
    assert raised.value.remedy.startswith("Make it writable")
    assert tree(edits.folder) == BEFORE


def test_a_link_stays_one(edits: Plan) -> None:
    real = edits.folder.parent / "elsewhere"
    os.rename(edits.folder / "c", real)
    (edits.folder / "c").symlink_to(real)
    with apply.written(edits):
        pass
    assert (edits.folder / "c").is_symlink()
    assert real.read_bytes() == b"three"


@pytest.mark.parametrize("error", [None, ZeroDivisionError])
def test_a_link_goes_alone(error: type[Exception] | None, edits: Plan) -> None:
    os.rename(edits.folder / "gone/d", edits.folder / "d")
    (edits.folder / "gone/d").symlink_to("../d")
    failing = pytest.raises(error) if error else nullcontext()
    with failing, apply.written(edits):
        assert not os.path.lexists(edits.folder / "gone/d")
        if error:
            raise error
    assert (edits.folder / "gone/d").is_symlink() == bool(error)
    assert (edits.folder / "d").read_bytes() == b"old"


def test_what_moves_can_still_be_run(edits: Plan) -> None:
    (edits.folder / "gone/d").chmod(0o755)
    moved = Change(PurePosixPath("new/d"), None, b"old", PurePosixPath("gone/d"))
    with apply.written(replace(edits, changes=(*edits.changes, moved))):
        pass
    assert (edits.folder / "new/d").stat().st_mode & 0o777 == 0o755


def test_what_cannot_be_put_back_is_kept(
    edits: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(NotPutBack) as caught, apply.written(edits):
        monkeypatch.setattr(os, "replace", full)
        raise KeyboardInterrupt
    assert "gone/d, c, a/b.txt (gone/d: No space left" in caught.value.message
    kept = Path(caught.value.remedy.split()[3].rstrip(","))
    assert tree(kept) == BEFORE
    assert not (edits.folder / "new").exists()


def test_the_copy_is_as_it_was_before(edits: Plan) -> None:
    (edits.folder / ".git").mkdir()
    with apply.written(edits), apply.copied_before(edits) as copy:
        assert tree(copy) == BEFORE
        assert copy.name == edits.folder.name
