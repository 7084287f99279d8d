"""Makes an adapter package: answers to files, checked before they are in place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from band_new_adapter import apply, template
from band_new_adapter.answers import Answers
from band_new_adapter.errors import CannotWrite
from band_new_adapter.package import Package
from band_new_adapter.plan import Plan, free_folder
from band_new_adapter.render import render
from band_new_adapter.report import Report, progress, show
from band_new_adapter.verify import verify


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
        notes += _bundle_to_come()
    else:
        with apply.staged(plan) as staged:
            if options.check:
                with progress(as_json=options.as_json) as watch:
                    verdict = verify(Package.at(staged), folder, watch)
            notes += _place_bundle()
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


def _place_bundle() -> tuple[str, ...]:
    """Put the template's versions where the answers file says that they are."""
    place = Path(template.SOURCE).expanduser()
    content = template.newer_bundle(place)
    if content is not None:
        try:
            apply.put(place, content)
        except CannotWrite as error:
            return (f"{error.message} Until it is, `copier update` has no source.",)
    return ()


def _bundle_to_come() -> tuple[str, ...]:
    if template.newer_bundle(Path(template.SOURCE).expanduser()) is None:
        return ()
    return (f"{template.SOURCE} would be written, for later updates.",)


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
