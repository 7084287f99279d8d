"""Checks an adapter package that exists."""

from __future__ import annotations

from pathlib import Path

from band_new_adapter.package import Package
from band_new_adapter.report import Report, progress, show
from band_new_adapter.verify import verify


def run(path: Path, *, as_json: bool) -> int:
    """Check the package at `path` and report; return the exit code."""
    package = Package.at(path)
    with progress(as_json=as_json) as watch:
        verdict = verify(package, package.folder, watch)
    report = Report(package.folder, package.distribution, verdict)
    show(report, as_json=as_json)
    return report.exit_code
