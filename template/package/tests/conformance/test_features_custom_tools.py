"""FEAT-5: tools of the host's own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from band.core.exceptions import BandConfigError, BandToolError
from band.core.protocols import TurnResultAlreadyReported
from band.runtime.custom_tools import declares_turn_effect
from band.runtime.tools import TurnEffect
from pydantic import BaseModel, Field, create_model

from tests.conformance.declared import Make, Start
from tests.support.room import Room
from tests.support.script import Call, Say
from tests.support.wire import ScriptedModel


class EchoInput(BaseModel):
    """Say it back, in this very way."""

    text: str


def echo(args: EchoInput) -> str:
    return f"You said {args.text}"


async def echo_later(args: EchoInput) -> str:
    return f"You said {args.text}"


@pytest.mark.rule("FEAT-5")
@pytest.mark.parametrize("handler", [echo, echo_later])
async def test_a_custom_tool_is_offered_and_executed(
    start: Start, model: ScriptedModel, handler: Any
) -> None:
    model.script(Call("echo", {"text": "hello"}, id="call-1"), Say("Done."))
    adapter = await start(additional_tools=[(EchoInput, handler)])
    turn = await Room(adapter).hear("Echo, please.")
    assert turn.replies == ["Done."], turn.error
    first, second = model.requests
    assert {"echo", "band_send_message"} <= set(first.tools)
    assert "in this very way" in str(first.raw), "the tool's own description is offered"
    assert "You said hello" in second.answers["call-1"]


@pytest.mark.rule("FEAT-5")
def test_custom_tools_are_kept_for_the_sdks_own_conformance(make: Make) -> None:
    tools = [(EchoInput, echo)]
    assert make(additional_tools=tools)._custom_tools == tools
    assert make()._custom_tools == []


@pytest.mark.rule("FEAT-5")
async def test_a_custom_tool_that_acted_completes_the_turn(
    start: Start, model: ScriptedModel
) -> None:
    acting = declares_turn_effect(TurnEffect.ACT)(lambda args: "filed")
    model.script(Call("echo", {"text": "hello"}), Say(""))
    turn = await Room(await start(additional_tools=[(EchoInput, acting)])).hear("Go.")
    assert turn.error is None, "pass `turn=tools.turn` to execute_custom_tool"
    assert turn.failures == []


@pytest.mark.rule("FEAT-5", "TURN-1")
@pytest.mark.parametrize("effect", [TurnEffect.REPLY, TurnEffect.DECLINE])
async def test_a_custom_tool_that_replied_or_declined_leaves_nothing_to_relay(
    start: Start, model: ScriptedModel, effect: TurnEffect
) -> None:
    settling = declares_turn_effect(effect)(lambda args: "settled")
    model.script(Call("echo", {"text": "hello"}), Say("Not for the room."))
    turn = await Room(await start(additional_tools=[(EchoInput, settling)])).hear("Go.")
    assert turn.error is None
    assert turn.replies == []


@pytest.mark.rule("FEAT-5", "TURN-2")
async def test_a_custom_tool_that_only_looked_still_owes_a_reply(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("echo", {"text": "hello"}), Say(""))
    turn = await Room(await start(additional_tools=[(EchoInput, echo)])).hear("Go.")
    assert isinstance(turn.error, TurnResultAlreadyReported)


@pytest.mark.rule("FEAT-5", "TOOL-2")
async def test_arguments_that_do_not_fit_never_reach_the_handler(
    start: Start, model: ScriptedModel
) -> None:
    reached: list[EchoInput] = []
    model.script(Call("echo", {"txet": "hello"}, id="call-1"), Say("Sorry."))
    adapter = await start(additional_tools=[(EchoInput, reached.append)])
    turn = await Room(adapter).hear("Echo, please.")
    assert turn.replies == ["Sorry."], turn.error
    assert reached == []
    assert model.requests[1].answers["call-1"].startswith("Error")
    assert "text" in model.requests[1].answers["call-1"], (
        "name the field that is missing"
    )


class DiceInput(BaseModel):
    """Throw dice."""

    count: int = Field(ge=1, lt=7)


@pytest.mark.rule("FEAT-5", "FEAT-3")
async def test_the_bounds_of_an_argument_hold_even_if_the_api_knows_no_bounds(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("dice", {"count": 0}, id="none"), Call("dice", {"count": 2}))
    model.script(Say("Done."))
    dice = (DiceInput, lambda args: f"{args.count} sixes")
    turn = await Room(await start(additional_tools=[dice])).hear("Throw.")
    assert turn.replies == ["Done."], turn.error
    none, two = model.requests[2].answers.values()
    assert none.startswith("Error")
    assert "2 sixes" in two


@pytest.mark.rule("FEAT-5", "TOOL-2", "TOOL-3")
@pytest.mark.parametrize(
    "error", [RuntimeError("out of paper"), BandToolError("out of paper")], ids=repr
)
async def test_a_custom_tool_that_raises_is_answered_with_an_error(
    start: Start, model: ScriptedModel, error: Exception
) -> None:
    def fail(args: EchoInput) -> str:
        raise error

    model.script(Call("echo", {"text": "hello"}, id="call-1"), Say("It is broken."))
    turn = await Room(await start(additional_tools=[(EchoInput, fail)])).hear("Go.")
    assert turn.replies == ["It is broken."], turn.error
    assert model.requests[1].answers["call-1"].startswith("Error")
    assert "out of paper" in model.requests[1].answers["call-1"]


@pytest.mark.rule("FEAT-5")
@pytest.mark.parametrize("name", ["band_send_message", "band_list_memories"])
def test_a_custom_tool_may_not_shadow_a_platform_tool(make: Make, name: str) -> None:
    shadow = create_model(f"{name}Input", text=(str, ...))
    with pytest.raises((ValueError, BandConfigError), match=name):
        make(additional_tools=[(shadow, echo)])


@pytest.mark.rule("FEAT-5")
def test_custom_tools_have_different_names(make: Make) -> None:
    with pytest.raises((ValueError, BandConfigError), match="echo"):
        make(additional_tools=[(EchoInput, echo), (EchoInput, echo_later)])


@pytest.mark.rule("FEAT-5", "EVT-1")
@pytest.mark.parametrize("value", [{"ok": False}, "Error: out of paper"])
async def test_what_a_custom_tool_returns_may_be_a_failure(
    start: Start, model: ScriptedModel, value: Any
) -> None:
    model.script(Call("echo", {"text": "x"}, id="call-1"), Say("Sorry."))
    echo = (EchoInput, lambda args: value)
    turn = await Room(await start(additional_tools=[echo])).hear("Say x.")
    assert model.requests[1].answers["call-1"].startswith("Error")
    for event in turn.events("tool_result"):
        assert json.loads(event["content"])["is_error"] is True
