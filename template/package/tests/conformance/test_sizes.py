"""TOOL-2, TOOL-7 and EVT-1: what is far too much is answered, and told, like the rest."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from band import Emit
from band.converters.parsing import parse_tool_call, parse_tool_result
from band.core.exceptions import BandToolError
from pydantic import BaseModel

from tests.conformance.declared import Start
from tests.support.room import Room, RoomTools, Turn
from tests.support.script import Call, Called, Say
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

LOOK, PEERS, COFFEE = "band_get_participants", "band_lookup_peers", "band_make_coffee"
MEGABYTE = 1_000_000


class EchoInput(BaseModel):
    """Say it back."""

    text: str


ECHO = (EchoInput, lambda args: f"<{args.text}>")
TEN_MEGABYTES = "ten bytes " * MEGABYTE

HUGE_ARGUMENTS: dict[str, tuple[str, Any]] = {
    "a-text": ("echo", {"text": "🙂" * (MEGABYTE // 4)}),
    "many-fields": (
        "echo",
        {"text": "", **{f"field-{n}": "x" * 480 for n in range(2_000)}},
    ),
    "not-json": ("echo", '{"text": "' + "x" * MEGABYTE),
    "a-list": ("echo", json.dumps([7] * (MEGABYTE // 3))),
    "a-wrong-field": (PEERS, {"page": "x" * MEGABYTE}),
    "an-unknown-tool": (COFFEE, {"beans": "x" * MEGABYTE}),
}
HUGE_RESULTS: dict[str, dict[str, Any]] = {
    "a-text": {"results": {LOOK: TEN_MEGABYTES}},
    "an-object": {"results": {LOOK: {"text": [TEN_MEGABYTES]}}},
    "an-error": {"raises": {LOOK: BandToolError(TEN_MEGABYTES)}},
}


def reported(turn: Turn) -> list[tuple[str, str]]:
    """Tool and id of each call of ``turn``, as the SDK reads them in its events."""
    assert all(len(event["content"]) < 16_384 for event in turn.tools.events_sent)
    calls = [parse_tool_call(event["content"]) for event in turn.events("tool_call")]
    results = [parse_tool_result(it["content"]) for it in turn.events("tool_result")]
    read = [(call.name, call.tool_call_id) for call in calls if call]
    assert read == [(it.name, it.tool_call_id) for it in results if it]
    return read


@pytest.mark.rule("TOOL-2", "EVT-1", "HIST-5")
async def test_a_hundred_calls_at_once_are_answered_each(
    subject: Subject, start: Start, model: ScriptedModel
) -> None:
    ids = [(f"id-{n}", "", "same")[n % 3] for n in range(100)]
    calls = [Call("echo", {"text": f"{n}."}, id=id) for n, id in enumerate(ids)]
    calls[99] = Call("echo", raw="{", id="id-99")
    model.script(tuple(calls), Say("Done."), Say("Still well."))
    settings = {"max_history_messages": 300}
    room = Room(await start(additional_tools=[ECHO], settings=settings))
    turn = await room.hear("Go.")
    assert turn.replies == ["Done."], turn.error
    assert (await room.hear("And now?")).replies == ["Still well."]
    for request in model.requests[1:]:
        called, answers = [call.id for call in request.called], request.answers
        assert len(set(called)) == 100
        assert called == [*answers]
        assert called[::3] == ids[::3]
        assert answers.pop(called[99]).startswith("Error")
        assert [*answers.values()] == [f"<{n}.>" for n in range(99)]
    expected = Emit.TOOL_CALLS in subject.adapter.SUPPORTED_EMIT
    told = [("echo", call.id) for call in model.requests[-1].called]
    assert reported(turn) == told * expected


@pytest.mark.rule("TOOL-2", "EVT-1", "HIST-5")
@pytest.mark.parametrize("case", HUGE_ARGUMENTS)
async def test_a_megabyte_of_arguments_is_a_call_like_any_other(
    subject: Subject, start: Start, model: ScriptedModel, case: str
) -> None:
    name, arguments = HUGE_ARGUMENTS[case]
    if isinstance(arguments, str):
        call, kept = Call(name, raw=arguments, id="huge"), {"raw": arguments}
    else:
        call, kept = Call(name, arguments, id="huge"), arguments
    model.script((Call(LOOK, id="small"), call), Say("Done."), Say("Still well."))
    room = Room(await start(additional_tools=[ECHO]))
    turn = await room.hear("Go.")
    assert turn.replies == ["Done."], turn.error
    assert (await room.hear("And now?")).replies == ["Still well."]
    for request in model.requests[1:]:
        assert request.called == [Called("small", LOOK, {}), Called("huge", name, kept)]
        assert len(request.answers["huge"]) <= 20_000
        assert "Alice" in request.answers["small"]
    expected = Emit.TOOL_CALLS in subject.adapter.SUPPORTED_EMIT
    assert reported(turn) == [(LOOK, "small"), (name, "huge")] * expected


@pytest.mark.rule("TOOL-7", "TOOL-3", "EVT-1", "HIST-5")
@pytest.mark.parametrize("case", HUGE_RESULTS)
async def test_ten_megabytes_of_a_tool_are_cut_and_say_so(
    subject: Subject, start: Start, model: ScriptedModel, case: str
) -> None:
    own = (EchoInput, lambda args: TEN_MEGABYTES)
    calls = (Call(LOOK, id="theirs"), Call("echo", {"text": ""}, id="own"))
    model.script(calls, Say("Done."), Say("Still well."))
    room = Room(await start(additional_tools=[own]))
    turn = await room.hear("Go.", tools=RoomTools(**HUGE_RESULTS[case]))
    assert turn.replies == ["Done."], turn.error
    assert (await room.hear("And now?")).replies == ["Still well."]
    for request in model.requests[1:]:
        assert [*request.answers] == ["theirs", "own"]
        for text in request.answers.values():
            assert 10_000 < len(text) <= 20_000
            (length,) = re.findall(r"\[cut: (\d+) characters\]$", text)
            assert int(length) >= 10 * MEGABYTE
    expected = Emit.TOOL_CALLS in subject.adapter.SUPPORTED_EMIT
    assert reported(turn) == [(LOOK, "theirs"), ("echo", "own")] * expected
