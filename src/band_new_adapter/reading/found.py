"""One answer that was read, or why it was not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Found:
    """An answer, and what says so."""

    value: Any
    evidence: str


class Untold(Exception):
    """An answer cannot be told; the text says why."""
