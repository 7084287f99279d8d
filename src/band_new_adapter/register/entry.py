"""What has to be registered: one adapter, by the names that hosts write."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An adapter for the tables of a host.

    `root` is the host's import root and may be dotted, `title` what its README
    calls the adapter. Without `requirements` the adapter has no extra.
    """

    module: str
    prefix: str
    root: str
    provider: str
    title: str
    distribution: str
    extra: str
    requirements: tuple[str, ...]
    emit: tuple[str, ...]
    capabilities: tuple[str, ...]

    @property
    def adapters(self) -> tuple[str, str]:
        """What the adapter's module exports."""
        return f"{self.prefix}Adapter", f"{self.prefix}AdapterConfig"

    @property
    def converters(self) -> tuple[str, str]:
        """What the converter's module exports."""
        return f"{self.prefix}HistoryConverter", f"{self.prefix}Messages"

    @property
    def files(self) -> bool:
        return "files" in self.capabilities
