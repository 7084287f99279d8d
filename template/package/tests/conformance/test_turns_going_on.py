"""TURN-1 and TOOL-5: an answer after which the model goes on is not the last word."""

from __future__ import annotations

import pytest
from band import Emit

from tests.conformance.declared import Start
from tests.subject import SUBJECT
from tests.support.room import Room
from tests.support.script import Answer, Call, Cut, Fail, Say, Step, Think, Tokens
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

LOOK = Call("band_get_participants")
REPLY = Call("band_send_message", {"content": "Hello.", "mentions": ["@alice"]})
THOUGHT, WORDS = "I should look first.", "Let me look."
GOES_ON = {
    "call": Answer(Think(THOUGHT), Say(WORDS), LOOK),
    "pause": Answer(Think(THOUGHT), Say(WORDS), finish="pause"),
}


@pytest.fixture(params=SUBJECT.goes_on)
def going_on(request: pytest.FixtureRequest) -> Answer:
    """An answer after which the model goes on, in one of the ways of its API."""
    return GOES_ON[request.param]


@pytest.mark.rule("TURN-1", "EVT-3", "EVT-4")
async def test_the_model_is_asked_again_with_what_it_said(
    subject: Subject, start: Start, model: ScriptedModel, going_on: Answer
) -> None:
    model.script(going_on, going_on, Say("It is noon."))
    turn = await Room(await start()).hear("What time is it?")
    assert turn.replies == ["It is noon."], turn.error
    assert [request.faults for request in model.requests] == [()] * 3
    said = [request.spoke for request in model.requests]
    assert said == [[], [WORDS], [WORDS, WORDS]]
    assert model.requests[-1].heard == ["[Alice]: What time is it?"]
    emitted = subject.adapter.SUPPORTED_EMIT
    thoughts = [event["content"] for event in turn.events("thought")]
    assert thoughts == [THOUGHT, THOUGHT] * (Emit.THOUGHTS in emitted)
    spent = sum(record["output_tokens"] for record in turn.usage)
    assert spent == 3 * Tokens().output * (Emit.USAGE in emitted)


@pytest.mark.rule("TURN-1", "HIST-4", "HIST-5")
@pytest.mark.parametrize("calls", [(), (LOOK,)], ids=["end", "call"])
async def test_what_led_to_an_answer_is_kept_with_its_calls_only(
    start: Start, model: ScriptedModel, going_on: Answer, calls: tuple[Call, ...]
) -> None:
    room = Room(await start())
    model.script(going_on, *calls, Say("It is noon."), Say("Still noon."))
    assert (await room.hear("What time is it?")).replies == ["It is noon."]
    assert (await room.hear("And now?")).replies == ["Still noon."]
    *_, current, last = model.requests
    assert current.spoke == [WORDS]
    assert last.heard == ["[Alice]: What time is it?", "[Alice]: And now?"]
    assert len(last.called) == len(going_on.calls) + len(calls)
    assert [call.id for call in last.called] == [*last.answers]
    assert last.spoke[-1] == "It is noon."
    assert last.spoke.count(WORDS) <= len(last.called)


@pytest.mark.rule("TOOL-5", "TURN-1", "HIST-6")
@pytest.mark.parametrize(
    ("first", "failures"),
    [(None, ["max_tool_rounds"]), (REPLY, [])],
    ids=["silent", "replied"],
)
async def test_going_on_is_bounded(
    start: Start,
    model: ScriptedModel,
    going_on: Answer,
    first: Call | None,
    failures: list[str],
) -> None:
    room = Room(await start(settings={"max_tool_rounds": 3}))
    model.script(first or going_on, going_on, going_on)
    turn = await room.hear("Go on for ever.")
    assert [failure["code"] for failure in turn.failures] == failures
    assert WORDS not in turn.replies
    assert len(model.requests) == 3
    model.script(Say("Yes."))
    assert (await room.hear("Still there?")).replies == ["Yes."]
    last = model.requests[-1]
    assert len(last.heard) == (1 if failures else 2)
    assert last.spoke.count(WORDS) <= len(last.called)


@pytest.mark.rule("FAIL-1", "TURN-4", "HIST-6")
@pytest.mark.parametrize("wrong", [Fail(500), Cut("It is half past")], ids=repr)
async def test_a_turn_that_fails_after_going_on_leaves_nothing_behind(
    start: Start, model: ScriptedModel, going_on: Answer, wrong: Step
) -> None:
    room = Room(await start())
    model.script(going_on, wrong, Say("It is noon."))
    failed = await room.hear("What time is it?")
    assert failed.replies == []
    assert len(failed.failures) == 1
    assert (await room.hear("What time is it?")).replies == ["It is noon."]
    last = model.requests[-1]
    assert last.heard == ["[Alice]: What time is it?"]
    assert (last.spoke, last.called) == ([], [])
