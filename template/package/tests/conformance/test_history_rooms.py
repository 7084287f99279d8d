"""HIST-4 to HIST-7: the conversation that a room keeps."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.conformance.declared import Start
from tests.support.room import Room, RoomTools, wait_until
from tests.support.script import Call, Fail, Hang, Heard, Say
from tests.support.wire import ScriptedModel

LOOK = "band_get_participants"
LONG_AGO = [
    {"role": "user", "sender_name": "Alice", "content": "My cat is called Error."},
    {"role": "assistant", "sender_name": "Tester", "content": "A fine name."},
    {"role": "assistant", "sender_name": "Bob Bot", "content": "I prefer dogs."},
]
REMEMBERED = ["[Alice]: My cat is called Error.", "[Bob Bot]: I prefer dogs."]


def event(type: str, **content: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "sender_name": "Tester",
        "message_type": type,
        "content": json.dumps(content),
    }


@pytest.mark.rule("HIST-5")
async def test_history_is_loaded_with_the_first_message(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Error."))
    await Room(await start()).hear("What is my cat called?", history=LONG_AGO)
    assert model.requests[0].heard == [*REMEMBERED, "[Alice]: What is my cat called?"]
    assert model.requests[0].spoke == ["A fine name."]


@pytest.mark.rule("HIST-5")
async def test_later_turns_carry_on_the_conversation(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Call(LOOK, id="call-1"), Say("Hi."), Say("Bye."))
    await room.hear("Hello.", history=LONG_AGO)
    await room.hear("Goodbye.")
    request = model.requests[-1]
    assert request.heard == [*REMEMBERED, "[Alice]: Hello.", "[Alice]: Goodbye."]
    assert request.spoke == ["A fine name.", "Hi."]
    assert list(request.answers) == ["call-1"], "calls are part of the conversation"


@pytest.mark.rule("HIST-5")
async def test_a_second_bootstrap_starts_from_the_rooms_history(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Say("Hi."), Say("Error."))
    await room.hear("Hello.")
    await room.hear("What is my cat called?", bootstrap=True, history=LONG_AGO)
    assert model.requests[1].heard == [*REMEMBERED, "[Alice]: What is my cat called?"]


@pytest.mark.rule("HIST-5")
async def test_an_unknown_room_needs_no_bootstrap(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Hi."))
    turn = await Room(await start()).hear("Hello.", bootstrap=False)
    assert turn.replies == ["Hi."], turn.error
    assert model.requests[0].heard == ["[Alice]: Hello."]


@pytest.mark.rule("HIST-5", "HIST-6")
async def test_history_outlives_a_first_turn_that_failed(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Fail(500), Say("Error."))
    await room.hear("What is my cat called?", history=LONG_AGO)
    await room.hear("What is my cat called?", bootstrap=False)
    assert model.requests[1].heard == [*REMEMBERED, "[Alice]: What is my cat called?"]


@pytest.mark.rule("HIST-4", "HIST-3")
async def test_a_room_that_was_left_in_mid_call_carries_on(
    start: Start, model: ScriptedModel
) -> None:
    history = [
        *LONG_AGO,
        event("tool_result", name=LOOK, output="lost", tool_call_id="gone"),
        event("tool_call", name=LOOK, args={}, tool_call_id="call-1"),
    ]
    # The model invents the very id that is in history already.
    model.script(Call(LOOK, id="call-1"), Say("Here I am."))
    turn = await Room(await start()).hear("Hello?", history=history)
    assert turn.replies == ["Here I am."], turn.error
    assert [request.faults for request in model.requests] == [(), ()]
    assert len(model.requests[1].answers) == 2


@pytest.mark.rule("HIST-6")
@pytest.mark.parametrize("steps", [(Say(""),), (Call(LOOK), Say(""))], ids=repr)
async def test_a_message_delivered_again_after_silence_is_told_once(
    start: Start, model: ScriptedModel, steps: tuple[Any, ...]
) -> None:
    room = Room(await start())
    model.script(Say("Hi."), *steps, Say("Gladly."), Say("Always."))
    await room.hear("Hello.")
    failed = await room.hear("Please help.", id="message-a")
    assert failed.error is not None
    turn = await room.hear("Please help.", id="message-a")
    assert turn.replies == ["Gladly."], turn.error
    await room.hear("Thanks.")
    request = model.requests[-1]
    assert request.heard == [
        "[Alice]: Hello.",
        "[Alice]: Please help.",
        "[Alice]: Thanks.",
    ]
    assert request.spoke == ["Hi.", "Gladly."]
    assert request.called == []


@pytest.mark.rule("HIST-6", "SYS-2", "TOOL-4")
async def test_a_message_delivered_again_after_a_cancellation_is_told_once(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Hang())
    turn = asyncio.create_task(
        room.hear("Please help.", participants_msg="Carol joined.", history=LONG_AGO)
    )
    await wait_until(lambda: model.requests)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    model.script(Say("Gladly."))
    await room.hear("Please help.")
    text = "\n".join(model.requests[1].heard)
    assert text.count("Please help.") == text.count("Carol joined.") == 1
    assert text.count("My cat is called Error.") == 1
    assert text.index("Carol joined.") < text.index("Please help.")


@pytest.mark.rule("HIST-7")
@pytest.mark.parametrize("bound", [1, 6])
async def test_the_kept_conversation_is_bounded(
    start: Start, model: ScriptedModel, bound: int
) -> None:
    room = Room(await start(settings={"max_history_messages": bound}))
    model.answer_with(lambda request: Say(f"Reply to {len(model.requests)}."))
    for number in range(12):
        turn = await room.hear(f"Number {number}.")
        assert turn.error is None
    longest = max(len(request.messages) for request in model.requests)
    assert longest <= bound + 1, "what is kept, and the new message"
    assert longest >= bound - 1, "no more is forgotten than has to be"
    last = model.requests[-1]
    assert isinstance(last.messages[0], Heard), "cut at a message of the room"
    assert last.heard[-1] == "[Alice]: Number 11."


@pytest.mark.rule("HIST-7")
@pytest.mark.parametrize("bound", [3, 8])
async def test_a_call_is_never_cut_off_from_its_result(
    start: Start, model: ScriptedModel, bound: int
) -> None:
    room = Room(await start(settings={"max_history_messages": bound}))
    for number in range(4):
        model.script((Call(LOOK), Call(LOOK)), Call(LOOK), Say("Hi."))
        turn = await room.hear(f"Number {number}.")
        assert turn.replies == ["Hi."], turn.error
    for request in model.requests:
        assert request.faults == ()
        assert isinstance(request.messages[0], Heard)
        assert request.heard[-1].startswith("[Alice]: Number")


@pytest.mark.rule("HIST-7", "HIST-5")
async def test_a_long_history_is_cut_to_its_newest_part(
    start: Start, model: ScriptedModel
) -> None:
    history = [
        {"role": "user", "sender_name": "Alice", "content": f"Number {number}."}
        for number in range(50)
    ]
    model.script(Say("Hi."))
    adapter = await start(settings={"max_history_messages": 10})
    await Room(adapter).hear("Number 50.", history=history)
    heard = model.requests[0].heard
    assert len(heard) <= 11
    assert heard[-2:] == ["[Alice]: Number 49.", "[Alice]: Number 50."]


@pytest.mark.rule("HIST-7")
async def test_the_conversation_is_bounded_by_default(
    start: Start, model: ScriptedModel
) -> None:
    history = [
        {"role": "user", "sender_name": "Alice", "content": f"Number {number}."}
        for number in range(5_000)
    ]
    model.script(Say("Hi."))
    await Room(await start()).hear("Hello.", history=history)
    assert 10 <= len(model.requests[0].messages) <= 500


@pytest.mark.rule("HIST-6", "TURN-2")
async def test_a_turn_judged_incomplete_is_not_kept(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Call(LOOK), Say(""), Say("Hi."))
    await room.hear("Hello?", tools=RoomTools())
    await room.hear("Hello?!")
    assert model.requests[-1].heard == ["[Alice]: Hello?!"]
    assert model.requests[-1].answers == {}


@pytest.mark.rule("HIST-5")
async def test_what_the_contact_hub_said_is_remembered(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start(), "hub")
    model.script(Say("Noted."), Say("Noted."))
    await room.hear("Carol asks.", hub=True)
    await room.hear("Dave asks.", hub=True)
    assert len(model.requests[1].heard) == 2
