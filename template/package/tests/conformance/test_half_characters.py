"""HIST-4, SYS-3 and TOOL-3: half a character, which JSON can hold, harms nobody."""

from __future__ import annotations

import json
from typing import Any

import pytest
from band import Emit
from band.core.exceptions import BandToolError
from pydantic import BaseModel

from tests.conformance.declared import Make, Start, declares
from tests.support.room import Room, RoomTools
from tests.support.script import Call, Fail, Say, Think
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

LOOK, PEERS = "band_get_participants", "band_lookup_peers"
HALF = "half\ud83d"
OTHER = "half\ude00"
TOLD = "half\ufffd"


class EchoInput(BaseModel):
    """Say it back."""


def event(kind: str, id: str, **fields: Any) -> dict[str, Any]:
    """A tool event in a room's history."""
    content = json.dumps({"name": "look", "tool_call_id": id, **fields})
    return {"content": content, "message_type": kind, "sender_name": "Tester"}


@pytest.mark.rule("SYS-1", "SYS-2", "SYS-3")
async def test_the_model_is_told_of_the_rest(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start(settings={"custom_section": f"Be {HALF}."}))
    model.script(Say("Hi."), Say("Hi again."))
    turn = await room.hear(f"I am {HALF}.", participants_msg=f"{HALF} joined.")
    assert turn.replies == ["Hi."], turn.error
    assert (await room.hear("And now?")).replies == ["Hi again."]
    for request in model.requests:
        assert f"Be {TOLD}." in request.system
        heard = "\n".join(request.heard)
        assert f"[System]: {TOLD} joined." in heard
        assert f"[Alice]: I am {TOLD}." in heard


@pytest.mark.rule("HIST-4", "HIST-2", "HIST-3")
async def test_a_history_is_taken_whoever_wrote_it(
    start: Start, model: ScriptedModel
) -> None:
    history = [
        {"content": f"I am {HALF}.", "sender_name": HALF},
        {"content": HALF, "sender_name": "Tester", "role": "assistant"},
        event("tool_call", HALF, args={HALF: [HALF]}),
        event("tool_call", OTHER, name=HALF, args={}),
        event("tool_result", HALF, output=HALF),
        event("tool_result", OTHER, output="", name=HALF),
    ]
    model.script(Say("Hi."))
    turn = await Room(await start()).hear("Hello?", history=history)
    assert turn.replies == ["Hi."], turn.error
    (request,) = model.requests
    assert request.heard == [f"[{TOLD}]: I am {TOLD}.", "[Alice]: Hello?"]
    assert request.spoke == [TOLD]
    assert [*request.answers.values()] == [TOLD, ""]


@pytest.mark.rule("TOOL-3", "EVT-1", "HIST-5")
async def test_what_a_tool_returns_or_raises_is_told(
    start: Start, model: ScriptedModel
) -> None:
    own = (EchoInput, lambda args: HALF)
    tools = RoomTools(results={LOOK: HALF}, raises={PEERS: BandToolError(HALF)})
    model.script((Call(LOOK), Call(PEERS), Call("echo")), Say("Done."), Say("Well."))
    room = Room(await start(additional_tools=[own]))
    turn = await room.hear("Go.", tools=tools)
    assert turn.replies == ["Done."], turn.error
    assert (await room.hear("And now?")).replies == ["Well."]
    for request in model.requests[1:]:
        assert [*request.answers.values()] == [TOLD, f"Error: {TOLD}", TOLD]


@pytest.mark.rule("TOOL-2", "HIST-5")
async def test_a_call_is_answered_under_an_id_that_can_be_sent(
    start: Start, model: ScriptedModel
) -> None:
    model.script((Call(LOOK, id=HALF), Call(HALF), Call("echo", raw=HALF)))
    model.script(Say("Done."), Say("Well."))
    room = Room(await start(additional_tools=[(EchoInput, lambda args: "")]))
    turn = await room.hear("Go.")
    assert turn.replies == ["Done."], turn.error
    assert (await room.hear("And now?")).replies == ["Well."]
    looked, *others = model.requests[-1].answers.values()
    assert "Alice" in looked
    assert [text[:5] for text in others] == ["Error"] * 2


@pytest.mark.rule("TURN-1", "HIST-5")
async def test_what_the_model_says_is_posted(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Say(HALF), Say("Done."))
    assert (await room.hear("Go on.")).replies == [TOLD]
    assert (await room.hear("Go on.")).replies == ["Done."]
    assert model.requests[-1].spoke == [TOLD]


@pytest.mark.rule("FAIL-1")
async def test_a_failure_is_told(start: Start, model: ScriptedModel) -> None:
    model.script(Fail(500, HALF))
    turn = await Room(await start()).hear("Go on.")
    assert [failure["message"][-5:] for failure in turn.failures] == [TOLD]


@pytest.mark.rule("EVT-4")
async def test_a_thought_is_shown(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.THOUGHTS):
        return
    model.script((Think(HALF), Say("Done.")))
    turn = await Room(await start()).hear("Go on.")
    assert [thought["content"] for thought in turn.events("thought")] == [TOLD]
    assert turn.replies == ["Done."], turn.error
