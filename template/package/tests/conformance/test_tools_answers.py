"""TOOL-1 and TOOL-2: every call is answered, whatever becomes of it."""

from __future__ import annotations

from typing import Any

import pytest
from band.core.exceptions import BandToolError
from pydantic import BaseModel

from tests.conformance.declared import Start
from tests.support.room import Room, RoomTools
from tests.support.script import Answer, Answered, Call, Called, Request, Say
from tests.support.wire import ScriptedModel

LOOK = "band_get_participants"
WORDS = ("one", "two", "three", "four")


class EchoInput(BaseModel):
    """Say it back."""

    text: str


ECHO = (EchoInput, lambda args: f"<{args.text}>")


def echo(text: str, id: str | None = None) -> Call:
    return Call("echo", {"text": text}, id=id)


def exchanged(request: Request) -> list[tuple[str, str]]:
    """Each call of the request in order, with the text that answers its id."""
    answers = request.answers
    return [(call.id, answers[call.id]) for call in request.called]


UNUSABLE = {
    "not-json": Call("echo", raw='{"text": "hel', id="bad"),
    "a-list": Call("echo", raw='["hello"]', id="bad"),
    "null": Call("echo", raw="null", id="bad"),
    "a-text": Call("echo", raw='"hello"', id="bad"),
    "a-number": Call("echo", raw="7", id="bad"),
    "bottomless": Call("echo", raw='{"text": ' * 100_000, id="bad"),
    "no-number": Call("echo", raw='{"text": "x", "size": NaN}', id="bad"),
    "endless": Call("echo", raw='{"text": "x", "size": 1e999}', id="bad"),
    "half-a-letter": Call("echo", raw=r'{"text": "\ud83d"}', id="bad"),
    "no-name": Call("", id="bad"),
    "field-missing": Call("band_send_message", {"content": "Hello."}, id="bad"),
    "field-of-wrong-type": Call(
        "band_send_message", {"content": ["Hello."], "mentions": "@alice"}, id="bad"
    ),
    "nobody-mentioned": Call(
        "band_send_message", {"content": "Hello.", "mentions": []}, id="bad"
    ),
    "unknown-tool": Call("band_make_coffee", {"sugar": True}, id="bad"),
    "strange-name": Call("functions.band_make coffee", {}, id="bad"),
    "not-offered": Call("band_list_memories", id="bad"),
}


@pytest.mark.rule("TOOL-1")
@pytest.mark.parametrize("finish", [None, "end", "length"])
async def test_a_reply_with_calls_is_a_tool_step_whatever_its_finish_reason(
    start: Start, model: ScriptedModel, finish: Any
) -> None:
    model.script(Answer(Say("Let me see."), Call(LOOK), finish=finish), Say("Alice."))
    turn = await Room(await start()).hear("Who is here?")
    assert turn.replies == ["Alice."], turn.error
    assert ("run", LOOK) in turn.tools.log


@pytest.mark.rule("TOOL-1")
async def test_a_reply_without_calls_is_the_end_of_the_turn(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("That is all."), Say("Never asked for."))
    turn = await Room(await start()).hear("Hello.")
    assert turn.replies == ["That is all."]
    assert turn.error is None
    assert len(model.requests) == 1


@pytest.mark.rule("TOOL-2")
@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE.keys())
async def test_a_call_that_cannot_be_executed_is_answered_with_an_error(
    start: Start, model: ScriptedModel, bad: Call
) -> None:
    model.script(bad, Say("I see."), Say("Still well."))
    room = Room(await start(additional_tools=[ECHO]))
    turn = await room.hear("Go.")
    assert turn.replies == ["I see."], turn.error
    ((_, text),) = exchanged(model.requests[1])
    assert text.startswith("Error")
    assert (await room.hear("And now?")).replies == ["Still well."]


@pytest.mark.rule("TOOL-2")
@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE.keys())
async def test_a_call_that_cannot_be_executed_spares_its_siblings(
    start: Start, model: ScriptedModel, bad: Call
) -> None:
    model.script((echo("one", "before"), bad, echo("two", "after")), Say("I see."))
    turn = await Room(await start(additional_tools=[ECHO])).hear("Go.")
    assert turn.replies == ["I see."], turn.error
    (first, one), (second, text), (third, two) = exchanged(model.requests[1])
    assert (first, second, third) == ("before", "bad", "after")
    assert "<one>" in one and "<two>" in two
    assert text.startswith("Error")


@pytest.mark.rule("TOOL-2")
@pytest.mark.parametrize("raw", ['{"page', "[1]", '"hello"', "7"])
async def test_arguments_that_are_no_object_are_kept_as_they_were_written(
    start: Start, model: ScriptedModel, raw: str
) -> None:
    # This tool takes no arguments, so that nothing else would stop it.
    model.script(Call(LOOK, raw=raw, id="bad"), Say("I see."))
    turn = await Room(await start()).hear("Who is here?")
    assert turn.replies == ["I see."], turn.error
    assert ("run", LOOK) not in turn.tools.log
    assert model.requests[1].called == [Called("bad", LOOK, {"raw": raw})]
    assert model.requests[1].answers["bad"].startswith("Error")


@pytest.mark.rule("TOOL-2", "TOOL-3")
@pytest.mark.parametrize(
    "error",
    [BandToolError("out of paper"), RuntimeError("out of paper"), KeyError("paper")],
    ids=repr,
)
async def test_every_call_is_answered_when_one_of_them_raises(
    start: Start, model: ScriptedModel, error: Exception
) -> None:
    tools = RoomTools(raises={LOOK: error})
    model.script((echo("one"), Call(LOOK, id="bad"), echo("two")), Say("I see."))
    turn = await Room(await start(additional_tools=[ECHO])).hear("Go.", tools=tools)
    assert turn.replies == ["I see."], turn.error
    (_, one), (_, text), (_, two) = exchanged(model.requests[1])
    assert "<one>" in one and "<two>" in two
    assert text.startswith("Error") and "paper" in text


@pytest.mark.rule("TOOL-2")
async def test_answers_stand_in_the_order_of_the_calls(
    start: Start, model: ScriptedModel
) -> None:
    words, executed = ["one", "two", "three"], []

    def record(args: EchoInput) -> str:
        executed.append(args.text)
        return f"<{args.text}>"

    model.script(tuple(echo(word, f"id-{word}") for word in words), Say("Done."))
    await Room(await start(additional_tools=[(EchoInput, record)])).hear("Go.")
    assert executed == words
    messages = model.requests[1].messages
    called = [sent.id for sent in messages if isinstance(sent, Called)]
    answered = [sent for sent in messages if isinstance(sent, Answered)]
    assert called == [sent.id for sent in answered] == [f"id-{word}" for word in words]
    for word, sent in zip(words, answered, strict=True):
        assert f"<{word}>" in sent.text, "an answer under the id of another call"


@pytest.mark.rule("TOOL-2")
@pytest.mark.parametrize(
    "id",
    ["", "same", "x" * 100, "call 1"],
    ids=["missing", "repeated", "long", "odd"],
)
async def test_ids_that_are_missing_or_repeated_become_distinct(
    start: Start, model: ScriptedModel, id: str
) -> None:
    model.script((echo("one", id), echo("two", id)), echo("three", id), Say("Done."))
    model.script(echo("four", id), Say("Done again."))
    room = Room(await start(additional_tools=[ECHO]))
    assert (await room.hear("Go.")).replies == ["Done."]
    assert (await room.hear("Once more.")).replies == ["Done again."]
    pairs = exchanged(model.requests[-1])
    assert len({call for call, _ in pairs}) == len(pairs) == 4
    assert all(
        f"<{word}>" in text for word, (_, text) in zip(WORDS, pairs, strict=True)
    )


@pytest.mark.rule("TOOL-2")
async def test_no_arguments_at_all_are_an_empty_object(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call(LOOK, raw="", id="call-1"), Say("Alice."))
    turn = await Room(await start()).hear("Who is here?")
    assert turn.replies == ["Alice."], turn.error
    assert "Alice" in model.requests[1].answers["call-1"]
