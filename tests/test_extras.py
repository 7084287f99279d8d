"""What the catalogue says of band-sdk's extras is what their requirements say.

A resolver found it out. What it saw beyond the extras' own requirements, in those of the
packages that they need, cannot be seen without an index; `DEEPER` is all of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from band_new_adapter.catalog import PROVIDERS, Provider

SDK = metadata.distribution("band-sdk")
EXTRAS = SDK.metadata.get_all("Provides-Extra") or []

DEEPER = {
    ("gemini", "google-adk", "google-genai<3"),
    # The newest google-adk that goes with what else is in this extra.
    ("gemini", "dev", "google-genai<2"),
    # Up to 0.20 it needs openai 2 itself, and from 0.21 on openai 3.
    *(
        ("openai-agents", extra, "openai-agents<0.21")
        for extra in ("crewai", "nooa", "strands", "dev-crewai", "dev-strands-nooa")
    ),
    *(
        ("openai-agents", extra, "openai-agents>=0.21")
        for extra in ("pydantic-ai", "dev", "dev-parlant")
    ),
}


def needed(extra: str) -> Iterator[Requirement]:
    """What an extra requires itself, on any Python."""
    for text in SDK.requires or ():
        if re.search(rf"extra == ['\"]{extra}['\"]", text):
            yield Requirement(text)


@cache
def series(specifier: SpecifierSet) -> set[int]:
    """The first numbers of the versions that `specifier` allows, below 10."""
    minors = [Version(f"{number // 100}.{number % 100}") for number in range(1000)]
    return {version.major for version in minors if version in specifier}


def seen(provider: Provider, extra: str) -> Iterator[str]:
    """What `extra` leaves of a provider's clients, where a whole series is lost."""
    for text in filter(None, provider.requirement.split(", ")):
        ours = Requirement(text)
        for theirs in needed(extra):
            if theirs.name == ours.name:
                left = series(ours.specifier & theirs.specifier)
                assert left, f"{ours} cannot be installed beside band-sdk[{extra}]"
                every = series(ours.specifier)
                operator = ">=" if max(left) == max(every) else "<"
                if left != every:
                    yield from (
                        f"{ours.name}{operator}{s.version.removesuffix('.0')}"
                        for s in theirs.specifier
                        if s.operator == operator
                    )


def said(provider: Provider, extra: str) -> list[str]:
    return [
        part
        for needs, extras in provider.beside.items()
        if extra in extras
        for part in needs.split(", ")
        if (provider.key, extra, part) not in DEEPER
    ]


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda p: p.key)
def test_what_an_extra_needs_is_said(provider: Provider, extra: str) -> None:
    assert said(provider, extra) == list(seen(provider, extra))


def test_what_is_deeper_is_said_too() -> None:
    everything = {
        (provider.key, extra, part)
        for provider in PROVIDERS.values()
        for needs, extras in provider.beside.items()
        for extra in extras
        for part in needs.split(", ")
    }
    assert DEEPER <= everything
    assert {extra for _, extra, _ in everything} <= set(EXTRAS)
