"""FEAT-4: the caller's choice among the tools, which the SDK leaves to the adapter."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from tests.conformance.declared import Start
from tests.support.room import Room
from tests.support.script import Call, Say
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

HELLO = {"content": "Hello.", "mentions": ["@alice"]}


class EchoInput(BaseModel):
    """Say it back."""

    text: str


def echo(args: EchoInput) -> str:
    return args.text


@pytest.mark.rule("FEAT-4")
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"include_tools": ["band_send_message"]}, {"band_send_message"}),
        (
            {
                "include_tools": ["band_send_message", "band_no_reply"],
                "exclude_tools": ["band_no_reply"],
            },
            {"band_send_message"},
        ),
        (
            {"include_categories": ["chat"], "include_tools": ["band_lookup_peers"]},
            {"band_lookup_peers"},
        ),
    ],
    ids=["include", "exclude-wins", "category-and-include"],
)
async def test_only_the_chosen_tools_are_offered(
    start: Start, model: ScriptedModel, filters: dict[str, Any], expected: set[str]
) -> None:
    model.script(Say("One."), Say("Two."))
    room = Room(await start(**filters))
    await room.hear("Hello.")
    await room.hear("Hello again.")
    assert [set(request.tools) for request in model.requests] == [expected, expected]


@pytest.mark.rule("FEAT-4")
async def test_an_excluded_tool_is_not_offered(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Hi."))
    await Room(await start(exclude_tools=["band_create_chatroom"])).hear("Hello.")
    (request,) = model.requests
    assert "band_create_chatroom" not in request.tools
    assert "band_send_message" in request.tools


@pytest.mark.rule("FEAT-4")
async def test_categories_choose_whole_groups(
    subject: Subject, start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Hi."))
    adapter = await start(
        capabilities=subject.adapter.SUPPORTED_CAPABILITIES, include_categories=["chat"]
    )
    await Room(adapter).hear("Hello.")
    (request,) = model.requests
    assert "band_send_message" in request.tools
    gated = ("contact", "memor", "file", "task", "board")
    assert not [name for name in request.tools if any(word in name for word in gated)]


@pytest.mark.rule("FEAT-4")
@pytest.mark.parametrize(
    "filters",
    [{"include_tools": []}, {"include_categories": ["no-such-category"]}],
    ids=["no-tool", "no-category"],
)
async def test_without_tools_the_request_carries_no_tool_list(
    start: Start, model: ScriptedModel, filters: dict[str, Any]
) -> None:
    model.script(Say("I can only talk."))
    turn = await Room(await start(**filters)).hear("Hello.")
    assert turn.replies == ["I can only talk."], turn.error
    assert not model.requests[0].tool_list, "an empty list is refused by some APIs"


@pytest.mark.rule("FEAT-4", "FEAT-5")
async def test_filters_choose_among_the_platforms_tools_only(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("echo", {"text": "back to you"}, id="call-1"), Say("Done."))
    adapter = await start(
        include_tools=["band_no_reply"], additional_tools=[(EchoInput, echo)]
    )
    turn = await Room(adapter).hear("Hello.")
    assert turn.error is None
    assert set(model.requests[0].tools) == {"band_no_reply", "echo"}
    assert "back to you" in model.requests[1].answers["call-1"]


@pytest.mark.rule("FEAT-4")
@pytest.mark.parametrize(
    ("filters", "call"),
    [
        ({"exclude_tools": ["band_send_message"]}, Call("band_send_message", HELLO)),
        ({"include_tools": ["band_no_reply"]}, Call("band_get_participants")),
        ({"include_tools": []}, Call("band_get_participants")),
        ({"include_categories": ["memory"]}, Call("band_get_participants")),
        ({}, Call("band_list_memories")),
    ],
    ids=["excluded", "not-included", "none-offered", "other-category", "no-capability"],
)
async def test_a_tool_that_was_not_offered_is_not_executed(
    start: Start, model: ScriptedModel, filters: dict[str, Any], call: Call
) -> None:
    model.script(Call(call.name, call.arguments, id="call-1"), Say("I may not."))
    turn = await Room(await start(**filters)).hear("Do it.")
    assert turn.replies == ["I may not."], turn.error
    assert ("run", call.name) not in turn.tools.log
    assert model.requests[1].answers["call-1"].startswith("Error")


@pytest.mark.rule("FEAT-4", "TOOL-6")
async def test_declining_without_being_offered_to_does_not_end_the_turn(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("band_no_reply", id="call-1"), Say("Then I answer."))
    turn = await Room(await start(exclude_tools=["band_no_reply"])).hear("Hello.")
    assert turn.replies == ["Then I answer."], turn.error
    assert len(model.requests) == 2
