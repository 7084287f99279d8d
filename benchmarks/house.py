"""An adapter in many rooms at once, its model and its rooms in this process.

The rooms are those of the conformance tests: the SDK's real tools, and everything
that is posted kept in memory. `rendered` packages have to be importable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal

from band.adapters.anthropic import AnthropicAdapter, AnthropicAdapterConfig
from band.core.types import Capability, Emit
from band.runtime.tools import AgentTools

from benchmarks import models

BOUND = 200
"""Messages that a room's conversation keeps in a generated adapter."""

EMIT = (Emit.TOOL_CALLS, Emit.USAGE)
CAPABILITIES = tuple(Capability)
QUESTION = "When does the train leave, and from where? I have two bags with me."

Make = Callable[[int, models.Answers], Any]
"""An adapter, not started, whose model has answers for so many turns."""

Schemas = Literal["built", "copied", "ready"]
"""How a turn comes by the schemas of its tools: `built` anew, as `AgentTools` does
in a real room; `copied`, which takes the same memory in less time; or `ready`, so
that next to nothing is left but the adapter's own work."""


def sdk(turns: int, answers: models.Answers) -> AnthropicAdapter:
    """The SDK's adapter."""
    config = AnthropicAdapterConfig(provider_key="key")
    adapter = AnthropicAdapter(config, emit=EMIT, capabilities=CAPABILITIES)
    adapter.client = models.anthropic(turns, answers)
    return adapter


def openai(turns: int, answers: models.Answers) -> Any:
    """A generated adapter for Chat Completions."""
    return _generated("openai", client=models.openai(turns, answers))


def custom(turns: int, answers: models.Answers) -> Any:
    """A generated adapter for an API of one's own."""
    return _generated("custom", model=models.custom(turns, answers))


def _generated(provider: str, **live: Any) -> Any:
    module = import_module(f"band_adapter_bench_{provider}.adapter")
    config = module.BenchAdapterConfig(max_history_messages=BOUND)
    return module.BenchAdapter(config, emit=EMIT, capabilities=CAPABILITIES, **live)


@dataclass(frozen=True)
class House:
    """A started adapter and the rooms that it is in."""

    adapter: Any
    rooms: Sequence[Any]

    @classmethod
    async def opened(cls, adapter: Any, rooms: int) -> House:
        await adapter.startup("Bench", "An agent.", features=adapter.features)
        room = import_module("tests.support.room").Room
        return cls(adapter, [room(adapter, f"room-{n}") for n in range(rooms)])

    def tools(
        self, turns: int, schemas: Schemas, answers: models.Answers
    ) -> list[Iterable[Any]]:
        """For each room the tools of so many turns."""
        made = _tools(schemas)
        ids = [room.room_id for room in self.rooms]
        return [answers(made(room_id=i) for _ in range(turns)) for i in ids]

    async def talk(self, tools: Sequence[Iterable[Any]]) -> None:
        """A turn with each of its tools in every room; all rooms at once."""
        pairs = zip(self.rooms, tools, strict=True)
        await asyncio.gather(*(_talk(room, turns) for room, turns in pairs))


async def _talk(room: Any, tools: Iterable[Any]) -> None:
    for each in tools:
        turn = await room.hear(QUESTION, tools=each)
        if turn.error:
            raise turn.error
        if len(turn.replies) != 1:
            raise RuntimeError(f"a turn posted {len(turn.replies)} replies, not one")


@cache
def _tools(schemas: Schemas) -> Any:
    room = import_module("tests.support.room")
    if schemas == "copied":
        return room.RoomTools
    build = AgentTools.get_tool_schemas
    once = cache(
        lambda format, wanted: build(room.RoomTools(), format, capabilities=wanted)
    )

    class Tools(room.RoomTools):
        def get_tool_schemas(self, format: str, *, capabilities: Any = None) -> Any:
            if schemas == "ready":
                return list(once(format, capabilities))
            return build(self, format, capabilities=capabilities)

    return Tools
