"""Leaves out what is not asked of the adapter, and writes the reasons into the report."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from band import Capability, Emit

from tests import asked

try:
    from tests.subject import SUBJECT
except pytest.UsageError:
    raise
except (Exception, SystemExit) as error:
    reason = f"{type(error).__name__}: {error}"
    raise pytest.UsageError(f"The wire cannot be used: {reason}") from error


@pytest.fixture(scope="session", autouse=True)
def _about(record_testsuite_property: Callable[[str, object], None]) -> None:
    record_testsuite_property("adapter", SUBJECT.adapter.__name__)
    declared = SUBJECT.emit | SUBJECT.capabilities
    others = [kind.value for kind in (*Emit, *Capability) if kind not in declared]
    record_testsuite_property("undeclared", ", ".join(others))
    for rule, reason in SUBJECT.inapplicable.items():
        record_testsuite_property(f"not asked: {rule}", reason)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = asked.tests(relays=SUBJECT.relays)
    for item in items:
        named = [rule for mark in item.iter_markers("rule") for rule in mark.args]
        reason = tests.get(getattr(item, "originalname", item.name))
        if named and SUBJECT.inapplicable.keys() >= {*named}:
            reason = SUBJECT.inapplicable[named[0]]
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))
