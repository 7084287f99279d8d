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
from band_new_adapter.catalog import PROVIDERS
from tests import variants
from tests.mutants import MUTANTS
from tests.mutants.mutant import LIVE, Mutant
from tests.mutation import judge, rules

Files = Mapping[PurePosixPath, str]

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows cannot fork a process"
)


def may_change(files: Files) -> Files:
    """What a mutant may change of a package."""
    return {
        path: text
        for path, text in files.items()
        if path.parts[0] == "src" or path.name == "pyproject.toml"
    }


def rendered(provider: str) -> Files:
    """A package with everything that can be chosen."""
    return variants.files(
        Answers(
            adapter="acme",
            class_prefix="Acme",
            pattern=PROVIDERS[provider].pattern,
            provider=provider,
            emit=variants.choices("emit"),
            capabilities=variants.choices("capabilities"),
            description="An API.",
            license="MIT",
        )
    )


RENDERED = {provider: rendered(provider) for provider in LIVE}
CASES = [
    (provider, mutant)
    for mutant in MUTANTS
    for provider in LIVE
    if mutant.is_for(provider, may_change(RENDERED[provider]))
]


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The package of each provider."""
    folders = {provider: tmp_path_factory.mktemp(provider) for provider in LIVE}
    for provider, folder in folders.items():
        write(folder, RENDERED[provider])
    return folders


def write(folder: Path, files: Files) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    # Two texts of one length and one second would share their compiled file.
    for compiled in folder.glob("src/**/__pycache__"):
        shutil.rmtree(compiled)


@contextmanager
def replaced(package: Path, files: Files, whole: Files) -> Generator[None]:
    """`files` are in the package, which is `whole` again when the context is left.

    A package that was copied for each mutant would compile its tests for each.
    """
    write(package, files)
    try:
        yield
    finally:
        write(package, {path: whole[path] for path in files})


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
    package, whole = packages[provider], RENDERED[provider]
    with replaced(package, mutant.apply(provider, may_change(whole)), whole):
        outcome = judge(package, mutant.rules)
    assert outcome.failure, f"{outcome.passed} tests passed"
    assert outcome.failure.rules & mutant.rules


@pytest.mark.parametrize("provider", LIVE)
def test_every_rule_has_a_mutant(provider: str, packages: Mapping[str, Path]) -> None:
    broken = {rule for name, m in CASES if name == provider for rule in m.rules}
    assert broken == rules(packages[provider])


@pytest.mark.parametrize("provider", LIVE)
def test_no_two_mutants_have_one_name(provider: str) -> None:
    names = [mutant.name for name, mutant in CASES if name == provider]
    assert sorted(names) == sorted(set(names))


def test_no_mutant_is_a_mere_slip(tmp_path: Path) -> None:
    """A name that does not exist would be found by any test at all."""
    for number, (provider, mutant) in enumerate(CASES):
        files = mutant.apply(provider, may_change(RENDERED[provider]))
        write(tmp_path / str(number), files)
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select=E9,F821", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
