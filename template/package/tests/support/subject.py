"""What the tests know of the adapter that they judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.wire import ScriptedModel

# The provider's key in every test: it must never be seen in a room, a log or an error.
KEY = "secret-key-5f0c1d9a7e"


@dataclass(frozen=True)
class Subject:
    """The adapter under test, as data.

    `requires` are the import names that the extra brings, `emit` and `capabilities` the
    kinds that were chosen for the adapter, `key_variable` the environment variable that
    holds the key, `settings` configuration that every test uses, and each of `options`
    something that `request_options` may have. `replace` maps a dotted name to what
    stands there during the tests, so that the adapter's own client meets the scripted
    model. `manners` are the ways in which a scripted framework may treat tools,
    `goes_on` those in which an answer of this API may not be the last one of its turn.
    `inapplicable` maps the id of a rule that this provider cannot break or keep to the
    reason.
    """

    adapter: type[Any]
    config: type[Any]
    converter: type[Any]
    package: str
    distribution: str
    extra: str
    requires: tuple[str, ...]
    emit: frozenset[str]
    capabilities: frozenset[str]
    key_variable: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Sequence[Mapping[str, Any]] = ()
    replace: Mapping[str, Any] = field(default_factory=dict)
    manners: tuple[str, ...] = ("plain",)
    goes_on: tuple[str, ...] = ("call",)
    inapplicable: Mapping[str, str] = field(default_factory=dict)

    def make(
        self,
        model: ScriptedModel,
        /,
        settings: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        """An adapter that talks to `model`, not yet started.

        `settings` are fields of the configuration, `options` go to the adapter.
        """
        reached = {"base_url": model.url, "provider_key": KEY}
        fields = {**reached, **self.settings, **(settings or {})}
        return self.adapter(self.config(**fields), **options)
