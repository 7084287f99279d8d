"""The SDK's AnthropicAdapter."""

from __future__ import annotations

from typing import Any

from band.adapters.anthropic import AnthropicAdapter, AnthropicAdapterConfig

WIRE = "anthropic"


def make(model: Any, *, custom_section: str = "", **options: Any) -> AnthropicAdapter:
    config = AnthropicAdapterConfig(
        provider_key=model.key, custom_section=custom_section
    )
    adapter = AnthropicAdapter(config, **options)
    adapter.client = adapter.client.copy(base_url=model.url, max_retries=0)
    return adapter
