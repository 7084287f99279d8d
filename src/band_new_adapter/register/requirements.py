"""Requirements of Python packages, compared."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version


def name(text: object) -> str:
    """The package that `text` asks for; "" where it is no requirement."""
    requirement = _parsed(text)
    return canonicalize_name(requirement.name) if requirement else ""


def same(some: Iterable[object], others: Iterable[object]) -> bool:
    """Whether both ask for the same, however it is written."""
    return {*map(_normal, some)} == {*map(_normal, others)}


def missing(wanted: Iterable[str], have: Iterable[object]) -> list[str]:
    """What of `wanted` is not among `have`, however it is written there."""
    known = {*map(_normal, have)}
    return [one for one in wanted if _normal(one) not in known]


def contradiction(one: str, others: Iterable[object]) -> str:
    """The first of `others` that no version of a package fulfils together with `one`.

    "" if there is none. What depends on a marker or an address is left out.
    """
    ours = _plain(one)
    for other in others:
        theirs = _plain(other)
        if (
            ours
            and theirs
            and canonicalize_name(ours.name) == canonicalize_name(theirs.name)
            and _impossible(ours.specifier & theirs.specifier)
        ):
            return str(other)
    return ""


def _impossible(specifiers: SpecifierSet) -> bool:
    """Whether no version is in the set: it would be at a bound, or just above one."""
    bounds = [re.sub(r"\.\*$", "", one.version) for one in specifiers]
    near = [Version(v) for bound in bounds for v in (bound, f"{_release(bound)}.0.0.1")]
    candidates = [Version("0"), *near]
    return not any(specifiers.contains(one, prereleases=True) for one in candidates)


def _release(version: str) -> str:
    return ".".join(map(str, Version(version).release))


def _plain(text: object) -> Requirement | None:
    requirement = _parsed(text)
    if requirement is None or requirement.marker or requirement.url:
        return None
    return requirement


def _normal(text: object) -> str:
    requirement = _parsed(text)
    if requirement is None:
        return str(text)
    requirement.name = canonicalize_name(requirement.name)
    return str(requirement)


def _parsed(text: object) -> Requirement | None:
    try:
        return Requirement(str(text))
    except InvalidRequirement:
        return None
