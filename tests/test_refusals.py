"""What stands in the way of an update is said, and nothing is changed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import hosts, past
from tests.conftest import Cli
from tests.past import FIRST, made

ANSWERS = past.whole("custom")
ANSWERS_FILE = ".copier-answers.yml"
SUPPORT, ADDED = Path("tests/support"), Path("tests/conformance/test_sizes.py")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An adapter of the first version, under git."""
    return past.repository(tmp_path / "adapter", made(FIRST, ANSWERS))


def refused(cli: Cli, folder: Path, *said: str) -> None:
    """An update is refused with these words, and leaves everything as it was."""
    before = past.tree(folder)
    assert cli.adapter("update", str(folder), "--no-check") == 1, cli.out
    for words in said:
        assert words in cli.err
    assert cli.out == ""
    assert past.tree(folder) == before


def edited(folder: Path, pattern: str, text: str, name: str = ANSWERS_FILE) -> None:
    """The file `name` with `text` for each match of `pattern`, committed."""
    changed, count = re.subn(pattern, text, (folder / name).read_text())
    assert count
    (folder / name).write_text(changed)
    hosts.committed(folder)


@pytest.mark.parametrize(
    ("pattern", "text", "said"),
    [
        ("provider: custom", "provider: anthropic", "says provider: anthropic; the"),
        ("class_prefix: .*", "class_prefix: Zeta", "says class_prefix: Zeta; the code"),
        ("- usage\n", "", "says emit: tool_calls,thoughts,task_events; the code"),
        (
            "license: MIT",
            "license: MIT\ndestination: checkout",
            "answers 'destination'",
        ),
        ("license: MIT", "license: MIT\nroot: band", "answers 'root'"),
        ("license: MIT", f"license: MIT\n_y: {'[' * 999}", "is neither YAML nor JSON"),
    ],
)
def test_answers_that_somebody_edited(
    pattern: str, text: str, said: str, cli: Cli, folder: Path
) -> None:
    edited(folder, pattern, text)
    refused(cli, folder, said)


def test_a_library_beside_the_model_makes_no_other_provider(
    cli: Cli, folder: Path
) -> None:
    call = "import openai\n\n\ndef ask(client: openai.OpenAI) -> object:\n"
    call += "    return client.chat.completions.create\n"
    place = f"src/{ANSWERS.package}/embeddings.py"
    hosts.write(folder, {place: call})
    edited(
        folder, r"\Z", "\nimport openai as openai\n", f"src/{ANSWERS.package}/model.py"
    )
    edited(
        folder,
        "import re\n",
        f"import re\nfrom {ANSWERS.package} import embeddings\n",
        f"src/{ANSWERS.package}/adapter.py",
    )
    assert cli.adapter("update", str(folder), "--no-check") == 0, cli.err


def test_a_class_that_was_renamed_stays_so(cli: Cli, folder: Path) -> None:
    adapter = f"src/{ANSWERS.package}/adapter.py"
    edited(folder, rf"\b{ANSWERS.adapter_class}\b", "ChatAdapter", adapter)
    assert cli.adapter("update", str(folder), "--no-check") == 0, cli.err
    assert "class ChatAdapter(" in (folder / adapter).read_text()


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("source: .*", "source: ../../elsewhere"),
        ("root: .*", "root: another"),
        ("tests: .*", "tests: /tmp"),
        ("destination: .*", "destination: package"),
        ("probes: .*", "probes: [1]"),
        ("distribution: .*", "distribution: 5"),
        ("provider: .*", "provider: anthropic"),
        ("class_prefix: .*", "class_prefix: Zeta"),
    ],
)
def test_answers_of_an_adapter_in_another_host(
    pattern: str, text: str, cli: Cli, tmp_path: Path
) -> None:
    folder = hosts.collection(tmp_path / "collection")
    words = ("acme", "--provider", "custom", "--defaults", "--no-check")
    assert cli.new(*words, "--into", str(folder)) == 0, cli.err
    hosts.committed(folder)
    edited(folder, pattern, text, ".band-adapters/acme.yml")
    refused(cli, folder, f"says {text}; ")


def linked(folder: Path) -> None:
    os.rename(folder / SUPPORT, folder / "tests/own")
    (folder / SUPPORT).symlink_to("own")


def led_out(folder: Path) -> None:
    os.rename(folder / "README.md", folder.parent / "README.md")
    (folder / "README.md").symlink_to("../README.md")


def made_a_folder(folder: Path) -> None:
    (folder / ADDED).mkdir()
    (folder / ADDED / "data").touch()


def made_a_file(folder: Path) -> None:
    shutil.rmtree(folder / ADDED.parent)
    (folder / ADDED.parent).touch()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (linked, f"{SUPPORT}/__init__.py is behind a link"),
        (led_out, "which belongs to something else"),
        (made_a_folder, f"{ADDED} is in the way"),
        (made_a_file, f"{ADDED.parent} is in the way"),
        (
            lambda folder: (folder / ADDED).symlink_to("nothing"),
            f"{ADDED} is in the way",
        ),
    ],
    ids=["link", "link that leads out", "folder", "file", "link to nothing"],
)
def test_what_is_in_the_place_of_a_file(
    change: Callable[[Path], None], said: str, cli: Cli, folder: Path
) -> None:
    change(folder)
    hosts.committed(folder)
    refused(cli, folder, said)


def test_what_a_sparse_checkout_leaves_out_is_not_deleted(
    cli: Cli, folder: Path
) -> None:
    hosts.git(folder, "sparse-checkout", "set", "--no-cone", "/*", f"!/{SUPPORT}")
    assert not (folder / SUPPORT).exists()
    refused(cli, folder, f"not checked out: {SUPPORT}/__init__.py", "sparse-checkout")


def test_a_conflict_in_a_renamed_file_waits_too(cli: Cli, folder: Path) -> None:
    os.rename(folder / "pyproject.toml", folder / "project.toml")
    edited(folder, "hypothesis>=6.130", "hypothesis>=6.150", "project.toml")
    assert cli.adapter("update", str(folder), "--no-check") == 3
    hosts.committed(folder)
    edited(folder, "_commit: .*", f"_commit: {FIRST}")
    refused(cli, folder, "nobody resolved: project.toml")
