"""The scripted model behind the Responses API: the real client meets it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from openai import AsyncOpenAI

from tests.support import script
from tests.support.http_model import HttpModel
from tests.support.http_stub import HttpRequest
from tests.support.model import pairing_faults
from tests.support.script import Message, Reply, Request, Tokens
from tests.support.subject import KEY

Item = Mapping[str, Any]

_NUMBERS = itertools.count(1)
# Services show reasoning in the one way or the other.
_SHOWN = itertools.cycle(["summary", "content"])
# Stands between the id of an item and that of the reasoning that led to it.
_OF = "_of_"
# A tool that this API runs itself.
_SEARCH = {"type": "web_search"}
_REASONING = "reasoning.encrypted_content"

_INPUT = {"text", "input_text", "input_image"}
_PARTS: Mapping[Any, set[str]] = {
    "user": _INPUT,
    "assistant": {"text", "output_text", "refusal"},
    "reasoning": {"reasoning_text"},
    "function_call": set(),
    "web_search_call": set(),
    "function_call_output": _INPUT,
}
"""What items may consist of, by their role or else their type."""


class ScriptedModel(HttpModel):
    """The model that a script plays, as a service at `url` while entered."""

    base_path = "/v1"
    path = "/responses"

    def read_request(self, http: HttpRequest) -> Request:
        body = http.json or {}
        sent, tools = body.get("input") or [], body.get("tools")
        flat = {"type": "function", "strict": False}.items()
        wrong = {
            "no model is named": not body.get("model"),
            "nothing may be stored here": body.get("store") is not False,
            "reasoning is not wanted": body.get("include") != [_REASONING],
            "the list of tools is empty": tools == [],
            "a tool is not flat": not all(
                tool.items() >= flat for tool in tools or () if tool != _SEARCH
            ),
        }
        found = [fault for fault in wrong if wrong[fault]]
        return Request(
            system=body.get("instructions") or "",
            messages=read(sent),
            tools=tuple(str(tool.get("name")) for tool in tools or ()),
            tool_list=tools is not None,
            faults=(*found, *faults(sent), *_unreasonable(sent)),
            key=http.bearer,
            raw=body,
        )

    def reply(self, step: Reply, request: Request) -> Any:
        match step:
            case script.Empty(tokens):
                return _response([], tokens)
            case script.Refuse(text, tokens):
                return _response([_said(type="refusal", refusal=text)], tokens)
            case script.Cut(text, tokens):
                said = _said(type="output_text", text=text)
                return _response([said], tokens, stop="max_output_tokens")
            case script.Filter(tokens):
                return _response([], tokens, stop="content_filter")
            case script.Answer():
                reasons = {"length": "max_output_tokens", "filter": "content_filter"}
                stop = reasons.get(step.finish or "", "")
                # One that is cut ends in reasoning that has led to nothing yet.
                more = [_reasoning()] if stop else []
                ran = [_search()] if _SEARCH in request.raw.get("tools", ()) else []
                return _response([*ran, *_items(step), *more], step.tokens, stop=stop)

    def error(self, status: int, message: str) -> Any:
        if status == 200:
            # The API took the request, and failed at it later.
            about = {"code": "server_error", "message": message}
            said = _said(type="output_text", text="The answer is that")
            return _response([said], None, about)
        about = {"message": message, "type": "stub", "param": None, "code": None}
        return {"error": about}


def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """A client of the caller's own, as the adapter takes it, and whether it is open."""
    client = AsyncOpenAI(base_url=model.url, api_key=KEY, max_retries=0)
    return {"client": client}, lambda: not client.is_closed()


# --- What the model is sent --------------------------------------------------------


def read(messages: Sequence[Item]) -> tuple[Message, ...]:
    """Input items in neutral form; the model's reasoning is left out."""
    return tuple(itertools.chain.from_iterable(map(_read_item, messages)))


def _read_item(item: Item) -> Iterator[Message]:
    text = _text(item)
    match item:
        case {"type": "function_call", "call_id": call_id, "name": name}:
            yield script.Called(call_id, name, _arguments(item) or {})
        case {"type": "function_call_output", "call_id": call_id}:
            yield script.Answered(call_id, text)
        case {"role": role} if text:
            yield script.Heard(text) if role == "user" else script.Spoke(text)
    for part in _parts(item):
        if part.get("type") == "input_image":
            header, _, data = part["image_url"].partition(";base64,")
            yield script.Saw(header.removeprefix("data:"), data)


def _text(item: Item) -> str:
    texts = [part.get("text") or part.get("refusal") for part in _parts(item)]
    return "\n".join(filter(None, texts))


def _parts(item: Item) -> list[Item]:
    """The content of a message, or the output of a call."""
    content = item.get("content") or item.get("output") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _arguments(function: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        arguments = json.loads(function.get("arguments") or "")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def faults(messages: Sequence[Item]) -> list[str]:
    """Why the API, or one that is stricter than OpenAI's own, refuses `messages`."""
    found = [] if messages else ["there is no input"]
    for position, (item, following) in enumerate(itertools.pairwise([*messages, {}])):
        found += [f"input[{position}]: {fault}" for fault in _faults_of(item)]
        if _kind(item) == "reasoning" and not _is_made(following):
            found.append(f"input[{position}]: what followed the reasoning is missing")
    return found + pairing_faults(_steps(messages))


def _kind(item: Item) -> str | None:
    return item.get("role") or item.get("type")


def _is_made(item: Item) -> bool:
    return _kind(item) in ("assistant", "function_call", "web_search_call")


def _steps(items: Sequence[Item]) -> Iterator[tuple[list[str], str | None]]:
    """What is called and answered; the model's items in a row are one message."""
    shown = [item for item in items if _kind(item) != "reasoning"]
    for made, run in itertools.groupby(shown, key=_is_made):
        if made:
            yield [str(item["call_id"]) for item in run if "call_id" in item], None
        else:
            yield from (([], item.get("call_id")) for item in run)


def _faults_of(item: Item) -> Iterator[str]:
    kind, parts = _kind(item), {part.get("type") for part in _parts(item)}
    if kind not in _PARTS or not parts <= _PARTS[kind]:
        yield f"there is no {kind} of {parts}"
    if kind == "web_search_call" and not item.get("id"):
        yield "the search has no id"
    if "role" in item and not _text(item).strip():
        yield "the message is blank"
    if "type" in item and not 1 <= len(item.get("call_id", "-")) <= 64:
        yield f"the call's id {item['call_id']!r} is not of 1 to 64 characters"
    if kind == "function_call" and _arguments(item) is None:
        yield f"the arguments {item.get('arguments')!r} are not a JSON object"
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", item.get("name", "-")):
        yield f"the called name {item['name']!r} does not match the pattern"


def _unreasonable(sent: Sequence[Item]) -> list[str]:
    """Why the reasoning in a request is not what this model wants back.

    It wants all of the current turn, as it was, and none of earlier ones: that would
    be refused once another model, which cannot open it, is asked.
    """
    starts = [n for n, item in enumerate(sent) if _kind(item) == "user"]
    found, current = [], starts[-1] if starts else 0
    for position, (before, item) in enumerate(itertools.pairwise([{}, *sent])):
        _, _, wanted = str(item.get("id")).partition(_OF)
        if wanted and before.get("id") != wanted:
            found.append(f"{item['id']} came without {wanted}")
        if _kind(item) == "reasoning" and (position < current or item != _seal(item)):
            found.append(f"{item.get('id')} cannot be opened, or not any more")
        is_new_call = _kind(item) == "function_call" and position > current
        if is_new_call and _kind(before) != "reasoning":
            found.append(f"the call {item.get('call_id')} came without reasoning")
    return found


# --- What the model answers --------------------------------------------------------


def _items(answer: script.Answer) -> Iterator[Item]:
    """The items of an answer: each call comes after reasoning, shown or not."""
    thought: Item = {}
    for part in answer.parts:
        if isinstance(part, script.Call) and not thought:
            yield (thought := _reasoning())
        match part:
            case script.Think(text):
                yield (thought := _reasoning(text))
                continue
            case script.Say(text):
                item = _said(type="output_text", text=text)
            case script.Call():
                item = _call(part)
        led = f"{_OF}{thought['id']}" if thought else ""
        yield {**item, "id": f"item_{next(_NUMBERS)}{led}"}
        thought = {}


def _reasoning(text: str = "") -> Item:
    item: dict[str, Any] = {"type": "reasoning", "id": f"rs_{next(_NUMBERS)}"}
    shown = next(_SHOWN) if text else "summary"
    kind = "summary_text" if shown == "summary" else "reasoning_text"
    parts = [{"type": kind, "text": text}] if text else []
    return _seal({**item, "summary": [], shown: parts})


def _seal(reasoning: Item) -> Item:
    """The reasoning with what only its model can read: here, a copy of it."""
    rest = {k: v for k, v in reasoning.items() if k != "encrypted_content"}
    return {**rest, "encrypted_content": json.dumps(rest, sort_keys=True)}


def _search() -> Item:
    action = {"type": "search", "query": "noon"}
    about = {"id": f"ws_{next(_NUMBERS)}", "status": "completed"}
    return {"type": "web_search_call", **about, "action": action}


def _said(**part: str) -> Item:
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": [part]}


def _call(call: script.Call) -> Item:
    invented = f"call_{next(_NUMBERS)}"
    return {
        "type": "function_call",
        "call_id": invented if call.id is None else call.id or None,
        "name": call.name,
        "arguments": call.written,
    }


def _response(
    items: Sequence[Item],
    tokens: Tokens | None,
    error: Item | None = None,
    stop: str = "",
) -> Any:
    status = "failed" if error else "incomplete" if stop else "completed"
    response: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "status": status,
        "error": error,
        "incomplete_details": {"reason": stop} if stop else None,
        "output": items,
    }
    if tokens is not None:
        response["usage"] = {
            "input_tokens": tokens.input,
            "input_tokens_details": {"cached_tokens": tokens.cached},
            "output_tokens": tokens.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens.input + tokens.output,
        }
    return response
