from __future__ import annotations

from pathlib import Path

import pytest

from band_new_adapter import bundle, template
from band_new_adapter.errors import ToolError, UnknownVersion

ONE = {"copier.yml": b"a: 1\n", 'template/{{ "x" }}\\y.jinja': b"\r\n\xff"}
TWO = {"copier.yml": b"a: 2\n", "template/new": b""}


def build(path: Path, files: dict[str, bytes], tag: str) -> bytes:
    path.write_bytes(bundle.build(files, tag, path))
    return path.read_bytes()


def test_versions_are_kept_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "bundle"
    build(path, ONE, "v0.1.0")
    content = build(path, TWO, "v0.2.0")
    assert list(template.tags(content)) == ["v0.1.0", "v0.2.0"]
    assert bundle.read(path, "v0.1.0") == ONE
    assert bundle.read(path, "v0.2.0") == TWO


def test_the_same_files_give_the_same_hashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    build(first, ONE, "v0.1.0")
    build(first, TWO, "v0.2.0")
    for name, value in {
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C.UTF-8",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_AUTHOR_NAME": "Somebody",
        "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
        "GIT_DIR": str(tmp_path / "nowhere"),
    }.items():
        monkeypatch.setenv(name, value)
    build(second, ONE, "v0.1.0")
    build(second, TWO, "v0.2.0")
    assert template.tags(second.read_bytes()) == template.tags(first.read_bytes())


def test_the_same_files_again_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bundle"
    content = build(path, ONE, "v0.1.0")
    assert build(path, ONE, "v0.1.0") is not content
    assert build(path, ONE, "v0.1.0") == content


def test_the_newest_version_is_replaced_and_older_ones_stay(tmp_path: Path) -> None:
    path, straight = tmp_path / "bundle", tmp_path / "straight"
    build(path, ONE, "v0.1.0")
    build(path, ONE, "v0.2.0")
    build(path, TWO, "v0.2.0")
    build(straight, ONE, "v0.1.0")
    build(straight, TWO, "v0.2.0")
    assert template.tags(path.read_bytes()) == template.tags(straight.read_bytes())


def test_a_released_version_cannot_be_built_again(tmp_path: Path) -> None:
    path = tmp_path / "bundle"
    build(path, ONE, "v0.1.0")
    build(path, TWO, "v0.2.0")
    with pytest.raises(ToolError, match=r"already has v0\.2\.0"):
        build(path, TWO, "v0.1.0")


@pytest.fixture
def carried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle of two versions, carried by this tool."""
    path = tmp_path / "bundle"
    monkeypatch.setattr(template, "BUNDLE", path)
    build(path, ONE, "v0.1.0")
    build(path, TWO, "v0.10.0")
    return path


@pytest.mark.parametrize(("tag", "files"), [("v0.1.0", ONE), ("v0.10.0", TWO)])
def test_a_version_is_extracted(
    carried: Path, monkeypatch: pytest.MonkeyPatch, tag: str, files: dict[str, bytes]
) -> None:
    monkeypatch.setenv("GIT_DIR", str(carried.parent / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(carried.parent / "nowhere"))
    with bundle.extracted(tag) as folder:
        assert template.files(folder) == files
        assert not (folder / ".git").exists()
    assert not folder.exists()


def test_what_was_extracted_is_gone_after_an_error(carried: Path) -> None:
    with pytest.raises(KeyError), bundle.extracted("v0.1.0") as folder:
        raise KeyError
    assert not folder.exists()


def test_the_real_bundle_extracts_as_it_is_read() -> None:
    for tag in template.tags(template.BUNDLE.read_bytes()):
        with bundle.extracted(tag) as folder:
            assert template.files(folder) == bundle.read(template.BUNDLE, tag)


@pytest.mark.usefixtures("carried")
@pytest.mark.parametrize("tag", ["v0.11.0", "v1.0.0"])
def test_a_version_of_a_newer_tool(tag: str) -> None:
    with pytest.raises(UnknownVersion) as caught, bundle.extracted(tag):
        pass
    assert caught.value.message == (
        f"There is no version '{tag}' of the template here, only v0.1.0, v0.10.0."
    )
    assert "upgrade the tool" in caught.value.remedy


@pytest.mark.usefixtures("carried")
@pytest.mark.parametrize(
    "tag", ["v0.2.0", "v0.0.1", "", "0.1.0", "HEAD", "--help", "v0.1.0-1-g9c7ebc0", "v"]
)
def test_a_version_that_never_was(tag: str) -> None:
    with pytest.raises(UnknownVersion) as caught, bundle.extracted(tag):
        pass
    assert "_commit" in caught.value.remedy
