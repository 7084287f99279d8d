"""`pyproject.toml`: the adapter's extra, and its requirements among those of `dev`."""

from __future__ import annotations

import json
import re
from textwrap import indent
from typing import Any

from packaging.utils import canonicalize_name

from band_new_adapter.errors import NameTaken, UnknownShape
from band_new_adapter.register import requirements
from band_new_adapter.register.edit import (
    Edit,
    Insertion,
    after_line,
    indentation,
    line_start,
    wide,
)
from band_new_adapter.register.entry import Entry
from band_new_adapter.register.toml import Document, Pair, content

LOCK = "uv.lock"

_EXTRAS = ("project", "optional-dependencies")
_GROUPS = ("dependency-groups",)
# Extras for work on the project, or of several others, by the first word.
_NO_ADAPTER = re.compile(r"(dev|develop|development|tests?|testing|docs?|lint|all)\b")
_TOOLS = {"pytest", "ruff"}
_FOR_TESTING = re.compile(
    r"^[ \t]*# Include .+ for testing[ \t]*(?=\r?$)", re.MULTILINE
)


def project(text: str, entry: Entry) -> Edit:
    """The extra behind the last one of an adapter, its requirements in `dev`."""
    document = Document.parse(text)
    _check(document.content)
    dev, listed = _dev(document)
    wanted = requirements.missing(entry.requirements, listed) if dev else []
    for requirement in wanted:
        if against := requirements.contradiction(requirement, listed):
            raise UnknownShape(f"{requirement!r} contradicts {against!r} of dev")
    insertions = _extra(document, entry)
    new = bool(insertions)
    if dev and wanted:
        insertions += _for_testing(document, dev, entry.extra, wanted)
    edit = Edit.of(text, insertions)
    _verify(document.content, content(edit.apply(text)), entry, dev, wanted, new)
    return edit


def lines(entry: Entry) -> str:
    extra = f"{entry.extra} = {_array(entry)}"
    return f"[project.optional-dependencies]\n{extra}"


def lock(text: str, entry: Entry) -> Edit:
    """The extra in the lock file: only uv makes it."""
    name = re.escape(canonicalize_name(entry.extra))
    if re.search(rf"^{name} = \[", text, re.MULTILINE):
        return Edit()
    raise UnknownShape("uv makes it from pyproject.toml, and it has no such extra")


def lock_lines(_: Entry) -> str:
    return "$ uv lock"


def _check(document: dict[str, Any]) -> None:
    """Raises UnknownShape unless the tables that are read have their usual types."""
    table = document.get("project", {})
    if not isinstance(table, dict) or not isinstance(table.get("name", ""), str):
        raise UnknownShape("project is not a table with a name")
    for found in (table.get(_EXTRAS[1], {}), document.get(_GROUPS[0], {})):
        if not isinstance(found, dict):
            raise UnknownShape("the extras, or the groups, are not a table")
        if not all(isinstance(listed, list) for listed in found.values()):
            raise UnknownShape("an extra, or a group, is not a list")


def _verify(
    before: dict[str, Any],
    after: dict[str, Any],
    entry: Entry,
    dev: Pair | None,
    wanted: list[str],
    new: bool,
) -> None:
    """What was read after the edit is what was there, and the entry."""
    if dev and wanted:
        listed = _at(after, dev.path)
        listed[:] = [one for one in listed if one not in wanted]
    if new:
        extras = after["project"]["optional-dependencies"]
        if extras.pop(entry.extra, None) != list(entry.requirements):
            raise UnknownShape("the extra would not be read as it is written")
        if not extras and "optional-dependencies" not in before["project"]:
            del after["project"]["optional-dependencies"]
    if before != after:
        raise UnknownShape("an extra would change what is there")


def _at(document: dict[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = document
    for part in path:
        found = found[part]
    return found


def _extra(document: Document, entry: Entry) -> list[Insertion]:
    """The extra; nothing if there is one of that name that asks for the same."""
    table = document.content.get("project", {})
    if _EXTRAS[1] in table.get("dynamic", ()):
        raise UnknownShape("the extras are dynamic: another file has them")
    for name, have in table.get("optional-dependencies", {}).items():
        if canonicalize_name(name) == canonicalize_name(entry.extra):
            if requirements.same(have, entry.requirements):
                return []
            raise NameTaken(f"an extra {name} exists, and asks for {', '.join(have)}")
    extras = document.below(_EXTRAS)
    own = [pair for pair in extras if _of_an_adapter(pair, document.content)]
    if not extras:
        return _first(document, entry)
    if not own:
        return [_above(document, extras[0], entry)]
    last = own[-1]
    key = document.text[last.start : last.name] + entry.extra
    if last.inline:
        return [Insertion(last.end, f", {key} = {_array(entry)}")]
    blanks = indentation(document.text, last.start)
    several_lines = document.array(last).multiline
    line = f"{key} = {_array(entry, several_lines=several_lines)}\n"
    return [after_line(document.text, last.end, indent(line, blanks))]


def _of_an_adapter(pair: Pair, document: dict[str, Any]) -> bool:
    """Not one with the tools of a developer, nor one made of the others."""
    distribution = canonicalize_name(document["project"].get("name", ""))
    names = {requirements.name(one) for one in _at(document, pair.path)}
    return not (
        _NO_ADAPTER.match(canonicalize_name(pair.path[-1]))
        or names & {*_TOOLS, distribution}
    )


def _above(document: Document, pair: Pair, entry: Entry) -> Insertion:
    """The extra before `pair`, the first one."""
    line = f"{document.text[pair.start : pair.name]}{entry.extra} = {_array(entry)}"
    if pair.inline:
        return Insertion(pair.start, f"{line}, ")
    blanks = indentation(document.text, pair.start)
    return Insertion(line_start(document.text, pair.start), f"{blanks}{line}\n")


def _first(document: Document, entry: Entry) -> list[Insertion]:
    """The extra where there is none: in its table, or in one behind `[project]`."""
    line = f"{entry.extra} = {_array(entry)}"
    for header in document.headers:
        if header.path == _EXTRAS:
            return [after_line(document.text, header.end, f"{line}\n")]
    own = document.below(("project",))
    for pair in own:
        if pair.inline:
            raise UnknownShape("project is an inline table")
        if pair.path == _EXTRAS:
            return [Insertion(pair.value + 1, f" {line} ")]
    if not own:
        raise UnknownShape("no [project], so that it can have no extras")
    last = own[-1]
    if last.name != last.start:
        key = document.text[last.start : last.name]
        return [after_line(document.text, last.end, f"{key}{_EXTRAS[1]}.{line}\n")]
    table = f"\n[{'.'.join(_EXTRAS)}]\n{line}\n"
    return [after_line(document.text, last.end, table)]


def _dev(document: Document) -> tuple[Pair | None, list[Any]]:
    """The extra or the group `dev`, and what it lists."""
    for pair in [*document.below(_EXTRAS), *document.below(_GROUPS)]:
        if canonicalize_name(pair.path[-1]) == "dev":
            return pair, _at(document.content, pair.path)
    return None, []


def _for_testing(
    document: Document, dev: Pair, extra: str, wanted: list[str]
) -> list[Insertion]:
    """`wanted` behind the adapters' requirements in `dev`, else at its end."""
    text, array = document.text, document.array(dev)
    comment = f"# Include {extra} for testing"
    quoted = [json.dumps(one) for one in wanted]
    if not array.multiline:
        return array.append(*quoted)
    comments = list(_FOR_TESTING.finditer(text, dev.value, dev.end))
    run = _run(document, dev, comments[-1].end()) if comments else None
    if run is None or not re.search(r"[\r\n]", text[run : array.close]):
        return array.append(f"{comment}\n{quoted[0]}", *quoted[1:])
    blanks = indentation(text, comments[-1].end())
    lines = [comment, *(f"{one}," for one in quoted)]
    added = after_line(text, run, "".join(f"{blanks}{line}\n" for line in lines))
    if array.comma or run < array.last:
        return [added]
    return [Insertion(run, ","), added]


def _run(document: Document, dev: Pair, at: int) -> int | None:
    """Where the last of the elements ends that stand line by line below `at`."""
    last = None
    for start, end in document.elements[dev.value]:
        if start > at:
            if document.text.count("\n", at, start) > 1:
                break
            last = at = end
    return last


def _array(entry: Entry, *, several_lines: bool = False) -> str:
    """The extra's requirements, on one line where they fit and it is wanted so."""
    quoted = [json.dumps(requirement) for requirement in entry.requirements]
    line = f"[{', '.join(quoted)}]"
    if not several_lines and not wide(f"{entry.extra} = {line}"):
        return line
    return "[\n" + "".join(f"    {one},\n" for one in quoted) + "]"
