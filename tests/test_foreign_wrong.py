"""What cannot be asked of an adapter is said in one sentence, and leaves no trace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter import foreign
from band_new_adapter.commands import check
from band_new_adapter.errors import NotAnAdapter
from band_new_adapter.foreign import Subject
from tests.foreign_texts import SMALL
from tests.toy import tree

START = 'WIRE = "openai"\n'
WRONG = {
    "no file": ("", "cannot be read as Python: No such file"),
    "no Python": ("def make(:", "cannot be read as Python: invalid syntax"),
    "no end": (f"x = {'-' * 100_000}1", "cannot be read as Python: nested too deep"),
    "no wire": ("def make(model): ...", "does not say which model"),
    "another wire": ('WIRE = "telex"', "the scripted model 'telex', which does not"),
    "no such wire": ('WIRE = "wire.py"', "the scripted model 'wire.py', which does"),
    "no import": (f"{START}import nowhere", "No module named 'nowhere'"),
    "an error": (f"{START}1 / 0", "subject.py cannot be imported: ZeroDivisionError"),
    "an exit": (f"{START}raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
    "no make": (START, "subject.py has no function make(model)"),
    "a make": (f"{START}def make(model): 1 / 0", "make(model) fails: ZeroDivisionErr"),
    "a wire that is misspelt": (
        SMALL.replace('"openai"', '"opnai"'),
        "which does not exist. Did you mean 'openai'?",
    ),
    "no adapter": (
        f"{START}def make(model): return 7",
        "must give a SimpleAdapter, and gives: int.",
    ),
    "no options": (f"{START}def make(): ...", "make(model) fails: TypeError"),
    "a deaf one": (
        SMALL.replace("        said = await", "        return\n        said = await"),
        "SmallAdapter does not ask the model that make is given",
    ),
    "a late one": (
        SMALL.replace(
            "    async def on_message",
            "    on_started = None\n\n    async def on_message",
        ),
        "SmallAdapter cannot be started: TypeError",
    ),
    "a lost one": (
        SMALL.replace("base_url=model.url", 'base_url="http://127.0.0.1:9/v1"'),
        "SmallAdapter cannot answer 'Hello?': APIConnectionError",
    ),
    "no such rule": (
        SMALL.replace('"TURN-4"', '"TURN-44"'),
        "TURN-44: inapplicable, but no rule",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_asked_is_said_in_a_sentence(tmp_path: Path, case: str) -> None:
    text, message = WRONG[case]
    path = tmp_path / "subject.py"
    if text:
        path.write_text(text, encoding="utf-8")
    before = tree(tmp_path)
    with pytest.raises(NotAnAdapter, match=re.escape(message)) as raised:
        check.run(path, as_json=False)
    assert raised.value.exit_code == 1
    assert raised.value.remedy
    assert len(raised.value.message.splitlines()) == 1
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("wire", "said"),
    [
        ("import no_such_client", "ModuleNotFoundError: No module"),
        ("def read(messages): ...", "ImportError: .+ScriptedModel"),
        ("7 +", "SyntaxError: .+"),
        ("raise KeyError(1)", "KeyError: 1"),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_a_wire_that_cannot_be_used_is_named(
    tmp_path: Path, wire: str, said: str
) -> None:
    (tmp_path / "wire.py").write_text(wire, encoding="utf-8")
    (tmp_path / "subject.py").write_text(
        SMALL.replace('"openai"', '"wire.py"'), encoding="utf-8"
    )
    with pytest.raises(NotAnAdapter, match=f"The wire cannot be used: {said}"):
        check.run(tmp_path / "subject.py", as_json=False)


def test_a_missing_client_of_a_wire_is_to_be_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "subject.py").write_text(SMALL, encoding="utf-8")
    files = foreign._files

    def without(subject: Subject) -> Mapping[PurePosixPath, bytes]:
        made = files(subject)
        wire = foreign._WIRE
        return made | {wire: made[wire].replace(b"from openai", b"from no_openai")}

    monkeypatch.setattr(foreign, "_files", without)
    with pytest.raises(NotAnAdapter, match="No module named 'no_openai'") as raised:
        check.run(tmp_path / "subject.py", as_json=False)
    assert "openai>=2,<4" in raised.value.remedy
