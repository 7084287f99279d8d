"""The tables of a test suite: where they are, what they list, and a new entry."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from textwrap import dedent

from band_new_adapter.errors import UnknownShape
from band_new_adapter.register.edit import Insertion, line_start, wide
from band_new_adapter.register.python import Addition, Source

_WRAPPERS = ("frozenset", "set", "list", "tuple")


def assigned(source: Source, name: str) -> ast.Assign | ast.AnnAssign:
    """The one statement of the module that gives `name` a value."""
    found = [
        node
        for node in source.tree.body
        if (isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets))
        or (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name)
    ]
    valued = [node for node in found if node.value is not None]
    if len(valued) != 1:
        raise UnknownShape(f"{name} has {len(valued)} values, and 1 is wanted")
    return valued[0]


def table(source: Source, name: str) -> ast.expr:
    """The brackets that are written as the value of `name`: a list, tuple, set or
    dict, or the call of an empty frozenset."""
    node = assigned(source, name).value
    while isinstance(node, ast.Call) and ast.unparse(node.func) in _WRAPPERS:
        if not node.args and not node.keywords:
            return node
        if len(node.args) != 1 or node.keywords:
            break
        node = node.args[0]
    if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        return node
    raise UnknownShape(f"{name} is not written as a list of its entries")


def entries(node: ast.expr) -> set[str]:
    """What a table lists, as source; of a dict the keys, and the values behind `**`."""
    match node:
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {ast.unparse(key or value) for key, value in pairs}
        case (
            ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements)
        ):
            return {ast.unparse(element) for element in elements}
    return set()


def add_id(source: Source, name: str, module: str) -> Addition:
    """The string `module` in the table `name`; nothing if it is there."""
    node = table(source, name)
    if repr(module) in entries(node):
        return Addition()
    item = f'"{module}"'
    return source.append(node, f"{{{item}}}" if isinstance(node, ast.Call) else item)


def add_name(source: Source, name: str, new: str) -> Addition:
    """The string `new` in the table `name`, in its order if it has one."""
    node = table(source, name)
    if repr(new) in entries(node):
        return Addition()
    if not isinstance(node, ast.List | ast.Tuple):
        raise UnknownShape(f"{name} is not a list")
    keys = [_order(str(getattr(element, "value", ""))) for element in node.elts]
    place = sum(key < _order(new) for key in keys)
    if keys != sorted(keys) or place == len(keys):
        return source.append(node, f'"{new}"')
    return Addition([source.before(node.elts[place], f'"{new}"')], (repr(new),))


def add_imported(source: Source, statement: ast.ImportFrom, new: str) -> Addition:
    """The name `new` among those that `statement` imports, in their order."""
    place = sum(_order(alias.name) < _order(new) for alias in statement.names)
    if place < len(statement.names):
        where = [source.before(statement.names[place], new)]
    else:
        where = source.imported(statement).append(new)
    return Addition(where, (new,))


def _order(name: str) -> tuple[bool, bool, str]:
    """Constants come first, then classes, then all others."""
    return not name.isupper(), not name[:1].isupper(), name


def define(source: Source, code: Mapping[str, str], before: ast.stmt) -> Addition:
    """Functions and classes over the statement `before`, and over its comment.

    `code` is by name; what the module defines already stays as it is.
    """
    defined = bound(source)
    new = [text.strip("\n") for name, text in code.items() if name not in defined]
    if not new:
        return Addition()
    text = source.text
    at = source.above(before, "").offset
    while at and text[line_start(text, at - 1) : at].lstrip().startswith("#"):
        at = line_start(text, at - 1)
    head = text[:at]
    blank = len(head.splitlines()) - len(head.rstrip().splitlines()) if head else 2
    lines = "\n" * max(0, 2 - blank) + "".join(f"{one}\n\n\n" for one in new)
    return Addition([Insertion(at, lines)], tuple(map(statement, new)))


def define_last(source: Source, code: str) -> Addition:
    """A function or class as the last of the module."""
    code = code.strip("\n")
    where = source.below(source.tree.body[-1], f"\n\n{code}\n")
    return Addition([where], (statement(code),))


def statement(code: str) -> str:
    """`code` as a syntax tree is written."""
    return ast.unparse(ast.parse(code))


def bound(source: Source) -> set[str]:
    """The names that the module defines, imports or assigns."""
    names: set[str] = set()
    for node in source.tree.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Import() | ast.ImportFrom():
                names |= {alias.asname or alias.name for alias in node.names}
            case ast.Assign() | ast.AnnAssign():
                stored = (n for n in ast.walk(node) if isinstance(n, ast.Name))
                names |= {n.id for n in stored if isinstance(n.ctx, ast.Store)}
    return names


def require(source: Source, *names: str) -> None:
    """Raises UnknownShape unless the module has all `names`."""
    if lacking := sorted({*names} - bound(source)):
        raise UnknownShape(f"the module has no {', '.join(lacking)}")


def local_import(source: Source, module: str, names: tuple[str, ...]) -> str:
    """An import in a function, with the excuse that the host's other ones have, of
    the `names` that the module lacks; "" if it has them all."""
    names = tuple(name for name in names if name not in bound(source))
    if not names:
        return ""
    excuse = "  # noqa: PLC0415 -- only some environments have the extra"
    comment = excuse if "noqa: PLC0415" in source.text else ""
    line = f"    from {module} import {', '.join(names)}"
    if not wide(line):
        return line + comment
    listed = "".join(f"        {name},\n" for name in names)
    return f"    from {module} import ({comment}\n{listed}    )"


def called(name: str, arguments: Sequence[str], blanks: str = "", end: str = "") -> str:
    """A call as formatters write it where `blanks` stand before and `end` behind it,
    its lines beginning at the left."""
    joined = ", ".join(arguments)
    if not wide(f"{blanks}{name}({joined}){end}"):
        return f"{name}({joined})"
    if not wide(f"{blanks}    {joined}"):
        return f"{name}(\n    {joined}\n)"
    return f"{name}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"


def code(text: str, **values: str) -> str:
    """`text` without its indentation, `<name>` replaced by what `values` has."""
    text = dedent(text).strip("\n")
    for name, value in values.items():
        text = text.replace(f"<{name}>", value)
    return f"{text}\n"
