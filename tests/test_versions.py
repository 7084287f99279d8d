"""Each provider's package is green with the oldest and the newest client it allows.

The newest are those of the environment that these tests run in, so the other tests meet
them. For the oldest, environments are made: providers whose oldest clients go together
share one. That takes the package index that pip is set up for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from band_new_adapter import environment, questions
from band_new_adapter.catalog import PROVIDERS, Provider
from band_new_adapter.environment import Environment
from band_new_adapter.package import Package
from band_new_adapter.verify import verify
from tests.test_matrix import make


def clients(provider: Provider) -> list[Requirement]:
    """What the extra of a provider's package installs."""
    return [Requirement(text) for text in provider.requirement.split(", ") if text]


WITH_CLIENT = [provider for provider in PROVIDERS.values() if clients(provider)]


def bound(requirement: Requirement, operator: str) -> Version:
    (found,) = (s.version for s in requirement.specifier if s.operator == operator)
    return Version(found)


def oldest(requirement: Requirement) -> str:
    return f"{requirement.name}=={bound(requirement, '>=')}"


@dataclass(frozen=True)
class Group:
    """Providers, and the oldest clients that all of them allow, by name."""

    providers: list[str] = field(default_factory=list)
    clients: dict[str, str] = field(default_factory=dict)

    def has_place_for(self, clients: Mapping[str, str]) -> bool:
        return all(
            self.clients.get(name, text) == text for name, text in clients.items()
        )


def groups() -> list[Group]:
    """All providers with a client, in as few groups as their oldest clients allow."""
    made: list[Group] = []
    for provider in WITH_CLIENT:
        own = {r.name: oldest(r) for r in clients(provider)}
        group = next((group for group in made if group.has_place_for(own)), None)
        if group is None:
            made.append(group := Group())
        group.providers.append(provider.key)
        group.clients.update(own)
    return made


def package(provider: str, folder: Path) -> Package:
    """A package of that provider with everything that can be chosen."""
    given = {"adapter": "acme", "provider": provider}
    answers, _ = questions.gather(given, defaults=True, ask=None)
    return Package.at(make(answers, folder).folder)


@pytest.mark.parametrize("provider", WITH_CLIENT, ids=lambda p: p.key)
def test_these_tests_run_with_the_newest(provider: Provider) -> None:
    """As far as it can be seen without a network: nothing here keeps a client below
    the last series that its provider allows. A new environment has its last release.
    """
    for requirement in clients(provider):
        here = Version(metadata.version(requirement.name))
        end = bound(requirement, "<").release
        last = (*end[:-1], end[-1] - 1)
        assert here.release[: len(last)] == last, requirement


@pytest.fixture(scope="module", params=groups(), ids=lambda g: "+".join(g.providers))
def old(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Group, Environment]:
    """An environment with the oldest clients and SDK, and the checks' tools of today."""
    group, folder = request.param, tmp_path_factory.mktemp("old")
    wanted = [*group.clients.values()]
    for requirement in package(group.providers[0], folder / "package").requirements:
        if requirement.name == "band-sdk":
            wanted.append(oldest(requirement))
        elif requirement.name not in group.clients:
            wanted.append(str(requirement))
    environment._make(folder / "environment", [Requirement(text) for text in wanted])
    return group, Environment(environment._python(folder / "environment"), "old")


def test_a_package_is_green_with_the_oldest(
    old: tuple[Group, Environment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each provider of the group, one after another: they share the environment."""
    group, there = old
    monkeypatch.setattr("band_new_adapter.verify.environment_for", lambda _: there)
    for provider in group.providers:
        made = package(provider, tmp_path / provider)
        verdict = verify(made, made.folder)
        failed = [result.output for result in verdict.results if not result.passed]
        assert not failed, (provider, group.clients, *failed)
        assert verdict.results[-1].tests > 300
        assert verdict.results[-1].skipped == 0
