from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter.errors import (
    FilesIgnored,
    GitUnfit,
    NotClean,
    NotInRepository,
    ToolError,
)
from band_new_adapter.repository import Repository
from tests.hosts import git, write

WHO = ("-c", "user.name=x", "-c", "user.email=x@band.invalid")
ADAPTER = "packages/acme"
GIT = shutil.which("git") or ""


def commit(folder: Path, message: str = "as it was") -> None:
    git(folder, "add", "--all")
    git(folder, *WHO, "commit", "--quiet", f"--message={message}")


def paths(*names: str) -> tuple[PurePosixPath, ...]:
    return tuple(map(PurePosixPath, names))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with an adapter in a folder of it, all committed."""
    folder = tmp_path / "mono repo"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    files = {"a.py": "a = 1\n", "b.py": "b = 1\n", ".gitignore": "*.log\n"}
    write(folder, {f"{ADAPTER}/{name}": text for name, text in files.items()})
    write(folder, {"elsewhere.py": ""})
    commit(folder)
    return folder


@pytest.fixture
def folder(top: Path) -> Path:
    return top / ADAPTER


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a program of this text in the place of git."""

    def put(text: str) -> None:
        program = tmp_path / "bin" / "git"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        monkeypatch.setenv("PATH", path)

    return put


def refused(folder: Path) -> tuple[str, str]:
    with pytest.raises(NotInRepository) as caught:
        Repository.around(folder)
    return caught.value.message, caught.value.remedy


# What is clean, and what is not


def test_a_committed_folder_is_clean(top: Path, folder: Path) -> None:
    repository = Repository.around(folder)
    assert repository == Repository(top.resolve(), folder.resolve())
    assert repository.dirt() == repository.unmerged() == ()
    assert repository.operation() == ""
    repository.require_clean()


def test_the_root_is_a_folder_like_any_other(top: Path) -> None:
    repository = Repository.around(top)
    write(top, {"new.py": ""})
    assert repository.top == repository.folder == top.resolve()
    assert repository.dirt() == paths("new.py")
    assert repository.ignored(paths(f"{ADAPTER}/x.log", "x.log")) == paths(
        f"{ADAPTER}/x.log"
    )


def test_every_kind_of_change_is_dirt(folder: Path) -> None:
    write(folder, {"c.py": "", "d.py": "d = 1\n" * 9})
    commit(folder)
    (folder / "a.py").write_text("a = 2\n")
    (folder / "b.py").unlink()
    (folder / "c.py").chmod(0o755)
    git(folder, "mv", "d.py", "renamed.py")
    write(folder, {"sub/new.py": "", "staged.py": "", "x.log": "", "meant.py": ""})
    git(folder, "add", "staged.py")
    git(folder, "add", "--intent-to-add", "meant.py")
    changed = ("a.py", "b.py", "c.py", "d.py")
    new = ("meant.py", "renamed.py", "staged.py", "sub/new.py")
    assert Repository.around(folder).dirt() == paths(*changed, *new)


def test_dirt_elsewhere_in_the_repository_does_not_count(
    top: Path, folder: Path
) -> None:
    beside = {"elsewhere.py": "x\n", "packages/acme2/new.py": ""}
    write(top, beside)
    Repository.around(folder).require_clean()


def test_dirt_can_be_asked_for_some_paths(folder: Path) -> None:
    write(folder, {"a.py": "", "b.py": "", "sub/new.py": "", "sub2/new.py": ""})
    repository = Repository.around(folder)
    assert repository.dirt(paths("a.py", "sub")) == paths("a.py", "sub/new.py")
    assert repository.dirt([]) == ()
    repository.require_clean(paths("c.py"))


def test_the_error_names_the_files(folder: Path) -> None:
    write(folder, {f"{number:02}.py": "" for number in range(12)})
    write(folder, {"a.py": ""})
    with pytest.raises(NotClean, match=r"not committed: 00\.py.*09\.py and 3 more\.$"):
        Repository.around(folder).require_clean()


def test_names_can_be_anything(folder: Path) -> None:
    names = [b" blank ", b"new\nline", b"caf\xc3\xa9", b"latin-\xe9", b'"', b"-v"]
    for name in [*names, b":!x", b":(top)x", b"[ab].py"]:
        (folder / os.fsdecode(name)).write_bytes(b"")
    found = tuple(sorted(map(PurePosixPath, os.listdir(folder))))
    (folder / ".gitignore").write_text("*\n")
    repository = Repository.around(folder)
    assert sorted(repository.ignored(found)) == list(found)
    (folder / ".gitignore").write_text("")
    assert set(repository.dirt()) == {*found, *paths(".gitignore")} - {
        *paths("a.py", "b.py")
    }
    with pytest.raises(NotClean) as caught:
        repository.require_clean()
    assert caught.value.message.isprintable()


def test_a_folder_can_have_any_name(top: Path) -> None:
    odd = top / os.fsdecode(b"new\nline \xe9")
    odd.mkdir()
    write(odd, {"a.py": ""})
    commit(top)
    (odd / "a.py").write_text("a = 2\n")
    assert Repository.around(odd).dirt() == paths("a.py")


# A conflict, and what is not ended


def diverged(top: Path) -> None:
    """Two branches that changed the same line; `main` is checked out."""
    for branch, text in (("theirs", "a = 2\n"), ("main", "a = 3\n")):
        git(top, "checkout", "--quiet", *(["-b"] if branch == "theirs" else []), branch)
        write(top, {f"{ADAPTER}/a.py": text})
        commit(top, branch)


def attempted(top: Path, *words: str) -> None:
    subprocess.run([GIT, *WHO, *words], cwd=top, check=False, capture_output=True)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("merge", ["merge", "theirs"]),
        ("rebase", ["rebase", "theirs"]),
        ("rebase", ["rebase", "--apply", "theirs"]),
        ("cherry-pick", ["cherry-pick", "theirs"]),
        ("revert", ["revert", "--no-edit", "HEAD~1"]),
    ],
)
def test_an_operation_that_stopped_at_a_conflict(
    top: Path, folder: Path, operation: str, words: list[str]
) -> None:
    diverged(top)
    if operation == "revert":
        write(top, {f"{ADAPTER}/a.py": "a = 4\n"})
        commit(top)
    attempted(top, *words)
    repository = Repository.around(folder)
    assert repository.operation() == operation
    assert repository.unmerged() == repository.dirt() == paths("a.py")
    with pytest.raises(NotClean, match=f"git {operation} is under way") as caught:
        repository.require_clean()
    assert f"`git {operation} --abort`" in caught.value.remedy
    git(top, operation, "--abort")
    repository.require_clean()


def test_a_pick_of_several_that_goes_on(top: Path, folder: Path) -> None:
    diverged(top)
    git(top, "checkout", "--quiet", "theirs")
    write(top, {f"{ADAPTER}/b.py": "b = 2\n"})
    commit(top)
    git(top, "checkout", "--quiet", "main")
    attempted(top, "cherry-pick", "theirs~1", "theirs")
    commit(top)
    repository = Repository.around(folder)
    assert repository.dirt() == ()
    assert repository.operation() == "cherry-pick"


def test_patches_that_were_not_all_applied(top: Path, folder: Path) -> None:
    diverged(top)
    patch = git(top, "format-patch", "--stdout", "main~1..theirs")
    (top.parent / "patch").write_text(patch)
    attempted(top, "am", "../patch")
    assert Repository.around(folder).operation() == "am"


def test_a_bisection(top: Path, folder: Path) -> None:
    git(top, "bisect", "start")
    repository = Repository.around(folder)
    with pytest.raises(NotClean, match="bisect") as caught:
        repository.require_clean()
    assert "`git bisect reset`" in caught.value.remedy
    git(top, "bisect", "reset")
    repository.require_clean()


def test_a_merge_in_another_worktree_does_not_count(top: Path, folder: Path) -> None:
    diverged(top)
    git(top, "worktree", "add", "--quiet", "--detach", "../other")
    attempted(top.parent / "other", "merge", "theirs")
    assert Repository.around(top.parent / "other" / ADAPTER).operation() == "merge"
    Repository.around(folder).require_clean()


def test_conflicts_that_are_left_without_an_operation(top: Path, folder: Path) -> None:
    diverged(top)
    attempted(top, "merge", "theirs")
    (top / ".git" / "MERGE_HEAD").unlink()
    (folder / "b.py").write_text("b = 2\n")
    repository = Repository.around(folder)
    assert repository.unmerged() == paths("a.py")
    assert repository.unmerged(paths("b.py")) == ()
    with pytest.raises(NotClean, match=r"nobody resolved: a\.py\.$"):
        repository.require_clean()


# What is ignored


def test_ignored_paths_need_not_exist(folder: Path) -> None:
    repository = Repository.around(folder)
    asked = paths("new.log", "sub/new.log", "new.py", "sub/new.py")
    assert repository.ignored(asked) == paths("new.log", "sub/new.log")
    assert repository.ignored([]) == ()
    repository.require_kept(paths("new.py"))


def test_a_path_beside_the_folder_can_be_asked_for(top: Path, folder: Path) -> None:
    (top / ".gitignore").write_text("elsewhere.*\n")
    asked = paths("../../elsewhere.py")
    assert Repository.around(folder).ignored(asked) == asked


def test_a_tracked_file_that_matches_is_ignored_all_the_same(folder: Path) -> None:
    write(folder, {"kept.log": ""})
    git(folder, "add", "--force", "kept.log")
    commit(folder)
    repository = Repository.around(folder)
    with pytest.raises(FilesIgnored, match=r"belongs to .*acme: kept\.log\.$") as error:
        repository.require_kept(paths("a.py", "kept.log"))
    assert "git check-ignore --no-index -v kept.log" in error.value.remedy
    (folder / "kept.log").write_text("changed")
    assert repository.dirt() == paths("kept.log")


@pytest.mark.parametrize("where", ["core.excludesFile", "info/exclude", "global"])
def test_ignored_outside_the_work_tree(
    top: Path, folder: Path, home: Path, where: str
) -> None:
    file = {
        "core.excludesFile": top.parent / "excludes",
        "info/exclude": top / ".git/info/exclude",
        "global": home / ".config/git/ignore",
    }[where]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a.py\nnew.py\n")
    if where == "core.excludesFile":
        git(top, "config", "core.excludesFile", str(file))
    write(folder, {"new.py": ""})
    repository = Repository.around(folder)
    assert repository.ignored(paths("a.py", "b.py", "new.py")) == paths(
        "a.py", "new.py"
    )
    assert repository.dirt() == ()


@pytest.mark.parametrize("pattern", ["acme/", "/packages", "packages/*"])
def test_an_ignored_folder_is_refused(top: Path, folder: Path, pattern: str) -> None:
    (top / ".gitignore").write_text(f"{pattern}\n")
    commit(top)
    message, remedy = refused(folder)
    assert message == f"git ignores {folder.resolve()}, so it keeps nothing of it."
    assert "check-ignore" in remedy


def test_a_work_tree_in_which_all_is_ignored(top: Path) -> None:
    (top / ".gitignore").write_text("*\n")
    repository = Repository.around(top)
    repository.require_clean()
    assert repository.ignored(paths("new.py")) == paths("new.py")


def test_a_path_beyond_a_link_is_refused(top: Path, folder: Path) -> None:
    (folder / "src").symlink_to(top.parent)
    with pytest.raises(FilesIgnored, match=r"^src/a\.py is behind a link in "):
        Repository.around(folder).ignored(paths("src/a.py"))


# Where the folder is


def test_a_worktree(top: Path) -> None:
    git(top, "worktree", "add", "--quiet", "--detach", "../other")
    other = top.with_name("other")
    repository = Repository.around(other / ADAPTER)
    assert repository.top == other.resolve()
    write(other, {f"{ADAPTER}/new.py": "", f"{ADAPTER}/new.log": ""})
    assert repository.dirt() == paths("new.py")


def test_a_submodule(top: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    allowed = ("-c", "protocol.file.allow=always")
    git(outer, *allowed, "submodule", "--quiet", "add", str(top), "sub")
    commit(outer)
    repository = Repository.around(outer / "sub" / ADAPTER)
    assert repository.top == (outer / "sub").resolve()
    write(outer, {f"sub/{ADAPTER}/a.py": "", "new.py": ""})
    assert repository.dirt() == paths("a.py")


def test_a_link_to_the_folder(folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    write(link, {"new.py": ""})
    repository = Repository.around(link)
    assert repository.folder == folder.resolve()
    assert repository.dirt() == paths("new.py")


def test_a_sparse_checkout(top: Path, folder: Path) -> None:
    write(top, {"other/x.py": ""})
    commit(top)
    git(top, "sparse-checkout", "set", "--cone", "--sparse-index", ADAPTER)
    assert not (top / "other").exists()
    repository = Repository.around(folder)
    assert repository.dirt() == Repository.around(top).dirt() == ()
    write(folder, {"a.py": ""})
    assert repository.dirt() == paths("a.py")


# How the user's git is set up


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_DIR", "/nowhere"),
        ("GIT_WORK_TREE", "/"),
        ("GIT_INDEX_FILE", "/nowhere"),
        ("GIT_COMMON_DIR", "/nowhere"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere"),
        ("GIT_PREFIX", "x/"),
        ("GIT_TRACE", "1"),
        ("GIT_ICASE_PATHSPECS", "1"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("HOME", "/nowhere"),
    ],
)
def test_variables_do_not_lead_astray(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    write(folder, {"new.py": ""})
    monkeypatch.setenv(name, value)
    repository = Repository.around(folder)
    assert repository.dirt() == paths("new.py")
    assert repository.ignored(paths("x.log", "x.py")) == paths("x.log")
    assert repository.operation() == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("status.showUntrackedFiles", "no"),
        ("status.renames", "copies"),
        ("status.showStash", "true"),
        ("status.branch", "true"),
        ("status.relativePaths", "false"),
        ("core.quotePath", "true"),
        ("color.ui", "always"),
        ("core.autocrlf", "true"),
        ("core.untrackedCache", "true"),
        ("commit.gpgsign", "true"),
    ],
)
def test_settings_do_not_lead_astray(folder: Path, name: str, value: str) -> None:
    (folder / "b.py").write_text("b = 2\n")
    git(folder, *WHO, "stash")
    git(folder, "config", name, value)
    git(folder, "mv", "a.py", "c.py")
    write(folder, {"new é.py": ""})
    assert Repository.around(folder).dirt() == paths("a.py", "c.py", "new é.py")


def test_no_hook_and_no_monitor_runs(top: Path, folder: Path) -> None:
    hooks, mark = top.parent / "hooks", top.parent / "mark"
    hooks.mkdir()
    for name in ("post-index-change", "fsmonitor", "post-checkout", "pre-commit"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >>'{mark}'\nexit 1\n")
        (hooks / name).chmod(0o755)
    git(top, "config", "core.hooksPath", str(hooks))
    git(top, "config", "core.fsmonitor", str(hooks / "fsmonitor"))
    git(top, "status")
    assert "fsmonitor" in mark.read_text()
    mark.unlink()
    write(folder, {"a.py": ""})
    assert Repository.around(folder).dirt() == paths("a.py")
    assert not mark.exists()


def test_the_index_is_never_written(top: Path, folder: Path) -> None:
    index = top / ".git" / "index"
    os.utime(folder / "a.py", (1, 1))
    before = index.read_bytes(), index.stat().st_mtime_ns
    repository = Repository.around(folder)
    repository.require_clean()
    repository.require_kept(paths("a.py"))
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    git(top, "status")
    assert index.read_bytes() != before[0]


def test_a_locked_index_can_be_read(top: Path, folder: Path) -> None:
    (top / ".git" / "index.lock").touch()
    Repository.around(folder).require_clean()


def test_warnings_are_no_files(folder: Path, on_path: Callable[[str], None]) -> None:
    write(folder, {"new.py": ""})
    on_path(f'echo "warning: cannot read the\nwarning: ignore file" >&2; {GIT} "$@"')
    repository = Repository.around(folder)
    assert repository.dirt() == paths("new.py")
    assert repository.ignored(paths("x.log")) == paths("x.log")
    assert repository.operation() == ""


# What cannot be asked


def test_no_git(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitUnfit) as caught:
        Repository.around(folder)
    assert caught.value.message == "There is no git here."
    assert caught.value.remedy == "Install it, then run again."


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("git version 2.20.1", "git is 2.20, which is too old."),
        ("git version 1.99.0", "git is 1.99, which is too old."),
        ("git version $LC_ALL", "git does not say its version, but: git version C."),
        ("Hello.", "git does not say its version, but: Hello."),
        ("", "git does not say its version, but: nothing."),
    ],
)
def test_a_git_that_is_unfit(
    folder: Path, on_path: Callable[[str], None], said: str, found: str
) -> None:
    on_path(f'echo "{said}"')
    with pytest.raises(GitUnfit) as caught:
        Repository.around(folder)
    assert caught.value.message == found
    assert caught.value.remedy


@pytest.mark.parametrize("said", ["2.39.5 (Apple Git-154)", "2.31.0.windows.1", "3.0"])
def test_other_ways_to_say_a_version(
    folder: Path, on_path: Callable[[str], None], said: str
) -> None:
    on_path(f'case "$*" in *version) echo "git version {said}";; *) {GIT} "$@";; esac')
    Repository.around(folder).require_clean()


def test_an_answer_of_an_unknown_kind(
    folder: Path, on_path: Callable[[str], None]
) -> None:
    repository = Repository.around(folder)
    on_path("printf 'nonsense\\0'")
    with pytest.raises(ToolError, match="nonsense") as caught:
        repository.dirt()
    assert caught.value.remedy


def test_a_git_that_fails(folder: Path, on_path: Callable[[str], None]) -> None:
    on_path("echo 'no developer tools were found' >&2; exit 1")
    with pytest.raises(GitUnfit, match="but: no developer tools were found"):
        Repository.around(folder)


def test_no_repository(tmp_path: Path) -> None:
    message, remedy = refused(tmp_path)
    assert message == f"{tmp_path.resolve()} is not in a git repository."
    assert "git init" in remedy


@pytest.mark.parametrize("name", ["none", "packages/acme/a.py"])
def test_no_folder(top: Path, name: str) -> None:
    message, _ = refused(top / name)
    assert message == f"{top / name} is not a folder."


def test_nothing_committed(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    write(tmp_path, {"a.py": ""})
    git(tmp_path, "add", "a.py")
    message, remedy = refused(tmp_path)
    assert message == f"The repository {tmp_path.resolve()} has no commit yet."
    assert remedy.startswith("Commit")


def test_a_folder_that_nobody_added_is_all_dirt(top: Path) -> None:
    write(top, {"packages/new/a.py": "", "packages/new/sub/b.py": ""})
    repository = Repository.around(top / "packages/new")
    assert repository.dirt() == paths("a.py", "sub/b.py")


@pytest.mark.parametrize("place", ["bare.git", "mono repo/.git", "mono repo/.git/refs"])
def test_no_work_tree(top: Path, tmp_path: Path, place: str) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(top), "bare.git")
    message, remedy = refused(tmp_path / place)
    assert "is in no work tree" in message
    assert "checkout" in remedy


def test_somebody_else_is_the_owner(
    top: Path,
    folder: Path,
    on_path: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_path(f'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {GIT} "$@"')
    message, remedy = refused(folder)
    assert message.endswith("its owner is somebody else.")
    assert f"git config --global --add safe.directory '{top}'`" in remedy
    # As workflows and containers say it.
    for name, value in {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }.items():
        monkeypatch.setenv(name, value)
    Repository.around(folder).require_clean()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("HEAD", b"ref: refs/heads/none"),
        ("HEAD", b"nonsense"),
        ("config", b"[broken"),
        ("index", b"nonsense"),
    ],
)
def test_a_broken_repository(
    top: Path, folder: Path, file: str, content: bytes
) -> None:
    (top / ".git" / file).write_bytes(content)
    with pytest.raises(ToolError) as caught:
        Repository.around(folder).require_clean()
    assert caught.value.message.endswith(".")
    assert not caught.value.message.endswith("..")
    assert caught.value.remedy


def test_a_worktree_whose_repository_is_gone(top: Path, tmp_path: Path) -> None:
    git(top, "worktree", "add", "--quiet", "--detach", "../other")
    shutil.rmtree(top)
    with pytest.raises(ToolError, match="cannot read the repository") as caught:
        Repository.around(tmp_path / "other" / ADAPTER)
    assert "git status" in caught.value.remedy
