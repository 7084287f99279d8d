"""An adapter in a host: its files, its entries, its record. Planned, never written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from packaging.requirements import Requirement

from band_new_adapter import catalog, template
from band_new_adapter.answers import Answers
from band_new_adapter.catalog import Provider
from band_new_adapter.host import Host
from band_new_adapter.host_checks import Subject
from band_new_adapter.plan import Change, Plan
from band_new_adapter.record import FOLDER, Inserted, Record, digest
from band_new_adapter.register import Entry, Registrations, registrations
from band_new_adapter.register.edit import Edit
from band_new_adapter.render import render

Texts = Mapping[PurePosixPath, str]
_TESTS = PurePosixPath("tests")
_PROBES = _TESTS / "framework_conformance" / "turnprobes" / "__init__.py"


def place_in(host: Host) -> dict[str, Any]:
    """The answers that say where a host has its files."""
    probes = host.root / _PROBES
    return {
        "destination": "checkout",
        "root": host.package,
        "source": str(host.source),
        "tests": str(_TESTS),
        "distribution": host.distribution,
        # An older one does not ask whether the closing text is relayed.
        "probes": probes.is_file() and b"relays" in probes.read_bytes(),
    }


def files_of(answers: Answers, host: Host) -> dict[PurePosixPath, bytes]:
    """What is to be in the host for this adapter alone."""
    place = FOLDER / f"{answers.adapter}.yml"
    return shared(host, render(answers, template.root(), place_in(host), place))


def shared(host: Host, files: dict[PurePosixPath, bytes]) -> dict[PurePosixPath, bytes]:
    """`files`, with the package that adapters share where it has to be made."""
    package = host.source / "integrations" / "__init__.py"
    needed = any(package.parent in path.parents for path in files)
    # Adapters share it, and the last one takes it away.
    if needed and (_is_ours(host, package) or not (host.root / package).exists()):
        files[package] = b""
    return files


def _is_ours(host: Host, path: PurePosixPath) -> bool:
    """Whether `path` was made for some adapter."""
    records = (host.root / FOLDER).glob("*.json")
    return any(
        path in Record.read(file.read_bytes(), FOLDER / file.name).made
        for file in records
    )


def entry_of(answers: Answers, host: Host) -> Entry:
    """What the tables of `host` have to say of the adapter."""
    provider = catalog.PROVIDERS[answers.provider]
    return Entry(
        module=answers.adapter,
        prefix=answers.class_prefix,
        root=host.package,
        provider=answers.provider,
        title=answers.class_prefix,
        distribution=host.distribution,
        extra=answers.adapter,
        requirements=_requirements(provider),
        emit=answers.emit,
        capabilities=answers.capabilities,
    )


def _requirements(provider: Provider) -> tuple[str, ...]:
    return tuple(provider.requirement.split(", ")) if provider.requirement else ()


def plan_into(
    answers: Answers,
    host: Host,
    files: Mapping[PurePosixPath, bytes],
    texts: Texts,
    found: Registrations,
) -> tuple[Plan, Record]:
    """The plan that puts an adapter into `host`, and the record of it."""
    edited: dict[PurePosixPath, tuple[bytes | None, bytes]] = {
        path: (texts[path].encode(), text.encode())
        for path, text in found.apply(texts).items()
    }
    place = Record.path(answers.adapter)
    before, earlier = Record.found(host.root, answers.adapter)
    record = _record(files, edited, found, earlier)
    edited[place] = (before, record.content())
    return Plan.into(host.root, files, edited), record


def renewed(
    adapter: str,
    host: Host,
    files: Mapping[PurePosixPath, bytes],
    before: Entry,
    after: Entry,
) -> dict[PurePosixPath, tuple[bytes | None, bytes]]:
    """The host's own files with the entries of `after` instead of `before`, and with
    those that they lack; and the record, which is one of them."""
    texts = host.texts()
    content, record = Record.found(host.root, adapter)
    bare: dict[PurePosixPath, str] = {}
    if before != after:
        taken = {p: i.taken_out_of(texts[p]) for p, i in record.registered.items()}
        # An entry that somebody changed is theirs, and stays.
        bare = {path: text for path, (text, lost) in taken.items() if not lost}
        record = Record(record.made)
    found = registrations(texts | bare, after)
    new = bare | found.apply(texts | bare)
    edited: dict[PurePosixPath, tuple[bytes | None, bytes]] = {
        path: (texts[path].encode(), text.encode()) for path, text in new.items()
    }
    now = _record(files, edited, found, record)
    edited[Record.path(adapter)] = (content, now.content())
    return edited


def _whole(host: Host, files: Mapping[PurePosixPath, bytes], record: Record) -> Plan:
    """All that the adapter is in the host, this run's and what was there already."""
    changes = [Change(path, None, content) for path, content in files.items()]
    for path, inserted in record.registered.items():
        after = (host.root / path).read_bytes()
        before, _ = inserted.taken_out_of(after.decode())
        changes.append(Change(path, before.encode(), after))
    return Plan(host.root, tuple(sorted(changes, key=lambda change: change.path)))


def _record(
    files: Mapping[PurePosixPath, bytes],
    edited: Mapping[PurePosixPath, tuple[bytes | None, bytes]],
    found: Registrations,
    earlier: Record,
) -> Record:
    """What is recorded of this run and of the `earlier` ones."""
    registered = dict(earlier.registered)
    for path in edited:
        old = registered[path].texts if path in registered else ()
        edits = (one.edit for one in found.made if one.path == path)
        new = (pair for edit in edits for pair in _one_by_one(edit))
        registered[path] = Inserted(digest(edited[path][1]), (*old, *new))
    made = {path: digest(content) for path, content in files.items()}
    return Record(made, registered)


def _one_by_one(edit: Edit) -> Iterator[tuple[int, str, str]]:
    """The insertions, each with its offset after those before it went in."""
    shift = 0
    for insertion in sorted(edit.insertions, key=lambda i: i.offset):
        yield insertion.offset + shift, insertion.text, insertion.over
        shift += len(insertion.text) - len(insertion.over)


def subject_of(
    answers: Answers,
    host: Host,
    files: Mapping[PurePosixPath, bytes],
    record: Record,
) -> Subject:
    """What the host's checks judge, once the adapter is in place."""
    entry = entry_of(answers, host)
    adapter = files[host.source / "adapters" / f"{answers.adapter}.py"]
    return Subject(
        host,
        _whole(host, files, record),
        answers.adapter,
        {
            f"adapters.{answers.adapter}": entry.adapters,
            f"converters.{answers.adapter}": entry.converters,
        },
        entry.extra,
        tuple(map(Requirement, entry.requirements)),
        tuple(_brought(adapter, host.package)),
    )


def _brought(adapter: bytes, root: str) -> list[str]:
    """The import packages that an adapter's module only tries to import."""
    attempt = next(n for n in ast.parse(adapter).body if isinstance(n, ast.Try))
    modules = {n.module or "" for n in attempt.body if isinstance(n, ast.ImportFrom)}
    tops = {module.partition(".")[0] for module in modules}
    # These come with the SDK, or are the host itself.
    return sorted(tops - {"pydantic", root.partition(".")[0]})
