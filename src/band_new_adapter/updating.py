"""What an update does to each file of an adapter: three trees in, one value out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from band_new_adapter.merge import ALIKE, Conflict, in_newlines_of, merge, similarity
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
    """An update while it is planned: what is to be written, None for removed, and
    where what moves has been."""

    ours: Files
    inline: bool
    written: dict[PurePosixPath, bytes | None] = field(default_factory=dict)
    came: dict[PurePosixPath, PurePosixPath] = field(default_factory=dict)
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
            self.came[place] = path
            note = note or f"was {path}"
        if ours == in_newlines_of(ours, base):
            self.written[place] = in_newlines_of(ours, theirs)
            self.tell(place, "updated" if place == path else "moved", note)
            return
        if b"\0" in base + ours + theirs and ours != theirs:
            self.written[place] = ours
            changed = "it is not text, and the template's was changed too"
            self.tell(place, "kept", f"{note}; {changed}" if note else changed)
            return
        merged = merge(base, ours, theirs, markers=self.inline)
        self.written[place] = merged.content
        kind = "conflicted" if merged.conflicts else "merged"
        if merged.conflicts and not self.inline:
            rejected = place.with_name(f"{place.name}.rej")
            patch = merged.rejected(place.name)
            self.written[rejected] = in_newlines_of(ours, patch)
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
    moved = _pairs(set(base) - set(theirs), set(theirs) - set(base), base, theirs)
    renamed = _pairs(set(base) - set(ours), set(ours) - {*base, *theirs}, base, ours)
    for path in sorted(base):
        place = moved.get(path, path)
        if path in ours:
            _present(draft, path, place, base[path], theirs.get(place))
        else:
            _absent(draft, path, renamed.get(path), base[path], theirs.get(place))
    for path in sorted(set(theirs) - set(base) - set(moved.values())):
        _new(draft, path, theirs[path])
    changes = (
        Change(path, ours.get(path), content, draft.came.get(path))
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
    changed = draft.ours[path] != in_newlines_of(draft.ours[path], base)
    there = draft.ours.get(place) if place != path else None
    if not changed and (theirs is None or theirs == there):
        draft.written[path] = None
        draft.tell(path, "removed")
    elif theirs is None:
        draft.tell(path, "kept", "the template has it no longer, and you changed it")
    elif there is not None:
        draft.tell(path, "kept", f"the template has it at {place}, where yours is")
    elif theirs != base or place != path:
        draft.join(path, place, base, theirs)
    elif changed:
        draft.tell(path, "kept")


def _absent(
    draft: _Draft,
    path: PurePosixPath,
    found: PurePosixPath | None,
    base: bytes,
    theirs: bytes | None,
) -> None:
    """A file that was deleted, or was `found` somewhere else."""
    if found is None:
        if theirs is not None:
            draft.tell(path, "skipped")
    elif theirs is None or theirs == base:
        draft.tell(found, "kept", f"was {path}")
    else:
        draft.join(found, found, base, theirs, f"was {path}")


def _new(draft: _Draft, path: PurePosixPath, theirs: bytes) -> None:
    """A file that the template did not have."""
    ours = draft.ours.get(path)
    if ours is None:
        draft.written[path] = theirs
        draft.tell(path, "added")
    elif ours != theirs:
        draft.join(path, path, b"", theirs, "you have one of that name")


def _pairs(
    gone: Iterable[PurePosixPath],
    new: Iterable[PurePosixPath],
    before: Files,
    after: Files,
) -> dict[PurePosixPath, PurePosixPath]:
    """Which of the `new` files each of those that are `gone` became, by what is in
    them: those that are most alike first, each once."""
    alike = [
        (similarity(before[old], after[path], ALIKE), old, path)
        for old in gone
        # A file of a line or two is like any other of its kind.
        if len(before[old].splitlines()) > 2
        for path in new
        if path.suffix == old.suffix
    ]
    found: dict[PurePosixPath, PurePosixPath] = {}
    for share, old, path in sorted(alike, key=lambda one: (-one[0], *one[1:])):
        if share > ALIKE and old not in found and path not in found.values():
            found[old] = path
    return found
