"""Where the conformance tests meet this package; no other test file knows it."""

from __future__ import annotations

from band_adapter_openai.adapter import (
    OpenAIAdapter,
    OpenAIAdapterConfig,
)
from band_adapter_openai.converter import (
    OpenAIHistoryConverter,
)
from tests.support.subject import Subject

SUBJECT = Subject(
    adapter=OpenAIAdapter,
    config=OpenAIAdapterConfig,
    converter=OpenAIHistoryConverter,
    package="band_adapter_openai",
    distribution="band-adapter-openai",
    extra="openai",
    requires=("openai",),
    emit=frozenset(
        {
            "tool_calls",
            "thoughts",
            "task_events",
            "usage",
        }
    ),
    capabilities=frozenset(
        {
            "memory",
            "contacts",
            "files",
            "tasks",
        }
    ),
    key_variable="OPENAI_API_KEY",
    settings={"max_retries": 0},
    options=[
        {"temperature": 0.2},
    ],
)
