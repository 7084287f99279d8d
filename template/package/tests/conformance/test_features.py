"""FEAT: what is declared works, and the schemas come from the room."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from band import Capability, Emit
from band.core.exceptions import BandConfigError
from band.runtime.tools import iter_tool_definitions

from tests.conformance.declared import Make, Start, declares, reported
from tests.support.room import Room, RoomTools
from tests.support.script import Call, Say, Think
from tests.support.subject import Subject
from tests.support.wire import ScriptedModel

BUSY_TURN = (
    (Think("Who is here?"), Call("band_get_participants")),
    (Think("Alice is."), Say("Alice is here.")),
)
"""A turn with something to report of every emit kind."""

READING_TOOLS = {
    Capability.MEMORY: "band_list_memories",
    Capability.CONTACTS: "band_list_contacts",
    Capability.FILES: "band_list_room_files",
    Capability.TASKS: "band_list_tasks",
}


def names(capabilities: frozenset[Capability]) -> set[str]:
    """The tools that a room offers to an agent with ``capabilities``."""
    return {tool.name for tool in iter_tool_definitions(capabilities=capabilities)}


@pytest.mark.rule("FEAT-1")
def test_declarations_are_frozen_sets_of_kinds(subject: Subject) -> None:
    for kinds, declared in (
        (Emit, subject.adapter.SUPPORTED_EMIT),
        (Capability, subject.adapter.SUPPORTED_CAPABILITIES),
    ):
        assert isinstance(declared, frozenset) and declared <= frozenset(kinds)


@pytest.mark.rule("FEAT-1")
def test_what_was_chosen_for_the_adapter_is_declared(subject: Subject) -> None:
    assert subject.adapter.SUPPORTED_EMIT == subject.emit
    assert subject.adapter.SUPPORTED_CAPABILITIES == subject.capabilities


@pytest.mark.rule("FEAT-1", "EVT-6")
@pytest.mark.parametrize("kind", Emit)
async def test_a_declared_emit_kind_is_reported_alone_when_chosen_alone(
    subject: Subject, make: Make, start: Start, model: ScriptedModel, kind: Emit
) -> None:
    if not declares(subject, make, kind):
        return
    model.script(*BUSY_TURN)
    turn = await Room(await start(emit=kind)).hear("Who is here?")
    assert turn.error is None
    assert reported(turn) == {kind}


@pytest.mark.rule("FEAT-1", "FEAT-2")
async def test_all_that_is_declared_and_nothing_else_is_reported_by_default(
    subject: Subject, start: Start, model: ScriptedModel
) -> None:
    model.script(*BUSY_TURN)
    turn = await Room(await start()).hear("Who is here?")
    assert turn.error is None
    assert reported(turn) == subject.adapter.SUPPORTED_EMIT


@pytest.mark.rule("FEAT-1", "FEAT-3")
@pytest.mark.parametrize("capability", Capability)
async def test_a_declared_capability_brings_its_tools(
    subject: Subject,
    make: Make,
    start: Start,
    model: ScriptedModel,
    capability: Capability,
) -> None:
    if not declares(subject, make, capability):
        return
    tool = READING_TOOLS[capability]
    model.script(Call(tool, id="call-1"), Say("Done."))
    turn = await Room(await start(capabilities=capability)).hear("What is there?")
    assert turn.error is None
    assert set(model.requests[0].tools) == names(frozenset({capability}))
    assert ("run", tool) in turn.tools.log
    assert not model.requests[1].answers["call-1"].startswith("Error")


@pytest.mark.rule("FEAT-2")
@pytest.mark.parametrize("kind", [*Emit, *Capability])
def test_each_kind_is_declared_or_refused(
    subject: Subject, make: Make, kind: Emit | Capability
) -> None:
    supported = subject.adapter.SUPPORTED_EMIT | subject.adapter.SUPPORTED_CAPABILITIES
    assert declares(subject, make, kind) == (kind in supported)


@pytest.mark.rule("FEAT-2")
@pytest.mark.parametrize("feature", ["emit", "capabilities"])
def test_a_kind_that_does_not_exist_is_refused(make: Make, feature: str) -> None:
    with pytest.raises(BandConfigError):
        make(**{feature: ["applause"]})


@pytest.mark.rule("FEAT-2")
async def test_an_empty_emit_is_silence(start: Start, model: ScriptedModel) -> None:
    model.script(*BUSY_TURN)
    turn = await Room(await start(emit=())).hear("Who is here?")
    assert turn.replies == ["Alice is here."], turn.error
    assert turn.tools.events_sent == []


@pytest.mark.rule("FEAT-2")
async def test_no_capability_is_on_unless_it_is_asked_for(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Hi."))
    await Room(await start()).hear("Hello.")
    assert set(model.requests[0].tools) == names(frozenset())


@pytest.mark.rule("FEAT-3")
async def test_each_turn_asks_the_room_for_its_tools_with_the_capabilities(
    subject: Subject, start: Start, model: ScriptedModel
) -> None:
    adapter = await start(capabilities=subject.adapter.SUPPORTED_CAPABILITIES)
    room = Room(adapter)
    model.script(Say("One."), Say("Two."))
    for text in ("First.", "Second."):
        turn = await room.hear(text)
        asked = set(turn.tools.schema_requests)
        assert asked == {subject.adapter.SUPPORTED_CAPABILITIES}, (
            "ask `tools` for the schemas of every turn, with self.features.capabilities"
        )


@pytest.mark.rule("FEAT-3")
async def test_capabilities_are_passed_even_when_there_are_none(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Hi."))
    turn = await Room(await start()).hear("Hello.")
    assert set(turn.tools.schema_requests) == {frozenset()}


@pytest.mark.rule("FEAT-3", "SYS-1")
async def test_what_the_platform_cannot_do_is_dropped_at_the_start(
    subject: Subject, make: Make, model: ScriptedModel
) -> None:
    adapter = make(capabilities=subject.adapter.SUPPORTED_CAPABILITIES)
    pruned = dataclasses.replace(adapter.features, capabilities=frozenset())
    await adapter.startup("Tester", "An agent under test.", features=pruned)
    model.script(Say("Hi."))
    await Room(adapter).hear("Hello.")
    assert set(model.requests[0].tools) == names(frozenset())
    for section in ("## Memory Tools", "## Contact Management", "## Room File Tools"):
        assert section not in model.requests[0].system


class OneTool(RoomTools):
    """A room of another platform version, with a single tool."""

    def get_tool_schemas(
        self, format: str, *, capabilities: frozenset[Capability] | None = None
    ) -> list[dict[str, Any]]:
        return super().get_tool_schemas(format, capabilities=capabilities)[:1]


@pytest.mark.rule("FEAT-3")
async def test_the_model_is_offered_what_the_room_offers(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("One."), Say("Two."))
    room = Room(await start())
    await room.hear("Hello.")
    await room.hear("Hello again.", tools=OneTool())
    everything, one = (request.tools for request in model.requests)
    assert len(everything) > 1
    assert one == everything[:1]


@pytest.mark.rule("FEAT-3")
async def test_the_contact_hub_offers_contact_tools_to_every_adapter(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Say("Noted."))
    await Room(await start()).hear("A contact request from @carol.", hub=True)
    assert "band_respond_contact_request" in model.requests[0].tools
