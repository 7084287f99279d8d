"""Checks an adapter that exists: one that we made, or any other by its subject."""

from __future__ import annotations

from pathlib import Path

from band_new_adapter import adapter, foreign, host_checks, placing, verify
from band_new_adapter.adapter import Adapter
from band_new_adapter.answers import Answers
from band_new_adapter.console import progress, show
from band_new_adapter.host import Host
from band_new_adapter.package import Package
from band_new_adapter.report import Report
from band_new_adapter.verify import Verdict


def run(path: Path, *, as_json: bool) -> int:
    """Check the package at `path`, the adapter in the host at `path`, or the one that
    the file `path` makes, and report; return the exit code."""
    host = Host.around(path) if path.is_dir() else None
    if host or adapter.is_recorded_in(path):
        found = adapter.at(host.root if host else path)
        report = _in_host(found, as_json=as_json)
    elif path.suffix == ".py" or path.is_file():
        report = _asked(path, as_json=as_json)
    else:
        report = _checked(path, as_json=as_json)
    show(report, as_json=as_json)
    return report.exit_code


def _checked(path: Path, *, as_json: bool) -> Report:
    package = Package.at(path)
    verdict = of_package(package, as_json=as_json)
    return Report(package.folder, package.distribution, verdict)


def _in_host(found: Adapter, *, as_json: bool) -> Report:
    assert found.host
    verdict = in_host(found.answers, found.host, as_json=as_json)
    return Report(found.folder, found.host.distribution, verdict)


def of_package(package: Package, *, as_json: bool) -> Verdict:
    """What the checks of a package say, while their progress is shown."""
    with progress(verify.CHECKS, as_json=as_json) as watch:
        return verify.verify(package, package.folder, watch)


def in_host(answers: Answers, host: Host, *, as_json: bool) -> Verdict:
    """What a host's own checks say of an adapter in it, while their progress is shown."""
    with progress(host_checks.CHECKS, as_json=as_json) as watch:
        return host_checks.verify(placing.subject_of(answers, host), watch)


def _asked(path: Path, *, as_json: bool) -> Report:
    subject = foreign.Subject.at(path)
    with progress([foreign.CHECK], as_json=as_json) as watch:
        asked = foreign.verify(subject, watch)
    return Report(subject.file, asked.adapter, asked.verdict, notes=asked.notes)
