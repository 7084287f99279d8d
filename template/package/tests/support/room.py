"""A Band room in memory: real tool schemas, real dispatch, everything recorded."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from band.core.types import (
    SYNTHETIC_CONTACT_EVENTS_SENDER_ID,
    SYNTHETIC_SENDER_TYPE,
    USAGE_METADATA_KEY,
    AgentInput,
    Capability,
    HistoryProvider,
    PlatformMessage,
    is_usage_event,
)
from band.runtime.tools import AgentTools, ToolCallOutcome
from band.runtime.turn import record_tool_result
from band.testing import FakeAgentTools, events_of_type, reported_failures

ALICE = {"id": "user-alice", "name": "Alice", "type": "User", "handle": "alice"}
BOB = {"id": "agent-bob", "name": "Bob Bot", "type": "Agent", "handle": "bob/bot"}

_MESSAGE_NUMBERS = itertools.count(1)
# The real schemas, built once: to build them takes longer than most turns.
_SCHEMAS: dict[tuple[Any, ...], list[dict[str, Any]]] = {}


async def wait_until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    """Wait until `condition` holds; TimeoutError when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"still waiting after {seconds} s")
        await asyncio.sleep(0.002)


class RoomTools(FakeAgentTools):
    """The tools of one turn.

    `log` is what happened, in order: (event kind, tool or ""), ("run", tool) when a
    tool is executed, ("say", text) for messages. A tool named in `waits` first waits
    for its event; then one named in `raises` raises that, and one named in `results`
    returns that, instead of being executed. `schema_requests` are the capabilities
    that schemas were asked for.
    """

    def __init__(
        self,
        *,
        participants: Sequence[Mapping[str, str]] = (ALICE, BOB),
        raises: Mapping[str, BaseException] | None = None,
        results: Mapping[str, Any] | None = None,
        waits: Mapping[str, asyncio.Event] | None = None,
        **options: Any,
    ) -> None:
        present = [{"role": "member", "status": "active", **p} for p in participants]
        super().__init__(participants=present, **options)
        self.raises = dict(raises or {})
        self.results = dict(results or {})
        self.waits = dict(waits or {})
        self.log: list[tuple[str, str]] = []
        self.schema_requests: list[frozenset[Capability] | None] = []

    def get_tool_schemas(
        self, format: str, *, capabilities: frozenset[Capability] | None = None
    ) -> list[dict[str, Any]]:
        self.schema_requests.append(capabilities)
        wanted = (format, capabilities, self.is_hub_room)
        if wanted not in _SCHEMAS:
            real = cast("AgentTools", self)
            built = AgentTools.get_tool_schemas(real, format, capabilities=capabilities)
            _SCHEMAS[wanted] = cast("list[dict[str, Any]]", built)
        return deepcopy(_SCHEMAS[wanted])

    def get_openai_tool_schemas(
        self, *, capabilities: frozenset[Capability] | None = None
    ) -> list[dict[str, Any]]:
        return self.get_tool_schemas("openai", capabilities=capabilities)

    def get_anthropic_tool_schemas(
        self, *, capabilities: frozenset[Capability] | None = None
    ) -> list[dict[str, Any]]:
        return self.get_tool_schemas("anthropic", capabilities=capabilities)

    async def execute_tool_call_structured(
        self, tool_name: str, arguments: dict[str, Any]
    ) -> ToolCallOutcome:
        self.tool_calls.append({"tool_name": tool_name, "arguments": arguments})
        self.log.append(("run", tool_name))
        if tool_name in self.waits:
            await self.waits[tool_name].wait()
        if tool_name in self.raises:
            raise self.raises[tool_name]
        if tool_name in self.results:
            value = self.results[tool_name]
            record_tool_result(self.turn, tool_name, value)
            return ToolCallOutcome(value=value, ok=True)
        real = cast("AgentTools", self)
        return await AgentTools.execute_tool_call_structured(real, tool_name, arguments)

    async def send_message(
        self, content: str, mentions: list[str] | list[dict[str, str]] | None = None
    ) -> Any:
        content.encode()  # Half a character cannot be posted.
        sent = await super().send_message(content, mentions)
        if sent is not None:
            self.log.append(("say", content))
        return sent

    async def send_event(
        self, content: str, message_type: str, metadata: dict[str, Any] | None = None
    ) -> Any:
        content.encode()
        sent = await super().send_event(content, message_type, metadata)
        is_tool_event = message_type in ("tool_call", "tool_result")
        tool = json.loads(content).get("name", "") if is_tool_event else ""
        self.log.append((message_type, tool))
        return sent


@dataclass(frozen=True)
class Turn:
    """What one message led to: what was posted, and the exception that was raised."""

    tools: RoomTools
    error: Exception | None

    @property
    def replies(self) -> list[str]:
        return self.tools.chat

    @property
    def mentions(self) -> list[list[Any]]:
        return [message["mentions"] for message in self.tools.messages_sent]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """The events of that kind; records of usage are not counted as tasks."""
        posted = events_of_type(self.tools, kind)
        return [event for event in posted if not is_usage_event(event["metadata"])]

    @property
    def failures(self) -> list[dict[str, Any]]:
        return reported_failures(self.tools)

    @property
    def usage(self) -> list[dict[str, int]]:
        posted = [event["metadata"] for event in self.tools.events_sent]
        return [data[USAGE_METADATA_KEY] for data in posted if is_usage_event(data)]


class Room:
    """One room that the adapter is in."""

    def __init__(self, adapter: Any, room_id: str = "room-1") -> None:
        self.adapter = adapter
        self.room_id = room_id
        self._heard_before = False

    async def hear(
        self,
        text: str,
        *,
        sender: str = "Alice",
        participants_msg: str | None = None,
        contacts_msg: str | None = None,
        bootstrap: bool | None = None,
        history: Sequence[dict[str, Any]] = (),
        tools: RoomTools | None = None,
        hub: bool = False,
        id: str | None = None,
    ) -> Turn:
        """Deliver one message to the adapter, as the runtime does.

        `bootstrap=None` makes the first message of the room its bootstrap; `hub` makes
        it a notice of contacts in the contact hub; `id` repeats an earlier delivery.
        """
        if tools is None:
            hub_room_id = self.room_id if hub else None
            tools = RoomTools(room_id=self.room_id, hub_room_id=hub_room_id)
        first, self._heard_before = not self._heard_before, True
        arrived = AgentInput(
            msg=self._message(text, sender, hub=hub, id=id),
            tools=cast("Any", tools),
            history=HistoryProvider(raw=list(history)),
            participants_msg=participants_msg,
            contacts_msg=contacts_msg,
            is_session_bootstrap=first if bootstrap is None else bootstrap,
            room_id=self.room_id,
        )
        try:
            await self.adapter.on_event(arrived)
        except Exception as error:  # noqa: BLE001 -- whatever a turn raises is what a test looks at
            return Turn(tools, error)
        return Turn(tools, None)

    def _message(
        self, text: str, sender: str, *, hub: bool, id: str | None
    ) -> PlatformMessage:
        known = {person["name"]: person for person in (ALICE, BOB)}
        stranger = {"id": f"user-{sender.lower()}", "name": sender, "type": "User"}
        who = known.get(sender, stranger)
        if hub:
            who = {
                "id": SYNTHETIC_CONTACT_EVENTS_SENDER_ID,
                "name": sender,
                "type": SYNTHETIC_SENDER_TYPE,
            }
        return PlatformMessage(
            id=id or f"message-{next(_MESSAGE_NUMBERS)}",
            room_id=self.room_id,
            content=text,
            sender_id=who["id"],
            sender_type=who["type"],
            sender_name=who["name"],
            message_type="text",
            metadata={},
            created_at=datetime.now(UTC),
        )
