"""Fixtures of the conformance tests, and the demand that every rule has a test."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.rules import RULES
from tests.subject import SUBJECT
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

_HERE = Path(__file__).parent


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
    # Nothing here speaks TLS, and to load this machine's certificates for each client
    # would take half the time: let clients look for them where there are none.
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(_HERE))
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Write each test's rules into the report; refuse tests and rules without."""
    rules = {item: _rules_of(item) for item in items if item.path.parent == _HERE}
    for item, named in rules.items():
        item.user_properties += [("rule", rule) for rule in named]
    problems = [
        f"{item.nodeid}: {problem}"
        for item, named in rules.items()
        for problem in _problems_of(named)
    ]
    if _collected_whole(config, rules):
        tested = {rule for named in rules.values() for rule in named}
        problems += _problems_of_rules(tested)
    if problems:
        raise pytest.UsageError("\n".join(problems))


def _rules_of(item: pytest.Item) -> list[str]:
    return [rule for mark in item.iter_markers("rule") for rule in mark.args]


def _problems_of(named: list[str]) -> list[str]:
    if not named:
        return ["no rule"]
    return [f"unknown rule {rule}" for rule in named if rule not in RULES]


def _problems_of_rules(tested: set[str]) -> list[str]:
    reasons = SUBJECT.inapplicable
    untested = [
        f"{rule}: no test, and no reason in subject.inapplicable"
        for rule in RULES
        if rule not in tested and not reasons.get(rule)
    ]
    unknown = [f"{rule}: inapplicable, but no rule" for rule in reasons.keys() - RULES]
    return untested + unknown


def _collected_whole(config: pytest.Config, items: dict[pytest.Item, Any]) -> bool:
    """Whether every test here was collected, so that a rule without one is missed."""
    collected = {item.path for item in items}
    parts = any("::" in argument for argument in config.args)
    return not parts and collected.issuperset(_HERE.glob("test_*.py"))
