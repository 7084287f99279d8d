"""The host's own checks of what was put into it; what failed before is not ours."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import Requirement

from band_new_adapter import apply, process
from band_new_adapter.environment import Environment, environment_at, environment_for
from band_new_adapter.host import Host
from band_new_adapter.plan import Plan
from band_new_adapter.verify import Check, CheckResult, Verdict, Watch, cases, variables

CHECKS = (
    Check("format", ("ruff", "format", "--check")),
    Check("lint", ("ruff", "check")),
    Check("types", ("pyrefly", "check")),
    Check("registration", ("import",)),
    Check("tests", ("pytest",)),
)
_TOOLS = ("ruff", "pyrefly", "pytest", "pytest-asyncio")
_PROOF = Path(__file__).with_name("registered.py")
# Tests against a platform need keys, and are not for a machine alone.
_LIVE = {"e2e", "integration"}
_PLACE = re.compile(r"(?:ERROR )?(\S+?):\d+:[\d:-]+:? (.*)")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: the `plan` that brings an adapter into `host`.

    `exports` has the names of each new module (`adapters.acme`), `extra` is what
    installs `requirements`, which bring the import packages `brings`.
    """

    host: Host
    plan: Plan
    module: str
    exports: dict[str, tuple[str, ...]]
    extra: str
    requirements: tuple[Requirement, ...]
    brings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A check's result, and what failed in it, in words that stay the same when
    lines move. A check that broke down has no such words, and is never forgiven."""

    result: CheckResult
    failures: frozenset[str]

    def beside(self, earlier: _Outcome) -> CheckResult:
        """The result, without what failed `earlier` too."""
        ours = self.failures - earlier.failures
        if not self.failures:
            return self.result
        lines = self.result.output.splitlines()
        kept = [line for line in lines if _unplaced(line) not in earlier.failures]
        before = len(self.failures) - len(ours)
        output = "\n".join(kept)
        return replace(self.result, passed=not ours, output=output, before=before)


def verify(subject: Subject, watch: Watch = lambda _: None) -> Verdict:
    """Run all checks of the host at once, with the plan's changes in place.

    A check that fails runs again on a copy without the changes: a failure that
    was there before does not count. Raises EnvironmentProblem.
    """
    environment = _environment(subject)
    with tempfile.TemporaryDirectory(prefix="band-new-adapter-") as folder:
        report = Path(folder, "junit.xml")
        here = subject.host.root
        found = _run(CHECKS, subject, environment, here, report, watch)
        failed = [check for check in CHECKS if not found[check].result.passed]
        results = {check: found[check].result for check in CHECKS}
        if failed:
            with apply.copied_before(subject.plan) as copy:
                earlier = _run(failed, subject, environment, copy, report)
            for check in failed:
                results[check] = found[check].beside(earlier[check])
    return Verdict(environment, tuple(results.values()))


def _environment(subject: Subject) -> Environment:
    wanted = [*subject.requirements, *(Requirement(name) for name in _TOOLS)]
    if found := environment_at(subject.host.root / ".venv", wanted):
        return found
    return environment_for([*subject.host.dependencies, *wanted])


def _run(
    checks: Sequence[Check],
    subject: Subject,
    environment: Environment,
    folder: Path,
    report: Path,
    watch: Watch = lambda _: None,
) -> dict[Check, _Outcome]:
    commands = [_command(c, subject, environment, folder, report) for c in checks]
    named = dict(zip((command.words for command in commands), checks, strict=True))
    found: dict[Check, _Outcome] = {}
    with closing(process.side_by_side(commands)) as all_ended:
        for ended in all_ended:
            check = named[ended.command.words]
            found[check] = _judge(check, ended, subject, report)
            watch(found[check].result)
    return found


def _command(
    check: Check,
    subject: Subject,
    environment: Environment,
    folder: Path,
    report: Path,
) -> process.Command:
    host, python = subject.host, str(environment.python)
    changed = [c.path for c in subject.plan.changes if c.path.suffix == ".py"]
    files = [str(path) for path in changed if (folder / path).is_file()]
    words: tuple[str, ...] = (python, "-m", *check.words)
    match check.name:
        case "format" | "lint":
            words += ("--no-cache", "--output-format=concise", *files)
        case "types":
            words += ("--output-format=min-text", "--progress-bar=no")
            words += (f"--python-interpreter-path={python}",)
        case "registration":
            words = (python, str(_PROOF), _claims(subject))
        case _:
            words += ("-q", "-p", "no:cacheprovider", "--color=no", "--tb=short")
            words += ("--continue-on-collection-errors", f"--junitxml={report}")
            words += _selected(subject, folder)
    source = folder / host.source.parents[host.package.count(".")]
    path = os.pathsep.join([str(source), str(folder)])
    return process.Command(words, folder, variables(report) | {"PYTHONPATH": path})


def _claims(subject: Subject) -> str:
    """What registered.py is to prove, as JSON."""
    tables = [
        ".".join(change.path.with_suffix("").parts)
        for change in subject.plan.changes
        if b"_CONFIG_BUILDERS" in (change.after or b"")
    ]
    return json.dumps(
        {
            "package": subject.host.package,
            "module": subject.module,
            "exports": subject.exports,
            "extra": subject.extra,
            "brings": subject.brings,
            "tables": tables,
        }
    )


def _selected(subject: Subject, folder: Path) -> tuple[str, ...]:
    """The tests that are about the adapter, or about the tables that it is in."""
    changed = {change.path for change in subject.plan.changes}
    tables = [path for path in changed if "tests" in path.parts]
    names = [rf"{path.parent.name}(\.| import ){path.stem}\b" for path in tables]
    about_it = re.compile("|".join([*names, "lazy_exports"]))
    chosen = [
        path
        for path, text in subject.host.texts().items()
        if re.fullmatch(r"test_.*\.py", path.name)
        and not _LIVE.intersection(path.parts)
        and (path in changed or about_it.search(text))
    ]
    adapters = subject.host.root / subject.host.source / "adapters"
    others = {path.stem for path in adapters.iterdir() if path.stem[0] not in "_."}
    others -= {subject.module}
    about = f"{subject.module} or not ({' or '.join(sorted(others)) or 'nothing'})"
    present = [str(path) for path in sorted(set(chosen)) if (folder / path).is_file()]
    return ("-k", about, *present)


def _judge(
    check: Check, ended: process.Ended, subject: Subject, report: Path
) -> _Outcome:
    output = ended.output.strip()
    passed = ended.status == 0
    result = CheckResult(check, passed, ended.seconds, output)
    if check.name != "tests":
        failures = () if passed else filter(None, map(_failure, output.splitlines()))
        return _Outcome(result, frozenset(failures))
    found = cases(report)
    failed = frozenset(case.name for case in found if case.failed)
    own = any(subject.module in c.name and not (c.failed or c.skipped) for c in found)
    if ended.command.folder == subject.host.root and not own:
        result = replace(result, output=f"{output}\nNo test of the adapter passed.")
        return _Outcome(replace(result, passed=False), frozenset())
    skipped = sum(case.skipped for case in found)
    return _Outcome(replace(result, tests=len(found), skipped=skipped), failed)


def _failure(line: str) -> str:
    """A line of output as a failure; "" for what only goes with one."""
    told = line.startswith("not registered:") or _PLACE.match(line)
    return _unplaced(line) if told else ""


def _unplaced(line: str) -> str:
    """`line` without the place in a file, which moves with what is inserted."""
    found = _PLACE.match(line)
    return f"{found[1]}: {found[2]}" if found else line
