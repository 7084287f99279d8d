"""CFG: an adapter that is hard to make, or that holds what is not its own."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

CONFIG_FIRST = "        config: AcmeAdapterConfig | None = None,\n        *,\n"
CONVERTER = "        history_converter: AcmeHistoryConverter | None = None,\n"
KEY_FIELD = "provider_key: str | None = Field(default=None, repr=False)"
LAST_OF_INIT = "        self._rooms: dict[str, _Room] = {}\n"
FIND_KEY = (
    'return self.config.provider_key or os.getenv(self.config.provider_key_env, "")'
)
PYDANTIC = "from pydantic import Field, PositiveInt\n"

MUTANTS = (
    mutant(
        "the config is a keyword too",
        "CFG-1",
        Edit(
            CONFIG_FIRST,
            "        *,\n        config: AcmeAdapterConfig | None = None,\n",
        ),
    ),
    mutant(
        "the converter can be given by position",
        "CFG-1",
        Edit(f"        *,\n{CONVERTER}", f"{CONVERTER}        *,\n"),
    ),
    mutant(
        "the config has to be given",
        "CFG-1",
        Edit("config: AcmeAdapterConfig | None = None,", "config: AcmeAdapterConfig,"),
    ),
    mutant(
        "the caller's converter is ignored",
        "CFG-1",
        Edit(
            "        if history_converter is None:\n"
            "            history_converter = AcmeHistoryConverter()",
            "        history_converter = AcmeHistoryConverter()",
        ),
    ),
    mutant(
        "the key is part of the repr",
        "CFG-2",
        Edit(KEY_FIELD, "provider_key: str | None = None"),
    ),
    mutant(
        "the key is lost in JSON",
        "CFG-2",
        Edit(PYDANTIC, "from pydantic import Field, PositiveInt, SecretStr\n"),
        Edit(KEY_FIELD, "provider_key: SecretStr | None = None"),
        Edit(
            FIND_KEY,
            "key = self.config.provider_key\n"
            "        return key.get_secret_value() if key else "
            'os.getenv(self.config.provider_key_env, "")',
        ),
    ),
    mutant(
        "the config is not one of the SDK's",
        "CFG-2",
        Edit(PYDANTIC, "from pydantic import BaseModel, Field, PositiveInt\n"),
        Edit("AcmeAdapterConfig(BaseAdapterConfig)", "AcmeAdapterConfig(BaseModel)"),
    ),
    mutant(
        "the config can be changed",
        "CFG-2",
        Edit(
            '    provider_key_env: str = "',
            '    model_config = {"frozen": False}\n    provider_key_env: str = "',
        ),
    ),
    mutant(
        "a misspelt setting is ignored",
        "CFG-2",
        Edit(
            '    provider_key_env: str = "',
            '    model_config = {"extra": "ignore"}\n    provider_key_env: str = "',
        ),
    ),
    mutant(
        "the client is made at construction",
        "CFG-3",
        Edit(LAST_OF_INIT, f"{LAST_OF_INIT}        self._ensure_LIVE()\n"),
        origin="sample adapter: building it needs the key",
    ),
    mutant(
        "the key is read at construction",
        "CFG-3",
        Edit(
            LAST_OF_INIT,
            f"{LAST_OF_INIT}"
            '        self._env_key = os.getenv(self.config.provider_key_env, "")\n',
        ),
        Edit(FIND_KEY, "return self.config.provider_key or self._env_key"),
    ),
    mutant(
        "a missing key is not noticed",
        "CFG-3",
        Edit("key=self._key(),", "key=self._find_key(),"),
    ),
    mutant(
        "the error of a missing key names no variable",
        "CFG-3",
        Edit(
            'f"No API key: set the environment variable {self.config.provider_key_env}, "',
            '"No API key: set the environment variable of the key, "',
        ),
    ),
    mutant(
        "the environment's key wins over the config's",
        "CFG-3",
        Edit(
            FIND_KEY,
            'return os.getenv(self.config.provider_key_env) or self.config.provider_key or ""',
        ),
    ),
    mutant(
        "the variable of the key is fixed",
        "CFG-3",
        Edit("os.getenv(self.config.provider_key_env", 'os.getenv("OPENAI_API_KEY"'),
        providers=("openai",),
    ),
    mutant(
        "the caller's client is closed",
        "CFG-4",
        Edit(
            "own, self._own_LIVE = self._own_LIVE, None",
            "own, self._own_LIVE = self._LIVE or self._own_LIVE, None",
        ),
    ),
    mutant(
        "the caller's client is not used",
        "CFG-4",
        Edit(
            "        if self._LIVE is not None:\n            return self._LIVE\n",
            "",
        ),
    ),
    mutant(
        "the adapter's own client is never closed",
        "CFG-4",
        Edit("        if own is not None:\n            await own.close()\n", ""),
        origin="sample adapter: its client is never closed",
    ),
    mutant(
        "a closed client is kept for the next start",
        "CFG-4",
        Edit("own, self._own_LIVE = self._own_LIVE, None", "own = self._own_LIVE"),
        # Where aiohttp is installed, its client opens again by itself.
        harmless=("gemini",),
    ),
    mutant(
        "each request makes a client",
        "CFG-4",
        Edit("        if self._own_LIVE is None:\n    ", "        if True:\n    "),
        providers=("custom",),
    ),
    mutant(
        "leaving a room closes the client",
        "CFG-4 ROOM-2",
        Edit(
            "        self._rooms.pop(room_id, None)\n",
            "        self._rooms.pop(room_id, None)\n        await self.cleanup_all()\n",
        ),
    ),
    mutant(
        "the base URL is fixed",
        "CFG-5",
        Edit("base_url=self.config.base_url,", 'base_url="http://127.0.0.1:9/v1",'),
        providers=(
            "openai",
            "openai-responses",
            "anthropic",
            "openai-agents",
            "langgraph",
        ),
    ),
    mutant(
        "the configuration does not reach the model",
        "CFG-5",
        Edit("config=self.config,", "config=AcmeAdapterConfig(),"),
        providers=("custom", "custom-framework"),
    ),
    mutant(
        "the host's options are not sent",
        "CFG-6",
        Edit("            **self.config.request_options,\n", ""),
        providers=("openai", "openai-responses", "anthropic", "gemini", "langgraph"),
    ),
    mutant(
        "the host's options are not given to the agent",
        "CFG-6",
        Edit("ModelSettings(**self.config.request_options)", "ModelSettings()"),
        providers=("openai-agents",),
    ),
    mutant(
        "tools that the API runs itself give way to the room's",
        "CFG-6",
        Edit('[*request.pop("tools", ()), ', "["),
        providers=("openai-responses", "anthropic"),
    ),
    mutant(
        "tools that the API runs itself give way to the room's",
        "CFG-6",
        Edit('[*config.get("tools", ()), offered]', "[offered]"),
        providers=("gemini",),
    ),
)
