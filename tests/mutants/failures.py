"""FAIL: a failure that nobody hears of, or that tells too much."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

TELL = "        await turn.tools.send_failure(failure)\n"
RAISE = 'raise ProviderRunError(failure.code or "provider_error")'
ANY_ERROR = "except Exception as error:  # noqa: BLE001 -- each client"
GENERIC = "return generic_provider_failure(PROVIDER, error)"
DETAILS = "details = _without(secret, str(error))"
FAILURE = (
    "            failure = _failure(error, secret=self._secret(LIVE))\n"
    "        await self._fail(turn, failure)\n"
)

HTTP = ("openai", "openai-responses", "anthropic", "openai-agents", "langgraph")

MUTANTS = (
    mutant(
        "a failure is not told to the room",
        "FAIL-1",
        Edit(TELL, ""),
        origin="sample adapter: a failed request gives no reason",
    ),
    mutant("a failure is told twice", "FAIL-1", Edit(TELL, TELL + TELL)),
    mutant(
        "a failed turn passes for one that was answered",
        "FAIL-1",
        Edit(
            '            await self._report_turn(tools, "failed")\n            raise\n',
            '            await self._report_turn(tools, "failed")\n',
        ),
    ),
    mutant(
        "the API's own message is not told",
        "FAIL-1",
        Edit("    if answer is None:\n", "    if answer is None or secret:\n"),
    ),
    mutant(
        "any exception's text is told to the room",
        "FAIL-1 FAIL-2",
        Edit(GENERIC, 'return AgentFailure(PROVIDER, str(error), "error")'),
    ),
    mutant(
        "only a refusal by the API counts as a failure",
        "FAIL-1",
        Edit(ANY_ERROR, ANY_ERROR.replace("Exception", "APIStatusError")),
        providers=("openai",),
    ),
    mutant(
        "only a refusal by the API counts as a failure",
        "FAIL-1",
        Edit(ANY_ERROR, ANY_ERROR.replace("Exception", "ModelError")),
        providers=("custom",),
    ),
    mutant(
        "a failure is raised with its message",
        "FAIL-1",
        Edit(RAISE, "raise RuntimeError(failure.message)"),
    ),
    mutant(
        "the key is told to the room",
        "FAIL-2",
        Edit("line = _without(secret, message)", "line = message"),
    ),
    mutant(
        "the server's paths are told to the room",
        "FAIL-2",
        Edit("{_PRIVATE.sub('…', line)}", "{line}"),
    ),
    mutant(
        "all lines of a message are told to the room",
        "FAIL-2",
        Edit('.strip().partition("\\n")[0]', ".strip()"),
    ),
    mutant(
        "a message of any length is told to the room",
        "FAIL-2",
        Edit(
            "AgentFailure(PROVIDER, _cut(text, 500), str(status))",
            "AgentFailure(PROVIDER, text, str(status))",
        ),
    ),
    mutant("the key is in the log", "FAIL-2", Edit(DETAILS, "details = str(error)")),
    mutant(
        "the log has the whole traceback",
        "FAIL-2",
        Edit(
            "type(error).__name__, details)",
            "type(error).__name__, details, exc_info=error)",
        ),
    ),
    mutant(
        "the key is in the cause of what is raised",
        "FAIL-2",
        Edit(FAILURE, FAILURE.replace("        await", "            await")),
    ),
    mutant(
        "the key is looked for in the config only",
        "FAIL-2",
        Edit(
            "        return client.api_key\n",
            '        return self.config.provider_key or ""\n',
        ),
        providers=("openai",),
    ),
    mutant(
        "the key is looked for in the config only",
        "FAIL-2",
        Edit(
            "        return self._find_key()\n",
            '        return self.config.provider_key or ""\n',
        ),
        providers=("custom",),
    ),
    mutant(
        "the key of a client of the caller's is not known",
        "FAIL-2",
        Edit("return client.api_key\n", "return self._find_key()\n"),
        providers=("openai", "openai-responses"),
    ),
    mutant(
        "the key of a client of the caller's is not known",
        "FAIL-2",
        Edit(
            'return client.api_key or client.auth_token or ""',
            "return self._find_key()",
        ),
        providers=("anthropic",),
    ),
    mutant(
        "the key of a client of the caller's is not known",
        "FAIL-2",
        Edit(
            "return key if isinstance(key, str) else self._find_key()",
            "return self._find_key()",
        ),
        providers=("gemini", "openai-agents"),
    ),
    mutant(
        "the key of a client of the caller's is not known",
        "FAIL-2",
        Edit("return next(keys, self._find_key())", "return self._find_key()"),
        providers=("langgraph",),
    ),
    mutant(
        "retries are switched off",
        "FAIL-3",
        Edit("max_retries=self.config.max_retries,", "max_retries=0,"),
        providers=HTTP,
    ),
    mutant(
        "retries are off by default",
        "FAIL-3",
        Edit(
            "max_retries: int = Field(default=2, ge=0)",
            "max_retries: int = Field(default=0, ge=0)",
        ),
        providers=HTTP,
    ),
    mutant(
        "retries cannot be set",
        "FAIL-3",
        Edit("                max_retries=self.config.max_retries,\n", ""),
        providers=HTTP,
    ),
)
