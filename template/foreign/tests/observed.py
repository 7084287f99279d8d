"""An adapter of any kind, with its own choices kept out of the way of what is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from band import Emit
from band.core.delivery import relay_reply
from band.core.exceptions import BandError, ProviderRunError
from band.core.types import is_contact_hub_turn
from band.runtime.tools import ToolCallOutcome
from band.testing import reported_failures
from band_sdk_core import AgentFailure

from tests.support.room import RoomTools
from tests.support.script import (
    Answer,
    Cut,
    Empty,
    Filter,
    Refuse,
    Request,
    Step,
    Think,
)
from tests.support.wire import ScriptedModel


class OwnError(ProviderRunError):
    """What an adapter raised after a failure of the model, with its own text."""


def observed(adapter: Any, model: ScriptedModel, *, relays: bool) -> Any:
    """`adapter`, whose turns end as the tests expect it of any adapter.

    Which exception it raises after a failure of the model, and under which code it
    tells of it, is its own choice. So is whether it posts the final text: where it does
    not (`relays` is False), that is done in its place. An adapter without thoughts has
    a model that shows none.
    """
    thinks = Emit.THOUGHTS in adapter.SUPPORTED_EMIT
    answers, on_message = _recorded(model, thinks=thinks), adapter.on_message

    async def turn(msg: Any, tools: Any, *rest: Any, **options: Any) -> None:
        begun = len(answers)

        def last() -> Step | None:
            return _last(answers[begun:], msg.content)

        if isinstance(tools, RoomTools):
            _reword(tools, last)
        try:
            await on_message(msg, tools, *rest, **options)
        except BandError:
            raise
        except Exception as error:
            if isinstance(last(), Answer) and not _has_told(tools):
                raise
            raise OwnError(str(error) or type(error).__name__) from error
        said = _final_text(last())
        hub = is_contact_hub_turn(sender_type=msg.sender_type, sender_id=msg.sender_id)
        if said and not relays and not hub:
            await relay_reply(tools, said, [{"id": msg.sender_id}])

    adapter.on_message = turn
    return adapter


def _recorded(model: Any, *, thinks: bool) -> list[tuple[Request, Step]]:
    """Every request to `model` from now on, with the step that answered it."""
    if not hasattr(model, "answered"):
        model.answered = []
        step_for = model.step_for

        def answer(request: Request) -> Step:
            step = step_for(request)
            if isinstance(step, Answer) and not thinks:
                parts = [part for part in step.parts if not isinstance(part, Think)]
                step = Answer(*parts, tokens=step.tokens, finish=step.finish)
            model.answered.append((request, step))
            return step

        model.step_for = answer
    return model.answered


def _last(answers: list[tuple[Request, Step]], message: str) -> Step | None:
    """The last step that was taken for `message`: other rooms may ask meanwhile."""
    mine = [step for sent, step in answers if sent.heard and message in sent.heard[-1]]
    return mine[-1] if mine else None


def _final_text(step: Step | None) -> str:
    match step:
        case Refuse(text):
            return text
        case Answer(calls=[], finish=None | "end"):
            return step.said
    return ""


def _has_told(tools: Any) -> bool:
    return isinstance(tools, RoomTools) and bool(reported_failures(tools))


def _reword(tools: RoomTools, last: Callable[[], Step | None]) -> None:
    """Let `tools` say in the words of the tests what an adapter may say in its own.

    What the SDK says of a failed call begins with "Error". A failure that is told
    after the step `last` has the code that the tests have for it.
    """
    execute, send_failure = tools.execute_tool_call_structured, tools.send_failure

    async def marked(tool_name: str, arguments: dict[str, Any]) -> ToolCallOutcome:
        outcome = await execute(tool_name, arguments)
        text = str(outcome.value)
        if outcome.ok or text.startswith("Error"):
            return outcome
        return dataclasses.replace(outcome, value=f"Error: {text}")

    async def coded(failure: AgentFailure) -> Any:
        code = _code(last()) or failure.code
        about = (failure.provider, failure.message, code, failure.detail)
        return await send_failure(AgentFailure(*about))

    for name, function in (
        ("execute_tool_call_structured", marked),
        ("send_failure", coded),
    ):
        setattr(tools, name, function)


def _code(step: Step | None) -> str:
    match step:
        case Cut() | Answer(finish="length"):
            return "length"
        case Filter() | Answer(finish="filter"):
            return "content_filter"
        case Empty():
            return "no_answer"
        case Answer(calls=[_, *_]):
            return "max_tool_rounds"
    return ""
