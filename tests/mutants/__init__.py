"""Every fault that the conformance tests of a generated package must find."""

from __future__ import annotations

from tests.mutants import (
    construction,
    events,
    failures,
    features,
    history,
    packaging,
    prompt,
    tools,
    turns,
)

MUTANTS = (
    *construction.MUTANTS,
    *features.MUTANTS,
    *prompt.MUTANTS,
    *tools.MUTANTS,
    *turns.MUTANTS,
    *events.MUTANTS,
    *history.MUTANTS,
    *failures.MUTANTS,
    *packaging.MUTANTS,
)
