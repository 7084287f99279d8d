"""No description, however hostile, gets out of its place in a generated file."""

from __future__ import annotations

import dataclasses
import re
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from band_new_adapter import answers, template
from band_new_adapter.answers import Answers
from band_new_adapter.errors import UsageProblem
from band_new_adapter.render import render

ANSWERS = Answers("acme", "Acme", 2, "custom", (), (), "", "none")

HOSTILE = (
    "'''\"\"\"' \" ` \\ \\n {{ 7*7 }} {% raw %} {# c #} }} %}",
    "two\nlines\r\n\r\n# and a heading\n- a list\n\n    code",
    "a: b # c\n- d\n[tool.ruff]\nselect = []",
    "<script>alert(1)</script> &amp; &#49; [x]: http://y *b* _i_ ~s~ $m$",
    "\ufeff %TAG !!python/object:os.system \x1b[31m \x7f \x85 \u2028 é 😀",
    "1. one\n2) two",
    "--- \n===\n***",
    "```sh\nrm -rf /\n```",
    "long " * 2000,
)

# Pieces that mean something in one of the notations, and any character at all.
PIECES = st.one_of(
    st.sampled_from(HOSTILE).flatmap(lambda text: st.sampled_from(text.split())),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.sampled_from(["\n", "\r", "\t", " ", '"', "'", "\\", "`", "{{", "{%", "#", "-"]),
)


HOLDERS = {"pyproject.toml", ".copier-answers.yml", "README.md"}


def rendered(description: str, source: Path) -> dict[str, str]:
    made = render(dataclasses.replace(ANSWERS, description=description), source)
    return {path.as_posix(): content.decode() for path, content in made.items()}


@pytest.fixture(scope="module")
def holders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template without the many files in which no description stands."""
    source = tmp_path_factory.mktemp("template")
    shutil.copy(template.root() / "copier.yml", source)
    shutil.copytree(template.root() / "template", source / "template")
    for folder in ("src", "tests", "examples", ".github"):
        shutil.rmtree(source / "template" / "package" / folder)
    return source


def test_a_description_stands_in_three_files_alone() -> None:
    source = template.root()
    one, other = rendered("One.", source), rendered(HOSTILE[0], source)
    assert {name for name in one if one[name] != other[name]} == HOLDERS
    assert one.keys() == other.keys()


def first_paragraph(markdown: str) -> tuple[str, set[str]]:
    """Its text, and the kinds of inline elements that it is made of."""
    heading, after = markdown.split("\n", 1)
    assert heading == "# band-adapter-acme"
    tokens = MarkdownIt("commonmark").parse(after)
    assert [token.type for token in tokens[:2]] == ["paragraph_open", "inline"]
    inline = tokens[1].children or []
    return "".join(token.content for token in inline), {token.type for token in inline}


@given(st.lists(PIECES, max_size=8).map("".join))
@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@example("Connects Acme (an API) to Band: 3D rendering - fine!")
@example(HOSTILE[0])
@example(HOSTILE[1])
@example(HOSTILE[2])
@example(HOSTILE[3])
@example(HOSTILE[4])
@example(HOSTILE[5])
@example(HOSTILE[6])
@example(HOSTILE[7])
@example(HOSTILE[8])
def test_a_description_arrives_as_that_text_and_nothing_else(
    holders: Path, description: str
) -> None:
    files = rendered(answers.description(description), holders)

    project = tomllib.loads(files["pyproject.toml"])
    assert project["project"]["description"] == description
    assert set(project) == {"build-system", "project", "tool"}

    recorded = yaml.safe_load(files[".copier-answers.yml"])
    assert recorded["description"] == description
    assert recorded["adapter"] == "acme"

    text, kinds = first_paragraph(files["README.md"])
    # Blanks around a paragraph are no part of it in Markdown.
    if description.strip():
        assert text.strip() == description.strip()
        assert kinds == {"text"}
    else:
        assert text.startswith("This package")


@pytest.mark.parametrize(
    ("character", "shown"), [("\0", "U+0000"), ("\ud800", "U+D800")]
)
def test_a_character_that_no_file_can_hold_is_refused_by_name(
    character: str, shown: str
) -> None:
    with pytest.raises(UsageProblem, match=re.escape(shown)):
        answers.description(f"ok{character}")


def test_an_ordinary_description_stays_readable_as_markdown(holders: Path) -> None:
    description = "Connects Acme (an API) to Band: 3D rendering - fine!"
    assert f"\n{description}\n" in rendered(description, holders)["README.md"]
