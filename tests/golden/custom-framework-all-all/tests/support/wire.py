"""A scripted framework behind the adapter's own protocol: it stands where yours will."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

from band.core.types import TurnUsage

from band_adapter_acme import protocol
from tests.support import script
from tests.support.model import Script, pairing_faults
from tests.support.script import Message, Request, Step
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
    """What the adapter holds: a small framework, whose model is the script.

    It runs tools as the model's `manner` says: "plain"; "swallows" takes every
    exception of a tool for its answer; "hangs" does not end when it is cancelled;
    "threads" calls each tool from an event loop in a thread of its own.
    """

    def __init__(self, model: ScriptedModel, key: str) -> None:
        self._model = model
        self._key = key
        self.is_closed = False
        model.clients.append(self)

    async def close(self) -> None:
        self.is_closed = True

    async def run(self, turn: Any) -> Any:
        try:
            return await self._run(turn)
        except asyncio.CancelledError:
            if self._model.manner == "hangs":
                await asyncio.get_running_loop().create_future()
            raise

    async def _run(self, turn: Any) -> Any:
        messages = list(turn.messages)
        while True:
            await turn.before_model()
            step = await self._ask(turn, messages)
            if not isinstance(step, script.Answer):
                await turn.after_model(**_spent(step))
                return _outcome(step)
            await turn.after_model(**_spent(step))
            if not step.calls:
                return _outcome(step)
            answers = [await self._tool(turn, call) for call in step.calls]
            calls = [
                protocol.ToolCall.read(answer.call_id, call.name, _written(call))
                for call, answer in zip(step.calls, answers, strict=True)
            ]
            messages += [protocol.AssistantMessage(step.said, tuple(calls)), *answers]

    async def _ask(self, turn: Any, messages: Sequence[Any]) -> Step:
        found = faults(messages)
        if self.is_closed:
            found.append("the framework is closed")
        request = Request(
            system=turn.system,
            messages=read(messages),
            tools=tuple(tool["function"]["name"] for tool in turn.schemas),
            tool_list=bool(turn.schemas),
            faults=tuple(found),
            key=self._key,
            raw=(turn.system, tuple(messages), tuple(turn.schemas)),
        )
        step = self._model.step_for(request)
        # Like a real client, it lets other rooms run while it waits.
        await asyncio.sleep(0)
        match step:
            case script.Fail(status, message):
                raise protocol.ModelError(status, message)
            case script.Drop():
                raise ConnectionError("the connection was closed")
            case script.Garbled():
                raise ValueError("not an answer")
            case script.Hang():
                await asyncio.get_running_loop().create_future()
        return step

    async def _tool(self, turn: Any, call: script.Call) -> Any:
        call_id = f"call-{next(_NUMBERS)}" if call.id is None else call.id
        work = turn.call(call.name, _written(call), call_id)
        if self._model.manner == "threads":
            return await asyncio.to_thread(asyncio.run, work)
        answer = await self._swallowing(work)
        return answer or protocol.ToolMessage(call_id, call.name, "Error")

    async def _swallowing(self, work: Any) -> Any:
        try:
            return await work
        except BaseException:
            if self._model.manner != "swallows":
                raise
        return None


def connect(config: Any, key: str) -> Client:
    """Stands in for the author's own framework class: same arguments."""
    return Client(_MODELS[config.base_url], key)


def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """A framework of the caller's own, and whether it is open."""
    client = Client(model, KEY)
    return {"framework": client}, lambda: not client.is_closed


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


def _written(call: script.Call) -> Any:
    return dict(call.arguments) if call.raw is None else call.raw


def _outcome(step: Step) -> Any:
    match step:
        case script.Refuse(text):
            return protocol.Outcome(text, "refusal")
        case script.Cut(text):
            return protocol.Outcome(text, "length")
        case script.Filter():
            return protocol.Outcome("", "content_filter")
        case script.Answer(finish="length"):
            return protocol.Outcome(step.said, "length")
        case script.Answer(finish="filter"):
            return protocol.Outcome(step.said, "content_filter")
        case script.Answer():
            return protocol.Outcome(step.said)
    return protocol.Outcome("", "no_answer")


def _spent(step: Step) -> dict[str, Any]:
    """What a model call came to, in what the protocol has for it."""
    told: dict[str, Any] = {}
    if tokens := getattr(step, "tokens", None):
        told["usage"] = TurnUsage(
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cache_read_tokens=tokens.cached,
        )
    if isinstance(step, script.Answer):
        told["reasoning"] = step.thought
    known = inspect.signature(protocol.Turn.after_model).parameters
    return {name: value for name, value in told.items() if name in known}
