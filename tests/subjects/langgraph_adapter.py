"""The SDK's LangGraphAdapter, with a chat model of OpenAI."""

from __future__ import annotations

from typing import Any

from band.adapters.langgraph import LangGraphAdapter, LangGraphAdapterConfig
from langchain_core.messages import convert_to_openai_messages
from langchain_openai import ChatOpenAI

WIRE = "openai"


def make(model: Any, *, custom_section: str = "", **options: Any) -> LangGraphAdapter:
    # The scripted model answers at once, it does not stream.
    chat = ChatOpenAI(
        model="scripted",
        base_url=model.url,
        api_key=model.key,
        max_retries=0,
        disable_streaming=True,
    )
    config = LangGraphAdapterConfig(custom_section=custom_section)
    return LangGraphAdapter(config, llm=chat, **options)


def sent(messages: list[Any]) -> Any:
    """Messages as the client sends them."""
    return convert_to_openai_messages(messages)
