"""What can be chosen: patterns, providers, kinds, licenses. One table each.

The texts are those of the questions in copier.yml; a test holds both together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PATTERNS: Mapping[int, str] = {
    1: "The framework (it calls the tools itself, and gets Band's as its own)",
    2: ("The adapter (a model API answers with tool calls, the adapter executes them)"),
}

EMIT: Mapping[str, str] = {
    "tool_calls": "Each tool call and its result (a restarted agent rebuilds them)",
    "thoughts": "The model's reasoning text",
    "task_events": "Start, progress and end of a turn",
    "usage": "Tokens used, once a turn",
}

CAPABILITIES: Mapping[str, str] = {
    "memory": "Memories that outlive a room",
    "contacts": "Contacts and contact requests",
    "files": "Files in the room, images included",
    "tasks": "The room's shared task board",
}

LICENSES: Mapping[str, str] = {
    "MIT": "MIT",
    "Apache-2.0": "Apache 2.0",
    "none": "None (all rights reserved)",
}


@dataclass(frozen=True, slots=True)
class Provider:
    """A model API, and what an adapter for it is made of and can do.

    `requirement` is what the adapter's extra installs ("" for nothing), and
    `key_variable` the environment variable that holds the key ("" for none of
    its own). `refused` says of each emit kind and capability that cannot be had
    from this provider why not; everything else is offered.

    `beside` is about extras of band-sdk that do not go with every version that
    is supported: what they need, and which extras they are. Each goes with some,
    so there is none that an adapter cannot be installed beside.
    """

    key: str
    title: str
    pattern: int
    requirement: str
    versions: str
    key_variable: str
    refused: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def emit(self) -> tuple[str, ...]:
        return tuple(kind for kind in EMIT if kind not in self.refused)

    @property
    def capabilities(self) -> tuple[str, ...]:
        return tuple(kind for kind in CAPABILITIES if kind not in self.refused)


_NEED_OPENAI_2 = ("crewai", "nooa", "strands", "dev-crewai", "dev-strands-nooa")
_NEED_OPENAI_3 = ("pydantic-ai", "dev", "dev-parlant")
_BESIDE_OPENAI = {"openai<3": _NEED_OPENAI_2, "openai>=3.26": _NEED_OPENAI_3}

PROVIDERS: Mapping[str, Provider] = {
    provider.key: provider
    for provider in (
        Provider(
            key="openai",
            title="OpenAI Chat Completions, and every service that speaks it",
            pattern=2,
            requirement="openai>=2,<4",
            versions="openai 2 and 3",
            key_variable="OPENAI_API_KEY",
            beside=_BESIDE_OPENAI,
        ),
        Provider(
            key="openai-responses",
            title="OpenAI Responses",
            pattern=2,
            requirement="openai>=2,<4",
            versions="openai 2 and 3",
            key_variable="OPENAI_API_KEY",
            beside=_BESIDE_OPENAI,
        ),
        Provider(
            key="anthropic",
            title="Anthropic Messages",
            pattern=2,
            requirement="anthropic>=1,<3",
            versions="anthropic 1 and 2",
            key_variable="ANTHROPIC_API_KEY",
            beside={
                "anthropic<2": (
                    "anthropic",
                    "dev",
                    "dev-crewai",
                    "dev-parlant",
                    "dev-strands-nooa",
                )
            },
        ),
        Provider(
            key="gemini",
            title="Google Gemini",
            pattern=2,
            requirement="google-genai>=1.75,<4",
            versions="google-genai 1.75 to 3",
            key_variable="GEMINI_API_KEY",
            beside={"google-genai<3": ("google-adk",), "google-genai<2": ("dev",)},
        ),
        Provider(
            key="custom",
            title="Another API, reached through one class that you write",
            pattern=2,
            requirement="",
            versions="any",
            key_variable="",
        ),
        Provider(
            key="openai-agents",
            title="OpenAI Agents SDK, with an agent of yours or one that is made",
            pattern=1,
            requirement="openai>=2.45,<4, openai-agents>=0.19,<0.25",
            versions="openai-agents 0.19 to 0.24",
            key_variable="OPENAI_API_KEY",
            beside={
                "openai<3, openai-agents<0.21": _NEED_OPENAI_2,
                "openai>=3.26, openai-agents>=0.21": _NEED_OPENAI_3,
            },
        ),
        Provider(
            key="langgraph",
            title="LangGraph, with a graph of yours, a chat model, or an agent that is made",
            pattern=1,
            requirement=(
                "langgraph>=1.1.5,<2, langchain>=1.2.12,<2, langchain-core>=1.2.10,<2, "
                "langchain-openai>=1.1,<2, openai>=2,<4"
            ),
            versions="langgraph 1.1 and 1.2, with langchain 1",
            key_variable="OPENAI_API_KEY",
            beside=_BESIDE_OPENAI,
        ),
        Provider(
            key="custom-framework",
            title="Another framework, reached through one class that you write",
            pattern=1,
            requirement="",
            versions="any",
            key_variable="",
        ),
    )
}

DEFAULT_PATTERN = 2
DEFAULT_PROVIDERS: Mapping[int, str] = {1: "custom-framework", 2: "openai"}
"""What is made where the pattern alone is known."""

DEFAULT_LICENSE = "MIT"

_WORDS = (
    "ADK",
    "AI",
    "AI21",
    "API",
    "AutoGen",
    "AWS",
    "CrewAI",
    "DeepSeek",
    "DSPy",
    "GPT",
    "HTTP",
    "HuggingFace",
    "LangChain",
    "LangGraph",
    "LiteLLM",
    "LlamaIndex",
    "LLM",
    "LMStudio",
    "MCP",
    "MistralAI",
    "OpenAI",
    "OpenRouter",
    "PydanticAI",
    "SambaNova",
    "SDK",
    "SGLang",
    "SmolAgents",
    "VLLM",
    "WatsonX",
    "XAI",
)
SPELLINGS: Mapping[str, str] = {word.lower(): word for word in _WORDS}
"""How words are written that are not simply capitalised."""


def class_prefix(name: str) -> str:
    """The usual spelling of `name` (snake_case) at the head of a class name."""
    whole = SPELLINGS.get(name.replace("_", ""))
    words = name.split("_")
    return whole or "".join(SPELLINGS.get(w, w.capitalize()) for w in words)
