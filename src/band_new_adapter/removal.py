"""What removing an adapter would take away, and what it would leave: a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from band_new_adapter import placing, walk
from band_new_adapter.entries import Lost
from band_new_adapter.errors import NotAnAdapter, meant
from band_new_adapter.host import Host
from band_new_adapter.merge import plain
from band_new_adapter.needs import needed
from band_new_adapter.plan import Change, Plan
from band_new_adapter.record import FOLDER, Record, digest
from band_new_adapter.register import registrations
from band_new_adapter.register.entry import Entry

# What tools leave in a package by themselves; nobody wrote it.
_CACHES = {"__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis"}


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that stays, or what stays in it, and why."""

    path: PurePosixPath
    why: str
    lines: str = ""


@dataclass(frozen=True, slots=True)
class Removal:
    """The plan that takes an adapter out, and what it leaves."""

    plan: Plan
    kept: tuple[Kept, ...]


def from_package(folder: Path, made: Mapping[PurePosixPath, bytes]) -> Removal:
    """Takes away what is still as it was `made` in `folder`, and caches."""
    changes, kept = [], []
    for path in sorted(walk.written(folder)):
        content = walk.content(folder / path)
        # Git may have brought other newlines.
        if plain(content) == made.get(path) or _is_cache(path):
            changes.append(Change(path, content, None))
        elif path in made:
            kept.append(Kept(path, "it was changed since"))
        else:
            kept.append(Kept(path, "it was not made by band-new-adapter"))
    return Removal(Plan(folder, tuple(changes)), tuple(kept))


def from_host(host: Host, adapter: str) -> Removal:
    """Takes out of `host` what `adapter`'s record says was put in. What others need
    stays, and stays recorded.

    Raises NotAnAdapter where there is no record of it.
    """
    place = Record.path(adapter)
    content, record = Record.found(host.root, adapter)
    if content is None:
        raise NotAnAdapter(
            f"{host.root} has no record of an adapter {adapter!r}: no {place}."
            f"{meant(adapter, Record.names(host.root))}",
            "Only what band-new-adapter made is removed. "
            f"It has records of: {', '.join(Record.names(host.root)) or 'none'}.",
        )
    before = placing.entries_in(host)
    after, lost = before.without(adapter)
    needs = needed(host, adapter, record.made, after.texts)
    wanted = {p: w for p in record.registered if (w := _who_needs_entry(p, needs))}
    if wanted:
        after, lost = before.without(adapter, kept=wanted)
    changes, kept, stays = _own(host, record, needs)
    rest = Record(stays, {path: record.registered[path] for path in wanted})
    after = replace(after, records={**after.records, adapter: rest})
    edited = placing.changed(host, before, after)
    if rest == Record():
        edited.pop(place, None)
        changes.append(Change(place, content, None))
    changes += (Change(path, *pair) for path, pair in edited.items())
    kept += (Kept(p, f"its entry is needed by {who}") for p, who in wanted.items())
    kept += _left(before.wanted.get(adapter), after.texts, lost, wanted)
    # The record goes last: what a run that is killed leaves can be removed then.
    ordered = sorted(changes, key=lambda change: (change.path == place, change.path))
    return Removal(Plan(host.root, tuple(ordered)), tuple(kept))


def _own(
    host: Host, record: Record, needs: Mapping[str, str]
) -> tuple[list[Change], list[Kept], dict[PurePosixPath, str]]:
    """Of the adapter's own files: what goes, what is kept, and which of that is
    still as it was made."""
    changes, kept, stays = [], [], {}
    for path, made in record.made.items():
        if not (host.root / path).is_file():
            continue
        content = walk.content(host.root / path)
        if path.is_relative_to(FOLDER):
            changes.append(Change(path, content, None))
        elif digest(plain(content)) != made:
            kept.append(Kept(path, "it was changed since"))
        elif _is_shared(host, path, record):
            kept.append(Kept(path, "other integrations are beside it"))
        elif who := needs.get(_kind(host, path), ""):
            kept.append(Kept(path, f"{who} imports it"))
            stays[path] = made
        else:
            changes.append(Change(path, content, None))
    return changes, kept, stays


def _left(
    entry: Entry | None,
    texts: Mapping[PurePosixPath, str],
    lost: Lost,
    needed: Collection[PurePosixPath],
) -> Iterator[Kept]:
    """The entries that stay because a person changed them, or wrote them."""
    found = registrations(texts, entry, texts) if entry else None
    listed = {one.path for one in found.made if not one.edit} if found else set()
    unknown = {one.path for one in found.left} if found else set(lost)
    for path in sorted((listed | unknown).difference(needed)):
        if parts := lost.get(path, ()):
            yield Kept(path, "an entry was changed since", "\n".join(parts))
        elif path in listed:
            yield Kept(path, "it has an entry that band-new-adapter did not make")


def _is_shared(host: Host, path: PurePosixPath, record: Record) -> bool:
    """Whether `path` makes a package of what is not the adapter's alone."""
    if path != host.source / "integrations" / "__init__.py":
        return False
    beside = {path.parent / p for p in walk.written(host.root / path.parent)}
    beside = {other for other in beside if not _is_cache(other)}
    return not beside.issubset(record.made)


def _kind(host: Host, path: PurePosixPath) -> str:
    """Of which kind a module of the adapter is, such as `adapters`."""
    inside = path.is_relative_to(host.source)
    return path.relative_to(host.source).parts[0] if inside else ""


def _who_needs_entry(path: PurePosixPath, needs: Mapping[str, str]) -> str:
    if path.name == "pyproject.toml":
        return needs.get("adapters", "")
    return needs.get(path.parent.name, "") if path.name == "__init__.py" else ""


def _is_cache(path: PurePosixPath) -> bool:
    return not _CACHES.isdisjoint(path.parts)
