"""HIST: a converter that misreads what happened in a room."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

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
    '                messages.extend(assistant_messages("", calls))\n'
    "                messages.extend(tool_messages(answers))\n"
    "            messages.extend(meanwhile)\n"
)

MUTANTS = (
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
        "a failed call is a success after a restart",
        "HIST-3",
        Edit("told(output, ok=not failed)", "output"),
        origin="sample adapter: a failed call is replayed as a success",
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
        "events that are too deep to be read end the agent",
        "HIST-3",
        Edit("except (ValueError, RecursionError) as", "except ValueError as"),
    ),
    mutant(
        "events with too long a number end the agent",
        "HIST-3",
        Edit("except (ValueError, RecursionError) as", "except RecursionError as"),
    ),
    mutant(
        "words of history may have half a character",
        "HIST-4",
        Edit('return sendable(item.get(key) or "")', 'return item.get(key) or ""'),
    ),
    mutant(
        "results of history may have half a character",
        "HIST-4",
        Edit("sendable(self.result.output)", "self.result.output"),
    ),
    mutant(
        "calls of history may have half a character",
        "HIST-4",
        Edit(
            "ToolCall.read(call_id, self.call.name, self.call.args)",
            "ToolCall(call_id, self.call.name, self.call.args)",
        ),
    ),
    mutant(
        "ids of history that cannot be sent become the same",
        "HIST-4",
        Edit(
            "call_id = sendable(self.call.tool_call_id)",
            "call_id = self.call.tool_call_id",
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
            "return assistant_messages(text) if text.strip() else []",
            "return assistant_messages(text)",
        ),
        harmless=("anthropic",),
    ),
    mutant(
        "words are put between a call and its answer",
        "HIST-4 HIST-3",
        Edit(
            STEP,
            '                messages.extend(assistant_messages("", calls))\n'
            "            messages.extend(meanwhile)\n"
            "            if step:\n"
            "                messages.extend(tool_messages(answers))\n",
        ),
    ),
    mutant(
        "tools' names are not sanitised",
        "HIST-4 TOOL-2",
        Edit(
            'return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "_"',
            "return name",
        ),
        origin="common pitfall: names are not sanitised",
        providers=("openai",),
    ),
    mutant(
        "ids of history may be too long",
        "HIST-4",
        Edit(
            "    if len(call_id) <= 40:\n        return call_id\n",
            "    if call_id:\n        return call_id\n",
        ),
        providers=("openai",),
    ),
)
