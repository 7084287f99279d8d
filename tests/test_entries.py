"""Entries come, change and go in any order, and files are as if nothing else had been."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from band_new_adapter.entries import Entries
from band_new_adapter.register.entry import Entry
from tests.registering import entry
from tests.test_register_suites import HOSTS

PROJECT = PurePosixPath("pyproject.toml")
README = PurePosixPath("README.md")
ADAPTERS = PurePosixPath("src/band/adapters/__init__.py")
TABLES = PurePosixPath("tests/tables.py")

HEAD = '[project]\nname = "band"\n'
TABLE = "[project.optional-dependencies]\n"
LAZY = "from band.exports import lazy_exports\n\n__all__, __getattr__ = lazy_exports"
IDS = "RELAYING_FRAMEWORK_IDS", "IMAGE_PASSTHROUGH_SUPPORTED_FRAMEWORK_IDS"
ROWS = (
    "| Integration | Install Extra | Adapter |\n| --- | --- | --- |\n\n"
    "| Adapter | `TOOL_CALLS` |\n| --- | --- |\n| Zeta | Yes |\n\nThe end.\n"
)
SHAPES: dict[PurePosixPath, tuple[str, ...]] = {
    PROJECT: (
        HEAD,
        f'{HEAD}{TABLE}dev = ["pytest"]\n',
        f'{HEAD}{TABLE}dev = [\n    "pytest"\n]\n',
        f'{HEAD}optional-dependencies = {{ one = ["x"] }}\n',
    ),
    ADAPTERS: (
        f"{LAZY}(__name__)\n",
        f'{LAZY}(\n    __name__,\n    zeta=["ZetaAdapter"]\n)\n',
        f"{LAZY}(\r\n    __name__,\r\n)\r\n",
    ),
    TABLES: (
        "".join(f'{name} = {{"a", "b"}}\n' for name in IDS),
        "".join(f'{name} = {{\n    "a",\n    "b"\n}}\n' for name in IDS),
    ),
    README: (ROWS, "No table.\n"),
}
NAMES = ("acme", "acme_two", "my_acme")


def named(name: str, **changes: object) -> Entry:
    prefix = "".join(part.title() for part in name.split("_"))
    values = {"module": name, "prefix": prefix, "title": prefix, "extra": name}
    return entry(**values, **changes)


def host(*shapes: str) -> Entries:
    """A host with these files and no adapters."""
    wanted = {name: named(name) for name in NAMES}
    return Entries(dict(zip(SHAPES, shapes, strict=True)), {}, wanted)


def having(entries: Entries, *names: str) -> Entries:
    for name in names:
        entries, _ = entries.with_entry(named(name))
    return entries


PLAIN = host(*(shapes[0] for shapes in SHAPES.values()))


@settings(deadline=None)
@given(
    st.tuples(*map(st.sampled_from, SHAPES.values())),
    st.lists(st.sampled_from(NAMES), max_size=6),
)
def test_files_are_as_if_what_was_taken_out_had_never_been(
    shapes: tuple[str, ...], steps: list[str]
) -> None:
    empty = now = host(*shapes)
    there: list[str] = []
    for name in steps:
        if name in there:
            now, lost = now.without(name)
            assert not any(lost.values())
            there.remove(name)
        else:
            now = having(now, name)
            there.append(name)
        assert now.texts == having(empty, *there).texts
    for name in there:
        now, _ = now.without(name)
    assert now.texts == empty.texts
    assert not any(record.registered for record in now.records.values())


def test_other_entries_go_in_where_the_old_ones_were() -> None:
    two = having(PLAIN, "acme", "acme_two")
    new = named("acme", emit=())
    after, _ = two.without("acme", new)
    assert after.texts == having(PLAIN.with_entry(new)[0], "acme_two").texts
    assert after.without("acme")[0].texts == having(PLAIN, "acme_two").texts


def edited(entries: Entries, path: PurePosixPath, old: str, new: str) -> Entries:
    """As it is after a person changed a file."""
    assert entries.texts[path].count(old) == 1
    texts = {**entries.texts, path: entries.texts[path].replace(old, new)}
    return replace(entries, texts=texts)


def test_what_a_person_wrote_between_two_runs_is_not_cut() -> None:
    theirs = edited(PLAIN, README, "The end.\n", "The end, and a line more.\n")
    theirs = edited(theirs, README, "| Integration", "A line of a person.\n\n| Integr")
    now = edited(having(PLAIN, "acme"), README, "| Acme | Yes |\n", "")
    now = edited(now, README, "The end.\n", "The end, and a line more.\n")
    now = edited(now, README, "| Integration", "A line of a person.\n\n| Integr")
    now = having(now, "acme")
    assert now.texts[README].count("| Acme | Yes |\n") == 1
    after, lost = now.without("acme")
    assert after.texts == theirs.texts
    assert not any(lost.values())


@pytest.mark.parametrize("path", SHAPES)
def test_an_attempt_that_died_after_its_record_is_finished(path: PurePosixPath) -> None:
    whole = having(PLAIN, "acme")
    dead = replace(whole, texts={**whole.texts, path: PLAIN.texts[path]})
    finished = having(dead, "acme")
    assert finished.texts == whole.texts
    assert finished.without("acme")[0].texts == PLAIN.texts


def test_what_two_share_is_not_taken_from_the_other() -> None:
    shape = SHAPES[PROJECT][2]
    start = replace(PLAIN, texts={**PLAIN.texts, PROJECT: shape})
    two = having(start, "acme", "acme_two")
    assert two.texts[PROJECT].count("openai>=2") == 3
    for now in (two, edited(two, PROJECT, HEAD, f"# A person's.\n{HEAD}")):
        after, _ = now.without("acme")
        assert "Include acme_two for testing" in after.texts[PROJECT]
        assert after.texts[PROJECT].count("openai>=2") == 2
        last, lost = after.without("acme_two")
        assert "openai" not in last.texts[PROJECT]
        assert not any(lost.values())


def test_an_entry_that_somebody_changed_stays_theirs_and_recorded() -> None:
    mine = edited(
        having(PLAIN, "acme"), ADAPTERS, '["AcmeAdapter",', '["X", "AcmeAdapter",'
    )
    after, lost = mine.without("acme", named("acme", emit=()))
    assert [bool(lost[path]) for path in (ADAPTERS, README)] == [True, False]
    assert after.texts[ADAPTERS] == mine.texts[ADAPTERS]
    assert "| Acme | - |" in after.texts[README]
    last, lost = after.without("acme")
    assert last.texts == {**PLAIN.texts, ADAPTERS: mine.texts[ADAPTERS]}
    assert "AcmeAdapter" in "".join(lost[ADAPTERS])


def test_what_cannot_be_told_apart_is_not_put_in_anew() -> None:
    """Others whose entries would be written otherwise today stay as they are."""
    two = having(PLAIN, "acme", "acme_two")
    today = {**two.wanted, "acme_two": named("acme_two", requirements=("openai>=9",))}
    after, lost = replace(two, wanted=today).without("acme")
    assert 'acme_two = ["openai>=2,<4"]' in after.texts[PROJECT]
    assert "acme =" not in after.texts[PROJECT]
    assert not lost[PROJECT]


def test_git_may_bring_other_newlines() -> None:
    shape = SHAPES[ADAPTERS][1].replace("]\n", "],\n")
    start = replace(PLAIN, texts={**PLAIN.texts, ADAPTERS: shape})
    here = having(start, "acme")
    brought = {path: text.replace("\n", "\r\n") for path, text in here.texts.items()}
    after, lost = replace(here, texts=brought).without("acme")
    assert after.texts[ADAPTERS] == shape.replace("\n", "\r\n")
    assert after.texts[README] == ROWS.replace("\n", "\r\n")
    assert not any(lost.values())


def test_a_file_that_is_gone_is_no_matter() -> None:
    here = having(PLAIN, "acme")
    texts = {path: text for path, text in here.texts.items() if path != README}
    after, _ = replace(here, texts=texts).without("acme")
    assert after.texts == {p: t for p, t in PLAIN.texts.items() if p != README}


def test_what_would_break_a_file_is_left() -> None:
    other = "    from band.adapters.zeta import Zeta as Zeta\n"
    shape = f"if TYPE_CHECKING:\n{other}\n{LAZY}(__name__)\n"
    start = replace(PLAIN, texts={**PLAIN.texts, ADAPTERS: shape})
    mine = edited(having(start, "acme"), ADAPTERS, other, "")
    after, lost = mine.without("acme")
    assert after.texts[ADAPTERS] == mine.texts[ADAPTERS]
    assert len(lost[ADAPTERS]) == 3


def test_every_table_of_a_suite_is_as_it_was() -> None:
    suites = {
        PurePosixPath(f"tests/{i}.py"): t for i, (_, t) in enumerate(HOSTS.values())
    }
    empty = replace(PLAIN, texts={**PLAIN.texts, **suites})
    for names in itertools.permutations(NAMES):
        now = having(empty, *NAMES)
        for name in names:
            now, lost = now.without(name)
            assert not any(lost.values())
        assert now.texts == empty.texts


EDIT = st.tuples(st.sampled_from(list(SHAPES)), st.integers(0, 40))


@settings(deadline=None)
@given(
    st.tuples(*map(st.sampled_from, SHAPES.values())),
    st.lists(st.one_of(st.sampled_from(NAMES), EDIT), max_size=9),
)
def test_lines_of_a_person_stay_whatever_comes_and_goes(
    shapes: tuple[str, ...], steps: list[str | tuple[PurePosixPath, int]]
) -> None:
    now, there, theirs = host(*shapes), set(), "# A person's line.\n"
    written = dict.fromkeys(SHAPES, 0)
    for step in steps:
        if isinstance(step, str):
            now = now.without(step)[0] if step in there else having(now, step)
            there ^= {step}
        else:
            path, number = step
            lines = now.texts[path].splitlines(keepends=True)
            lines.insert(number, theirs)
            written[path] += 1
            now = replace(now, texts={**now.texts, path: "".join(lines)})
    for name in there:
        now, _ = now.without(name)
    assert {path: text.count(theirs) for path, text in now.texts.items()} == written
