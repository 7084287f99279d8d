from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from band_new_adapter import answers, catalog
from band_new_adapter.catalog import Provider
from band_new_adapter.errors import NameRefused, UnknownChoice, UsageProblem

TOY = Provider(
    key="toy",
    title="A toy",
    pattern=2,
    requirement="",
    versions="any",
    key_variable="",
    refused={"thoughts": "it never says what it thinks", "files": "it cannot see"},
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("openai", "openai"),
        ("my_framework", "my_framework"),
        ("my-framework", "my_framework"),
        ("json", "json"),
        ("match", "match"),
        ("a1", "a1"),
        ("x" * 30, "x" * 30),
    ],
)
def test_good_names_are_taken(text: str, name: str) -> None:
    assert answers.name(text) == name


@pytest.mark.parametrize(
    ("text", "reason", "nearest"),
    [
        pytest.param("", "empty", "my_framework", id="empty"),
        pytest.param("  ", "empty", "my_framework", id="blanks only"),
        pytest.param("my framework", "blanks", "my_framework", id="blank"),
        pytest.param("acme\n", "blanks", "acme", id="newline"),
        pytest.param("hello/", "a path", "hello", id="trailing slash"),
        pytest.param("../hello", "a path", "hello", id="parent"),
        pytest.param("..", "a path", "my_framework", id="dots"),
        pytest.param("C:\\hello", "a path", "hello", id="drive"),
        pytest.param("--hello", "an option", "hello", id="option"),
        pytest.param("naïve", "ï (U+00EF, LATIN SMALL", "naive", id="accent"),
        pytest.param("模型", "模 (U+6A21", "my_framework", id="no ASCII at all"),
        pytest.param("a\0", "lower-case", "a", id="NUL"),
        pytest.param("2fast", "a digit", "fast2", id="digit first"),
        pytest.param("42", "a digit", "adapter42", id="digits only"),
        pytest.param("MyFramework", "lower-case", "my_framework", id="capitals"),
        pytest.param("OpenAI", "lower-case", "openai", id="usual spelling"),
        pytest.param("LangGraph", "lower-case", "langgraph", id="catalogued"),
        pytest.param("a__b", "lower-case", "a_b", id="two underscores"),
        pytest.param("__init__", "lower-case", "init", id="dunder"),
        pytest.param("acme-", "lower-case", "acme", id="trailing hyphen"),
        pytest.param("a.b", "lower-case", "a_b", id="dot"),
        pytest.param("con", "Windows", "con_api", id="device"),
        pytest.param("lpt1", "Windows", "lpt1_api", id="numbered device"),
        pytest.param("test", "an extra", "test_api", id="the test extra"),
        pytest.param(
            "a_rather_long_name_for_an_adapter",
            "33 characters",
            "a_rather_long_name_for_an",
            id="too long",
        ),
    ],
)
def test_bad_names_are_refused(text: str, reason: str, nearest: str) -> None:
    with pytest.raises(NameRefused) as caught:
        answers.name(text)
    assert reason in caught.value.message
    assert caught.value.nearest == nearest
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["try", "class"])
def test_a_keyword_names_a_package_but_not_a_module(name: str) -> None:
    assert answers.name(name) == name
    with pytest.raises(NameRefused, match="keyword"):
        answers.module(name)
    assert answers.module(f"{name}_api") == f"{name}_api"


@given(st.text())
def test_the_name_that_is_offered_is_good(text: str) -> None:
    try:
        answers.name(text)
    except NameRefused as refused:
        assert answers.name(refused.nearest) == refused.nearest


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("acme", "Acme"),
        ("my_framework", "MyFramework"),
        ("openai", "OpenAI"),
        ("llama_index", "LlamaIndex"),
        ("llamaindex", "LlamaIndex"),
        ("langgraph", "LangGraph"),
        ("crewai", "CrewAI"),
        ("my_openai", "MyOpenAI"),
    ],
)
def test_usual_spellings(name: str, prefix: str) -> None:
    assert catalog.class_prefix(name) == prefix


@pytest.mark.parametrize(
    "text", ["", "acme", "2Acme", "Ac me", "Açme", "A_B", "X" * 31, "Simple", "A\n"]
)
def test_bad_class_prefixes_are_refused(text: str) -> None:
    with pytest.raises(UsageProblem, match="--class-prefix"):
        answers.class_prefix(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\0b", "Character 2 of the description, (U+0000"),
        ("\ud800", "Character 1 of the description, (U+D800"),
    ],
)
def test_a_description_that_no_file_can_hold(text: str, said: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        answers.description(text)
    assert said in caught.value.message


@pytest.mark.parametrize(
    "text", ["", '{{ 7*7 }} """ \\ \n', "\x01\x7f\x85", "x" * 10_000]
)
def test_any_other_description_is_taken(text: str) -> None:
    assert answers.description(text) == text


@pytest.mark.parametrize(
    ("texts", "kinds"),
    [
        (["none"], ()),
        ([], ()),
        (["all"], ("tool_calls", "task_events", "usage")),
        (["usage", "tool_calls"], ("tool_calls", "usage")),
        (["usage, tool_calls,usage"], ("tool_calls", "usage")),
        (["all", "usage"], ("tool_calls", "task_events", "usage")),
    ],
)
def test_kinds_are_read_in_one_order(texts: list[str], kinds: tuple[str, ...]) -> None:
    assert answers.emit(texts, TOY) == kinds


def test_what_a_provider_cannot_do_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageProblem, match="toy cannot do files: it cannot see"):
        answers.capabilities(["memory", "files"], TOY)
    assert answers.capabilities(["all"], TOY) == ("memory", "contacts", "tasks")


@pytest.mark.parametrize("texts", [["smell"], [""], ["usage,"], ["memory"]])
def test_unknown_kinds_are_refused_with_the_choices(texts: list[str]) -> None:
    with pytest.raises(UnknownChoice) as caught:
        answers.emit(texts, TOY)
    assert "tool_calls, task_events, usage, all, none" in caught.value.remedy


def test_none_stands_alone() -> None:
    with pytest.raises(UsageProblem, match="none cannot be joined"):
        answers.emit(["none", "usage"], TOY)


@pytest.mark.parametrize(
    ("read", "value"),
    [(answers.pattern, "3"), (answers.provider, "acme"), (answers.license_, "GPL")],
)
def test_unknown_choices_are_usage_errors(read: object, value: str) -> None:
    assert callable(read)
    with pytest.raises(UnknownChoice, match=value):
        read(value)
