"""TOOL-4: being stopped ends a turn at once, and spoils nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from band import Emit
from band.core.exceptions import RoomExecutionStoppedError
from pydantic import BaseModel

from tests.conformance.declared import Make, Start, declares
from tests.support.room import Room, RoomTools, wait_until
from tests.support.script import Call, Hang, Say, Think
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

LOOK, PEERS = "band_get_participants", "band_lookup_peers"
STOPPED = RoomExecutionStoppedError("room-1")


class EchoInput(BaseModel):
    """Say it back."""


async def carries_on(room: Room, model: ScriptedModel) -> None:
    """The stopped message is delivered again: all is as if it had come once."""
    model.answer_with(lambda request: Say("Hello, Alice."))
    turn = await room.hear("Hello?")
    assert turn.replies == ["Hello, Alice."], turn.error
    request = model.requests[-1]
    assert request.heard == ["[Alice]: Hello?"], "the stopped turn is still in history"
    assert request.called == []


@pytest.mark.rule("TOOL-4", "HIST-6")
async def test_a_turn_cancelled_while_a_tool_runs_leaves_the_room_as_it_was(
    start: Start, model: ScriptedModel
) -> None:
    room, tools = Room(await start()), RoomTools(waits={PEERS: asyncio.Event()})
    model.script((Call(LOOK), Call(PEERS), Call(LOOK)))
    turn = asyncio.create_task(room.hear("Hello?", tools=tools))
    await wait_until(lambda: ("run", PEERS) in tools.log)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert len(model.requests) == 1
    assert tools.messages_sent == []
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4", "HIST-6")
async def test_a_turn_cancelled_while_the_model_thinks_leaves_the_room_as_it_was(
    start: Start, model: ScriptedModel
) -> None:
    room, tools = Room(await start()), RoomTools()
    model.script(Call(LOOK), Hang())
    turn = asyncio.create_task(room.hear("Hello?", tools=tools))
    await wait_until(lambda: len(model.requests) == 2)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert not [kind for kind, _ in tools.log if kind == "error"]
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4")
async def test_a_cancellation_from_inside_a_tool_ends_the_turn(
    start: Start, model: ScriptedModel
) -> None:
    room, tools = (
        Room(await start()),
        RoomTools(raises={LOOK: asyncio.CancelledError()}),
    )
    model.script((Call(LOOK), Call(PEERS)))
    with pytest.raises(asyncio.CancelledError):
        await room.hear("Hello?", tools=tools)
    assert ("run", PEERS) not in tools.log
    assert len(model.requests) == 1
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4")
async def test_a_stop_from_a_tool_ends_the_turn_at_once(
    start: Start, model: ScriptedModel
) -> None:
    room, tools = Room(await start()), RoomTools(raises={LOOK: STOPPED})
    model.script((Call(LOOK), Call(PEERS)))
    turn = await room.hear("Hello?", tools=tools)
    assert turn.error is STOPPED
    assert turn.failures == [], "a stop is no failure of the model"
    assert turn.events("tool_result") == [], "a stop is no result of a tool"
    assert ("run", PEERS) not in tools.log
    assert len(model.requests) == 1
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4", "FEAT-5")
@pytest.mark.parametrize("stop", [STOPPED, asyncio.CancelledError()], ids=repr)
async def test_a_stop_from_a_custom_tool_ends_the_turn_at_once(
    start: Start, model: ScriptedModel, stop: BaseException
) -> None:
    def halt(args: EchoInput) -> str:
        raise stop

    room = Room(await start(additional_tools=[(EchoInput, halt)]))
    tools = RoomTools()
    model.script((Call("echo"), Call(PEERS)))
    try:
        raised = (await room.hear("Hello?", tools=tools)).error
    except asyncio.CancelledError as error:
        raised = error
    assert raised is stop
    assert ("run", PEERS) not in tools.log
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4", "EVT-2")
@pytest.mark.parametrize("kind", [Emit.TOOL_CALLS, Emit.THOUGHTS, Emit.TASK_EVENTS])
async def test_a_stop_from_an_event_ends_the_turn_at_once(
    subject: Subject, make: Make, start: Start, model: ScriptedModel, kind: Emit
) -> None:
    if not declares(subject, make, kind):
        return
    room, tools = Room(await start(emit=kind)), RoomTools()
    tools.send_event_error = STOPPED
    model.script((Think("Hm."), Call(LOOK), Call(PEERS)))
    turn = await room.hear("Hello?", tools=tools)
    assert turn.error is STOPPED, "only other errors of the events API may be dropped"
    assert turn.replies == []
    assert ("run", PEERS) not in tools.log
    await carries_on(room, model)


class Cancelling(RoomTools):
    """A room that is stopped while the platform takes an event of the turn."""

    async def send_event(
        self, content: str, message_type: str, metadata: dict[str, Any] | None = None
    ) -> Any:
        raise asyncio.CancelledError


@pytest.mark.rule("TOOL-4", "EVT-2")
@pytest.mark.parametrize("kind", [Emit.TOOL_CALLS, Emit.THOUGHTS, Emit.TASK_EVENTS])
async def test_a_cancellation_from_inside_an_event_ends_the_turn(
    subject: Subject, make: Make, start: Start, model: ScriptedModel, kind: Emit
) -> None:
    if not declares(subject, make, kind):
        return
    room, tools = Room(await start(emit=kind)), Cancelling()
    model.script((Think("Hm."), Call(LOOK), Call(PEERS)))
    with pytest.raises(asyncio.CancelledError):
        await room.hear("Hello?", tools=tools)
    assert ("run", PEERS) not in tools.log
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4", "TURN-3")
async def test_a_stop_while_the_reply_is_posted_ends_the_turn(
    start: Start, model: ScriptedModel
) -> None:
    room, tools = Room(await start()), RoomTools()
    tools.send_message_error = STOPPED
    model.script(Say("Too late."))
    turn = await room.hear("Hello?", tools=tools)
    assert turn.error is STOPPED
    assert turn.failures == []
    await carries_on(room, model)


@pytest.mark.rule("TOOL-4", "HIST-6")
async def test_a_stopped_turn_keeps_what_the_room_had_before(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Call(LOOK, id="call-1"), Say("Hi."), Call(LOOK), Say("Hi again."))
    await room.hear("First.")
    await room.hear("Second.", tools=RoomTools(raises={LOOK: STOPPED}))
    await room.hear("Second.")
    request = model.requests[-1]
    assert request.heard == ["[Alice]: First.", "[Alice]: Second."]
    assert request.spoke == ["Hi."]
    assert list(request.answers) == ["call-1"]
