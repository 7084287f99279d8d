"""HIST-4: whatever happened in a room, the model can be told of it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.model import text_faults
from tests.support.subject import Subject
from tests.support.wire import faults, read

NAMES = st.sampled_from(["Tester", "Alice", "Bob Bot", "Dr. <|\\/> O", "", None])
HALF = "\ud83d"  # of a smiley: JSON can hold it, and nothing can send it
WORDS = st.sampled_from(["", " \n", "Hello.", HALF]) | st.text(max_size=8)
IDS = st.sampled_from(["a", "b", "c", "odd id!", "x" * 100, HALF, "\ude00"])
TOOLS = st.sampled_from(["look", "band_send_message", "not a.name", "y" * 80, HALF])
JUNK = st.sampled_from(["", None, 7, [1], {"x": 1}, {HALF: [HALF]}, math.nan])

TEXT_ITEMS = st.fixed_dictionaries(
    {"content": WORDS},
    optional={
        "role": st.sampled_from(["assistant", "user", "system"]),
        "sender_name": NAMES,
        "sender_type": st.sampled_from(["Agent", "User", "System", "", None]),
        "message_type": st.sampled_from(["text", "thought", "error", "task", "news"]),
        "metadata": st.none() | st.just({}),
    },
)
OWN_ITEMS = st.fixed_dictionaries(
    {"content": WORDS, "role": st.just("assistant"), "sender_name": st.just("Tester")}
)
CALLS = st.fixed_dictionaries(
    {"name": TOOLS, "tool_call_id": IDS}, optional={"args": JUNK}
)
RESULTS = st.fixed_dictionaries(
    {"name": TOOLS, "tool_call_id": IDS, "output": WORDS | JUNK},
    optional={"is_error": st.booleans()},
)
BROKEN = st.fixed_dictionaries(
    {}, optional={"name": TOOLS | JUNK, "tool_call_id": JUNK}
)


def event_items(type: str, events: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Items of a room's history that hold such events."""
    return st.fixed_dictionaries(
        {"content": events.map(json.dumps), "message_type": st.just(type)},
        optional={"sender_name": NAMES, "role": st.just("assistant")},
    )


HISTORIES = st.lists(
    st.one_of(
        TEXT_ITEMS,
        OWN_ITEMS,
        event_items("tool_call", CALLS),
        event_items("tool_result", RESULTS),
        event_items("tool_call", BROKEN | JUNK),
        event_items("tool_result", BROKEN | JUNK),
    ),
    max_size=12,
)


@pytest.mark.rule("HIST-4", "HIST-1", "HIST-3")
@settings(max_examples=60, deadline=None, derandomize=True)
@given(history=HISTORIES)
def test_any_history_is_valid_input_for_the_model(
    subject: Subject, history: list[dict[str, Any]]
) -> None:
    messages = subject.converter("Tester").convert(history)
    assert not messages or faults(messages) == []
    assert text_faults(read(messages)) == []
