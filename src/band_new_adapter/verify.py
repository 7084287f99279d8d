"""The four checks of a package, side by side, and what they say of each rule."""

from __future__ import annotations

import ast
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from band_new_adapter import process
from band_new_adapter.environment import Environment, environment_for
from band_new_adapter.errors import TOO_DEEP
from band_new_adapter.package import RULES, Package

# Settings of the user for their own use of these tools, and proxies, which would
# come between the tests and their servers on this machine.
_NOT_PASSED_ON = re.compile(
    r"(PYTHON|PYTEST_|RUFF_|PYREFLY_|HYPOTHESIS_)\w*|VIRTUAL_ENV|\w+_PROXY",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Check:
    """A command that judges a package: its name, and what is run."""

    name: str
    words: tuple[str, ...]


CHECKS = (
    Check("format", ("ruff", "format", "--check")),
    Check("lint", ("ruff", "check")),
    Check("types", ("pyrefly", "check")),
    Check("conformance", ("pytest",)),
)
# Arguments beside those that a user would type: leave nothing in the package,
# and look at its files even if a repository around it ignores them.
_ALSO: Mapping[str, tuple[str, ...]] = {
    "format": ("--no-cache", "--no-respect-gitignore", "."),
    "lint": ("--no-cache", "--no-respect-gitignore", "."),
    "types": ("--use-ignore-files=false", "--progress-bar=no"),
    "conformance": ("-p", "no:cacheprovider", "--color=no", "--tb=short"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What the tests that name a rule showed: how many passed, which failed."""

    id: str
    text: str
    passed: int
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one check ended. `tests`, `skipped` and `rules` are conformance's own;
    a rule without tests is one that cannot apply to the adapter. `before` counts
    the failures that a host had already, which do not count against it."""

    check: Check
    passed: bool
    seconds: float
    output: str
    tests: int = 0
    skipped: int = 0
    rules: tuple[Rule, ...] = ()
    before: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """All results, in the order of their checks, and where they were made."""

    environment: Environment
    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)


Watch = Callable[[CheckResult], None]


def verify(package: Package, shown: Path, watch: Watch = lambda _: None) -> Verdict:
    """Run all checks at once; `watch` is told of each as it ends.

    What is reported calls the package's folder `shown`, which is where it will
    be. Leaves nothing in the package and no process. Raises EnvironmentProblem.
    """
    environment = environment_for(package.requirements)
    with tempfile.TemporaryDirectory(prefix="band-new-adapter-") as folder:
        report = Path(folder, "junit.xml")
        commands = [_command(check, package, environment, report) for check in CHECKS]
        checks = dict(zip((command.words for command in commands), CHECKS))
        results: dict[Check, CheckResult] = {}
        with closing(process.side_by_side(commands)) as all_ended:
            for ended in all_ended:
                check = checks[ended.command.words]
                output = ended.output.strip().replace(str(package.folder), str(shown))
                results[check] = result = judge(check, ended, output, report)
                watch(result)
    return Verdict(environment, tuple(results[check] for check in CHECKS))


def _command(
    check: Check, package: Package, environment: Environment, report: Path
) -> process.Command:
    python = str(environment.python)
    also = _ALSO[check.name]
    if check.name == "types":
        also += (f"--python-interpreter-path={python}",)
    if check.name == "conformance":
        also += (f"--junitxml={report}",)
    words = (python, "-P", "-m", *check.words, *also)
    return process.Command(words, package.folder, variables(report))


def variables(report: Path) -> dict[str, str]:
    """The environment of a check, which leaves nothing but beside its `report`."""
    own = {k: v for k, v in os.environ.items() if not _NOT_PASSED_ON.fullmatch(k)}
    return own | {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(report.with_name("hypothesis")),
        "TMPDIR": str(report.parent),
    }


def judge(check: Check, ended: process.Ended, output: str, report: Path) -> CheckResult:
    """What came of a check: its process, with its output, and pytest's `report`."""
    passed = ended.status == 0
    if check.name != "conformance":
        # ruff is content with no files at all.
        passed = passed and "No Python files found" not in output
        return CheckResult(check, passed, ended.seconds, output)
    ran = cases(report)
    rules = _rules(ended.command.folder / RULES, ran)
    reason = ""
    if not rules:
        reason = f"{RULES.as_posix()} is missing or has no RULES."
    elif not any(case.rules for case in ran):
        reason = "No test of a rule ran: nothing is proven."
    elif passed and any(case.failed for case in ran):
        reason = "Tests failed, but pytest ended as if they had not."
    return CheckResult(
        check,
        passed and not reason,
        ended.seconds,
        "\n".join(filter(None, (output, reason))),
        len(ran),
        sum(case.skipped for case in ran),
        rules,
    )


@dataclass(frozen=True, slots=True)
class Case:
    """One test of a pytest run, by the name that pytest takes, and its rules."""

    name: str
    rules: tuple[str, ...]
    failed: bool
    skipped: bool


def cases(report: Path) -> tuple[Case, ...]:
    """The tests in pytest's JUnit `report`; none where there is no report."""
    try:
        root = ElementTree.parse(report).getroot()
    except (OSError, ElementTree.ParseError):
        return ()
    return tuple(
        Case(
            _name(case),
            tuple(
                str(item.get("value"))
                for item in case.iterfind("properties/property[@name='rule']")
            ),
            case.find("failure") is not None or case.find("error") is not None,
            case.find("skipped") is not None,
        )
        for case in root.iter("testcase")
    )


def _name(case: ElementTree.Element) -> str:
    """The test as pytest names it: its file, its classes, itself."""
    module, name = case.get("classname", ""), case.get("name", "")
    if not module:
        return name
    parts = module.split(".")
    # The report has dots alone, and a class begins with a capital.
    ends = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts))
    return "::".join(["/".join(parts[:ends]) + ".py", *parts[ends:], name])


def _rules(file: Path, ran: Sequence[Case]) -> tuple[Rule, ...]:
    rules = []
    for key, text in _texts(file).items():
        about = [case for case in ran if key in case.rules]
        failed = tuple(case.name for case in about if case.failed)
        passed = sum(not (case.failed or case.skipped) for case in about)
        rules.append(Rule(key, text, passed, failed))
    return tuple(rules)


def _texts(file: Path) -> dict[str, str]:
    """The literal `RULES` of a module, read without running it."""
    try:
        statements = ast.parse(file.read_text(encoding="utf-8")).body
        for item in statements:
            if isinstance(item, ast.AnnAssign) and ast.unparse(item.target) == "RULES":
                return dict(ast.literal_eval(item.value) if item.value else {})
    except (OSError, SyntaxError, ValueError, *TOO_DEEP):
        pass
    return {}
