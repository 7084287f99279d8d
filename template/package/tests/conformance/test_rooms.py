"""ROOM: what is said in one room stays there."""

from __future__ import annotations

import asyncio

import pytest

from tests.conformance.declared import Start
from tests.support.room import Room, RoomTools, wait_until
from tests.support.script import Call, Fail, Request, Say, Scripted
from tests.support.wire import ScriptedModel

LOOK = "band_get_participants"
ROOMS = ("north", "south")


def look_then_answer(request: Request) -> Scripted:
    """Look around, then answer each room with its own word."""
    if not request.answers:
        return Call(LOOK)
    return Say(f"Room {request.heard[-1].rpartition(' ')[2]} it is.")


@pytest.mark.rule("ROOM-1")
async def test_rooms_that_run_at_the_same_time_share_nothing(
    start: Start, model: ScriptedModel
) -> None:
    adapter, gate = await start(), asyncio.Event()
    model.answer_with(look_then_answer)
    tools = {
        word: RoomTools(results={LOOK: f"{word} people"}, waits={LOOK: gate})
        for word in ROOMS
    }
    turns = [
        asyncio.create_task(
            Room(adapter, f"room-{word}").hear(
                f"This is {word}",
                tools=tools[word],
                participants_msg=f"{word.title()} people are here.",
            )
        )
        for word in ROOMS
    ]
    # Both turns are inside their tool call before either goes on.
    await wait_until(lambda: all(("run", LOOK) in tools[word].log for word in ROOMS))
    gate.set()
    for word, turn in zip(ROOMS, await asyncio.gather(*turns), strict=True):
        assert turn.replies == [f"Room {word} it is."], turn.error
        assert turn.mentions[0][0]["id"] == "user-alice"
    for request in model.requests:
        told = str(request.messages).lower()
        assert ("north" in told) != ("south" in told), "one room hears the other"


@pytest.mark.rule("ROOM-1")
async def test_a_room_that_waits_does_not_hold_up_another(
    start: Start, model: ScriptedModel
) -> None:
    adapter, gate = await start(), asyncio.Event()
    model.answer_with(look_then_answer)
    slow = RoomTools(waits={LOOK: gate})
    waiting = asyncio.create_task(
        Room(adapter, "slow").hear("This is north", tools=slow)
    )
    await wait_until(lambda: ("run", LOOK) in slow.log)
    turn = await Room(adapter, "fast").hear("This is south")
    assert turn.replies == ["Room south it is."], turn.error
    assert slow.messages_sent == []
    gate.set()
    assert (await waiting).replies == ["Room north it is."]


@pytest.mark.rule("ROOM-1")
async def test_rooms_keep_conversations_of_their_own(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    north, south = (Room(adapter, word) for word in ROOMS)
    model.script(Say("Hello, north."), Say("Hello, south."), Say("Red."), Say("Blue."))
    await north.hear("First in north")
    await south.hear("First in south")
    await north.hear("Second in north")
    await south.hear("Second in south")
    for word, request in zip(ROOMS, model.requests[2:], strict=True):
        assert request.heard == [
            f"[Alice]: First in {word}",
            f"[Alice]: Second in {word}",
        ]
        assert request.spoke == [f"Hello, {word}."]


@pytest.mark.rule("ROOM-1")
async def test_tools_run_in_the_room_and_turn_of_their_message(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    room, hello = Room(adapter), {"content": "Hello.", "mentions": ["@alice"]}
    for text in ("First.", "Second."):
        model.script(Call("band_send_message", hello), Say(""))
        turn = await room.hear(text)
        assert turn.replies == ["Hello."], turn.error


@pytest.mark.rule("ROOM-1", "HIST-6")
async def test_a_failure_in_one_room_is_not_felt_in_another(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    north, south = (Room(adapter, word) for word in ROOMS)
    model.script(Say("Hello, south."), Fail(500), Say("Still here."))
    await south.hear("First in south")
    failed = await north.hear("First in north")
    assert failed.error is not None
    turn = await south.hear("Second in south")
    assert turn.replies == ["Still here."], turn.error
    assert model.requests[2].spoke == ["Hello, south."]


@pytest.mark.rule("ROOM-2")
async def test_a_room_that_was_left_starts_afresh(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    north, south = (Room(adapter, word) for word in ROOMS)
    model.script(*[Say("Hello.")] * 4)
    await north.hear("First in north")
    await south.hear("First in south")
    await adapter.on_cleanup("north")
    await north.hear("Second in north", bootstrap=False)
    await south.hear("Second in south")
    assert model.requests[2].heard == ["[Alice]: Second in north"]
    assert model.requests[2].spoke == []
    assert model.requests[3].heard == [
        "[Alice]: First in south",
        "[Alice]: Second in south",
    ]


@pytest.mark.rule("ROOM-2", "SYS-2")
async def test_updates_owed_to_a_room_that_was_left_are_forgotten(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    room = Room(adapter)
    model.script(Fail(500), Say("Hello."))
    await room.hear("First.", participants_msg="Carol joined.")
    await adapter.on_cleanup("room-1")
    await room.hear("Second.", bootstrap=True)
    assert model.requests[1].heard == ["[Alice]: Second."]


@pytest.mark.rule("ROOM-2")
async def test_leaving_an_unknown_room_or_one_twice_is_harmless(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    await adapter.on_cleanup("never-heard-of")
    model.script(Say("Hello."), Say("Hello again."))
    await Room(adapter).hear("Hello?")
    await adapter.on_cleanup("room-1")
    await adapter.on_cleanup("room-1")
    turn = await Room(adapter).hear("Hello?")
    assert turn.replies == ["Hello again."], turn.error


@pytest.mark.rule("ROOM-2")
async def test_a_turn_that_outlives_its_room_does_not_bring_it_back(
    start: Start, model: ScriptedModel
) -> None:
    adapter, gate = await start(), asyncio.Event()
    room, tools = Room(adapter), RoomTools(waits={LOOK: gate})
    model.script(Call(LOOK), Say("Too late."), Say("Hello."))
    late = asyncio.create_task(room.hear("Before.", tools=tools))
    await wait_until(lambda: ("run", LOOK) in tools.log)
    await adapter.on_cleanup("room-1")
    gate.set()
    await late
    await room.hear("After.", bootstrap=False)
    assert model.requests[-1].heard == ["[Alice]: After."]


@pytest.mark.rule("CFG-4", "ROOM-2")
async def test_leaving_a_room_leaves_the_client_to_the_others(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    model.script(Say("Hi."))
    await Room(adapter, "north").hear("Hello?")
    await adapter.on_cleanup("north")
    # A connection that is closed takes a moment to be seen at its other end.
    await asyncio.sleep(0.05)
    assert model.connections == 1
