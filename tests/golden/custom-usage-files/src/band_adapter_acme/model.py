"""The one class to write: Acme's model API behind the adapter's protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from band_adapter_acme.protocol import Message, ModelReply

if TYPE_CHECKING:
    from band_adapter_acme.adapter import (
        AcmeAdapterConfig,
    )


class AcmeModel:
    """Speaks to the model API. Made on first use, closed when the agent stops."""

    def __init__(
        self,
        config: AcmeAdapterConfig,
        key: str,
    ) -> None:
        """Build your client here, from ``config.base_url``, ``config.model`` and ``key``."""
        self._config = config
        self._key = key

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
    ) -> ModelReply:
        """Send one request and return the model's answer; see ``protocol.Model``."""
        raise NotImplementedError(
            "Call your model API here: turn `messages` and `tools` into its request, "
            "and its response into a ModelReply. protocol.py says what each part means."
        )

    async def close(self) -> None:
        """Close your client here, if it holds connections."""
