"""Two changes of one text become one, unless they are about the same line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from band_new_adapter.merge import MARKERS, Merged, has_markers, merge

BASE = b"one\ntwo\nthree\nfour\nfive\n"
TEXT = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=12).map(
    b"".join
)


@given(TEXT, TEXT)
def test_a_change_of_one_side_is_made(base: bytes, changed: bytes) -> None:
    assert merge(base, changed, base).content == changed
    assert merge(base, base, changed).content == changed
    assert merge(base, changed, changed).content == changed
    for merged in (merge(base, changed, base), merge(base, changed, changed)):
        assert not merged.conflicts


@given(TEXT, TEXT, TEXT)
def test_no_line_of_ours_is_ever_lost(base: bytes, ours: bytes, theirs: bytes) -> None:
    merged = merge(base, ours, theirs)
    kept = merged.content.split(b"\n")
    added = set(ours.split(b"\n")) - set(base.split(b"\n"))
    assert added <= set(kept)
    alone = merge(base, ours, theirs, markers=False)
    assert added <= set(alone.content.split(b"\n"))
    assert len(alone.conflicts) == len(merged.conflicts)


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        pytest.param(
            b"ONE\ntwo\nthree\nfour\nfive\n",
            b"one\ntwo\nthree\nfour\nFIVE\n",
            b"ONE\ntwo\nthree\nfour\nFIVE\n",
            id="far apart",
        ),
        pytest.param(
            b"one\nTWO\nthree\nfour\nfive\n",
            b"one\ntwo\nTHREE\nfour\nfive\n",
            b"one\nTWO\nTHREE\nfour\nfive\n",
            id="side by side",
        ),
        pytest.param(
            b"one\ntwo\nmine\nthree\nfour\nfive\n",
            b"one\ntwo\nTHREE\nfour\nfive\n",
            b"one\ntwo\nmine\nTHREE\nfour\nfive\n",
            id="inserted before what is changed",
        ),
        pytest.param(
            b"one\ntwo\nmine\nthree\nfour\nfive\n",
            b"one\nTWO\nthree\nfour\nfive\n",
            b"one\nTWO\nmine\nthree\nfour\nfive\n",
            id="inserted after what is changed",
        ),
        pytest.param(
            BASE + b"mine\n",
            b"one\ntwo\nthree\nfour\nFIVE\n",
            b"one\ntwo\nthree\nfour\nFIVE\nmine\n",
            id="added at the end",
        ),
        pytest.param(
            b"one\nthree\nfour\nfive\n",
            b"one\ntwo\nTHREE\nfour\nfive\n",
            b"one\nTHREE\nfour\nfive\n",
            id="removed beside what is changed",
        ),
        pytest.param(
            b"ONE\nTWO\nTHREE\nfour\nfive\n",
            b"one\nTWO\nthree\nfour\nfive\n",
            b"ONE\nTWO\nTHREE\nfour\nfive\n",
            id="the same within more",
        ),
    ],
)
def test_changes_of_different_lines_are_both_made(
    ours: bytes, theirs: bytes, both: bytes
) -> None:
    merged = merge(BASE, ours, theirs)
    assert (merged.content, merged.conflicts) == (both, ())


def test_changes_of_one_line_stand_side_by_side() -> None:
    ours, theirs = BASE.replace(b"three", b"mine"), BASE.replace(b"three", b"theirs")
    merged = merge(BASE, ours, theirs)
    before, between, after = (mark + b"\n" for mark in MARKERS)
    assert merged.content == (
        b"one\ntwo\n"
        + before
        + b"mine\n"
        + between
        + b"theirs\n"
        + after
        + b"four\nfive\n"
    )
    (conflict,) = merged.conflicts
    assert (conflict.first, conflict.last, conflict.line) == (3, 7, 3)
    assert has_markers(merged.content)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (b"one\nthree\nfour\nfive\n", b"one\nTWO\nthree\nfour\nfive\n"),
        (BASE + b"mine\n", BASE + b"theirs\n"),
        (b"mine\n", b"one\nTWO\nthree\nfour\nFIVE\n"),
        (b"mine\n", b""),
    ],
    ids=["removed and changed", "both at the end", "all and some", "all and nothing"],
)
def test_what_meets_is_a_conflict_with_both_sides(ours: bytes, theirs: bytes) -> None:
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts
    for side in (ours, theirs):
        for line in set(side.splitlines()) - set(BASE.splitlines()):
            assert line in merged.content.splitlines()


def test_ours_alone_and_a_patch_of_theirs() -> None:
    ours, theirs = BASE.replace(b"three", b"mine"), BASE.replace(b"three", b"theirs")
    merged = merge(BASE, ours, theirs, markers=False)
    assert merged.content == ours
    assert merged.rejected("x.py") == (
        b"--- x.py\n+++ x.py\n@@ -3,1 +3,1 @@\n-three\n+theirs\n"
    )


def test_newlines_are_those_of_ours() -> None:
    ours = BASE.replace(b"\n", b"\r\n").replace(b"one", b"mine")
    merged = merge(BASE, ours, BASE.replace(b"five", b"FIVE"))
    assert merged.content == b"mine\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n"
    clash = merge(BASE, ours, BASE.replace(b"one", b"ONE")).content
    assert clash.count(b"\r\n") == clash.count(b"\n")


ENDED = st.lists(
    st.tuples(
        st.sampled_from([b"a", b"b", b"", b"c"]), st.sampled_from([b"\n", b"\r\n"])
    ),
    max_size=8,
).map(lambda lines: b"".join(text + end for text, end in lines))


@given(ENDED, TEXT)
def test_how_lines_end_is_no_change(ours: bytes, theirs: bytes) -> None:
    base = ours.replace(b"\r\n", b"\n")
    assert merge(base, ours, base) == Merged(ours)
    merged = merge(base, ours, theirs)
    assert not merged.conflicts
    assert merged.content.replace(b"\r\n", b"\n") == theirs


@given(ENDED, TEXT, TEXT)
def test_odd_ends_make_no_conflict(ours: bytes, base: bytes, theirs: bytes) -> None:
    plain = merge(base, ours.replace(b"\r\n", b"\n"), theirs)
    merged = merge(base, ours, theirs)
    assert merged.conflicts == plain.conflicts
    assert merged.content.replace(b"\r\n", b"\n") == plain.content.replace(
        b"\r\n", b"\n"
    )


@given(TEXT, TEXT, TEXT)
def test_between_the_markers_are_both_sides(
    base: bytes, ours: bytes, theirs: bytes
) -> None:
    merged, swapped = merge(base, ours, theirs), merge(base, theirs, ours)
    sides: tuple[list[bytes], list[bytes]] = ([], [])
    lines, at = merged.content.splitlines(keepends=True), 0
    for one in merged.conflicts:
        found = lines[one.first - 1 : one.last]
        between = found.index(MARKERS[1] + b"\n")
        for side, part in zip(
            sides, (found[1:between], found[between + 1 : -1]), strict=True
        ):
            side += [*lines[at : one.first - 1], *part]
        at = one.last
    mine, other = (b"".join([*side, *lines[at:]]) for side in sides)
    assert mine == merge(base, ours, theirs, markers=False).content
    assert other == merge(base, theirs, ours, markers=False).content
    assert len(swapped.conflicts) == len(merged.conflicts)


def test_any_byte_survives() -> None:
    odd = bytes(range(256)) + b"\n"
    ours = BASE.replace(b"one\n", odd)
    assert odd in merge(BASE, ours, BASE.replace(b"five", b"FIVE")).content


def test_a_last_line_without_an_end() -> None:
    merged = merge(b"a\nb", b"a\nb\nmine", b"A\nb")
    assert merged.content == b"A\nb\nmine"
    clash = merge(b"a", b"mine", b"theirs")
    assert clash.content.splitlines()[1::2] == [b"mine", b"theirs"]
    assert merge(b"a", b"a\r\nmine", b"b").content.endswith(
        b"mine\r\n=======\r\nb\r\n>>>>>>> after updating\r\n"
    )


@pytest.mark.parametrize(
    "text", [b"=======\n", b"a\n=======\nb\n>>>>>>> x\n", b"Title\n=======\n"]
)
def test_a_line_alone_is_no_marker(text: bytes) -> None:
    assert not has_markers(text)
