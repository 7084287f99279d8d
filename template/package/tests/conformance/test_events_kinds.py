"""EVT-3 to EVT-6: usage, thoughts, task events, and what was switched off."""

from __future__ import annotations

from typing import Any

import pytest
from band import Emit
from band.core.types import is_usage_event

from tests.conformance.declared import Make, Start, declares, reported
from tests.support.room import Room, RoomTools
from tests.support.script import (
    Answer,
    Call,
    Cut,
    Fail,
    Filter,
    Say,
    Scripted,
    Think,
    Tokens,
)
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

LOOK = Call("band_get_participants")


def spent(input: int, output: int, cached: int) -> dict[str, int]:
    """A record of usage, as the SDK's readers expect it."""
    return {
        "input_tokens": input,
        "output_tokens": output,
        "cache_read_tokens": cached,
        "cache_write_tokens": 0,
    }


@pytest.mark.rule("EVT-3")
async def test_usage_is_summed_into_one_record_a_turn(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.USAGE):
        return
    room = Room(await start())
    model.script(
        Answer(LOOK, tokens=Tokens(100, 20, 30)),
        Answer(Say("Alice."), tokens=Tokens(200, 5, 70)),
        Answer(Say("Alice again."), tokens=Tokens(7, 1, 0)),
    )
    assert (await room.hear("Who is here?")).usage == [spent(300, 25, 100)]
    assert (await room.hear("Sure?")).usage == [spent(7, 1, 0)]


@pytest.mark.rule("EVT-3")
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((LOOK, Fail(500)), [spent(11, 7, 3)]),
        ((LOOK, Cut("The ans")), [spent(22, 14, 6)]),
        ((Filter(),), [spent(11, 7, 3)]),
        ((Say(""),), [spent(11, 7, 3)]),
        ((LOOK,) * 3, [spent(33, 21, 9)]),
        ((Fail(500),), []),
    ],
    ids=["second-fails", "cut", "filtered", "silent", "rounds", "first-fails"],
)
async def test_what_a_failed_turn_has_used_is_reported_too(
    subject: Subject,
    make: Make,
    start: Start,
    model: ScriptedModel,
    steps: tuple[Scripted, ...],
    expected: list[dict[str, int]],
) -> None:
    if not declares(subject, make, Emit.USAGE):
        return
    model.script(*steps)
    turn = await Room(await start(settings={"max_tool_rounds": 3})).hear("Go.")
    assert turn.error is not None
    assert turn.usage == expected


@pytest.mark.rule("EVT-3", "TURN-3")
async def test_what_an_undelivered_reply_has_used_is_reported_too(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.USAGE):
        return
    tools = RoomTools()
    tools.send_message_error = ConnectionError("Band is away.")
    model.script(Say("Lost."))
    turn = await Room(await start()).hear("Go.", tools=tools)
    assert turn.usage == [spent(11, 7, 3)]


@pytest.mark.rule("EVT-3")
async def test_nothing_is_reported_when_the_api_reports_no_usage(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Answer(LOOK, tokens=None), Answer(Say("Alice."), tokens=None))
    turn = await Room(await start()).hear("Who is here?")
    assert turn.replies == ["Alice."], turn.error
    assert turn.usage == []


@pytest.mark.rule("EVT-4")
async def test_reasoning_is_posted_as_thoughts(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.THOUGHTS):
        return
    model.script((Think("Who is here?"), LOOK), (Think("Alice is."), Say("Alice.")))
    turn = await Room(await start(emit=Emit.THOUGHTS)).hear("Who is here?")
    thoughts = [event["content"] for event in turn.events("thought")]
    assert thoughts == ["Who is here?", "Alice is."]
    assert turn.replies == ["Alice."]
    assert turn.tools.log[:2] == [("thought", ""), ("run", LOOK.name)]


@pytest.mark.rule("EVT-4")
async def test_reasoning_is_neither_replied_nor_fed_back(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script((Think("A secret plan."), LOOK), (Think("More plans."), Say("Alice.")))
    model.script(Say("Yes."))
    turn = await room.hear("Who is here?")
    assert turn.replies == ["Alice."], turn.error
    assert (await room.hear("Sure?")).replies == ["Yes."]
    for request in model.requests:
        told = [*request.heard, *request.spoke, *request.answers.values()]
        assert not [text for text in told if "plan" in text]


@pytest.mark.rule("EVT-4", "EVT-3", "EVT-5")
async def test_a_model_that_does_not_reason_has_no_thoughts(
    start: Start, model: ScriptedModel
) -> None:
    model.script(LOOK, Say("Alice."))
    turn = await Room(await start()).hear("Who is here?")
    assert turn.events("thought") == []


@pytest.mark.rule("EVT-5")
async def test_task_events_tell_start_progress_and_end(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.TASK_EVENTS):
        return
    model.script(LOOK, LOOK, Say("Alice."))
    turn = await Room(await start(emit=Emit.TASK_EVENTS)).hear("Who is here?")
    states = [event["metadata"]["turn"]["state"] for event in turn.events("task")]
    assert states == ["started", "working", "working", "finished"]
    assert turn.tools.log[0] == ("task", "")
    assert turn.tools.log[-2:] == [("say", "Alice."), ("task", "")]


@pytest.mark.rule("EVT-5")
async def test_progress_tells_the_round(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.TASK_EVENTS):
        return
    model.script(LOOK, LOOK, Say("Alice."))
    turn = await Room(await start()).hear("Who is here?")
    rounds = [
        event["metadata"]["turn"]["round"]
        for event in turn.events("task")
        if event["metadata"]["turn"]["state"] == "working"
    ]
    assert rounds == sorted(set(rounds)) and len(rounds) == 2
    assert all(event["content"].strip() for event in turn.events("task"))


@pytest.mark.rule("EVT-5")
@pytest.mark.parametrize(
    ("step", "states"),
    [
        (Say("Hi."), ["started", "finished"]),
        (Fail(500), ["started", "failed"]),
        (Cut("Hi, I"), ["started", "failed"]),
        (Say(""), ["started", "failed"]),
    ],
    ids=["finished", "failed", "cut", "silent"],
)
async def test_task_events_tell_how_the_turn_ended(
    subject: Subject,
    make: Make,
    start: Start,
    model: ScriptedModel,
    step: Any,
    states: list[str],
) -> None:
    if not declares(subject, make, Emit.TASK_EVENTS):
        return
    model.script(step)
    turn = await Room(await start()).hear("Hello.")
    events = turn.events("task")
    assert [event["metadata"]["turn"]["state"] for event in events] == states
    assert not any(is_usage_event(event["metadata"]) for event in events)


@pytest.mark.rule("EVT-6")
@pytest.mark.parametrize("kind", Emit)
async def test_a_kind_that_is_switched_off_is_not_sent(
    subject: Subject, start: Start, model: ScriptedModel, kind: Emit
) -> None:
    others = subject.adapter.SUPPORTED_EMIT - {kind}
    model.script((Think("Who is here?"), LOOK), (Think("Alice is."), Say("Alice.")))
    turn = await Room(await start(emit=others)).hear("Who is here?")
    assert turn.replies == ["Alice."], turn.error
    assert reported(turn) == others


@pytest.mark.rule("EVT-6", "FAIL-1")
@pytest.mark.parametrize("step", [Fail(500), Cut("Hi, I")], ids=["failed", "cut"])
async def test_in_silence_a_failure_is_still_told(
    start: Start, model: ScriptedModel, step: Any
) -> None:
    model.script(step)
    turn = await Room(await start(emit=())).hear("Hello.")
    assert [event["message_type"] for event in turn.tools.events_sent] == ["error"]
    assert len(turn.failures) == 1


@pytest.mark.rule("EVT-4", "TURN-2")
async def test_thoughts_are_no_reply(start: Start, model: ScriptedModel) -> None:
    model.script((Think("A secret plan."), Say("")))
    turn = await Room(await start()).hear("Who is here?")
    assert turn.replies == []


@pytest.mark.rule("EVT-4")
async def test_long_thoughts_fit_into_an_event(
    start: Start, model: ScriptedModel
) -> None:
    model.script((Think("long " * 20_000), Say("Hi.")))
    turn = await Room(await start()).hear("Who is here?")
    assert all(len(event["content"]) < 16_384 for event in turn.tools.events_sent)
