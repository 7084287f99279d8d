"""The documentation is true: its commands run, its links lead somewhere.

CONTRIBUTING.md says how a page is written so that it can be followed here.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from band_new_adapter import cli
from docs import generate

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PYTHON = Path(sys.executable)
EVERY = [*PAGES, *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING"))]

_LIKE_THE_READER = doctest.OutputChecker()
_ELIDED = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def short(path: object) -> str:
    return path.relative_to(ROOT).as_posix() if isinstance(path, Path) else str(path)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: what it is said to be, its text, its line."""

    kind: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(found[1], found[2], text.count("\n", 0, found.start()) + 1)


def runs(page: Path) -> bool:
    return any(block.kind == "console" for block in blocks(page))


class Reader:
    """Somebody who follows a page in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self._programs = _programs(folder / "bin")
        self._place = folder / "place"

    def follow(self, block: Block) -> None:
        """Type the commands, write the file or make the change that a block shows."""
        if block.kind == "console":
            self._type(block.text)
        elif block.kind == "diff":
            self._change(block.text)
        elif path := re.match(r"# (\S+/\S+\.\w+|\w+\.\w+)\n", block.text):
            file = self.folder / path[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")

    def _type(self, text: str) -> None:
        status, output = 0, ""
        for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            assert not status or command == "echo $?", f"exit {status} before {command}"
            status, output = self._run(command, status)
            if shown:
                same = _LIKE_THE_READER.check_output(shown, output, _ELIDED)
                assert same, f"$ {command}\n{output}\n{_missing(shown, output)}"
        assert not status, f"exit {status}\n{output}"

    def _run(self, command: str, before: int) -> tuple[int, str]:
        """Exit code and output; where the command went is where the next one is."""
        script = f'(exit {before})\n{command}\ncode=$?\npwd > "$PLACE"\nexit $code'
        variables = {
            "PATH": os.pathsep.join(
                (str(self._programs), str(PYTHON.parent), os.environ["PATH"])
            ),
            # Stands in for the `pip install -e` that a reader did.
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), "src")),
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "80",
            "PLACE": str(self._place),
            "PYTEST_ADDOPTS": "",
            # Readers have told git who they are.
            **{f"GIT_{role}_NAME": "Ana" for role in ("AUTHOR", "COMMITTER")},
            **{
                f"GIT_{role}_EMAIL": "ana@x.invalid" for role in ("AUTHOR", "COMMITTER")
            },
        }
        ended = subprocess.run(
            ["bash", "-c", script],
            check=False,
            cwd=self.folder,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        self.folder = Path(self._place.read_text(encoding="utf-8").strip())
        return ended.returncode, ended.stdout

    def _change(self, text: str) -> None:
        first, *lines = text.splitlines(keepends=True)
        path = self.folder / first.removeprefix("--- ").strip()
        before = "".join(line[1:] for line in lines if line[0] != "+")
        after = "".join(line[1:] for line in lines if line[0] != "-")
        whole = path.read_text(encoding="utf-8")
        assert whole.count(before) == 1, f"{path} does not have once:\n{before}"
        path.write_text(whole.replace(before, after), encoding="utf-8")


def _missing(shown: str, output: str) -> str:
    """What a page shows and a command did not print at that place."""
    rest = " ".join(output.split())
    for piece in shown.split("..."):
        wanted = " ".join(piece.split())
        if wanted not in rest:
            return f"It did not print: {wanted}"
        rest = rest[rest.index(wanted) + len(wanted) :]
    return f"It printed also: {rest}"


def _programs(folder: Path) -> Path:
    """A folder with the two commands of this tool."""
    folder.mkdir()
    for name in ("band-new-adapter", "band-adapter"):
        function = name.replace("-", "_")
        lines = (
            f"#!{PYTHON}",
            f"from band_new_adapter.__main__ import {function}",
            f"{function}()",
        )
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if runs(page)], ids=short)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for block in blocks(page):
        try:
            reader.follow(block)
        except AssertionError as error:
            error.add_note(f"{short(page)}:{block.line}")
            raise


@pytest.mark.parametrize("name", generate.PAGES)
def test_generated_pages_are_fresh(name: str) -> None:
    page = generate.REFERENCE / name
    assert page.read_text(encoding="utf-8") == generate.PAGES[name](), "run `make docs`"


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The files of this project that a page links to, each with the heading."""
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("https://", "http://")):
            path, _, heading = target.partition("#")
            yield (page.parent / path).resolve() if path else page, heading


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles}


@pytest.mark.parametrize("page", EVERY, ids=short)
def test_links_lead_somewhere(page: Path) -> None:
    for target, heading in links(page):
        assert target.exists(), target
        assert not heading or heading in headings(target), f"{target}#{heading}"


def test_every_page_is_reached_from_the_index() -> None:
    reached: set[Path] = set()
    found = {DOCS / "index.md"}
    while new := found - reached:
        reached |= new
        found |= {path for page in new for path, _ in links(page) if path in PAGES}
    assert reached == set(PAGES)


def words() -> Iterator[str]:
    """Every command, and every option that a user can give."""
    several: Any = typer.main.get_command(cli.several)
    yield "band-new-adapter"
    for name, command in [("", several), *several.commands.items()]:
        yield f"band-adapter {name}".strip()
        for parameter in command.params:
            yield from (word for word in parameter.opts if word.startswith("--"))


@pytest.mark.parametrize("word", sorted(set(words())))
def test_every_command_and_option_is_explained(word: str) -> None:
    by_hand = [page for page in EVERY if page.parent != generate.REFERENCE]
    text = "\n".join(page.read_text(encoding="utf-8") for page in by_hand)
    assert re.search(rf"(?<![\w-]){word}(?![\w-])", text)


def test_the_map_for_contributors_names_what_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./-]*[/.](?:py|yml|jinja|md|toml|bundle|[\w-]*/))`", text)
    assert named
    for name in named:
        path = ROOT / name.replace("KEY", "openai")
        assert path.exists(), name
