"""Any adapter can be asked: the SDK's own, one that knows nothing of us, and none."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from band_new_adapter import apply, foreign, process, template
from band_new_adapter.answers import Answers
from band_new_adapter.commands import check
from band_new_adapter.errors import CHECK_FAILED, GREEN
from band_new_adapter.foreign import Asked, Subject
from band_new_adapter.plan import Plan
from band_new_adapter.render import render
from band_new_adapter.report import rules
from tests.foreign_texts import OURS, SMALL
from tests.toy import tree

SUBJECTS = Path(__file__).with_name("subjects")
PAGE = Path(__file__).parents[1] / "docs/explanation/what-the-sdk-adapters-do.md"
NONE: Mapping[str, str] = {}


def asked(path: Path) -> Asked:
    return foreign.verify(Subject.at(path))


def broken(found: Asked) -> set[str]:
    return {rule.id for rule in rules(found.verdict) if rule.failed}


def told(adapter: str) -> Iterator[str]:
    """The rules that the page says the adapter breaks."""
    rows = re.findall(
        r"^\| \[(\S+)\]\(\S+\) \| (\w+) \| .+ \|$", PAGE.read_text(), re.MULTILINE
    )
    yield from (rule for rule, name in rows if name == adapter)


@pytest.mark.parametrize("path", sorted(SUBJECTS.glob("*.py")), ids=lambda p: p.stem)
def test_the_sdks_own_adapters_do_what_the_page_says(path: Path) -> None:
    found = asked(path)
    listed = [*told(found.adapter)]
    assert len(listed) == len({*listed})
    assert broken(found) == {*listed}
    (result,) = found.verdict.results
    assert not result.passed
    assert any(note.startswith("TURN-1: not asked, because") for note in found.notes)


def test_the_page_names_no_other_adapter() -> None:
    names = re.findall(r"^\| \[\S+\]\(\S+\) \| (\w+)", PAGE.read_text(), re.MULTILINE)
    texts = [path.read_text(encoding="utf-8") for path in SUBJECTS.glob("*.py")]
    for name in {*names}:
        assert any(f"import {name}," in text for text in texts), name


def test_an_adapter_that_keeps_the_rules_keeps_them_from_outside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = (("tool_calls", "usage"), ("files",))
    answers = Answers("ours", "Ours", 2, "openai", *kinds, "An API.", "none")
    files = render(answers, template.root())
    for name, content in files.items():
        if name.parts[0] == "src":
            path = tmp_path / "elsewhere" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if name.as_posix() == "tests/support/wire.py":
            (tmp_path / "wire.py").write_bytes(content)
    subject = tmp_path / "subject.py"
    source = str(tmp_path / "elsewhere" / "src")
    subject.write_text(OURS.format(source=source), encoding="utf-8")
    before = tree(tmp_path)
    assert check.run(subject, as_json=False) == GREEN
    assert tree(tmp_path) == before, "a check leaves nothing behind"
    shown = " ".join(capsys.readouterr().out.split())
    assert "how an adapter is packaged is its own affair" in shown
    assert "thoughts, task_events, memory, contacts, tasks: asked only whether" in shown
    assert "FAILED" not in shown


def test_what_an_adapter_does_not_have_is_said_and_not_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "subject.py").write_text(SMALL, encoding="utf-8")
    assert check.run(tmp_path / "subject.py", as_json=True) == CHECK_FAILED
    said = json.loads(capsys.readouterr().out)
    assert said["distribution"] == "SmallAdapter"
    assert said["folder"] == str(tmp_path / "subject.py")
    notes = "\n".join(said["notes"])
    for note in (
        "TURN-4, TOOL-2, TOOL-4, TOOL-8, ROOM-1, ROOM-2: not asked, because it only",
        "HIST-1, HIST-2, HIST-3, HIST-4: not asked, because it has no history converter.",
        "because it cannot be made with additional_tools.",
        "because it cannot be made with max_tool_rounds.",
    ):
        assert note in notes
    found = {rule["id"]: rule for rule in said["rules"]}
    for rule in ("CFG-1", "PKG-1", "HIST-2", "TURN-4"):
        assert not found[rule]["passed"] and not found[rule]["failed"]
    assert found["TURN-1"]["passed"], "it relays, so it is asked"
    for rule in ("SYS-1", "TOOL-1", "FAIL-1"):
        assert found[rule]["failed"]


def test_what_is_laid_out_is_clean(tmp_path: Path) -> None:
    subject = Subject(SUBJECTS / "anthropic_adapter.py", "anthropic")
    plan = Plan.of_new(tmp_path / "asked", foreign._files(subject))
    with apply.staged(plan) as place:
        for words in (
            ("ruff", "check", "--no-cache"),
            ("ruff", "format", "--check", "--no-cache"),
            ("pyrefly", "check", f"--python-interpreter-path={sys.executable}"),
        ):
            command = process.Command((sys.executable, "-m", *words), place, NONE)
            ended = process.run(command)
            assert ended.status == 0, ended.output


def test_every_test_that_is_left_out_exists() -> None:
    place = template.root() / "template"
    tests = "".join(
        path.read_text(encoding="utf-8")
        for path in (place / "package/tests/conformance").glob("test_*.py")
    )
    tree = ast.parse((place / "foreign/tests/asked.py").read_text(encoding="utf-8"))
    named = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and str(node.value).startswith("test_")
    }
    assert len(named) > 5
    assert not [name for name in named if f"def {name}(" not in tests]
