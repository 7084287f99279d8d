"""TOOL-3 and TOOL-7: what the model is told of a tool's result."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from band.core.exceptions import BandToolError
from pydantic import BaseModel

from tests.conformance.declared import Start
from tests.support.room import Room, RoomTools
from tests.support.script import Call, Say
from tests.support.wire import ScriptedModel

LOOK = "band_get_participants"


class EchoInput(BaseModel):
    """Say it back."""

    text: str


ECHO = (EchoInput, lambda args: f"<{args.text}>")


@pytest.mark.rule("TOOL-3")
async def test_a_result_that_reports_failure_is_marked_as_an_error(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("band_lookup_peers", {"page": 0}, id="call-1"), Say("Sorry."))
    await Room(await start()).hear("Who else is there?")
    # The platform's text for arguments that do not validate has no such prefix.
    assert model.requests[1].answers["call-1"].startswith("Error"), (
        "take the outcome of execute_tool_call_structured, and mind `ok`"
    )


@pytest.mark.rule("TOOL-3")
async def test_a_tool_error_tells_the_model_what_went_wrong(
    start: Start, model: ScriptedModel
) -> None:
    arguments = {"content": "Hello.", "mentions": []}
    model.script(
        Call("band_send_message", arguments, id="call-1"), Say("Hello, Alice.")
    )
    turn = await Room(await start()).hear("Greet Alice.")
    assert turn.replies == ["Hello, Alice."], turn.error
    assert "At least one mention is required" in model.requests[1].answers["call-1"]


@pytest.mark.rule("TOOL-3")
@pytest.mark.parametrize(
    "value",
    [
        {"nested": [1, {"deep": "Ünïcödé"}]},
        {"when": datetime(2025, 1, 1, tzinfo=UTC)},
        ["a", "b"],
        "",
        None,
        0,
    ],
    ids=["object", "not-json", "list", "blank", "null", "zero"],
)
async def test_a_result_of_any_kind_is_given_to_the_model(
    start: Start, model: ScriptedModel, value: Any
) -> None:
    tools = RoomTools(results={LOOK: value})
    model.script(Call(LOOK, id="call-1"), Say("Done."))
    turn = await Room(await start()).hear("Go.", tools=tools)
    assert turn.replies == ["Done."], turn.error
    text = model.requests[1].answers["call-1"]
    expected = json.loads(json.dumps(value, default=str)) or text
    assert text == expected or json.loads(text) == expected


@pytest.mark.rule("TOOL-7")
@pytest.mark.parametrize("how", ["result", "error"])
async def test_a_long_result_is_cut_and_says_so(
    start: Start, model: ScriptedModel, how: str
) -> None:
    long = "long " * 20_000
    tools = {
        "result": RoomTools(results={LOOK: {"text": long}}),
        "error": RoomTools(raises={LOOK: BandToolError(long)}),
    }[how]
    model.script(Call(LOOK, id="call-1"), Say("Done."))
    adapter = await start(settings={"max_tool_result_chars": 1_000})
    turn = await Room(adapter).hear("Go.", tools=tools)
    assert turn.replies == ["Done."], turn.error
    text = model.requests[1].answers["call-1"]
    assert 500 < len(text) <= 1_000
    assert "[cut: " in text and "characters]" in text
    assert all(len(event["content"]) < 16_384 for event in turn.tools.events_sent)


@pytest.mark.rule("TOOL-7")
async def test_a_result_that_fits_is_not_cut(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("echo", {"text": "x" * 998}, id="call-1"), Say("Done."))
    adapter = await start(
        additional_tools=[ECHO], settings={"max_tool_result_chars": 1_000}
    )
    await Room(adapter).hear("Go.")
    assert model.requests[1].answers["call-1"] == f"<{'x' * 998}>"
