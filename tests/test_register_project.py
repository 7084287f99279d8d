from __future__ import annotations

import tomllib

import pytest

from band_new_adapter.errors import UnknownShape
from band_new_adapter.register import requirements
from band_new_adapter.register.project import project
from tests.registering import ACME, LONGEST, added_lines, edited, entry, text

HOST = text(
    """
    [project]
    name = "band-sdk"
    version = "1"

    [project.optional-dependencies]
    # One of them.
    zeta = [
        "zeta>=1",  # for the client
    ]

    # For work on the project: not [zeta], nor "this".
    dev = [
        "pytest>=8",
        # Include zeta for testing
        "zeta>=1",
        # Include two more for testing
        "openai>=3.26.0,<4",
        "two>=2",  # a comment
        # Pretty output
        "rich",
    ]
    dev-zeta = ["ruff", "zeta"]

    [project.scripts]
    run = "band:run"
    """
)
EXTRA = 'acme = [\n    "openai>=2,<4",\n]\n'
DEV = '    # Include acme for testing\n    "openai>=2,<4",\n'
LINE = 'acme = ["openai>=2,<4"]'
PROJECT = '[project]\nname = "x"\nversion = "1"\n'
TABLE = "[project.optional-dependencies]\n"


LEFT = {
    "what is registered": edited(project, HOST),
    "the requirement in dev, written otherwise": text(
        """
        [project.optional-dependencies]
        acme = ['openai >= 2, < 4']
        dev = ['openai <4,>=2']
        """
    ),
}


@pytest.mark.parametrize("host", LEFT.values(), ids=LEFT.keys())
def test_leaves_alone(host: str) -> None:
    assert not project(host, ACME)


@pytest.mark.parametrize("name", ["ac-me", "ac_me", "Ac.Me", "AC--ME"])
def test_leaves_alone_the_extra_in_another_spelling(name: str) -> None:
    host = f"[project]\noptional-dependencies.'{name}' = ['OpenAI<4, >=2']\n"
    assert not project(host, entry(extra="ac_me"))


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["", "BOM"])
def test_adds_an_extra_and_what_dev_needs_of_it(newline: str, bom: str) -> None:
    host = bom + HOST.replace("\n", newline)
    after = edited(project, host)
    added = added_lines(host, after).splitlines(keepends=True)
    wanted = (EXTRA + DEV).replace("\n", newline).splitlines(keepends=True)
    assert sorted(added) == sorted(wanted)
    flat = after.replace("\r\n", "\n")
    assert "# for the client\n]\nacme = [\n" in flat
    assert f'"two>=2",  # a comment\n{DEV}    # Pretty output' in flat


EDITS = {
    "no extras": (PROJECT, f"{PROJECT}\n{TABLE}{LINE}\n"),
    "no extras, a table behind, no newline at the end": (
        f"{PROJECT}\n[tool.x]\ny = 1",
        f"{PROJECT}\n{TABLE}{LINE}\n\n[tool.x]\ny = 1",
    ),
    "[project] last, no newline at the end": (
        '[tool.x]\ny = 1\n\n[project]\nname = "x"',
        f'[tool.x]\ny = 1\n\n[project]\nname = "x"\n\n{TABLE}{LINE}',
    ),
    "an empty table of extras": (f"{PROJECT}{TABLE}\n", f"{PROJECT}{TABLE}{LINE}\n\n"),
    "a table in other letters": (
        "[ project . 'optional-dependencies' ]\na = []\n",
        f"[ project . 'optional-dependencies' ]\na = []\n{LINE}\n",
    ),
    "only extras of developers": (
        f'{TABLE}# Tools.\ndev = ["x"]\ntests = ["pytest"]\nwork = ["Ruff"]\n',
        (
            f'{TABLE}# Tools.\n{LINE}\ndev = ["x", "openai>=2,<4"]\n'
            'tests = ["pytest"]\nwork = ["Ruff"]\n'
        ),
    ),
    "an extra of all extras, of the project's own name": (
        f'{PROJECT}{TABLE}a = ["a"]\nbunch = ["X[a]"]\nall = ["a"]\n',
        f'{PROJECT}{TABLE}a = ["a"]\n{LINE}\nbunch = ["X[a]"]\nall = ["a"]\n',
    ),
    "an adapter that only begins like dev": (
        f'{TABLE}devin = ["devin"]\ndev-devin = ["devin"]\n',
        f'{TABLE}devin = ["devin"]\n{LINE}\ndev-devin = ["devin"]\n',
    ),
    "dotted keys": (
        "project.name = 'x'\nproject.optional-dependencies.a = ['a']\n",
        (
            "project.name = 'x'\nproject.optional-dependencies.a = ['a']\n"
            f"project.optional-dependencies.{LINE}\n"
        ),
    ),
    "dotted keys in [project], indented": (
        "[project]\n\toptional-dependencies . a = ['a']\n\tversion = '1'\n",
        (
            "[project]\n\toptional-dependencies . a = ['a']\n"
            f"\toptional-dependencies . {LINE}\n\tversion = '1'\n"
        ),
    ),
    "dotted keys without extras": (
        "project.name = 'x'\ny = 1\n",
        f"project.name = 'x'\nproject.optional-dependencies.{LINE}\ny = 1\n",
    ),
    "an inline table": (
        "[project]\noptional-dependencies = { a = ['a'], dev = ['x'] }  # {\n",
        (
            f"[project]\noptional-dependencies = {{ a = ['a'], {LINE}, "
            "dev = ['x', \"openai>=2,<4\"] }  # {\n"
        ),
    ),
    "an inline table of developers": (
        "[project]\noptional-dependencies = {dev = []}\n",
        f'[project]\noptional-dependencies = {{{LINE}, dev = ["openai>=2,<4"]}}\n',
    ),
    "an empty inline table": (
        "[project]\noptional-dependencies = {}\n",
        f"[project]\noptional-dependencies = {{ {LINE} }}\n",
    ),
    "dev without comments": (
        f"{TABLE}a = [\n  'a'\n]\ndev = [\n  'pytest'\n]\n",
        (
            f"{TABLE}a = [\n  'a'\n]\n{EXTRA}dev = [\n  'pytest',\n"
            '  # Include acme for testing\n  "openai>=2,<4",\n]\n'
        ),
    ),
    "the run of comments last in dev, without a comma": (
        f"{TABLE}a = ['a']\ndev = [\n    # Include a for testing\n    'a'\n]\n",
        (
            f"{TABLE}a = ['a']\n{LINE}\ndev = [\n    # Include a for testing\n    'a',\n"
            f"{DEV}]\n"
        ),
    ),
    "dev closing on the line of its last element": (
        f"{TABLE}a = ['a']\ndev = [\n    # Include a for testing\n    'a']\n",
        (
            f"{TABLE}a = ['a']\n{LINE}\ndev = [\n    # Include a for testing\n    'a',\n"
            '    # Include acme for testing\n    "openai>=2,<4"]\n'
        ),
    ),
    "a dependency group": (
        f"{PROJECT}\n[dependency-groups]\ndev = [\n    {{include-group = 'x'}},\n]\nx = []\n",
        (
            f"{PROJECT}\n{TABLE}{LINE}\n\n[dependency-groups]\ndev = [\n"
            f"    {{include-group = 'x'}},\n{DEV}]\nx = []\n"
        ),
    ),
    "strings that look like tables, and dates": (
        (
            '[project]\nname = "x"\ndescription = """\n[project.optional-dependencies]\n'
            "a = [1] # \\\"\"\" ]\"\"\"\nreadme = '''x\n'' ]'''\nd = 1979-05-27 07:32:00 # x\n"
        ),
        (
            '[project]\nname = "x"\ndescription = """\n[project.optional-dependencies]\n'
            "a = [1] # \\\"\"\" ]\"\"\"\nreadme = '''x\n'' ]'''\nd = 1979-05-27 07:32:00 # x\n"
            f"\n{TABLE}{LINE}\n"
        ),
    ),
    "arrays of tables": (
        "[[tool.x]]\ny = [[1], {z = 2}]\n[[tool.x]]\n[project]\nversion = '1'\n",
        (
            "[[tool.x]]\ny = [[1], {z = 2}]\n[[tool.x]]\n[project]\nversion = '1'\n"
            f"\n{TABLE}{LINE}\n"
        ),
    ),
}


@pytest.mark.parametrize(("host", "wanted"), EDITS.values(), ids=EDITS.keys())
def test_edits(host: str, wanted: str) -> None:
    assert edited(project, host) == wanted


def test_several_requirements_and_only_those_that_dev_lacks() -> None:
    wanted = ("openai>=2,<4", "two>=2", "three; python_version<'4'")
    after = edited(project, HOST, entry(requirements=wanted))
    extras = tomllib.loads(after)["project"]["optional-dependencies"]
    assert extras["acme"] == list(wanted)
    assert extras["dev"].count("two>=2") == 1
    assert extras["dev"][-3:-1] == [wanted[0], wanted[2]]


def test_a_long_extra_has_a_line_for_each_requirement() -> None:
    wanted = ("openai>=2.45,<4", "openai-agents>=0.19,<0.25", "three>=3.4.5,<4")
    after = edited(project, PROJECT, entry(extra=LONGEST.extra, requirements=wanted))
    assert '= [\n    "openai>=2.45,<4",\n    "openai-agents>=0.19,<0.25",\n' in after


REFUSED = {
    "what is no TOML": ("[project\n", "not TOML"),
    "an empty file": ("", r"no \[project\]"),
    "no project": ("[tool.poetry]\nname = 'x'\n", r"no \[project\]"),
    "a project in one line": ("project = {name = 'x'}\n", "inline table"),
    "extras that are dynamic": (
        "[project]\ndynamic = ['optional-dependencies']\n",
        "dynamic",
    ),
    "an extra of the name that asks for something else": (
        f"{TABLE}Ac_Me = ['openai>=1']\n",
        "an extra Ac_Me exists",
    ),
    "a dev that no version fits": (
        f"{TABLE}dev = ['OpenAI<2']\n",
        "contradicts 'OpenAI<2'",
    ),
}


@pytest.mark.parametrize(("host", "found"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses(host: str, found: str) -> None:
    with pytest.raises(UnknownShape, match=found):
        project(host, entry(extra="ac-me") if "Ac_Me" in host else ACME)


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        ("openai>=2,<4", "openai>=3.26.0,<4", True),
        ("anthropic>=1,<3", "anthropic>=0.75.0,<2", True),
        ("x>=2", "x<2", False),
        ("x>1", "x<=1", False),
        ("x>1", "x<1.1", True),
        ("x~=1.4", "x>=2", False),
        ("x==1.*", "x!=1.0,<2", True),
        ("x==1.4", "x!=1.4", False),
        ("x>=2.0rc1", "x<2.0", False),
        ("x>=3", "y<3", True),
        ("x>=3", "x<3; python_version < '3.12'", True),
        ("x>=3", "X @ https://example.org/x.whl", True),
        ("x", "not a requirement!", True),
    ],
)
def test_a_contradiction_is_found(one: str, other: str, *, possible: bool) -> None:
    assert bool(requirements.contradiction(one, [other])) is not possible
