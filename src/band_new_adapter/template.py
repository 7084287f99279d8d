"""The template that this tool carries: its files, its version, its bundle."""

from __future__ import annotations

from pathlib import Path

from band_new_adapter import __version__
from band_new_adapter.errors import ToolError

TAG = f"v{__version__}"
"""The version of the template as the answers file records it."""

SOURCE = "~/.band-new-adapter/template.bundle"
"""Where Copier finds all versions of the template, on every machine alike."""

BUNDLE = Path(__file__).with_name("template.bundle")
"""The bundle that is packaged with this tool."""

_NO_PART_OF_IT = {"__pycache__", ".ruff_cache", ".pytest_cache", ".hypothesis"}


def root() -> Path:
    """The folder that holds copier.yml and template/."""
    packaged = Path(__file__).with_name("_template")
    return packaged if packaged.is_dir() else Path(__file__).parents[2]


def files(folder: Path) -> dict[str, bytes]:
    """The template in `folder`: path (relative, with /) to content, sorted."""
    found = [folder / "copier.yml", *(folder / "template").rglob("*")]
    kept = (
        path
        for path in found
        if path.is_file()
        and path.suffix != ".pyc"
        and not _NO_PART_OF_IT.intersection(path.parts)
    )
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}
    return dict(sorted(texts.items()))


def tags(bundle: bytes) -> dict[str, str]:
    """The versions in a git bundle, oldest first: tag to the hash of its object.

    Raises ValueError for what is not a bundle of versions.
    """
    header, _, _ = bundle.partition(b"\n\n")
    first, *references = header.decode("ascii", "replace").split("\n")
    if not first.startswith("# v2 git bundle"):
        raise ValueError("not a git bundle")
    pairs = (line.split(" ", 1) for line in references)
    found = {name.removeprefix("refs/tags/"): sha for sha, name in pairs}
    return dict(sorted(found.items(), key=lambda item: version(item[0])))


def version(tag: str) -> tuple[int, ...]:
    """`v1.2.3` as numbers that compare."""
    return tuple(int(number) for number in tag.removeprefix("v").split("."))


def newer_bundle(place: Path) -> bytes | None:
    """This tool's bundle, unless the one at `place` is the same or newer."""
    if not BUNDLE.is_file():
        raise ToolError(f"{BUNDLE} is missing.", "In a checkout, run `make template`.")
    ours = BUNDLE.read_bytes()
    try:
        theirs = place.read_bytes()
        newer = max(map(version, tags(theirs))) > max(map(version, tags(ours)))
    except (OSError, ValueError):
        return ours
    return None if newer or theirs == ours else ours
