"""Into a host and out again, as somebody does it who has a checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from band_new_adapter import catalog
from tests import hosts, toy
from tests.conftest import Cli

NEW = ("acme", "--defaults")
QUICK = (*NEW, "--no-check")
TREE = ("status", "--porcelain", "--untracked-files=all")


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hosts.sdk(tmp_path_factory.mktemp("sdk"))


@pytest.fixture(scope="module")
def passing(sdk: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The shipped tests that pass before anything is made."""
    return shipped(sdk, tmp_path_factory.mktemp("before") / "junit.xml")


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A collection of adapters under git, that has none yet."""
    folder = hosts.collection(tmp_path / "collection")
    hosts.committed(folder)
    return folder


def shipped(source: Path, report: Path) -> set[str]:
    """The tests of `source` that pass."""
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    subprocess.run(
        [sys.executable, "-B", *words, "--continue-on-collection-errors"],
        check=False,
        cwd=source,
        env=os.environ | {"PYTHONPATH": str(source / "src")},
        capture_output=True,
    )
    cases = ElementTree.parse(report).iter("testcase")
    return {
        f"{case.get('classname')}::{case.get('name')}"
        for case in cases
        if not len(case)
    }


def formatted(folder: Path) -> bool:
    words = ("-m", "ruff", "format", "--check", "--no-cache", "src")
    return not subprocess.run(
        [sys.executable, *words], check=False, cwd=folder
    ).returncode


@pytest.mark.parametrize("provider", ["openai", "langgraph"])
def test_the_sdk_takes_an_adapter_and_gives_it_back(
    provider: str, cli: Cli, sdk: Path, passing: set[str], tmp_path: Path
) -> None:
    source = shutil.copytree(sdk, tmp_path / "band_sdk")
    words = (*NEW, "--provider", provider, "--into", str(source))
    assert cli.new(*words, "--json") == 0, cli.out
    made, first = cli.json, hosts.git(source, *TREE)
    assert {
        check["name"]: check["passed"] for check in made["checks"]
    } == dict.fromkeys(("format", "lint", "types", "registration", "tests"), True)
    assert not made["registrations"]["by_hand"]
    for line in hosts.git(source, "diff", "--numstat").splitlines():
        added, deleted, _ = line.split("\t")
        assert int(added) > 0
        assert int(deleted) == 0
    assert passing <= shipped(source, tmp_path / "after.xml")

    content = {p: p.read_bytes() for p in source.rglob("*acme*") if p.is_file()}
    assert cli.new(*words, "--json") == 0, cli.out
    assert cli.json["files"] == []
    assert hosts.git(source, *TREE) == first
    assert {p: p.read_bytes() for p in content} == content

    assert cli.adapter("remove", "acme", str(source)) == 0
    assert hosts.git(source, *TREE) == ""


@pytest.mark.parametrize("provider", catalog.PROVIDERS)
def test_a_collection_takes_every_provider(provider: str, cli: Cli, host: Path) -> None:
    assert cli.new(*NEW, "--provider", provider, "--into", str(host), "--json") == 0
    assert cli.json["status"] == "green"
    assert (host / "src/acme_adapters/adapters/acme.py").is_file()
    assert cli.adapter("remove", "acme", str(host)) == 0
    assert hosts.git(host, *TREE) == ""


def test_who_stands_in_a_host_needs_no_flag(
    cli: Cli, host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(host / "src")
    assert cli.new(*QUICK) == 0
    assert "Made acme in acme-adapters\n" in cli.out
    assert cli.new(*QUICK) == 0
    assert "acme is in acme-adapters already\n" in cli.out
    assert " unchanged  src/acme_adapters/adapters/__init__.py\n" in cli.out
    assert cli.adapter("remove", "acm") == 1
    assert "Did you mean 'acme'?" in cli.err
    assert cli.new("other", "--defaults", "--no-check", "--output", "other") == 0
    assert (host / "src/other/pyproject.toml").is_file()


def test_a_dry_run_shows_all_and_writes_nothing(cli: Cli, host: Path) -> None:
    assert cli.new(*QUICK, "--dry-run", "--into", str(host), "--json") == 0
    planned = cli.json
    assert hosts.git(host, *TREE) == ""
    assert cli.new(*QUICK, "--into", str(host), "--json") == 0
    assert cli.json["files"] == planned["files"]
    assert cli.json["registrations"] == planned["registrations"]
    changed = {line[3:] for line in hosts.git(host, *TREE).splitlines()}
    assert changed == set(planned["files"])


def test_a_failing_check_is_ours_only_if_it_was_not_there_before(
    cli: Cli, host: Path
) -> None:
    broken = "import os\n\n\ndef f(x: int) -> str:\n    return x\n"
    hosts.write(host, {"src/acme_adapters/old.py": broken})
    exports = host / "src/acme_adapters/adapters/__init__.py"
    exports.write_text(
        exports.read_text() + "\nif not __all__:\n    print(undefined)\n"
    )
    assert cli.new(*NEW, "--into", str(host), "--json") == 0, cli.out
    checks = {check["name"]: check for check in cli.json["checks"]}
    assert checks["lint"]["before"] > 0
    assert checks["types"]["before"] > 0
    test = host / "tests/converters/test_acme.py"
    test.write_text(test.read_text() + "\n\ndef test_it() -> None:\n    assert 0\n")
    assert cli.new(*NEW, "--into", str(host)) == 1
    assert "is not what would be made" in cli.err


BAD = {
    "a syntax error": ("src/acme_adapters/adapters/__init__.py", "lazy_exports("),
    "an unknown shape": (
        "src/acme_adapters/converters/__init__.py",
        "from band.exports import lazy_exports\n__all__, f = lazy_exports(**TABLE)\n",
    ),
    "no TOML": ("pyproject.toml", "[project\n"),
    "an adapter of that name": ("src/acme_adapters/adapters/acme.py", "x = 1\n"),
    "a folder of that name": ("src/acme_adapters/converters/acme.py/x", ""),
    "an extra of that name": (
        "pyproject.toml",
        hosts.PROJECT + '[project.optional-dependencies]\nAcme = ["x"]\n',
    ),
    "a broken record": (".band-adapters/acme.json", "{"),
    "a record that leads out": (
        ".band-adapters/acme.json",
        '{"made": {"/x": ""}, "registered": {}}',
    ),
    "a package of that name": ("src/acme_adapters/adapters/acme/__init__.py", ""),
    "its class under another name": (
        "src/acme_adapters/adapters/__init__.py",
        hosts.EXPORTS.replace("__,", '__,\n    other=["AcmeAdapter"],'),
    ),
    "a file for a folder": ("tests", "acme"),
    "a file for its record's": (".band-adapters", "acme"),
    "a folder for its record": (".band-adapters/acme.json/x", ""),
}


@pytest.mark.parametrize(("path", "text"), BAD.values(), ids=BAD)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    path: str, text: str, cli: Cli, host: Path
) -> None:
    hosts.write(host, {path: text})
    before = toy.tree(host)
    assert cli.new(*QUICK, "--into", str(host)) == 1, cli.out
    assert Path(path).name in cli.err or "acme" in cli.err
    assert cli.out == ""
    assert toy.tree(host) == before


SHAPES = {
    "on one line": lambda text: text.replace(
        "(\n    __name__,\n)", '(__name__, old=["OldAdapter", "OldAdapterConfig"])'
    ),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "a byte order mark": lambda text: "\ufeff" + text,
    "no newline at the end": str.rstrip,
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_files_of_any_form_get_their_entries_and_lose_them(
    shape: Callable[[str], str], cli: Cli, host: Path
) -> None:
    for path in ("adapters/__init__.py", "converters/__init__.py"):
        file = host / "src/acme_adapters" / path
        file.write_bytes(shape(file.read_text()).encode())
    project = host / "pyproject.toml"
    if "\ufeff" not in shape(""):
        project.write_bytes(shape(project.read_text()).encode())
    before, was_formatted = toy.tree(host), formatted(host)
    assert cli.new(*QUICK, "--into", str(host)) == 0, cli.err
    assert formatted(host) == was_formatted
    assert cli.adapter("remove", "acme", str(host)) == 0
    assert toy.tree(host) == before


def test_a_half_finished_attempt_is_finished(cli: Cli, host: Path) -> None:
    words = (*QUICK, "--into", str(host))
    assert cli.new(*words) == 0
    whole = toy.tree(host / "src") | toy.tree(host / "tests")
    (host / "src/acme_adapters/converters/acme.py").unlink()
    hosts.git(host, "checkout", "--quiet", "pyproject.toml")
    (host / ".band-adapters/acme.json").unlink()
    assert cli.new(*words) == 0
    assert toy.tree(host / "src") | toy.tree(host / "tests") == whole
    assert "acme" in (host / "pyproject.toml").read_text()


def test_other_answers_are_refused(cli: Cli, host: Path) -> None:
    assert cli.new(*QUICK, "--into", str(host)) == 0
    before = toy.tree(host)
    assert cli.new(*QUICK, "--emit", "none", "--into", str(host)) == 1
    assert "is not what would be made" in cli.err
    assert "band-adapter update --set" in cli.err
    assert toy.tree(host) == before


def test_what_a_person_changed_is_kept_and_told(cli: Cli, host: Path) -> None:
    assert cli.new(*QUICK, "--into", str(host)) == 0
    adapter = host / "src/acme_adapters/adapters/acme.py"
    adapter.write_text(adapter.read_text() + "# mine\n")
    exports = host / "src/acme_adapters/adapters/__init__.py"
    exports.write_text(
        exports.read_text().replace('"AcmeAdapter",', '"AcmeAdapter", "X",')
    )
    assert cli.adapter("remove", "acme", str(host), "--json") == 0
    kept = {item["path"]: item for item in cli.json["kept"]}
    assert kept["src/acme_adapters/adapters/acme.py"]["why"] == "it was changed since"
    assert "AcmeAdapter" in kept["src/acme_adapters/adapters/__init__.py"]["lines"]
    assert adapter.read_text().endswith("# mine\n")
    assert not (host / "src/acme_adapters/converters/acme.py").exists()


@pytest.mark.parametrize("kind", ["adapters", "converters"])
def test_what_another_adapter_needs_is_kept(kind: str, cli: Cli, host: Path) -> None:
    assert cli.new(*QUICK, "--into", str(host)) == 0
    name = {"adapters": "AcmeAdapter", "converters": "AcmeHistoryConverter"}[kind]
    line = f"from acme_adapters.{kind} import {name}\n"
    hosts.write(host, {"src/acme_adapters/adapters/zeta.py": line})
    assert cli.adapter("remove", "acme", str(host), "--json") == 0
    kept = {item["path"]: item["why"] for item in cli.json["kept"]}
    assert "zeta.py" in kept[f"src/acme_adapters/{kind}/acme.py"]
    assert "zeta.py" in kept[f"src/acme_adapters/{kind}/__init__.py"]
    assert f"{name}" in (host / f"src/acme_adapters/{kind}/__init__.py").read_text()
    there = (host / "src/acme_adapters/adapters/acme.py").exists()
    assert there == (kind == "adapters")
    stays = toy.tree(host)
    assert cli.adapter("remove", "acme", str(host)) == 0
    assert toy.tree(host) == stays
    (host / "src/acme_adapters/adapters/zeta.py").unlink()
    assert cli.adapter("remove", "acme", str(host)) == 0
    assert hosts.git(host, *TREE) == ""


def test_what_is_gone_is_not_kept(cli: Cli, host: Path) -> None:
    assert cli.new(*QUICK, "--into", str(host)) == 0
    hosts.git(host, "checkout", "--quiet", ".")
    (host / "src/acme_adapters/adapters/acme.py").unlink()
    assert cli.adapter("remove", "acme", str(host), "--json") == 0
    assert cli.json["kept"] == []
    assert cli.json["removed"][-1] == ".band-adapters/acme.json"
    assert hosts.git(host, *TREE) == ""


def test_what_only_a_program_makes_is_a_next_step(cli: Cli, host: Path) -> None:
    hosts.write(host, {"uv.lock": "version = 1\n"})
    assert cli.new(*QUICK, "--into", str(host)) == 0
    assert "Make uv.lock anew: uv lock" in cli.out
    assert cli.new("zeta", *QUICK[1:], "--provider", "custom", "--into", str(host)) == 0
    assert "uv.lock" not in cli.out


def test_a_conflict_that_waits_is_not_an_entry(cli: Cli, host: Path) -> None:
    assert cli.new(*QUICK, "--into", str(host)) == 0
    exports = host / "src/acme_adapters/adapters/__init__.py"
    sides = "<<<<<<< HEAD\n    a=1,\n=======\n    b=1,\n>>>>>>> other\n)"
    mine = exports.read_text().replace("\n)", f"\n{sides}")
    exports.write_text(mine)
    assert cli.new("zeta", *QUICK[1:], "--into", str(host)) == 1
    assert "not Python: invalid syntax (line 6)" in cli.err
    assert cli.adapter("remove", "acme", str(host), "--json") == 0
    assert cli.json["kept"] == []
    assert exports.read_text() == mine.replace(
        '    acme=["AcmeAdapter", "AcmeAdapterConfig"],\n', ""
    )


def test_newlines_of_another_system_are_no_change(cli: Cli, host: Path) -> None:
    assert cli.new(*QUICK, "--into", str(host)) == 0
    for path in map(host.joinpath, toy.tree(host)):
        if ".git" not in path.parts:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert cli.adapter("remove", "acme", str(host), "--json") == 0
    assert cli.json["kept"] == []


def test_an_entry_that_no_record_knows_is_told(cli: Cli, host: Path) -> None:
    words = (*QUICK, "--into", str(host))
    assert cli.new(*words) == 0
    (host / ".band-adapters/acme.json").unlink()
    assert cli.new(*words) == 0
    assert cli.adapter("remove", "acme", str(host), "--json") == 0
    kept = {item["path"]: item["why"] for item in cli.json["kept"]}
    assert kept == dict.fromkeys(
        (
            "pyproject.toml",
            "src/acme_adapters/adapters/__init__.py",
            "src/acme_adapters/converters/__init__.py",
        ),
        "it has an entry that band-new-adapter did not make",
    )


def test_what_was_changed_is_checked_where_it_is(
    cli: Cli, host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = host / "src/acme_adapters/adapters/acme.py"
    assert cli.new(*QUICK, "--into", str(host)) == 0
    assert cli.adapter("check", str(host), "--json") == 0
    assert cli.json["distribution"] == "acme-adapters"
    adapter.write_text(adapter.read_text() + "x = undefined\n")
    monkeypatch.chdir(host / "src")
    assert cli.adapter("check", "--json") == 4
    assert not any(check["passed"] for check in cli.json["checks"])
    assert cli.new("zeta", *QUICK[1:]) == 0
    assert cli.adapter("check") == 1
    assert "has 2 adapters: .band-adapters/acme.yml, .band-adapters/zeta.yml" in cli.err
    monkeypatch.chdir(host / ".band-adapters")
    assert cli.adapter("check", "zeta.yml", "--json") == 0


def test_two_adapters_come_and_go_in_any_order(cli: Cli, host: Path) -> None:
    for name, provider in (("acme", "custom"), ("zeta", "custom-framework")):
        words = ("--defaults", "--no-check", "--into", str(host))
        assert cli.new(name, "--provider", provider, *words) == 0, cli.err
    for name in ("acme", "zeta"):
        assert cli.adapter("remove", name, str(host)) == 0
    assert hosts.git(host, *TREE) == ""


@pytest.mark.parametrize("name", ["zeta", "openai"])
def test_what_was_not_made_here_is_not_removed(name: str, cli: Cli, host: Path) -> None:
    hosts.write(host, {"src/acme_adapters/adapters/zeta.py": "x = 1\n"})
    before = toy.tree(host)
    assert cli.adapter("remove", name, str(host)) == 1
    assert f"no record of an adapter {name!r}" in cli.err
    assert toy.tree(host) == before


def test_a_package_is_removed_but_for_what_a_person_wrote(
    cli: Cli, tmp_path: Path
) -> None:
    assert cli.new(*QUICK) == 0
    folder = tmp_path / "band-adapter-acme"
    (folder / "src/__pycache__").mkdir()
    (folder / "src/__pycache__/x.pyc").touch()
    assert cli.adapter("remove", "other") == 1
    assert cli.adapter("remove", "acme", "--dry-run") == 0
    assert folder.is_dir()
    assert cli.adapter("remove", "acme") == 0
    assert os.listdir(tmp_path) == []

    assert cli.new(*QUICK) == 0
    hosts.write(folder, {"README.md": "Mine.", "notes.txt": "Mine too."})
    assert cli.adapter("remove", "acme", "band-adapter-acme", "--json") == 0
    assert {item["path"] for item in cli.json["kept"]} == {"README.md", "notes.txt"}
    assert toy.tree(folder) == {"README.md": b"Mine.", "notes.txt": b"Mine too."}


def test_a_package_does_not_hide_a_module(cli: Cli, host: Path) -> None:
    hosts.write(host, {"src/acme_adapters/integrations/acme.py": "x = 1\n"})
    before = toy.tree(host)
    assert cli.new(*QUICK, "--provider", "custom", "--into", str(host)) == 1
    assert "integrations/acme.py exists" in cli.err
    assert toy.tree(host) == before


def test_a_keyword_cannot_be_imported(cli: Cli, host: Path) -> None:
    assert cli.new("try", "--defaults", "--no-check", "--into", str(host)) == 2
    assert "'try_api'" in cli.err
    assert hosts.git(host, *TREE) == ""


def test_into_and_output_exclude_each_other(cli: Cli, host: Path) -> None:
    assert cli.new(*QUICK, "--into", str(host), "--output", "x") == 2
    assert "--output" in cli.err
