"""EVT-1 and EVT-2: what the room sees of tool calls, and what if it cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest
from band import Capability, Emit
from band.converters.parsing import parse_tool_call, parse_tool_result
from band.core.exceptions import BandToolError
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.conformance.declared import Make, Start, declares
from tests.support.room import Room, RoomTools
from tests.support.script import Call, Say
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel, read

LOOK, PEERS = "band_get_participants", "band_lookup_peers"
EVENT_LIMIT = 16_384

FUZZ = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
NASTY = st.text("\"\\/\x00\x1f\u2028\u00e9🙂{}[]:,'\n\t%$<", min_size=1, max_size=12)
SIZES = st.sampled_from([1, 10, 1_000, 9_000, 17_000])
TEXTS = st.tuples(NASTY, SIZES).map(lambda it: (it[0] * it[1])[: it[1]])
VALUES = st.recursive(
    TEXTS | st.integers() | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(NASTY, inner, max_size=4)
    ),
    max_leaves=6,
)


class EchoInput(BaseModel):
    """Say it back."""

    payload: Any


ECHO = (EchoInput, lambda args: args.payload)


def contents(turn: Any, kind: str) -> list[dict[str, Any]]:
    """The parsed JSON of the turn's events of that kind."""
    return [json.loads(event["content"]) for event in turn.events(kind)]


@pytest.mark.rule("EVT-1")
async def test_events_stand_before_and_after_each_execution(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.TOOL_CALLS):
        return
    model.script((Call(LOOK), Call(PEERS)), Say("Done."))
    turn = await Room(await start(emit=Emit.TOOL_CALLS)).hear("Go.")
    assert turn.tools.log == [
        ("tool_call", LOOK),
        ("run", LOOK),
        ("tool_result", LOOK),
        ("tool_call", PEERS),
        ("run", PEERS),
        ("tool_result", PEERS),
        ("say", "Done."),
    ]


@pytest.mark.rule("EVT-1")
async def test_events_have_the_shape_that_converters_read(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.TOOL_CALLS):
        return
    arguments = {"page": 2, "page_size": 5}
    model.script(Call(PEERS, arguments, id="call-1"), Say("Done."))
    turn = await Room(await start()).hear("Go.")
    assert contents(turn, "tool_call") == [
        {"name": PEERS, "args": arguments, "tool_call_id": "call-1"}
    ]
    (result,) = contents(turn, "tool_result")
    assert set(result) == {"name", "output", "tool_call_id", "is_error"}
    assert (result["name"], result["tool_call_id"]) == (PEERS, "call-1")
    assert result["is_error"] is False
    assert isinstance(result["output"], str)


@pytest.mark.rule("EVT-1", "TOOL-3")
@pytest.mark.parametrize(
    "call",
    [
        Call(PEERS, {"page": 0}),
        Call(PEERS, raw="{"),
        Call("band_make_coffee"),
        Call(LOOK),
        Call("echo", {"payload_": 1}),
    ],
    ids=["arguments", "not-json", "unknown", "raises", "custom"],
)
async def test_a_call_that_failed_is_reported_as_an_error(
    subject: Subject, make: Make, start: Start, model: ScriptedModel, call: Call
) -> None:
    if not declares(subject, make, Emit.TOOL_CALLS):
        return
    tools = RoomTools(raises={LOOK: BandToolError("out of paper")})
    model.script(call, Say("Sorry."))
    turn = await Room(await start(additional_tools=[ECHO])).hear("Go.", tools=tools)
    (called,), (result,) = contents(turn, "tool_call"), contents(turn, "tool_result")
    assert called["tool_call_id"] == result["tool_call_id"]
    assert result["is_error"] is True


@pytest.mark.rule("EVT-1")
async def test_a_result_that_only_reads_like_an_error_is_none(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.TOOL_CALLS):
        return
    tools = RoomTools(results={LOOK: "Error is a good name for a cat."})
    model.script(Call(LOOK), Say("Done."))
    turn = await Room(await start()).hear("Go.", tools=tools)
    assert contents(turn, "tool_result")[0]["is_error"] is False


@pytest.mark.rule("EVT-1")
async def test_the_body_of_a_file_is_in_no_event(
    subject: Subject, start: Start, model: ScriptedModel
) -> None:
    body = "the whole secret recipe"
    arguments = {"content": body, "filename": "cake.txt", "mentions": ["@alice"]}
    model.script(Call("band_send_room_file", arguments), Say("Done."))
    files = subject.adapter.SUPPORTED_CAPABILITIES & {Capability.FILES}
    turn = await Room(await start(capabilities=files)).hear("Send me the recipe.")
    assert body not in json.dumps(turn.tools.events_sent)
    assert len(turn.tools.files) == len(files), "the file itself is sent in full"
    assert all(one["bytes"] == len(body) for one in turn.tools.files)


@pytest.mark.rule("EVT-1")
@FUZZ
@given(payload=VALUES)
@example(payload="🙂" * 100_000)
@example(payload='"\\' * 8_190)
@example(payload=["\x00" * 2_700] * 3)
async def test_events_parse_at_any_size_and_content(
    subject: Subject, start: Start, model: ScriptedModel, payload: Any
) -> None:
    adapter = await start(additional_tools=[ECHO])
    model.script(Call("echo", {"payload": payload}, id="call-1"), Say("Done."))
    turn = await Room(adapter).hear("Go.")
    await adapter.cleanup_all()
    assert turn.replies == ["Done."], turn.error
    expected = Emit.TOOL_CALLS in subject.adapter.SUPPORTED_EMIT
    calls = [parse_tool_call(event["content"]) for event in turn.events("tool_call")]
    assert [call and (call.name, call.tool_call_id) for call in calls] == [
        ("echo", "call-1")
    ] * expected
    results = [parse_tool_result(one["content"]) for one in turn.events("tool_result")]
    assert [one and (one.name, one.tool_call_id, one.is_error) for one in results] == [
        ("echo", "call-1", False)
    ] * expected
    assert all(len(event["content"]) < EVENT_LIMIT for event in turn.tools.events_sent)


@pytest.mark.rule("EVT-1", "HIST-3")
async def test_a_restarted_agent_reads_its_own_events_back(
    subject: Subject, make: Make, start: Start, model: ScriptedModel
) -> None:
    if not declares(subject, make, Emit.TOOL_CALLS):
        return
    payload = {"quote": '"\\', "emoji": "🙂", "list": [1, None]}
    model.script(Call("echo", {"payload": payload}, id="call-1"), Say("Done."))
    turn = await Room(await start(additional_tools=[ECHO])).hear("Go.")
    events = [
        {"message_type": event["message_type"], "content": event["content"]}
        for event in turn.tools.events_sent
    ]
    read_back = read(subject.converter("Tester").convert(events))
    heard, *live = model.requests[1].messages
    assert [*read_back] == live, f"what followed {heard} is not what was reported"


@pytest.mark.rule("EVT-2")
@pytest.mark.parametrize("error", [ConnectionError("down"), ValueError("x")], ids=repr)
async def test_a_failing_events_api_changes_nothing_for_model_and_room(
    start: Start, model: ScriptedModel, error: Exception
) -> None:
    tools = RoomTools()
    tools.send_event_error = error
    calls = (
        Call("echo", {"payload": "one"}, id="call-1"),
        Call(LOOK, id="call-2"),
        Call("echo", {"payload": "two"}, id="call-3"),
    )
    model.script(calls, Say("Done."))
    turn = await Room(await start(additional_tools=[ECHO])).hear("Go.", tools=tools)
    assert turn.error is None
    assert turn.replies == ["Done."]
    answers = model.requests[1].answers
    assert list(answers) == ["call-1", "call-2", "call-3"]
    assert "one" in answers["call-1"] and "two" in answers["call-3"]


class LosesResults(RoomTools):
    """A room whose events API takes no results of tools."""

    async def send_event(
        self, content: str, message_type: str, metadata: dict[str, Any] | None = None
    ) -> Any:
        if message_type == "tool_result":
            raise ConnectionError("The events API is down.")
        return await super().send_event(content, message_type, metadata)


@pytest.mark.rule("EVT-2")
async def test_a_result_that_cannot_be_reported_is_still_given_to_the_model(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script((Call(LOOK, id="call-1"), Call(PEERS, id="call-2")), Say("Done."))
    turn = await room.hear("Go.", tools=LosesResults())
    assert turn.replies == ["Done."], turn.error
    assert list(model.requests[1].answers) == ["call-1", "call-2"]
    assert "Alice" in model.requests[1].answers["call-1"]
