"""The conformance of an adapter that we did not make, as its user's file makes it."""

from __future__ import annotations

import ast
import itertools
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from packaging.requirements import Requirement

from band_new_adapter import apply, process, template
from band_new_adapter.answers import Answers
from band_new_adapter.catalog import PROVIDERS
from band_new_adapter.environment import Environment, environment_at, environment_for
from band_new_adapter.errors import TOO_DEEP, NotAnAdapter, meant
from band_new_adapter.plan import Plan
from band_new_adapter.render import render
from band_new_adapter.verify import Check, Verdict, Watch, judge, variables

CHECK = Check("conformance", ("pytest",))
WIRES = tuple(key for key, row in PROVIDERS.items() if row.requirement)
"""The providers whose scripted model anybody's adapter can meet."""

_NEEDED = ("band-sdk>=6.0.1,<7", "hypothesis", "pytest>=8.4", "pytest-asyncio>=1.1")
_WIRE = PurePosixPath("tests", "support", "wire.py")
_HTTP = "openai"
# What pytest ends with when its tests ran: all passed, or some failed.
_RAN = (0, 1)
_REMEDY = "See docs/how-to/check-an-adapter-of-your-own.md: it has a whole file."


@dataclass(frozen=True, slots=True)
class Subject:
    """A file that makes an adapter meet a scripted model; `wire` says which: the key
    of a provider, or a file of the user's own."""

    file: Path
    wire: str

    @classmethod
    def at(cls, path: Path) -> Subject:
        """The subject in the file `path`, which is not run. Raises NotAnAdapter."""
        try:
            tree = ast.parse(path.read_bytes(), path.name)
        except (OSError, SyntaxError, ValueError, *TOO_DEEP) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            reason = reason or "nested too deep"
            message = f"{path} cannot be read as Python: {reason}."
            raise NotAnAdapter(message, _REMEDY) from error
        wire = next(filter(None, map(_wire, tree.body)), "")
        if not wire:
            message = f"{path} does not say which model its adapter talks to."
            raise NotAnAdapter(message, f"Add such as: WIRE = {_HTTP!r}. {_REMEDY}")
        own = path.parent / wire
        if wire not in WIRES and not (own.suffix == ".py" and own.is_file()):
            choices = ", ".join(WIRES)
            raise NotAnAdapter(
                f"{path} asks for the scripted model {wire!r}, which does not exist."
                f"{meant(wire, WIRES)}",
                f"Choose from {choices}; or name a file of your own, beside {path.name}.",
            )
        return cls(path.resolve(), wire)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of it: the adapter's name, the verdict, and what was not asked, each
    with the reason."""

    adapter: str
    verdict: Verdict
    notes: tuple[str, ...]


def verify(subject: Subject, watch: Watch = lambda _: None) -> Asked:
    """Ask of the subject's adapter all that can be asked from outside.

    Leaves nothing behind. Raises NotAnAdapter when nothing can be asked.
    """
    environment = _environment(subject)
    with tempfile.TemporaryDirectory(prefix="band-new-adapter-") as folder:
        outer = Path(folder).resolve()
        plan = Plan.of_new(outer / "asked", _files(subject))
        with apply.staged(plan) as place:
            report = outer / "junit.xml"
            ended = process.run(_command(subject, environment, place, report))
            output = ended.output.strip().replace(f"{place}{os.sep}", "")
            if ended.status not in _RAN:
                raise _problem(subject, output)
            result = judge(CHECK, ended, output, report)
            watch(result)
            told = ElementTree.parse(report).getroot()
    facts = {
        str(item.get("name")): str(item.get("value"))
        for item in told.iterfind("testsuite/properties/property")
    }
    verdict = Verdict(environment, (result,))
    return Asked(facts["adapter"], verdict, tuple(_notes(facts, told)))


def _wire(statement: ast.stmt) -> str:
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id="WIRE")], value=ast.Constant(value=wire))
            | ast.AnnAssign(target=ast.Name(id="WIRE"), value=ast.Constant(value=wire))
        ):
            return str(wire)
    return ""


def _environment(subject: Subject) -> Environment:
    """The nearest virtual environment around the subject that has all that the tests
    need, or else that of this tool."""
    wanted = [Requirement(text) for text in _NEEDED]
    around = (parent / ".venv" for parent in subject.file.parents)
    found = (environment_at(folder, wanted) for folder in around)
    return next(filter(None, found), None) or environment_for(())


def _files(subject: Subject) -> dict[PurePosixPath, bytes]:
    """The tests of a package for the wire's provider, and what stands in for it."""
    row = PROVIDERS[subject.wire if subject.wire in WIRES else _HTTP]
    answers = Answers("foreign", "Foreign", row.pattern, row.key, (), (), "", "none")
    made = render(answers, template.root())
    files = {
        path: content
        for path, content in made.items()
        if path.parts[0] == "tests" and path.name != "test_foreign.py"
    }
    place = template.root() / "template" / "foreign"
    for path in filter(Path.is_file, place.rglob("*")):
        if path.suffix != ".pyc":
            files[PurePosixPath(path.relative_to(place).as_posix())] = path.read_bytes()
    if subject.wire not in WIRES:
        files[_WIRE] = (subject.file.parent / subject.wire).read_bytes()
    return files


def _command(
    subject: Subject, environment: Environment, place: Path, report: Path
) -> process.Command:
    words = (str(environment.python), "-P", "-m", *CHECK.words, "-p", "tests.plugin")
    words += ("-q", "-p", "no:cacheprovider", "--color=no", "--tb=short")
    words += ("--disable-warnings", f"--junitxml={report}")
    own = {"PYTHONPATH": str(place), "BAND_ADAPTER_SUBJECT": str(subject.file)}
    return process.Command(words, place, variables(report) | own)


def _problem(subject: Subject, output: str) -> NotAnAdapter:
    """Why nothing could be asked: what the tests said before they began."""
    found = re.search(r"^ERROR: (.+)", output, re.MULTILINE)
    said = found[1] if found else f"The tests could not be run:\n{output}"
    remedy = _REMEDY
    if "wire cannot be used" in said and subject.wire in WIRES:
        remedy = f"It needs {PROVIDERS[subject.wire].requirement}: install that."
    return NotAnAdapter(said, remedy)


def _notes(facts: Mapping[str, str], report: ElementTree.Element) -> Iterator[str]:
    """What was not asked: whole rules, and then single tests, by their reason."""
    rules: dict[str, list[str]] = {}
    for name, reason in facts.items():
        if name.startswith("not asked: "):
            rules.setdefault(reason, []).append(name.removeprefix("not asked: "))
    for reason, named in rules.items():
        yield f"{', '.join(named)}: not asked, because {reason}."
    tests: dict[str, list[list[str]]] = {}
    for case in report.iter("testcase"):
        skipped = case.find("skipped")
        about = [str(x.get("value")) for x in case.iterfind("properties/property")]
        if skipped is not None and about:
            tests.setdefault(str(skipped.get("message")), []).append(about)
    for reason, named in tests.items():
        about = ", ".join(dict.fromkeys(itertools.chain.from_iterable(named)))
        count = "1 test" if len(named) == 1 else f"{len(named)} tests"
        yield f"{about}: not asked in {count}, because {reason}."
    if kinds := facts["undeclared"]:
        yield f"{kinds}: asked only whether it refuses them, because it does not declare them."
