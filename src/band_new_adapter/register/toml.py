"""TOML files: where each table and each value is."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

from band_new_adapter.errors import TOO_DEEP, UnknownShape
from band_new_adapter.register.edit import Brackets

_BLANK = re.compile(r"(?:\s|#[^\n]*)*")
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[A-Za-z0-9_-]+')
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\]|\\.)*"|\'[^\']*\'',
    re.DOTALL,
)
_BARE = re.compile(r"[^,\]}#\r\n]+")

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """A `[table]`: its path, and where its brackets end."""

    path: Path
    end: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A `key = value`: its full path, and where the key, the last part of the key
    and the value begin; `inline` when it stands in an inline table."""

    path: Path
    start: int
    name: int
    value: int
    end: int
    inline: bool


@dataclass(slots=True)
class Document:
    """A TOML file: its text, its content, and its tables and pairs in their order.

    `elements` has, by the offset of each array, the spans of its elements.
    """

    text: str
    content: dict[str, Any]
    headers: list[Header] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    elements: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Document:
        """Raises UnknownShape for what is not TOML."""
        document = cls(text, content(text))
        document._read()
        return document

    def below(self, path: Path) -> list[Pair]:
        """The pairs whose keys are one longer than `path`, wherever they stand."""
        return [p for p in self.pairs if p.path[:-1] == path]

    def array(self, pair: Pair) -> Brackets:
        """The brackets of the array that `pair` has as its value."""
        spans = self.elements[pair.value]
        return Brackets.of(self.text, pair.value, pair.end - 1, spans)

    def _read(self) -> None:
        at, table = len(self.text) - len(self.text.removeprefix("\ufeff")), ()
        while (at := self._blank(at)) < len(self.text):
            if self.text[at] == "[":
                array = self.text.startswith("[[", at)
                table, _, at = self._key(at + 1 + array)
                at = self._blank(at) + 1 + array
                self.headers.append(Header(table, at))
            else:
                at = self._pair(at, table, inline=False)

    def _blank(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def _key(self, at: int) -> tuple[Path, int, int]:
        """A key that may be dotted: its parts, where the last begins, its end."""
        parts: list[str] = []
        while True:
            at = self._blank(at)
            found = _KEY.match(self.text, at)
            if not found:
                raise UnknownShape(f"no key at offset {at}")
            quoted = found[0][0] in "\"'"
            parts.append(_string(found[0]) if quoted else found[0])
            following = self._blank(found.end())
            if not self.text.startswith(".", following):
                return tuple(parts), at, found.end()
            at = following + 1

    def _pair(self, at: int, table: Path, *, inline: bool) -> int:
        key, name, end = self._key(at)
        value = self._blank(self._blank(end) + 1)
        place = len(self.pairs)
        end = self._value(value, (*table, *key))
        self.pairs.insert(place, Pair((*table, *key), at, name, value, end, inline))
        return end

    def _value(self, at: int, path: Path) -> int:
        """Where the value that begins at `at` ends."""
        match self.text[at]:
            case "[":
                return self._array(at, path)
            case "{":
                at = self._blank(at + 1)
                while self.text[at] != "}":
                    at = self._blank(self._pair(at, path, inline=True))
                    at = self._blank(at + 1) if self.text[at] == "," else at
                return at + 1
        found = _STRING.match(self.text, at) or _BARE.match(self.text, at)
        if not found:
            raise UnknownShape(f"no value at offset {at}")
        return at + len(found[0].rstrip())

    def _array(self, at: int, path: Path) -> int:
        inside = self.elements[at] = []
        at = self._blank(at + 1)
        while self.text[at] != "]":
            end = self._value(at, path)
            inside.append((at, end))
            at = self._blank(end)
            at = self._blank(at + 1) if self.text[at] == "," else at
        return at + 1


def content(text: str) -> dict[str, Any]:
    """Raises UnknownShape for what is not TOML."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, *TOO_DEEP) as error:
        raise UnknownShape(f"not TOML: {error}") from error


def _string(literal: str) -> str:
    return tomllib.loads(f"_ = {literal}")["_"]
