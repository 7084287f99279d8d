"""Who runs the tool loop of an adapter, as its code shows it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from band_new_adapter.reading.sources import Module

_EXECUTES = "execute_tool_call"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


@dataclass(frozen=True, slots=True)
class Executing:
    """Where tool calls are executed: in a loop of the adapter's own, or once for
    each time that something else asks."""

    looped: bool
    place: str

    def __str__(self) -> str:
        how = "in a loop of its own" if self.looped else "when something else asks"
        return f"it executes tool calls {how}: {self.place}"


@dataclass(slots=True)
class _Function:
    """What a function calls of the adapter's own, and what of that in a loop."""

    module: Module
    executes: ast.AST | None = None
    calls: set[str] = field(default_factory=set)
    looped: list[tuple[str, ast.AST]] = field(default_factory=list)


def executing(modules: Sequence[Module]) -> Executing | None:
    """Where tool calls are executed; None if no module says so."""
    functions = [f for module in modules for f in _functions(module)]
    direct = [f for _, f in functions if f.executes]
    if not direct:
        return None
    executors = {_EXECUTES} | {name for name, f in functions if f.executes}
    while new := {
        name for name, f in functions if name not in executors and f.calls & executors
    }:
        executors |= new
    for _, function in functions:
        for name, node in function.looped:
            if name in executors:
                return Executing(True, function.module.place(node))
    first = direct[0]
    return Executing(False, first.module.place(first.executes or first.module.tree))


def _functions(module: Module) -> Iterator[tuple[str, _Function]]:
    for node in ast.walk(module.tree):
        if isinstance(node, _FUNCTIONS):
            yield node.name, _looked_at(node, module)


def _looked_at(
    definition: ast.FunctionDef | ast.AsyncFunctionDef, module: Module
) -> _Function:
    function = _Function(module)
    waiting: list[tuple[ast.AST, bool]] = [(n, False) for n in definition.body[::-1]]
    while waiting:
        node, looped = waiting.pop()
        # What is defined here is not called here: a tool that is made in a loop over
        # the schemas is executed by the framework that it is given to.
        if isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            continue
        name = ""
        if isinstance(node, ast.Attribute) and node.attr.startswith(_EXECUTES):
            name = _EXECUTES
            function.executes = function.executes or node
        elif isinstance(node, ast.Call):
            name = _own(node.func)
        if name:
            function.calls.add(name)
            if looped:
                function.looped.append((name, node))
        inside = looped or isinstance(node, _LOOPS)
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)][::-1]
    return function


def _own(called: ast.expr) -> str:
    """The name of a function of the adapter's own: `f()`, `self.f()`, `self.x.f()`.

    A method of something that was handed in is not: a framework's code calls the
    tools that it was given in a loop, too.
    """
    match called:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=owner, attr=name):
            while isinstance(owner, ast.Attribute):
                owner = owner.value
            return name if isinstance(owner, ast.Name) and owner.id == "self" else ""
    return ""
