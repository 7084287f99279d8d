"""TOOL-8: whoever runs the loop, and however it treats tools, a turn is a turn."""

from __future__ import annotations

import asyncio

import pytest
from band.core.exceptions import BandToolError, RoomExecutionStoppedError

from tests.conformance.declared import Start
from tests.subject import SUBJECT
from tests.support.room import Room, RoomTools, wait_until
from tests.support.script import Call, Say
from tests.support.wire import ScriptedModel

LOOK, PEERS, DECLINE = "band_get_participants", "band_lookup_peers", "band_no_reply"
STOPPED = RoomExecutionStoppedError("room-1")

# Seconds. A turn ends in far less; one that hangs never does.
LIMIT = 5.0

pytestmark = pytest.mark.rule("TOOL-8")


@pytest.fixture(params=SUBJECT.manners)
async def room(
    request: pytest.FixtureRequest, start: Start, model: ScriptedModel
) -> Room:
    """A room of an agent whose framework has one of the manners."""
    model.manner = request.param
    return Room(await start())


async def carries_on(room: Room, model: ScriptedModel) -> None:
    """The message is delivered again: all is as if it had come once."""
    model.manner = "plain"
    model.requests.clear()
    model.script(Say("Hello, Alice."))
    turn = await room.hear("Hello?")
    assert turn.replies == ["Hello, Alice."], turn.error
    assert model.requests[-1].heard == ["[Alice]: Hello?"]
    assert model.requests[-1].called == []


@pytest.mark.rule("TOOL-4")
async def test_a_stopped_room_ends_the_turn(room: Room, model: ScriptedModel) -> None:
    tools = RoomTools(raises={LOOK: STOPPED})
    model.script(Call(LOOK))
    turn = await asyncio.wait_for(room.hear("Hello?", tools=tools), LIMIT)
    assert turn.error is STOPPED
    assert len(model.requests) == 1, "the model was called after the stop"
    assert turn.failures == []
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4")
async def test_a_cancellation_in_a_tool_ends_the_turn(
    room: Room, model: ScriptedModel
) -> None:
    tools = RoomTools(raises={LOOK: asyncio.CancelledError()})
    model.script(Call(LOOK))
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(room.hear("Hello?", tools=tools), LIMIT)
    assert len(model.requests) == 1, "the model was called after the cancellation"
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4")
async def test_a_turn_that_is_cancelled_in_a_tool_ends_with_its_tool(
    room: Room, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    tools = RoomTools(waits={PEERS: gate})
    model.script((Call(PEERS), Call(LOOK)))
    turn = asyncio.create_task(room.hear("Hello?", tools=tools))
    await wait_until(lambda: ("run", PEERS) in tools.log)
    turn.cancel()
    done, _ = await asyncio.wait({turn}, timeout=LIMIT)
    assert done, "the turn goes on although it is cancelled"
    assert turn.cancelled()
    seen = list(tools.log)
    gate.set()
    await asyncio.sleep(0.02)
    assert tools.log == seen, "a tool went on after the turn"
    await carries_on(room, model)


@pytest.mark.rule("TOOL-3", "EVT-1")
async def test_a_tool_that_fails_is_told_to_the_model(
    room: Room, model: ScriptedModel
) -> None:
    tools = RoomTools(raises={LOOK: BandToolError("the room is dark")})
    model.script((Call(LOOK, id="call-1"), Call(PEERS, id="call-2")), Say("Sorry."))
    turn = await room.hear("Who is here?", tools=tools)
    assert turn.replies == ["Sorry."], turn.error
    answers = model.requests[1].answers
    assert [*answers] == ["call-1", "call-2"]
    assert answers["call-1"] == "Error: the room is dark"
    told = [entry for entry in tools.log if entry[0] in ("tool_call", "tool_result")]
    assert told in (
        [],
        [(k, t) for t in (LOOK, PEERS) for k in ("tool_call", "tool_result")],
    )


@pytest.mark.rule("TOOL-2")
async def test_the_calls_of_an_answer_run_one_after_the_other(
    room: Room, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    tools = RoomTools(waits={PEERS: gate})
    model.script((Call(PEERS), Call(LOOK)), Say("Done."))
    turn = asyncio.create_task(room.hear("Who is here?", tools=tools))
    await wait_until(lambda: ("run", PEERS) in tools.log)
    await asyncio.sleep(0.02)
    assert ("run", LOOK) not in tools.log, "a call began before the one before it ended"
    gate.set()
    assert (await turn).replies == ["Done."]


@pytest.mark.rule("TOOL-6")
async def test_the_model_is_not_called_after_a_decline(
    room: Room, model: ScriptedModel
) -> None:
    model.script(Call(DECLINE), Say("Too late."))
    turn = await asyncio.wait_for(room.hear("For your information."), LIMIT)
    assert turn.error is None
    assert turn.replies == []
    assert len(model.requests) == 1


@pytest.mark.rule("TOOL-5")
async def test_the_loop_is_bounded(start: Start, model: ScriptedModel) -> None:
    for manner in SUBJECT.manners:
        model.requests.clear()
        model.manner = manner
        model.script(*[Call(LOOK)] * 9)
        room = Room(await start(settings={"max_tool_rounds": 3}), manner)
        turn = await asyncio.wait_for(room.hear("Go on for ever."), LIMIT)
        assert len(model.requests) == 3, manner
        assert [failure["code"] for failure in turn.failures] == ["max_tool_rounds"]
        model._steps.clear()
