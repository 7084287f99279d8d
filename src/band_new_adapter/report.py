"""What a command did: a value, and the one JSON document that says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from band_new_adapter.answers import Answers
from band_new_adapter.errors import BEHIND, CHECK_FAILED, CONFLICTS, GREEN
from band_new_adapter.plan import Plan
from band_new_adapter.register import Registrations
from band_new_adapter.template import SOURCE, TAG
from band_new_adapter.updating import Outcome, Update
from band_new_adapter.verify import CheckResult, Rule, Verdict


@dataclass(frozen=True, slots=True)
class Report:
    """What a command did. `answers` and `plan` are those of a new adapter, `made`
    is False for a dry run, `verdict` is None where nothing was checked, and
    `registrations` are those in a host."""

    folder: Path
    distribution: str
    verdict: Verdict | None
    answers: Answers | None = None
    plan: Plan | None = None
    registrations: Registrations | None = None
    made: bool = True
    notes: tuple[str, ...] = ()
    next: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return GREEN if not self.verdict or self.verdict.passed else CHECK_FAILED

    @property
    def status(self) -> str:
        if not self.made:
            return "planned"
        if not self.verdict:
            return "unchecked"
        return "green" if self.verdict.passed else "failed"


def document(report: Report) -> dict[str, Any]:
    """The report as values that JSON knows."""
    result: dict[str, Any] = {
        "status": report.status,
        "exit": report.exit_code,
        "distribution": report.distribution,
        "folder": str(report.folder),
    }
    if report.answers and report.plan:
        result["answers"] = report.answers.data
        result["template"] = {"version": TAG, "source": SOURCE}
        result["files"] = [str(change.path) for change in report.plan.changes]
    if report.registrations:
        result["registrations"] = _registrations(report.registrations)
    if report.verdict:
        result["environment"] = report.verdict.environment.description
        result["checks"] = [_check(item) for item in report.verdict.results]
        result["rules"] = [_rule(rule) for rule in rules(report.verdict)]
    return result | {"notes": list(report.notes), "next": list(report.next)}


def _registrations(found: Registrations) -> dict[str, Any]:
    return {
        "made": [{"path": str(r.path), "place": r.place} for r in found.made],
        "by_hand": [
            {"path": str(x.path), "place": x.place, "found": x.found, "add": x.lines}
            for x in found.left
        ],
        "absent": list(found.absent),
    }


def _check(result: CheckResult) -> dict[str, Any]:
    values = {
        "name": result.check.name,
        "command": " ".join(result.check.words),
        "passed": result.passed,
        "seconds": round(result.seconds, 3),
        "output": "" if result.passed else result.output,
    }
    if result.tests:
        values |= {"tests": result.tests, "skipped": result.skipped}
    if result.before:
        values["before"] = result.before
    return values


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "text": rule.text,
        "passed": rule.passed,
        "failed": list(rule.failed),
    }


def rules(verdict: Verdict) -> Sequence[Rule]:
    """What the checks of `verdict` say of each rule."""
    return [rule for result in verdict.results for rule in result.rules]


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update did to one adapter, or would do: from a version `before` to the
    one `after`, and what the changelog says of that."""

    name: str
    folder: Path
    before: str
    after: str
    update: Update | None = None
    changelog: str = ""
    verdict: Verdict | None = None

    @property
    def exit_code(self) -> int:
        if not self.update:
            return GREEN if self.before == self.after else BEHIND
        if self.update.conflicted:
            return CONFLICTS
        return GREEN if not self.verdict or self.verdict.passed else CHECK_FAILED


def document_of(updated: Updated) -> dict[str, Any]:
    """An update as values that JSON knows."""
    values: dict[str, Any] = {
        "adapter": updated.name,
        "folder": str(updated.folder),
        "before": updated.before,
        "after": updated.after,
        "exit": updated.exit_code,
    }
    if updated.update:
        values["changelog"] = updated.changelog
        values["files"] = [_outcome(one) for one in updated.update.outcomes]
    if updated.verdict:
        values["environment"] = updated.verdict.environment.description
        values["checks"] = [_check(item) for item in updated.verdict.results]
        values["rules"] = [_rule(rule) for rule in rules(updated.verdict)]
    return values


def _outcome(one: Outcome) -> dict[str, Any]:
    values: dict[str, Any] = {"path": str(one.path), "outcome": one.kind}
    if one.note:
        values["note"] = one.note
    if one.conflicts:
        values["lines"] = [[c.first, c.last] for c in one.conflicts]
    return values
