"""Mutants of the guard around a framework that runs the tool loop."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

FRAMEWORKS = ("custom-framework", "openai-agents", "langgraph")

# The scripted framework alone hangs, and calls tools from other threads.
ILL_MANNERED = ("custom-framework",)

MUTANTS = (
    mutant(
        "a framework may swallow a stop",
        "TOOL-8 TOOL-4",
        Edit("            self._end(stop)\n            raise\n", "            raise\n"),
        providers=FRAMEWORKS,
    ),
    mutant(
        "a framework that ignores its end is waited for",
        "TOOL-8 TOOL-4",
        Edit("timeout=GRACE_SECONDS", "timeout=60.0"),
        providers=ILL_MANNERED,
    ),
    mutant(
        "a framework is asked to end, not told",
        "TOOL-8 TOOL-4",
        Edit(
            "await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)",
            "await asyncio.wait({task})",
        ),
        providers=ILL_MANNERED,
    ),
    mutant(
        "the tools of a turn outlive it",
        "TOOL-8 TOOL-4",
        Edit("for other in (task, *self._busy) if", "for other in (task,) if"),
        providers=ILL_MANNERED,
    ),
    mutant(
        "a stopped turn is a success",
        "TOOL-8 TOOL-4",
        Edit(
            "        if self._stop is not None:\n            raise self._stop\n"
            "        return None if",
            "        return None if",
        ),
        providers=FRAMEWORKS,
    ),
    mutant(
        "a framework is asked on after it declined",
        "TOOL-6 TOOL-8",
        Edit(
            "        if _declined(self._close_step()):\n",
            "        if not self._close_step:\n",
        ),
        providers=FRAMEWORKS,
    ),
    mutant(
        "a framework is not bounded",
        "TOOL-5 TOOL-8",
        Edit("        self._rounds += 1\n", ""),
        providers=FRAMEWORKS,
    ),
    mutant(
        "what a framework called is not remembered",
        "HIST-5 TOOL-8",
        Edit("            self._turn.messages += tool_messages(step)\n", ""),
        Edit(
            '            self._turn.messages += assistant_messages("", calls)\n',
            "            del calls\n",
        ),
        providers=FRAMEWORKS,
    ),
    mutant(
        "only the last tokens of a framework count",
        "EVT-3",
        Edit(
            "self._turn.usage += usage or TurnUsage()",
            "self._turn.usage = usage or TurnUsage()",
        ),
        providers=FRAMEWORKS,
    ),
    mutant(
        "a framework's thoughts are kept to itself",
        "EVT-4",
        Edit(
            "        if reasoning and Emit.THOUGHTS in",
            "        if not reasoning and Emit.THOUGHTS in",
        ),
        providers=FRAMEWORKS,
    ),
    mutant(
        "the calls of a framework are not made sound",
        "TOOL-2",
        Edit(
            "if said.tool_calls == sound.tool_calls:",
            "if not said.invalid_tool_calls:",
        ),
        providers=("langgraph",),
    ),
    mutant(
        "the calls of a framework are not made sound",
        "TOOL-2",
        Edit('            item.arguments = sound["arguments"]\n', ""),
        providers=("openai-agents",),
    ),
    mutant(
        "what a framework was asked is asked once more",
        "EVT-1 TOOL-2",
        Edit("        self._asked |= {call.id: call for call in calls}\n", ""),
        providers=("openai-agents", "langgraph"),
    ),
    mutant(
        "a framework is told what it remembers",
        "TOOL-8 TOOL-4",
        Edit("        if compiled.checkpointer:\n", "        if not compiled:\n"),
        providers=("langgraph",),
    ),
)
