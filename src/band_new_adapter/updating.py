"""What an update does to each file of an adapter: three trees in, one value out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from band_new_adapter.merge import Conflict, in_newlines_of, merge, similarity
from band_new_adapter.plan import Change, Plan

Files = Mapping[PurePosixPath, bytes]

KINDS = {
    "added": "new in the template",
    "updated": "as the template has it now",
    "moved": "where the template has it now",
    "merged": "your changes and the template's",
    "restored": "the host lacked an entry of it",
    "removed": "no longer in the template",
    "conflicted": "both changed the same lines",
    "kept": "yours, as it was",
    "skipped": "you deleted it, and so it stays",
}
"""What can become of a file, in the order in which it is told."""

_ALIKE = 0.5
"""From how much in common on two files count as one that was moved."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one file. `note` says more, where more is to be said."""

    path: PurePosixPath
    kind: str
    note: str = ""
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Update:
    """The plan of an update, and what becomes of each file that it is about."""

    plan: Plan
    outcomes: tuple[Outcome, ...]

    @property
    def conflicted(self) -> tuple[Outcome, ...]:
        return tuple(one for one in self.outcomes if one.kind == "conflicted")

    def also(self, changes: Iterable[Change], outcomes: Iterable[Outcome]) -> Update:
        """This update, with more of it."""
        every = (*self.plan.changes, *changes)
        ordered = sorted(every, key=lambda change: change.path)
        told = (*self.outcomes, *outcomes)
        return Update(Plan(self.plan.folder, tuple(ordered)), _in_order(told))


@dataclass(slots=True)
class _Draft:
    """An update while it is planned: what is to be written, None for removed."""

    ours: Files
    inline: bool
    written: dict[PurePosixPath, bytes | None] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)

    def tell(
        self,
        path: PurePosixPath,
        kind: str,
        note: str = "",
        conflicts: tuple[Conflict, ...] = (),
    ) -> None:
        self.outcomes.append(Outcome(path, kind, note, conflicts))

    def join(
        self,
        path: PurePosixPath,
        place: PurePosixPath,
        base: bytes,
        theirs: bytes,
        note: str = "",
    ) -> None:
        """Merge the file at `path`, and put the result at `place`."""
        ours = self.ours[path]
        if place != path:
            self.written[path] = None
            note = note or f"was {path}"
        if b"\0" in base + ours + theirs and ours not in (base, theirs):
            self.written[place] = ours
            self.tell(
                place, "kept", "it is not text, and the template's was changed too"
            )
            return
        if ours == base:
            self.written[place] = theirs
            self.tell(place, "updated" if place == path else "moved", note)
            return
        merged = merge(base, ours, theirs, markers=self.inline)
        self.written[place] = merged.content
        kind = "conflicted" if merged.conflicts else "merged"
        if merged.conflicts and not self.inline:
            rejected = place.with_name(f"{place.name}.rej")
            self.written[rejected] = merged.rejected(place.name)
            note = f"theirs is in {rejected.name}"
        if merged.content != ours or place != path or merged.conflicts:
            self.tell(place, kind, note, merged.conflicts)


def plan_update(
    folder: Path, base: Files, theirs: Files, ours: Files, *, inline: bool = True
) -> Update:
    """The update of the adapter in `folder` from `base` to `theirs`.

    `base` and `theirs` are what the template made and would make, by paths in
    `folder`; `ours` is what is there now, other files included. A conflict stands in
    the file, between markers, if `inline`, and else in a patch beside it.
    """
    draft = _Draft(ours, inline)
    moved = _moved(base, theirs)
    came = set(moved.values())
    for path in sorted(base):
        place = moved.get(path, path)
        if path in ours:
            _present(draft, path, place, base[path], theirs.get(place))
        else:
            _absent(draft, path, place, base, theirs)
    for path in sorted(set(theirs) - set(base) - came):
        _new(draft, path, theirs[path])
    changes = (
        Change(path, ours.get(path), content)
        for path, content in sorted(draft.written.items())
        if content != ours.get(path)
    )
    return Update(Plan(folder, tuple(changes)), _in_order(draft.outcomes))


def _in_order(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    order = list(KINDS)
    return tuple(sorted(outcomes, key=lambda one: (order.index(one.kind), one.path)))


def _present(
    draft: _Draft,
    path: PurePosixPath,
    place: PurePosixPath,
    base: bytes,
    theirs: bytes | None,
) -> None:
    """A file that is still where the template once put it."""
    ours = draft.ours[path]
    base = in_newlines_of(ours, base)
    if theirs is None:
        if ours == base:
            draft.written[path] = None
            draft.tell(path, "removed")
        else:
            draft.tell(
                path, "kept", "the template has it no longer, and you changed it"
            )
    elif place != path and place in draft.ours:
        draft.tell(path, "kept", f"the template has it at {place}, where yours is")
    elif in_newlines_of(ours, theirs) != base or place != path:
        draft.join(path, place, base, in_newlines_of(ours, theirs))
    elif ours != base:
        draft.tell(path, "kept")


def _absent(
    draft: _Draft, path: PurePosixPath, place: PurePosixPath, base: Files, theirs: Files
) -> None:
    """A file that was deleted, or is somewhere else now."""
    found = _renamed(path, base, theirs, draft.ours)
    if found is None:
        if place in theirs:
            draft.tell(path, "skipped")
    elif place in theirs and theirs[place] != base[path]:
        draft.join(found, found, base[path], theirs[place], f"was {path}")
    else:
        draft.tell(found, "kept", f"was {path}")


def _new(draft: _Draft, path: PurePosixPath, theirs: bytes) -> None:
    """A file that the template did not have."""
    ours = draft.ours.get(path)
    if ours is None:
        draft.written[path] = theirs
        draft.tell(path, "added")
    elif ours != theirs:
        draft.join(path, path, b"", theirs, "you have one of that name")


def _moved(base: Files, theirs: Files) -> dict[PurePosixPath, PurePosixPath]:
    """Where the template has now what it had elsewhere, by the old path."""
    gone, new = sorted(set(base) - set(theirs)), set(theirs) - set(base)
    return dict(_pairs(gone, new, base, theirs))


def _renamed(
    path: PurePosixPath, base: Files, theirs: Files, ours: Files
) -> PurePosixPath | None:
    """Where the user has now what the template put at `path`."""
    strange = {p for p in ours if p not in base and p not in theirs}
    return dict(_pairs([path], strange, base, ours)).get(path)


def _pairs(
    gone: list[PurePosixPath], new: set[PurePosixPath], before: Files, after: Files
) -> Iterator[tuple[PurePosixPath, PurePosixPath]]:
    left = set(new)
    for path in gone:
        # A file of a line or two is like any other of its kind.
        alike = {
            other: similarity(before[path], after[other])
            for other in left
            if other.suffix == path.suffix and len(before[path].splitlines()) > 2
        }
        best = max(sorted(alike), key=alike.__getitem__, default=None)
        if best is not None and alike[best] > _ALIKE:
            left.discard(best)
            yield path, best
