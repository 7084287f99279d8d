"""README's tables: which adapters there are, and what each of them reports."""

from __future__ import annotations

import re
from collections.abc import Mapping

from band_new_adapter.catalog import EMIT
from band_new_adapter.errors import UnknownShape
from band_new_adapter.register.edit import Edit, after_line
from band_new_adapter.register.entry import Entry

SUPPORTED = re.compile(r"^\|.*\| *Install Extra *\|(.*\|)? *Adapter *\|", re.MULTILINE)
REPORTED = re.compile(r"^\| *Adapter *\|.*`TOOL_CALLS`.*\|", re.MULTILINE)


def supported(text: str, entry: Entry) -> Edit:
    """The adapter in the first table that names the extra of each."""
    return _row(text, SUPPORTED, _supported(entry), f"`{entry.adapters[0]}`")


def supported_lines(entry: Entry) -> str:
    return "| " + " | ".join(_supported(entry).values()) + " |"


def reported(text: str, entry: Entry) -> Edit:
    """The adapter in the table of what each one emits."""
    return _row(text, REPORTED, _reported(entry), entry.title)


def reported_lines(entry: Entry) -> str:
    return "| " + " | ".join(_reported(entry).values()) + " |"


def _supported(entry: Entry) -> Mapping[str, str]:
    extra = f"`{entry.extra}`" if entry.requirements else "-"
    adapter = f"`{entry.adapters[0]}`"
    return {"Integration": entry.title, "Install Extra": extra, "Adapter": adapter}


def _reported(entry: Entry) -> Mapping[str, str]:
    kinds = {f"`{kind.upper()}`": "Yes" if kind in entry.emit else "-" for kind in EMIT}
    return {"Adapter": entry.title, **kinds}


def _row(
    text: str, header: re.Pattern[str], cells: Mapping[str, str], known: str
) -> Edit:
    """A row of `cells`, by the names of their columns, as the last of the table."""
    found = header.search(text)
    if not found:
        raise UnknownShape("the table is not there")
    rows = re.compile(r"(?:\|[^\r\n]*(?:\r\n|\n|\Z))+").match(text, found.start())
    lines = rows[0].splitlines() if rows else []
    if any(known in _parts(line) for line in lines):
        return Edit()
    columns = _cells(lines[0])
    # Some tables are drawn in columns, and some are not.
    drawn = len(_cells(lines[-1])[0]) == len(columns[0])
    written = [
        cells.get(column.strip(), "").ljust(len(column) - 2 if drawn else 0)
        for column in columns
    ]
    row = "".join(f"| {cell} " if cell else "| " for cell in written)
    last = rows.end() - 1 if rows else len(text)
    return Edit.of(text, [after_line(text, last, f"{row}|\n")])


def _cells(line: str) -> list[str]:
    return line.strip().strip("|").split("|")


def _parts(line: str) -> list[str]:
    """What a row says, one by one where a cell lists several."""
    return [part.strip() for cell in _cells(line) for part in cell.split(",")]
