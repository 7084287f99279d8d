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
    # Once model.py imports a client, name here what the extra brings: ("httpx",).
    requires=(),
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
    key_variable="ACME_API_KEY",
    replace={
        "band_adapter_acme.adapter.AcmeFramework": connect,
    },
    manners=("plain", "swallows", "hangs", "threads"),
    inapplicable={
        "TOOL-1": "the framework decides what of a model's answer is a tool step",
        "CFG-6": "the framework is yours, and so is what its requests have",
        "FAIL-3": "the framework is yours, and so is what it does about retries",
    },
)
