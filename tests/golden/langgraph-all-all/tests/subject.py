"""Where the conformance tests meet this package; no other test file knows it."""

from __future__ import annotations

from band_adapter_acme.adapter import (
    AcmeAdapter,
    AcmeAdapterConfig,
)
from band_adapter_acme.converter import (
    AcmeHistoryConverter,
)
from tests.support.subject import Subject
from tests.support.wire import connect

SUBJECT = Subject(
    adapter=AcmeAdapter,
    config=AcmeAdapterConfig,
    converter=AcmeHistoryConverter,
    package="band_adapter_acme",
    distribution="band-adapter-acme",
    extra="acme",
    requires=("langgraph", "langchain", "langchain_core", "langchain_openai", "openai"),
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
    replace={"band_adapter_acme.adapter.ChatOpenAI": connect},
    manners=("plain", "factory", "remembers"),
    inapplicable={
        "TOOL-1": "the framework decides what of a model's answer is a tool step",
    },
)
