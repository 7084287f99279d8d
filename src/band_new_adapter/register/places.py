"""Where a host lists its adapters: found by what a file contains, for the layout of a
test suite moves between releases."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from band_new_adapter.register import (
    baseline,
    configs,
    conformance,
    exports,
    outputs,
    project,
    readme,
)
from band_new_adapter.register.edit import Edit
from band_new_adapter.register.entry import Entry

Matches = Callable[[PurePosixPath, str, Entry], bool]


@dataclass(frozen=True, slots=True)
class Place:
    """Something of a host that lists adapters, found by what it contains.

    `lines` are those to paste by hand, or `$ ` and a command. Without a `required` place the host's own
    tests fail; any other may be left to a person. `lists` says of which adapters
    it has an entry.
    """

    name: str
    matches: Matches
    registrar: Callable[[str, Entry], Edit]
    lines: Callable[[Entry], str]
    required: bool = True
    lists: Callable[[Entry], bool] = lambda _: True


def _package(name: str) -> Matches:
    """`name/__init__.py` of the host, which exports lazily."""

    def matches(path: PurePosixPath, text: str, entry: Entry) -> bool:
        ending = (*entry.root.split("."), name, "__init__.py")
        return path.parts[-len(ending) :] == ending and "lazy_exports" in text

    return matches


def _project(path: PurePosixPath, text: str, _: Entry) -> bool:
    table = r"^\ufeff?\s*\[?\s*[\"']?project\b"
    return str(path) == "pyproject.toml" and bool(re.search(table, text, re.MULTILINE))


def _module(marker: str, line: str) -> Matches:
    """A Python file with `marker`, in a line that begins as the pattern `line`."""
    pattern = re.compile(rf"^{line}", re.MULTILINE)

    def matches(path: PurePosixPath, text: str, _: Entry) -> bool:
        # Nearly all files lack the marker, and this is the quick way to see it.
        found = path.suffix == ".py" and marker in text
        return found and bool(pattern.search(text))

    return matches


def _assigned(name: str) -> Matches:
    return _module(name, rf"{name}\b[^=\n]*=[^=]")


def _manifest(path: PurePosixPath, _: str, __: Entry) -> bool:
    return path.name == baseline.MANIFEST


def _readme(header: re.Pattern[str]) -> Matches:
    def matches(path: PurePosixPath, text: str, _: Entry) -> bool:
        return str(path) == "README.md" and bool(header.search(text))

    return matches


def _lock(path: PurePosixPath, _: str, __: Entry) -> bool:
    return str(path) == project.LOCK


def _has_extra(entry: Entry) -> bool:
    return bool(entry.requirements)


def _has_files(entry: Entry) -> bool:
    return entry.files


PLACES = (
    Place(
        "adapters' exports",
        _package("adapters"),
        exports.adapters,
        exports.adapters_lines,
    ),
    Place(
        "converters' exports",
        _package("converters"),
        exports.converters,
        exports.converters_lines,
    ),
    Place(
        "extra",
        _project,
        project.project,
        project.lines,
        lists=_has_extra,
    ),
    Place(
        "lock of the requirements",
        _lock,
        project.lock,
        project.lock_lines,
        required=False,
        lists=_has_extra,
    ),
    Place(
        "adapter configurations",
        _assigned(configs.ADAPTERS),
        configs.adapter_configs,
        configs.adapter_configs_lines,
    ),
    Place(
        "converter configurations",
        _assigned(configs.CONVERTERS),
        configs.converter_configs,
        configs.converter_configs_lines,
    ),
    Place(
        "output adapters",
        _module("class OutputAdapter", "class OutputAdapter\\("),
        configs.output_adapters,
        outputs.written,
    ),
    Place(
        "baseline's enum",
        _module("class Adapter(", r"class Adapter\(.*Enum\)"),
        baseline.adapters,
        baseline.adapters_lines,
    ),
    Place(
        "baseline's registry",
        _module("AdapterSupport(", rf"{baseline.SUPPORT}\b.*="),
        baseline.support,
        baseline.support_lines,
    ),
    Place(
        "end-to-end builder",
        _module("@adapter(", r"@adapter\("),
        baseline.builder,
        baseline.builder_lines,
    ),
    Place(
        "end-to-end manifest",
        _manifest,
        baseline.manifest,
        baseline.manifest_lines,
        required=False,
    ),
    Place(
        "turn probes",
        _module(f".{conformance.PROBES}", rf"\s*\*\*\w+\.{conformance.PROBES}\b"),
        conformance.turn_probes,
        conformance.turn_probes_lines,
    ),
    Place(
        "relaying adapters",
        _assigned(conformance.RELAYING),
        conformance.relaying,
        partial(conformance.id_lines, conformance.RELAYING),
    ),
    Place(
        "reply boundary",
        _assigned(conformance.REPLIES),
        conformance.reply_calls,
        conformance.reply_calls_lines,
    ),
    Place(
        "image matrix",
        _assigned(conformance.IMAGES),
        conformance.images,
        partial(conformance.id_lines, conformance.IMAGES),
        lists=_has_files,
    ),
    Place(
        "image probes",
        _assigned(conformance.IMAGE_PROBES),
        conformance.image_probes,
        conformance.image_probes_lines,
        lists=_has_files,
    ),
    Place(
        "adapters without files",
        _assigned(conformance.WITHOUT_FILES),
        conformance.without_files,
        partial(conformance.id_lines, conformance.WITHOUT_FILES),
        lists=lambda entry: not entry.files,
    ),
    Place(
        "README: supported adapters",
        _readme(readme.SUPPORTED),
        readme.supported,
        readme.supported_lines,
        required=False,
    ),
    Place(
        "README: what adapters emit",
        _readme(readme.REPORTED),
        readme.reported,
        readme.reported_lines,
        required=False,
    ),
)
