"""What is made from something else: `python -m docs.generate` writes it anew.

The reference pages are, each from what it is about, and the passages of copier.yml and
pyproject.toml that repeat the rows of the catalogue.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from band_new_adapter import catalog, cli, errors, template
from band_new_adapter.catalog import Provider

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
CONFORMANCE = template.root() / "template" / "package" / "tests" / "conformance"

EXITS = {
    errors.GREEN: "Done. Every check that was to run has passed.",
    errors.FAILED: "It could not be done. Nothing changed.",
    errors.USAGE: "The command line, or an answer, cannot be used. Nothing changed.",
    errors.CONFLICTS: "An update left conflicts, which are listed; or with "
    "`update --check`: there is a newer template.",
    errors.CHECK_FAILED: "A check fails. What was made or updated is kept, to be "
    "looked at.",
    errors.INTERRUPTED: "Interrupted. Nothing changed.",
}


def rules() -> str:
    """Every rule with its text and the tests that check it."""
    text = (CONFORMANCE / "rules.py").read_text(encoding="utf-8")
    texts = _literal(text, "RULES")
    tests = list(_tests())
    lines = [
        *_head("Rules"),
        "What every adapter does. Each test in `tests/conformance/` of an adapter names",
        "the rules that it checks, and `band-adapter check` reports by rule.",
    ]
    for line in text.splitlines():
        if heading := re.fullmatch(r"    # (.+)", line):
            lines += ["", f"## {heading[1]}"]
        elif rule := re.match(r'    "([A-Z]+-\d+)":', line):
            lines += ["", f"### {rule[1]}", "", texts[rule[1]], ""]
            lines += _checked_by(rule[1], tests)
    return "\n".join([*lines, ""])


def _checked_by(rule: str, tests: Sequence[tuple[Path, str, set[str]]]) -> list[str]:
    found: dict[Path, list[str]] = {}
    for path, name, named in tests:
        if rule in named:
            found.setdefault(path, []).append(name)
    lines = []
    for path, names in found.items():
        source = path.relative_to(template.root()).as_posix()
        lines.append(f"- [`{path.name}`](../../{source})")
        lines += [f"  - `{name}`" for name in names]
    return lines


def _tests() -> Iterator[tuple[Path, str, set[str]]]:
    """Each conformance test: its file, its name, and the rules that it names."""
    for path in sorted(CONFORMANCE.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            marks = [mark for mark in node.decorator_list if isinstance(mark, ast.Call)]
            named = {
                ast.literal_eval(argument)
                for mark in marks
                if ast.unparse(mark.func) == "pytest.mark.rule"
                for argument in mark.args
            }
            if named:
                yield path, node.name, named


def _literal(text: str, name: str) -> dict[str, str]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name:
            return ast.literal_eval(node.value) if node.value else {}
    raise ValueError(f"there is no {name}")


def commands() -> str:
    """Every command with its arguments and options, and the exit codes."""
    lines = [*_head("Commands"), "`band-new-adapter` is `band-adapter new`."]
    several: Any = typer.main.get_command(cli.several)
    lines += _command("band-adapter", several)
    for name, command in several.commands.items():
        lines += _command(f"band-adapter {name}", command)
    lines += ["", "## Exit codes", "", "| Code | Meaning |", "| --- | --- |"]
    lines += [f"| {code} | {meaning} |" for code, meaning in EXITS.items()]
    return "\n".join([*lines, ""])


def _command(name: str, command: Any) -> list[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option"]
    given = (p.metavar if p.required else f"[{p.metavar}]" for p in arguments)
    usage = " ".join([name, *given])
    lines = ["", f"## {name}", "", command.help]
    lines += ["", "```text", f"{usage} [OPTIONS]", "```"]
    rows = [(f"`{p.metavar}`", p.help) for p in arguments]
    rows += [(f"`{_option(p)}`", p.help) for p in options]
    if rows:
        lines += ["", "| Argument or option | What it is |", "| --- | --- |"]
    return [*lines, *(f"| {given} | {told} |" for given, told in rows)]


def _option(option: Any) -> str:
    # A table takes a bare | for the end of its cell.
    metavar = (option.metavar or "").replace("|", r"\|")
    return f"{option.opts[0]} {metavar}".strip()


def providers() -> str:
    """Every provider with what an adapter for it can do, and every choice."""
    lines = [
        *_head("Providers and choices"),
        "What can be chosen, and what each provider supports. `band-adapter list` says so on",
        "the command line.",
    ]
    for provider in catalog.PROVIDERS.values():
        lines += _provider(provider)
    choices = {
        "Patterns": catalog.PATTERNS,
        "Emit kinds": catalog.EMIT,
        "Capabilities": catalog.CAPABILITIES,
        "Licenses": catalog.LICENSES,
    }
    for title, texts in choices.items():
        lines += ["", f"## {title}", "", "| Answer | What it is |", "| --- | --- |"]
        lines += [f"| `{key}` | {text} |" for key, text in texts.items()]
    return "\n".join([*lines, ""])


def _provider(provider: Provider) -> list[str]:
    key = provider.key_variable
    requirement = provider.requirement
    return [
        "",
        f"## {provider.key}",
        "",
        f"{provider.title}.",
        "",
        f"- Pattern: {provider.pattern}",
        f"- Works with: {provider.versions}",
        f"- Its extra installs: {f'`{requirement}`' if requirement else 'nothing'}",
        f"- Key in: {f'`{key}`' if key else '`NAME_API_KEY`, or as you choose'}",
        f"- Emit: {', '.join(f'`{kind}`' for kind in provider.emit)}",
        f"- Capabilities: {', '.join(f'`{kind}`' for kind in provider.capabilities)}",
        f"- Beside extras of band-sdk: {'; '.join(('all', *_needs(provider)))}",
        *(f"- Not `{kind}`: {reason}" for kind, reason in provider.refused.items()),
    ]


def _needs(provider: Provider) -> Iterator[str]:
    for needed, extras in provider.beside.items():
        named = ", ".join(f"`{extra}`" for extra in extras)
        yield f"{named} {'need' if len(extras) > 1 else 'needs'} `{needed}`"


def _head(title: str) -> list[str]:
    return [
        "<!-- Generated: `make docs` writes this page anew. -->",
        "",
        f"# {title}",
        "",
    ]


def choices(text: str) -> str:
    """copier.yml, which is `text`, with the providers of the catalogue."""
    rows = catalog.PROVIDERS.values()
    labels = "".join(f"    {row.title}: {row.key}\n" for row in rows)
    first = ", ".join(repr(row.key) for row in rows if row.pattern == 1)
    text = _replaced(r"\nprovider:.*?  choices:\n", labels, r"(?=  default:)", text)
    return _replaced(r"{% if \(provider in \[", first, r"\]", text)


def extras(text: str) -> str:
    """pyproject.toml, which is `text`, with an extra for each provider's client."""
    rows = [row for row in catalog.PROVIDERS.values() if row.requirement]
    made = "".join(f"{row.key} = {_listed(row.requirement)}\n" for row in rows)
    text = _replaced(r"\[project.optional-dependencies\]\n", made, r"(?=dev = )", text)
    keys = ",".join(row.key for row in rows)
    return _replaced(r'dev = \[\n    "band-new-adapter\[', keys, r"\]", text)


def _listed(requirement: str) -> str:
    texts = [f'"{text}"' for text in requirement.split(", ")]
    line = f"[{', '.join(texts)}]"
    return line if len(line) < 80 else "[\n    " + ",\n    ".join(texts) + ",\n]"


def _replaced(head: str, middle: str, tail: str, text: str) -> str:
    """`text` with `middle` between what `head` and `tail` match, which is there once."""
    found = re.findall(f"({head}).*?({tail})", text, re.DOTALL)
    if len(found) != 1:
        raise ValueError(f"{head} is there {len(found)} times")
    pattern = f"({head}).*?({tail})"
    return re.sub(pattern, lambda m: m[1] + middle + m[2], text, flags=re.DOTALL)


PAGES: Mapping[str, Callable[[], str]] = {
    "rules.md": rules,
    "commands.md": commands,
    "providers.md": providers,
}
PASSAGES: Mapping[str, Callable[[str], str]] = {
    "copier.yml": choices,
    "pyproject.toml": extras,
}


def main() -> None:
    """Write all pages and passages."""
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")
    for name, renewed in PASSAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        (ROOT / name).write_text(renewed(text), encoding="utf-8")


if __name__ == "__main__":
    main()
