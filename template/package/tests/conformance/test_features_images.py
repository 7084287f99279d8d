"""FEAT-6: an image in the room is seen by the model, and is no text anywhere."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from band import Capability, Emit
from band.converters.parsing import parse_tool_result

from tests.conformance.declared import Make, Start, declares
from tests.support.room import Room, RoomTools, Turn
from tests.support.script import Call, Saw, Say
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

DOT = base64.b64encode(b"\x89PNG a small dot").decode()
PHOTO = base64.b64encode(b"\x89PNG" + bytes(range(256)) * 400).decode()
READ = "band_read_room_file"


def image(*images: str) -> dict[str, Any]:
    """What the platform answers for a file that is an image."""
    blocks = [
        {"type": "image", "data": data, "mimeType": "image/png"} for data in images
    ]
    return {"content": blocks}


async def look(
    start: Start, model: ScriptedModel, result: Any, *calls: Call
) -> tuple[Room, Turn]:
    """A turn in which the model makes ``calls`` and every read gives ``result``."""
    tools = RoomTools(results={READ: result})
    model.script(calls, Say("A dot."))
    room = Room(await start(capabilities=Capability.FILES))
    return room, await room.hear("What is on it?", tools=tools)


@pytest.mark.rule("FEAT-6")
@pytest.mark.parametrize("data", [DOT, PHOTO], ids=["small", "large"])
async def test_an_image_reaches_the_model_as_an_image(
    subject: Subject, make: Make, start: Start, model: ScriptedModel, data: str
) -> None:
    if not declares(subject, make, Capability.FILES):
        return
    _, turn = await look(
        start, model, image(data), Call(READ, {"file_id": "f"}, id="call-1")
    )
    assert turn.replies == ["A dot."], turn.error
    assert model.requests[1].saw == [Saw("image/png", data)]
    assert data not in model.requests[1].answers["call-1"]


@pytest.mark.rule("FEAT-6", "TOOL-2")
async def test_images_leave_every_call_answered_first(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Capability.FILES):
        return
    calls = (
        Call(READ, {"file_id": "one"}, id="call-1"),
        Call("band_get_participants", id="call-2"),
        Call(READ, {"file_id": "two"}, id="call-3"),
    )
    room, turn = await look(start, model, image(DOT, PHOTO), *calls)
    assert turn.error is None
    request = model.requests[1]
    assert list(request.answers) == ["call-1", "call-2", "call-3"]
    assert [seen.data for seen in request.saw] == [DOT, PHOTO, DOT, PHOTO]
    model.script(Say("Still a dot."))
    assert (await room.hear("And now?")).replies == ["Still a dot."]


@pytest.mark.rule("FEAT-6", "EVT-1")
async def test_the_rooms_events_carry_a_placeholder_for_an_image(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Capability.FILES):
        return
    _, turn = await look(start, model, image(DOT), Call(READ, {"file_id": "f"}))
    assert DOT not in json.dumps(turn.tools.events_sent)
    results = [parse_tool_result(one["content"]) for one in turn.events("tool_result")]
    assert len(results) == (Emit.TOOL_CALLS in subject.adapter.SUPPORTED_EMIT)
    assert all(one and "image" in one.output and not one.is_error for one in results)


@pytest.mark.rule("FEAT-6")
async def test_only_a_file_that_was_read_is_taken_for_an_image(
    start: Start, model: ScriptedModel
) -> None:
    tools = RoomTools(results={"band_get_participants": image(DOT)})
    model.script(Call("band_get_participants", id="call-1"), Say("No image."))
    turn = await Room(await start()).hear("Who is here?", tools=tools)
    assert turn.error is None
    assert model.requests[1].saw == []
    assert DOT in model.requests[1].answers["call-1"]


@pytest.mark.rule("FEAT-6")
async def test_a_text_file_stays_text(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Capability.FILES):
        return
    call = Call(READ, {"file_id": "f"}, id="call-1")
    _, turn = await look(start, model, {"text": "shopping list"}, call)
    assert turn.error is None
    assert model.requests[1].saw == []
    assert "shopping list" in model.requests[1].answers["call-1"]


@pytest.mark.rule("HIST-7", "FEAT-6")
async def test_a_conversation_is_not_cut_between_a_call_and_its_image(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Capability.FILES):
        return
    tools = RoomTools(results={READ: image(DOT)})
    bound = {"max_history_messages": 3}
    room = Room(await start(capabilities=Capability.FILES, settings=bound))
    model.script(Call(READ, {"file_id": "f"}), Say("A dot."), Say("Sure."))
    await room.hear("What is it?", tools=tools)
    await room.hear("Sure?")
    kept = model.requests[-1]
    assert bool(kept.saw) == bool(kept.called), "an image without the call that read it"
    assert kept.heard[-1] == "[Alice]: Sure?"
