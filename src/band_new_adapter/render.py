"""Answers to files: the only importer of Copier."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from copier import Settings, run_copy
from plumbum import local

from band_new_adapter import template
from band_new_adapter.answers import Answers
from band_new_adapter.errors import writing

ANSWERS_FILE = PurePosixPath(".copier-answers.yml")
"""Where a package has its answers."""

# The path may go on over further, indented lines.
_SOURCE = rb"^_src_path:.*\n(?: .*\n)*"
_BUNDLE = b"template.bundle"
_PACKAGE: Mapping[str, Any] = MappingProxyType({})


def render(
    answers: Answers,
    source: Path,
    into: Mapping[str, Any] = _PACKAGE,
    answers_file: PurePosixPath = ANSWERS_FILE,
    version: str = template.TAG,
) -> dict[PurePosixPath, bytes]:
    """The files that `answers` make, by their paths; `answers_file` is one of them.

    `source` is the template's folder (copier.yml and template/) as `version` has
    it. The files are those that Copier makes from the bundle's version of the same template,
    byte for byte, without any git process. `into` has the answers that tell a
    checkout from a package, which nobody is asked for.
    """
    with (
        writing(Path(tempfile.gettempdir())),
        tempfile.TemporaryDirectory(prefix="band-new-adapter-") as folder,
    ):
        # Copier takes a clone for a git template and would render its last
        # tag; and it looks for git, which GIT_DIR could lead astray. Without
        # a path to git it does neither. The user's own settings stay out.
        with local.env(PATH=os.devnull):
            run_copy(
                str(source),
                folder,
                data={**answers.data, **into},
                answers_file=str(answers_file),
                defaults=True,
                quiet=True,
                settings=Settings(),
            )
        files = _tree(Path(folder))
    files[answers_file] = _with_source(files[answers_file], version)
    return files


def with_source_of(found: bytes, made: bytes) -> bytes:
    """The answers file `made`, with the source of the one that was `found` if that is
    the bundle too, as Copier writes it for somebody whose shell expanded its `~`."""
    source = re.search(_SOURCE, found, flags=re.MULTILINE)
    if not source or not source[0].rstrip().strip(b"\"'").endswith(_BUNDLE):
        return made
    return re.sub(_SOURCE, lambda _: source[0], made, count=1, flags=re.MULTILINE)


def _tree(folder: Path) -> dict[PurePosixPath, bytes]:
    return {
        PurePosixPath(path.relative_to(folder).as_posix()): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _with_source(answers_file: bytes, version: str) -> bytes:
    """The answers file as if the template had come from the bundle."""
    recorded = f"_commit: {version}\n_src_path: {template.SOURCE}\n"
    changed, count = re.subn(
        _SOURCE, lambda _: recorded.encode(), answers_file, count=1, flags=re.MULTILINE
    )
    if not count:
        raise ValueError("the template's answers file records no _src_path")
    return changed
