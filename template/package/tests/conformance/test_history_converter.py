"""HIST-1 to HIST-3: a room's history as input for the model."""

from __future__ import annotations

import copy
import json
import logging
from typing import Any

import pytest
from band.converters.parsing import INTERRUPTED_TOOL_TEXT

from tests.support.script import Answered, Called, Heard, Message, Spoke
from tests.support.subject import Subject
from tests.support.wire import faults, read

Item = dict[str, Any]

UNPARSABLE = [
    '{"name": "lo',
    "[]",
    "null",
    "{}",
    '{"name": "look"}',
    "",
    "[" * 16_000,
    '{"name": "look", "tool_call_id": "a", "output": ' + "7" * 5_000 + "}",
]


def said(name: str | None, text: str, kind: str = "User", type: str = "text") -> Item:
    """One item of a room's history, as the SDK hands it to a converter."""
    return {
        "role": "assistant" if kind == "Agent" else "user",
        "content": text,
        "sender_name": name,
        "sender_type": kind,
        "message_type": type,
        "metadata": {},
    }


def mine(text: str, type: str = "text") -> Item:
    return said("Tester", text, "Agent", type)


def call(id: str, name: str = "look", **arguments: Any) -> Item:
    event = {"name": name, "args": arguments, "tool_call_id": id}
    return mine(json.dumps(event), "tool_call")


def result(id: str, output: str = "Alice", name: str = "look", **more: Any) -> Item:
    event = {"name": name, "output": output, "tool_call_id": id, **more}
    return mine(json.dumps(event), "tool_result")


def convert(subject: Subject, *history: Item) -> list[Message]:
    """The history as the model would read it; the real API would take it."""
    messages = subject.converter(agent_name="Tester").convert([*history])
    if messages:
        assert faults(messages) == []
    return [*read(messages)]


@pytest.mark.rule("HIST-1")
def test_the_agents_name_is_given_at_once_later_or_never(subject: Subject) -> None:
    history = [mine("I was here.")]
    given = subject.converter(agent_name="Tester")
    told = subject.converter()
    told.set_agent_name("Tester")
    assert [*read(given.convert(history))] == [Spoke("I was here.")]
    assert [*read(told.convert(history))] == [Spoke("I was here.")]
    assert [*read(subject.converter().convert(history))] == [
        Heard("[Tester]: I was here.")
    ]


@pytest.mark.rule("HIST-1")
@pytest.mark.parametrize(
    "key", ["role", "sender_name", "sender_type", "message_type", "metadata"]
)
def test_any_key_but_the_content_may_be_missing(subject: Subject, key: str) -> None:
    items = [said("Alice", "Hello."), mine("Hi."), call("a"), result("a")]
    for item in items:
        del item[key]
    (first, *_) = convert(subject, *items)
    assert isinstance(first, Heard)
    assert first.text.endswith("Hello.")


@pytest.mark.rule("HIST-1")
@pytest.mark.parametrize("name", [None, ""], ids=["null", "empty"])
def test_content_alone_or_without_a_name_stands_for_itself(
    subject: Subject, name: str | None
) -> None:
    assert convert(subject, {"content": "Hello."}) == [Heard("Hello.")]
    assert convert(subject, said(name, "Hello.")) == [Heard("Hello.")]


@pytest.mark.rule("HIST-1")
def test_an_empty_history_is_empty(subject: Subject) -> None:
    assert convert(subject) == []


@pytest.mark.rule("HIST-1")
def test_converting_changes_nothing_and_can_be_repeated(subject: Subject) -> None:
    history = [said("Alice", "Hello."), call("a", x=1), result("a"), mine("Hi.")]
    before, converter = copy.deepcopy(history), subject.converter("Tester")
    first = converter.convert(history)
    assert converter.convert(history) == first
    assert history == before


@pytest.mark.rule("HIST-2")
def test_people_and_other_agents_are_input_with_their_names(subject: Subject) -> None:
    history = [said("Alice", "Hello."), said("Bob Bot", "At your service.", "Agent")]
    assert convert(subject, *history) == [
        Heard("[Alice]: Hello."),
        Heard("[Bob Bot]: At your service."),
    ]


@pytest.mark.rule("HIST-2")
def test_own_text_is_the_agents_own(subject: Subject) -> None:
    history = [said("Alice", "Hello."), mine("Hi."), said("Alice", "Bye.")]
    assert convert(subject, *history) == [
        Heard("[Alice]: Hello."),
        Spoke("Hi."),
        Heard("[Alice]: Bye."),
    ]


@pytest.mark.rule("HIST-2")
def test_a_person_of_the_agents_name_is_not_the_agent(subject: Subject) -> None:
    assert convert(subject, said("Tester", "I am human.")) == [
        Heard("[Tester]: I am human.")
    ]


@pytest.mark.rule("HIST-2", "HIST-3")
def test_own_text_while_a_call_is_open_is_what_the_call_said(subject: Subject) -> None:
    sending = call("a", "band_send_message", content="Hi.")
    history = [sending, mine("Hi."), result("a", "sent", "band_send_message")]
    assert convert(subject, *history, mine("Later.")) == [
        Called("a", "band_send_message", {"content": "Hi."}),
        Answered("a", "sent"),
        Spoke("Later."),
    ]


@pytest.mark.rule("HIST-2", "HIST-3")
def test_what_others_say_while_a_call_is_open_is_not_lost(subject: Subject) -> None:
    history = [call("a"), said("Alice", "Wait!"), result("a", "done")]
    converted = convert(subject, *history)
    assert Heard("[Alice]: Wait!") in converted
    assert [one for one in converted if isinstance(one, Called)] == [
        Called("a", "look", {})
    ]


@pytest.mark.rule("HIST-3")
def test_tool_events_become_a_call_and_its_result(subject: Subject) -> None:
    assert convert(subject, call("a", x=1), result("a", "Alice")) == [
        Called("a", "look", {"x": 1}),
        Answered("a", "Alice"),
    ]


@pytest.mark.rule("HIST-3")
def test_consecutive_calls_are_one_message(subject: Subject) -> None:
    history = [call("a"), call("b"), result("a", "one"), result("b", "two")]
    assert convert(subject, *history) == [
        Called("a", "look", {}),
        Called("b", "look", {}),
        Answered("a", "one"),
        Answered("b", "two"),
    ]


@pytest.mark.rule("HIST-3")
def test_calls_one_after_the_other_keep_their_results(subject: Subject) -> None:
    history = [call("a"), result("a", "one"), call("b"), result("b", "two")]
    converted = convert(subject, *history)
    assert {one.id: one.text for one in converted if isinstance(one, Answered)} == {
        "a": "one",
        "b": "two",
    }


@pytest.mark.rule("HIST-3")
@pytest.mark.parametrize("after", [[], [said("Alice", "Hello?")], [call("c")]], ids=len)
def test_a_call_without_a_result_is_answered_as_interrupted(
    subject: Subject, after: list[Item]
) -> None:
    converted = convert(subject, call("a"), call("b"), result("a", "one"), *after)
    answers = {one.id: one.text for one in converted if isinstance(one, Answered)}
    assert answers["a"] == "one"
    assert answers["b"] == INTERRUPTED_TOOL_TEXT


@pytest.mark.rule("HIST-3")
@pytest.mark.parametrize(
    "history",
    [[result("a")], [call("a"), result("a"), result("a", "twice")], [result("b")] * 2],
    ids=["alone", "twice", "foreign"],
)
def test_a_result_without_a_call_is_dropped(
    subject: Subject, history: list[Item]
) -> None:
    converted = convert(subject, said("Alice", "Hello."), *history)
    calls = [one for one in converted if isinstance(one, Called)]
    answers = [one for one in converted if isinstance(one, Answered)]
    assert len(answers) == len(calls)
    assert all(one.text == "Alice" for one in answers)


@pytest.mark.rule("HIST-3")
@pytest.mark.parametrize("output", ["Error: no paper", "no paper"])
def test_a_call_that_failed_is_still_a_failure_after_a_restart(
    subject: Subject, output: str
) -> None:
    (_, answer) = convert(subject, call("a"), result("a", output, is_error=True))
    assert answer == Answered("a", "Error: no paper")


@pytest.mark.rule("HIST-3")
@pytest.mark.parametrize("type", ["thought", "error", "task"])
def test_other_events_are_dropped(subject: Subject, type: str) -> None:
    events = [mine("Hm.", type), said("Alice", "Hm.", type=type)]
    assert convert(subject, said("Alice", "Hello."), *events) == [
        Heard("[Alice]: Hello.")
    ]


@pytest.mark.rule("HIST-3")
@pytest.mark.parametrize("type", ["tool_call", "tool_result"])
@pytest.mark.parametrize("content", UNPARSABLE, ids=range(len(UNPARSABLE)))
def test_an_unparsable_event_is_dropped_with_a_warning(
    subject: Subject, caplog: pytest.LogCaptureFixture, type: str, content: str
) -> None:
    hello = said("Alice", "Hello.")
    with caplog.at_level(logging.WARNING):
        assert convert(subject, hello, mine(content, type)) == [
            Heard("[Alice]: Hello.")
        ]
    assert [record for record in caplog.records if record.levelname == "WARNING"]


@pytest.mark.rule("HIST-3")
def test_calls_in_a_row_without_results_are_one_step(subject: Subject) -> None:
    assert convert(subject, call("a"), call("b")) == [
        Called("a", "look", {}),
        Called("b", "look", {}),
        Answered("a", INTERRUPTED_TOOL_TEXT),
        Answered("b", INTERRUPTED_TOOL_TEXT),
    ]
