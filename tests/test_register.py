from __future__ import annotations

import time
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from band_new_adapter.errors import NameTaken, UnknownShape
from band_new_adapter.register import exports, project, registrations
from band_new_adapter.register.edit import decode
from band_new_adapter.register.places import PLACES, Place
from band_new_adapter.register.readme import reported, supported
from tests.registering import ACME, LONGEST, Registrar, edited, entry, text
from tests.test_register_exports import HOST as ADAPTERS
from tests.test_register_exports import installed
from tests.test_register_project import HOST as PROJECT
from tests.test_register_suites import HOSTS as SUITES
from tests.test_register_suites import IMAGES, PENDING, RELAYING, TURNS

SUPPORTED = text(
    """
    | Integration  | Install Extra | Adapter        | Guide | Example |
    | ------------ | ------------- | -------------- | ----- | ------- |
    | Zeta         | `zeta`        | `ZetaAdapter`  | [docs](z.md) | |

    Others:

    | Integration | Install Extra | Adapter |
    | ----------- | ------------- | ------- |
    """
)
EMITTED = text(
    """
    | Adapter | `TOOL_CALLS` | `THOUGHTS` | `TASK_EVENTS` | `USAGE` | `NEW` |
    | ------- | ----------- | ---------- | ------------- | ------- |
    | Zeta | Yes | - | - | Yes |
    """
)
CONVERTERS = ADAPTERS.replace("dapter", "onverter")
HOST = {
    PurePosixPath(path): host
    for path, host in {
        "pyproject.toml": PROJECT,
        "README.md": f"{SUPPORTED}\n{EMITTED}",
        "src/band/adapters/__init__.py": ADAPTERS,
        "src/band/converters/__init__.py": CONVERTERS,
        "src/other/adapters/__init__.py": ADAPTERS,
        "tests/anywhere/turns.py": TURNS + RELAYING,
        "tests/ids.py": IMAGES + PENDING,
        "docs/adapters.md": SUPPORTED,
        "tests/test_lists.py": "x = 'IMAGE_PASSTHROUGH_PROBES = {}'\n",
    }.items()
}


def test_registers_in_every_place_that_the_host_has() -> None:
    found = registrations(HOST, ACME)
    changed = found.apply(HOST)
    unchanged = {
        "src/other/adapters/__init__.py",
        "docs/adapters.md",
        "tests/test_lists.py",
    }
    assert {str(path) for path in HOST.keys() - changed.keys()} == unchanged
    assert changed[PurePosixPath("tests/anywhere/turns.py")].count("acme") == 3
    places = {one.place for one in found.made}
    assert places.isdisjoint(found.absent)
    listing = {place.name for place in PLACES if place.lists(ACME)}
    assert places | {*found.absent} == listing
    assert not found.left


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ({}, {"extra", "image matrix", "image probes"}),
        ({"requirements": ()}, {"image matrix", "image probes"}),
        ({"capabilities": ()}, {"extra", "adapters without files"}),
    ],
    ids=["all", "no extra", "no files"],
)
def test_a_place_counts_only_for_what_it_lists(
    changes: dict[str, tuple[str, ...]], places: set[str]
) -> None:
    found = registrations(HOST, entry(**changes))
    told = {one.place for one in found.made} | {*found.absent}
    every = {"extra", "image matrix", "image probes", "adapters without files"}
    assert told & every == places


def test_what_a_person_made_of_an_entry_is_left() -> None:
    path = PurePosixPath("pyproject.toml")
    extra = "[project.optional-dependencies]\nacme = ['openai>=2.5']\n"
    host = {path: f'[project]\nname = "band"\n{extra}'}
    with pytest.raises(NameTaken, match="an extra acme exists, and asks for openai"):
        registrations(host, ACME)
    (left,) = registrations(host, ACME, recorded=[path]).left
    assert (left.path, left.place) == (path, "extra")


def test_what_only_the_host_can_make_is_left_to_a_person() -> None:
    path = PurePosixPath("tests/e2e/expected-cells.json")
    (left,) = registrations({path: "{}"}, ACME).left
    assert left.path == path
    assert left.lines.startswith("$ python -m tests.e2e.")
    (made,) = registrations({path: '{"adapter": "acme"}'}, ACME).made
    assert not made.edit


@pytest.mark.parametrize(("extra", "there"), [("acme", False), ("ac_me", True)])
def test_the_lock_is_left_to_uv(extra: str, there: bool) -> None:
    path = PurePosixPath("uv.lock")
    text = "[package.optional-dependencies]\nac-me = [\n]\nacme-two = [\n]\n"
    found = registrations({path: text}, entry(extra=extra))
    assert [one.lines for one in found.left] == ([] if there else ["$ uv lock"])
    assert [one.path for one in found.made] == ([path] if there else [])


def test_registers_nothing_twice() -> None:
    changed = {**HOST, **registrations(HOST, ACME).apply(HOST)}
    again = registrations(changed, ACME)
    assert not again.apply(changed)
    assert not any(one.edit for one in again.made)


@pytest.mark.parametrize("path", HOST, ids=str)
def test_refuses_a_required_place_with_the_lines_to_add(path: PurePosixPath) -> None:
    host = {**HOST, path: HOST[path] + "\n(\n"}
    if path.suffix == ".md" or "other" in path.parts or path.name == "test_lists.py":
        assert registrations(host, ACME).made
        return
    with pytest.raises(UnknownShape, match=f"^{path}: not ") as refused:
        registrations(host, ACME)
    assert "acme" in refused.value.lines
    assert refused.value.lines in refused.value.remedy


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_every_place_has_lines_to_add(place: Place) -> None:
    lines = place.lines(ACME)
    assert "acme" in lines.lower() or lines.startswith(("$ python", "$ uv"))


def test_is_quick_on_the_sdk_and_its_suites() -> None:
    host = dict(HOST)
    for package in "adapters", "converters":
        host[PurePosixPath(f"src/band/{package}/__init__.py")] = installed(package)
    filler = "import os\n\n\nclass Adapter:\n    PROBES = {'a': 1}\n" * 400
    host |= {PurePosixPath(f"tests/test_{n}.py"): filler for n in range(600)}
    begin = time.process_time()
    registrations(host, LONGEST)
    assert time.process_time() - begin < 0.5


def test_the_text_of_a_file_comes_back_as_it_was() -> None:
    data = "\ufeffa\r\nb\tc\r\n".encode()
    assert decode(data).encode() == data
    with pytest.raises(UnknownShape, match="not UTF-8"):
        decode(b"# \xff\n")


REGISTRARS = {
    "exports": (exports.adapters, ADAPTERS),
    "project": (project.project, PROJECT),
    **SUITES,
}
JUNK = ["", "", "(", ")", "{", "}", ",", "#", '"', "'", ":", "**x", "\n", "\r\n", "\r"]


@given(
    st.sampled_from(sorted(REGISTRARS)),
    st.integers(0, 2000),
    st.integers(0, 20),
    st.sampled_from(JUNK),
)
@settings(deadline=None, max_examples=300)
def test_a_damaged_file_is_refused_or_edited_whole(
    name: str, start: int, length: int, junk: str
) -> None:
    registrar, host = REGISTRARS[name]
    damaged = host[:start] + junk + host[start + length :]
    try:
        edit = registrar(damaged, ACME)
    except UnknownShape:
        return
    assert not registrar(edit.apply(damaged), ACME)


ROWS: dict[str, tuple[Registrar, str, str]] = {
    "drawn in columns": (
        supported,
        SUPPORTED.partition("\n\n")[0],
        "| Acme         | `acme`        | `AcmeAdapter`  |       |         |",
    ),
    "not drawn": (reported, EMITTED.strip(), "| Acme | Yes | - | - | Yes | |"),
}


@pytest.mark.parametrize(("registrar", "table", "row"), ROWS.values(), ids=ROWS.keys())
@pytest.mark.parametrize("rest", ["", "\n", "\n\nmore\n", "\r\n\r\nmore"])
def test_a_row_is_the_last_of_its_table(
    registrar: Registrar, table: str, row: str, rest: str
) -> None:
    newline = "\r\n" if "\r" in rest else "\n"
    before = table.replace("\n", newline)
    assert edited(registrar, before + rest) == f"{before}{newline}{row}{rest}"


def test_the_first_table_gets_the_row() -> None:
    assert "`AcmeAdapter`" in edited(supported, SUPPORTED).partition("Others:")[0]


def test_a_row_is_known_by_its_adapter() -> None:
    host = SUPPORTED.replace("`ZetaAdapter`", "`ZetaAdapter`, `AcmeAdapter`")
    assert not supported(host, ACME)
    assert not reported(EMITTED.replace("Zeta", "Acme"), ACME)


def test_a_row_without_an_extra() -> None:
    assert "| -             |" in edited(supported, SUPPORTED, entry(requirements=()))


def test_a_table_that_is_not_there() -> None:
    with pytest.raises(UnknownShape):
        supported("# Adapters\n", ACME)
