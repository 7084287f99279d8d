"""The conformance tests of a package, run in a process that is warm already.

To import Band, the provider's client and pytest takes longer than most runs. They are
imported once, in a server that forks a process for each run. Nothing of a package is
imported there, so that each run meets its package for the first time.
"""

from __future__ import annotations

import ast
import functools
import gc
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

LAST = (
    "test_failures_recovery.py",
    "test_history_property.py",
    "test_local_room.py",
    "test_packaging.py",
    "test_sizes.py",
)
"""The files whose tests take longest: most mutants are dead before it comes to them."""

TEST_LIMIT = 15.0
"""Seconds that a test may take: one that hangs has failed, like any other."""

RUN_LIMIT = 180.0
"""Seconds that a run may take. Its tests end by themselves, so one that does not end
by then says nothing about the package: it is an error, and kills no mutant."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that failed, the rules that it names, and what it showed."""

    test: str
    rules: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run showed: the tests that passed, and the first that failed."""

    passed: int
    failure: Failure | None


class NotJudged(Exception):
    """The tests could not be run, so they say nothing about the package."""


def judge(package: Path, rules: frozenset[str]) -> Outcome:
    """Run the tests in `package` that name one of `rules`, until one fails.

    Raises NotJudged when the tests cannot be collected or set up, or do not end.
    """
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = _server().Process(target=_run, args=(package, rules, sender))
    process.start()
    sender.close()
    try:
        if not receiver.poll(RUN_LIMIT):
            raise NotJudged(f"no end after {RUN_LIMIT} s")
        passed, failure, problem = receiver.recv()
    except EOFError:
        raise NotJudged("the process died") from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if problem:
        raise NotJudged(problem)
    return Outcome(passed, Failure(*failure) if failure else None)


def _constant(path: Path, name: str) -> Mapping[str, str]:
    """A literal dict in Python code: the value of a variable, or of an argument."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case (
                ast.AnnAssign(target=ast.Name(id=found), value=ast.Dict() as value)
                | ast.keyword(arg=found, value=ast.Dict() as value)
            ) if found == name:
                return ast.literal_eval(value)
    return {}


def rules(package: Path) -> frozenset[str]:
    """The rules that apply to a package."""
    every = _constant(package / "tests" / "conformance" / "rules.py", "RULES")
    excepted = _constant(package / "tests" / "subject.py", "inapplicable")
    return frozenset(set(every) - set(excepted))


@functools.cache
def _server() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.warm"])
    return context


def _run(package: Path, rules: frozenset[str], sender: Connection) -> None:
    """Run pytest in this process, which is that of a package from here on."""
    gc.freeze()
    _leave_these_tests(package)
    _find_failures_without_shrinking_them()
    plugin = _Judge(rules)
    tests = [str(path) for path in _files_with(rules, Path("tests", "conformance"))]
    # Any other style looks through all modules for the source of each frame.
    options = ["-x", "--strict-markers", "--tb=native", "-p", "no:cacheprovider"]
    with tempfile.TemporaryFile() as shown:
        for stream in (1, 2):
            os.dup2(shown.fileno(), stream)
        code = pytest.main([*options, "--rootdir", str(package), *tests], [plugin])
        if not plugin.problem and code not in (pytest.ExitCode.OK, 1):
            shown.seek(0)
            plugin.problem = f"{code!r}: {shown.read().decode(errors='replace')}"
    sender.send((plugin.passed, plugin.failure, plugin.problem))


def _leave_these_tests(package: Path) -> None:
    """Forget what belongs to the tests of this project, and go to the package."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["PYTEST_PLUGINS"] = "pytest_asyncio.plugin,_hypothesis_pytestplugin"
    # As in an environment that was activated, where a type checker looks for modules.
    programs = Path(sys.executable).parent
    os.environ["PATH"] = os.pathsep.join((str(programs), os.environ["PATH"]))
    # What this run compiles, the next need not.
    sys.dont_write_bytecode = False
    os.chdir(package)


def _files_with(rules: frozenset[str], folder: Path) -> list[Path]:
    """The test files that have one of the rules' ids in them, the slow ones last."""
    return [
        path
        for path in sorted(folder.glob("test_*.py"), key=lambda p: (p.name in LAST, p))
        if any(f'"{rule}"' in path.read_text(encoding="utf-8") for rule in rules)
    ]


def _find_failures_without_shrinking_them() -> None:
    from hypothesis import Phase, settings

    settings.register_profile("first", phases=[Phase.explicit, Phase.generate])
    settings.load_profile("first")


class _Judge:
    """A pytest plugin: chooses the tests, limits their time, keeps what they show."""

    def __init__(self, rules: frozenset[str]) -> None:
        self.passed = 0
        self.failure: tuple[str, frozenset[str], str] | None = None
        self.problem = ""
        self._rules = rules

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self._rules & self._rules_of(item)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None]:
        def expire(*_: object) -> None:
            raise TimeoutError(f"the test did not end in {TEST_LIMIT} s")

        signal.signal(signal.SIGALRM, expire)
        # Again every second, should something in the test swallow it.
        signal.setitimer(signal.ITIMER_REAL, TEST_LIMIT, 1.0)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problem = f"not collected: {report.longreprtext}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.when == "setup":
            self.problem = f"not set up: {report.longreprtext}"
        elif report.failed:
            rules = frozenset(str(v) for k, v in report.user_properties if k == "rule")
            self.failure = (report.nodeid, rules, report.longreprtext[-4000:])
        elif report.when == "call":
            self.passed += 1

    @staticmethod
    def _rules_of(item: pytest.Item) -> set[Any]:
        return {rule for mark in item.iter_markers("rule") for rule in mark.args}
