"""Takes an adapter out again: what was made, and nothing that a person wrote."""

from __future__ import annotations

from pathlib import Path

from band_new_adapter import apply, bundle
from band_new_adapter.adapter import Adapter
from band_new_adapter.changes import show_removal
from band_new_adapter.errors import NotAnAdapter
from band_new_adapter.host import Host
from band_new_adapter.removal import Removal, from_host, from_package
from band_new_adapter.render import ANSWERS_FILE


def run(adapter: str, path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Remove `adapter` from the host or the folder at `path`; return the exit code."""
    host = Host.around(path)
    if host is not None:
        removal, owner = from_host(host, adapter), host.distribution
    else:
        removal, owner = _of_package(adapter, path), ""
    if not dry_run:
        with apply.written(removal.plan):
            pass
        if host is None:
            apply.prune(removal.plan.folder)
    return show_removal(adapter, owner, removal, done=not dry_run, as_json=as_json)


def _of_package(adapter: str, path: Path) -> Removal:
    """The removal of a package of its own, at `path` or in it."""
    usual = path / f"band-adapter-{adapter.replace('_', '-')}"
    folder = next((f for f in (path, usual) if (f / ANSWERS_FILE).is_file()), None)
    if folder is None:
        raise NotAnAdapter(
            f"There is no adapter {adapter!r} in {path.resolve()}: no answers in "
            f"{ANSWERS_FILE}, and no {usual.name}.",
            "Give the folder that it is in: band-adapter remove NAME PATH.",
        )
    found = Adapter.of_package(folder)
    answers, version = found.answers, found.version
    if answers.adapter != adapter:
        raise NotAnAdapter(
            f"{folder.resolve()} is the adapter {answers.adapter!r}, not {adapter!r}.",
            f"To remove that one: band-adapter remove {answers.adapter} {path}",
        )
    with bundle.extracted(version) as source:
        made = found.files(source, version)
    return from_package(folder.resolve(), made)
