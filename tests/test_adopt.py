"""Answers are read from an adapter's code: what is written, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path, PurePosixPath
from typing import Any

import band
import pytest
import typer

from band_new_adapter import apply, bundle, questions, template
from band_new_adapter.answers import Answers
from band_new_adapter.catalog import PROVIDERS
from band_new_adapter.commands import adopt as command
from band_new_adapter.errors import NotAnAdapter, ProjectRefused
from band_new_adapter.reading import Reading, read
from band_new_adapter.render import ANSWERS_FILE, render
from tests import toy, variants
from tests.conftest import Cli

SDK = Path(band.__file__).parent / "adapters"
ALL = (variants.choices("emit"), variants.choices("capabilities"))

BY_HAND = """\
from band.core.simple_adapter import SimpleAdapter
from band.core.types import ALL_CAPABILITIES, Capability, Emit

EVERY = frozenset(Emit)


class AcmeAdapter(SimpleAdapter):
    SUPPORTED_EMIT = EMIT_VALUE
    SUPPORTED_CAPABILITIES = CAPABILITIES_VALUE

    async def on_message(self, msg, tools):
        while calls := await self._ask():
            for call in calls:
                await self._answer(call, tools)

    async def _answer(self, call, tools):
        return await tools.execute_tool_call(call.name, call.arguments)
"""


def by_hand(emit: str = "frozenset()", capabilities: str = "frozenset()") -> str:
    text = BY_HAND.replace("EMIT_VALUE", emit)
    return text.replace("CAPABILITIES_VALUE", capabilities)


def reading(text: str, name: str = "acme.py", **others: str) -> Reading:
    texts = {name: text} | {f"{key}.py": other for key, other in others.items()}
    return read({PurePosixPath(path): texts[path].encode() for path in texts})


def values(found: Reading) -> dict[str, Any]:
    return {key: one.value for key, one in found.found.items()}


def kinds() -> Iterator[Answers]:
    """Each provider with none, each and all of its kinds."""
    names = cycle(variants.NAMES)
    subsets = zip(
        variants.subsets("emit"), variants.subsets("capabilities"), strict=True
    )
    pairs = list(subsets)
    for provider in PROVIDERS.values():
        for emit, capabilities in pairs:
            name, prefix = next(names)
            text = f'It\'s {prefix}:\n\ta "model" \\ é \u2028.'
            yield Answers(
                *(name, prefix, provider.pattern, provider.key, emit, capabilities),
                *(text, "MIT"),
            )


@pytest.mark.parametrize("answers", list(kinds()), ids=variants.label)
def test_what_was_made_is_read_as_it_was_made(answers: Answers) -> None:
    made = render(answers, template.root())
    modules = {p: t for p, t in made.items() if p.suffix == ".py" and "src" in p.parts}
    found = read(modules, made[PurePosixPath("pyproject.toml")])
    assert not found.untold
    again, notes = questions.gather(values(found), defaults=False, ask=None)
    assert (again, notes) == (answers, ())


@pytest.mark.parametrize("license_", variants.choices("license"))
def test_the_answers_file_is_byte_for_byte_what_it_was(
    license_: str, cli: Cli, home: Path
) -> None:
    words = ("acme", "--provider", "gemini", "--defaults", "--no-check")
    assert cli.new(*words, "--license", license_, "--description", "It's: a #1.") == 0
    package = Path("band-adapter-acme")
    before = toy.tree(package)
    (package / ANSWERS_FILE).unlink()
    shutil.rmtree(home / ".band-new-adapter")
    assert cli.adapter("adopt", str(package), "--yes") == 0
    assert "Wrote .copier-answers.yml" in cli.out
    assert toy.tree(package) == before
    assert (home / ".band-new-adapter" / "template.bundle").is_file()


@pytest.mark.parametrize(
    ("module", "provider", "pattern"),
    [
        ("anthropic", "anthropic", 2),
        ("gemini", "gemini", 2),
        ("langgraph", "langgraph", 1),
        ("google_adk", "custom-framework", 1),
        ("agno", "custom-framework", 1),
        ("copilot_sdk", "custom-framework", 1),
    ],
)
def test_adapters_of_the_sdk_are_read(module: str, provider: str, pattern: int) -> None:
    text = (SDK / f"{module}.py").read_text(encoding="utf-8")
    found = reading(text, f"{module}.py")
    read_ = values(found)
    assert (read_["adapter"], read_["provider"]) == (module, provider)
    assert read_["pattern"] == pattern
    assert found.adapter_class == f"{read_['class_prefix']}Adapter"
    assert {"tool_calls", "usage"} <= set(read_["emit"])
    assert read_["capabilities"] == list(variants.choices("capabilities"))
    line = found.found["emit"].evidence.rpartition("line ")[2]
    assert "SUPPORTED_EMIT" in text.splitlines()[int(line) - 1]


@pytest.mark.parametrize(
    ("written", "kinds"),
    [
        ("frozenset({Emit.USAGE, Emit.TOOL_CALLS})", ["tool_calls", "usage"]),
        ("frozenset([Emit.USAGE])", ["usage"]),
        ("{Emit.USAGE}", ["usage"]),
        ("Emit.THOUGHTS | Emit.USAGE", ["thoughts", "usage"]),
        ("frozenset({Emit.THOUGHTS}) | {Emit.USAGE}", ["thoughts", "usage"]),
        ("frozenset(Emit)", list(ALL[0])),
        ("EVERY", list(ALL[0])),
        ("EVERY - {Emit.USAGE}", list(ALL[0][:3])),
        ("frozenset({*EVERY})", list(ALL[0])),
        ("frozenset()", []),
        ("set()", []),
    ],
)
def test_a_declaration_is_read(written: str, kinds: list[str]) -> None:
    assert values(reading(by_hand(emit=written)))["emit"] == kinds


def test_all_capabilities_are_read() -> None:
    found = values(reading(by_hand(capabilities="ALL_CAPABILITIES")))
    assert found["capabilities"] == list(ALL[1])


@pytest.mark.parametrize(
    "written",
    [
        "frozenset(x for x in Emit)",
        "frozenset({Emit.NOVEL})",
        "OTHERS",
        "EVERY if DEBUG else frozenset()",
        "kinds()",
        "frozenset({Emit.USAGE}) & EVERY",
        "SUPPORTED_EMIT",
    ],
)
def test_a_computed_declaration_is_not_guessed(written: str) -> None:
    found = reading(by_hand(emit=written))
    assert "emit" not in found.found
    assert found.untold["emit"] == "SUPPORTED_EMIT in acme.py, line 8, is computed"


def test_what_is_set_again_is_not_guessed() -> None:
    text = by_hand(emit="EVERY") + "\n\nAcmeAdapter.SUPPORTED_EMIT = frozenset()\n"
    assert "emit" in reading(text).untold


def test_nothing_declared_is_none_and_inherited_is_read() -> None:
    text = "from band.core.simple_adapter import SimpleAdapter as Base\n\n\n"
    assert values(reading(f"{text}class AAdapter(Base[list]): pass\n"))["emit"] == []
    derived = "from .acme import AcmeAdapter\n\nclass BAdapter(AcmeAdapter): pass\n"
    found = read(
        {
            PurePosixPath("pkg/acme.py"): by_hand(emit="{Emit.USAGE}").encode(),
            PurePosixPath("pkg/b.py"): derived.encode(),
            PurePosixPath("pkg/__init__.py"): b"",
        }
    )
    assert (found.adapter_class, values(found)["emit"]) == ("BAdapter", ["usage"])
    assert "pkg/acme.py, line 8" in found.found["emit"].evidence
    assert values(found)["provider"] == "custom"


def test_a_class_from_elsewhere_is_not_guessed() -> None:
    text = (
        "from other import RemoteAdapter\n\nEmit = 1\n\n"
        "class FarAdapter(RemoteAdapter):\n    SUPPORTED_EMIT = frozenset()\n"
    )
    found = reading(text)
    assert values(found)["emit"] == []
    assert "a class that is not here" in found.untold["capabilities"]


IN_A_LOOP = by_hand()
FRAMEWORK = """\
from band.core.simple_adapter import SimpleAdapter


class AcmeAdapter(SimpleAdapter):
    async def on_message(self, msg, tools):
        made = [self._tool(schema, tools) for schema in tools.schemas()]
        async for event in self._agent.run(made):
            await self._report(event)

    def _tool(self, schema, tools):
        async def call(**arguments):
            return await tools.execute_tool_call(schema["name"], arguments)

        return call
"""
CLIENT = "\n\nasync def ask(client):\n    return await client.{}(model='m')\n"


@pytest.mark.parametrize(
    ("text", "provider"),
    [
        (IN_A_LOOP, "custom"),
        (FRAMEWORK, "custom-framework"),
        ("import anthropic\n" + IN_A_LOOP, "anthropic"),
        ("from google import genai\n" + IN_A_LOOP, "gemini"),
        ("from google.genai import types\n" + IN_A_LOOP, "gemini"),
        ("import google.adk\n" + FRAMEWORK, "custom-framework"),
        (
            "import openai\n" + IN_A_LOOP + CLIENT.format("chat.completions.create"),
            "openai",
        ),
        (
            "import openai\n" + IN_A_LOOP + CLIENT.format("responses.create"),
            "openai-responses",
        ),
        (
            "import openai\n" + IN_A_LOOP + CLIENT.format("responses.parse"),
            "openai-responses",
        ),
        (
            "import anthropic\n" + FRAMEWORK + CLIENT.format("beta.messages.stream"),
            "anthropic",
        ),
        ("import agents, openai\n" + FRAMEWORK, "openai-agents"),
        ("from langchain.agents import create_agent\n" + FRAMEWORK, "langgraph"),
        ("from .agents import x\n" + FRAMEWORK, "custom-framework"),
        ("import openai_like, anthropic_like\n" + IN_A_LOOP, "custom"),
    ],
)
def test_the_provider_is_told_by_imports_and_calls(text: str, provider: str) -> None:
    found = reading(text)
    assert values(found)["provider"] == provider, found.untold
    assert values(found)["pattern"] == PROVIDERS[provider].pattern


@pytest.mark.parametrize(
    "text",
    [
        "import openai\n" + IN_A_LOOP,
        "import openai, anthropic\n" + IN_A_LOOP,
        "import langgraph\n" + IN_A_LOOP,
        IN_A_LOOP.replace("execute_tool_call", "something"),
    ],
)
def test_a_provider_that_cannot_be_told_is_not_guessed(text: str) -> None:
    assert reading(text).untold["provider"]


@pytest.mark.parametrize(
    ("project", "license_"),
    [
        ("license = 'MIT'", "MIT"),
        ("license = {text = 'MIT License'}", "MIT"),
        ("license = 'apache-2.0'", "Apache-2.0"),
        ("license = 'BSD-3-Clause'", "none"),
        ("license = {file = 'LICENSE'}", "none"),
        (
            "classifiers = ['License :: OSI Approved :: Apache Software License']",
            "Apache-2.0",
        ),
        ("classifiers = 7", "none"),
        ("", "none"),
    ],
)
def test_the_license_is_read(project: str, license_: str) -> None:
    found = read(
        {PurePosixPath("acme.py"): by_hand().encode()},
        f"[project]\nname = 'my-acme'\n{project}\n".encode(),
    )
    assert values(found)["license"] == license_
    assert values(found)["adapter"] == "acme"
    assert values(found)["description"] == "Connects Acme to Band chat rooms."


@pytest.fixture
def package() -> Path:
    """An adapter that somebody wrote by hand, flat in its package."""
    folder = Path("mine")
    (folder / "acme_band").mkdir(parents=True)
    (folder / "acme_band" / "__init__.py").touch()
    (folder / "acme_band" / "bridge.py").write_text(by_hand("{Emit.USAGE}"))
    (folder / "pyproject.toml").write_text("[project]\nname = 'acme-band'\n")
    return folder


def test_an_adapter_by_hand_is_adopted(cli: Cli, package: Path) -> None:
    before = toy.tree(package)
    assert cli.adapter("adopt", str(package), "--yes", "--json") == 0
    found = cli.json
    assert (found["status"], found["exit"], cli.err) == ("adopted", 0, "")
    assert found["answers"]["provider"] == "custom"
    assert found["answers"]["emit"] == ["usage"]
    assert found["evidence"]["emit"] == (
        "SUPPORTED_EMIT in acme_band/bridge.py, line 8"
    )
    assert "src/band_adapter_acme/adapter.py" in found["notes"][0]
    after = toy.tree(package)
    recorded = after.pop(str(ANSWERS_FILE))
    assert after == before
    assert f"_commit: {template.TAG}".encode() in recorded
    assert cli.adapter("adopt", str(package), "--yes") == 1
    assert "has answers already" in cli.err
    assert "band-adapter update" in cli.err
    assert toy.tree(package) == before | {str(ANSWERS_FILE): recorded}


@pytest.mark.parametrize("flags", [(), ("--json",)], ids=str)
def test_without_anybody_to_confirm_nothing_is_written(
    flags: tuple[str, ...], cli: Cli, package: Path, home: Path
) -> None:
    before = toy.tree(package)
    words = ("adopt", str(package), "--license", "MIT", "--capability", "files,tasks")
    assert cli.adapter(*words, *flags) == 2
    assert toy.tree(package) == before
    assert not any(home.iterdir())
    confirm = "band-adapter adopt mine --capability files,tasks --license MIT --yes"
    if flags:
        assert cli.json["status"] == "unconfirmed"
        assert confirm in cli.json["next"][1]
        return
    assert "Nothing is written" in cli.out
    assert "files, tasks (--capability)" in cli.out
    assert confirm in cli.out
    lines = [line for line in cli.out.splitlines() if confirm not in line]
    assert max(map(len, lines)) < 80


def test_a_dry_run_shows_and_writes_nothing(cli: Cli, package: Path) -> None:
    before = toy.tree(package)
    assert cli.adapter("adopt", str(package), "--dry-run", "--yes", "--json") == 0
    assert (cli.json["status"], cli.json["files"]) == ("planned", [str(ANSWERS_FILE)])
    assert toy.tree(package) == before


@pytest.mark.parametrize(("answer", "code"), [(True, 0), (False, 1)])
def test_on_a_terminal_it_asks(
    answer: bool, code: int, cli: Cli, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "can_ask", lambda: True)
    monkeypatch.setattr(typer, "confirm", lambda text: answer)
    assert cli.adapter("adopt", str(package)) == code
    assert cli.out.count("Read AcmeAdapter") == 1
    assert (package / ANSWERS_FILE).exists() == answer


def test_what_cannot_be_told_is_asked_on_a_terminal(
    cli: Cli, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package / "acme_band" / "bridge.py").write_text(
        by_hand("kinds()").replace("execute_tool_call", "something")
    )
    said = {"pattern": 1, "provider": "langgraph", "emit": ("usage",)}
    monkeypatch.setattr(command, "can_ask", lambda: True)
    monkeypatch.setattr(command, "ask", lambda question, known: said[question.key])
    assert cli.adapter("adopt", str(package), "--yes") == 0
    assert "does not tell: " in cli.out.partition("provider  ")[0]
    assert "provider      langgraph\n" in cli.out
    assert "emit:\n- usage\n" in (package / ANSWERS_FILE).read_text()


def test_flags_correct_what_was_read(cli: Cli, package: Path) -> None:
    (package / "acme_band" / "bridge.py").write_text(by_hand("kinds()"))
    words = ("adopt", str(package), "--yes", "--json")
    assert cli.adapter(*words) == 2
    assert "line 8, is computed" in cli.json["message"]
    assert cli.json["remedy"] == "Give --emit."
    flags = ("--emit", "usage", "--emit", "thoughts", "--provider", "openai-agents")
    assert (
        cli.adapter(*words, *flags, "--name", "acme-two", "--class-prefix", "Two") == 0
    )
    found = cli.json["answers"]
    assert found["emit"] == ["thoughts", "usage"]
    assert (found["provider"], found["pattern"]) == ("openai-agents", 1)
    assert (found["adapter"], found["class_prefix"]) == ("acme_two", "Two")
    assert cli.json["evidence"]["provider"] == "--provider"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--pattern", "1"), "does not go with --pattern 1"),
        (("--provider", "x"), "Choose from: openai"),
        (("--emit", "x"), "Choose from: tool_calls"),
        (("--name", "2fast"), "begins with a digit"),
        (("--class-prefix", "acme"), "cannot begin a class name"),
        (("--license", "GPL"), "Choose from: MIT"),
    ],
    ids=str,
)
def test_wrong_flags_are_usage(
    words: tuple[str, ...], said: str, cli: Cli, package: Path
) -> None:
    before = toy.tree(package)
    assert cli.adapter("adopt", str(package), "--yes", *words) == 2
    assert said in cli.err
    assert toy.tree(package) == before


def test_two_adapters_are_told_apart_by_their_file(cli: Cli, package: Path) -> None:
    other = package / "acme_band" / "other.py"
    other.write_text(by_hand("{Emit.THOUGHTS}").replace("Acme", "Other"))
    assert cli.adapter("adopt", str(package), "--yes") == 1
    assert "AcmeAdapter in acme_band/bridge.py" in cli.err
    assert "OtherAdapter in acme_band/other.py" in cli.err
    assert cli.adapter("adopt", str(other), "--yes", "--json") == 0
    assert cli.json["answers"]["adapter"] == "other"
    assert cli.json["answers"]["emit"] == ["thoughts"]
    assert (package / ANSWERS_FILE).is_file()


def test_a_broken_file_counts_where_the_adapter_needs_it(
    cli: Cli, package: Path
) -> None:
    broken = package / "acme_band" / "broken.py"
    broken.write_text("def x(:\n")
    assert cli.adapter("adopt", str(package), "--dry-run") == 0
    bridge = package / "acme_band" / "bridge.py"
    bridge.write_text("from acme_band.broken import x\n" + by_hand())
    assert cli.adapter("adopt", str(package), "--yes") == 1
    assert "acme_band/broken.py, line 1 is not Python: invalid syntax" in cli.err
    bridge.write_text("class (\n")
    assert cli.adapter("adopt", str(package), "--yes", "--json") == 1
    assert "acme_band/bridge.py" in cli.json["message"]
    assert not (package / ANSWERS_FILE).exists()


@pytest.mark.parametrize(
    "content", [b"\0", b"# coding: nonsense\n", b"\xff\xfe", b"x = " + b"(" * 9999]
)
def test_what_is_not_python_is_said(content: bytes) -> None:
    with pytest.raises(NotAnAdapter, match=r"a\.py.* is not Python"):
        read({PurePosixPath("a.py"): content})


@pytest.mark.parametrize(
    "value", ["-" * 100_000 + "1", "not " * 20_000 + "1", "-" * 3000 + "1"]
)
def test_what_is_nested_too_deep_is_said(value: str) -> None:
    with pytest.raises(NotAnAdapter, match=r"a\.py is nested too deep"):
        read({PurePosixPath("a.py"): f"x = {value}\n".encode()})


def test_what_is_just_not_too_deep_is_read() -> None:
    kinds = " | ".join(["{Emit.USAGE}"] * 900)
    found = reading(by_hand(kinds) + f"x = a{'.b' * 900}\n", "acme.py")
    assert found.untold["emit"].endswith("is computed")
    assert values(found)["provider"] == "custom"
    project = f"[project]\nname = {'[' * 2000}".encode()
    with pytest.raises(ProjectRefused, match="not TOML"):
        read({PurePosixPath("acme.py"): by_hand().encode()}, project)


def test_a_project_that_is_nested_too_deep_is_said(cli: Cli, package: Path) -> None:
    (package / "pyproject.toml").write_text(f"[project]\nname = {'[' * 2000}")
    for verb in ("adopt", "check"):
        assert cli.adapter(verb, str(package)) == 1
        assert "pyproject.toml" in cli.err and cli.err.count("\n") == 2


def test_a_place_without_an_adapter_is_refused(cli: Cli, package: Path) -> None:
    (package / "notes.txt").touch()
    Path("empty").mkdir()
    for path, said in {
        "nowhere": "does not exist",
        "mine/notes.txt": "no Python module",
        "empty": "there is no pyproject.toml",
        "mine/acme_band/__init__.py": "no class derives from SimpleAdapter",
    }.items():
        assert cli.adapter("adopt", path, "--yes") == 1
        assert said in cli.err
    (package / "acme_band" / "bridge.py").write_text("x = 1\n")
    assert cli.adapter("adopt", str(package), "--yes") == 1
    assert "There is no adapter here" in cli.err
    (package / "pyproject.toml").write_text("not toml")
    (package / "acme_band" / "bridge.py").write_text(by_hand())
    assert cli.adapter("adopt", str(package), "--yes") == 1
    assert "is not TOML" in cli.err
    assert not (package / ANSWERS_FILE).exists()


def test_tests_and_other_packages_are_not_looked_at(cli: Cli, package: Path) -> None:
    for place in ("tests", "examples", ".venv", "other", "env"):
        folder = package / place
        folder.mkdir()
        (folder / "a.py").write_text(
            by_hand().replace("Acme", place.strip(".").title())
        )
    (package / "other" / "pyproject.toml").touch()
    (package / "env" / "pyvenv.cfg").touch()
    (package / "test_it.py").write_text(by_hand().replace("Acme", "Test"))
    assert cli.adapter("adopt", str(package), "--dry-run", "--json") == 0
    assert cli.json["module"] == "acme_band/bridge.py"


def test_a_collection_is_refused(cli: Cli, package: Path) -> None:
    for kind in ("adapters", "converters"):
        folder = package / "acme_band" / kind
        folder.mkdir()
        (folder / "__init__.py").write_text("lazy_exports")
    with (package / "pyproject.toml").open("a") as file:
        file.write("dependencies = ['band-sdk>=6.0.1,<7']\n")
    assert cli.adapter("adopt", str(package), "--yes") == 1
    assert "acme-band, which takes adapters in" in cli.err
    assert ".band-adapters/" in cli.err


def test_a_failure_leaves_nothing(
    cli: Cli, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = toy.tree(package)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(apply, "_replace", full)
    assert cli.adapter("adopt", str(package), "--yes") == 1
    assert "No space left" in cli.err
    assert toy.tree(package) == before
    assert sorted(os.listdir(package)) == ["acme_band", "pyproject.toml"]


def test_a_package_of_an_older_template_is_known_again(
    cli: Cli, toy_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = template.files(toy_template)
    versions = tmp_path / "versions.bundle"
    versions.write_bytes(bundle.build(old, "v0.0.1", versions))
    now = toy.make_template(tmp_path / "now")
    readme = now / "template" / "package" / "README.md.jinja"
    readme.write_text("New. {{ description }}\n")
    versions.write_bytes(bundle.build(template.files(now), template.TAG, versions))
    monkeypatch.setattr(template, "BUNDLE", versions)
    answers = Answers("acme", "Acme", 2, "custom", (), (), "It.", "none")
    cases = [(toy_template, "v0.0.1", b"\n"), (now, template.TAG, b"\n")]
    for source, version, newline in [*cases, (toy_template, "v0.0.1", b"\r\n")]:
        monkeypatch.setattr(template, "root", lambda: now)
        package = tmp_path / f"{version}{len(newline)}"
        for path, content in render(answers, source, version=version).items():
            (package / path).parent.mkdir(parents=True, exist_ok=True)
            (package / path).write_bytes(content.replace(b"\n", newline))
        recorded = (package / ANSWERS_FILE).read_bytes()
        (package / ANSWERS_FILE).unlink()
        module = package / "src" / "band_adapter_acme" / "adapter.py"
        module.write_text(by_hand())
        flags = ("--description", "It.")
        assert cli.adapter("adopt", str(package), "--yes", *flags, "--json") == 0
        assert cli.json["template"]["version"] == version
        written = (package / ANSWERS_FILE).read_bytes()
        assert written == recorded.replace(b"\r\n", b"\n")


def test_a_description_cannot_command_the_terminal(cli: Cli, package: Path) -> None:
    project = "[project]\nname = 'acme-band'\ndescription = " + json.dumps("a\x1b[31mb")
    (package / "pyproject.toml").write_text(project)
    assert cli.adapter("adopt", str(package), "--dry-run") == 0
    assert "\x1b" not in cli.out
    assert "a\\x1b[31mb" in cli.out
