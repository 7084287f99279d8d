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

SUBJECT = Subject(
    adapter=AcmeAdapter,
    config=AcmeAdapterConfig,
    converter=AcmeHistoryConverter,
    package="band_adapter_acme",
    distribution="band-adapter-acme",
    extra="acme",
    requires=("anthropic",),
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
    key_variable="ANTHROPIC_API_KEY",
    settings={"max_retries": 0},
    options=[
        {"thinking": {"type": "adaptive"}},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
    ],
    goes_on=("call", "pause"),
)
