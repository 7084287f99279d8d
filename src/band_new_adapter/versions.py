"""The versions of the template, put where answers files say that they are."""

from __future__ import annotations

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


def _target() -> Path:
    return Path(template.SOURCE).expanduser()
