"""What a registrar answers: texts, and where they go. Only blanks ever give way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from band_new_adapter.errors import UnknownShape

WIDTH = 88


@dataclass(frozen=True, slots=True)
class Insertion:
    """`text` goes in at `offset` of the text as it was before the edit, in the place
    of the blanks `over` that are there."""

    offset: int
    text: str
    over: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Insertions; none where everything is there already."""

    insertions: tuple[Insertion, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.insertions)

    @classmethod
    def of(cls, text: str, insertions: Iterable[Insertion]) -> Edit:
        """The insertions, written with `\\n`, in the newlines of `text`."""
        style = newline(text)
        return cls(
            tuple(replace(i, text=i.text.replace("\n", style)) for i in insertions)
        )

    def apply(self, text: str) -> str:
        """`text` with the insertions; those at one place in their order."""
        parts, at = [], 0
        for insertion in sorted(self.insertions, key=lambda i: i.offset):
            parts += [text[at : insertion.offset], insertion.text]
            at = insertion.offset + len(insertion.over)
        return "".join([*parts, text[at:]])


def decode(data: bytes) -> str:
    """A file as text: its newlines stay, and its BOM as the first character.

    Raises UnknownShape where it is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UnknownShape(f"not UTF-8: {error}") from error


def newline(text: str) -> str:
    """How the first line of `text` ends; a lone carriage return does not count."""
    found = re.search(r"\r?\n", text)
    return found[0] if found else "\n"


def line_start(text: str, offset: int) -> int:
    """Where the line of `offset` begins."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def indentation(text: str, offset: int) -> str:
    """The blanks that the line of `offset` begins with."""
    line = text[line_start(text, offset) :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def deeper(indent: str) -> str:
    """One level more than `indent`."""
    return indent + ("\t" if "\t" in indent else "    ")


def wide(line: str) -> bool:
    """Whether `line` is longer than formatters leave it."""
    return len(line.expandtabs(4)) > WIDTH


def after_line(text: str, offset: int, lines: str) -> Insertion:
    """`lines` (each with its `\\n`) below the line of `offset`."""
    if end := re.compile(r"\r\n|\n|\r").search(text, offset):
        return Insertion(end.end(), lines)
    return Insertion(len(text), "\n" + lines.removesuffix("\n"))


@dataclass(frozen=True, slots=True)
class Brackets:
    """A bracketed list: its brackets, where its elements begin, and the end of the
    last token before `close`, which is `open + 1` in an empty list."""

    text: str
    open: int
    close: int
    starts: tuple[int, ...]
    last: int
    comma: bool

    @classmethod
    def of(
        cls, text: str, opening: int, close: int, spans: Iterable[tuple[int, int]]
    ) -> Brackets:
        """The list from `opening` to `close` with its elements at `spans`.

        Behind the last one there may be blanks, comments, a comma, and brackets
        around it.
        """
        placed = sorted(spans)
        end = max((end for _, end in placed), default=opening + 1)
        last, comma = end, False
        for token in re.finditer(r"#[^\r\n]*|[^\s\\]", text[end:close]):
            if not token[0].startswith("#"):
                last, comma = end + token.end(), token[0] == ","
        starts = tuple(start for start, _ in placed)
        return cls(text, opening, close, starts, last, comma)

    @property
    def empty(self) -> bool:
        return self.last == self.open + 1

    @property
    def multiline(self) -> bool:
        return bool(re.search(r"[\r\n]", self.text[self.open : self.close]))

    @property
    def indent(self) -> str:
        """What the line of a new element begins with, in a list of several lines."""
        if re.search(r"[\r\n]", self.text[self.open : self.last]):
            return indentation(self.text, self.last - 1)
        return deeper(indentation(self.text, self.close))

    def append(self, *items: str) -> list[Insertion]:
        """`items` as the last elements; their own lines begin at the left."""
        if not self.multiline:
            one = Insertion(self.last, self._on_the_line(items))
            start = line_start(self.text, self.open)
            rest, _, _ = self.text[self.last :].partition("\n")
            whole = self.text[start : self.last] + one.text + rest.rstrip()
            return self._spread(items) if wide(whole) else [one]
        lines = [self.indent + i.replace("\n", f"\n{self.indent}") for i in items]
        start = line_start(self.text, self.close)
        comma = [] if self.comma or self.empty else [Insertion(self.last, ",")]
        if self.text[start : self.close].strip():
            end = "," if self.comma else ""
            return [*comma, Insertion(self.last, "\n" + ",\n".join(lines) + end)]
        return [*comma, Insertion(start, "".join(f"{line},\n" for line in lines))]

    def _on_the_line(self, items: tuple[str, ...]) -> str:
        before = "" if self.empty else " " if self.comma else ", "
        return before + ", ".join(items)

    def _spread(self, items: tuple[str, ...]) -> list[Insertion]:
        """`items` as the last elements of one line that gets too long: each element
        on a line of its own."""
        left = indentation(self.text, self.open)
        inner = deeper(left)
        places = [self._blanks_before(start, f"\n{inner}") for start in self.starts]
        lines = [inner + item.replace("\n", f"\n{inner}") for item in items]
        comma = "" if self.comma or self.empty else ","
        added = comma + "".join(f"\n{line}," for line in lines)
        behind = self.text[self.last : self.close]
        return [*places, Insertion(self.last, f"{added}\n{left}", behind)]

    def _blanks_before(self, start: int, text: str) -> Insertion:
        blanks = len(self.text[:start]) - len(self.text[:start].rstrip(" \t"))
        return Insertion(start - blanks, text, self.text[start - blanks : start])
