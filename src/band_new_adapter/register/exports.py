"""`adapters/__init__.py` and `converters/__init__.py`, which export lazily."""

from __future__ import annotations

import ast
import re
from textwrap import indent

from packaging.utils import canonicalize_name

from band_new_adapter.errors import NameTaken, UnknownShape
from band_new_adapter.register.edit import Edit, after_line, deeper, indentation, wide
from band_new_adapter.register.entry import Entry
from band_new_adapter.register.python import Addition, Source, module_of

_INSTALL = re.compile(
    r"^[ \t]*(?:\$ )?(?:uv add|(?:uv )?pip install) [\"']?[\w.-]+"
    r"\[(?P<extra>[\w.-]+)\][\"']?[ \t]*(?=\r?$)",
    re.MULTILINE,
)


def adapters(text: str, entry: Entry) -> Edit:
    """The adapter and its config among the exports of `adapters/__init__.py`."""
    return _exports(text, entry, "adapters", entry.adapters)


def converters(text: str, entry: Entry) -> Edit:
    """The converter and its messages among those of `converters/__init__.py`."""
    return _exports(text, entry, "converters", entry.converters)


def adapters_lines(entry: Entry) -> str:
    return _lines(entry, "adapters", entry.adapters)


def converters_lines(entry: Entry) -> str:
    return _lines(entry, "converters", entry.converters)


def _lines(entry: Entry, package: str, names: tuple[str, ...]) -> str:
    module = f"{entry.root}.{package}.{entry.module}"
    imports = "\n".join(_import(module, name, "    ") for name in names)
    keyword = _keyword(entry.module, names, "    ") + ","
    return (
        "if TYPE_CHECKING:\n"
        + indent(imports, "    ")
        + "\n\n__all__, __getattr__ = lazy_exports(\n    __name__,\n    ...\n"
        + indent(keyword, "    ")
        + "\n)"
    )


def _exports(text: str, entry: Entry, package: str, names: tuple[str, ...]) -> Edit:
    source = Source.parse(text)
    return source.edit(
        [
            _install_line(source, entry),
            *_typed(source, f"{entry.root}.{package}", entry.module, names),
            _lazy(source, entry.module, names),
        ]
    )


def _install_line(source: Source, entry: Entry) -> Addition:
    """The docstring's install command, if it has such lines and ours is missing."""
    first = source.tree.body[0] if source.tree.body else None
    if ast.get_docstring(source.tree) is None or not first or not entry.requirements:
        return Addition()
    span = (source.start(first), source.end(first))
    found = list(_INSTALL.finditer(source.text, *span))
    extras = {canonicalize_name(line["extra"]) for line in found}
    if not found or canonicalize_name(entry.extra) in extras:
        return Addition()
    last = found[-1]
    head = source.text[last.start() : last.start("extra")]
    line = head + entry.extra + source.text[last.end("extra") : last.end()]
    where = after_line(source.text, last.end(), f"{line}\n")
    return Addition([where], (line.strip(),))


def _typed(
    source: Source, package: str, module: str, names: tuple[str, ...]
) -> list[Addition]:
    """The imports for type checkers, if the file has a block for them."""
    block = _typing_block(source, package)
    if block is None:
        return []
    siblings = _exporting(block, package)
    relative = bool(siblings) and all(s.level for s in siblings)
    path = f".{module}" if relative else f"{package}.{module}"
    have = {
        alias.name
        for sibling in siblings
        if (sibling.module or "").rpartition(".")[2] == module
        for alias in sibling.names
    }
    blanks = indentation(source.text, source.start(block.body[0]))
    lines = [_import(path, name, blanks) for name in names if name not in have]
    return [source.insert_import(block.body, siblings, line) for line in lines]


def _typing_block(source: Source, package: str) -> ast.If | None:
    blocks = [
        node
        for node in source.tree.body
        if isinstance(node, ast.If)
        and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING"
    ]
    exporting = [block for block in blocks if _exporting(block, package)]
    if len(exporting or blocks) > 1:
        raise UnknownShape("more than one TYPE_CHECKING block")
    return next(iter(exporting or blocks), None)


def _exporting(block: ast.If, package: str) -> list[ast.ImportFrom]:
    """The imports from modules of `package`, which may be relative."""
    return [
        statement
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        and (statement.level == 1 or module_of(statement).startswith(f"{package}."))
    ]


def _import(path: str, name: str, blanks: str) -> str:
    """The import in a block indented by `blanks`, its lines beginning at the left."""
    line = f"from {path} import {name} as {name}"
    if not wide(blanks + line):
        return line
    inner = deeper(blanks).removeprefix(blanks)
    return f"from {path} import (\n{inner}{name} as {name},\n)"


def _lazy(source: Source, module: str, names: tuple[str, ...]) -> Addition:
    """The keyword in the call."""
    calls = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] == "lazy_exports"
    ]
    if len(calls) != 1:
        raise UnknownShape(f"{len(calls)} calls of lazy_exports(...), and 1 is wanted")
    call = calls[0]
    known = {keyword.arg: keyword.value for keyword in call.keywords}
    if module in known:
        if _exported_names(known[module]).issuperset(names):
            return Addition()
        raise NameTaken(f"lazy_exports(...) has other names for {module}")
    for other, value in known.items():
        if taken := sorted(_exported_names(value).intersection(names)):
            found = f"{other} exports {', '.join(taken)}"
            raise NameTaken(found, "Choose another --class-prefix.")
    if None in known:
        raise UnknownShape("lazy_exports(...) takes a ** table, whose names are hidden")
    if not call.args:
        raise UnknownShape("lazy_exports(...) is not told the name of its package")
    item = _keyword(module, names, source.brackets(call).indent)
    return source.append(call, item)


def _exported_names(value: ast.expr) -> set[str]:
    """The strings of a list; nothing for what is not one."""
    elements = value.elts if isinstance(value, ast.List | ast.Tuple) else []
    return {str(e.value) for e in elements if isinstance(e, ast.Constant)}


def _keyword(module: str, names: tuple[str, ...], blanks: str) -> str:
    """The call's keyword, its lines beginning at the left."""
    quoted = [f'"{name}"' for name in names]
    line = f"{module}=[{', '.join(quoted)}]"
    if not wide(f"{blanks}{line},"):
        return line
    inner = deeper(blanks).removeprefix(blanks)
    return f"{module}=[\n" + "".join(f"{inner}{name},\n" for name in quoted) + "]"
