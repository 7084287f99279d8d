"""HIST and ROOM: a conversation that is lost, spoilt, or heard in another room."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

LAST_OF_INIT = "        self._rooms: dict[str, _Room] = {}\n"
BOOTSTRAP = (
    "        if is_session_bootstrap:\n"
    "            room.messages = self._bounded(history)\n"
)
ROOM = "        room = self._rooms.setdefault(room_id, _Room())\n"
TURN = "turn = _Turn(msg, tools, [*room.messages, user_message(heard)])"
KEPT = "            room.messages = self._bounded(turn.messages)\n"
CUT = "return messages[next(starts, len(messages)) :]"
FORGET = "        self._rooms.pop(room_id, None)\n"

MUTANTS = (
    mutant(
        "history is dropped",
        "HIST-5",
        Edit(BOOTSTRAP, ""),
        origin="common mistake: history is dropped on bootstrap",
    ),
    mutant(
        "history is loaded with every message",
        "HIST-5",
        Edit(BOOTSTRAP, "        room.messages = self._bounded(history)\n"),
    ),
    mutant(
        "a second bootstrap is ignored",
        "HIST-5",
        Edit(
            "if is_session_bootstrap:", "if is_session_bootstrap and not room.messages:"
        ),
    ),
    mutant(
        "a room is unknown before its bootstrap",
        "HIST-5",
        Edit(
            ROOM,
            "        if is_session_bootstrap:\n"
            "            self._rooms[room_id] = _Room()\n"
            "        room = self._rooms[room_id]\n",
        ),
    ),
    mutant(
        "history is lost when the first turn fails",
        "HIST-5",
        Edit(
            BOOTSTRAP,
            "        before = self._bounded(history) if is_session_bootstrap else room.messages\n",
        ),
        Edit("[*room.messages, user_message(heard)]", "[*before, user_message(heard)]"),
    ),
    mutant("a turn is not kept", "HIST-5", Edit(KEPT, "")),
    mutant(
        "a turn that nobody judges is not kept",
        "HIST-5",
        Edit(" or not tools.turn.judged", ""),
    ),
    mutant(
        "calls are not kept",
        "HIST-5",
        Edit(
            KEPT,
            '            kept = [m for m in turn.messages if m["role"] == "user"]\n'
            "            room.messages = self._bounded(kept)\n",
        ),
        providers=("openai",),
    ),
    mutant(
        "a message is kept before it is answered",
        "HIST-6",
        Edit(
            TURN,
            "room.messages = [*room.messages, user_message(heard)]\n"
            "        turn = _Turn(msg, tools, [*room.messages])",
        ),
        origin="sample adapter: a redelivered message is heard twice",
    ),
    mutant(
        "a failed turn is kept as far as it came",
        "HIST-6",
        Edit(
            "            await self.emit_usage(tools, turn.usage)\n",
            "            await self.emit_usage(tools, turn.usage)\n"
            "            room.messages = self._bounded(turn.messages)\n",
        ),
    ),
    mutant(
        "an incomplete turn is kept",
        "HIST-6 TURN-2",
        Edit("done = tools.turn.complete or not tools.turn.judged", "done = True"),
    ),
    mutant(
        "the conversation is not bounded",
        "HIST-7",
        Edit(KEPT, "            room.messages = turn.messages\n"),
        origin="sample adapter: the conversation grows without end",
    ),
    mutant(
        "history is not bounded",
        "HIST-7",
        Edit("room.messages = self._bounded(history)", "room.messages = list(history)"),
    ),
    mutant(
        "the conversation is cut anywhere",
        "HIST-7",
        Edit(CUT, "return messages[excess:]"),
    ),
    mutant("a full conversation is forgotten", "HIST-7", Edit(CUT, "return []")),
    mutant(
        "the oldest messages are kept", "HIST-7", Edit(CUT, "return messages[:-excess]")
    ),
    mutant(
        "the conversation is cut before an image",
        "HIST-7",
        Edit(
            'return message["role"] == "user" and isinstance(message["content"], str)',
            'return message["role"] == "user"',
        ),
        providers=("openai",),
    ),
    mutant(
        "one conversation serves all rooms",
        "ROOM-1",
        Edit(ROOM, '        room = self._rooms.setdefault("", _Room())\n'),
        origin="common mistake: one variable holds the state of all rooms",
    ),
    mutant(
        "one turn's tools serve all rooms",
        "ROOM-1",
        Edit(ROOM, f"{ROOM}        self._tools = tools\n"),
        Edit(
            "await tools.execute_tool_call_structured(",
            "await self._tools.execute_tool_call_structured(",
        ),
    ),
    mutant(
        "the first turn's tools serve all others",
        "ROOM-1",
        Edit(
            LAST_OF_INIT,
            f"{LAST_OF_INIT}        self._tools: AgentToolsProtocol | None = None\n",
        ),
        Edit(ROOM, f"{ROOM}        tools = self._tools = self._tools or tools\n"),
    ),
    mutant(
        "all rooms owe the same updates",
        "ROOM-1",
        Edit(
            "    owed: list[str] = field(default_factory=list)",
            "    owed: list[str] = field(default_factory=lambda: _OWED)",
        ),
        Edit(
            "STOPS = {\n",
            "_OWED: list[str] = []\nSTOPS = {\n",
        ),
    ),
    mutant(
        "a room waits for all others",
        "ROOM-1",
        Edit(
            "import logging\nimport os\n",
            "import asyncio\nimport logging\nimport os\n",
        ),
        Edit(LAST_OF_INIT, f"{LAST_OF_INIT}        self._lock = asyncio.Lock()\n"),
        Edit(
            "            await self._run(turn)\n",
            "            async with self._lock:\n                await self._run(turn)\n",
        ),
    ),
    mutant(
        "a room is never forgotten", "ROOM-2", Edit(FORGET, "        del room_id\n")
    ),
    mutant(
        "an unknown room is an error",
        "ROOM-2",
        Edit(FORGET, "        del self._rooms[room_id]\n"),
    ),
    mutant(
        "leaving one room forgets all",
        "ROOM-2",
        Edit(FORGET, "        self._rooms.clear()\n"),
    ),
    mutant(
        "leaving a room keeps what it is owed",
        "ROOM-2",
        Edit(
            FORGET,
            "        if room := self._rooms.get(room_id):\n"
            "            room.messages = []\n",
        ),
    ),
    mutant(
        "a late turn brings its room back",
        "ROOM-2",
        Edit(KEPT, f"{KEPT}            self._rooms[room_id] = room\n"),
    ),
)
