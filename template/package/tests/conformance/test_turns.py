"""TURN: how a turn ends."""

from __future__ import annotations

from typing import Any

import pytest
from band.core.exceptions import ProviderRunError
from band.core.protocols import TurnResultAlreadyReported
from band.testing import MISSING_REPLY_FAILURE, failure_reports

from tests.conformance.declared import Start
from tests.support.room import Room, RoomTools
from tests.support.script import Answer, Call, Cut, Empty, Filter, Refuse, Say
from tests.support.wire import ScriptedModel

REPLY = Call("band_send_message", {"content": "Hello.", "mentions": ["@alice"]})
DECLINE = Call("band_no_reply")

BROKEN_OFF = {
    "length": Cut("The answer is that"),
    "content_filter": Filter(),
    "no_answer": Empty(),
}


@pytest.mark.rule("TURN-1")
@pytest.mark.parametrize(
    ("sender", "id"), [("Alice", "user-alice"), ("Bob Bot", "agent-bob")]
)
async def test_the_final_text_is_posted_to_the_sender(
    start: Start, model: ScriptedModel, sender: str, id: str
) -> None:
    model.script(Say("It is noon."))
    turn = await Room(await start()).hear("What time is it?", sender=sender)
    assert turn.error is None
    assert turn.replies == ["It is noon."]
    ((mention,),) = turn.mentions
    assert mention["id"] == id, "mention by id: a bare name may not be in the roster"


@pytest.mark.rule("TURN-1")
async def test_a_sender_who_is_not_in_the_roster_is_answered(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Hello, Zoe."))
    tools = RoomTools(participants=())
    turn = await Room(await start()).hear("Hello.", sender="Zoe", tools=tools)
    assert turn.replies == ["Hello, Zoe."], turn.error
    assert turn.mentions[0][0]["id"] == "user-zoe"


@pytest.mark.rule("TURN-1")
async def test_what_was_said_after_a_reply_is_not_posted(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(REPLY, Say("I have greeted Alice."), Say("Yes."))
    turn = await room.hear("Greet Alice.")
    assert turn.error is None
    assert turn.replies == ["Hello."]
    await room.hear("Did you?")
    assert "I have greeted Alice." not in model.requests[-1].spoke, (
        "words that never reached the room are none of the agent's words"
    )


@pytest.mark.rule("TURN-1", "TOOL-6")
async def test_what_was_said_while_declining_is_not_posted(
    start: Start, model: ScriptedModel
) -> None:
    model.script((Say("Not for me."), DECLINE))
    turn = await Room(await start()).hear("Bob, please look.")
    assert turn.error is None
    assert turn.replies == []


@pytest.mark.rule("TURN-1")
async def test_what_was_said_beside_a_call_is_not_the_final_text(
    start: Start, model: ScriptedModel
) -> None:
    model.script((Say("Let me see."), Call("band_get_participants")), Say("Alice."))
    turn = await Room(await start()).hear("Who is here?")
    assert turn.replies == ["Alice."], turn.error


@pytest.mark.rule("TURN-1")
async def test_a_posted_reply_is_kept_as_the_agents_words(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Say("It is noon."), Say("Still noon."))
    await room.hear("What time is it?")
    await room.hear("And now?")
    assert model.requests[1].spoke == ["It is noon."]


@pytest.mark.rule("TURN-1")
async def test_nothing_is_posted_in_the_contact_hub(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("band_list_contacts", id="call-1"), Say("I looked at it."))
    turn = await Room(await start()).hear("@carol asks for contact.", hub=True)
    assert turn.error is None
    assert turn.replies == []
    assert turn.failures == []
    assert ("run", "band_list_contacts") in turn.tools.log


@pytest.mark.rule("TURN-1")
async def test_a_person_is_answered_in_the_contact_hub_too(
    start: Start, model: ScriptedModel
) -> None:
    hub = RoomTools(room_id="room-1", hub_room_id="room-1")
    model.script(Say("Two requests are open."))
    turn = await Room(await start()).hear("What is open?", tools=hub)
    assert turn.replies == ["Two requests are open."], turn.error


@pytest.mark.rule("TURN-1", "TURN-2")
@pytest.mark.parametrize("text", ["", "  \n\t", "\u200b"], ids=["no", "blank", "zero"])
async def test_a_turn_without_visible_text_is_left_for_the_sdk_to_report(
    start: Start, model: ScriptedModel, text: str
) -> None:
    model.script(Say(text))
    turn = await Room(await start()).hear("Hello?")
    assert turn.replies == []
    assert isinstance(turn.error, TurnResultAlreadyReported)
    assert failure_reports(turn.tools) == [MISSING_REPLY_FAILURE]


@pytest.mark.rule("TURN-2")
async def test_a_turn_that_only_looked_is_reported_once(
    start: Start, model: ScriptedModel
) -> None:
    thought = {"content": "Hm.", "message_type": "thought"}
    model.script(Call("band_get_participants"), Call("band_send_event", thought))
    model.script(Say(""))
    turn = await Room(await start()).hear("Hello?")
    assert isinstance(turn.error, TurnResultAlreadyReported)
    assert failure_reports(turn.tools) == [MISSING_REPLY_FAILURE]


@pytest.mark.rule("TURN-2")
async def test_a_turn_that_acted_needs_no_reply(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("band_create_chatroom"), Say(""))
    turn = await Room(await start()).hear("Make a room.")
    assert turn.error is None
    assert turn.failures == []


@pytest.mark.rule("TURN-3")
async def test_a_delivery_that_failed_is_raised_as_its_own_cause(
    start: Start, model: ScriptedModel
) -> None:
    tools, away = RoomTools(), ConnectionError("Band is away.")
    tools.send_message_error = away
    model.script(Say("It is noon."))
    turn = await Room(await start()).hear("What time is it?", tools=tools)
    assert turn.error is away
    assert turn.failures == [], "Band's outage is no failure of the model"


@pytest.mark.rule("TURN-3", "HIST-6")
async def test_a_reply_that_was_not_delivered_is_not_kept(
    start: Start, model: ScriptedModel
) -> None:
    room, tools = Room(await start()), RoomTools()
    tools.send_message_error = ConnectionError("Band is away.")
    model.script(Say("Lost."), Say("It is noon."))
    await room.hear("What time is it?", tools=tools, id="message-a")
    turn = await room.hear("What time is it?", id="message-a")
    assert turn.replies == ["It is noon."], turn.error
    assert model.requests[1].heard == ["[Alice]: What time is it?"]
    assert model.requests[1].spoke == []


@pytest.mark.rule("TURN-3", "TOOL-3")
async def test_a_delivery_that_a_tool_failed_to_make_is_told_to_the_model(
    start: Start, model: ScriptedModel
) -> None:
    tools = RoomTools(raises={"band_send_message": ConnectionError("Band is away.")})
    model.script(REPLY, Say("Hello after all."))
    turn = await Room(await start()).hear("Greet Alice.", tools=tools)
    assert turn.replies == ["Hello after all."], turn.error


@pytest.mark.rule("TURN-4")
async def test_a_refusal_is_what_the_model_has_to_say(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Refuse("I will not help with that."), Say("Gladly."))
    turn = await room.hear("Do something bad.")
    assert turn.error is None
    assert turn.replies == ["I will not help with that."]
    await room.hear("Do something good.")
    assert model.requests[1].spoke == ["I will not help with that."]


@pytest.mark.rule("TURN-4")
@pytest.mark.parametrize("code", BROKEN_OFF)
async def test_an_answer_that_was_broken_off_fails_the_turn_with_the_reason(
    start: Start, model: ScriptedModel, code: str
) -> None:
    room = Room(await start())
    # Where services have several words for it, the scripted model uses them in turn.
    for _ in range(4):
        model.script(BROKEN_OFF[code])
        turn = await room.hear("Tell me everything.")
        assert turn.replies == [], "a truncated answer must not pass for a finished one"
        assert [failure["code"] for failure in turn.failures] == [code]
        assert turn.failures[0]["message"]
        assert isinstance(turn.error, ProviderRunError)


@pytest.mark.rule("TURN-4")
@pytest.mark.parametrize("code", BROKEN_OFF)
async def test_an_answer_broken_off_after_the_reply_spoils_nothing(
    start: Start, model: ScriptedModel, code: str
) -> None:
    model.script(REPLY, BROKEN_OFF[code])
    turn = await Room(await start()).hear("Greet Alice.")
    assert turn.error is None
    assert turn.failures == []
    assert turn.replies == ["Hello."]


@pytest.mark.rule("TURN-4")
@pytest.mark.parametrize(
    ("finish", "code"), [("length", "length"), ("filter", "content_filter")]
)
async def test_text_of_an_answer_that_was_broken_off_is_never_posted(
    start: Start, model: ScriptedModel, finish: Any, code: str
) -> None:
    model.script(Answer(Say("Half an ans"), finish=finish))
    turn = await Room(await start()).hear("Tell me everything.")
    assert turn.replies == []
    assert [failure["code"] for failure in turn.failures] == [code]
    assert isinstance(turn.error, ProviderRunError)
