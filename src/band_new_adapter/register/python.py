"""Python files: where things are, what goes where, and what an edit really added."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from band_new_adapter.errors import TOO_DEEP, UnknownShape
from band_new_adapter.register.edit import (
    Brackets,
    Edit,
    Insertion,
    after_line,
    indentation,
    line_start,
)

_BOM = "\ufeff"
_Placed = ast.expr | ast.stmt | ast.keyword | ast.alias


@dataclass(frozen=True, slots=True)
class Addition:
    """Insertions, and what they add to the syntax tree: one text for each node, as
    `ast.unparse` writes it (for a line of a string the line itself)."""

    insertions: Sequence[Insertion] = ()
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A Python file: its text, its syntax tree, and where its lines begin."""

    text: str
    tree: ast.Module
    _starts: list[int] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Source:
        """Raises UnknownShape for what is not Python."""
        first = len(text) - len(text.removeprefix(_BOM))
        ends = re.finditer(r"\r\n|\n|\r", text)
        return cls(text, parse(text), [first, *(end.end() for end in ends)])

    def start(self, node: _Placed) -> int:
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: _Placed) -> int:
        if node.end_lineno is None or node.end_col_offset is None:
            raise UnknownShape("a node that is nowhere")
        return self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        """Columns of a syntax tree are bytes."""
        begin = self._starts[line - 1]
        following = self._starts[line] if line < len(self._starts) else len(self.text)
        return begin + len(self.text[begin:following].encode()[:column].decode())

    def append(self, node: ast.expr, item: str) -> Addition:
        """`item` as the last element of a call, list, tuple, set or dict."""
        code = f"{{{item}}}" if isinstance(node, ast.Dict) else f"f({item})"
        try:
            made = ast.parse(code, mode="eval").body
        except SyntaxError:
            made = None
        match made:
            case ast.Dict(keys=keys, values=values):
                nodes = [*filter(None, keys), *values]
            case ast.Call(args=args, keywords=keywords):
                nodes = [*args, *keywords]
            case _:
                found = ast.unparse(node)[:60]
                raise UnknownShape(f"there are entries of another kind in {found!r}")
        written = tuple(ast.unparse(node) for node in nodes)
        if isinstance(node, ast.Tuple) and not node.elts:
            item += ","
        return Addition(self.brackets(node).append(item), written)

    def brackets(self, node: ast.expr) -> Brackets:
        """The brackets of a call's arguments, a list, tuple, set or dict."""
        match node:
            case ast.Call():
                opening = self.text.find("(", self.end(node.func))
                spans = map(self._span, [*node.args, *node.keywords])
            case ast.List() | ast.Tuple() | ast.Set():
                opening, spans = self.start(node), map(self._span, node.elts)
            case ast.Dict():
                opening = self.start(node)
                spans = map(self._item, node.keys, node.values)
            case _:
                raise UnknownShape(f"no list is written at {ast.unparse(node)[:60]!r}")
        close = self.end(node) - 1
        if self.text[opening] not in "([{" or self.text[close] not in ")]}":
            raise UnknownShape(f"no brackets around {ast.unparse(node)[:60]!r}")
        return Brackets.of(self.text, opening, close, spans)

    def _span(self, node: _Placed) -> tuple[int, int]:
        """Where an element begins and ends, the brackets around it left out."""
        return self.start(node), self.end(node)

    def _item(self, key: ast.expr | None, value: ast.expr) -> tuple[int, int]:
        start = self.text.rfind("**", 0, self.start(value))
        return self.start(key) if key else start, self.end(value)

    def imported(self, statement: ast.ImportFrom) -> Brackets:
        """The brackets around the imported names; raises UnknownShape without any."""
        opening = self.text.find("(", self.start(statement))
        close = self.end(statement) - 1
        if self.text[close] != ")":
            raise UnknownShape(f"line {statement.lineno} has no brackets")
        return Brackets.of(self.text, opening, close, map(self._span, statement.names))

    def before(self, node: _Placed, item: str) -> Insertion:
        """`item` as the element before `node`."""
        start = self.start(node)
        begin = line_start(self.text, start)
        blanks = self.text[begin:start]
        if blanks.strip():
            return Insertion(start, f"{item}, ")
        return Insertion(begin, f"{blanks}{item},\n")

    def insert_import(
        self, body: Sequence[ast.stmt], siblings: Sequence[ast.ImportFrom], code: str
    ) -> Addition:
        """The statement `code`, an import, in `body` (one indented block, or the
        module): in the order of the modules of `siblings`, else as the last."""
        statement = ast.parse(code).body[0]
        if not isinstance(statement, ast.ImportFrom):
            raise TypeError(code)
        indent = indentation(self.text, self.start(body[0]))
        lines = "".join(f"{indent}{line}\n" for line in code.splitlines())
        new = module_of(statement)
        greater = (i for i, s in enumerate(siblings) if module_of(s) > new)
        place = next(greater, len(siblings))
        if siblings and place == 0:
            where = self.above(siblings[0], lines)
        else:
            where = self.below((siblings[:place] or body)[-1], lines)
        return Addition([where], (ast.unparse(statement),))

    def below(self, node: ast.stmt, lines: str) -> Insertion:
        """`lines` under the statement `node`, which must end its line."""
        end = self.end(node)
        rest = re.compile(r"[^\r\n]*").match(self.text, end)
        if rest and not re.fullmatch(r"\s*(#.*)?", rest[0]):
            raise UnknownShape(f"line {node.end_lineno} has several statements")
        return after_line(self.text, end, lines)

    def above(self, node: ast.stmt, lines: str) -> Insertion:
        """`lines` over the statement `node`, which must begin its line."""
        decorators = getattr(node, "decorator_list", [])
        start = min(map(self.start, [node, *decorators]))
        begin = max(line_start(self.text, start), self._starts[0])
        if self.text[begin:start].strip(" \t@"):
            raise UnknownShape(f"line {node.lineno} has several statements")
        return Insertion(begin, lines)

    def edit(self, additions: Iterable[Addition]) -> Edit:
        """All `additions`; raises UnknownShape unless just that is what they add."""
        made = tuple(additions)
        edit = Edit.of(self.text, [i for one in made for i in one.insertions])
        found = added(self.tree, parse(edit.apply(self.text)))
        if found is None or sorted(found) != sorted(n for a in made for n in a.nodes):
            raise UnknownShape("an entry would change what is there")
        return edit


def parse(text: str) -> ast.Module:
    """Raises UnknownShape for what is not Python."""
    try:
        return ast.parse(text.removeprefix(_BOM))
    except SyntaxError as error:
        raise UnknownShape(f"not Python: {error.msg} (line {error.lineno})") from error
    except (ValueError, *TOO_DEEP) as error:
        reason = str(error) or "nested too deep"
        raise UnknownShape(f"not Python: {reason}") from error


def module_of(statement: ast.ImportFrom) -> str:
    """The module as it is written, with its dots."""
    return "." * statement.level + (statement.module or "")


def added(before: object, after: object) -> list[str] | None:
    """What the tree `after` has beyond the tree `before`; None when it is not that
    tree with elements added to its lists, and lines to its strings."""
    if type(before) is not type(after):
        return None
    if isinstance(before, ast.AST):
        found: list[str] = []
        for name in before._fields:
            part = added(getattr(before, name, None), getattr(after, name, None))
            if part is None:
                return None
            found += part
        return found
    if isinstance(before, list) and isinstance(after, list):
        return _added_elements(before, after)
    if isinstance(before, str) and isinstance(after, str) and "\n" in before:
        return _added_elements(before.splitlines(), after.splitlines())
    return [] if before == after else None


def _added_elements(before: list, after: list) -> list[str] | None:
    found: list[str] = []
    matched = 0
    for element in after:
        part = added(before[matched], element) if matched < len(before) else None
        if part is not None:
            found += part
            matched += 1
        elif isinstance(element, ast.AST):
            found.append(ast.unparse(element))
        elif element is not None:
            found.append(str(element).strip())
    return found if matched == len(before) else None
