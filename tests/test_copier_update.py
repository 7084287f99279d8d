"""Copier alone updates an adapter as well, on a machine where this tool ran once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from band_new_adapter import template, versions
from tests import hosts, past
from tests.conftest import Cli
from tests.past import FIRST, NEWEST, made

COPIER = (sys.executable, "-m", "copier")
UPDATE = (*COPIER, "update", "--defaults", "--quiet")
# Nobody listens there.
NOWHERE = "http://127.0.0.1:9"


@cache
def cut_off() -> tuple[str, ...]:
    """What a command begins with to have no network, where that can be had."""
    words = ("unshare", "--map-root-user", "--net")
    if not shutil.which(words[0]):
        return ()
    tried = subprocess.run([*words, "true"], check=False, capture_output=True)
    return () if tried.returncode else words


def offline(words: tuple[str, ...], folder: Path) -> None:
    proxies = {f"{kind}_proxy": NOWHERE for kind in ("http", "https", "all")}
    both = proxies | {name.upper(): value for name, value in proxies.items()}
    command = (*cut_off(), *words)
    environment = {**os.environ, **both, "no_proxy": "", "NO_PROXY": ""}
    ended = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("provider", ["openai", "custom", "langgraph"])
def test_copier_alone_does_what_an_update_does(
    cli: Cli, tmp_path: Path, provider: str
) -> None:
    answers = past.whole(provider)
    ours, theirs = (
        past.repository(tmp_path / name, made(FIRST, answers))
        for name in ("ours", "theirs")
    )
    # This is what puts the template's versions where the answers name them.
    assert cli.adapter("update", str(ours), "--no-check") == 0
    offline(UPDATE, theirs)
    assert past.tree(theirs) == past.tree(ours) == made(NEWEST, answers)
    changed = hosts.git(theirs, "diff", "--unified=0", ".copier-answers.yml")
    assert changed.splitlines()[-2:] == [f"-_commit: {FIRST}", f"+_commit: {NEWEST}"]


def test_a_package_of_an_older_version_can_be_made_and_updated_by_copier(
    tmp_path: Path,
) -> None:
    """As somebody does who wants to see what an update is like."""
    versions.place()
    answers = past.whole("custom")
    questions = ("adapter", "class_prefix", "provider")
    data = [f"--data={name}={getattr(answers, name)}" for name in questions]
    folder = tmp_path / "adapter"
    which = (f"--vcs-ref={FIRST}", template.SOURCE, str(folder))
    offline((*COPIER, "copy", "--defaults", "--quiet", *data, *which), tmp_path)
    hosts.committed(folder)
    assert past.tree(folder) == made(FIRST, answers)
    offline(UPDATE, folder)
    assert past.tree(folder) == made(NEWEST, answers)
