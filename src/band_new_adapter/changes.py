"""What remove and update did to each file: on the screen, or as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from band_new_adapter.console import print_notes, print_verdict, screen, tell
from band_new_adapter.errors import BEHIND, CHECK_FAILED, CONFLICTS, GREEN
from band_new_adapter.merge import Conflict
from band_new_adapter.removal import Removal
from band_new_adapter.report import Updated, document_of
from band_new_adapter.updating import KINDS

_ENDS = {
    CONFLICTS: "Decide which side it is to be, remove markers and .rej files, commit, "
    "then run: band-adapter check",
    CHECK_FAILED: "A check failed. The update is kept to look at: git diff shows it.",
}
_STYLES = {"conflicted": "bold red", "kept": "yellow", "skipped": "yellow"}


def show_removal(
    adapter: str, owner: str, removal: Removal, *, done: bool, as_json: bool
) -> int:
    """Print what was removed, or would be, and what stays; return the exit code."""
    removed = [str(c.path) for c in removal.plan.changes if c.after is None]
    edited = [str(c.path) for c in removal.plan.changes if c.after is not None]
    values = {
        "status": "removed" if done else "planned",
        "exit": GREEN,
        "adapter": adapter,
        "folder": str(removal.plan.folder),
        "removed": removed,
        "edited": edited,
        "kept": [
            {"path": str(k.path), "why": k.why, "lines": k.lines} for k in removal.kept
        ],
    }

    def text() -> None:
        out = screen()
        verb = "Removed" if done else "Would remove"
        where = f" from {owner}" if owner else ""
        out.print(f"{verb} {adapter}{where}", style="bold")
        for word, paths in (("removed", removed), ("edited", edited)):
            for path in paths:
                out.print(f"  {word:8} {path}", soft_wrap=True)
        for item in removal.kept:
            line = f"  kept     {item.path}: {item.why}"
            out.print(line, style="yellow", soft_wrap=True)
            if item.lines:
                out.print(textwrap.indent(item.lines.strip("\n"), " " * 11))

    tell(values, text, as_json=as_json)
    return GREEN


def show_versions(adapters: Sequence[Updated], *, as_json: bool) -> int:
    """Print which of the adapters have a newer template; return the exit code."""
    late = any(one.before != one.after for one in adapters)
    code = BEHIND if late else GREEN
    values = {
        "status": "behind" if late else "current",
        "exit": code,
        "adapters": [document_of(one) for one in adapters],
    }

    def text() -> None:
        for one in adapters:
            said = f"{one.name} is of {one.before}"
            said += (
                ", the newest."
                if one.before == one.after
                else f", and {one.after} is the newest: band-adapter update brings it."
            )
            screen().print(said, soft_wrap=True)

    tell(values, text, as_json=as_json)
    return code


def show_updates(
    updated: Sequence[Updated], notes: Sequence[str], *, done: bool, as_json: bool
) -> int:
    """Print what was done, or would be; return the exit code: that of conflicts, or
    else of a failed check."""
    codes = {one.exit_code for one in updated}
    code = CONFLICTS if CONFLICTS in codes else max(codes, default=GREEN)
    ended = {CONFLICTS: "conflicted", CHECK_FAILED: "failed", GREEN: "updated"}
    values = {
        "status": ended[code] if done else "planned",
        "exit": code,
        "adapters": [document_of(one) for one in updated],
        "notes": [*notes],
    }

    def text() -> None:
        print_notes(notes, screen())
        for one in updated:
            _print_update(one, done=done)

    tell(values, text, as_json=as_json)
    return code


def _print_update(one: Updated, *, done: bool) -> None:
    out = screen()
    update = one.update
    if not update or not update.plan.changes:
        title = f"{one.name} is of {one.after} already: nothing is to be changed."
    else:
        verb = "Updated" if done else "Would update"
        past = f"{one.before} to " if one.before != one.after else ""
        title = f"{verb} {one.name}, {past}{one.after}"
    out.print(title, style="bold", soft_wrap=True)
    if one.changelog:
        out.print(textwrap.indent(one.changelog, "  "), soft_wrap=True)
    outcomes = update.outcomes if update else ()
    for kind in dict.fromkeys(outcome.kind for outcome in outcomes):
        out.print(f"\n{kind}: {KINDS[kind]}", style=_STYLES.get(kind, "green"))
        for outcome in (o for o in outcomes if o.kind == kind):
            lines = ", ".join(map(_lines, outcome.conflicts))
            note = f" ({outcome.note})" if outcome.note else ""
            where = f", lines {lines}" if lines else ""
            out.print(f"  {outcome.path}{where}{note}", soft_wrap=True)
    if one.verdict:
        print_verdict(one.verdict, out)
    if done and (end := _ENDS.get(one.exit_code)):
        out.print(f"\n{end}", style="bold red")


def _lines(conflict: Conflict) -> str:
    first, last = conflict.first, conflict.last
    return f"{first}-{last}" if first < last else str(first)
