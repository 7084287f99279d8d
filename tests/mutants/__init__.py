"""Every fault that the conformance tests of a generated package must find."""

from __future__ import annotations

from tests.mutants import (
    construction,
    converter,
    events,
    failures,
    features,
    framework,
    loop,
    packaging,
    prompt,
    providers,
    rooms,
    tools,
    turns,
)

MUTANTS = (
    *construction.MUTANTS,
    *features.MUTANTS,
    *prompt.MUTANTS,
    *tools.MUTANTS,
    *loop.MUTANTS,
    *framework.MUTANTS,
    *turns.MUTANTS,
    *events.MUTANTS,
    *converter.MUTANTS,
    *rooms.MUTANTS,
    *failures.MUTANTS,
    *packaging.MUTANTS,
    *providers.MUTANTS,
)
