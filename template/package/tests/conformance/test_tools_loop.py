"""TOOL-5 and TOOL-6: when the tool loop ends."""

from __future__ import annotations

import pytest
from band.core.exceptions import ProviderRunError

from tests.conformance.declared import Start
from tests.support.room import Room, RoomTools
from tests.support.script import Call, Say
from tests.support.wire import ScriptedModel

LOOK = Call("band_get_participants")
DECLINE = Call("band_no_reply")
REPLY = Call("band_send_message", {"content": "Hello.", "mentions": ["@alice"]})
MISTAKE = Call("band_send_message", {"content": "Hello."})


@pytest.mark.rule("TOOL-5")
@pytest.mark.parametrize("bound", [1, 3])
async def test_a_turn_that_never_replies_fails_at_the_bound(
    start: Start, model: ScriptedModel, bound: int
) -> None:
    model.script(*[LOOK] * 10)
    turn = await Room(await start(settings={"max_tool_rounds": bound})).hear("Go.")
    assert isinstance(turn.error, ProviderRunError)
    assert [failure["code"] for failure in turn.failures] == ["max_tool_rounds"]
    assert len(model.requests) == bound


@pytest.mark.rule("TOOL-5")
async def test_a_turn_that_has_replied_ends_normally_at_the_bound(
    start: Start, model: ScriptedModel
) -> None:
    model.script(REPLY, *[LOOK] * 10)
    turn = await Room(await start(settings={"max_tool_rounds": 3})).hear("Go.")
    assert turn.error is None
    assert turn.failures == []
    assert turn.replies == ["Hello."]
    assert len(model.requests) == 3


@pytest.mark.rule("TOOL-5")
async def test_the_last_round_may_still_answer(
    start: Start, model: ScriptedModel
) -> None:
    model.script(LOOK, LOOK, Say("Alice is here."))
    turn = await Room(await start(settings={"max_tool_rounds": 3})).hear("Go.")
    assert turn.replies == ["Alice is here."], turn.error
    assert turn.failures == []


@pytest.mark.rule("TOOL-5")
async def test_the_loop_is_bounded_by_default(
    start: Start, model: ScriptedModel
) -> None:
    model.script(*[LOOK] * 60)
    turn = await Room(await start()).hear("Go.")
    assert [failure["code"] for failure in turn.failures] == ["max_tool_rounds"]
    assert 5 <= len(model.requests) <= 50


@pytest.mark.rule("TOOL-5", "HIST-6")
async def test_a_turn_that_met_the_bound_leaves_the_room_as_it_was(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start(settings={"max_tool_rounds": 2}))
    model.script(LOOK, LOOK, Say("Hello."))
    await room.hear("Go.")
    await room.hear("Hello?")
    assert model.requests[-1].heard == ["[Alice]: Hello?"]
    assert model.requests[-1].called == []


@pytest.mark.rule("TOOL-6")
@pytest.mark.parametrize(
    "calls",
    [(DECLINE,), (LOOK, DECLINE), (DECLINE, LOOK)],
    ids=["alone", "last", "first"],
)
async def test_after_declining_the_model_is_not_called_again(
    start: Start, model: ScriptedModel, calls: tuple[Call, ...]
) -> None:
    model.script(calls, Say("Never asked for."))
    turn = await Room(await start()).hear("For your information.")
    assert turn.error is None
    assert turn.replies == []
    assert len(model.requests) == 1


@pytest.mark.rule("TOOL-6")
@pytest.mark.parametrize(
    "calls", [(MISTAKE, DECLINE), (DECLINE, MISTAKE)], ids=["before", "after"]
)
async def test_the_model_is_told_of_a_failure_beside_its_declining(
    start: Start, model: ScriptedModel, calls: tuple[Call, ...]
) -> None:
    model.script(calls, REPLY, Say(""))
    turn = await Room(await start()).hear("Hello?")
    assert turn.error is None
    assert turn.replies == ["Hello."], "the model was not asked again"


@pytest.mark.rule("TOOL-6")
async def test_a_mistake_that_is_past_does_not_count_against_declining(
    start: Start, model: ScriptedModel
) -> None:
    model.script(MISTAKE, DECLINE, Say("Never asked for."))
    turn = await Room(await start()).hear("For your information.")
    assert turn.error is None
    assert turn.replies == []
    assert len(model.requests) == 2


@pytest.mark.rule("TOOL-6")
async def test_declining_that_failed_is_no_declining(
    start: Start, model: ScriptedModel
) -> None:
    tools = RoomTools(raises={"band_no_reply": RuntimeError("out of order")})
    model.script(DECLINE, Say("Then I answer."))
    turn = await Room(await start()).hear("Hello?", tools=tools)
    assert turn.replies == ["Then I answer."], turn.error


@pytest.mark.rule("TOOL-6")
async def test_a_room_in_which_the_agent_declined_carries_on(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(DECLINE, Say("Yes?"))
    await room.hear("For your information.")
    turn = await room.hear("And a question.")
    assert turn.replies == ["Yes?"], turn.error
    assert model.requests[1].heard == [
        "[Alice]: For your information.",
        "[Alice]: And a question.",
    ]


@pytest.mark.rule("TOOL-6")
async def test_a_reply_does_not_end_the_loop(
    start: Start, model: ScriptedModel
) -> None:
    model.script(REPLY, LOOK, Say(""))
    turn = await Room(await start()).hear("Say hello, then look around.")
    assert turn.error is None
    assert len(model.requests) == 3
    assert ("run", LOOK.name) in turn.tools.log
