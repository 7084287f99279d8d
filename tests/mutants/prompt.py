"""SYS: a model that is told too little, or too often."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

RENDERED = (
    "render_system_prompt(\n"
    "            agent_name=agent_name,\n"
    "            agent_description=agent_description,\n"
    "            custom_section=self.config.custom_section,\n"
    "            features=self.features,\n"
    "        )"
)
HEARD = "heard = sendable(with_system_updates(msg.format_for_llm(), *room.owed))"
OWED = (
    "            if update and update not in room.owed:\n"
    "                room.owed.append(update)\n"
)

MUTANTS = (
    mutant(
        "the prompt is the author's own",
        "SYS-1",
        Edit(RENDERED, 'f"You are {agent_name}. {self.config.custom_section}"'),
        origin="common mistake: the prompt is not the SDK's",
    ),
    mutant(
        "the prompt leaves out the custom section",
        "SYS-1",
        Edit("            custom_section=self.config.custom_section,\n", ""),
    ),
    mutant(
        "the prompt does not know the features",
        "SYS-1",
        Edit("            features=self.features,\n        )", "        )"),
    ),
    mutant(
        "the prompt may have half a character",
        "SYS-1",
        Edit("self._system_prompt = sendable(prompt)", "self._system_prompt = prompt"),
    ),
    mutant(
        "the base class does not hear of the start",
        "SYS-1",
        Edit("await super().on_started(agent_name, agent_description)", "pass"),
    ),
    mutant(
        "the prompt is a user's message",
        "SYS-1",
        Edit(
            '{"role": "system", "content": self._system',
            '{"role": "user", "content": self._system',
        ),
        providers=("openai",),
    ),
    mutant(
        "the prompt is sent with the first request only",
        "SYS-1",
        Edit(
            '[{"role": "system", "content": self._system_prompt}, *messages]',
            "messages\n"
            "            if len(messages) > 1\n"
            '            else [{"role": "system", "content": self._system_prompt}, *messages]',
        ),
        providers=("openai",),
    ),
    mutant(
        "the prompt is sent with the first request only",
        "SYS-1",
        Edit(
            "model.complete(self._system_prompt,",
            'model.complete("" if len(messages) > 1 else self._system_prompt,',
        ),
        providers=("custom",),
    ),
    mutant("updates are ignored", "SYS-2", Edit(HEARD, "heard = msg.format_for_llm()")),
    mutant(
        "updates of contacts are ignored",
        "SYS-2",
        Edit("(participants_msg, contacts_msg):", "(participants_msg,):"),
    ),
    mutant(
        "updates come after the message",
        "SYS-2",
        Edit(
            HEARD,
            'updates = [f"[System]: {update}" for update in room.owed]\n'
            '        heard = "\\n\\n".join([msg.format_for_llm(), *updates])',
        ),
    ),
    mutant(
        "updates are told in every turn",
        "SYS-2",
        Edit("            room.owed.clear()\n", ""),
    ),
    mutant(
        "updates of a failed turn are lost",
        "SYS-2",
        Edit(HEARD, f"{HEARD}\n        room.owed.clear()"),
    ),
    mutant(
        "only the newest updates are owed",
        "SYS-2",
        Edit(
            "        for update in (participants_msg, contacts_msg):\n" + OWED,
            "        if news := [one for one in (participants_msg, contacts_msg) if one]:\n"
            "            room.owed = news\n",
        ),
    ),
    mutant(
        "an update that comes again is owed twice",
        "SYS-2",
        Edit("if update and update not in room.owed:", "if update:"),
    ),
    mutant(
        "the message has no sender",
        "SYS-3",
        Edit(HEARD, "heard = with_system_updates(msg.content, *room.owed)"),
    ),
    mutant(
        "a message may have half a character",
        "SYS-3",
        Edit(HEARD, "heard = with_system_updates(msg.format_for_llm(), *room.owed)"),
    ),
)
