"""Scripted models in this process: each calls one tool, is answered, and ends the turn.

A model is what an adapter holds as its client. Every request lets the other rooms
run first, as one that went over a network would.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from anthropic.types import Message
from openai.types.chat import ChatCompletion

TOOL = "band_send_message"
ARGUMENTS = {
    "content": "It leaves at noon, from platform 3. " * 4,
    "mentions": ["Alice"],
}
WRITTEN = json.dumps(ARGUMENTS)
SPENT = {"input": 900, "output": 60}

Answers = Callable[[Iterable[Any]], Iterable[Any]]
"""How answers are handed out: `list` makes them all before the first turn, `iter`
makes each when it is asked for."""


async def _next(answers: Iterator[Any], end: Any, *, answered: bool) -> Any:
    await asyncio.sleep(0)
    return end if answered else next(answers)


def anthropic(turns: int, answers: Answers) -> Any:
    """Stands for the client of the SDK's own adapter."""

    def answer(stop: str, *content: dict[str, Any]) -> Message:
        usage = {"input_tokens": SPENT["input"], "output_tokens": SPENT["output"]}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "stub"}
        rest = {"stop_reason": stop, "stop_sequence": None, "usage": usage}
        return Message.model_validate({**head, **rest, "content": content})

    def call(number: int) -> Message:
        tool = {"type": "tool_use", "id": f"toolu_{number:024}", "name": TOOL}
        return answer("tool_use", {**tool, "input": json.loads(WRITTEN)})

    calls = iter(answers(map(call, range(turns))))
    end = answer("end_turn")

    async def create(*, messages: list[dict[str, Any]], **_: Any) -> Message:
        answered = not isinstance(messages[-1]["content"], str)
        return await _next(calls, end, answered=answered)

    return SimpleNamespace(messages=SimpleNamespace(create=create))


def openai(turns: int, answers: Answers) -> Any:
    """Stands for the client of a generated adapter for Chat Completions."""

    def answer(finish: str, **said: Any) -> ChatCompletion:
        total = SPENT["input"] + SPENT["output"]
        usage = {"prompt_tokens": SPENT["input"], "completion_tokens": SPENT["output"]}
        message = {"role": "assistant", "content": None, **said}
        choice = {"index": 0, "finish_reason": finish, "message": message}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1}
        rest = {"model": "stub", "usage": {**usage, "total_tokens": total}}
        return ChatCompletion.model_validate({**head, **rest, "choices": [choice]})

    def call(number: int) -> ChatCompletion:
        function = {"name": TOOL, "arguments": WRITTEN}
        tool = {"id": f"call_{number:024}", "type": "function", "function": function}
        return answer("tool_calls", tool_calls=[tool])

    calls = iter(answers(map(call, range(turns))))
    end = answer("stop")

    async def create(*, messages: list[dict[str, Any]], **_: Any) -> ChatCompletion:
        return await _next(calls, end, answered=messages[-1]["role"] == "tool")

    completions = SimpleNamespace(create=create)
    return SimpleNamespace(api_key="key", chat=SimpleNamespace(completions=completions))


def custom(turns: int, answers: Answers) -> Any:
    """Stands for the one class that the author of a `custom` adapter writes."""
    protocol = import_module("band_adapter_bench_custom.protocol")
    usage = import_module("band.core.types").TurnUsage(SPENT["input"], SPENT["output"])

    def call(number: int) -> Any:
        requested = protocol.RequestedCall(f"call_{number:024}", TOOL, WRITTEN)
        return protocol.ModelReply(calls=(requested,), usage=usage)

    calls = iter(answers(map(call, range(turns))))
    end = protocol.ModelReply(usage=usage)

    async def complete(_: str, messages: list[Any], tools: list[Any]) -> Any:
        answered = isinstance(messages[-1], protocol.ToolMessage)
        return await _next(calls, end, answered=answered)

    return SimpleNamespace(complete=complete)
