"""The way through the tool is one way, and each danger has one owner."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import band_new_adapter

SOURCE = Path(band_new_adapter.__file__).parent

FLOW = (
    "errors",
    "walk",
    "pyproject",
    "interrupts",
    "process",
    "catalog",
    "answers",
    "questions",
    "reading.found",
    "reading.sources",
    "reading.declared",
    "reading.loops",
    "reading.libraries",
    "reading.project",
    "plan",
    "template",
    "render",
    "host",
    "register.edit",
    "register.entry",
    "register.requirements",
    "register.toml",
    "register.python",
    "register.exports",
    "register.project",
    "register.tables",
    "register.outputs",
    "register.configs",
    "register.baseline",
    "register.conformance",
    "register.readme",
    "register.places",
    "record",
    "entries",
    "needs",
    "adapter",
    "merge",
    "updating",
    "git",
    "repository",
    "apply",
    "versions",
    "bundle",
    "orphan",
    "package",
    "environment",
    "verify",
    "foreign",
    "host_checks",
    "registered",
    "placing",
    "refusals",
    "removal",
    "report",
    "console",
    "changes",
    "prompts",
    "flags",
    "commands.check",
    "commands.new",
    "commands.into",
    "commands.adopt",
    "commands.update",
    "commands.remove",
    "commands.list",
    "cli",
    "__main__",
)

WRITES = {
    "write_text",
    "write_bytes",
    "mkdir",
    "makedirs",
    "touch",
    "rename",
    "unlink",
    "rmdir",
    "rmtree",
    "copytree",
    "copyfile",
    "symlink",
}


def module_tree(module: str) -> ast.Module:
    path = SOURCE.joinpath(*module.split(".")).with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(module: str) -> Iterator[str]:
    for node in ast.walk(module_tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports_any(module: str, *packages: str) -> bool:
    return any(name.split(".")[0] in packages for name in imports(module))


def test_the_list_is_complete() -> None:
    found = {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in SOURCE.rglob("*.py")
        if path.name != "__init__.py" and "_template" not in path.parts
    }
    assert found == set(FLOW)


@pytest.mark.parametrize(("position", "module"), list(enumerate(FLOW)))
def test_modules_import_only_upstream(position: int, module: str) -> None:
    own = [n for n in imports(module) if n.startswith("band_new_adapter.")]
    names = [name.removeprefix("band_new_adapter.") for name in own]
    for downstream in FLOW[position:]:
        assert not any(f"{name}.".startswith(f"{downstream}.") for name in names)


@pytest.mark.parametrize(
    ("owner", "packages"),
    [
        ("render", ("copier", "plumbum", "jinja2")),
        ("process", ("subprocess", "multiprocessing")),
        ("interrupts", ("signal",)),
        ("console", ("rich",)),
    ],
    ids=lambda value: str(value),
)
def test_one_module_imports(owner: str, packages: tuple[str, ...]) -> None:
    importers = {module for module in FLOW if imports_any(module, *packages)}
    assert importers - {"process"} <= {owner}
    assert owner in importers


def test_nothing_imports_the_sdk() -> None:
    assert not any(imports_any(module, "band") for module in FLOW)


@pytest.mark.parametrize("module", [m for m in FLOW if m != "apply"])
def test_only_apply_writes(module: str) -> None:
    called = {
        node.func.attr
        for node in ast.walk(module_tree(module))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert called.isdisjoint(WRITES)


@pytest.mark.parametrize("module", FLOW)
def test_modules_and_functions_stay_small(module: str) -> None:
    tree = module_tree(module)
    assert max(node.end_lineno or 0 for node in tree.body) < 250
    for node in ast.walk(tree):
        # The one function of the command line is its list of flags.
        if isinstance(node, ast.FunctionDef) and (module, node.name) != ("cli", "new"):
            assert (node.end_lineno or 0) - node.lineno < 40, node.name
