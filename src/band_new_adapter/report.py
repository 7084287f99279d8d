"""Results as text for a person or as one JSON document; the only formatter."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from band_new_adapter.answers import Answers
from band_new_adapter.errors import CHECK_FAILED, GREEN
from band_new_adapter.plan import Plan
from band_new_adapter.template import SOURCE, TAG
from band_new_adapter.verify import CHECKS, CheckResult, Rule, Verdict, Watch

_GROUPS = {
    "CFG": "construction",
    "FEAT": "emit, capabilities, filters",
    "SYS": "what the model is told",
    "TOOL": "the tool loop",
    "TURN": "how a turn ends",
    "EVT": "events",
    "HIST": "history",
    "ROOM": "rooms",
    "FAIL": "provider failures",
    "PKG": "packaging",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What a command did. `answers` and `plan` are those of a new adapter, `made`
    is False for a dry run, and `verdict` is None where nothing was checked."""

    folder: Path
    distribution: str
    verdict: Verdict | None
    answers: Answers | None = None
    plan: Plan | None = None
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


def show(report: Report, *, as_json: bool) -> None:
    """Print the report on standard output."""
    # The work is done: a reader who went away, which ends the program for rich,
    # does not undo it.
    with suppress(OSError, SystemExit):
        if as_json:
            print(json.dumps(document(report), indent=2))
        else:
            _print(report, _console())
        sys.stdout.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    if report.verdict:
        result["environment"] = report.verdict.environment.description
        result["checks"] = [_check(item) for item in report.verdict.results]
        result["rules"] = [_rule(rule) for rule in _rules(report.verdict)]
    return result | {"notes": list(report.notes), "next": list(report.next)}


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
    return values


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "text": rule.text,
        "passed": rule.passed,
        "failed": list(rule.failed),
    }


def _rules(verdict: Verdict) -> Sequence[Rule]:
    return [rule for result in verdict.results for rule in result.rules]


@contextmanager
def progress(*, as_json: bool) -> Generator[Watch]:
    """Show the checks while they run, on a terminal that can; give what to tell."""
    console = _console()
    if as_json or not console.is_terminal or console.is_dumb_terminal:
        yield lambda result: None
        return
    columns = (
        SpinnerColumn(finished_text=" "),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        tasks = {check: bars.add_task(check.name, total=1) for check in CHECKS}

        def watch(result: CheckResult) -> None:
            word = "[green]passed" if result.passed else "[red]FAILED"
            text = f"{result.check.name} {word}"
            bars.update(tasks[result.check], completed=1, description=text)

        yield watch


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def _print(report: Report, console: Console) -> None:
    for note in report.notes:
        console.print(f"Note: {note}", style="yellow")
    _print_made(report, console)
    if verdict := report.verdict:
        # The output of a failed check is long: what it comes to stands below it.
        _print_outputs(verdict, console)
        _print_checks(verdict, console)
        _print_rules(_rules(verdict), console)
        _print_broken(_rules(verdict), console)
    if report.status == "failed":
        kept = f"\n{report.distribution} is kept to look at." if report.plan else ""
        text = f"\nA check failed. Begin with what is named first.{kept}"
        console.print(text, style="bold red")
    if report.next:
        console.print("\nNext", style="bold")
        for number, step in enumerate(report.next, 1):
            console.print(Text(f"  {number}. {step}"), soft_wrap=True)


def _print_made(report: Report, console: Console) -> None:
    plan, answers = report.plan, report.answers
    if not plan or not answers:
        return
    verb = "Made" if report.made else "Would make"
    folder = os.path.relpath(report.folder)
    console.print(f"{verb} {report.distribution}", style="bold")
    table = _table()
    table.add_row("where", f"{folder} ({len(plan.changes)} files)")
    table.add_row("class", f"{answers.adapter_class}, in {answers.package}")
    table.add_row("provider", answers.provider)
    table.add_row("emit", ", ".join(answers.emit) or "none")
    table.add_row("capabilities", ", ".join(answers.capabilities) or "none")
    table.add_row("license", answers.license)
    console.print(table)
    if not report.made:
        console.print()
        for change in plan.changes:
            console.print(f"  {change.path}", soft_wrap=True)


def _print_checks(verdict: Verdict, console: Console) -> None:
    console.print("\nChecks", style="bold")
    console.print(f"  in {verdict.environment.description}")
    table = _table()
    for result in verdict.results:
        what = " ".join(result.check.words)
        what += f": {result.tests} tests" if result.tests else ""
        what += f", {result.skipped} skipped" if result.skipped else ""
        word = _word(result.passed)
        table.add_row(result.check.name, word, f"{result.seconds:.1f} s", what)
    console.print(table)


def _print_rules(rules: Sequence[Rule], console: Console) -> None:
    if not any(rule.passed or rule.failed for rule in rules):
        return
    console.print("\nRules", style="bold")
    table = _table()
    for group in dict.fromkeys(rule.id.partition("-")[0] for rule in rules):
        members = [rule for rule in rules if rule.id.partition("-")[0] == group]
        broken = [rule for rule in members if rule.failed]
        kept = sum(rule.passed > 0 for rule in members if not rule.failed)
        idle = len(members) - kept - len(broken)
        counts = f"{kept} kept" + (f", {len(broken)} broken" if broken else "")
        counts += f", {idle} not applicable" if idle else ""
        word = _word(not broken) if kept or broken else Text("-")
        table.add_row(group, word, counts, _GROUPS.get(group, ""))
    console.print(table)


def _print_outputs(verdict: Verdict, console: Console) -> None:
    for result in verdict.results:
        if not result.passed:
            command = " ".join(result.check.words)
            console.print(f"\n{result.check.name}: {command}", style="bold red")
            console.print(result.output, soft_wrap=True)


def _print_broken(rules: Sequence[Rule], console: Console) -> None:
    """The broken rules; that of which most tests fail is the nearest to the cause."""

    def share(rule: Rule) -> float:
        return len(rule.failed) / (len(rule.failed) + rule.passed)

    for rule in sorted((rule for rule in rules if rule.failed), key=share)[::-1]:
        count = f"{len(rule.failed)} of {len(rule.failed) + rule.passed} tests fail"
        console.print(f"\n{rule.id} is broken: {rule.text}", style="red")
        console.print(f"  {count}, such as {rule.failed[0]}", soft_wrap=True)


def _word(passed: bool) -> Text:
    return Text("passed", "green") if passed else Text("FAILED", "bold red")


def _table() -> Table:
    return Table(box=None, show_header=False, padding=(0, 0, 0, 2))
