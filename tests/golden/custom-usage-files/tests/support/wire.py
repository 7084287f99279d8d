"""The scripted model behind the adapter's own protocol: it stands where yours will."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

from band.core.types import TurnUsage

from band_adapter_acme import protocol
from tests.support import script
from tests.support.model import Script, pairing_faults
from tests.support.script import Message, Request, Step, Tokens
from tests.support.subject import KEY

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


class Client:
    """What the adapter holds: the protocol's one method, answered by the script."""

    def __init__(self, model: ScriptedModel, key: str) -> None:
        self._model = model
        self._key = key
        self.is_closed = False
        model.clients.append(self)

    async def close(self) -> None:
        self.is_closed = True

    async def complete(
        self, system: str, messages: Sequence[Any], tools: Sequence[dict[str, Any]]
    ) -> Any:
        found = faults(messages)
        if self.is_closed:
            found.append("the client is closed")
        request = Request(
            system=system,
            messages=read(messages),
            tools=tuple(tool["function"]["name"] for tool in tools),
            tool_list=bool(tools),
            faults=tuple(found),
            key=self._key,
            raw=(system, tuple(messages), tuple(tools)),
        )
        step = self._model.step_for(request)
        # Like a real client, it lets other rooms run while it waits.
        await asyncio.sleep(0)
        if isinstance(step, script.Hang):
            await asyncio.get_running_loop().create_future()
        return _reply(step)


def connect(config: Any, key: str) -> Client:
    """Stands in for the author's own model class: same arguments, scripted answers."""
    return Client(_MODELS[config.base_url], key)


def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """A model of the caller's own, as the adapter takes it, and whether it is open."""
    client = Client(model, KEY)
    return {"model": client}, lambda: not client.is_closed


# --- What the model is sent --------------------------------------------------------


def read(messages: Iterable[Any]) -> tuple[Message, ...]:
    """The protocol's messages in neutral form."""
    return tuple(itertools.chain.from_iterable(map(_read_message, messages)))


def _read_message(message: Any) -> Iterator[Message]:
    match message:
        case protocol.UserMessage(text=text):
            if text:
                yield script.Heard(text)
        case protocol.AssistantMessage(text=text, calls=calls):
            if text:
                yield script.Spoke(text)
            for call in calls:
                yield script.Called(call.id, call.name, call.arguments)
        case protocol.ToolMessage(call_id=call_id, text=text):
            yield script.Answered(call_id, text)
            # The protocol has images only where the adapter handles files.
            for image in getattr(message, "images", ()):
                yield script.Saw(image.mime_type, image.data)


def faults(messages: Sequence[Any]) -> list[str]:
    """Why hardly any model API would take `messages`."""
    found = [] if messages else ["there are no messages"]
    for position, message in enumerate(messages):
        found += [f"messages[{position}]: {fault}" for fault in _faults_of(message)]
    return found + pairing_faults(map(_pairing, messages))


def _pairing(message: Any) -> tuple[list[str], str | None]:
    match message:
        case protocol.AssistantMessage(calls=calls):
            return [call.id for call in calls], None
        case protocol.ToolMessage(call_id=call_id):
            return [], call_id
    return [], None


def _faults_of(message: Any) -> Iterator[str]:
    match message:
        case protocol.UserMessage(text=text):
            if not text:
                yield "the user says nothing"
        case protocol.AssistantMessage(text=text, calls=calls):
            if not text and not calls:
                yield "the assistant says nothing"
            for call in calls:
                yield from _faults_of_call(call)
        case protocol.ToolMessage():
            pass
        case _:
            yield f"{message!r} is not a message"


def _faults_of_call(call: Any) -> Iterator[str]:
    if not call.id:
        yield f"the call of {call.name!r} has no id"
    if not isinstance(call.arguments, dict):
        yield f"the arguments {call.arguments!r} are not an object"


# --- What the model answers --------------------------------------------------------


def _reply(step: Step) -> Any:
    match step:
        case script.Fail(status, message):
            raise protocol.ModelError(status, message)
        case script.Drop() | script.Hang():
            raise ConnectionError("the connection was closed")
        case script.Garbled():
            return object()
        case script.Empty(tokens):
            return _model_reply(tokens, stop="no_answer")
        case script.Refuse(text, tokens):
            return _model_reply(tokens, text=text)
        case script.Cut(text, tokens):
            return _model_reply(tokens, text=text, stop="length")
        case script.Filter(tokens):
            return _model_reply(tokens, stop="content_filter")
        case script.Answer():
            return _answer(step)


def _answer(answer: script.Answer) -> protocol.ModelReply:
    stops = {"end": "end", "length": "length", "filter": "content_filter"}
    return _model_reply(
        answer.tokens,
        text=answer.said,
        reasoning=answer.thought,
        calls=tuple(map(_call, answer.calls)),
        stop=stops[answer.finish or "end"],
    )


def _call(call: script.Call) -> protocol.RequestedCall:
    call_id = f"call-{next(_NUMBERS)}" if call.id is None else call.id
    arguments = dict(call.arguments) if call.raw is None else call.raw
    return protocol.RequestedCall(id=call_id, name=call.name, arguments=arguments)


def _model_reply(tokens: Tokens | None, **parts: Any) -> protocol.ModelReply:
    if tokens is not None:
        parts["usage"] = TurnUsage(
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cache_read_tokens=tokens.cached,
        )
    # The protocol has only the fields that the adapter was chosen to handle.
    known = {field.name for field in dataclasses.fields(protocol.ModelReply)}
    return protocol.ModelReply(**{k: v for k, v in parts.items() if k in known})
