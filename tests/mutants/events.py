"""EVT: events that are missing, too many, or cannot be read."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

BEFORE = (
    "        await self._report_tool(\n"
    "            tools, MessageType.TOOL_CALL, call, {ToolEventKey.ARGS: arguments}\n"
    "        )\n"
)
EXECUTE = "        answer = await self._execute(call, offered, tools)\n"
AS_JSON = "_event_json({**about, **fields})"
IS_ERROR = "            ToolEventKey.IS_ERROR: answer.is_error,\n"
SPENT = "            turn.usage += reply.usage\n"
ENDED = 'await self._report_turn(tools, "finished" if done else "failed")'
LOST_EVENT = "except Exception as error:  # noqa: BLE001 -- reporting is best effort"
ANSWERS = "[await self._answer(call, offered, turn.tools) for call in calls]"

MUTANTS = (
    mutant(
        "a call is told after its execution",
        "EVT-1",
        Edit(BEFORE + EXECUTE, EXECUTE + BEFORE),
    ),
    mutant(
        "a call is not told at all", "EVT-1", Edit(BEFORE, "        del arguments\n")
    ),
    mutant(
        "a file's body is in the event of its call",
        "EVT-1",
        Edit("redact_tool_call_args(call.name, call.arguments)", "call.arguments"),
    ),
    mutant(
        "a failed call is told as if it were none",
        "EVT-1",
        Edit(IS_ERROR, ""),
        origin="sample adapter: a failed call is replayed as a success",
    ),
    mutant(
        "a failed call is known by its words",
        "EVT-1",
        Edit(
            IS_ERROR,
            '            ToolEventKey.IS_ERROR: answer.text.startswith("Error"),\n',
        ),
    ),
    mutant(
        "events are not bounded",
        "EVT-1",
        Edit(AS_JSON, "json.dumps({**about, **fields}, default=str)"),
    ),
    mutant(
        "events are cut through their JSON",
        "EVT-1",
        Edit(
            AS_JSON, "_cut(json.dumps({**about, **fields}, default=str), EVENT_LIMIT)"
        ),
    ),
    mutant(
        "arguments are text in the event",
        "EVT-1",
        Edit(
            "{ToolEventKey.ARGS: arguments}",
            "{ToolEventKey.ARGS: json.dumps(arguments, default=str)}",
        ),
    ),
    mutant(
        "events have ids of their own",
        "EVT-1",
        Edit(
            "ToolEventKey.TOOL_CALL_ID: call.id",
            "ToolEventKey.TOOL_CALL_ID: uuid.uuid4()",
        ),
    ),
    mutant(
        "a failing events API fails the turn",
        "EVT-2",
        Edit(LOST_EVENT, LOST_EVENT.replace("Exception", "TimeoutError")),
        origin="sample adapter: a failing events API ends the turn",
    ),
    mutant(
        "a result that cannot be told is lost",
        "EVT-2",
        Edit(
            "        await self._report_tool(tools, MessageType.TOOL_RESULT, call, result)\n",
            "        try:\n"
            "            await tools.send_event(_event_json(result), MessageType.TOOL_RESULT)\n"
            "        except ConnectionError as error:\n"
            "            return self._result(call, str(error), ok=False)\n",
        ),
    ),
    mutant(
        "usage is that of the last request",
        "EVT-3",
        Edit(SPENT, "            turn.usage = reply.usage\n"),
    ),
    mutant(
        "usage is told with each request",
        "EVT-3",
        Edit(SPENT, "            await self.emit_usage(turn.tools, reply.usage)\n"),
    ),
    mutant(
        "usage of a failed turn is lost",
        "EVT-3",
        Edit(
            "        finally:\n            await self.emit_usage",
            "        else:\n            await self.emit_usage",
        ),
    ),
    mutant(
        "usage is summed over all turns",
        "EVT-3",
        Edit(
            "        self._rooms: dict[str, _Room] = {}\n",
            "        self._rooms: dict[str, _Room] = {}\n"
            "        self._usage = TurnUsage()\n",
        ),
        Edit(
            SPENT, "            self._usage = turn.usage = self._usage + reply.usage\n"
        ),
    ),
    mutant(
        "cached tokens are not counted",
        "EVT-3",
        Edit(
            'return replace(spent, cache_read_tokens=getattr(details, "cached_tokens", 0) or 0)',
            "return replace(spent, cache_read_tokens=0 if details is None else 0)",
        ),
        providers=("openai",),
    ),
    mutant(
        "only the last thought is told",
        "EVT-4",
        Edit(
            "if reply.reasoning and Emit",
            "if reply.reasoning and not reply.calls and Emit",
        ),
    ),
    mutant(
        "thoughts are fed back",
        "EVT-4",
        Edit(
            "assistant_messages(reply.text, calls)",
            "assistant_messages(reply.reasoning + reply.text, calls)",
        ),
    ),
    mutant(
        "a thought is posted where there is no text",
        "EVT-4",
        Edit("text = sendable(reply.text)", "text = reply.text or reply.reasoning"),
        harmless=("custom-framework", "langgraph", "openai-agents"),
    ),
    mutant(
        "thoughts are not bounded",
        "EVT-4",
        Edit(
            "thought = _cut(reply.reasoning, EVENT_LIMIT)", "thought = reply.reasoning"
        ),
    ),
    mutant(
        "the start of a turn is not told",
        "EVT-5",
        Edit('        await self._report_turn(tools, "started")\n', ""),
    ),
    mutant(
        "the progress of a turn is not told",
        "EVT-5",
        Edit(
            '                await self._report_turn(turn.tools, "working", number)\n',
            '                logger.debug("Model call %d", number)\n',
        ),
    ),
    mutant(
        "the end of a turn is not told",
        "EVT-5",
        Edit(f"        {ENDED}\n", ""),
    ),
    mutant(
        "a failed turn is told as finished",
        "EVT-5",
        Edit(
            'await self._report_turn(tools, "failed")',
            'await self._report_turn(tools, "finished")',
        ),
    ),
    mutant(
        "an incomplete turn is told as finished",
        "EVT-5",
        Edit(ENDED, 'await self._report_turn(tools, "finished")'),
    ),
    mutant(
        "rounds are not numbered",
        "EVT-5",
        Edit('"round": number}', '"round": 0}'),
    ),
    mutant(
        "task events are taken for usage",
        "EVT-5",
        Edit('about = {"turn": {', 'about = {"band_usage": {}, "turn": {'),
    ),
    mutant(
        "tool events cannot be switched off",
        "EVT-6",
        Edit(
            "if Emit.TOOL_CALLS in self.features.emit:",
            "if Emit.TOOL_CALLS in self.SUPPORTED_EMIT:",
        ),
    ),
    mutant(
        "thoughts cannot be switched off",
        "EVT-6",
        Edit(
            "Emit.THOUGHTS in self.features.emit:",
            "Emit.THOUGHTS in self.SUPPORTED_EMIT:",
        ),
    ),
    mutant(
        "task events cannot be switched off",
        "EVT-6",
        Edit(
            "if Emit.TASK_EVENTS in self.features.emit:",
            "if Emit.TASK_EVENTS in self.SUPPORTED_EMIT:",
        ),
    ),
)
