"""Where the conformance tests meet this package; no other test file knows it."""

from __future__ import annotations

from band_adapter_openai import (
    OpenAIAdapter,
    OpenAIAdapterConfig,
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
    key_variable="OPENAI_API_KEY",
    settings={"max_retries": 0},
)
