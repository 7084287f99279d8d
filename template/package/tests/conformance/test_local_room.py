"""The adapter inside the real band.Agent, in a Band room on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from band import Emit
from pydantic import BaseModel

from tests.subject import SUBJECT
from tests.support.local_room import MENTION, local_band
from tests.support.room import wait_until
from tests.support.script import Call, Fail, Hang, Request, Say
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

Make = Callable[..., Any]


class PauseInput(BaseModel):
    """Wait until the test lets you go on."""


@pytest.mark.rule("TURN-1", "SYS-1", "SYS-2", "SYS-3")
async def test_a_message_is_answered(make: Make, model: ScriptedModel) -> None:
    model.script(Say("Hello, Alice."))
    adapter = make(settings={"custom_section": "Speak like a pirate."})
    async with local_band() as band, band.agent(adapter):
        assert await band.ask("hello") == "processed"
    (request,) = model.requests
    assert "Tester" in request.system
    assert "Speak like a pirate." in request.system
    told = "\n\n".join(request.heard)
    assert told.startswith("[System]: ")
    assert told.endswith(f"\n\n[Alice]: {MENTION} hello")
    (reply,) = band.room.posted("text")
    assert reply["content"] == "Hello, Alice."
    assert [mention["id"] for mention in reply["metadata"]["mentions"]] == [
        "user-alice"
    ]


@pytest.mark.rule("FAIL-1", "FAIL-2", "HIST-6")
async def test_a_failing_model_fails_the_message(
    make: Make, model: ScriptedModel
) -> None:
    model.script(Fail(503, "The model is overloaded."), Say("Back again."))
    async with local_band() as band, band.agent(make()):
        assert await band.ask("first") == "failed"
        assert await band.ask("second") == "processed"
    (failure,) = band.room.posted("error")
    assert "The model is overloaded." in failure["content"]
    assert band.room.said == ["Back again."]
    assert not [text for text in model.requests[-1].heard if "first" in text]


@pytest.mark.rule("TURN-2")
async def test_silence_is_reported_once(make: Make, model: ScriptedModel) -> None:
    model.script(Say(""))
    async with local_band() as band, band.agent(make()):
        assert await band.ask("hello") == "failed"
    (failure,) = band.room.posted("error")
    assert "without replying" in failure["content"]
    assert band.room.said == []


@pytest.mark.rule("TOOL-4", "HIST-6")
async def test_an_interrupted_request_leaves_no_trace(
    make: Make, model: ScriptedModel
) -> None:
    model.script(Hang(), Say("Here I am."))
    async with local_band() as band, band.agent(make()):
        message = await band.say("take your time")
        await wait_until(lambda: model.requests)
        await band.control("interrupt")
        assert await band.settled(message) == "processed"
        assert await band.ask("hello") == "processed"
    assert band.room.said == ["Here I am."]
    assert not [text for text in model.requests[-1].heard if "your time" in text]


@pytest.mark.rule("TOOL-4", "HIST-6")
async def test_an_interrupted_tool_leaves_no_open_call(
    make: Make, model: ScriptedModel
) -> None:
    running = asyncio.Event()

    async def pause(_: PauseInput) -> None:
        running.set()
        await asyncio.Event().wait()

    model.script(Call("pause"), Say("Here I am."))
    adapter = make(additional_tools=[(PauseInput, pause)])
    async with local_band() as band, band.agent(adapter):
        message = await band.say("wait for me")
        await asyncio.wait_for(running.wait(), timeout=5)
        await band.control("interrupt")
        assert await band.settled(message) == "processed"
        assert await band.ask("hello") == "processed"
    assert band.room.said == ["Here I am."]
    assert model.requests[-1].called == []


@pytest.mark.rule("TOOL-4", "HIST-6")
async def test_a_stopped_message_is_heard_once_after_play(
    make: Make, model: ScriptedModel
) -> None:
    model.script(Hang(), Say("Now then."))
    async with local_band() as band, band.agent(make()):
        message = await band.say("hello")
        await wait_until(lambda: model.requests)
        await band.control("stop")
        await wait_until(lambda: not band.room.working)
        assert band.room.states[message] == "processing"
        await band.control("play")
        assert await band.settled(message) == "processed"
    assert band.room.said == ["Now then."]
    heard = "".join(model.requests[-1].heard)
    assert heard.count(f"[Alice]: {MENTION} hello") == 1


@pytest.mark.rule("HIST-2", "HIST-3", "HIST-5", "EVT-1")
async def test_a_restarted_agent_knows_what_was_said(
    make: Make, model: ScriptedModel, subject: Subject
) -> None:
    model.script(Call("band_get_participants"), Say("Two of us."), Say("As I said."))
    async with local_band() as band:
        async with band.agent(make()):
            assert await band.ask("how many are we?") == "processed"
        async with band.agent(make()):
            assert await band.ask("again, please") == "processed"
    before, after = model.requests[-2:]
    assert "Two of us." in after.spoke
    assert after.heard[0] == f"[Alice]: {MENTION} how many are we?"
    assert after.heard[-1].endswith(f"[Alice]: {MENTION} again, please")
    if Emit.TOOL_CALLS in subject.adapter.SUPPORTED_EMIT:
        assert after.called == before.called
        assert after.answers == before.answers
    else:
        assert after.called == []


@pytest.mark.rule("ROOM-1")
async def test_rooms_at_the_same_time_stay_apart(
    make: Make, model: ScriptedModel
) -> None:
    def answer(request: Request) -> Say:
        return Say(request.heard[-1].rpartition(f"{MENTION} ")[2])

    model.answer_with(answer)
    async with local_band("here", "there") as band, band.agent(make()):
        rooms = ("here", "there")
        for number in range(3):
            asked = [band.ask(f"{room} {number}", room) for room in rooms]
            assert await asyncio.gather(*asked) == ["processed", "processed"]
    for room in rooms:
        assert band.rooms[room].said == [f"{room} {number}" for number in range(3)]
    for request in model.requests:
        said = [text for text in request.heard if f"[Alice]: {MENTION}" in text]
        assert len({text.split()[-2] for text in said}) == 1


@pytest.mark.rule("CFG-4", "ROOM-2")
async def test_a_stopped_agent_holds_no_connection(
    make: Make, model: ScriptedModel
) -> None:
    model.script(Say("Hello."))
    async with local_band() as band:
        async with band.agent(make()):
            assert await band.ask("hello") == "processed"
            assert model.connections == 1
        await wait_until(lambda: model.connections == 0)


@pytest.mark.rule("TOOL-4", "TOOL-8")
@pytest.mark.parametrize("manner", SUBJECT.manners)
async def test_a_stop_in_a_tool_ends_the_turn_at_once(
    make: Make, model: ScriptedModel, manner: str
) -> None:
    running = asyncio.Event()

    async def pause(_: PauseInput) -> None:
        running.set()
        await asyncio.Event().wait()

    model.manner = manner
    model.script(Call("pause"), Say("Now then."))
    adapter = make(additional_tools=[(PauseInput, pause)])
    async with local_band() as band, band.agent(adapter):
        message = await band.say("wait for me")
        await asyncio.wait_for(running.wait(), timeout=5)
        await band.control("stop")
        await wait_until(lambda: not band.room.working, seconds=1)
        assert band.room.states[message] == "processing"
        await band.control("play")
        assert await band.settled(message) == "processed"
    assert band.room.said == ["Now then."]
