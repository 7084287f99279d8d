"""A turn of a generated adapter against the same turn of the SDK's own.

`python -m benchmarks.turn`: README.md says what is measured and how.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from band.adapters.anthropic import AnthropicAdapter, AnthropicAdapterConfig
from band.core.types import Capability, Emit

from benchmarks import models
from benchmarks.measure import interleaved, ratio
from benchmarks.package import rendered

TURNS, ROOMS = 1000, 50
BOUND = 200
AGES = (1, 2, 4)
MESSAGES_OF_A_TURN = 3
EMIT = (Emit.TOOL_CALLS, Emit.USAGE)
CAPABILITIES = tuple(Capability)
QUESTION = "When does the train leave, and from where? I have two bags with me."

Make = Callable[[int, models.Answers], Any]
"""An adapter, not started, whose model has answers for so many turns."""


def sdk(turns: int, answers: models.Answers) -> AnthropicAdapter:
    config = AnthropicAdapterConfig(provider_key="key")
    adapter = AnthropicAdapter(config, emit=EMIT, capabilities=CAPABILITIES)
    adapter.client = models.anthropic(turns, answers)
    return adapter


def generated(provider: str, turns: int, answers: models.Answers) -> Any:
    module = import_module(f"band_adapter_bench_{provider}.adapter")
    config = module.BenchAdapterConfig(max_history_messages=BOUND)
    handed = "client" if provider == "openai" else "model"
    live = {handed: getattr(models, provider)(turns, answers)}
    return module.BenchAdapter(config, emit=EMIT, capabilities=CAPABILITIES, **live)


CONTENDERS: dict[str, Make] = {
    "sdk": sdk,
    "openai": partial(generated, "openai"),
    "custom": partial(generated, "custom"),
}


def room_tools(schemas: str) -> Any:
    """The tools of one turn: `"real"` ones, which build the schemas of every tool
    as they do in a room, or those that have them `"ready"`."""
    room = import_module("tests.support.room")
    return _ready_tools() if schemas == "ready" else room.RoomTools


@cache
def _ready_tools() -> Any:
    room = import_module("tests.support.room")

    class ReadyTools(room.RoomTools):
        def get_tool_schemas(self, format: str, *, capabilities: Any = None) -> Any:
            return list(_schemas(format, capabilities))

    return ReadyTools


@cache
def _schemas(format: str, capabilities: Any) -> Any:
    tools = import_module("tests.support.room").RoomTools()
    return tools.get_tool_schemas(format, capabilities=capabilities)


@dataclass(frozen=True)
class House:
    """An adapter and the rooms that it is in."""

    adapter: Any
    rooms: Sequence[Any]

    @classmethod
    async def opened(cls, make: Make, turns: int, answers: models.Answers) -> House:
        adapter = make(turns, answers)
        await adapter.startup("Bench", "An agent.", features=adapter.features)
        room = import_module("tests.support.room").Room
        return cls(adapter, [room(adapter, f"room-{n}") for n in range(ROOMS)])

    async def talk(self, tools: Sequence[Iterable[Any]]) -> None:
        """One turn in every room for each of its `tools`, all rooms at once."""
        pairs = zip(self.rooms, tools, strict=True)
        await asyncio.gather(*(_talk(room, turns) for room, turns in pairs))


async def _talk(room: Any, tools: Iterable[Any]) -> None:
    for each in tools:
        turn = await room.hear(QUESTION, tools=each)
        if turn.error:
            raise turn.error
        if len(turn.replies) != 1:
            raise RuntimeError(f"the room got {len(turn.replies)} replies")


def seconds(make: Make, schemas: str) -> float:
    """CPU seconds of a turn, the script and the rooms being ready."""

    async def run() -> float:
        house = await House.opened(make, TURNS, list)
        tools = _tools(TURNS // ROOMS, schemas, list)
        return await _timed(house, tools) / TURNS

    return asyncio.run(run())


def _tools(each: int, schemas: str, answers: models.Answers) -> list[Iterable[Any]]:
    tools = room_tools(schemas)
    return [answers(tools(room_id=f"room-{n}") for _ in range(each)) for n in range(ROOMS)]


async def _timed(house: House, tools: Sequence[Iterable[Any]]) -> float:
    gc.collect()
    started = time.process_time()
    await house.talk(tools)
    return time.process_time() - started


def memory(make: Make) -> tuple[float, float]:
    """Bytes of a turn: at the peak, and kept after all turns."""

    async def run() -> tuple[float, float]:
        house = await House.opened(make, TURNS, iter)
        tools = _tools(TURNS // ROOMS, "real", iter)
        gc.collect()
        tracemalloc.start()
        await house.talk(tools)
        _, peak = tracemalloc.get_traced_memory()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak / TURNS, kept / TURNS

    return asyncio.run(run())


if __name__ == "__main__":
    with ExitStack() as stack:
        for provider in ("openai", "custom"):
            folder = stack.enter_context(rendered(provider))
            sys.path[:0] = [str(folder), str(folder / "src")]
        for name, make in CONTENDERS.items():
            memory(make)
            print(name, [f"{x:.0f}" for x in memory(make)])
        for schemas in ("real", "ready"):
            f = interleaved({n: partial(seconds, m, schemas) for n, m in CONTENDERS.items()}, 5)
            print(schemas, {n: min(v) * 1e6 for n, v in f.items()})
            for n in ("openai", "custom"):
                print(n, ratio(f[n], f["sdk"]))
