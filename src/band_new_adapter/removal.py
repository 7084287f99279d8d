"""What removing an adapter would take away, and what it would leave: a value."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from band_new_adapter import walk
from band_new_adapter.errors import NotAnAdapter, meant
from band_new_adapter.host import Host
from band_new_adapter.plan import Change, Plan
from band_new_adapter.record import FOLDER, Inserted, Record, digest

# What tools leave in a package by themselves; nobody wrote it.
_CACHES = ("__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis")


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
    for path in sorted(_files(folder)):
        content = (folder / path).read_bytes()
        if content == made.get(path) or set(path.parts) & set(_CACHES):
            changes.append(Change(path, content, None))
        elif path in made:
            kept.append(Kept(path, "it was changed since"))
        else:
            kept.append(Kept(path, "it was not made by band-new-adapter"))
    return Removal(Plan(folder, tuple(changes)), tuple(kept))


def from_host(host: Host, adapter: str) -> Removal:
    """Takes out of `host` what `adapter`'s record says was put in.

    Raises NotAnAdapter where there is no record of it.
    """
    place = Record.path(adapter)
    content, record = Record.found(host.root, adapter)
    if content is None:
        raise NotAnAdapter(
            f"{host.root} has no record of an adapter {adapter!r}: no {place}."
            f"{meant(adapter, _recorded(host))}",
            "Only what band-new-adapter made is removed. "
            f"It has records of: {', '.join(_recorded(host)) or 'none'}.",
        )
    out = {path: _taken_out(host, path, record) for path in record.registered}
    needs = _needs(host, adapter, record, {p: t for p, (_, t, _) in out.items()})
    changes, kept = [Change(place, content, None)], []
    for path, hash_ in record.made.items():
        if not (host.root / path).is_file():
            continue
        content = (host.root / path).read_bytes()
        if why := _why_kept(host, path, digest(content) == hash_, record, needs):
            kept.append(Kept(path, why))
        else:
            changes.append(Change(path, content, None))
    for path, (before, after, lost) in out.items():
        if who := _who_needs_entry(path, needs):
            kept.append(Kept(path, f"its entry is needed by {who}"))
            continue
        if after != before:
            changes.append(Change(path, before.encode(), after.encode()))
        if lost:
            kept.append(Kept(path, "an entry was changed since", "\n".join(lost)))
    ordered = sorted(changes, key=lambda change: change.path)
    return Removal(Plan(host.root, tuple(ordered)), tuple(kept))


def _taken_out(
    host: Host, path: PurePosixPath, record: Record
) -> tuple[str, str, tuple[str, ...]]:
    """The text of a file, the same without its entry, and what was not found."""
    inserted: Inserted = record.registered[path]
    if not (host.root / path).is_file():
        return "", "", ()
    text = (host.root / path).read_bytes().decode("utf-8", "surrogateescape")
    after, lost = inserted.taken_out_of(text)
    if _is_sound(path, text) and not _is_sound(path, after):
        return text, text, tuple(part for _, part, _ in inserted.texts)
    return text, after, lost


def _is_sound(path: PurePosixPath, text: str) -> bool:
    try:
        if path.suffix == ".py":
            ast.parse(text.removeprefix("\ufeff"))
        elif path.suffix == ".toml":
            tomllib.loads(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError):
        return False
    return True


def _needs(
    host: Host, adapter: str, record: Record, after: Mapping[PurePosixPath, str]
) -> dict[str, str]:
    """Which modules of the adapter others import (`adapters`, …), and who."""
    names = rf"{re.escape(host.package)}\.(adapters|converters|integrations)"
    module = re.compile(rf"{names}\.{adapter}\b")
    needs: dict[str, str] = {}
    for path in _files(host.root):
        if path in record.made or path.suffix != ".py":
            continue
        text = after.get(path)
        if text is None:
            content = (host.root / path).read_bytes()
            text = (
                content.decode("utf-8", "replace")
                if adapter.encode() in content
                else ""
            )
        for found in module.finditer(text):
            needs.setdefault(found[1], str(path))
    if "adapters" in needs:
        needs.setdefault("converters", needs["adapters"])
    if "converters" in needs:
        needs.setdefault("integrations", needs["converters"])
    return needs


def _why_kept(
    host: Host,
    path: PurePosixPath,
    unchanged: bool,
    record: Record,
    needs: Mapping[str, str],
) -> str:
    if path.is_relative_to(FOLDER):
        return ""
    if not unchanged:
        return "it was changed since"
    if path == host.source / "integrations" / "__init__.py":
        others = (p for p in _files(host.root / path.parent) if path.parent / p != path)
        if any(path.parent / p not in record.made for p in others):
            return "other integrations are beside it"
    if path.is_relative_to(host.source):
        kind = path.relative_to(host.source).parts[0]
        if kind in needs:
            return f"{needs[kind]} imports it"
    return ""


def _who_needs_entry(path: PurePosixPath, needs: Mapping[str, str]) -> str:
    if path.name == "pyproject.toml":
        return needs.get("adapters", "")
    return needs.get(path.parent.name, "") if path.name == "__init__.py" else ""


def _recorded(host: Host) -> list[str]:
    return sorted(path.stem for path in (host.root / FOLDER).glob("*.json"))


def _files(folder: Path) -> Iterator[PurePosixPath]:
    """All files in `folder`, but those of git and of environments."""
    return walk.files(folder, lambda path: path.name in (".git", "node_modules"))
