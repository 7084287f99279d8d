"""Makes an adapter package: answers to files, checked before they are in place."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from band_new_adapter import apply, template, versions
from band_new_adapter.answers import Answers
from band_new_adapter.console import progress, show
from band_new_adapter.package import Package
from band_new_adapter.plan import Plan, free_folder
from band_new_adapter.render import render
from band_new_adapter.report import Report
from band_new_adapter.verify import CHECKS, Verdict, verify


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
        next=() if options.dry_run else _next_steps(answers, folder, verdict),
    )
    show(report, as_json=options.as_json)
    return report.exit_code


def _next_steps(
    answers: Answers, folder: Path, verdict: Verdict | None
) -> tuple[str, ...]:
    shown = os.path.relpath(folder)
    enter = () if shown == "." else (shlex.join(["cd", shown]),)
    if verdict and not verdict.passed:
        failed = "Correct what failed, then run: band-adapter check"
        return (*_switched_on(), *enter, failed)
    return (
        *_switched_on(),
        *enter,
        *to_write(answers, PurePosixPath("src", answers.package)),
        f'python -m pip install -e ".[{answers.extra},test]" && pytest',
        "python -m examples.offline",
        "Read README.md: it says how to go live.",
        "band-adapter check, after each change.",
    )


def _switched_on() -> tuple[str, ...]:
    """What puts the commands of this tool's environment on the path, if they are
    not on it."""
    activate = Path(sys.executable).with_name("activate")
    if shutil.which("band-adapter") or not activate.is_file():
        return ()
    return (shlex.join(["source", os.path.relpath(activate)]),)


def to_write(answers: Answers, source: PurePosixPath) -> tuple[str, ...]:
    """What is the author's to write in the folder `source`, as a step; none where
    the adapter is whole."""
    file, does = {
        "custom": ("model.py", "speaks to your API"),
        "custom-framework": ("framework.py", "runs your framework"),
    }.get(answers.provider, ("", ""))
    return (f"Write {source / file}: the one class that {does}.",) if file else ()
