"""A Band adapter for OpenAI.

Names are imported when they are first read, so this package can be imported
without the model API's client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from band.exports import lazy_exports

if TYPE_CHECKING:
    from band_adapter_openai.adapter import (
        OpenAIAdapter as OpenAIAdapter,
    )
    from band_adapter_openai.adapter import (
        OpenAIAdapterConfig as OpenAIAdapterConfig,
    )
    from band_adapter_openai.converter import (
        OpenAIHistoryConverter as OpenAIHistoryConverter,
    )

__all__, __getattr__ = lazy_exports(
    __name__,
    adapter=[
        "OpenAIAdapter",
        "OpenAIAdapterConfig",
    ],
    converter=[
        "OpenAIHistoryConverter",
    ],
)
