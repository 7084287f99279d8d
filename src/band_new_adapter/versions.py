"""The versions of the template, put where answers files say that they are."""

from __future__ import annotations

import re
from pathlib import Path

from band_new_adapter import apply, template
from band_new_adapter.errors import CannotWrite


def place() -> tuple[str, ...]:
    """Put this tool's bundle in its place, unless a newer one is there.

    Returns what the user should know: that it could not be put there.
    """
    target = _target()
    content = template.newer_bundle(target)
    if content is not None:
        try:
            apply.put(target, content)
        except CannotWrite as error:
            return (f"{error.message} Until it is, `copier update` has no source.",)
    return ()


def to_come() -> tuple[str, ...]:
    """What `place` would do, for a run that writes nothing."""
    if template.newer_bundle(_target()) is None:
        return ()
    return (f"{template.SOURCE} would be written, for later updates.",)


def changes(before: str, after: str) -> str:
    """What changed in adapters from one version to another, as the changelog has it:
    Markdown, the newest version first; empty where nothing did."""
    text = (template.root() / "CHANGELOG.md").read_text(encoding="utf-8")
    told = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        number, _, rest = section.partition("\n")
        version = template.version(number.split(" ")[0])
        if template.version(before) < version <= template.version(after):
            parts = re.split(r"^### ", rest, flags=re.MULTILINE)[1:]
            told += [part.strip() for part in parts if "in adapters" in part[:30]]
    return "\n\n".join(told)


def _target() -> Path:
    return Path(template.SOURCE).expanduser()
