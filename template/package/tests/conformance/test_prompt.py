"""SYS: what the model is told, and how often."""

from __future__ import annotations

import json

import pytest
from band.core.exceptions import BandConfigError
from band.runtime.prompts import render_system_prompt

from tests.conformance.declared import Start
from tests.support.room import Room, RoomTools
from tests.support.script import Call, Cut, Fail, Say
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

CAROL = "Carol joined the room."
DAVE = "Dave is a new contact."


def times(text: str, heard: list[str]) -> int:
    return "\n".join(heard).count(text)


@pytest.mark.rule("SYS-1")
async def test_the_system_prompt_is_the_sdks_with_the_hosts_section(
    subject: Subject, start: Start, model: ScriptedModel
) -> None:
    adapter = await start(
        settings={"custom_section": "Answer in rhymes."},
        capabilities=subject.adapter.SUPPORTED_CAPABILITIES,
    )
    model.script(Say("Hi."))
    await Room(adapter).hear("Hello.")
    assert model.requests[0].system == render_system_prompt(
        agent_name="Tester",
        agent_description="An agent under test.",
        custom_section="Answer in rhymes.",
        features=adapter.features,
    )


@pytest.mark.rule("SYS-1")
async def test_the_system_prompt_is_sent_once_on_every_request(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start(settings={"custom_section": "Answer in rhymes."}))
    model.script(Call("band_get_participants"), Say("One."), Say("Two."))
    await room.hear("Hello.")
    await room.hear("Hello again.")
    assert len(model.requests) == 3
    for request in model.requests:
        assert request.system == model.requests[0].system
        assert request.system.count("Answer in rhymes.") == 1
        assert times("Answer in rhymes.", request.heard) == 0


@pytest.mark.rule("SYS-1")
async def test_starting_tells_adapter_and_converter_the_agents_name(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    assert adapter.agent_name == "Tester"
    assert adapter.agent_description == "An agent under test."
    mine = {"role": "assistant", "sender_name": "Tester", "content": "I was here."}
    model.script(Say("Yes."))
    await Room(adapter).hear("Were you here?", history=[mine])
    assert model.requests[0].spoke == ["I was here."]


@pytest.mark.rule("SYS-2")
async def test_updates_come_before_the_message(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Welcome."))
    await Room(await start()).hear(
        "Say hello.", participants_msg=CAROL, contacts_msg=DAVE
    )
    text = "\n".join(model.requests[0].heard)
    carol, dave = f"[System]: {CAROL}", f"[System]: {DAVE}"
    assert text.index(carol) < text.index(dave) < text.index("[Alice]: Say hello.")


@pytest.mark.rule("SYS-2")
async def test_an_update_is_told_once(start: Start, model: ScriptedModel) -> None:
    room = Room(await start())
    model.script(Call("band_get_participants"), Say("One."), Say("Two."))
    await room.hear("First.", participants_msg=CAROL)
    await room.hear("Second.")
    assert [times(CAROL, request.heard) for request in model.requests] == [1, 1, 1]


@pytest.mark.rule("SYS-2")
async def test_an_update_that_comes_again_later_is_told_again(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Say("One."), Say("Two."))
    await room.hear("First.", participants_msg=CAROL)
    await room.hear("Second.", participants_msg=CAROL)
    assert times(CAROL, model.requests[1].heard) == 2


@pytest.mark.rule("SYS-2", "HIST-6")
@pytest.mark.parametrize("step", [Fail(500), Cut("I was"), Say("")], ids=repr)
async def test_updates_of_a_failed_turn_go_before_the_next_message(
    start: Start, model: ScriptedModel, step: Fail | Cut | Say
) -> None:
    room = Room(await start())
    model.script(step, Say("Hi."), Say("Bye."))
    failed = await room.hear("Hello?", participants_msg=CAROL, contacts_msg=DAVE)
    assert failed.error is not None
    await room.hear("Hello again.")
    heard = model.requests[1].heard
    assert times(CAROL, heard) == times(DAVE, heard) == 1
    text = "\n".join(heard)
    assert text.index(CAROL) < text.index(DAVE) < text.index("Hello again.")
    await room.hear("Goodbye.")
    assert times(CAROL, model.requests[2].heard) == 1, "what was owed is told once"


@pytest.mark.rule("SYS-2")
async def test_updates_of_several_failed_turns_are_all_owed(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Fail(500), Fail(500), Say("Hi."))
    await room.hear("One.", participants_msg=CAROL)
    await room.hear("Two.", contacts_msg=DAVE)
    await room.hear("Three.", participants_msg="Erin left.")
    text = "\n".join(model.requests[2].heard)
    assert text.index(CAROL) < text.index(DAVE) < text.index("Erin left.")
    assert text.index("Erin left.") < text.index("[Alice]: Three.")


@pytest.mark.rule("SYS-2")
async def test_updates_are_owed_even_when_the_model_was_never_asked(
    start: Start, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = await start(
        settings={"provider_key": None, "provider_key_env": "LATE_KEY"}
    )
    room = Room(adapter)
    turn = await room.hear("Hello?", participants_msg=CAROL)
    assert isinstance(turn.error, BandConfigError)
    monkeypatch.setenv("LATE_KEY", "a-key")
    model.script(Say("Hi."))
    await room.hear("Hello again.")
    assert times(CAROL, model.requests[0].heard) == 1


@pytest.mark.rule("SYS-2", "TURN-3")
async def test_updates_are_owed_after_a_reply_that_was_not_delivered(
    start: Start, model: ScriptedModel
) -> None:
    room, broken = Room(await start()), RoomTools()
    broken.send_message_error = ConnectionError("Band is away.")
    model.script(Say("Lost."), Say("Hi."))
    await room.hear("Hello?", participants_msg=CAROL, tools=broken)
    await room.hear("Hello again.")
    assert times(CAROL, model.requests[1].heard) == 1


@pytest.mark.rule("SYS-2", "ROOM-1")
async def test_updates_are_owed_to_their_own_room(
    start: Start, model: ScriptedModel
) -> None:
    adapter = await start()
    model.script(Fail(500), Say("Hi."))
    await Room(adapter, "room-1").hear("Hello?", participants_msg=CAROL)
    await Room(adapter, "room-2").hear("Hello?")
    assert times(CAROL, model.requests[1].heard) == 0


@pytest.mark.rule("SYS-3")
@pytest.mark.parametrize("text", ["Hello.", "@bob/bot what's up?", "two\n\nlines  "])
async def test_the_message_is_told_with_the_name_of_its_sender(
    start: Start, model: ScriptedModel, text: str
) -> None:
    model.script(Say("Hi."))
    await Room(await start()).hear(text)
    assert model.requests[0].heard == [f"[Alice]: {text}"]


@pytest.mark.rule("SYS-3", "HIST-4")
async def test_a_name_of_any_shape_is_told_as_it_is(
    start: Start, model: ScriptedModel
) -> None:
    name = "Dr. <Ann|Lee> \\ O/Neill 🙂"
    said = {"role": "user", "sender_name": name, "content": "Before."}
    model.script(Say("Hi."))
    turn = await Room(await start()).hear("Now.", sender=name, history=[said])
    assert turn.replies == ["Hi."], turn.error
    (request,) = model.requests
    assert request.heard == [f"[{name}]: Before.", f"[{name}]: Now."]
    assert json.dumps(name) not in json.dumps(request.raw, default=repr), (
        "APIs refuse blanks, pipes and slashes in a field for the speaker's name"
    )


@pytest.mark.rule("SYS-2")
async def test_an_update_that_is_owed_and_comes_again_is_told_once(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Fail(500), Say("Hi."))
    await room.hear("Hello?", participants_msg="Carol joined.")
    await room.hear("Hello?", participants_msg="Carol joined.")
    assert "\n".join(model.requests[1].heard).count("Carol joined.") == 1
