"""The SDK's GeminiAdapter."""

from __future__ import annotations

from typing import Any

from band.adapters.gemini import GeminiAdapter, GeminiAdapterConfig
from google import genai

WIRE = "gemini"


def make(
    model: Any,
    *,
    custom_section: str = "",
    max_history_messages: int = 200,
    max_retries: int = 0,
    max_tool_rounds: int = 20,
    **options: Any,
) -> GeminiAdapter:
    config = GeminiAdapterConfig(
        provider_key=model.key,
        custom_section=custom_section,
        max_history_messages=max_history_messages,
        max_retries=max_retries,
        max_tool_rounds=max_tool_rounds,
        retry_base_delay_s=0,
    )
    adapter = GeminiAdapter(config, **options)
    host, _, version = model.url.rpartition("/")
    adapter.client = genai.Client(
        api_key=model.key, http_options={"base_url": host, "api_version": version}
    )
    return adapter


def sent(messages: list[Any]) -> list[Any]:
    """Contents as the client sends them."""
    return [
        message.model_dump(mode="json", by_alias=True, exclude_none=True)
        for message in messages
    ]
