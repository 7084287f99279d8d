"""TURN: a turn that ends without an answer, or with one that should not be posted."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

RELAY = 'relayed = await relay_reply(turn.tools, text, [{"id": sender}])'
REPLIED = "        if turn.tools.turn.replied:\n            return\n"
BROKEN_OFF = (
    "        if reply.stop in STOPS:\n"
    "            failure = AgentFailure(PROVIDER, STOPS[reply.stop], reply.stop)\n"
    "            await self._fail(turn, failure)\n"
)
KEPT = "        if relayed:\n            turn.messages += assistant_messages(text)\n"
DELIVERY = "            reraise_delivery_cause(error)\n"

MUTANTS = (
    mutant(
        "the final text is not posted",
        "TURN-1",
        Edit(RELAY, 'relayed = logger.info("%s", text)'),
        origin="common mistake: the agent answers, and nothing appears in the room",
    ),
    mutant(
        "a text in parts ends the turn",
        "TURN-1",
        Edit("_text(said.content)", 'said.content or ""'),
        providers=("openai",),
    ),
    mutant(
        "the sender is mentioned by a bare id",
        "TURN-1",
        Edit('[{"id": sender}]', "[sender]"),
        origin="sample adapter: a sender who is not in the roster gets no answer",
    ),
    mutant(
        "the closing text is posted in the contact hub",
        "TURN-1",
        Edit(
            "if is_contact_hub_turn(sender_type=turn.msg.sender_type, sender_id=sender):",
            'if turn.msg.sender_type == "Nobody":',
        ),
        origin="sample adapter: closing text fails every turn of the contact hub",
    ),
    mutant(
        "text after a reply is kept as the agent's words",
        "TURN-1",
        Edit(
            REPLIED,
            "        if turn.tools.turn.replied:\n"
            "            turn.messages += assistant_messages(reply.text)\n"
            "            return\n",
        ),
        origin="sample adapter: closing text that nobody read is kept",
    ),
    mutant("a posted reply is not kept", "TURN-1", Edit(KEPT, "")),
    mutant(
        "a reply may have half a character",
        "TURN-1",
        Edit("text = sendable(reply.text)", "text = reply.text"),
    ),
    mutant(
        "text beside a call is posted",
        "TURN-1",
        Edit(
            "            if _declined(answers):\n",
            '            mention = [{"id": turn.msg.sender_id}]\n'
            "            await relay_reply(turn.tools, reply.text, mention)\n"
            "            if _declined(answers):\n",
        ),
    ),
    mutant(
        "text beside declining is posted",
        "TURN-1",
        Edit(
            "            if _declined(answers):\n",
            "            if _declined(answers):\n"
            '                mention = [{"id": turn.msg.sender_id}]\n'
            "                await turn.tools.send_message(reply.text, mention)\n",
        ),
    ),
    mutant(
        "silence is reported by the adapter too",
        "TURN-2",
        Edit(
            KEPT,
            KEPT + "        elif not turn.tools.turn.complete:\n"
            '            failure = AgentFailure(PROVIDER, "No reply.", "no_reply")\n'
            "            await turn.tools.send_failure(failure)\n",
        ),
    ),
    mutant(
        "silence is filled with words of the adapter's",
        "TURN-2",
        Edit("turn.tools, text, [", 'turn.tools, text.strip() or "Done.", ['),
    ),
    mutant(
        "a failed delivery is a failure of the model",
        "TURN-3",
        Edit(
            DELIVERY,
            '            failure = AgentFailure(PROVIDER, str(error), "delivery")\n'
            "            await self._fail(turn, failure)\n",
        ),
    ),
    mutant(
        "a failed delivery is only logged",
        "TURN-3",
        Edit(
            DELIVERY,
            '            logger.warning("Not delivered: %s", error)\n            return\n',
        ),
    ),
    mutant(
        "a failed delivery hides its cause",
        "TURN-3",
        Edit(DELIVERY, "            raise RuntimeError(str(error)) from error\n"),
    ),
    mutant(
        "a cut text is posted as if it were finished",
        "TURN-4",
        Edit(BROKEN_OFF, ""),
        origin="sample adapter: finish reasons are not looked at",
    ),
    mutant(
        "a filtered answer is silence",
        "TURN-4",
        Edit(
            '    "content_filter": "The model\'s answer was held back by a content filter.",\n',
            "",
        ),
    ),
    mutant(
        "an answer broken off after the reply fails the turn",
        "TURN-4",
        Edit(REPLIED + BROKEN_OFF, BROKEN_OFF + REPLIED),
    ),
    mutant(
        "an answer without a choice is an error in the adapter",
        "TURN-4",
        Edit("if not response.choices:", "if response.choices is None:"),
        origin="sample adapter: an empty list of choices is an error",
        providers=("openai",),
    ),
    mutant(
        "an answer that is cut in a service's own words is posted",
        "TURN-4",
        Edit(
            "CUT_OFF.get(choice.finish_reason, choice.finish_reason)",
            "choice.finish_reason",
        ),
        providers=("openai",),
    ),
    mutant(
        "an answer that is cut in a model's own words is posted",
        "TURN-4",
        Edit("CUT_OFF.get(reason, reason)", "reason"),
        providers=("langgraph",),
    ),
    mutant(
        "a refusal is silence",
        "TURN-4",
        Edit("text=said.refusal or _text(", "text=_text("),
        origin="sample adapter: a refusal is read as silence",
        providers=("openai",),
    ),
    mutant(
        "an answer without a choice is silence",
        "TURN-4",
        Edit('    "no_answer": "The model returned no answer.",\n', ""),
        providers=("custom",),
    ),
)
