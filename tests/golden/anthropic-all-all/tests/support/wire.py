"""The scripted model behind the Messages API: the real client meets it."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from anthropic import AsyncAnthropic

from tests.support import script
from tests.support.http_model import HttpModel
from tests.support.http_stub import HttpRequest
from tests.support.model import pairing_faults
from tests.support.script import Message, Reply, Request, Tokens
from tests.support.subject import KEY

Block = Mapping[str, Any]

_NUMBERS = itertools.count(1)
_THOUGHTFUL = "toolu_after_thinking_"
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_THINKING = {"thinking", "redacted_thinking"}
_SEARCH = "server_tool_use"
_TOOL = {"name", "description", "input_schema"}
_REASONS = {
    "end": "end_turn",
    "length": "max_tokens",
    "filter": "refusal",
    "pause": "pause_turn",
}


class ScriptedModel(HttpModel):
    """The model that a script plays, as a service at `url` while entered."""

    path = "/v1/messages"

    def read_request(self, http: HttpRequest) -> Request:
        body = http.json or {}
        sent, tools = body.get("messages") or [], body.get("tools")
        found = faults(sent)
        if not (body.get("model") and body.get("max_tokens")):
            found.append("model or max_tokens is missing")
        if tools == []:
            found.append("the list of tools is empty")
        # A type is that of a tool which the API runs itself.
        for tool in tools or ():
            if "type" not in tool and tool.keys() != _TOOL:
                found.append(f"this is no tool: {tool}")
        if sent and sent[-1].get("role") != "user" and _SEARCH not in _kinds(sent[-1]):
            found.append("the assistant has the last word, and was not paused")
        return Request(
            system=body.get("system") or "",
            messages=read(sent),
            tools=tuple(tool["name"] for tool in tools or ()),
            tool_list=tools is not None,
            faults=tuple(found),
            # 1.x of the client sends it in a header of its own, later ones as a bearer.
            key=http.headers.get("x-api-key", http.bearer),
            raw=body,
        )

    def reply(self, step: Reply, request: Request) -> Any:
        match step:
            case script.Empty(tokens):
                return _message([], None, tokens)
            case script.Refuse(text, tokens):
                return _message([], "refusal", tokens, explanation=text)
            case script.Cut(text, tokens):
                return _message([{"type": "text", "text": text}], "max_tokens", tokens)
            case script.Filter(tokens):
                return _message([], "refusal", tokens)
            case script.Answer():
                return _answer(step)

    def error(self, status: int, message: str) -> Any:
        return {"type": "error", "error": {"type": "stub", "message": message}}


def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """A client of the caller's own, as the adapter takes it, and whether it is open."""
    client = AsyncAnthropic(base_url=model.url, api_key=KEY, max_retries=0)
    return {"client": client}, lambda: not client.is_closed()


# --- What the model is sent --------------------------------------------------------


def read(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Messages in neutral form. Input without a word only lets the agent begin."""
    return tuple(itertools.chain.from_iterable(map(_read_message, messages)))


def _read_message(message: Mapping[str, Any]) -> Iterator[Message]:
    for block in _blocks(message):
        match block:
            case {"type": "text", "text": text} if message.get("role") == "assistant":
                yield script.Spoke(text)
            case {"type": "text", "text": text} if re.search(r"\w", text):
                yield script.Heard(text)
            case {"type": "tool_use"}:
                yield script.Called(block["id"], block["name"], block["input"])
            case {"type": "tool_result"}:
                yield script.Answered(block["tool_use_id"], _answer_of(block))
                for part in _blocks(block):
                    if source := part.get("source"):
                        yield script.Saw(source["media_type"], source["data"])


def _answer_of(result: Block) -> str:
    texts = [part["text"] for part in _blocks(result) if part["type"] == "text"]
    text, marked = "\n".join(texts), bool(result.get("is_error"))
    # To this API an error is what is marked as one, whatever its text.
    return text if marked == text.startswith("Error") else f"{marked=} {text}"


def _blocks(owner: Mapping[str, Any]) -> list[Block]:
    content = owner.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why the API refuses `messages`; a row of one role counts as one message."""
    found = [] if messages and messages[0].get("role") == "user" else ["no user begins"]
    for position, message in enumerate(messages):
        found += [f"messages[{position}]: {fault}" for fault in _faults_of(message)]
    # Thinking is wanted back until someone speaks again.
    for message in itertools.takewhile(_goes_on, reversed(messages)):
        ids = [str(block.get("id")) for block in _blocks(message)]
        if any(_THOUGHTFUL in id for id in ids) and not _kinds(message) & _THINKING:
            found.append(f"the thinking before {ids} is missing")
    return found + pairing_faults(_pairings(messages))


def _pairings(
    messages: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[list[str], str | None]]:
    for role, run in itertools.groupby(messages, lambda message: message.get("role")):
        blocks = list(itertools.chain.from_iterable(map(_blocks, run)))
        if role == "assistant":
            calls = [block for block in blocks if block.get("type") == "tool_use"]
            yield [str(call.get("id")) for call in calls], None
        else:
            for block in blocks:
                answers = block.get("type") == "tool_result"
                yield [], str(block.get("tool_use_id")) if answers else None


def _faults_of(message: Mapping[str, Any]) -> Iterator[str]:
    blocks = _blocks(message)
    if not blocks:
        yield "it is empty"
    thinking = _THINKING & _kinds(message)
    if thinking and blocks[:2] != _thinking(blocks[0].get("thinking")):
        yield "the thinking was changed"
    for block in blocks:
        match message.get("role"), block.get("type"):
            case "user" | "assistant", "text":
                if not str(block.get("text") or "").strip():
                    yield "a text is blank"
            case "assistant", "tool_use":
                yield from _faults_of_call(block)
            case "user", "tool_result":
                yield from _faults_of_result(block)
            case "assistant", kind if kind in {*_THINKING, _SEARCH}:
                pass
            case role, kind:
                yield f"the role {role!r} has no {kind!r}"


def _faults_of_call(call: Block) -> Iterator[str]:
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(call.get("id"))):
        yield f"the id {call.get('id')!r} does not match the pattern"
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", str(call.get("name"))):
        yield f"the called name {call.get('name')!r} does not match the pattern"
    if not isinstance(call.get("input"), dict):
        yield f"the input {call.get('input')!r} is not an object"


def _faults_of_result(result: Block) -> Iterator[str]:
    content = result.get("content")
    if result.get("is_error") and not content:
        yield "an error says nothing"
    for part in content if isinstance(content, list) else ():
        source = part.get("source") or {}
        if source.get("media_type") not in _IMAGES and not part.get("text", "").strip():
            yield f"a result has the part {part!r}"


def _goes_on(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "assistant" or "text" not in _kinds(message)


def _kinds(message: Mapping[str, Any]) -> set[str]:
    return {str(block.get("type")) for block in _blocks(message)}


# --- What the model answers --------------------------------------------------------


def _answer(answer: script.Answer) -> Any:
    content = _thinking(answer.thought) if answer.thought else []
    prefix = _THOUGHTFUL if content else "toolu_"
    # A model that has nothing to say answers without a block.
    if answer.said:
        content.append({"type": "text", "text": answer.said})
    for call in answer.calls:
        call_id = f"{prefix}{next(_NUMBERS)}" if call.id is None else call.id
        written = dict(call.arguments) if call.raw is None else call.raw
        about = {"id": call_id, "name": call.name, "input": written}
        content.append({"type": "tool_use", **about})
    usual = "tool_use" if answer.calls else "end_turn"
    reason = _REASONS[answer.finish] if answer.finish else usual
    if reason == "pause_turn":
        about = {"id": f"srv{prefix}{next(_NUMBERS)}", "name": "web_search"}
        content.append({"type": _SEARCH, **about, "input": {"query": "noon"}})
    return _message(content, reason, answer.tokens)


def _thinking(thought: object) -> list[Block]:
    seal = hashlib.sha256(str(thought).encode("utf-8", "replace")).hexdigest()
    shown = {"type": "thinking", "thinking": thought, "signature": seal}
    return [shown, {"type": "redacted_thinking", "data": seal}]


def _message(
    content: Sequence[Block],
    stop_reason: str | None,
    tokens: Tokens | None,
    explanation: str | None = None,
) -> Any:
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": stop_reason,
    }
    if explanation is not None:
        message["stop_details"] = {"type": "refusal", "explanation": explanation}
    if tokens is not None:
        message["usage"] = {
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "cache_read_input_tokens": tokens.cached,
        }
    return message
