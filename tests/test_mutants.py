"""The conformance tests can fail: each fault of a package turns one of them red.

A mutant is killed by a test that fails and names one of the rules that the mutant
breaks; other tests are not even run. A test that hangs fails after some seconds, and
may kill. Tests that cannot be collected or set up judge nothing and kill nothing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter.answers import Answers
from tests import variants
from tests.mutants import MUTANTS
from tests.mutants.mutant import LIVE, Mutant
from tests.mutation import judge, rules

CASES = [(provider, mutant) for mutant in MUTANTS for provider in mutant.providers]
Files = Mapping[PurePosixPath, str]

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows cannot fork a process"
)


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """For each provider, a package with everything that can be chosen."""
    folders = {}
    for provider in LIVE:
        answers = Answers(
            adapter="acme",
            class_prefix="Acme",
            pattern=2,
            provider=provider,
            emit=variants.choices("emit"),
            capabilities=variants.choices("capabilities"),
            description="An API.",
            license="MIT",
        )
        folders[provider] = tmp_path_factory.mktemp(provider)
        write(folders[provider], variants.files(answers))
    return folders


def write(folder: Path, files: Files) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    # Two texts of one length and one second would share their compiled file.
    for compiled in folder.glob("src/**/__pycache__"):
        shutil.rmtree(compiled)


def source(package: Path) -> Files:
    """What a mutant may change."""
    paths = [package / "pyproject.toml", *package.glob("src/**/*.py")]
    return {
        PurePosixPath(path.relative_to(package)): path.read_text(encoding="utf-8")
        for path in paths
    }


@contextmanager
def replaced(package: Path, files: Files) -> Generator[None]:
    """`files` are in the package, which is as before when the context is left.

    A package that was copied for each mutant would compile its tests for each.
    """
    before = {path: text for path, text in source(package).items() if path in files}
    write(package, files)
    try:
        yield
    finally:
        write(package, before)


@pytest.mark.parametrize("provider", LIVE)
def test_a_package_without_a_fault_is_green(
    provider: str, packages: Mapping[str, Path]
) -> None:
    package = packages[provider]
    outcome = judge(package, rules(package))
    assert outcome.failure is None, outcome.failure.text
    assert outcome.passed > 300


@pytest.mark.parametrize(
    ("provider", "mutant"), CASES, ids=[f"{p}: {mutant.name}" for p, mutant in CASES]
)
def test_a_mutant_is_killed(
    provider: str, mutant: Mutant, packages: Mapping[str, Path]
) -> None:
    package = packages[provider]
    with replaced(package, mutant.apply(provider, source(package))):
        outcome = judge(package, mutant.rules)
    assert outcome.failure, f"{outcome.passed} tests passed"
    assert outcome.failure.rules & mutant.rules


@pytest.mark.parametrize("provider", LIVE)
def test_every_rule_has_a_mutant(provider: str, packages: Mapping[str, Path]) -> None:
    broken = {rule for m in MUTANTS if provider in m.providers for rule in m.rules}
    assert broken == rules(packages[provider])


@pytest.mark.parametrize("provider", LIVE)
def test_no_two_mutants_have_one_name(provider: str) -> None:
    names = [mutant.name for mutant in MUTANTS if provider in mutant.providers]
    assert sorted(names) == sorted(set(names))


def test_no_mutant_is_a_mere_slip(packages: Mapping[str, Path], tmp_path: Path) -> None:
    """A name that does not exist would be found by any test at all."""
    for number, (provider, mutant) in enumerate(CASES):
        files = mutant.apply(provider, source(packages[provider]))
        write(tmp_path / str(number), files)
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select=E9,F821", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
