"""The scripted model behind the Gemini API: the real client meets it."""

from __future__ import annotations

import base64
import itertools
import json
import operator
import re
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Self
from unittest import mock

from google import genai

from tests.support import script
from tests.support.http_model import HttpModel
from tests.support.http_stub import HttpRequest
from tests.support.model import pairing_faults
from tests.support.script import Message, Reply, Request, Tokens
from tests.support.subject import KEY

_Client = genai.Client
_KINDS = {
    "user": {"text", "functionResponse", "inlineData"},
    "model": {"text", "functionCall"},
}
_NUMBERS = itertools.count(1)
# It has the characters in which the alphabets of base64 differ.
_SIGNATURE = b"signed\xff\xfe\xfb"


class ScriptedModel(HttpModel):
    """The model that a script plays, as a service at `url` while entered.

    It signs the first call of each answer, and wants that signature back.
    """

    base_path = "/v1beta"
    path = r"/models/[^/]+:generateContent"

    def __init__(self) -> None:
        super().__init__()
        self._clients: list[genai.Client] = []
        self._entered = ExitStack()

    def __enter__(self) -> Self:
        # A client loads its own certificates, twice: most of what a test would take.
        bare = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for name, stand_in in (
            ("ssl.create_default_context", lambda **_: bare),
            ("google.genai.Client", self._connect),
        ):
            self._entered.enter_context(mock.patch(name, stand_in))
        return super().__enter__()

    def __exit__(self, *exc_info: object) -> None:
        super().__exit__(*exc_info)
        self._entered.close()

    def _connect(self, **options: Any) -> genai.Client:
        # One that is forgotten closes itself, and nobody would see that it was left.
        self._clients.append(_Client(**options))
        return self._clients[-1]

    def read_request(self, http: HttpRequest) -> Request:
        body = http.json or {}
        contents, tools = body.get("contents") or [], body.get("tools")
        declared = [
            one for tool in tools or () for one in tool.get("functionDeclarations", ())
        ]
        found = [*faults(contents), *_faults_of_turns(contents)]
        found += [fault for one in declared for fault in _faults_of_declaration(one)]
        if tools is not None and not declared:
            found.append("the list of tools is empty")
        own = _parts(body.get("systemInstruction") or {})
        return Request(
            system="".join(part["text"] for part in own),
            messages=read(contents),
            tools=tuple(one["name"] for one in declared),
            tool_list=tools is not None,
            faults=tuple(found),
            key=http.headers.get("x-goog-api-key", ""),
            raw=body,
        )

    def reply(self, step: Reply, request: Request) -> Any:
        match step:
            case script.Empty(tokens):
                return _response(tokens)
            case script.Refuse(text, tokens):
                return _response(tokens, _candidate("STOP", {"text": text}))
            case script.Cut(text, tokens):
                return _response(tokens, _candidate("MAX_TOKENS", {"text": text}))
            case script.Filter(tokens):
                return _response(tokens, promptFeedback={"blockReason": "OTHER"})
            case script.Answer():
                reasons = {"end": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}
                parts = _answer(step, shows_thoughts=_wants_thoughts(request))
                candidate = _candidate(reasons[step.finish or "end"], *parts)
                return _response(step.tokens, candidate)

    def error(self, status: int, message: str) -> Any:
        return {"error": {"code": status, "message": message, "status": "STUB"}}


def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """A client of the caller's own, as the adapter takes it, and whether it is open."""
    host, _, version = model.url.rpartition("/")
    address: Any = {"base_url": host, "api_version": version}
    client = _Client(api_key=KEY, http_options=address)
    closing = mock.patch.object(client.aio, "aclose", wraps=client.aio.aclose).start()
    return {"client": client}, lambda: not closing.called


# --- What the model is sent --------------------------------------------------------


def read(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Gemini's contents in neutral form. Text without a word only keeps the turns."""
    return tuple(
        itertools.chain.from_iterable(
            _read_part(part, by_model=message.get("role") == "model")
            for message in messages
            for part in _parts(message)
        )
    )


def _read_part(part: Mapping[str, Any], *, by_model: bool) -> Iterator[Message]:
    if re.search(r"\w", text := part.get("text", "")):
        yield script.Spoke(text) if by_model else script.Heard(text)
    if call := part.get("functionCall"):
        yield script.Called(call.get("id", ""), call["name"], call.get("args", {}))
    if answer := part.get("functionResponse"):
        ((kind, text),) = answer["response"].items()
        # What is told as an output has succeeded, whatever its text says.
        as_read = (kind == "error") == text.startswith("Error")
        told = text if as_read else f"{kind}: {text}"
        yield script.Answered(answer.get("id", ""), told)
        for inner in answer.get("parts", ()):
            yield from _read_part(inner, by_model=by_model)
    if image := _either(part, "inlineData"):
        # The API takes both alphabets of base64, and clients write either.
        data = image["data"].translate(str.maketrans("-_", "+/"))
        yield script.Saw(_either(image, "mimeType"), data)


def _parts(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return content.get("parts") or []


def _either(fields: Mapping[str, Any], name: str) -> Any:
    """A field that clients name in one of the two ways that the API takes."""
    return fields.get(name, fields.get(re.sub("([A-Z])", r"_\1", name).lower()))


def faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why the API refuses to begin with `messages`; a row of one role is one turn."""
    found = [] if messages and messages[0].get("role") == "user" else ["no user begins"]
    for position, message in enumerate(messages):
        found += [f"contents[{position}]: {fault}" for fault in _faults_of(message)]
    pairs = itertools.chain.from_iterable(map(_pairing, messages))
    return found + pairing_faults(pairs)


def _pairing(message: Mapping[str, Any]) -> Iterator[tuple[list[str], str | None]]:
    parts = _parts(message)
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    for answer in answers:
        yield [], str(answer.get("id"))
    if not answers:
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        yield [str(call.get("id")) for call in calls], None


def _faults_of(message: Mapping[str, Any]) -> Iterator[str]:
    role, parts = message.get("role"), _parts(message)
    kinds = {kind for part in parts for kind in part} - {"thoughtSignature"}
    if not parts:
        yield "it has no parts"
    if not kinds <= _KINDS.get(str(role), set()):
        yield f"the role {role!r} has no {sorted(kinds)}"
    if {"text", "functionResponse"} <= kinds:
        yield "the text beside an answer is taken for a part of that"
    for part in parts:
        if not part.keys() & kinds:
            yield "a part is empty"
        if call := part.get("functionCall", part.get("functionResponse")):
            yield from _faults_of_call(call)


def _faults_of_call(call: Mapping[str, Any]) -> Iterator[str]:
    if not 1 <= len(call.get("id", "")) <= 64:
        yield f"the id {call.get('id')!r} is not a text of 1 to 64 characters"
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(call.get("name"))):
        yield f"the name {call.get('name')!r} does not match the pattern"
    fields = call.get("args", call.get("response"))
    if not isinstance(fields, dict):
        yield f"{fields!r} is not an object"
    if "response" in call and fields.keys() not in ({"output"}, {"error"}):
        yield f"the response has the fields {[*fields]}"


def _faults_of_turns(contents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the API minds in a whole conversation only."""
    roles = [content.get("role") for content in contents]
    if roles[-1:] == ["model"] or any(map(operator.eq, roles, roles[1:])):
        yield f"user and model do not take turns: {roles}"
    # Signatures are wanted back until someone speaks again.
    for content in itertools.takewhile(
        lambda c: c.get("role") == "model" or "text" not in _parts(c)[0],
        reversed(contents),
    ):
        calls = [part for part in _parts(content) if "functionCall" in part]
        if calls and not _is_signed(calls[0]):
            yield f"the call {calls[0]['functionCall']['name']} lacks its signature"


def _faults_of_declaration(declared: Mapping[str, Any]) -> Iterator[str]:
    schema = json.dumps(_either(declared, "parametersJsonSchema"))
    if refused := re.findall(r'"(additionalProperties|minimum|maximum)": ', schema):
        yield f"{declared['name']}: there is no {refused[0]}"


# --- What the model answers --------------------------------------------------------


def _wants_thoughts(request: Request) -> bool:
    thinking = request.raw.get("generationConfig", {}).get("thinkingConfig", {})
    return bool(_either(thinking, "includeThoughts"))


def _answer(answer: script.Answer, *, shows_thoughts: bool) -> Iterator[dict[str, Any]]:
    if answer.thought and shows_thoughts:
        yield {"text": answer.thought, "thought": True}
    if answer.said:
        yield {"text": answer.said}
    for number, call in enumerate(answer.calls):
        part = {"functionCall": _call(call)}
        signature = base64.b64encode(_SIGNATURE).decode()
        yield part if number else {**part, "thoughtSignature": signature}


def _call(call: script.Call) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": call.name, "args": dict(call.arguments)}
    if call.raw is not None:
        # The API itself makes objects of what a model writes; not every server does.
        fields["args"] = call.raw
    if call.id != "":
        fields["id"] = call.id or f"call-{next(_NUMBERS)}"
    return fields


def _is_signed(part: Mapping[str, Any]) -> bool:
    return base64.urlsafe_b64decode(part.get("thoughtSignature", "")) == _SIGNATURE


def _candidate(reason: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    # APIs grow: a client meets fields that it does not know.
    known = [{**part, "addedLater": {"since": 4}} for part in parts]
    content = {"role": "model", "parts": known} if known else {"role": "model"}
    return {"content": content, "finishReason": reason, "index": 0}


def _response(tokens: Tokens | None, *candidates: Any, **fields: Any) -> Any:
    response = {"candidates": candidates, "modelVersion": "scripted", **fields}
    if tokens is not None:
        thoughts = tokens.output // 2
        response["usageMetadata"] = {
            "promptTokenCount": tokens.input,
            "candidatesTokenCount": tokens.output - thoughts,
            "thoughtsTokenCount": thoughts,
            "cachedContentTokenCount": tokens.cached,
            "totalTokenCount": tokens.input + tokens.output,
        }
    return response
