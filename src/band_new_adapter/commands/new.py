"""Makes an adapter package: answers to files, checked before they are in place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from band_new_adapter import apply, template, versions
from band_new_adapter.answers import Answers
from band_new_adapter.console import progress, show
from band_new_adapter.package import Package
from band_new_adapter.plan import Plan, free_folder
from band_new_adapter.render import render
from band_new_adapter.report import Report
from band_new_adapter.verify import CHECKS, verify


@dataclass(frozen=True, slots=True)
class Options:
    """How to run, beside the answers. `output` is the folder to make."""

    output: Path | None
    dry_run: bool
    check: bool
    as_json: bool


def run(answers: Answers, notes: tuple[str, ...], options: Options) -> int:
    """Make the adapter, or show what would be made; return the exit code."""
    folder = free_folder(options.output or Path(answers.distribution))
    plan = Plan.of_new(folder, render(answers, template.root()))
    verdict = None
    if options.dry_run:
        notes += versions.to_come()
    else:
        with apply.staged(plan) as staged:
            if options.check:
                with progress(CHECKS, as_json=options.as_json) as watch:
                    verdict = verify(Package.at(staged), folder, watch)
            notes += versions.place()
            apply.move(staged, folder)
    report = Report(
        folder,
        answers.distribution,
        verdict,
        answers,
        plan,
        made=not options.dry_run,
        notes=notes,
        next=_next_steps(answers, folder, verdict is None or verdict.passed),
    )
    show(report, as_json=options.as_json)
    return report.exit_code


def _next_steps(answers: Answers, folder: Path, green: bool) -> tuple[str, ...]:
    shown = os.path.relpath(folder)
    enter = () if shown == "." else (f'cd "{shown}"',)
    if not green:
        return (*enter, "Correct what failed, then run: band-adapter check")
    model = f"src/{answers.package}/model.py"
    write = f"Write {model}: the one class that speaks to your API."
    return (
        *enter,
        *((write,) if answers.provider == "custom" else ()),
        f'python -m pip install -e ".[{answers.extra},test]" && pytest',
        "python -m examples.offline",
        "Read README.md: it says how to go live.",
        "band-adapter check, after each change.",
    )
