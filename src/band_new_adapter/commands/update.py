"""Brings adapters to another version of the template, or to other answers."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from band_new_adapter import (
    adapter,
    apply,
    bundle,
    placing,
    questions,
    refusals,
    template,
    versions,
    walk,
)
from band_new_adapter import answers as naming
from band_new_adapter.adapter import Adapter
from band_new_adapter.answers import Answers
from band_new_adapter.changes import show_updates, show_versions
from band_new_adapter.commands import check
from band_new_adapter.entries import Entries
from band_new_adapter.errors import UnknownChoice, UpdateRefused, UsageProblem
from band_new_adapter.package import Package
from band_new_adapter.plan import Change
from band_new_adapter.record import FOLDER
from band_new_adapter.render import with_source_of
from band_new_adapter.report import Updated
from band_new_adapter.repository import Repository
from band_new_adapter.updating import Files, Outcome, Update, plan_update
from band_new_adapter.verify import Verdict

_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """What to update to and how: the version (None: the newest), the answers to
    change, and whether conflicts stand in the files."""

    to: str | None
    changes: tuple[str, ...]
    inline: bool
    dry_run: bool
    check: bool
    as_json: bool


@dataclass(frozen=True, slots=True)
class _Job:
    """One adapter with all that an update of it needs."""

    adapter: Adapter
    answers: Answers
    version: str
    update: Update


def behind(path: Path, *, every: bool, as_json: bool) -> int:
    """Say which adapters have a newer template; 3 if any has.

    Raises UnknownVersion for one that only a newer tool can tell about.
    """
    updated = []
    for one in _adapters(path, every=every):
        bundle.require_known(one.version)
        updated.append(Updated(one.name, one.folder, one.version, template.TAG))
    return show_versions(updated, as_json=as_json)


def run(path: Path, *, every: bool, options: Options) -> int:
    """Update the adapter at `path`, or all below it; return the exit code.

    All are planned before one is touched, and all are put back if one fails.
    """
    hosts: dict[Path, Entries] = {}
    jobs = [_planned(one, options, hosts) for one in _adapters(path, every=every)]
    updated = [_told(job) for job in jobs]
    if options.dry_run:
        notes = versions.to_come()
    else:
        with ExitStack() as stack:
            for job in jobs:
                stack.enter_context(apply.written(job.update.plan))
            updated = [
                replace(one, verdict=_verdict(job, options))
                for one, job in zip(updated, jobs, strict=True)
            ]
            notes = versions.place()
    return show_updates(
        updated, notes, done=not options.dry_run, as_json=options.as_json
    )


def _adapters(path: Path, *, every: bool) -> list[Adapter]:
    return adapter.below(path) if every else [adapter.at(path)]


def _planned(one: Adapter, options: Options, hosts: dict[Path, Entries]) -> _Job:
    """`hosts` has the entries in each, by its folder, as the jobs before leave them."""
    target = template.TAG
    if options.to is not None:
        target = f"v{options.to.removeprefix('v')}"
    answers = _answers(one.answers, options.changes)
    refusals.require_place(one)
    base, theirs = _rendered(one, answers, target)
    repository = refusals.require_fit(one, {*base, *theirs})
    ours = _ours(one, {*base, *theirs}, repository)
    refusals.require_own(one, answers, base, ours)
    made = one.answers_file
    if made in ours:
        base = {**base, made: with_source_of(ours[made], base[made])}
    update = plan_update(one.folder, base, theirs, ours, inline=options.inline)
    touched = {*base, *(change.path for change in update.plan.changes)}
    refusals.require_decided(one, {p: ours[p] for p in touched if p in ours})
    refusals.require_free(one, update.plan.changes)
    if one.host:
        entries = hosts.get(one.folder) or placing.entries_in(one.host)
        update, hosts[one.folder] = _with_entries(one, answers, update, theirs, entries)
    return _Job(one, answers, target, update)


def _rendered(one: Adapter, answers: Answers, target: str) -> tuple[Files, Files]:
    """What the adapter was made as, and what it would be made as.

    Raises UnknownVersion, and UpdateRefused for an older version.
    """
    with bundle.extracted(one.version) as old, bundle.extracted(target) as new:
        if template.version(target) < template.version(one.version):
            raise UpdateRefused(
                f"{one.name} is of {one.version}, which is newer than {target}.",
                "There is no way back by update: git has the older one.",
            )
        base = one.files(old, one.version)
        if one.host is None:
            return base, one.files(new, target, answers)
        moved = replace(one, place=placing.place_in(one.host))
        theirs = moved.files(new, target, answers)
        return placing.shared(one.host, base), placing.shared(one.host, theirs)


def _answers(recorded: Answers, changes: Iterable[str]) -> Answers:
    """The recorded answers with what `--set QUESTION=VALUE` changes."""
    given: dict[str, object] = dict(recorded.data)
    for change in changes:
        key, equals, value = change.partition("=")
        known = {question.key for question in questions.QUESTIONS} - questions.FIXED
        if not equals:
            raise UsageProblem(
                f"--set {change!r} is no QUESTION=VALUE.", "Such as: --set emit=usage."
            )
        if key not in known:
            raise UnknownChoice("--set", key, sorted(known))
        given[key] = [value] if isinstance(given[key], list) else value
        if key == "provider":
            given["pattern"] = naming.provider(value).pattern
    answers, _ = questions.gather(given, defaults=False, ask=None)
    return answers


def _ours(
    one: Adapter, paths: set[PurePosixPath], repository: Repository
) -> dict[PurePosixPath, bytes]:
    """What is in the folder now: the template's files, and for a package others,
    among which are those that were renamed."""
    found = {p: one.folder / p for p in paths if (one.folder / p).is_file()}
    if not one.host:
        for path in repository.files():
            file = one.folder / path
            if file.is_file() and file.stat().st_size < _LARGEST:
                found[path] = file
    return {path: walk.content(file) for path, file in sorted(found.items())}


def _with_entries(
    one: Adapter, answers: Answers, update: Update, theirs: Files, before: Entries
) -> tuple[Update, Entries]:
    """The update with what it does to the entries in the host, and these."""
    assert one.host
    old, new = (placing.entry_of(a, one.host) for a in (one.answers, answers))
    now, lost = before, {}
    if old != new and answers.adapter in before.records:
        now, lost = before.without(answers.adapter, new)
    now, found = now.with_entry(new)
    now = placing.recorded(now, answers.adapter, theirs)
    edited = placing.changed(one.host, before, now)
    kind = "restored" if old == new else "updated"
    outcomes = [Outcome(p, kind) for p in edited if p.parent != FOLDER]
    changed = {path for path, parts in lost.items() if parts}
    notes = dict.fromkeys(changed.difference(edited), "an entry was changed since")
    for left in found.left:
        wanted = "" if old == new else f"; it is to have:\n{left.lines}"
        notes[left.path] = left.found + wanted
    outcomes += [Outcome(path, "kept", note) for path, note in notes.items()]
    changes = (Change(path, *pair) for path, pair in edited.items())
    return update.also(changes, outcomes), now


def _verdict(job: _Job, options: Options) -> Verdict | None:
    if job.update.conflicted or not options.check:
        return None
    if host := job.adapter.host:
        return check.in_host(job.answers, host, as_json=options.as_json)
    return check.of_package(Package.at(job.adapter.folder), as_json=options.as_json)


def _told(job: _Job) -> Updated:
    return Updated(
        job.adapter.name,
        job.adapter.folder,
        job.adapter.version,
        job.version,
        job.update,
        versions.changes(job.adapter.version, job.version),
    )
