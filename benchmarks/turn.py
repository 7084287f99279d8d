"""A turn of a generated adapter against the same turn of the SDK's own.

`python -m benchmarks.turn`; README.md says what each line is.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
import tracemalloc
from contextlib import ExitStack
from functools import partial

from benchmarks import house
from benchmarks.house import BOUND, House, Make, Schemas
from benchmarks.measure import interleaved, line
from benchmarks.package import rendered

TURNS, ROOMS = 1000, 50
GENERATED: dict[str, Make] = {"openai": house.openai, "custom": house.custom}
CONTENDERS: dict[str, Make] = {"sdk": house.sdk, **GENERATED}

AGES = (1, 2, 4)
AGED_ROOMS, AGED_TURNS = 20, 25
MESSAGES_OF_A_TURN = 3


def seconds(make: Make, schemas: Schemas) -> float:
    """CPU seconds of all turns; what the model says is ready before the first."""

    async def run() -> float:
        rooms = await House.opened(make(TURNS, list), ROOMS)
        return await _timed(rooms, TURNS // ROOMS, schemas)

    return asyncio.run(run())


async def _timed(rooms: House, turns: int, schemas: Schemas) -> float:
    tools = rooms.tools(turns, schemas, list)
    # What is here before the turns is not theirs to be collected.
    gc.collect()
    gc.freeze()
    started = time.process_time()
    await rooms.talk(tools)
    took = time.process_time() - started
    gc.unfreeze()
    return took


def memory(make: Make) -> tuple[float, float]:
    """Bytes a turn: at the peak of all turns, and kept after the last."""

    async def run() -> tuple[float, float]:
        rooms = await House.opened(make(TURNS, iter), ROOMS)
        tools = rooms.tools(TURNS // ROOMS, "copied", iter)
        gc.collect()
        tracemalloc.start()
        await rooms.talk(tools)
        _, peak = tracemalloc.get_traced_memory()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak / TURNS, kept / TURNS

    return asyncio.run(run())


def seconds_by_age(make: Make) -> list[float]:
    """CPU seconds of the same turns in rooms that have seen the bound of messages
    once, and as many times more as `AGES` says."""

    async def run() -> list[float]:
        oldest = AGES[-1] * BOUND // MESSAGES_OF_A_TURN + 1
        turns = AGED_ROOMS * (oldest + AGED_TURNS)
        rooms = await House.opened(make(turns, list), AGED_ROOMS)
        found, had = [], 0
        for age in AGES:
            wanted = age * BOUND // MESSAGES_OF_A_TURN + 1
            await rooms.talk(rooms.tools(wanted - had, "ready", iter))
            found.append(await _timed(rooms, AGED_TURNS, "ready"))
            had = wanted + AGED_TURNS
        return found

    return asyncio.run(run())


def compare_time(about: str, schemas: Schemas, rounds: int) -> None:
    turns = {name: partial(seconds, make, schemas) for name, make in CONTENDERS.items()}
    found = interleaved(turns, rounds, warm_up=schemas == "ready")
    for name in GENERATED:
        line(f"{name}: {about}", found[name], found["sdk"])


def compare_memory(rounds: int) -> None:
    turns = {name: partial(memory, make) for name, make in CONTENDERS.items()}
    found = interleaved(turns, rounds, warm_up=False)
    for number, about in enumerate(("memory, at the peak", "memory, kept")):
        against = [values[number] for values in found["sdk"]]
        for name in GENERATED:
            line(f"{name}: {about}", [v[number] for v in found[name]], against)


def compare_ages(rounds: int) -> None:
    turns = {name: partial(seconds_by_age, make) for name, make in CONTENDERS.items()}
    found = interleaved(turns, rounds, warm_up=False)
    for name in GENERATED:
        young = [values[0] for values in found[name]]
        for number, age in enumerate(AGES):
            aged = [values[number] for values in found[name]]
            against = [values[number] for values in found["sdk"]]
            line(f"{name}: own time, {age} x the bound of history", aged, against)
            line(f"{name}: the same, against itself at {AGES[0]} x", aged, young)


def main() -> None:
    """Render the adapters, measure, print."""
    with ExitStack() as stack:
        for provider in GENERATED:
            folder = stack.enter_context(rendered(provider))
            sys.path[:0] = [str(folder), str(folder / "src")]
        print(
            f"{TURNS} turns, {ROOMS} rooms at once; generated / SDK's Anthropic adapter"
        )
        compare_time("own time, tool schemas at hand", "ready", rounds=7)
        compare_time("time of the whole turn", "built", rounds=4)
        compare_memory(rounds=2)
        compare_ages(rounds=4)


if __name__ == "__main__":
    main()
