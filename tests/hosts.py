"""Small projects that take adapters, and the source of the SDK itself."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

EXPORTS = """\
from band.exports import lazy_exports

__all__, __getattr__ = lazy_exports(
    __name__,
)
"""
PROJECT = '[project]\nname = "acme-adapters"\ndependencies = ["band-sdk>=6.0.1,<7"]\n'
GENERATION = ("adapterconfig", "turn", "delivery")


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")


def collection(folder: Path, source: str = "src/acme_adapters") -> Path:
    """A project that exports adapters, with the import package at `source`."""
    exports = {
        f"{source}/{kind}/__init__.py": EXPORTS for kind in ("adapters", "converters")
    }
    write(folder, {"pyproject.toml": PROJECT, f"{source}/__init__.py": "", **exports})
    return folder


def checkout(folder: Path) -> Path:
    """What makes a checkout of the SDK."""
    collection(folder, "src/band")
    core = {f"src/band/core/{name}.py": "" for name in GENERATION}
    project = '[project]\nname = "band-sdk"\n'
    write(folder, {"pyproject.toml": project, "src/band/exports.py": "", **core})
    return folder


def sdk(folder: Path) -> Path:
    """The source distribution of band-sdk 6.0.1, unpacked in `folder`, under git."""
    wanted = ("--no-deps", "--no-binary", ":all:", "band-sdk==6.0.1")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, "download", *wanted], cwd=folder, check=True)
    (archive,) = folder.glob("band_sdk-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    archive.unlink()
    (source,) = folder.iterdir()
    committed(source)
    return source


def committed(folder: Path) -> None:
    """Put `folder` under git, with all that is in it."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    who = ("-c", "user.name=x", "-c", "user.email=x@band.invalid")
    git(folder, *who, "commit", "--quiet", "--message=as it was")


def git(folder: Path, *words: str) -> str:
    """What git prints."""
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
