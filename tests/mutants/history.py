"""HIST and ROOM: a conversation that is lost, mixed up, or invalid."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

LAST_OF_INIT = "        self._rooms: dict[str, _Room] = {}\n"
NEW_CONVERTER = "        self._agent_name = agent_name\n"
IS_OWN = '        return item.get("role") == "assistant" and name == self._agent_name'
TEXT = 'elif item.get("message_type", MessageType.TEXT) == MessageType.TEXT:'
HEARD = 'text = f"[{name}]: {content}" if name else content'
SPEAK = "messages.extend(_spoken(item) if own else _heard(item))"
MEANWHILE = (
    "                elif not own:\n"
    "                    meanwhile.extend(_heard(item))\n"
)
STEP = (
    '                messages.append(assistant_message("", calls))\n'
    "                messages.extend(tool_messages(answers))\n"
    "            messages.extend(meanwhile)\n"
)
BOOTSTRAP = (
    "        if is_session_bootstrap:\n"
    "            room.messages = self._bounded(history)\n"
)
ROOM = "        room = self._rooms.setdefault(room_id, _Room())\n"
TURN = "turn = _Turn(msg, tools, [*room.messages, user_message(heard)])"
KEPT = "            room.messages = self._bounded(turn.messages)\n"
CUT = "return messages[next(starts, len(messages)) :]"
FORGET = "        self._rooms.pop(room_id, None)\n"

CONVERTER = (
    mutant(
        "the converter takes no agent name",
        "HIST-1",
        Edit(
            'def __init__(self, agent_name: str = "") -> None:',
            "def __init__(self) -> None:",
        ),
        Edit(NEW_CONVERTER, '        self._agent_name = ""\n'),
        origin="sample adapter: its converter takes no agent name",
    ),
    mutant(
        "the converter's agent cannot be named later",
        "HIST-1",
        Edit("        self._agent_name = name\n", "        del name\n"),
    ),
    mutant(
        "every item needs a message type",
        "HIST-1",
        Edit(
            TEXT,
            TEXT.replace('.get("message_type", MessageType.TEXT)', '["message_type"]'),
        ),
        origin="sample adapter: its converter needs every key",
    ),
    mutant(
        "every item needs a role",
        "HIST-1",
        Edit('item.get("role") == ', 'item["role"] == '),
        origin="sample adapter: its converter needs every key",
    ),
    mutant(
        "a speaker without a name is called None",
        "HIST-1",
        Edit(HEARD, 'text = f"[{name}]: {content}"'),
        origin="sample adapter: a speaker without a name is called None",
    ),
    mutant(
        "a converter remembers what it converted",
        "HIST-1",
        Edit("        taken: set[str] = set()\n", ""),
        Edit(NEW_CONVERTER, f"{NEW_CONVERTER}        self._taken: set[str] = set()\n"),
        Edit("exchange.answer(taken) for", "exchange.answer(self._taken) for"),
    ),
    mutant(
        "other agents' words are taken for the agent's own",
        "HIST-2",
        Edit(IS_OWN, '        return bool(name) and item.get("role") == "assistant"'),
        origin="common mistake: other agents are taken for the agent itself",
    ),
    mutant(
        "what any agent said is left out",
        "HIST-2",
        Edit(TEXT, TEXT[:-1] + ' and item.get("role") != "assistant":'),
        origin="common pitfall: all messages of assistants are skipped",
    ),
    mutant(
        "the agent's own words are left out",
        "HIST-2",
        Edit(SPEAK, "messages.extend([] if own else _heard(item))"),
    ),
    mutant(
        "a person of the agent's name is the agent",
        "HIST-2",
        Edit(IS_OWN, "        return name == self._agent_name"),
    ),
    mutant(
        "speakers have no names",
        "HIST-2",
        Edit(HEARD, "text = content if name else content"),
    ),
    mutant(
        "what others say while a call is open is lost",
        "HIST-2",
        Edit(MEANWHILE, ""),
    ),
    mutant(
        "the agent's words while a call is open are told twice",
        "HIST-2",
        Edit(
            MEANWHILE,
            "                else:\n"
            "                    meanwhile.extend(_spoken(item) if own else _heard(item))\n",
        ),
    ),
    mutant(
        "speakers' names are put into the API's own field",
        "SYS-3 HIST-2",
        Edit(
            "return [user_message(text)] if text.strip() else []",
            'message = user_message(content) | ({"name": name} if name else {})\n'
            "    return [message] if text.strip() else []",
        ),
        origin="common pitfall: names are not sanitised",
        providers=("openai",),
    ),
    mutant(
        "tool calls are lost on a restart",
        "HIST-3",
        Edit(
            "        exchanges = _pair(raw)\n",
            "        exchanges: dict[int, _Exchange] = {}\n",
        ),
        origin="sample adapter: tool calls are lost on a restart",
    ),
    mutant(
        "each call is a message of its own",
        "HIST-3",
        Edit("if index > open_until and index - 1 not in exchanges:", "if step:"),
    ),
    mutant(
        "calls without results are messages of their own",
        "HIST-3",
        Edit(
            "if index > open_until and index - 1 not in exchanges:",
            "if index > open_until:",
        ),
    ),
    mutant(
        "an interrupted call has a blank answer",
        "HIST-3",
        Edit(
            "ToolAnswer(call, INTERRUPTED_TOOL_TEXT, is_error",
            'ToolAnswer(call, "", is_error',
        ),
    ),
    mutant(
        "an interrupted call is forgotten",
        "HIST-3",
        Edit(
            "answers = [exchange.answer(taken) for exchange in step]",
            "answers = [one.answer(taken) for one in step if one.result]",
        ),
    ),
    mutant(
        "a result without its call is an error",
        "HIST-3",
        Edit(
            "unanswered.pop(result.tool_call_id, None)",
            "unanswered.pop(result.tool_call_id)",
        ),
    ),
    mutant(
        "a call takes the last of its results",
        "HIST-3",
        Edit(
            "unanswered.pop(result.tool_call_id, None)",
            "unanswered.get(result.tool_call_id)",
        ),
    ),
    mutant(
        "thoughts are taken for words",
        "HIST-3",
        Edit(
            TEXT,
            TEXT.replace(
                "== MessageType.TEXT", "in (MessageType.TEXT, MessageType.THOUGHT)"
            ),
        ),
    ),
    mutant(
        "events that cannot be read are dropped without a word",
        "HIST-3",
        Edit(
            '        kind, content = item.get("message_type"), item.get("content") or ""\n',
            '        kind, content = item.get("message_type"), item.get("content") or ""\n'
            '        if not content.endswith("}"):\n'
            "            continue\n",
        ),
    ),
    mutant(
        "ids of history may be used twice",
        "HIST-4",
        Edit('        while call_id in taken:\n            call_id += "_"\n', ""),
    ),
    mutant(
        "blank items are messages",
        "HIST-4",
        Edit(
            "return [assistant_message(text)] if text.strip() else []",
            "return [assistant_message(text)]",
        ),
    ),
    mutant(
        "words are put between a call and its answer",
        "HIST-4",
        Edit(
            STEP,
            '                messages.append(assistant_message("", calls))\n'
            "            messages.extend(meanwhile)\n"
            "            if step:\n"
            "                messages.extend(tool_messages(answers))\n",
        ),
    ),
    mutant(
        "tools' names are not sanitised",
        "HIST-4 TOOL-2",
        Edit(
            'name = re.sub(r"[^a-zA-Z0-9_-]", "_", call.name)[:64] or "_"',
            "name = call.name",
        ),
        origin="common pitfall: names are not sanitised",
        providers=("openai",),
    ),
    mutant(
        "ids of history may be too long",
        "HIST-4",
        Edit(
            "    if len(call.id) <= 40:\n        return call.id\n",
            "    if call.id:\n        return call.id\n",
        ),
        providers=("openai",),
    ),
)

CONVERSATION = (
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
        Edit(
            "if tools.turn.complete or not tools.turn.judged:", "if tools is not None:"
        ),
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
            "logger = logging.getLogger(__name__)\n",
            "logger = logging.getLogger(__name__)\n_OWED: list[str] = []\n",
        ),
    ),
    mutant(
        "a room waits for all others",
        "ROOM-1",
        Edit(
            "import json\nimport logging\n",
            "import asyncio\nimport json\nimport logging\n",
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

MUTANTS = (*CONVERTER, *CONVERSATION)
