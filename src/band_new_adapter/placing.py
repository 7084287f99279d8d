"""An adapter in a host: its files, its entries, its record. Planned, never written."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from packaging.requirements import Requirement

from band_new_adapter import catalog, template, walk
from band_new_adapter.adapter import Adapter
from band_new_adapter.answers import Answers
from band_new_adapter.catalog import Provider
from band_new_adapter.entries import Entries
from band_new_adapter.errors import TOO_DEEP, DestinationTaken
from band_new_adapter.host import Host
from band_new_adapter.host_checks import Subject
from band_new_adapter.plan import Change, Plan
from band_new_adapter.record import FOLDER, Record, digest
from band_new_adapter.register import Registrations
from band_new_adapter.register.entry import Entry
from band_new_adapter.render import render

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
        "probes": probes.is_file() and b"relays" in walk.content(probes),
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
    records = (Record.found(host.root, name)[1] for name in Record.names(host.root))
    return any(path in record.made for record in records)


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


def entries_in(host: Host) -> Entries:
    """What all adapters in `host` have in its own files. Raises NotAnAdapter."""
    names = Record.names(host.root)
    records = {name: Record.found(host.root, name)[1] for name in names}
    files = (FOLDER / file.name for file in (host.root / FOLDER).glob("*.yml"))
    answers = [Adapter.in_host(host, file).answers for file in sorted(files)]
    wanted = {one.adapter: entry_of(one, host) for one in answers}
    return Entries(host.texts(), records, wanted)


def plan_into(answers: Answers, host: Host) -> tuple[Plan, Registrations]:
    """The plan that puts an adapter into `host`, and what it registers.

    Raises DestinationTaken and UnknownShape.
    """
    files = files_of(answers, host)
    for path in files:
        _refuse_hidden(host, path)
    # That a name is taken says more than what a table makes of it.
    Plan.into(host.root, files, {})
    name = answers.adapter
    _, earlier = Record.found(host.root, name)
    before = Entries(host.texts(), {name: earlier}, {})
    after, found = before.with_entry(entry_of(answers, host))
    edited = changed(host, before, recorded(after, name, files))
    return Plan.into(host.root, files, edited), found


def _refuse_hidden(host: Host, path: PurePosixPath) -> None:
    """Raise DestinationTaken where a module and a package would have one name: only
    the package would be imported."""
    module = host.root / path.with_suffix("")
    package = module / "__init__.py"
    if module.name == "__init__":
        module, package = module.parent, module.parent.with_suffix(".py")
    if package.exists():
        raise DestinationTaken(
            f"{package.relative_to(host.root)} exists in {host.root}, and would be "
            f"imported by the same name as {path}.",
            "Choose another name.",
        )


def recorded(
    entries: Entries, adapter: str, files: Mapping[PurePosixPath, bytes]
) -> Entries:
    """`entries`, with the adapter's own `files` in its record."""
    made = {path: digest(content) for path, content in files.items()}
    record = replace(entries.records[adapter], made=made)
    return replace(entries, records={**entries.records, adapter: record})


def changed(
    host: Host, before: Entries, after: Entries
) -> dict[PurePosixPath, tuple[bytes | None, bytes]]:
    """What is other `after`: the host's own files and the records, as they are
    `before` and as they are to be."""
    edited: dict[PurePosixPath, tuple[bytes | None, bytes]] = {
        path: (before.texts[path].encode(), text.encode())
        for path, text in after.texts.items()
        if text != before.texts[path]
    }
    for name, record in after.records.items():
        content, found = Record.found(host.root, name)
        earlier = before.records.get(name, found)
        if content is None or record != earlier:
            # The file may say the same in another form.
            was = content if found == earlier else earlier.content()
            edited[Record.path(name)] = was, record.content()
    return edited


def subject_of(answers: Answers, host: Host) -> Subject:
    """What the host's checks judge, where the adapter is in place."""
    entry = entry_of(answers, host)
    _, record = Record.found(host.root, answers.adapter)
    return Subject(
        host,
        _whole(host, record),
        answers.adapter,
        {
            f"adapters.{answers.adapter}": entry.adapters,
            f"converters.{answers.adapter}": entry.converters,
        },
        entry.extra,
        tuple(map(Requirement, entry.requirements)),
        tuple(_brought(host, answers.adapter)),
    )


def _whole(host: Host, record: Record) -> Plan:
    """All that the adapter is in the host, whenever it came there."""
    texts, changes = host.texts(), []
    for path in filter(lambda path: (host.root / path).is_file(), record.made):
        changes.append(Change(path, None, walk.content(host.root / path)))
    for path in filter(texts.__contains__, record.registered):
        before, _ = record.registered[path].taken_out_of(texts[path])
        changes.append(Change(path, before.encode(), texts[path].encode()))
    return Plan(host.root, tuple(sorted(changes, key=lambda change: change.path)))


def _brought(host: Host, adapter: str) -> list[str]:
    """The import packages that the adapter's module only tries to import."""
    file = host.root / host.source / "adapters" / f"{adapter}.py"
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, *TOO_DEEP):
        # The checks say so, and better.
        return []
    attempts = (node for node in body if isinstance(node, ast.Try))
    imports = (node for attempt in attempts for node in attempt.body)
    modules = {n.module or "" for n in imports if isinstance(n, ast.ImportFrom)}
    tops = {module.partition(".")[0] for module in modules}
    # These come with the SDK, or are the host itself.
    return sorted(tops - {"pydantic", host.package.partition(".")[0]})
