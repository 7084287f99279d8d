"""A chat model that follows the script, where LangGraph's agents have theirs."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from tests.support import script
from tests.support.model import Script, pairing_faults
from tests.support.script import Message, Request, Step, Tokens
from tests.support.subject import KEY

# Chat models differ in their words for how an answer ends.
_CUTS = itertools.cycle(["length", "max_tokens", "MAX_TOKENS", "model_length"])
_FILTERS = itertools.cycle(["content_filter", "SAFETY"])
_NUMBERS = itertools.count(1)
_MODELS: dict[str, ScriptedModel] = {}


class ScriptedModel(Script):
    """The model that a script plays, found by its `url` while entered."""

    def __init__(self) -> None:
        super().__init__()
        self.url = f"scripted://{next(_NUMBERS)}"
        self.clients: list[Any] = []

    def __enter__(self) -> Self:
        _MODELS[self.url] = self
        return self

    def __exit__(self, *exc_info: object) -> None:
        del _MODELS[self.url]

    @property
    def connections(self) -> int:
        """How many clients the adapter holds open now."""
        return sum(not client.is_closed for client in self.clients)


class StatusError(Exception):
    """What the clients of model APIs raise for a status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"Error code: {status} - {message}")
        self.status_code = status
        self.body = {"message": message}


class ScriptedChat(BaseChatModel):
    """LangChain's side of a scripted model."""

    model: Any
    key: SecretStr
    options: Mapping[str, Any]
    max_retries: int = 0
    http_async_client: Any = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def lc_secrets(self) -> dict[str, str]:
        return {"key": "SCRIPTED_KEY"}

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, *args: Any, **options: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(
        self, messages: list[BaseMessage], *args: Any, **options: Any
    ) -> ChatResult:
        request = self._read_request(messages, options.get("tools"))
        step = self.model.step_for(request)
        for _ in range(self.max_retries):
            if isinstance(step, script.Fail):
                await asyncio.sleep(step.retry_after or 0)
                step = self.model.step_for(request)
        # Like a real client, it lets other rooms run while it waits.
        await asyncio.sleep(0)
        match step:
            case script.Fail(status, message):
                raise StatusError(status, message)
            case script.Drop():
                raise ConnectionError("the connection was closed")
            case script.Garbled():
                raise ValueError("not an answer")
            case script.Hang():
                await asyncio.get_running_loop().create_future()
        said = _message(step)
        choices = [ChatGeneration(message=said)] if said else []
        return ChatResult(generations=choices)

    def _read_request(self, messages: list[BaseMessage], tools: Any) -> Request:
        sent = convert_to_openai_messages(messages)
        assert isinstance(sent, list), "many messages are a list"
        found = faults(sent)
        if self.http_async_client is not None and self.http_async_client.is_closed:
            found.append("the client is closed")
        if tools == []:
            found.append("the list of tools is empty")
        if any(m["role"] == "tool" and not isinstance(m["content"], str) for m in sent):
            found.append("an answer that is more than text")
        instructions = [_text(m) for m in sent if m.get("role") == "system"]
        return Request(
            system="\n\n".join(instructions),
            messages=read(sent),
            tools=tuple(tool["function"]["name"] for tool in tools or ()),
            tool_list=tools is not None,
            faults=tuple(found),
            key=self.key.get_secret_value(),
            raw={"messages": sent, "tools": tools, **self.options},
        )


class Factory:
    """An agent of the caller's: LangGraph runs the room's tools all by itself."""

    def __init__(self, chat: ScriptedChat, *, remembers: bool) -> None:
        self._chat = chat
        self._checkpointer = InMemorySaver() if remembers else None
        self.http_async_client = chat.http_async_client

    def __call__(self, tools: list[Any]) -> Any:
        return create_agent(self._chat, tools, checkpointer=self._checkpointer)


def connect(**options: Any) -> Any:
    """Stands in for `ChatOpenAI`: same arguments."""
    model = _MODELS[options.pop("base_url")]
    model.clients.append(options["http_async_client"])
    chat = ScriptedChat(
        model=model,
        key=options.pop("api_key"),
        max_retries=options.pop("max_retries"),
        http_async_client=options.pop("http_async_client"),
        options=options,
    )
    if model.manner == "plain":
        return chat
    return Factory(chat, remembers=model.manner == "remembers")


class Client:
    """A connection that someone may close."""

    is_closed = False

    async def aclose(self) -> None:
        self.is_closed = True


def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """A chat model of the caller's own, and whether it is open."""
    client = Client()
    key = SecretStr(KEY)
    chat = ScriptedChat(model=model, key=key, options={}, http_async_client=client)
    return {"graph": chat}, lambda: not client.is_closed


# --- What the model is sent --------------------------------------------------------


def read(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Chat Completions messages in neutral form, without the instructions."""
    return tuple(itertools.chain.from_iterable(map(_read_message, messages)))


def _read_message(message: Mapping[str, Any]) -> Iterator[Message]:
    match message.get("role"):
        case "user":
            if text := _text(message):
                yield script.Heard(text)
            for part in _parts(message):
                if part.get("type") == "image_url":
                    header, _, data = part["image_url"]["url"].partition(";base64,")
                    yield script.Saw(header.removeprefix("data:"), data)
        case "assistant":
            if text := _text(message):
                yield script.Spoke(text)
            for call in message.get("tool_calls") or ():
                function = call.get("function") or {}
                arguments = _arguments(function) or {}
                yield script.Called(
                    call.get("id", ""), function.get("name", ""), arguments
                )
        case "tool":
            yield script.Answered(message.get("tool_call_id", ""), _text(message))


def _text(message: Mapping[str, Any]) -> str:
    texts = [part["text"] for part in _parts(message) if part.get("type") == "text"]
    return "\n".join(texts)


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _arguments(function: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        arguments = json.loads(function.get("arguments") or "")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why the API, or one that is stricter than OpenAI's own, refuses `messages`."""
    found = [] if messages else ["there are no messages"]
    for position, message in enumerate(messages):
        found += [f"messages[{position}]: {fault}" for fault in _faults_of(message)]
    return found + pairing_faults(map(_pairing, messages))


def _pairing(message: Mapping[str, Any]) -> tuple[list[str], str | None]:
    calls = [str(call.get("id")) for call in message.get("tool_calls") or ()]
    is_answer = message.get("role") == "tool"
    return calls, str(message.get("tool_call_id")) if is_answer else None


def _faults_of(message: Mapping[str, Any]) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    calls = message.get("tool_calls")
    if role not in ("system", "developer", "user", "assistant", "tool"):
        yield f"the role {role!r} does not exist"
    if not isinstance(content, (str, list)) and not (role == "assistant" and calls):
        yield f"its content is {content!r}"
    if content == [] or calls == []:
        yield "it has an empty list"
    if role == "assistant" and not calls and content == "":
        yield "the assistant says nothing"
    if calls and role != "assistant":
        yield f"the role {role!r} cannot call tools"
    for call in calls or ():
        yield from _faults_of_call(call)


def _faults_of_call(call: Mapping[str, Any]) -> Iterator[str]:
    call_id, function = call.get("id"), call.get("function") or {}
    if call.get("type") != "function":
        yield f"the call's type is {call.get('type')!r}"
    if not isinstance(call_id, str) or not 1 <= len(call_id) <= 40:
        yield f"the call's id {call_id!r} is not a text of 1 to 40 characters"
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(function.get("name", ""))):
        yield f"the called name {function.get('name')!r} does not match the pattern"
    if _arguments(function) is None:
        yield f"the arguments {function.get('arguments')!r} are not a JSON object"


# --- What the model answers --------------------------------------------------------


def _message(step: Step) -> AIMessage | None:
    match step:
        case script.Refuse(text, tokens):
            return _said("", tokens, refusal=text)
        case script.Cut(text, tokens):
            return _said(text, tokens, next(_CUTS))
        case script.Filter(tokens):
            return _said("", tokens, next(_FILTERS))
        case script.Answer():
            return _answer(step)
    return None


def _answer(answer: script.Answer) -> AIMessage:
    reasons = {"end": "stop", "length": "length", "filter": "content_filter"}
    usual = "tool_calls" if answer.calls else "stop"
    reason = reasons[answer.finish] if answer.finish else usual
    said = _said(answer.said, answer.tokens, reason, reasoning_content=answer.thought)
    blocks: list[Any] = [{"type": "text", "text": answer.said}] if answer.said else []
    for call in answer.calls:
        call_id = f"call_{next(_NUMBERS)}" if call.id is None else call.id
        about: Any = {"name": call.name, "id": call_id}
        arguments = _read(call)
        whole = isinstance(arguments, dict)
        shown = arguments if whole else call.written
        blocks.append({"type": "tool_use", **about, "input": shown})
        if whole:
            said.tool_calls.append({**about, "args": arguments, "type": "tool_call"})
        else:
            wrong: Any = {"args": call.raw, "error": None, "type": "invalid_tool_call"}
            said.invalid_tool_calls.append({**about, **wrong})
    if answer.calls:
        said.content = blocks
    return said


def _read(call: script.Call) -> Any:
    try:
        return json.loads(call.written or "{}")
    except (ValueError, RecursionError):
        return None


def _said(
    text: str, tokens: Tokens | None, reason: str = "stop", **more: str
) -> AIMessage:
    said = AIMessage(
        text,
        additional_kwargs={name: value for name, value in more.items() if value},
        response_metadata={"finish_reason": reason},
    )
    if tokens is not None:
        said.usage_metadata = {
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "total_tokens": tokens.input + tokens.output,
            "input_token_details": {"cache_read": tokens.cached},
        }
    return said
