"""Fixtures for every test: the adapter of this package, and a model that follows a script."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.subject import SUBJECT
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel


@pytest.fixture(scope="session")
def subject() -> Subject:
    return SUBJECT


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """The model that the adapter under test talks to."""
    with ScriptedModel() as scripted:
        yield scripted


@pytest.fixture(autouse=True)
def _only_the_scripted_model(monkeypatch: pytest.MonkeyPatch, subject: Subject) -> None:
    for name in list(os.environ):
        if name == subject.key_variable or name.endswith("_BASE_URL"):
            monkeypatch.delenv(name)
    # Every server is on this machine, so no proxy may come between.
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    # Nothing here speaks TLS, and to load this machine's certificates for each client
    # would take half the time: let clients look for them where there are none.
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(Path(__file__).parent))
    for name, replacement in subject.replace.items():
        monkeypatch.setattr(name, replacement)


@pytest.fixture
async def made() -> AsyncIterator[list[Any]]:
    """The adapters that a test made; they are cleaned up when it ends."""
    adapters: list[Any] = []
    yield adapters
    for adapter in adapters:
        await adapter.cleanup_all()


@pytest.fixture
def make(subject: Subject, model: ScriptedModel, made: list[Any]) -> Callable[..., Any]:
    """Make an adapter as `Subject.make` does, without starting it."""

    def make_adapter(**options: Any) -> Any:
        adapter = subject.make(model, **options)
        made.append(adapter)
        return adapter

    return make_adapter


@pytest.fixture
def start(make: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Make an adapter and start it for an agent called Tester."""

    async def start_adapter(**options: Any) -> Any:
        adapter = make(**options)
        description = "An agent under test."
        await adapter.startup("Tester", description, features=adapter.features)
        return adapter

    return start_adapter
