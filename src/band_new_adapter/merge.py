"""Two changes of one text, made into one: of bytes, by whole lines.

Changes meet only where they are about the same line. Two that stand side by side are
both made, which is where this differs from what git does.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

MARKERS = (b"<<<<<<< before updating", b"=======", b">>>>>>> after updating")
"""The lines around both sides of a conflict, as Copier writes them."""

ALIKE = 0.5
"""From how much in common on two texts count as one that was edited."""

Lines = Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Where two changes meet: the lines of the result (from 1) that hold both sides,
    the line of the base, and what was there, is there now, and would be there."""

    first: int
    last: int
    line: int
    base: Lines
    ours: Lines
    theirs: Lines


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of a merge; with conflicts, both sides of each between MARKERS, or
    ours alone."""

    content: bytes
    conflicts: tuple[Conflict, ...] = ()

    def rejected(self, name: str) -> bytes:
        """Theirs of each conflict, as a patch of the file `name`."""
        parts = [f"--- {name}\n+++ {name}\n".encode()]
        for one in self.conflicts:
            spans = f"@@ -{one.line},{len(one.base)} +{one.line},{len(one.theirs)} @@\n"
            parts.append(spans.encode())
            parts += [b"-" + line for line in map(_ended, one.base)]
            parts += [b"+" + line for line in map(_ended, one.theirs)]
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines `first` up to `last` (from 0, half open) give way to `lines`."""

    first: int
    last: int
    lines: tuple[bytes, ...]

    def meets(self, first: int, last: int) -> bool:
        """Whether it is about a line in the span, or inserts where that does."""
        if self.first == self.last or first == last:
            inside = first < self.first < last or self.first < first < self.last
            return inside or (self.first, self.last) == (first, last)
        return max(self.first, first) < min(self.last, last)


def merge(base: bytes, ours: bytes, theirs: bytes, *, markers: bool = True) -> Merged:
    """`ours` with what changed from `base` to `theirs`, in the newlines of `ours`.

    How lines end is no difference between the three. Where both changed the same
    lines, both sides stand in the result, between `markers`; or ours alone.
    """
    if b"\r\n" not in ours:
        return _merged(base, ours, theirs, markers)
    made = _merged(plain(base), plain(ours), plain(theirs), markers)
    return replace(made, content=_ended_as(ours, made.content))


def _merged(base: bytes, ours: bytes, theirs: bytes, markers: bool) -> Merged:
    lines = _lines(base)
    mine, other = _changes(lines, _lines(ours)), _changes(lines, _lines(theirs))
    result: list[bytes] = []
    conflicts: list[Conflict] = []
    at = 0
    for first, last, left, right in _groups(mine, other):
        result += lines[at:first]
        at = last
        a = _applied(lines, first, last, left)
        b = _applied(lines, first, last, right)
        if not right or a == b:
            result += a
        elif not left:
            result += b
        else:
            head, tail = _common(a, b)
            result += a[:head]
            ends = (len(a) - tail, len(b) - tail)
            old = (first, lines[first:last])
            conflicts.append(
                _conflict(result, old, a[head : ends[0]], b[head : ends[1]], markers)
            )
            result += a[ends[0] :]
    return Merged(b"".join([*result, *lines[at:]]), tuple(conflicts))


def in_newlines_of(ours: bytes, text: bytes) -> bytes:
    """`text` with the newlines of `ours`, if there is any CRLF in that: its own for
    each line that both have, and for others what most lines have."""
    return _ended_as(ours, plain(text)) if b"\r\n" in ours else text


def similarity(one: bytes, other: bytes, least: float = 0.0) -> float:
    """How much of two texts is the same, by lines, their ends apart: from 0 to 1; and
    0 where it is quickly seen not to be more than `least`."""
    if one == other:
        return 1.0
    first, second = (_lines(plain(text)) for text in (one, other))
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    quick = min(matcher.real_quick_ratio(), matcher.quick_ratio())
    return matcher.ratio() if quick > least else 0.0


def has_markers(content: bytes) -> bool:
    """Whether a conflict in `content` waits for somebody."""
    found = re.findall(rb"^(<{7} |={7}\r?$|>{7} )", content, re.MULTILINE)
    return {mark[:1] for mark in found} == {b"<", b"=", b">"}


def _conflict(
    result: list[bytes],
    old: tuple[int, Lines],
    ours: Lines,
    theirs: Lines,
    markers: bool,
) -> Conflict:
    """Put both sides (or ours) at the end of `result`, and say where they are."""
    first = len(result) + 1
    if markers:
        before, between, after = (mark + b"\n" for mark in MARKERS)
        result += [before, *map(_ended, ours), between, *map(_ended, theirs), after]
    else:
        result += ours
    line, base = old
    return Conflict(first, max(first, len(result)), line + 1, base, ours, theirs)


def _changes(base: Lines, changed: Lines) -> list[_Change]:
    """What makes `changed` of `base`; single lines apart wherever that can be."""
    matcher = difflib.SequenceMatcher(None, base, changed, autojunk=False)
    found = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "replace" and i2 - i1 == j2 - j1:
            pairs = zip(range(i1, i2), changed[j1:j2], strict=True)
            found += [_Change(i, i + 1, (line,)) for i, line in pairs]
        elif kind != "equal":
            found.append(_Change(i1, i2, tuple(changed[j1:j2])))
    return found


def _groups(
    mine: list[_Change], other: list[_Change]
) -> Iterator[tuple[int, int, list[_Change], list[_Change]]]:
    """Changes of the two sides that meet, and the lines that they are about."""
    left, right = list(mine), list(other)
    while left or right:
        start = min(
            [*left[:1], *right[:1]], key=lambda change: (change.first, change.last)
        )
        first, last = start.first, start.last
        groups: tuple[list[_Change], list[_Change]] = ([], [])
        grown = True
        while grown:
            grown = False
            for side, taken in ((left, groups[0]), (right, groups[1])):
                while side and (side[0] is start or side[0].meets(first, last)):
                    change = side.pop(0)
                    taken.append(change)
                    first, last = min(first, change.first), max(last, change.last)
                    grown = True
        yield first, last, *groups


def _applied(base: Lines, first: int, last: int, changes: list[_Change]) -> list[bytes]:
    """The lines `first` up to `last`, with `changes` made."""
    result: list[bytes] = []
    for change in changes:
        result += [*base[first : change.first], *change.lines]
        first = change.last
    return [*result, *base[first:last]]


def _common(one: Lines, other: Lines) -> tuple[int, int]:
    """How many lines both begin with, and how many of the rest both end with."""
    shorter = min(len(one), len(other))
    head = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if one[-1 - i] != other[-1 - i]), rest)
    return head, tail


def _lines(text: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+", text)


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"


def plain(text: bytes) -> bytes:
    """`text` in the newlines of the template, LF alone."""
    return text.replace(b"\r\n", b"\n")


def _ended_as(ours: bytes, text: bytes) -> bytes:
    """`text`, which is without CRLF, in the newlines of `ours`."""
    count, every = ours.count(b"\r\n"), ours.count(b"\n")
    ended = text.replace(b"\n", b"\r\n") if 2 * count > every else text
    if count == every:
        return ended
    result, there = _lines(ended), _lines(ours)
    known = _lines(plain(ours))
    matcher = difflib.SequenceMatcher(None, _lines(text), known, autojunk=False)
    for i, j, size in matcher.get_matching_blocks():
        result[i : i + size] = there[j : j + size]
    return b"".join(result)
