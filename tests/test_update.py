"""Updates as their authors live them: a version, somebody's edits, the next version."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from band_new_adapter import apply, bundle, template
from band_new_adapter.plan import Plan
from tests import hosts, toy
from tests.conftest import Cli

LONG = "".join(f"LINE_{number} = {number}\n" for number in range(12))
FIRST = {
    "template/package/NOTES.md.jinja": "one\ntwo\n{{ class_prefix }}\n",
    "template/package/old_name.py": LONG,
    "template/package/emit.txt.jinja": "{{ emit | join('\\n') }}\n",
}
NEXT = {
    "template/package/NOTES.md.jinja": "one\nTWO\n{{ class_prefix }}\n",
    "template/package/new_name.py": LONG,
    "template/package/added.txt": "new\n",
    "template/package/emit.txt.jinja": "{{ emit | join('\\n') }}\n",
}
CHANGES = "# Changelog\n\n## 9.0.0\n\n### Changed in adapters\n\n- Never.\n\n## {}\n\n### Changed in adapters\n\n- TWO is louder.\n\n## 0.1.0\n"


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory, toy_template: Path) -> Path:
    """A toy's folder that is today's version, beside a bundle with an older one."""
    folder = tmp_path_factory.mktemp("versions")
    shared = {
        path: text.decode() for path, text in template.files(toy_template).items()
    }
    path = folder / "template.bundle"
    for tag, own in (("v0.1.0", FIRST), (template.TAG, NEXT)):
        files = {name: text.encode() for name, text in (shared | own).items()}
        path.write_bytes(bundle.build(files, tag, path))
    hosts.write(folder, {**shared, **NEXT})
    number = template.TAG.removeprefix("v")
    hosts.write(folder, {"CHANGELOG.md": CHANGES.format(number)})
    return folder


@pytest.fixture(autouse=True)
def tool(bundled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "root", lambda: bundled)
    monkeypatch.setattr(template, "BUNDLE", bundled / "template.bundle")


@pytest.fixture
def acme(cli: Cli, bundled: Path, tmp_path: Path) -> Path:
    """An adapter that the first version made, under git."""
    folder = tmp_path / "band-adapter-acme"
    with bundle.extracted("v0.1.0") as source, pytest.MonkeyPatch.context() as patch:
        patch.setattr(template, "root", lambda: source)
        assert cli.new("acme", "--defaults", "--no-check") == 0
    answers = folder / ".copier-answers.yml"
    answers.write_text(answers.read_text().replace(template.TAG, "v0.1.0"))
    hosts.committed(folder)
    return folder


def edit(folder: Path, name: str, text: str) -> None:
    """Somebody's change, committed."""
    hosts.write(folder, {name: text})
    commit(folder)


def commit(folder: Path) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@band.invalid")
    hosts.git(folder, "add", "--all")
    hosts.git(folder, *who, "commit", "--quiet", "--message=mine")


def own(folder: Path) -> dict[str, bytes]:
    return {p: c for p, c in toy.tree(folder).items() if not p.startswith(".git/")}


def outcomes(cli: Cli) -> dict[str, str]:
    (adapter,) = cli.json["adapters"]
    return {one["path"]: one["outcome"] for one in adapter["files"]}


def test_an_adapter_nobody_touched_becomes_a_fresh_one(cli: Cli, acme: Path) -> None:
    assert cli.adapter("update", str(acme)) == 0, cli.err
    assert "v0.1.0 to " + template.TAG in cli.out
    assert "TWO is louder." in cli.out and "Never." not in cli.out
    assert cli.new("acme", "--defaults", "--no-check", "--output", "fresh") == 0
    assert own(acme) == toy.tree(Path("fresh"))
    assert cli.adapter("update", str(acme), "--check") == 0
    commit(acme)
    assert cli.adapter("update", str(acme), "--no-check") == 0
    said = (
        f"band-adapter-acme is of {template.TAG} already: nothing is to be changed.\n"
    )
    assert cli.out == said


def test_edits_are_kept_and_everything_is_told(cli: Cli, acme: Path) -> None:
    edit(acme, "NOTES.md", "one\ntwo\nAcme\nmine\n")
    edit(acme, "old_name.py", LONG + "MINE = 1\n")
    edit(acme, "mine.txt", "mine\n")
    (acme / "tests/conformance/test_answer.py").unlink()
    commit(acme)
    assert cli.adapter("update", str(acme), "--no-check", "--json") == 0
    assert outcomes(cli) == {
        ".copier-answers.yml": "updated",
        "NOTES.md": "merged",
        "added.txt": "added",
        "new_name.py": "merged",
        "tests/conformance/test_answer.py": "skipped",
    }
    assert (acme / "NOTES.md").read_text() == "one\nTWO\nAcme\nmine\n"
    assert (acme / "new_name.py").read_text() == LONG + "MINE = 1\n"
    assert not (acme / "old_name.py").exists()


def test_a_conflict_is_three_and_touches_nothing_else(cli: Cli, acme: Path) -> None:
    edit(acme, "NOTES.md", "one\nmine\nAcme\n")
    assert cli.adapter("update", str(acme)) == 3
    assert "NOTES.md, lines 2-6" in cli.out and "remove markers" in cli.out
    text = (acme / "NOTES.md").read_text()
    assert text.startswith("one\n<<<<<<<") and text.endswith(">\nAcme\n") is False
    assert "mine" in text and "TWO" in text and text.endswith("\nAcme\n")
    assert "+<<<<<<<" in hosts.git(acme, "diff", "NOTES.md")

    assert cli.adapter("update", str(acme)) == 1
    assert "not committed" in cli.err
    commit(acme)
    before = own(acme)
    assert cli.adapter("update", str(acme), "--set", "emit=none") == 1
    assert "nobody resolved: NOTES.md" in cli.err
    assert own(acme) == before


def test_a_conflict_may_stand_beside_the_file(cli: Cli, acme: Path) -> None:
    edit(acme, "NOTES.md", "one\nmine\nAcme\n")
    assert cli.adapter("update", str(acme), "--conflict", "rej") == 3
    assert (acme / "NOTES.md").read_text() == "one\nmine\nAcme\n"
    assert "+TWO" in (acme / "NOTES.md.rej").read_text()


def test_a_source_on_this_machine_alone_becomes_that_of_all(
    cli: Cli, acme: Path
) -> None:
    answers, line = acme / ".copier-answers.yml", "_src_path: ~/.band-new-adapter/"
    wrapped = "_src_path: /home/somebody with a very long name/\n  band-new-adapter/"
    for text, kept in (
        ("_src_path: /home/somebody/.band-new-adapter/template.bundle", False),
        (f"{wrapped}template.bundle", False),
        ("_src_path: https://band.invalid/fork.git", True),
    ):
        edit(
            acme,
            answers.name,
            answers.read_text().replace(f"{line}template.bundle", text),
        )
        assert cli.adapter("update", str(acme), "--no-check", "--to", "0.1.0") == 0
        assert (text in answers.read_text()) == kept
        assert (line in answers.read_text()) != kept
        if not kept:
            commit(acme)


def test_a_dry_run_tells_all_and_writes_nothing(cli: Cli, acme: Path) -> None:
    before = own(acme)
    assert cli.adapter("update", str(acme), "--dry-run", "--json") == 0
    planned = outcomes(cli)
    assert own(acme) == before
    assert cli.adapter("update", str(acme), "--json", "--no-check") == 0
    assert outcomes(cli) == planned


def test_check_says_who_is_behind(cli: Cli, acme: Path) -> None:
    assert cli.adapter("update", str(acme), "--check") == 3
    assert "v0.1.0" in cli.out and template.TAG in cli.out
    assert cli.adapter("update", str(acme), "--check", "--json") == 3
    assert (cli.json["status"], cli.json["exit"]) == ("behind", 3)
    assert cli.json["adapters"][0]["before"] == "v0.1.0"
    assert cli.adapter("update", str(acme), "--no-check", "--json") == 0
    assert (cli.json["status"], cli.json["notes"]) == ("updated", [])
    assert cli.adapter("update", str(acme), "--check", "--json") == 0
    assert (cli.json["status"], cli.json["exit"]) == ("current", 0)


def test_check_knows_no_version_that_the_tool_has_not(cli: Cli, acme: Path) -> None:
    answers = acme / ".copier-answers.yml"
    for version, said in (("v99.0.0", "upgrade the tool"), ("v0.0.1", "_commit")):
        edit(
            acme,
            answers.name,
            re.sub("_commit: .*", f"_commit: {version}", answers.read_text()),
        )
        assert cli.adapter("update", str(acme), "--check") == 1
        assert f"no version '{version}'" in cli.err and said in cli.err


def test_a_home_that_cannot_be_written_is_noted(
    cli: Cli, acme: Path, home: Path
) -> None:
    (bundled,) = (home / ".band-new-adapter").iterdir()
    bundled.unlink()
    bundled.parent.rmdir()
    bundled.parent.write_text("not a folder")
    assert cli.adapter("update", str(acme), "--no-check", "--json") == 0
    assert "`copier update` has no source" in cli.json["notes"][0]


def test_an_answer_can_be_changed_at_the_same_version(cli: Cli, acme: Path) -> None:
    words = ("update", str(acme), "--to", "0.1.0", "--no-check", "--json")
    assert cli.adapter(*words, "--set", "emit=usage,thoughts") == 0, cli.err
    assert outcomes(cli) == {".copier-answers.yml": "updated", "emit.txt": "updated"}
    assert (acme / "emit.txt").read_text() == "thoughts\nusage\n"
    assert (acme / "NOTES.md").read_text() == "one\ntwo\nAcme\n"


def test_all_are_updated_or_none(
    cli: Cli, acme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "group" / "other"
    hosts.write(other, {name: text.decode() for name, text in own(acme).items()})
    hosts.committed(other)
    assert cli.adapter("update", "--all", "--no-check", "--json") == 0
    assert len(cli.json["adapters"]) == 2
    for folder in (acme, other):
        hosts.git(folder, "checkout", "--quiet", ".")
        hosts.git(folder, "clean", "-fdq")
    before = own(acme), own(other)
    written, calls = apply.written, []

    def failing(plan: Plan) -> AbstractContextManager[None]:
        calls.append(plan)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return written(plan)

    monkeypatch.setattr(apply, "written", failing)
    assert cli.adapter("update", "--all", "--no-check") == 130
    assert (own(acme), own(other)) == before


CORRUPT = {
    "cut off": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "conflict markers": lambda text: f"<<<<<<< a\n{text}=======\n>>>>>>> b\n",
    "unknown choice": lambda text: text.replace("usage", "telepathy"),
    "unknown question": lambda text: text + "colour: red\n",
    "no version": lambda text: text.replace("_commit: v0.1.0\n", ""),
    "a version that does not exist": lambda text: text.replace("v0.1.0", "v0.1.5"),
    "a newer version": lambda text: text.replace("v0.1.0", "v99.0.0"),
    "another adapter": lambda text: text.replace(": acme", ": other"),
    "no version at all": lambda text: text.replace("v0.1.0", "1a2b3c4"),
}


@pytest.mark.parametrize("change", CORRUPT.values(), ids=CORRUPT)
def test_answers_that_are_wrong_are_told_and_nothing_changes(
    change: Callable[[str], str], cli: Cli, acme: Path
) -> None:
    answers = acme / ".copier-answers.yml"
    edit(acme, answers.name, change(answers.read_text()))
    before = own(acme)
    assert cli.adapter("update", str(acme)) == 1, cli.out
    assert cli.err.count("\n") <= 3 and "Traceback" not in cli.err
    assert own(acme) == before


def test_answers_edited_by_hand_are_told_from_the_code(cli: Cli, acme: Path) -> None:
    kinds = "SUPPORTED_EMIT = frozenset({Emit.USAGE})\n"
    code = f"class AcmeAdapter(SimpleAdapter):\n    answer: int = 42\n    {kinds}"
    edit(acme, "src/band_adapter_acme/__init__.py", code)
    assert cli.adapter("update", str(acme)) == 1
    assert "the code says usage" in cli.err and "--set emit=usage" in cli.err
    words = ("--set", "emit=usage", "--set", "capabilities=none", "--no-check")
    assert cli.adapter("update", str(acme), *words) == 0, cli.err


def test_a_newer_version_asks_for_a_newer_tool(cli: Cli, acme: Path) -> None:
    answers = acme / ".copier-answers.yml"
    edit(acme, answers.name, answers.read_text().replace("v0.1.0", "v99.0.0"))
    assert cli.adapter("update", str(acme)) == 1
    assert "pgrade" in cli.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--to", "0.0.1"), 1),
        (("--to", "soon"), 1),
        (("--to", ""), 1),
        (("--set", "adapter=other"), 2),
        (("--set", "emit"), 2),
        (("--set", "emit=telepathy"), 2),
        (("--conflict", "both"), 2),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_said(
    words: tuple[str, ...], code: int, cli: Cli, acme: Path
) -> None:
    before = own(acme)
    assert cli.adapter("update", str(acme), *words) == code, cli.out
    assert cli.out == ""
    assert own(acme) == before


def test_what_git_cannot_give_back_is_not_touched(cli: Cli, acme: Path) -> None:
    def refused(found: str) -> None:
        before = own(acme)
        assert cli.adapter("update", str(acme)) == 1
        assert found in cli.err
        assert own(acme) == before

    hosts.write(acme, {"NOTES.md": "changed\n"})
    refused("not committed: NOTES.md")
    hosts.git(acme, "checkout", "--quiet", ".")
    edit(acme, ".gitignore", "added.txt\n")
    refused("git ignores")
    subprocess.run(["rm", "-rf", str(acme / ".git")], check=True)
    refused("not in a git repository")


def test_dirt_elsewhere_in_a_monorepo_is_nobodys_business(
    cli: Cli, acme: Path, tmp_path: Path
) -> None:
    subprocess.run(["rm", "-rf", str(acme / ".git")], check=True)
    hosts.committed(tmp_path)
    hosts.write(tmp_path, {"dirt.txt": "x"})
    (tmp_path / "link").symlink_to(acme)
    assert cli.adapter("update", "link", "--no-check") == 0, cli.err
    assert (acme / "added.txt").is_file()


def test_there_is_no_way_back(cli: Cli, acme: Path) -> None:
    assert cli.adapter("update", str(acme), "--no-check") == 0
    commit(acme)
    assert cli.adapter("update", str(acme), "--to", "0.1.0") == 1
    assert "newer than v0.1.0" in cli.err


def test_a_full_disk_puts_everything_back(
    cli: Cli, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, rename, calls = own(acme), os.rename, []

    def failing(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == 3:
            raise OSError(28, "No space left on device", str(target))
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    assert cli.adapter("update", str(acme), "--no-check") == 1
    assert "No space left on device" in cli.err
    assert own(acme) == before


@pytest.mark.parametrize("call", [1, 3, 4])
def test_what_was_killed_outright_goes_on(
    call: int, cli: Cli, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(acme, "NOTES.md", "one\ntwo\nAcme\nmine\n")
    rename, calls = os.rename, []

    def killed(source: Path, target: Path) -> None:
        rename(source, target)
        calls.append(target)
        if target.parent.name != "old" and len(calls) >= call:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", killed)
        patch.setattr(apply, "_take_back", lambda *_: None)
        assert cli.adapter("update", str(acme), "--no-check") == 130
    assert "v0.1.0" in (acme / ".copier-answers.yml").read_text()
    commit(acme)
    assert cli.adapter("update", str(acme), "--no-check") == 0, cli.err
    assert cli.new("acme", "--defaults", "--no-check", "--output", "fresh") == 0
    fresh = toy.tree(Path("fresh"))
    assert own(acme) == fresh | {"NOTES.md": fresh["NOTES.md"] + b"mine\n"}


def test_a_failing_check_is_four_and_is_kept(cli: Cli, acme: Path) -> None:
    edit(acme, "tests/conformance/test_answer.py", "import os\n")
    assert cli.adapter("update", str(acme)) == 4
    assert "FAILED" in cli.out and "git diff shows it" in cli.out
    assert (acme / "added.txt").is_file()


def test_a_failing_check_is_four_for_a_program(cli: Cli, acme: Path) -> None:
    edit(acme, "tests/conformance/test_answer.py", "import os\n")
    assert cli.adapter("update", str(acme), "--json") == 4
    assert (cli.json["status"], cli.json["exit"]) == ("failed", 4)


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def host(tmp_path: Path) -> Path:
    return hosts.collection(tmp_path / "collection")


@pytest.fixture
def run(host: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the tool with its own template in the host; it must be content."""
    monkeypatch.undo()
    command = [sys.executable, "-m", "band_new_adapter"]
    python = {"PYTHONPATH": os.pathsep.join(sys.path)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(
            [*command, *words],
            check=False,
            cwd=host,
            env=os.environ | python,
            capture_output=True,
            text=True,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended

    return run


NEW = ("--defaults", "--no-check", "--emit", "usage")
ALL = ("update", "--all", "--no-check")


def test_an_adapter_in_a_host_is_updated_there(run: Run, host: Path) -> None:
    run("new", "acme", *NEW)
    hosts.committed(host)
    exports = host / "src/acme_adapters/adapters/__init__.py"
    exports.write_text(hosts.EXPORTS)
    adapter = host / "src/acme_adapters/adapters/acme.py"
    adapter.write_text(adapter.read_text() + "\n# mine\n")
    commit(host)
    run("update", "--set", "emit=none", "--no-check")
    assert adapter.read_text().endswith("# mine\n")
    assert "Emit.USAGE" not in adapter.read_text()
    assert "acme" in exports.read_text()
    assert "acme.py: it was changed since" in run("remove", "acme").stdout


def test_an_entry_that_somebody_changed_is_theirs(run: Run, host: Path) -> None:
    run("new", "acme", *NEW)
    project = host / "pyproject.toml"
    project.write_text(project.read_text().replace("openai>=2,", "openai>=2.5,"))
    hosts.committed(host)
    mine = project.read_text()
    assert "asks for openai>=2.5,<4" in run(*ALL).stdout
    changed = run(*ALL, "--set", "provider=anthropic").stdout
    assert 'it is to have:\n[project.optional-dependencies]\nacme = ["anth' in changed
    assert project.read_text() == mine
    assert "pyproject.toml: an entry was changed" in run("remove", "acme").stdout


def test_two_in_a_host_change_together(run: Run, host: Path) -> None:
    """In files that both are in, and one of which is no longer there."""
    for name in ("acme", "zeta"):
        run("new", name, *NEW)
    readme = "| Adapter | `TOOL_CALLS` |\n| --- | --- |\n| Old | - |\n"
    (host / "README.md").write_text(readme)
    hosts.committed(host)
    run(*ALL, "--set", "emit=tool_calls", "--set", "provider=gemini")
    assert "| Acme | Yes |\n| Zeta | Yes |\n" in (host / "README.md").read_text()
    assert (host / "pyproject.toml").read_text().count("google-genai") == 2
    (host / "README.md").unlink()
    commit(host)
    run(*ALL, "--set", "emit=none")
    for name in ("acme", "zeta"):
        assert "kept" not in run("remove", name).stdout
    exports = host / "src/acme_adapters/adapters/__init__.py"
    assert exports.read_text() == hosts.EXPORTS
