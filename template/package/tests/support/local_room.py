"""Band on this machine: rooms behind its REST and WebSocket interfaces.

The real `band.Agent` runs against it, so what a test sees is what the platform would.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from band import Agent
from band.runtime.agentconfig import AgentConfig
from band.testing import FakePhoenixServer, fake_phoenix_server

from tests.support.http_stub import HttpReply, HttpRequest, HttpStub, json_reply
from tests.support.room import ALICE, wait_until

AGENT = {"id": "agent-1", "name": "Tester", "type": "Agent", "handle": "test/tester"}
MEMBERS = (ALICE, AGENT)
# How a message that mentions the agent begins when the agent hears it.
MENTION = f"@{AGENT['handle']}"

# A status and a JSON document; None is an answer without a body.
Outcome: TypeAlias = tuple[int, Any]


@dataclass
class LocalRoom:
    """A room as the platform keeps it.

    `timeline` holds messages and events in order; `states` the delivery state of each
    message to the agent ("delivered", "processing", "processed" or "failed").
    """

    id: str
    participants: list[Mapping[str, str]]
    timeline: list[dict[str, Any]] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    working: bool = False
    stopped: bool = False

    @property
    def said(self) -> list[str]:
        """What the agent said, in order."""
        return [message["content"] for message in self.posted("text")]

    def posted(self, kind: str) -> list[dict[str, Any]]:
        """The agent's messages ("text") or its events of that kind."""
        own = [post for post in self.timeline if post["sender_id"] == AGENT["id"]]
        return [post for post in own if post["message_type"] == kind]

    @property
    def pending(self) -> list[dict[str, Any]]:
        owed = ("delivered", "processing")
        return [post for post in self.timeline if self.states.get(post["id"]) in owed]


class LocalBand:
    """The platform. `rooms` outlive the agents that run in them."""

    def __init__(self, socket: FakePhoenixServer, room_ids: Sequence[str]) -> None:
        present = [{**who, "role": "member", "status": "active"} for who in MEMBERS]
        self.rooms = {room: LocalRoom(room, list(present)) for room in room_ids}
        self.rest = HttpStub(self._respond)
        self._socket = socket
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    @property
    def room(self) -> LocalRoom:
        """The first room."""
        return next(iter(self.rooms.values()))

    @asynccontextmanager
    async def agent(self, adapter: Any) -> AsyncGenerator[None]:
        """Run the real agent around `adapter`, in every room."""
        agent = Agent.create(
            adapter=adapter,
            agent_id=AGENT["id"],
            api_key="local",
            ws_url=self._socket.url,
            rest_url=self.rest.url,
            # One agent at a time is locked by a file, which test runs would share.
            config=AgentConfig(single_instance=False),
        )
        topics = {f"chat_room:{room}" for room in self.rooms}
        await agent.start()
        try:
            await wait_until(lambda: topics <= self._socket.joined_topics)
            yield
        finally:
            await agent.stop(timeout=5)
            self._socket.joined_topics.clear()

    async def say(self, text: str, room_id: str | None = None) -> str:
        """Alice mentions the agent in a room; returns the message's id."""
        room = self.rooms[room_id] if room_id else self.room
        mention = {key: AGENT[key] for key in ("id", "handle", "name")}
        content = f"@[[{AGENT['id']}]] {text}"
        # Kept before it is announced: the agent may fetch it at once.
        with self._lock:
            post = self._post(room, ALICE, content, "text", {"mentions": [mention]})
            room.states[post["id"]] = "delivered"
        await self._socket.push(f"chat_room:{room.id}", "message_created", post)
        return post["id"]

    async def settled(self, message_id: str) -> str:
        """Wait until the message is processed or has failed; returns which."""
        states = next(r.states for r in self.rooms.values() if message_id in r.states)
        await wait_until(lambda: states[message_id] in ("processed", "failed"))
        return states[message_id]

    async def ask(self, text: str, room_id: str | None = None) -> str:
        """`say` and wait until the message is settled; returns its state."""
        return await self.settled(await self.say(text, room_id))

    async def control(self, mode: Literal["interrupt", "stop", "play"]) -> None:
        """Interrupt, stop or resume the agent in the first room."""
        if mode != "interrupt":
            self.room.stopped = mode == "stop"
        signal = {
            "mode": mode,
            "scope": "room",
            "agent_id": AGENT["id"],
            "room_id": self.room.id,
            "execution_id": f"execution-{next(self._numbers)}",
            "correlation_id": f"correlation-{next(self._numbers)}",
        }
        topic = f"agent_control:{AGENT['id']}"
        await self._socket.push(topic, "agent.control", signal)

    # --- The REST interface --------------------------------------------------------

    def _respond(self, http: HttpRequest) -> HttpReply:
        parts = http.path.removeprefix("/api/v1/agent/").split("/")
        with self._lock:
            status, document = self._answer(http.method, parts, http.json)
        return HttpReply(status) if document is None else json_reply(status, document)

    def _answer(self, method: str, parts: list[str], body: Any) -> Outcome:
        match method, parts:
            case "GET", ["me"]:
                described = {"description": "An agent under test.", "owner_uuid": "o-1"}
                flags = {"feature_flags": {"ff_file_transfer": True}}
                return 200, {"data": {**AGENT, **described, **flags, **_stamps()}}
            case "GET", ["chats"]:
                rooms = [{"id": r, "title": r, **_stamps()} for r in self.rooms]
                return 200, {"data": rooms, "metadata": _page(rooms)}
            case _, ["chats", room_id, *rest] if room_id in self.rooms:
                return self._answer_in(self.rooms[room_id], method, rest, body)
        return _refusal(404, f"there is no {method} {'/'.join(parts)}")

    def _answer_in(
        self, room: LocalRoom, method: str, parts: list[str], body: Any
    ) -> Outcome:
        match method, parts:
            case "GET", ["participants"]:
                return 200, {"data": room.participants}
            case "GET", ["context"]:
                return 200, {"data": room.timeline, "metadata": _page(room.timeline)}
            case "GET", ["messages"]:
                return 200, {"data": room.pending, "metadata": _page(room.pending)}
            case "GET", ["messages", "next"]:
                owed = [] if room.stopped else room.pending
                return (200, {"data": owed[0]}) if owed else (204, None)
            case "POST", ["activity"]:
                room.working = body["working"]
                return 200, {"data": {"working": room.working and not room.stopped}}
            case "POST", ["messages", message_id, state] if message_id in room.states:
                return _mark(room, message_id, state)
            case "POST", ["messages" | "events"] if room.stopped:
                return _refusal(403, "Agent execution is stopped in this room")
            case "POST", ["messages"]:
                return self._take_message(room, **body["message"])
            case "POST", ["events"]:
                return self._take_event(room, **body["event"])
        return _refusal(404, f"there is no {method} {'/'.join(parts)} in a room")

    def _take_message(
        self, room: LocalRoom, content: str, mentions: Sequence[Any] = ()
    ) -> Outcome:
        present = {person["id"]: person for person in room.participants}
        named = [present.get(mention["id"]) for mention in mentions]
        if not named or None in named:
            return _refusal(422, "someone in the room must be mentioned")
        post = self._post(room, AGENT, content, "text", {"mentions": mentions})
        return 201, {"data": {"id": post["id"], "success": True, "recipients": named}}

    def _take_event(
        self, room: LocalRoom, content: str, message_type: str, metadata: Any = None
    ) -> Outcome:
        post = self._post(room, AGENT, content, message_type, metadata or {})
        taken = {"id": post["id"], "success": True, "message_type": message_type}
        return 201, {"data": taken}

    def _post(
        self,
        room: LocalRoom,
        sender: Mapping[str, str],
        content: str,
        message_type: str,
        metadata: Mapping[str, Any],
    ) -> dict[str, Any]:
        author = {f"sender_{key}": sender[key] for key in ("id", "type", "name")}
        kept = {"content": content, "message_type": message_type, "metadata": metadata}
        post_id = f"post-{next(self._numbers)}"
        post = {"id": post_id, "chat_room_id": room.id, **kept, **author, **_stamps()}
        room.timeline.append(post)
        return post


@asynccontextmanager
async def local_band(*room_ids: str) -> AsyncGenerator[LocalBand]:
    """A platform with these rooms (one when none is named), Alice in each of them."""
    async with fake_phoenix_server() as socket:
        band = LocalBand(socket, room_ids or ("room-1",))
        with band.rest:
            yield band


def _stamps() -> dict[str, str]:
    now = datetime.now(UTC).isoformat()
    return {"inserted_at": now, "updated_at": now}


def _page(items: Sequence[Any]) -> dict[str, Any]:
    page = {"page": 1, "page_size": 100, "limit": 100, "has_more": False}
    return {**page, "total_count": len(items), "total_pages": 1}


def _refusal(status: int, message: str) -> Outcome:
    error = {"code": "refused", "message": message, "request_id": "1", "details": {}}
    return status, {"error": error}


def _mark(room: LocalRoom, message_id: str, state: str) -> Outcome:
    if room.stopped:
        # How the platform says that the agent is stopped.
        return 204, None
    room.states[message_id] = state
    mark = {"id": message_id, "success": True, "status": state, "attempt_number": 1}
    return 200, {"data": mark}
