"""The demand that every conformance test names its rules, and every rule has a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.rules import RULES
from tests.subject import SUBJECT

_HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Write each test's rules into the report; refuse tests and rules without."""
    rules = {item: _rules_of(item) for item in items if item.path.parent == _HERE}
    for item, named in rules.items():
        kept = [rule for rule in named if rule not in SUBJECT.inapplicable]
        item.user_properties += [("rule", rule) for rule in kept]
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
