"""The parts of the template fit together: Jinja itself drops what does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from band_new_adapter import template

PARTS = template.root() / "template" / "parts"


def blocks(*paths: Path) -> set[str]:
    """The names of the blocks in these files."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return {name for text in texts for name in re.findall(r"{% block (\w+)", text)}


@pytest.mark.parametrize(
    "provider", sorted((PARTS / "providers").iterdir()), ids=lambda path: path.name
)
def test_every_block_of_a_provider_has_its_place_in_a_pattern(provider: Path) -> None:
    places = blocks(*(PARTS / "patterns").rglob("*.jinja"))
    assert blocks(provider) <= places
