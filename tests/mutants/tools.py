"""TOOL: calls that are not answered, or answered with something else."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

ANSWERS = "            answers = [await self._answer(call, offered, turn.tools) for call in calls]\n"
ANY_TOOL_ERROR = (
    "except Exception as error:  # noqa: BLE001 -- a tool may raise anything"
)
STOP_OF_A_TOOL = (
    "        except RoomExecutionStoppedError:\n            raise\n"
    f"        {ANY_TOOL_ERROR}"
)
LOST_EVENT = "except Exception as error:  # noqa: BLE001 -- reporting is best effort"
STOP_OF_AN_EVENT = (
    "        except RoomExecutionStoppedError:\n            raise\n"
    f"        {LOST_EVENT}"
)
NOT_AN_OBJECT = (
    "        if isinstance(value, dict):\n"
    "            return cls(call_id, name, value)\n"
    '        return cls(call_id, name, {"raw": written}, "not a JSON object")'
)
AS_TEXT = "text = value if isinstance(value, str) else json.dumps(value, default=str)"
TOLD = "        text = told(text, ok=ok)\n"
CUT = "        text = _cut(told(text, ok=ok), self.config.max_tool_result_chars)\n"

MUTANTS = (
    mutant(
        "malformed arguments end the turn",
        "TOOL-2",
        Edit(
            'return self._result(call, f"the arguments are {call.fault}", ok=False)',
            "raise ValueError(call.fault)",
        ),
        origin="sample adapter: malformed arguments end the turn",
    ),
    mutant(
        "malformed arguments pass for none",
        "TOOL-2",
        Edit('{"raw": raw}, f"not JSON: {error}")', "{})"),
    ),
    mutant(
        "malformed arguments are kept in part",
        "TOOL-2",
        Edit('{"raw": raw}', '{"raw": raw[:1000]}'),
    ),
    mutant(
        "arguments may be JSON that only Python reads",
        "TOOL-2",
        Edit("ensure_ascii=False, allow_nan=False", "ensure_ascii=False"),
    ),
    mutant(
        "arguments may have half a character",
        "TOOL-2",
        Edit("ensure_ascii=False, allow_nan=False", "allow_nan=False"),
    ),
    mutant(
        "what was meant for arguments may have half a character",
        "TOOL-2",
        Edit("raw = sendable(str(written))", "raw = str(written)"),
    ),
    mutant(
        "ids of calls may have half a character",
        "TOOL-2",
        Edit('sendable(str(call_id or ""))', 'str(call_id or "")'),
    ),
    mutant(
        "ids that are left out end the turn",
        "TOOL-2",
        Edit('sendable(str(call_id or ""))', "sendable(call_id)"),
        providers=("openai", "openai-responses", "openai-agents", "gemini"),
    ),
    mutant(
        "names of calls may have half a character",
        "TOOL-2",
        Edit('sendable(str(name or ""))', 'str(name or "")'),
        providers=("custom", "custom-framework"),
    ),
    mutant(
        "results may have half a character",
        "TOOL-3",
        Edit("    return sendable(text)\n", "    return text\n"),
    ),
    mutant(
        "arguments without a bottom end the turn",
        "TOOL-2",
        Edit("(ValueError, TypeError, RecursionError)", "(ValueError, TypeError)"),
    ),
    mutant(
        "of many calls only the first are answered",
        "TOOL-2",
        Edit(
            "calls = _distinct(reply.calls, call_ids(turn.messages))",
            "calls = _distinct(reply.calls[:64], call_ids(turn.messages))",
        ),
    ),
    mutant(
        "arguments may be any JSON",
        "TOOL-2",
        Edit(NOT_AN_OBJECT, "        return cls(call_id, name, value)"),
    ),
    mutant(
        "no arguments are malformed arguments",
        "TOOL-2",
        Edit("        written = written or {}\n", ""),
        harmless=("gemini", "langgraph"),
    ),
    mutant(
        "a call of an unknown tool is left out",
        "TOOL-2",
        Edit(
            "calls = _distinct(reply.calls, call_ids(turn.messages))",
            "calls = _distinct(reply.calls, call_ids(turn.messages))\n"
            "            calls = [call for call in calls if call.name in offered]",
        ),
    ),
    mutant(
        "a failing call leaves its siblings unanswered",
        "TOOL-2",
        Edit(
            ANSWERS,
            "            answers: list[ToolAnswer] = []\n"
            "            for call in calls:\n"
            "                answers.append(await self._answer(call, offered, turn.tools))\n"
            "                if answers[-1].is_error:\n"
            "                    break\n",
        ),
        origin="sample adapter: one failing call leaves its siblings unanswered",
    ),
    mutant(
        "answers stand in an order of their own",
        "TOOL-2",
        Edit(
            "turn.messages += tool_messages(answers)",
            "turn.messages += tool_messages(sorted(answers, key=lambda a: a.text))",
        ),
    ),
    mutant(
        "ids are kept as the model gave them",
        "TOOL-2",
        Edit("_distinct(reply.calls, call_ids(turn.messages))", "list(reply.calls)"),
    ),
    mutant(
        "ids are distinct within a reply only",
        "TOOL-2 HIST-4",
        Edit("call_ids(turn.messages))", "set())"),
    ),
    mutant(
        "long ids are kept",
        "TOOL-2",
        Edit(
            "free = 0 < len(call.id) <= CALL_ID_LIMIT and call.id",
            "free = call.id and call.id",
        ),
        providers=("openai",),
    ),
    mutant(
        "only expected errors of a tool are caught",
        "TOOL-2 TOOL-3",
        Edit(ANY_TOOL_ERROR, ANY_TOOL_ERROR.replace("Exception", "ValueError")),
    ),
    mutant(
        "a result that reports failure passes for a success",
        "TOOL-3",
        Edit(
            "value, ok = outcome.value, outcome.ok", "value, ok = outcome.value, True"
        ),
    ),
    mutant(
        "calls are not executed in the structured way",
        "TOOL-3",
        Edit(
            "outcome = await tools.execute_tool_call_structured(\n"
            "                    call.name, call.arguments\n"
            "                )\n"
            "                value, ok = outcome.value, outcome.ok",
            "value = await tools.execute_tool_call(call.name, call.arguments)\n"
            "                ok = True",
        ),
    ),
    mutant(
        "the model does not learn what went wrong",
        "TOOL-3",
        Edit(
            "self._result(call, str(error), ok=False)",
            'self._result(call, "Error", ok=False)',
        ),
    ),
    mutant(
        "errors are not marked for the model",
        "TOOL-3",
        Edit("_cut(told(text, ok=ok), self", "_cut(text, self"),
    ),
    mutant(
        "results are Python's own text", "TOOL-3", Edit(AS_TEXT, "text = str(value)")
    ),
    mutant(
        "a result that is not JSON is an error",
        "TOOL-3",
        Edit(AS_TEXT, AS_TEXT.replace(", default=str", "")),
    ),
    mutant(
        "a stop is told to the model",
        "TOOL-4 TOOL-8",
        Edit(STOP_OF_A_TOOL, f"        {ANY_TOOL_ERROR}"),
    ),
    mutant(
        "a cancellation is told to the model",
        "TOOL-4",
        Edit(ANY_TOOL_ERROR, ANY_TOOL_ERROR.replace("Exception", "BaseException")),
    ),
    mutant(
        "a stop of the room is a lost event",
        "TOOL-4",
        Edit(STOP_OF_AN_EVENT, f"        {LOST_EVENT}"),
    ),
    mutant(
        "a cancelled request is a failure of the model",
        "TOOL-4",
        Edit(
            "except Exception as error:  # noqa: BLE001 -- each client",
            "except BaseException as error:  # noqa: BLE001 -- each client",
        ),
    ),
    mutant(
        "a cancelled turn stays in the conversation",
        "TOOL-4 HIST-6",
        Edit(
            "turn = _Turn(msg, tools, [*room.messages, user_message(heard)])",
            "room.messages.append(user_message(heard))\n"
            "        turn = _Turn(msg, tools, room.messages)",
        ),
        origin="sample adapter: an interrupted call stays open for ever",
    ),
    mutant("results are not bounded", "TOOL-7", Edit(CUT, TOLD)),
    mutant(
        "a result is cut without a word",
        "TOOL-7",
        Edit(
            CUT,
            "        text = told(text, ok=ok)[: self.config.max_tool_result_chars]\n",
        ),
    ),
    mutant(
        "errors are not bounded",
        "TOOL-7",
        Edit(CUT, f"{TOLD}        if ok:\n    {CUT}"),
    ),
    mutant(
        "what says that a text is cut makes it too long",
        "TOOL-7",
        Edit("text = text[: limit - len(note)] + note", "text = text[:limit] + note"),
    ),
)
