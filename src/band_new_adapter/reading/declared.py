"""The kinds that an adapter's class declares, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from band_new_adapter import catalog
from band_new_adapter.reading.found import Found, Untold
from band_new_adapter.reading.sources import BASE, Class, Module, Sources

_KINDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "SUPPORTED_EMIT": ("Emit", catalog.EMIT),
    "SUPPORTED_CAPABILITIES": ("Capability", catalog.CAPABILITIES),
}
_SETS = {"frozenset", "set", "tuple", "list"}


def kinds(sources: Sources, name: str) -> Found:
    """What `name` (SUPPORTED_EMIT or SUPPORTED_CAPABILITIES) is, in the catalogue's
    order, and where that stands. Raises Untold."""
    enum, known = _KINDS[name]
    owner, passed = sources.adapter, set()
    while not (bound := list(_bound(owner, name))):
        if BASE in owner.bases:
            return Found([], f"{owner.name} declares no {name}")
        passed.add(owner.name)
        base = next((b for b in owner.bases if b in sources.classes), owner.name)
        if base in passed:
            raise Untold(f"{owner.name} has {name} from a class that is not here")
        owner = sources.classes[base]
    place = f"{name} in {owner.module.place(bound[0])}"
    value = getattr(bound[0], "value", None) if bound[0] in owner.node.body else None
    try:
        found = _Values(owner, enum, frozenset(known)).of(value)
    except RecursionError:
        # Nobody wrote that by hand.
        found = None
    if found is None or len(bound) > 1:
        raise Untold(f"{place}, is computed")
    return Found([kind for kind in known if kind in found], place)


def _bound(owner: Class, name: str) -> Iterator[ast.AST]:
    """The statements that give `name` a value in the class, or to it elsewhere."""
    for node in ast.walk(owner.node):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            if any(isinstance(t, ast.Name) and t.id == name for t in _targets(node)):
                yield node
        elif isinstance(node, ast.FunctionDef) and node.name == name:
            yield node
    for node in ast.walk(owner.module.tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            for target in _targets(node):
                if isinstance(target, ast.Attribute) and target.attr == name:
                    yield node


def _targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


class _Values:
    """Reads expressions that are sets of kinds."""

    def __init__(self, owner: Class, enum: str, every: frozenset[str]) -> None:
        self._module: Module = owner.module
        self._enum, self._every = enum, every
        self._constants = {
            target.id: node.value
            for body in (owner.module.tree.body, owner.node.body)
            for node in body
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
            for target in _targets(node)
            if isinstance(target, ast.Name)
        }

    def of(self, node: object) -> frozenset[str] | None:
        """The kinds in `node`; None for what cannot be read."""
        match node:
            case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items):
                return self._union(items)
            case ast.Starred(value=value):
                return self.of(value)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                known = name in _SETS and len(args) < 2
                return self._union(args) if known else None
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._union([left, right])
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                whole, part = self.of(left), self.of(right)
                return None if whole is None or part is None else whole - part
            case ast.Name() | ast.Attribute():
                return self._named(node)
        return None

    def _union(self, nodes: Sequence[ast.expr]) -> frozenset[str] | None:
        found: frozenset[str] = frozenset()
        for node in nodes:
            one = self.of(node)
            if one is None:
                return None
            found |= one
        return found

    def _named(self, node: ast.expr) -> frozenset[str] | None:
        owner, _, last = self._module.dotted(node).rpartition(".")
        if owner.rpartition(".")[2] == self._enum:
            return frozenset({last.lower()}) & self._every or None
        if last == self._enum or (self._enum, last) == (
            "Capability",
            "ALL_CAPABILITIES",
        ):
            return self._every
        if isinstance(node, ast.Name) and node.id in self._constants:
            # Once each: a name that stands for itself says nothing.
            return self.of(self._constants.pop(node.id))
        return None
