from __future__ import annotations

from pathlib import Path

import pytest

from band_new_adapter import bundle, template
from band_new_adapter.errors import ToolError


def test_the_newest_version_in_the_bundle_is_the_working_tree() -> None:
    assert list(template.tags(template.BUNDLE.read_bytes()))[-1] == template.TAG
    files = template.files(template.root())
    assert bundle.read(template.BUNDLE, template.TAG) == files, "run `make template`"


def test_every_version_in_the_bundle_is_annotated_and_in_order() -> None:
    tags = list(template.tags(template.BUNDLE.read_bytes()))
    assert tags == sorted(tags, key=template.version)


def test_versions_compare_as_numbers() -> None:
    assert template.version("v0.10.0") > template.version("v0.9.1")


@pytest.fixture
def bundles(tmp_path: Path) -> dict[str, Path]:
    """Three bundles, each with one version more: "v0.9.0", "v0.10.0", "v1.0.0"."""
    found: dict[str, Path] = {}
    content = b""
    for tag in ("v0.9.0", "v0.10.0", "v1.0.0"):
        path = tmp_path / f"{tag}.bundle"
        if content:
            path.write_bytes(content)
        content = bundle.build({"copier.yml": tag.encode()}, tag, path)
        path.write_bytes(content)
        found[tag] = path
    return found


@pytest.mark.parametrize(
    ("ours", "theirs", "placed"),
    [
        ("v0.10.0", "v0.9.0", True),
        ("v0.10.0", "v0.10.0", False),
        ("v0.10.0", "v1.0.0", False),
    ],
)
def test_an_older_bundle_never_takes_the_place_of_a_newer_one(
    ours: str,
    theirs: str,
    placed: bool,
    bundles: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(template, "BUNDLE", bundles[ours])
    found = template.newer_bundle(bundles[theirs])
    assert found == (bundles[ours].read_bytes() if placed else None)


@pytest.mark.parametrize("present", [None, b"", b"damaged", b"# v2 git bundle\n"])
def test_a_missing_or_damaged_bundle_is_replaced(
    present: bytes | None,
    tmp_path: Path,
    bundles: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(template, "BUNDLE", bundles["v0.9.0"])
    place = tmp_path / "place"
    if present is not None:
        place.write_bytes(present)
    assert template.newer_bundle(place) == bundles["v0.9.0"].read_bytes()


def test_a_checkout_without_a_bundle_says_how_to_make_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template, "BUNDLE", tmp_path / "none")
    with pytest.raises(ToolError, match="is missing"):
        template.newer_bundle(tmp_path / "place")
