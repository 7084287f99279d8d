"""Makes an adapter in a host: its files, and its entries in the host's own."""

from __future__ import annotations

import os
from shlex import quote

from band_new_adapter import apply, placing, versions
from band_new_adapter.answers import Answers
from band_new_adapter.commands import check as checking
from band_new_adapter.commands.new import to_write
from band_new_adapter.console import show
from band_new_adapter.host import Host
from band_new_adapter.record import FOLDER
from band_new_adapter.register import Registrations
from band_new_adapter.report import Report
from band_new_adapter.verify import Verdict


def run(
    answers: Answers,
    notes: tuple[str, ...],
    host: Host,
    *,
    dry_run: bool,
    check: bool,
    as_json: bool,
) -> int:
    """Make the adapter in `host`, or show what would be; return the exit code."""
    plan, found = placing.plan_into(answers, host)
    verdict = None
    if dry_run:
        notes += versions.to_come()
    else:
        with apply.written(plan):
            if check:
                verdict = checking.in_host(answers, host, as_json=as_json)
            notes += versions.place()
    report = Report(
        host.root,
        host.distribution,
        verdict,
        answers,
        plan,
        registrations=found,
        made=not dry_run,
        notes=notes,
        next=_by_hand(found) if dry_run else _next_steps(answers, host, found, verdict),
    )
    show(report, as_json=as_json)
    return report.exit_code


def _next_steps(
    answers: Answers, host: Host, found: Registrations, verdict: Verdict | None
) -> tuple[str, ...]:
    here = os.path.relpath(host.root)
    if verdict and not verdict.passed:
        file = os.path.relpath(host.root / FOLDER / f"{answers.adapter}.yml")
        return (f"Correct what failed, then run: band-adapter check {quote(file)}",)
    return (
        *to_write(answers, host.source / "integrations" / answers.adapter),
        *_by_hand(found),
        "Read the changes: git diff, and git status for the new files.",
        f"Keep {FOLDER}/ for updates, or leave it out of a pull request.",
        f"To take it all out again: band-adapter remove {answers.adapter}"
        + (f" {quote(here)}" if here != "." else ""),
    )


def _by_hand(found: Registrations) -> tuple[str, ...]:
    return tuple(
        f"Make {item.path} anew: {item.lines.removeprefix('$ ')}"
        if item.lines.startswith("$ ")
        else f"Add to {item.path} by hand:\n{item.lines}"
        for item in found.left
    )
