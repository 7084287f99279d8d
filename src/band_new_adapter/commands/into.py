"""Makes an adapter in a host: its files, and its entries in the host's own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from packaging.requirements import Requirement

from band_new_adapter import apply, catalog, host_checks, register, template, versions
from band_new_adapter.answers import Answers
from band_new_adapter.catalog import Provider
from band_new_adapter.console import progress, show
from band_new_adapter.host import Host
from band_new_adapter.plan import Change, Plan
from band_new_adapter.record import FOLDER, Inserted, Record, digest
from band_new_adapter.register import Entry, Registrations
from band_new_adapter.register.edit import Edit
from band_new_adapter.render import render
from band_new_adapter.report import Report

_TESTS = PurePosixPath("tests")
_PROBES = _TESTS / "framework_conformance" / "turnprobes" / "__init__.py"


def run(
    answers: Answers,
    notes: tuple[str, ...],
    host: Host,
    *,
    dry_run: bool,
    check: bool,
    as_json: bool,
) -> int:
    """Make the adapter in `host`, or show what would be; return the exit code."""
    texts = host.texts()
    files = _files(answers, host, texts)
    found = register.registrations(texts, _entry(answers, host))
    plan, record = _plan(answers, host, files, texts, found)
    verdict = None
    if dry_run:
        notes += versions.to_come()
    else:
        with apply.written(plan):
            if check:
                subject = _subject(answers, host, _whole(host, files, record), files)
                with progress(host_checks.CHECKS, as_json=as_json) as watch:
                    verdict = host_checks.verify(subject, watch)
            notes += versions.place()
    report = Report(
        host.root,
        host.distribution,
        verdict,
        answers,
        plan,
        registrations=found,
        made=not dry_run,
        notes=notes,
        next=_next_steps(answers, host, found, verdict is None or verdict.passed),
    )
    show(report, as_json=as_json)
    return report.exit_code


def _files(
    answers: Answers, host: Host, texts: Mapping[PurePosixPath, str]
) -> dict[PurePosixPath, bytes]:
    """What is to be in the host for this adapter alone."""
    where = {
        "destination": "checkout",
        "root": host.package,
        "source": str(host.source),
        "tests": str(_TESTS),
        "distribution": host.distribution,
        # An older one does not ask whether the closing text is relayed.
        "probes": "relays" in texts.get(_PROBES, ""),
    }
    place = FOLDER / f"{answers.adapter}.yml"
    files = render(answers, template.root(), where, place)
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


def _entry(answers: Answers, host: Host) -> Entry:
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


def _plan(
    answers: Answers,
    host: Host,
    files: Mapping[PurePosixPath, bytes],
    texts: Mapping[PurePosixPath, str],
    found: Registrations,
) -> tuple[Plan, Record]:
    edited: dict[PurePosixPath, tuple[bytes | None, bytes]] = {
        path: (texts[path].encode(), text.encode())
        for path, text in found.apply(texts).items()
    }
    place = Record.path(answers.adapter)
    before = (host.root / place).read_bytes() if (host.root / place).exists() else None
    earlier = Record.read(before, place) if before is not None else Record()
    record = _record(files, edited, found, earlier)
    edited[place] = (before, record.content())
    return Plan.into(host.root, files, edited), record


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


def _subject(
    answers: Answers,
    host: Host,
    plan: Plan,
    files: Mapping[PurePosixPath, bytes],
) -> host_checks.Subject:
    entry = _entry(answers, host)
    adapter = files[host.source / "adapters" / f"{answers.adapter}.py"]
    return host_checks.Subject(
        host,
        plan,
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


def _next_steps(
    answers: Answers, host: Host, found: Registrations, green: bool
) -> tuple[str, ...]:
    if not green:
        return ("Correct what failed, then run the same command again.",)
    source = host.source / "integrations" / answers.adapter
    write = {
        "custom": f"Write {source}/model.py: the one class that speaks to your API.",
        "custom-framework": f"Write {source}/framework.py: the one class that runs it.",
    }.get(answers.provider)
    left = (f"Add to {item.path} by hand:\n{item.lines}" for item in found.left)
    return (
        *filter(None, (write,)),
        *left,
        "Read the changes: git diff, and git status for the new files.",
        f"Keep {FOLDER}/ for updates, or leave it out of a pull request.",
        f"To take it all out again: band-adapter remove {answers.adapter}",
    )
