"""What stands in the way of an update, as an error before anything is changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from band_new_adapter import catalog, placing, questions, template
from band_new_adapter.adapter import Adapter
from band_new_adapter.answers import Answers
from band_new_adapter.errors import NotAnAdapter, Unresolved, UpdateRefused
from band_new_adapter.merge import ALIKE, has_markers, similarity
from band_new_adapter.plan import Change
from band_new_adapter.reading import read
from band_new_adapter.record import Record
from band_new_adapter.repository import Repository

Files = Mapping[PurePosixPath, bytes]

# What a host may call itself, and what its tests can do, is for the update to follow.
_FOLLOWED = {"distribution", "probes"}
_TOLD = ("class_prefix", "emit", "capabilities", "provider")


def require_place(adapter: Adapter) -> None:
    """Raise UpdateRefused if the answers are those of an adapter in another host."""
    for key, found in placing.place_in(adapter.host).items() if adapter.host else ():
        said = adapter.place[key]
        if type(said) is not type(found) or key not in _FOLLOWED and said != found:
            raise UpdateRefused(
                f"{adapter.answers_file} says {key}: {said}; here it is {found}.",
                "Restore the one that was edited.",
            )


def require_fit(adapter: Adapter, paths: set[PurePosixPath]) -> Repository:
    """The repository around the adapter, if git can show, and give back, what an
    update changes; `paths` are those of the template.

    Raises NotInRepository, NotClean or FilesIgnored.
    """
    repository = Repository.around(adapter.folder)
    own = None
    if adapter.host:
        _, record = Record.found(adapter.host.root, adapter.answers.adapter)
        own = {*paths, *record.registered}
    repository.require_clean(own)
    repository.require_checked_out(own)
    repository.require_kept(paths)
    return repository


def require_own(adapter: Adapter, answers: Answers, base: Files, ours: Files) -> None:
    """Raise UpdateRefused if the answers are not those of the code in `ours`, which
    may have the new `answers` already.

    `base` is what the template made of the recorded ones.
    """
    recorded, source = adapter.answers, adapter.source
    if not any(source in path.parents for path in ours):
        raise UpdateRefused(
            f"{adapter.answers_file} has the answers of {recorded.adapter!r}, and "
            f"there is no {source}.",
            "A name cannot be changed by an update: restore the name, or the file.",
        )
    own = (path for path in ours if source in path.parents and path.suffix == ".py")
    modules = {path: ours[path] for path in own}
    try:
        found = read(modules).found
    except NotAnAdapter:
        return
    for key in (key for key in _TOLD if key in found):
        code = _told(found[key].value)
        said = _told(getattr(recorded, key))
        if code in (said, _told(getattr(answers, key))):
            continue
        # A library that is used beside the model makes no other provider, and one
        # class that was renamed no other adapter.
        if key == "provider" and not _is_of(code, adapter, base, ours):
            continue
        if key == "class_prefix" and _has_classes_of(recorded, modules.values()):
            continue
        change = f" To change an answer: band-adapter update --set {key}={code}."
        raise UpdateRefused(
            f"{adapter.answers_file} says {key}: {said}; the code says {code} "
            f"({found[key].evidence}).",
            f"Make both say the same.{'' if key in questions.FIXED else change}",
        )


def _told(answer: Any) -> str:
    """An answer as `--set` takes it."""
    return answer if isinstance(answer, str) else ",".join(answer) or "none"


def _has_classes_of(answers: Answers, modules: Iterable[bytes]) -> bool:
    """Whether there is a class in `modules` with the name that it was made with."""
    names = (answers.adapter_class, f"{answers.class_prefix}HistoryConverter")
    made = re.compile(rf"^class ({'|'.join(names)})".encode(), re.MULTILINE)
    return any(map(made.search, modules))


def _is_of(provider: str, adapter: Adapter, base: Files, ours: Files) -> bool:
    """Whether the code is what is made for `provider`, rather than that in `base`."""
    code = ours.get(adapter.module, b"")
    chosen = catalog.PROVIDERS[provider]
    others = replace(
        adapter.answers,
        provider=provider,
        pattern=chosen.pattern,
        emit=tuple(k for k in adapter.answers.emit if k in chosen.emit),
        capabilities=tuple(
            k for k in adapter.answers.capabilities if k in chosen.capabilities
        ),
    )
    made = adapter.files(template.root(), template.TAG, others)
    least = max(ALIKE, similarity(code, base.get(adapter.module, b"")))
    return similarity(code, made[adapter.module]) > least


def require_decided(adapter: Adapter, ours: Files) -> None:
    """Raise Unresolved if a conflict in one of these files waits for somebody."""
    left = [
        str(path)
        for path, content in ours.items()
        if has_markers(content) or (adapter.folder / f"{path}.rej").exists()
    ]
    if left:
        raise Unresolved(
            f"{adapter.folder} has a conflict that nobody resolved: {', '.join(left)}.",
            "Decide which side it is to be, remove markers and .rej files, commit.",
        )


def require_free(adapter: Adapter, changes: Iterable[Change]) -> None:
    """Raise UpdateRefused if something is where a file would be made, or a file is a
    link to what git does not have."""
    for change in changes:
        path = adapter.folder / change.path
        taken = [p for p in path.parents if os.path.lexists(p) and not p.is_dir()]
        if change.before is None and os.path.lexists(path):
            taken.append(path)
        if taken:
            raise UpdateRefused(
                f"{taken[0]} is in the way: {change.path} would be made.",
                "Move it away, and commit.",
            )
        if not path.resolve().is_relative_to(adapter.folder):
            raise UpdateRefused(
                f"{path} would be changed, and is a link to {path.resolve()}, which "
                "belongs to something else.",
                "Put a file there instead, or nothing: what you delete stays deleted.",
            )
