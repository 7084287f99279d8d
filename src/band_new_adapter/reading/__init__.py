"""The answers to the questions, read from an adapter's code and its project.

Nothing is run: modules are parsed, and pyproject.toml is TOML.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from band_new_adapter import catalog
from band_new_adapter.pyproject import FILE, table
from band_new_adapter.reading import declared, libraries, project
from band_new_adapter.reading.found import Found, Untold
from band_new_adapter.reading.loops import Executing, executing
from band_new_adapter.reading.sources import Sources


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: the adapter's class and its module, the answers that were
    `found` by the keys of their questions, and why others could not be told."""

    adapter_class: str
    module: PurePosixPath
    found: Mapping[str, Found]
    untold: Mapping[str, str]

    def corrected(self, given: Mapping[str, Any], flags: Mapping[str, str]) -> Reading:
        """With the answers that were `given` instead; `flags` says by what."""
        # Who runs the tool loop follows from what the provider is.
        moot = {"pattern"} if "provider" in given else set()
        found = {k: one for k, one in self.found.items() if k not in moot}
        found |= {key: Found(value, flags[key]) for key, value in given.items()}
        untold = {k: v for k, v in self.untold.items() if k not in {*given, *moot}}
        return replace(self, found=found, untold=untold)


def read(
    contents: Mapping[PurePosixPath, bytes],
    pyproject: bytes = b"",
    only: PurePosixPath | None = None,
) -> Reading:
    """Read the one adapter in these modules, or in the module `only` of them.

    Raises NotAnAdapter where there is none, more than one, or what is not Python,
    and ProjectRefused.
    """
    sources = Sources.of(contents, only)
    about = table(pyproject, FILE)
    adapter = sources.adapter
    ran = executing(sources.modules)
    found: dict[str, Found] = {}
    untold: dict[str, str] = {}
    readers = {
        "class_prefix": lambda: project.class_prefix(adapter),
        "adapter": lambda: project.name(adapter, about),
        "provider": lambda: libraries.provider(sources, ran),
        "pattern": lambda: _pattern(found.get("provider"), ran),
        "emit": lambda: declared.kinds(sources, "SUPPORTED_EMIT"),
        "capabilities": lambda: declared.kinds(sources, "SUPPORTED_CAPABILITIES"),
        "description": lambda: project.description(about, found.get("class_prefix")),
        "license": lambda: project.license_(about),
    }
    for key, reader in readers.items():
        try:
            found[key] = reader()
        except Untold as reason:
            untold[key] = str(reason)
    return Reading(adapter.name, adapter.module.path, found, untold)


def _pattern(provider: Found | None, ran: Executing | None) -> Found:
    """Who runs the tool loop: the provider decides, the code shows it."""
    if provider is None:
        if ran is None:
            raise Untold("no module executes tool calls")
        return Found(2 if ran.looped else 1, str(ran))
    number = catalog.PROVIDERS[provider.value].pattern
    shown = ran is not None and ran.looped == (number == 2)
    return Found(number, str(ran) if shown else f"that of {provider.value}")
