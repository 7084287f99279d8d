"""FAIL-1 and HIST-6: however a model call goes wrong, nothing of it stays behind."""

from __future__ import annotations

import asyncio
import time

import pytest
from band.core.exceptions import ProviderRunError
from band.core.protocols import GENERIC_PROVIDER_FAILURE_MESSAGE

from tests.conformance.declared import Start
from tests.support.room import Room
from tests.support.script import (
    Call,
    Cut,
    Drop,
    Empty,
    Fail,
    Filter,
    Garbled,
    Say,
    Step,
)
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

LOOK = Call("band_get_participants")
CAROL, DAVE = "Carol joined the room.", "Dave is a new contact."

WRONG: dict[str, Step] = {
    "400": Fail(400),
    "401": Fail(401),
    "429": Fail(429, retry_after=30),
    "500": Fail(500),
    "failed-later": Fail(200),
    "a-page": Garbled(),
    "empty-body": Garbled(""),
    "broken-json": Garbled('{"id": "1", "choices'),
    "null": Garbled("null"),
    "a-list": Garbled("[]"),
    "a-text": Garbled('"Hello."'),
    "an-object": Garbled("{}"),
    "dropped": Drop(),
    "length": Cut("The answer is that"),
    "filter": Filter(),
    "no-choices": Empty(),
}


@pytest.mark.rule("FAIL-1", "HIST-6", "SYS-2")
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
async def test_a_call_that_went_wrong_is_told_once_and_leaves_nothing_behind(
    start: Start, model: ScriptedModel, wrong: Step
) -> None:
    room = Room(await start())
    model.script(
        LOOK, Say("Hi."), wrong, LOOK, wrong, LOOK, Say("Gladly."), Say("Bye.")
    )
    await room.hear("Hello.")
    for carol, dave in ((CAROL, None), (None, DAVE)):
        turn = await room.hear(
            "Please help.", participants_msg=carol, contacts_msg=dave, id="message-a"
        )
        assert len(turn.failures) == 1
        assert turn.replies == []
        assert isinstance(turn.error, ProviderRunError)
    turn = await room.hear("Please help.", id="message-a")
    assert turn.replies == ["Gladly."], turn.error
    await room.hear("Thanks.")
    assert [request.faults for request in model.requests] == [()] * 8
    last = model.requests[-1]
    told = ["[Alice]: Hello.", CAROL, DAVE, "[Alice]: Please help.", "[Alice]: Thanks."]
    text = "\n".join(last.heard)
    assert [text.count(words) for words in told] == [1] * 5
    assert sorted(told, key=text.index) == told
    assert last.spoke == ["Hi.", "Gladly."]
    assert len(last.called) == 2
    assert [call.id for call in last.called] == [*last.answers]


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize("met", [False, True], ids=["never", "before"])
async def test_a_model_that_nobody_finds_is_told_in_general_words(
    start: Start, model: ScriptedModel, *, met: bool
) -> None:
    room = Room(await start())
    if met:
        model.script(Say("Hi."))
        await room.hear("Hello.")
    model.leave()
    turn = await room.hear("Hello?")
    assert [failure["message"] for failure in turn.failures] == [
        GENERIC_PROVIDER_FAILURE_MESSAGE
    ]
    assert turn.replies == []
    assert isinstance(turn.error, ProviderRunError)


@pytest.mark.rule("FAIL-3")
async def test_a_call_is_not_repeated_before_the_api_allows_it(
    subject: Subject, start: Start, model: ScriptedModel
) -> None:
    if "max_retries" not in subject.config.model_fields:
        assert subject.inapplicable["FAIL-3"], "say why there is nothing to set"
        return
    room = Room(await start(settings={"max_retries": 1}))
    model.script(Fail(429, retry_after=0.3), Say("Here I am."))
    begun = time.monotonic()
    turn = await room.hear("Hello?")
    assert turn.replies == ["Here I am."], turn.error
    assert time.monotonic() - begun >= 0.3


@pytest.mark.rule("FAIL-1", "FAIL-3")
async def test_without_retries_nobody_waits_until_the_api_allows_one(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Fail(429, "Slow down.", retry_after=30), Say("Never asked for."))
    turn = await asyncio.wait_for(Room(await start()).hear("Hello?"), 5)
    (failure,) = turn.failures
    assert "Slow down." in failure["message"]
    assert failure["code"] == "429"
    assert len(model.requests) == 1
