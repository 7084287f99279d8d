"""The entries of adapters in a host's own files: put in, taken out, exchanged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from band_new_adapter.errors import UnknownShape
from band_new_adapter.record import Inserted, Part, Record
from band_new_adapter.register import Registrations, python, registrations, toml
from band_new_adapter.register.edit import Edit
from band_new_adapter.register.entry import Entry

Lost = Mapping[PurePosixPath, tuple[str, ...]]
"""What was put into files and is not found there: somebody changed it."""


@dataclass(frozen=True, slots=True)
class Entries:
    """The host's own files, and what is recorded of the adapters that are in them.

    `wanted` is what each adapter is to have there. Both go by the adapters' names.
    """

    texts: Mapping[PurePosixPath, str]
    records: Mapping[str, Record]
    wanted: Mapping[str, Entry]

    def with_entry(
        self, entry: Entry, path: PurePosixPath | None = None
    ) -> tuple[Entries, Registrations]:
        """With all that `entry` lacks, in one file if a `path` is given, and what
        that was. Raises UnknownShape."""
        texts = self.texts if path is None else {path: self.texts[path]}
        record = self.records.get(entry.module, Record())
        found = registrations(texts, entry, record.registered)
        changed, registered = found.apply(texts), dict(record.registered)
        for place, text in changed.items():
            edits = (one.edit for one in found.made if one.path == place)
            parts = [part for edit in edits for part in _one_by_one(edit)]
            earlier = registered.get(place, Inserted())
            registered[place] = earlier.and_then(texts[place], text, parts)
        now = replace(record, registered=registered)
        records = {**self.records, entry.module: now}
        return replace(self, texts={**self.texts, **changed}, records=records), found

    def without(
        self,
        adapter: str,
        instead: Entry | None = None,
        kept: Collection[PurePosixPath] = (),
    ) -> tuple[Entries, Lost]:
        """Without what files, but those `kept`, got for `adapter`; and what of that
        was not found, and stays. `instead` goes in where that was.

        What other adapters shared with this one they have for themselves then.
        """
        now, lost = self, {}
        others: dict[PurePosixPath, list[str]] = {}
        for path in self.records[adapter].registered:
            if path in self.texts and path not in kept:
                above = self._above(adapter, path)
                for name in above:
                    now, _ = now._lifted(name, path)
                now, lost[path] = now._lifted(adapter, path)
                others[path] = [*reversed(above), *self._whole(path)]
        if instead:
            now, _ = now.with_entry(instead)
        for path, names in others.items():
            for name in names:
                if name != adapter:
                    now = now._again(name, path)
        return now, lost

    def _lifted(
        self, adapter: str, path: PurePosixPath
    ) -> tuple[Entries, tuple[str, ...]]:
        """Without what one file got, and what of that was not found."""
        record, text = self.records[adapter], self.texts[path]
        inserted = record.registered[path]
        bare, lost = inserted.taken_out_of(text)
        if _is_sound(path, text) and not _is_sound(path, bare):
            bare, lost = text, tuple(part for _, part, _ in inserted.parts)
        registered = {p: i for p, i in record.registered.items() if p != path}
        if lost:
            registered[path] = Inserted.nowhere(lost)
        records = {**self.records, adapter: replace(record, registered=registered)}
        return replace(self, texts={**self.texts, path: bare}, records=records), lost

    def _above(self, adapter: str, path: PurePosixPath) -> list[str]:
        """The others that came into a file later, the last one first; none where
        that cannot be told, for somebody changed the file."""
        now, names = self, []
        inserted = self.records[adapter].registered[path]
        while not inserted.is_whole_in(now.texts[path]):
            left = [name for name in self.wanted if name not in (adapter, *names)]
            name = next((name for name in left if now._is_last(name, path)), None)
            if name is None:
                return []
            now, _ = now._lifted(name, path)
            names.append(name)
        return names

    def _is_last(self, adapter: str, path: PurePosixPath) -> bool:
        """Whether an adapter was the last that came into a file, and would come into
        it again in just that way."""
        inserted = self.records.get(adapter, Record()).registered.get(path)
        if inserted is None or not inserted.is_whole_in(self.texts[path]):
            return False
        bare, _ = self._lifted(adapter, path)
        return bare._again(adapter, path).texts[path] == self.texts[path]

    def _whole(self, path: PurePosixPath) -> Iterator[str]:
        """The adapters that lack nothing in a file."""
        for name, entry in self.wanted.items():
            try:
                now, found = self.with_entry(entry, path)
            except UnknownShape:
                continue
            if now.texts == self.texts and not found.left:
                yield name

    def _again(self, adapter: str, path: PurePosixPath) -> Entries:
        """With what an adapter lacks in a file, if it can be put there."""
        try:
            return self.with_entry(self.wanted[adapter], path)[0]
        except UnknownShape:
            return self


def _one_by_one(edit: Edit) -> Iterator[Part]:
    """The insertions, each with its offset after those before it went in."""
    shift = 0
    for insertion in sorted(edit.insertions, key=lambda i: i.offset):
        yield insertion.offset + shift, insertion.text, insertion.over
        shift += len(insertion.text) - len(insertion.over)


def _is_sound(path: PurePosixPath, text: str) -> bool:
    try:
        if path.suffix == ".py":
            python.parse(text)
        elif path.suffix == ".toml":
            toml.content(text)
    except UnknownShape:
        return False
    return True
