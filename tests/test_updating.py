"""What becomes of each file, from three trees."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter.updating import KINDS, Update, plan_update

LONG = b"".join(b"line %d\n" % number for number in range(20))
FOLDER = Path("/adapter")


def files(**texts: bytes) -> dict[PurePosixPath, bytes]:
    """Texts by path, with `__` for a dot."""
    return {
        PurePosixPath(name.replace("__", ".")): text for name, text in texts.items()
    }


def update(base: dict, theirs: dict, ours: dict, **options: bool) -> Update:
    return plan_update(FOLDER, base, theirs, ours, **options)


def after(made: Update, ours: dict) -> dict[PurePosixPath, bytes]:
    """The tree with the changes of `made`."""
    tree = dict(ours)
    for change in made.plan.changes:
        assert tree.get(change.path) == change.before
        if change.after is None:
            del tree[change.path]
        else:
            tree[change.path] = change.after
    return tree


def kinds(made: Update) -> dict[str, str]:
    return {str(one.path): one.kind for one in made.outcomes}


ONE, TWO, MINE = files(a=b"one\n"), files(a=b"two\n"), files(a=b"mine\n")


@pytest.mark.parametrize(
    ("base", "theirs", "ours", "end", "kind"),
    [
        pytest.param(ONE, TWO, ONE, TWO, {"a": "updated"}, id="nobody touched it"),
        pytest.param(ONE, ONE, ONE, ONE, {}, id="nothing changed"),
        pytest.param(ONE, ONE, MINE, MINE, {"a": "kept"}, id="only its author did"),
        pytest.param(ONE, TWO, TWO, TWO, {}, id="both did the same"),
        pytest.param({}, ONE, {}, ONE, {"a": "added"}, id="new"),
        pytest.param({}, ONE, ONE, ONE, {}, id="new, and there already"),
        pytest.param(ONE, {}, ONE, {}, {"a": "removed"}, id="gone"),
        pytest.param(ONE, {}, MINE, MINE, {"a": "kept"}, id="gone, but changed"),
        pytest.param(ONE, {}, {}, {}, {}, id="gone on both sides"),
        pytest.param(ONE, TWO, {}, {}, {"a": "skipped"}, id="deleted, and changed"),
        pytest.param(ONE, ONE, {}, {}, {"a": "skipped"}, id="deleted"),
    ],
)
def test_what_becomes_of_a_file(
    base: dict, theirs: dict, ours: dict, end: dict, kind: dict
) -> None:
    made = update(base, theirs, ours)
    assert after(made, ours) == end
    assert kinds(made) == kind


def test_changes_apart_are_merged() -> None:
    base, theirs = files(a=LONG), files(a=LONG.replace(b"line 3\n", b"theirs\n"))
    ours = files(a=LONG + b"mine\n")
    made = update(base, theirs, ours)
    assert kinds(made) == {"a": "merged"}
    assert after(made, ours) == files(a=theirs[PurePosixPath("a")] + b"mine\n")


def test_a_conflict_names_its_lines() -> None:
    made = update(ONE, TWO, MINE)
    (one,) = made.conflicted
    assert [(c.first, c.last) for c in one.conflicts] == [(1, 5)]
    text = after(made, MINE)[PurePosixPath("a")]
    assert b"mine" in text and b"two" in text


def test_a_conflict_may_stand_beside_the_file() -> None:
    made = update(ONE, TWO, MINE, inline=False)
    tree = after(made, MINE)
    assert tree[PurePosixPath("a")] == b"mine\n"
    assert b"+two" in tree[PurePosixPath("a.rej")]
    assert kinds(made) == {"a": "conflicted"}


def test_a_moved_file_takes_edits_along() -> None:
    base, theirs = files(old__py=LONG), files(new__py=LONG + b"theirs\n")
    for ours, kind in ((base, "moved"), (files(old__py=b"mine\n" + LONG), "merged")):
        made = update(base, theirs, ours)
        assert kinds(made) == {"new.py": kind}
        (text,) = after(made, ours).values()
        assert text == ours[PurePosixPath("old.py")] + b"theirs\n"


def test_a_moved_file_that_was_deleted_stays_deleted() -> None:
    made = update(files(old__py=LONG), files(new__py=LONG), {})
    assert after(made, {}) == {}
    assert kinds(made) == {"old.py": "skipped"}


def test_a_file_that_its_author_renamed_is_found() -> None:
    base = files(old__py=LONG)
    theirs = files(old__py=LONG.replace(b"line 3\n", b"theirs\n"))
    ours = files(own__py=LONG + b"mine\n")
    made = update(base, theirs, ours)
    assert kinds(made) == {"own.py": "merged"}
    text = after(made, ours)[PurePosixPath("own.py")]
    assert b"theirs" in text and b"mine" in text
    (kept,) = update(base, base, ours).outcomes
    assert (kept.kind, kept.note) == ("kept", "was old.py")


def test_files_that_are_alike_are_each_found_once() -> None:
    other = LONG.replace(b"line 1\n", b"")
    base = files(a__py=LONG, b__py=other)
    theirs = {path: text + b"theirs\n" for path, text in base.items()}
    ours = files(x__py=other, y__py=LONG)
    made = update(base, theirs, ours)
    assert kinds(made) == {"x.py": "updated", "y.py": "updated"}
    assert [one.note for one in made.outcomes] == ["was b.py", "was a.py"]
    one_left = update(base, theirs, files(x__py=other))
    assert kinds(one_left) == {"x.py": "updated", "a.py": "skipped"}


def test_a_file_that_moves_says_where_it_was() -> None:
    made = update(files(old__py=LONG), files(new__py=LONG), files(old__py=LONG))
    came = {str(change.path): change.was for change in made.plan.changes}
    assert came == {"new.py": PurePosixPath("old.py"), "old.py": None}


def test_where_the_template_moves_to_a_place_that_is_taken_both_stay() -> None:
    base, theirs = files(old__py=LONG), files(new__py=LONG)
    ours = files(old__py=LONG, new__py=b"mine\n")
    made = update(base, theirs, ours)
    assert after(made, ours) == ours
    assert kinds(made) == {"old.py": "kept"}


def test_what_moved_already_goes_where_it_was() -> None:
    base, theirs = files(old__py=LONG), files(new__py=LONG)
    made = update(base, theirs, base | theirs)
    assert kinds(made) == {"old.py": "removed"}
    assert after(made, base | theirs) == theirs


def test_a_new_file_of_a_name_that_is_taken_is_a_conflict() -> None:
    made = update({}, TWO, MINE)
    assert kinds(made) == {"a": "conflicted"}
    assert b"mine" in after(made, MINE)[PurePosixPath("a")]


def test_what_is_not_text_is_not_merged() -> None:
    base, theirs, ours = (files(a=b"\0" + text) for text in (b"1", b"2", b"3"))
    assert kinds(update(base, theirs, ours)) == {"a": "kept"}
    assert kinds(update(base, theirs, base)) == {"a": "updated"}


def test_a_checkout_with_other_newlines_is_untouched() -> None:
    base, theirs = files(a=LONG, b=LONG), files(a=LONG + b"theirs\n", b=LONG)
    ours = {path: text.replace(b"\n", b"\r\n") for path, text in base.items()}
    made = update(base, theirs, ours)
    assert kinds(made) == {"a": "updated"}
    assert after(made, ours)[PurePosixPath("a")].endswith(b"line 19\r\ntheirs\r\n")


def test_files_of_the_author_alone_are_nobodys_business() -> None:
    assert update({}, {}, MINE) == Update(update({}, {}, {}).plan, ())


def test_outcomes_are_told_in_one_order() -> None:
    ours = files(a=b"one\n", b=b"one\n", c=b"mine\n")
    made = update(
        files(a=b"one\n", b=b"one\n", c=b"one\n"), files(b=b"2\n", c=b"2\n"), ours
    )
    told = [one.kind for one in made.outcomes]
    assert (
        told
        == sorted(told, key=list(KINDS).index)
        == ["updated", "removed", "conflicted"]
    )
