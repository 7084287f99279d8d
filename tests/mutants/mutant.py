"""Small, plausible faults of a generated package, and where to put them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

LIVE: Mapping[str, str] = {
    "openai": "client",
    "openai-responses": "client",
    "anthropic": "client",
    "gemini": "client",
    "custom": "model",
    "custom-framework": "framework",
    "openai-agents": "agent",
    "langgraph": "graph",
}
"""How each provider's adapter names the object that talks to the model."""

SHARED = ("openai", "custom")
"""Where a mutant of no provider in particular has to apply, so that it cannot rot."""


class Edit(NamedTuple):
    """A text that a package has exactly once, and what a hurried author would write."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: what it is in words, the rules that it breaks, and its edits.

    `origin` says where it was seen; it is empty for those that are only likely.
    `providers` are those that it is made for, none for all that have its texts, and
    for those in `harmless` it is no fault.
    """

    name: str
    rules: frozenset[str]
    edits: tuple[Edit, ...]
    origin: str
    providers: tuple[str, ...]
    harmless: tuple[str, ...]

    def is_for(self, provider: str, files: Mapping[PurePosixPath, str]) -> bool:
        """Whether it is a fault of that provider's package, which has `files`."""
        if provider in self.harmless:
            return False
        if self.providers or provider in SHARED:
            return not self.providers or provider in self.providers
        try:
            self.apply(provider, files)
        except ValueError:
            return False
        return True

    def apply(
        self, provider: str, files: Mapping[PurePosixPath, str]
    ) -> dict[PurePosixPath, str]:
        """The files of a package that the fault changes.

        Raises ValueError when a text is missing, or is there more than once.
        """
        changed: dict[PurePosixPath, str] = {}
        for edit in self.edits:
            old, new = (text.replace("LIVE", LIVE[provider]) for text in edit)
            current = {**files, **changed}
            found = [path for path in current for _ in range(current[path].count(old))]
            if len(found) != 1:
                raise ValueError(f"{self.name}: {old!r} is in {found or 'no file'}")
            changed[found[0]] = current[found[0]].replace(old, new)
        return changed


def mutant(
    name: str,
    rules: str,
    *edits: Edit,
    origin: str = "",
    providers: tuple[str, ...] = (),
    harmless: tuple[str, ...] = (),
) -> Mutant:
    """A mutant; `rules` are ids with blanks between.

    In the edits, `LIVE` stands for the provider's word in the table of that name.
    """
    return Mutant(name, frozenset(rules.split()), edits, origin, providers, harmless)
