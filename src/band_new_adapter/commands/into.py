"""Makes an adapter in a host: its files, and its entries in the host's own."""

from __future__ import annotations

from band_new_adapter import apply, host_checks, placing, register, versions
from band_new_adapter.answers import Answers
from band_new_adapter.console import progress, show
from band_new_adapter.host import Host
from band_new_adapter.record import FOLDER
from band_new_adapter.register import Registrations
from band_new_adapter.report import Report


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
    texts = host.texts()
    files = placing.files_of(answers, host)
    found = register.registrations(texts, placing.entry_of(answers, host))
    plan, record = placing.plan_into(answers, host, files, texts, found)
    verdict = None
    if dry_run:
        notes += versions.to_come()
    else:
        with apply.written(plan):
            if check:
                subject = placing.subject_of(answers, host, files, record)
                with progress(host_checks.CHECKS, as_json=as_json) as watch:
                    verdict = host_checks.verify(subject, watch)
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
        next=_next_steps(answers, host, found, verdict is None or verdict.passed),
    )
    show(report, as_json=as_json)
    return report.exit_code


def _next_steps(
    answers: Answers, host: Host, found: Registrations, green: bool
) -> tuple[str, ...]:
    if not green:
        return ("Correct what failed, then run the same command again.",)
    source = host.source / "integrations" / answers.adapter
    write = {
        "custom": f"Write {source}/model.py: the one class that speaks to your API.",
        "custom-framework": f"Write {source}/framework.py: the one class that runs it.",
    }.get(answers.provider)
    left = (f"Add to {item.path} by hand:\n{item.lines}" for item in found.left)
    return (
        *filter(None, (write,)),
        *left,
        "Read the changes: git diff, and git status for the new files.",
        f"Keep {FOLDER}/ for updates, or leave it out of a pull request.",
        f"To take it all out again: band-adapter remove {answers.adapter}",
    )
