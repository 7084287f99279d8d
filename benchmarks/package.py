"""A package rendered from the working tree's template, for the time of a benchmark."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from band_new_adapter import catalog, template
from band_new_adapter.answers import Answers
from band_new_adapter.render import render


@contextmanager
def rendered(provider: str) -> Generator[Path]:
    """The folder of an adapter that is named after `provider` (a key of the
    catalogue) and has all that can be chosen; gone when the context ends."""
    chosen = catalog.PROVIDERS[provider]
    answers = Answers(
        adapter=f"bench_{provider}",
        class_prefix="Bench",
        pattern=chosen.pattern,
        provider=provider,
        emit=chosen.emit,
        capabilities=chosen.capabilities,
        description="An adapter to be measured.",
        license=catalog.DEFAULT_LICENSE,
    )
    with tempfile.TemporaryDirectory(prefix="band-new-adapter-") as made:
        folder = Path(made)
        for path, content in render(answers, template.root()).items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        yield folder
