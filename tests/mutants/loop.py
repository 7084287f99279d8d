"""TOOL: a loop that ends too early, too late, or in silence."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

ROUNDS = "for number in range(1, self.config.max_tool_rounds + 1):"
NO_MORE_ROUNDS = (
    'await self._fail(turn, AgentFailure(PROVIDER, text, "max_tool_rounds"))'
)
AT_THE_BOUND = (
    "        if not turn.tools.turn.replied:\n"
    "            rounds = self.config.max_tool_rounds\n"
)

MUTANTS = (
    mutant(
        "an answer with another finish reason is no tool step",
        "TOOL-1",
        Edit("if not reply.calls:", "if not reply.calls or reply.stop:"),
    ),
    mutant(
        "only the finish reason makes a tool step",
        "TOOL-1",
        Edit(
            "for call in said.tool_calls or ()",
            "for call in said.tool_calls or ()\n"
            '            if choice.finish_reason == "tool_calls"',
        ),
        providers=("openai",),
    ),
    mutant(
        "an answer without calls does not end the loop",
        "TOOL-1",
        Edit(
            "                await self._finish(turn, reply)\n                return\n",
            "                await self._finish(turn, reply)\n",
        ),
    ),
    mutant(
        "the loop is not bounded",
        "TOOL-5",
        Edit(ROUNDS, "for number in range(1, 1_000_000):"),
    ),
    mutant("the bound is fixed", "TOOL-5", Edit(ROUNDS, "for number in range(1, 11):")),
    mutant(
        "the bound is one round short",
        "TOOL-5",
        Edit(ROUNDS, "for number in range(1, self.config.max_tool_rounds):"),
    ),
    mutant(
        "the bound is met in silence",
        "TOOL-5",
        Edit(NO_MORE_ROUNDS, "logger.warning(text)"),
    ),
    mutant(
        "the bound is an error that the room is not told",
        "TOOL-5",
        Edit(NO_MORE_ROUNDS, "raise RuntimeError(text)"),
        origin="sample adapter: the round limit is not reported",
    ),
    mutant(
        "the bound fails a turn that has replied",
        "TOOL-5",
        Edit(
            AT_THE_BOUND,
            "        if turn.messages:\n"
            "            rounds = self.config.max_tool_rounds\n",
        ),
        origin="sample adapter: a turn that replied fails at the round limit",
    ),
    mutant(
        "the model is asked again after it declined",
        "TOOL-6",
        Edit("            if _declined(answers):\n                return\n", ""),
        origin="sample adapter: the model is asked again after it declined",
    ),
    mutant(
        "declining hides the failure of another call",
        "TOOL-6",
        Edit(" and not any(a.is_error for a in answers)", ""),
    ),
    mutant(
        "a reply ends the loop",
        "TOOL-6",
        Edit(
            "if _declined(answers):",
            "if _declined(answers) or turn.tools.turn.replied:",
        ),
    ),
)
