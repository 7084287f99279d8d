"""What others in a host need of an adapter: the modules of it that they import."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath

from band_new_adapter import walk
from band_new_adapter.errors import UnknownShape
from band_new_adapter.host import Host
from band_new_adapter.register import python

_KINDS = "adapters|converters|integrations"


def needed(
    host: Host,
    adapter: str,
    own: Collection[PurePosixPath],
    texts: Mapping[PurePosixPath, str],
) -> dict[str, str]:
    """Which kinds of the adapter's modules (`adapters`, …) files but its `own` import,
    and the first that does. `texts` has some of the files as they will be."""
    sources = (path for path in own if path.is_relative_to(host.source))
    names = [adapter, *(name for path in sources for name in _defined(host, path))]
    module = re.compile(
        rf"\b{re.escape(host.package)}\.({_KINDS})\.({'|'.join(names)})\b"
    )
    needs: dict[str, str] = {}
    for path in walk.written(host.root):
        if path.suffix != ".py" or path in own:
            continue
        text = texts.get(path)
        if text is None:
            text = _text(host, path)
        if any(name in text for name in names):
            told = "\n".join([text, *_imported(host, path, text)])
            for found in module.finditer(told):
                needs.setdefault(found[1], str(path))
    if "adapters" in needs:
        needs.setdefault("converters", needs["adapters"])
    if "converters" in needs:
        needs.setdefault("integrations", needs["converters"])
    return needs


def _defined(host: Host, path: PurePosixPath) -> Iterator[str]:
    """The names of a module that the host may export: classes and types."""
    for node in _statements(_text(host, path)):
        match node:
            case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                if name[0].isupper():
                    yield name


def _imported(host: Host, path: PurePosixPath, text: str) -> Iterator[str]:
    """The whole dotted names of what a module imports from others."""
    top = host.source.parents[host.package.count(".")]
    inside = path.parent.is_relative_to(top)
    package = path.parent.relative_to(top).parts if inside else path.parent.parts
    for statement in _statements(text):
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom):
                above = package[: len(package) + 1 - node.level] if node.level else ()
                module = ".".join([*above, *filter(None, [node.module])])
                yield from (f"{module}.{alias.name}" for alias in node.names)


def _statements(text: str) -> list[ast.stmt]:
    """Those of a module; none where it is not Python."""
    try:
        return python.parse(text).body
    except UnknownShape:
        return []


def _text(host: Host, path: PurePosixPath) -> str:
    """What is in a file of the host; "" where there is none."""
    file = host.root / path
    return walk.content(file).decode("utf-8", "replace") if file.is_file() else ""
