"""What pyproject.toml says of an adapter, and what its class does of its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from packaging.utils import canonicalize_name

from band_new_adapter import answers
from band_new_adapter.errors import NameRefused
from band_new_adapter.pyproject import FILE
from band_new_adapter.reading.found import Found, Untold
from band_new_adapter.reading.sources import Class

_SUFFIX = "Adapter"
_LICENSES = {
    "mit": "MIT",
    "mit license": "MIT",
    "apache-2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
}
_CLASSIFIER = "License :: OSI Approved :: "


def class_prefix(adapter: Class) -> Found:
    """What the names of the classes begin with. Raises Untold."""
    prefix = adapter.name.removesuffix(_SUFFIX)
    place = f"class {adapter.name} in {adapter.module.place(adapter.node)}"
    if prefix in ("", adapter.name):
        raise Untold(f"{place}, is not a word with {_SUFFIX} behind it")
    return Found(prefix, place)


def name(adapter: Class, project: Mapping[str, Any]) -> Found:
    """The adapter's name: that of its distribution or package where these have the
    usual one, otherwise that of its class."""
    distribution = canonicalize_name(str(project.get("name", "")))
    if rest := _behind(distribution, "band-adapter-"):
        return Found(_good(rest), f"the distribution {distribution} in {FILE}")
    path = adapter.module.path
    for folder in path.parts[:-1]:
        if rest := _behind(folder, "band_adapter_"):
            return Found(_good(rest), f"the package {folder}")
    prefix = adapter.name.removesuffix(_SUFFIX)
    if path.stem.replace("_", "") == prefix.lower():
        return Found(_good(path.stem), f"the module {path}")
    return Found(_good(prefix), f"the class {adapter.name}")


def _behind(text: str, head: str) -> str:
    return text.removeprefix(head) if text.startswith(head) else ""


def _good(text: str) -> str:
    try:
        return answers.name(text)
    except NameRefused as refused:
        return refused.nearest


def description(project: Mapping[str, Any], prefix: Found | None) -> Found:
    """What the adapter connects, or the usual sentence. Raises Untold."""
    text = project.get("description")
    if isinstance(text, str):
        return Found(text, f"description in {FILE}")
    if prefix is None:
        raise Untold(f"{FILE} has none")
    usual = answers.default_description(prefix.value)
    return Found(usual, f"the usual one: {FILE} has none")


def license_(project: Mapping[str, Any]) -> Found:
    """The license, by SPDX identifiers, their names or classifiers; otherwise none."""
    said = project.get("license")
    named = said.get("text") if isinstance(said, dict) else said
    classifiers = project.get("classifiers")
    words = [str(named)] if named else []
    for item in classifiers if isinstance(classifiers, list) else ():
        if rest := _behind(str(item), _CLASSIFIER):
            words.append(rest)
    for word in words:
        if known := _LICENSES.get(word.strip().lower()):
            return Found(known, f"license in {FILE}")
    if words:
        return Found("none", f"license in {FILE} is no choice of the template")
    return Found("none", f"{FILE} names none")
