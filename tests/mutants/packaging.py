"""PKG: a package that cannot be installed, imported or read as it says."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

IMPORTED = (
    "try:\n"
    "    from openai import APIStatusError, AsyncOpenAI\n"
    "except ImportError as error:\n"
    "    raise ImportError(\n"
    '        "The client of the model API is missing. Install it with: "\n'
    "        \"pip install 'band-adapter-acme[acme]'\"\n"
    "    ) from error\n"
)
EXPORTS = "__all__, __getattr__ = lazy_exports("
TYPED_CONFIG = (
    "    from band_adapter_acme.adapter import (\n"
    "        AcmeAdapterConfig as AcmeAdapterConfig,\n"
    "    )\n"
)
MESSAGE_TYPE = "\nfrom band.core.types import MessageType\n"

MUTANTS = (
    mutant(
        "the package imports the adapter at once",
        "PKG-1",
        Edit(EXPORTS, f"import band_adapter_acme.adapter  # noqa: E402\n\n{EXPORTS}"),
    ),
    mutant(
        "a missing client is a bare error",
        "PKG-1",
        Edit(IMPORTED, "from openai import APIStatusError, AsyncOpenAI\n"),
        providers=("openai",),
    ),
    mutant(
        "a missing client is asked for by its own name",
        "PKG-1",
        Edit("pip install 'band-adapter-acme[acme]'", "pip install openai"),
        providers=("openai",),
    ),
    mutant(
        "the converter imports the client",
        "PKG-1",
        Edit(
            MESSAGE_TYPE,
            f"{MESSAGE_TYPE}from openai import AsyncOpenAI as AsyncOpenAI\n",
        ),
        providers=("openai",),
    ),
    mutant("type checkers miss an export", "PKG-2", Edit(TYPED_CONFIG, "")),
    mutant(
        "an export is unknown to type checkers",
        "PKG-2",
        Edit(
            '        "AcmeAdapterConfig",\n    ],',
            '        "AcmeAdapterConfig",\n        "Reply",\n    ],',
        ),
    ),
    mutant(
        "the list of exports is written by hand",
        "PKG-2",
        Edit(EXPORTS, '__all__ = ["AcmeAdapter"]\n_, __getattr__ = lazy_exports('),
    ),
    mutant(
        "any version of the SDK will do",
        "PKG-3",
        Edit('dependencies = ["band-sdk>=6.0.1,<7"]', 'dependencies = ["band-sdk"]'),
    ),
    mutant(
        "there are other dependencies",
        "PKG-3",
        Edit(
            'dependencies = ["band-sdk>=6.0.1,<7"]',
            'dependencies = ["band-sdk>=6.0.1,<7", "httpx>=0.28"]',
        ),
    ),
    mutant(
        "something is imported that is not required",
        "PKG-3",
        Edit(MESSAGE_TYPE, f"{MESSAGE_TYPE}import httpx\n"),
    ),
    mutant(
        "the extra is named after the provider",
        "PKG-3",
        Edit('acme = ["openai>=2,<4"]', 'openai = ["openai>=2,<4"]'),
        providers=("openai",),
    ),
    mutant(
        "any version of the client will do",
        "PKG-3",
        Edit('acme = ["openai>=2,<4"]', 'acme = ["openai"]'),
        providers=("openai",),
    ),
    mutant(
        "the extra is empty",
        "PKG-3",
        Edit('acme = ["openai>=2,<4"]', "acme = []"),
        providers=("openai",),
    ),
    mutant(
        "an import is not used",
        "PKG-4",
        Edit(
            "import logging\nimport os\n",
            "import logging\nimport math\nimport os\n",
        ),
    ),
    mutant(
        "the code is not formatted",
        "PKG-4",
        Edit(
            '        self._system_prompt = ""\n', "        self._system_prompt = ''\n"
        ),
    ),
    mutant(
        "a type is wrong",
        "PKG-4",
        Edit("def _find_key(self) -> str:", "def _find_key(self) -> int:"),
    ),
    mutant(
        "a module is imported within a function",
        "PKG-4",
        Edit(
            "def _without(secret: str, text: str) -> str:\n",
            "def _without(secret: str, text: str) -> str:\n    import math  # noqa: F401\n\n",
        ),
    ),
)
