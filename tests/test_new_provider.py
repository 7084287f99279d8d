"""A provider is added as CONTRIBUTING.md says: two files and a row, and nothing else."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from band_new_adapter import template
from band_new_adapter.process import Command, run

PARROT = Path(__file__).with_name("parrot")
PLACES = {
    "parrot.py.jinja": "template/parts/providers/parrot.py.jinja",
    "wire.py.jinja": "template/parts/wires/parrot.py",
}
TREE = ("copier.yml", "pyproject.toml", "docs", "src", "template")
ROW = """\
        Provider(
            key="parrot",
            title="A parrot, and what it was taught",
            pattern=2,
            requirement="anyio>=4,<5, httpx>=0.28,<1",
            versions="httpx 0.28, with anyio 4",
            key_variable="PARROT_API_KEY",
        ),
"""
LAST = """\
        Provider(
            key="custom-framework",
"""


class Checkout:
    """A copy of this project's tree, in which commands are run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in TREE:
            source = template.root() / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, folder / name)

    def run(self, *words: str) -> str:
        """The output of `python -m`, which has to end well."""
        python = (sys.executable, "-P", "-m")
        there = f"{self.folder / 'src'}{os.pathsep}{self.folder}"
        variables = os.environ | {"PYTHONPATH": there, "COLUMNS": "80"}
        ended = run(Command((*python, *words), self.folder, variables))
        assert ended.status == 0, ended.output
        return ended.output


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout to which somebody has added the parrot."""
    made = Checkout(tmp_path_factory.mktemp("checkout"))
    for name, place in PLACES.items():
        shutil.copy(PARROT / name, made.folder / place)
    catalog = made.folder / "src/band_new_adapter/catalog.py"
    text = catalog.read_text(encoding="utf-8")
    assert text.count(LAST) == 1
    catalog.write_text(text.replace(LAST, ROW + LAST), encoding="utf-8")
    made.run("docs.generate")
    return made


def test_it_can_be_chosen(checkout: Checkout) -> None:
    assert "parrot\n  A parrot, and what" in checkout.run("band_new_adapter", "list")
    for name in ("copier.yml", "pyproject.toml", "docs/reference/providers.md"):
        assert "parrot" in (checkout.folder / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("kinds", ["all", "none"])
def test_what_is_made_for_it_is_green_at_once(checkout: Checkout, kinds: str) -> None:
    words = ("--provider", "parrot", "--emit", kinds, "--capability", kinds)
    out = checkout.run(
        "band_new_adapter", "new", f"polly_{kinds}", *words, "--defaults"
    )
    assert f"Made band-adapter-polly-{kinds}" in out
    assert "FAILED" not in out
