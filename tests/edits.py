"""What authors do to an adapter that they were given.

Each edit is possible in every version, so it can be made before an update and after
it, and has to give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from band_new_adapter.answers import Answers
from tests.past import Tree

Change = Callable[[bytes], bytes | None]

_SOURCE = "src/{package}/adapter.py"
_CI = ".github/workflows/ci.yml"
_LIVE = ("examples/run_agent.py", "examples/live.py")


@dataclass(frozen=True)
class Edit:
    """What is done to one file: `change` makes its content anew, or None where the
    file goes, and `to` is where it is then, if not where it was.

    `paths` are all the places that versions of the template have it at.
    """

    name: str
    paths: tuple[str, ...]
    change: Change = lambda content: content
    to: str = ""

    def made(self, tree: Tree, answers: Answers) -> Tree:
        """`tree`, of these answers, with the edit."""
        words = {"package": answers.package, "adapter": answers.adapter}
        places = (PurePosixPath(path.format(**words)) for path in self.paths)
        (place,) = (path for path in places if path in tree)
        content = self.change(tree[place])
        rest = {path: text for path, text in tree.items() if path != place}
        to = PurePosixPath(self.to) if self.to else place
        return rest if content is None else {**rest, to: content}


def all_made(edits: Iterable[Edit], tree: Tree, answers: Answers) -> Tree:
    """`tree` with one edit after the other."""
    for edit in edits:
        tree = edit.made(tree, answers)
    return tree


def _crlf(content: bytes) -> bytes:
    """The text with the newlines of Windows."""
    return content.replace(b"\n", b"\r\n")


def _gone(content: bytes) -> None:
    return None


def _swap(old: str, new: str, times: int = 1) -> Change:
    """The text `old`, which is there so many times, becomes `new`."""

    def change(content: bytes) -> bytes:
        assert content.count(old.encode()) == times, old
        return content.replace(old.encode(), new.encode())

    return change


def _before(anchor: str, new: str) -> Change:
    return _swap(anchor, f"{new}{anchor}")


def _after(anchor: str, new: str) -> Change:
    return _swap(anchor, f"{anchor}{new}")


def _last(new: bytes) -> Change:
    return lambda content: content + new


_METHOD = '''\
    async def forget_all(self) -> None:
        """Forget every room."""
        for room_id in [*self._rooms]:
            await self.on_cleanup(room_id)

'''
_TEST = b"""

async def test_forgets_all_rooms(
    start: Callable[..., Awaitable[SimpleAdapter]], model: ScriptedModel
) -> None:
    model.script(Say("Hello."))
    adapter = await start()
    await Room(adapter).hear("Hi!")
    await adapter.cleanup_all()
"""
_IMPORT = "import (\n    DeliveryFailedError,\n    relay_reply,\n    reraise_delivery_cause,\n)"
_RULE = "return [user_message(text)] if text.strip() else []"
_QUIET = """\
if content.startswith("/quiet"):
        return []
    """

EDITS = (
    Edit("a method", (_SOURCE,), _before("    async def on_cleanup(", _METHOD)),
    Edit(
        "a default",
        (_SOURCE,),
        _swap("max_tool_rounds: PositiveInt = 20", "max_tool_rounds: PositiveInt = 12"),
    ),
    Edit(
        "the prompt",
        (_SOURCE,),
        _swap('section: str = ""\n', 'section: str = "Answer in German."\n'),
    ),
    Edit(
        "a field of the config",
        (_SOURCE,),
        _before("    max_tool_rounds: PositiveInt", '    greeting: str = ""\n'),
    ),
    Edit("a variable has another name", (_SOURCE,), _swap("excess", "surplus", 3)),
    Edit(
        "lines are joined",
        (_SOURCE,),
        _swap(
            _IMPORT, "import DeliveryFailedError, relay_reply, reraise_delivery_cause"
        ),
    ),
    Edit(
        "lines are parted",
        (_SOURCE,),
        _swap(
            "def _cut(text: str, limit: int) ->",
            "def _cut(\n    text: str,\n    limit: int,\n) ->",
        ),
    ),
    Edit("a rule", ("src/{package}/converter.py",), _before(_RULE, _QUIET)),
    Edit(
        "a test",
        ("tests/test_{adapter}.py",),
        lambda content: _after(
            "from collections.abc import Awaitable, Callable\n\n",
            "from band.core.simple_adapter import SimpleAdapter\n\n",
        )(content + _TEST),
    ),
    Edit(
        "an extra",
        ("pyproject.toml",),
        _after("[project.optional-dependencies]\n", 'notes = ["pyyaml>=6,<7"]\n'),
    ),
    Edit(
        "a dependency beside those that the template changes",
        ("pyproject.toml",),
        _after('    "pytest-asyncio>=1.1",\n', '    "rich>=13",\n'),
    ),
    Edit(
        "a version",
        ("pyproject.toml",),
        _swap('version = "0.1.0"', 'version = "1.4.0"'),
    ),
    Edit("a section", ("README.md",), _last(b"\n## Who asks\n\nAsk Maria.\n")),
    Edit(
        "a section in between",
        ("README.md",),
        _before("## What the agent hears", "## Who pays\n\nEverybody.\n\n"),
    ),
    Edit("a file goes", ("AGENTS.md",), _gone),
    Edit(
        "a call in the file that the template moves",
        _LIVE,
        _swap("configure_logging()\n", 'configure_logging("DEBUG")\n'),
    ),
    Edit("the newlines of Windows", ("tests/support/script.py",), _crlf),
    Edit("lines for git", (".gitignore",), _last(b"*.log\nnotes/\n")),
    Edit(
        "a step of CI",
        (_CI,),
        _before("      - run: ruff format", "      - run: pip list\n"),
    ),
    Edit(
        "a list is written otherwise",
        (_CI,),
        _swap(
            '["3.11", "3.12", "3.13"]',
            "\n          - '3.11'\n          - '3.12'\n          - '3.13'",
        ),
    ),
    Edit("a byte that is no UTF-8", (_CI,), lambda content: b"# Se\xf1or\n" + content),
    Edit("a file has another name", (_CI,), to=".github/workflows/checks.yml"),
)
"""All of these can be made at once, and leave the adapter green."""

ALONE = (
    Edit(
        "a dependency",
        ("pyproject.toml",),
        _swap('["band-sdk>=6.0.1,<7"]', '["band-sdk>=6.0.1,<7", "pyyaml>=6"]'),
    ),
    Edit("a file goes that the template changes", ("README.md",), _gone),
    Edit("a file goes that the template moves", _LIVE, _gone),
    Edit("a file has another place", ("README.md",), to="docs/README.md"),
    Edit("a file is moved by both", _LIVE, to="examples/serve.py"),
    Edit(
        "a file has another name and newlines", (_CI,), _crlf, ".github/workflows/c.yml"
    ),
    Edit("the moved file has newlines of Windows", _LIVE, _crlf),
)
"""These are about files of the others, or break a rule."""
