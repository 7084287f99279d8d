"""What was put into a file is taken out again, exactly, or left and told."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from band_new_adapter.errors import NotAnAdapter
from band_new_adapter.record import Inserted, Record, digest

TEXT = 'a = 1\ntable(\n    x="y",\n)\n'
ENTRY = '    acme=["A"],\n'
AT = TEXT.index(")\n")
AFTER = TEXT[:AT] + ENTRY + TEXT[AT:]


def inserted(text: str, *parts: tuple[int, str]) -> tuple[str, Inserted]:
    """`text` with `parts` put in one after another, and the record of it."""
    texts = []
    for wanted, part in parts:
        at = min(wanted, len(text))
        over = text[at : len(text) - len(text[at:].lstrip(" "))]
        text = text[:at] + part + text[at + len(over) :]
        texts.append((at, part, over))
    return text, Inserted(digest(text.encode()), tuple(texts))


@given(st.text(), st.lists(st.tuples(st.integers(0, 50), st.text(min_size=1))))
def test_an_unchanged_file_becomes_what_it_was(
    text: str, wanted: list[tuple[int, str]]
) -> None:
    text = text.encode("utf-8", "ignore").decode()
    parts = []
    for at, part in wanted:
        part = part.encode("utf-8", "ignore").decode()
        parts.append((at, part))
    after, record = inserted(text, *parts)
    assert record.taken_out_of(after) == (text, ())


def test_a_file_that_others_changed_keeps_what_they_wrote() -> None:
    after, record = inserted(TEXT, (AT, ENTRY))
    changed = after.replace("a = 1", "a = 2").replace(")\n", '    zeta=["Z"],\n)\n')
    assert record.taken_out_of(changed) == (changed.replace(ENTRY, ""), ())


@pytest.mark.parametrize(
    "changed",
    [AFTER.replace('["A"]', '["A", "B"]'), AFTER + ENTRY],
    ids=["edited", "twice"],
)
def test_an_entry_that_is_not_found_once_stays_and_is_told(changed: str) -> None:
    _, record = inserted(TEXT, (AT, ENTRY))
    assert record.taken_out_of(changed) == (changed, (ENTRY,))


def test_a_separator_alone_is_left_to_what_came_behind_it() -> None:
    text = "t(\n    a,\n    b\n)\n"
    at = text.index("\n)")
    after, record = inserted(text, (at, ","), (at + 2, "    acme,\n"))
    assert after == "t(\n    a,\n    b,\n    acme,\n)\n"
    changed = after.replace("acme,\n", "acme,\n    zeta,\n")
    assert record.taken_out_of(changed)[0] == "t(\n    a,\n    b,\n    zeta,\n)\n"


def test_what_went_in_twice_is_taken_out_twice() -> None:
    twice = "one = {\n}\ntwo = {\n}\n"
    first, second = twice.index("}"), twice.rindex("}")
    item = '    "acme",\n'
    after, record = inserted(twice, (first, item), (second + len(item), item))
    assert after.count(item) == 2
    assert (
        record.taken_out_of("# A person's.\n" + after)[0] == "# A person's.\n" + twice
    )
    left = after.replace(item, "", 1)
    assert record.taken_out_of(left) == (left, (item, item))


@pytest.mark.parametrize(("entry", "place"), [("acme, ", "b,"), (", acme", ", b")])
def test_a_longer_name_is_another(entry: str, place: str) -> None:
    text = "from x import (a, my_acme, b, acme_two, c)\n"
    after, record = inserted(text, (text.index(place), entry))
    assert record.taken_out_of(f"{after}\n") == (f"{text}\n", ())
    assert record.taken_out_of(f"{text}\n") == (f"{text}\n", (entry,))


def test_nothing_is_cut_where_a_record_says_so_wrongly() -> None:
    after, record = inserted(TEXT, (AT, ENTRY))
    wrong = Inserted(record.hash, ((AT - 1, ENTRY, ""),))
    assert wrong.taken_out_of(after) == (after, (ENTRY,))


def test_a_record_survives_its_file() -> None:
    path = PurePosixPath("src/band/adapters/__init__.py")
    record = Record({path: "0" * 64}, {path: Inserted("1" * 64, ((3, "é\r\n", " "),))})
    assert Record.read(record.content(), path) == record


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"made": {}}',
        b'{"made": 1, "registered": {}}',
        b'{"made": {"/etc/passwd": ""}, "registered": {}}',
        b'{"made": {"src/../../x": ""}, "registered": {}}',
        b'<<<<<<< HEAD\n{"made": {}, "registered": {}}\n',
    ],
)
def test_what_is_no_record_is_refused(content: bytes) -> None:
    with pytest.raises(NotAnAdapter, match="is not a record"):
        Record.read(content, PurePosixPath(".band-adapters/acme.json"))
