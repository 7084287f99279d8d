"""The one class to write: Acme behind the adapter's protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from band_adapter_acme.protocol import Outcome, Turn

if TYPE_CHECKING:
    from band_adapter_acme.adapter import (
        AcmeAdapterConfig,
    )


class AcmeFramework:
    """Runs turns. Made on first use, closed when the agent stops."""

    def __init__(
        self,
        config: AcmeAdapterConfig,
        key: str,
    ) -> None:
        """Build your agent here, from ``config.model``, ``config.base_url`` and ``key``."""
        self._config = config
        self._key = key

    async def run(self, turn: Turn) -> Outcome:
        """Run one turn to its end; see ``protocol.Framework``."""
        raise NotImplementedError(
            "Run your framework here: give it `turn.messages`, and tools made from "
            "`turn.schemas` that answer with `turn.call`. Await `turn.before_model` and "
            "`turn.after_model` around each model call. protocol.py says the rest."
        )

    async def close(self) -> None:
        """Close what you built, if it holds connections."""
