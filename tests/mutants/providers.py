"""Mutants of what is particular to one model API."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

ANTHROPIC = ("anthropic",)
RESPONSES = ("openai-responses",)
GEMINI = ("gemini",)

MUTANTS = (
    mutant(
        "a conversation that the agent began is sent as it is",
        "HIST-4 HIST-3",
        Edit(
            "        if messages and not starts_turn(messages[0]):\n"
            '            messages.insert(0, user_message("…"))\n',
            "",
        ),
        providers=ANTHROPIC + GEMINI,
    ),
    mutant(
        "a failed call is not marked",
        "TOOL-2 TOOL-3 HIST-3",
        Edit(
            '            "is_error": answer.is_error,\n        }\n        for',
            "        }\n        for",
        ),
        providers=ANTHROPIC,
    ),
    mutant(
        "odd ids that repeat are let through",
        "TOOL-2",
        Edit("api_id(call.id) not in taken", "call.id not in taken"),
        Edit("taken.add(api_id(call_id))", "taken.add(call_id)"),
        providers=ANTHROPIC,
    ),
    mutant(
        "the thinking is not sent back",
        "EVT-4",
        Edit(
            'for block in raw or [{"type": "text", "text": text}, *made]',
            'for block in [{"type": "text", "text": text}, *made]',
        ),
        providers=ANTHROPIC,
    ),
    mutant(
        "calls keep the ids and names that the API gave",
        "TOOL-2",
        Edit(
            'block | next(left) if block["type"] == "tool_use" else block',
            "block",
        ),
        providers=ANTHROPIC,
    ),
    mutant(
        "half an answer before a refusal is posted",
        "TURN-4",
        Edit('    "refusal": "content_filter",\n', ""),
        providers=ANTHROPIC,
    ),
    mutant(
        "a pause is the end of the turn",
        "TURN-1",
        Edit('if reply.stop == "pause":', 'if reply.stop == "pause_turn":'),
        providers=ANTHROPIC,
    ),
    mutant(
        "a model that paused is asked afresh",
        "TURN-1",
        Edit("messages = [*turn.messages, *turn.paused]", "messages = turn.messages"),
        providers=ANTHROPIC,
    ),
    mutant(
        "pauses are kept without calls",
        "TURN-1 HIST-5",
        Edit(
            "turn.paused += assistant_messages(", "turn.messages += assistant_messages("
        ),
        providers=ANTHROPIC,
    ),
    mutant(
        "a pause is forgotten once the model calls a tool",
        "TURN-1 HIST-5",
        Edit("            turn.messages += turn.paused\n", ""),
        providers=ANTHROPIC,
    ),
    mutant(
        "a pause is sent back twice once the model calls a tool",
        "TURN-1 HIST-5",
        Edit("            turn.paused = []\n", ""),
        providers=ANTHROPIC,
    ),
    mutant(
        "half an answer before a failure is posted",
        "FAIL-1",
        Edit("if response.error:", "if response.error and not response.output:"),
        providers=RESPONSES,
    ),
    mutant(
        "answers are stored",
        "TOOL-2 TURN-1",
        Edit('"store": False,', '"store": True,'),
        providers=RESPONSES,
    ),
    mutant(
        "reasoning is not asked for",
        "TOOL-2 HIST-5",
        Edit('            "include": ["reasoning.encrypted_content"],\n', ""),
        providers=RESPONSES,
    ),
    mutant(
        "tools are nested as for Chat Completions",
        "FEAT-3 FEAT-4",
        Edit('[{**flat, **schema["function"]} for schema in schemas]', "schemas"),
        providers=RESPONSES,
    ),
    mutant(
        "reasoning is not sent back",
        "EVT-4 TOOL-2",
        Edit(
            "assistant_messages(reply.text, calls, reply.raw)",
            "assistant_messages(reply.text, calls)",
        ),
        providers=RESPONSES,
    ),
    mutant(
        "reasoning outlives its turn",
        "TOOL-2 EVT-4",
        Edit(
            'if "role" in m or "call_id" in m)',
            'if m.get("type") != "web_search_call")',
        ),
        providers=RESPONSES,
    ),
    mutant(
        "what the API ran itself outlives its turn",
        "CFG-6",
        Edit('if "role" in m or "call_id" in m)', 'if m.get("type") != "reasoning")'),
        providers=RESPONSES,
    ),
    mutant(
        "ids outlive their reasoning",
        "TOOL-2 HIST-7",
        Edit(
            '[{key: m[key] for key in m if key != "id"} for m in lasting]',
            "list(lasting)",
        ),
        providers=RESPONSES,
    ),
    mutant(
        "a refusal is silence",
        "TURN-4",
        Edit(
            '[p.refusal if p.type == "refusal" else p.text for p in parts]',
            '[p.text for p in parts if p.type == "output_text"]',
        ),
        providers=RESPONSES,
    ),
    mutant(
        "an answer that is cut passes for a whole one",
        "TURN-4",
        Edit('if response.status == "incomplete":', 'if response.status == "failed":'),
        providers=RESPONSES,
    ),
    mutant(
        "signatures are not sent back",
        "TOOL-2 HIST-5",
        Edit(
            "in p else p for p in raw or said]",
            "in p else p for p in raw or said]\n"
            '    parts = [{k: p[k] for k in p if k != "thoughtSignature"} for p in parts]',
        ),
        providers=GEMINI,
    ),
    mutant(
        "roles do not take turns",
        "HIST-4 HIST-5",
        Edit("contents: Any = _alternating(messages)", "contents: Any = messages"),
        providers=GEMINI,
    ),
    mutant(
        "a prompt that is blocked is silence",
        "TURN-4",
        Edit(' or "blockReason" in answer.get("promptFeedback", {})', ""),
        providers=GEMINI,
    ),
    mutant(
        "an answer that is not safe is an answer that is missing",
        "TURN-4",
        Edit('_FILTERS = ("SAFETY", ', "_FILTERS = ("),
        providers=GEMINI,
    ),
    mutant(
        "bounds of numbers are kept",
        "FEAT-5",
        Edit("drop_numeric_bounds=True", "drop_numeric_bounds=False"),
        providers=GEMINI,
    ),
    mutant(
        "tokens of thoughts do not count",
        "EVT-3",
        Edit('            reasoning="thoughtsTokenCount",\n', ""),
        providers=GEMINI,
    ),
    mutant(
        "a failed call passes for a result",
        "TOOL-3",
        Edit('"error" if answer.is_error else "output"', '"output"'),
        providers=GEMINI,
    ),
    mutant(
        "the address of the API is fixed",
        "CFG-5",
        Edit("_address(self.config.base_url)", '_address("http://127.0.0.1:9")'),
        providers=GEMINI,
    ),
    mutant(
        "one request has no second try",
        "FAIL-3",
        Edit("attempts=self.config.max_retries + 1", "attempts=1"),
        providers=GEMINI,
    ),
)
