"""Checks an adapter that exists: a package that we made, or any other by its subject."""

from __future__ import annotations

from pathlib import Path

from band_new_adapter import foreign
from band_new_adapter.console import progress, show
from band_new_adapter.package import Package
from band_new_adapter.report import Report
from band_new_adapter.verify import CHECKS, verify


def run(path: Path, *, as_json: bool) -> int:
    """Check the package at `path`, or the adapter that the file `path` makes, and
    report; return the exit code."""
    if path.suffix == ".py" or path.is_file():
        report = _asked(path, as_json=as_json)
    else:
        report = _checked(path, as_json=as_json)
    show(report, as_json=as_json)
    return report.exit_code


def _checked(path: Path, *, as_json: bool) -> Report:
    package = Package.at(path)
    with progress(CHECKS, as_json=as_json) as watch:
        verdict = verify(package, package.folder, watch)
    return Report(package.folder, package.distribution, verdict)


def _asked(path: Path, *, as_json: bool) -> Report:
    subject = foreign.Subject.at(path)
    with progress([foreign.CHECK], as_json=as_json) as watch:
        asked = foreign.verify(subject, watch)
    return Report(subject.file, asked.adapter, asked.verdict, notes=asked.notes)
