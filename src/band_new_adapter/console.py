"""Results on the screen: text for a person, or the JSON document of a report."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from band_new_adapter.plan import Plan
from band_new_adapter.register import Registrations
from band_new_adapter.report import Report, document, rules
from band_new_adapter.verify import Check, CheckResult, Rule, Verdict, Watch

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


def show(report: Report, *, as_json: bool) -> None:
    """Print the report on standard output."""
    tell(document(report), lambda: _print(report, screen()), as_json=as_json)


def tell(values: dict[str, Any], text: Callable[[], None], *, as_json: bool) -> None:
    # The work is done: a reader who went away, which ends the program for rich,
    # does not undo it.
    with suppress(OSError, SystemExit):
        if as_json:
            print(json.dumps(values, indent=2))
        else:
            text()
        print(end="", flush=True)
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def progress(checks: Sequence[Check], *, as_json: bool) -> Generator[Watch]:
    """Show `checks` while they run, on a terminal that can; give what to tell."""
    console = screen()
    if as_json or not console.is_terminal or console.is_dumb_terminal:
        yield lambda result: None
        return
    columns = (
        SpinnerColumn(finished_text=" "),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        width = max(len(check.name) for check in checks)
        names = {check: f"{check.name:{width}}" for check in checks}
        tasks = {check: bars.add_task(name, total=1) for check, name in names.items()}

        def watch(result: CheckResult) -> None:
            word = "[green]passed" if result.passed else "[red]FAILED"
            text = f"{names[result.check]}  {word}"
            bars.update(tasks[result.check], completed=1, description=text)

        yield watch


def screen() -> Console:
    """Where text for a person goes."""
    return Console(highlight=False, markup=False, emoji=False)


def _print(report: Report, console: Console) -> None:
    print_notes(report.notes, console)
    _print_made(report, console)
    if report.verdict:
        print_verdict(report.verdict, console)
    if report.verdict and report.status == "failed":
        kept = f"\n{report.distribution} is kept to look at." if report.plan else ""
        text = f"\nA check failed. Begin with {_first(report.verdict)}.{kept}"
        console.print(text, style="bold red")
    if report.next:
        console.print("\nNext", style="bold")
        for number, step in enumerate(report.next, 1):
            console.print(Text(f"  {number}. {step}"), soft_wrap=True)


def print_notes(notes: Sequence[str], console: Console) -> None:
    """What the user should know beside the result."""
    for note in notes:
        console.print(f"Note: {note}", style="yellow", soft_wrap=True)


def print_verdict(verdict: Verdict, console: Console) -> None:
    """The checks, and what they say of each rule."""
    # The output of a failed check is long: what it comes to stands below it.
    _print_outputs(verdict, console)
    _print_checks(verdict, console)
    _print_rules(rules(verdict), console)
    _print_broken(rules(verdict), console)


def _print_made(report: Report, console: Console) -> None:
    plan, answers = report.plan, report.answers
    if not plan or not answers:
        return
    verb = "Made" if report.made else "Would make"
    folder = os.path.relpath(report.folder)
    found = report.registrations
    adapter, owner = answers.adapter, report.distribution
    what = f"{adapter} in {owner}" if found else owner
    said = f"{verb} {what}" if plan.changes else f"{adapter} is in {owner} already"
    console.print(said, style="bold", soft_wrap=True)
    home = "" if found else f", in {answers.package}"
    rows = [
        ("where", f"{folder} ({_count(plan)})"),
        ("class", f"{answers.adapter_class}{home}"),
        ("provider", answers.provider),
        ("emit", ", ".join(answers.emit) or "none"),
        ("capabilities", ", ".join(answers.capabilities) or "none"),
    ]
    _print_rows(rows if found else [*rows, ("license", answers.license)], console)
    if found:
        _print_registrations(found, console)
    if not report.made:
        console.print()
        for change in plan.changes:
            console.print(f"  {change.path}", soft_wrap=True)


def _count(plan: Plan) -> str:
    """How many files a plan makes and changes."""
    edited = sum(change.before is not None for change in plan.changes)
    made = f"{len(plan.changes) - edited} files"
    return made + (f", {edited} changed" if edited else "")


def _print_registrations(found: Registrations, console: Console) -> None:
    console.print("\nRegistration", style="bold")
    # There already, or not needed by this adapter.
    added, same = Text("added", "green"), Text("unchanged", "green")
    rows = [(r.place, added if r.edit else same, str(r.path)) for r in found.made]
    by_hand = Text("by hand", "yellow")
    rows += [(left.place, by_hand, str(left.path)) for left in found.left]
    _print_rows(rows, console)
    if found.absent:
        absent = ", ".join(found.absent)
        _print_rows([(f"The host does not have: {absent}.",)], console)


def _print_checks(verdict: Verdict, console: Console) -> None:
    console.print("\nChecks", style="bold")
    _print_rows([(f"in {verdict.environment.description}",)], console)
    rows = []
    for result in verdict.results:
        what = " ".join(result.check.words)
        what += f": {result.tests} tests" if result.tests else ""
        what += f", {result.skipped} skipped" if result.skipped else ""
        what += f", {result.before} failed before as well" * bool(result.before)
        seconds = f"{result.seconds:.1f} s"
        rows.append((result.check.name, _word(result.passed), seconds, what))
    _print_rows(rows, console)


def _print_rules(rules: Sequence[Rule], console: Console) -> None:
    if not any(rule.passed or rule.failed for rule in rules):
        return
    console.print("\nRules", style="bold")
    rows = []
    for group in dict.fromkeys(rule.id.partition("-")[0] for rule in rules):
        members = [rule for rule in rules if rule.id.partition("-")[0] == group]
        broken = [rule for rule in members if rule.failed]
        kept = sum(rule.passed > 0 for rule in members if not rule.failed)
        idle = len(members) - kept - len(broken)
        counts = f"{kept} kept" + (f", {len(broken)} broken" if broken else "")
        counts += f", {idle} not applicable" if idle else ""
        word = _word(not broken) if kept or broken else Text("-")
        rows.append((group, word, counts, _GROUPS.get(group, "")))
    _print_rows(rows, console)


def _print_outputs(verdict: Verdict, console: Console) -> None:
    for result in verdict.results:
        if not result.passed:
            command = " ".join(result.check.words)
            console.print(f"\n{result.check.name}: {command}", style="bold red")
            console.print(result.output, soft_wrap=True)


def _print_broken(rules: Sequence[Rule], console: Console) -> None:
    for rule in _broken(rules):
        count = f"{len(rule.failed)} of {len(rule.failed) + rule.passed} tests fail"
        console.print(f"\n{rule.id} is broken: {rule.text}", style="red")
        console.print(f"  {count}, such as {rule.failed[0]}", soft_wrap=True)


def _broken(rules: Sequence[Rule]) -> list[Rule]:
    """The broken rules; that of which most tests fail is the nearest to the cause."""

    def share(rule: Rule) -> float:
        return len(rule.failed) / (len(rule.failed) + rule.passed)

    return sorted((rule for rule in rules if rule.failed), key=share, reverse=True)


def _first(verdict: Verdict) -> str:
    """What to look at first: a rule, or the first check that failed."""
    failed = [result.check.name for result in verdict.results if not result.passed]
    return next((rule.id for rule in _broken(rules(verdict))), failed[0])


def _word(passed: bool) -> Text:
    return Text("passed", "green") if passed else Text("FAILED", "bold red")


def _print_rows(rows: Sequence[tuple[str | Text, ...]], console: Console) -> None:
    """Rows of columns. The last column is text that goes on below itself where the
    screen ends; no word of it is cut."""
    *widths, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    hang = " " * (2 + sum(width + 2 for width in widths))
    for *cells, last in rows:
        line = Text("  ")
        for cell, width in zip(cells, widths, strict=True):
            line.append(cell).append(" " * (width - len(cell) + 2))
        room = max(console.width - len(hang), 20)
        told = textwrap.wrap(
            str(last), room, break_long_words=False, break_on_hyphens=False
        )
        line.append(f"\n{hang}".join(told))
        line.rstrip()
        console.print(line, soft_wrap=True)
