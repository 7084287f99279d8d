"""PKG: what is installed, imported and published."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.subject import Subject

# Comes with band-sdk, or is band-sdk.
BAND = {"band", "band_sdk_core", "pydantic", "typing_extensions"}

# `python -c USE package,adapter blocked,names` reads the adapter's name where those
# modules are missing; it prints what importing the package loaded, and what came of it.
# What the SDK itself brings is never missing.
USE = """
import importlib, json, sys

import band
import band.exports

package, adapter = sys.argv[1].split(",")
blocked = {*sys.argv[2].split(",")} - {*sys.modules}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
imported = importlib.import_module(package)
loaded = [*sys.modules]
try:
    outcome = getattr(imported, adapter).__name__
except ImportError as error:
    outcome = str(error)
print(json.dumps([loaded, [*blocked], outcome]))
"""


def use_without_extra(subject: Subject) -> tuple[set[str], set[str], str]:
    """What importing the package loads, what was missing, and what came of it."""
    names = f"{subject.package},{subject.adapter.__name__}"
    return run_without(",".join(subject.requires), names)


@functools.cache
def run_without(required: str, names: str) -> tuple[set[str], set[str], str]:
    done = subprocess.run(
        [sys.executable, "-c", USE, names, required],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded, missing, outcome = json.loads(done.stdout)
    return {*loaded}, {*missing} - {""}, outcome


@pytest.fixture
def root(pytestconfig: pytest.Config) -> Path:
    """The folder of the package's pyproject.toml."""
    return pytestconfig.rootpath


@pytest.fixture
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture
def init(subject: Subject) -> ast.Module:
    """The package's __init__.py."""
    path = importlib.import_module(subject.package).__file__
    assert path
    return ast.parse(Path(path).read_text("utf-8"))


def exports(init: ast.Module) -> dict[str, set[str]]:
    """The table of lazy exports: module -> names."""
    (table,) = [
        node
        for node in ast.walk(init)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "lazy_exports"
    ]
    return {
        keyword.arg or "": set(ast.literal_eval(keyword.value))
        for keyword in table.keywords
    }


def typed_imports(init: ast.Module) -> dict[str, set[str]]:
    """The imports under TYPE_CHECKING: module -> names."""
    found: dict[str, set[str]] = {}
    for block in init.body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for node in block.body:
                assert isinstance(node, ast.ImportFrom) and node.module
                names = found.setdefault(node.module.rpartition(".")[2], set())
                names |= {alias.asname or alias.name for alias in node.names}
    return found


@pytest.mark.rule("PKG-1")
def test_importing_the_package_imports_no_provider(subject: Subject) -> None:
    loaded, missing, _ = use_without_extra(subject)
    assert subject.package in loaded
    assert loaded.isdisjoint(missing)
    assert f"{subject.package}.adapter" not in loaded, "adapters are imported when used"


@pytest.mark.rule("PKG-1")
def test_without_the_extra_the_adapter_says_what_to_install(
    subject: Subject, project: dict[str, Any]
) -> None:
    _, missing, outcome = use_without_extra(subject)
    if missing:
        install = rf"pip install .*{subject.distribution}\[{subject.extra}\]"
        assert re.search(install, outcome), outcome
    else:
        assert outcome == subject.adapter.__name__
    if not subject.requires:
        extra = project["optional-dependencies"][subject.extra]
        assert extra == [], "name what the extra brings in `requires` of subject.py"


@pytest.mark.rule("PKG-1", "PKG-2")
def test_a_name_that_does_not_exist_is_an_attribute_error(subject: Subject) -> None:
    package = importlib.import_module(subject.package)
    with pytest.raises(AttributeError, match="NoSuchAdapter"):
        _ = package.NoSuchAdapter


@pytest.mark.rule("PKG-2")
def test_every_exported_name_can_be_read(subject: Subject) -> None:
    package = importlib.import_module(subject.package)
    exported = {name: getattr(package, name) for name in package.__all__}
    for expected in (subject.adapter, subject.config, subject.converter):
        assert exported[expected.__name__] is expected
    assert len(package.__all__) == len(exported), "a name is exported twice"


@pytest.mark.rule("PKG-2")
def test_lazy_table_and_typed_imports_agree(init: ast.Module) -> None:
    assert exports(init) == typed_imports(init)


@pytest.mark.rule("PKG-2")
def test_all_lists_what_the_lazy_table_exports(
    subject: Subject, init: ast.Module
) -> None:
    package = importlib.import_module(subject.package)
    assert set(package.__all__) == set().union(*exports(init).values())


@pytest.mark.rule("PKG-3")
def test_band_sdk_is_the_only_dependency(project: dict[str, Any]) -> None:
    (band,) = [line.replace(" ", "") for line in project["dependencies"]]
    assert band.startswith("band-sdk")
    assert {*band.removeprefix("band-sdk").split(",")} == {">=6.0.1", "<7"}


@pytest.mark.rule("PKG-3")
def test_the_extra_carries_what_the_provider_requires(
    subject: Subject, project: dict[str, Any]
) -> None:
    assert project["name"] == subject.distribution
    extra = project["optional-dependencies"][subject.extra]
    required = {re.split(r"[^\w.-]", line)[0].lower() for line in extra}
    brought = {
        file.parts[0]
        for distribution in required
        for file in importlib.metadata.files(distribution) or ()
    }
    assert brought >= {*subject.requires}, "the extra does not bring what is imported"
    assert len(required) == len(subject.requires), "see `requires` in subject.py"
    assert all(re.search(r"[<>=~]", line) for line in extra), "bound the versions"


@pytest.mark.rule("PKG-3")
def test_the_test_extra_carries_what_these_tests_need(project: dict[str, Any]) -> None:
    lines = project["optional-dependencies"]["test"]
    named = {re.split(r"[^\w.-]", line)[0].lower() for line in lines}
    assert {"pytest", "pytest-asyncio", "hypothesis", "ruff", "pyrefly"} <= named


@pytest.mark.rule("PKG-3")
def test_nothing_else_is_imported(subject: Subject) -> None:
    allowed = {*sys.stdlib_module_names, *BAND, *subject.requires, subject.package}
    package = importlib.import_module(subject.package)
    for path in Path(package.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in getattr(node, "names", ())]
            if isinstance(node, ast.ImportFrom):
                names = [node.module or subject.package] if not node.level else []
            elif not isinstance(node, ast.Import):
                continue
            roots = {name.partition(".")[0] for name in names}
            more = (
                f"{path.name} imports {roots - allowed}: see `requires` in subject.py"
            )
            assert roots <= allowed, more


@pytest.mark.rule("PKG-3")
def test_the_package_is_marked_as_typed(subject: Subject) -> None:
    package = importlib.import_module(subject.package)
    assert (Path(package.__path__[0]) / "py.typed").is_file()


@pytest.mark.rule("PKG-4")
@pytest.mark.parametrize(
    "check",
    [
        ("ruff", "check", "--no-cache", "--no-respect-gitignore", "."),
        ("ruff", "format", "--check", "--no-cache", "--no-respect-gitignore", "."),
        (
            "pyrefly",
            "check",
            "--use-ignore-files=false",
            f"--python-interpreter-path={sys.executable}",
        ),
    ],
    ids=["lint", "format", "types"],
)
def test_the_package_is_clean(root: Path, check: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *check],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
