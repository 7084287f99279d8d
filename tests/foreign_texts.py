"""Subjects as users would write them, for adapters that are not the SDK's."""

from __future__ import annotations

# An adapter in which nothing but the turn is there: it sends one request, and relays.
SMALL = """
from typing import Final

from band.core.delivery import relay_reply
from band.core.simple_adapter import SimpleAdapter
from openai import AsyncOpenAI

WIRE: Final = "openai"
NOT_ASKED = dict.fromkeys(
    ("TURN-4", "TOOL-2", "TOOL-4", "TOOL-8", "ROOM-1", "ROOM-2"), "it only talks"
)


class SmallAdapter(SimpleAdapter):
    def __init__(self, client, **features):
        super().__init__(**features)
        self.client = client

    async def on_message(self, msg, tools, *rest, **options):
        said = await self.client.chat.completions.create(
            model="small", messages=[{"role": "user", "content": msg.format_for_llm()}]
        )
        await relay_reply(tools, said.choices[0].message.content, [{"id": msg.sender_id}])


def make(model, **options):
    client = AsyncOpenAI(base_url=model.url, api_key=model.key, max_retries=0)
    return SmallAdapter(client, **options)
"""

OURS = """
import sys

sys.path.insert(0, {source!r})
from band_adapter_ours.adapter import OursAdapter, OursAdapterConfig

WIRE = "wire.py"


def make(
    model,
    *,
    custom_section="",
    max_history_messages=200,
    max_retries=0,
    max_tool_result_chars=20_000,
    max_tool_rounds=20,
    **options,
):
    config = OursAdapterConfig(
        base_url=model.url,
        provider_key=model.key,
        custom_section=custom_section,
        max_history_messages=max_history_messages,
        max_retries=max_retries,
        max_tool_result_chars=max_tool_result_chars,
        max_tool_rounds=max_tool_rounds,
    )
    return OursAdapter(config, **options)
"""
