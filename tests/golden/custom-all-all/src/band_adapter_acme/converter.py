"""Band room history as messages for AcmeModel."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from band.converters.parsing import (
    INTERRUPTED_TOOL_TEXT,
    ParsedToolCall,
    ParsedToolResult,
    parse_tool_call,
    parse_tool_result,
)
from band.core.protocols import HistoryConverter
from band.core.types import MessageType

from band_adapter_acme.protocol import (
    AssistantMessage,
    Image,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    sendable,
)

logger = logging.getLogger(__name__)

T = TypeVar("T")

Messages = list[Message]


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What the model is told about one of its calls."""

    call: ToolCall
    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()


def told(text: str, *, ok: bool) -> str:
    """What a tool returned, as the model reads it: an error is seen to be one."""
    return text if ok or text.startswith("Error") else f"Error: {text}"


def user_message(text: str) -> UserMessage:
    """Input for the model."""
    return UserMessage(text)


def assistant_messages(text: str, calls: Iterable[ToolCall] = ()) -> Messages:
    """The agent's own words and calls."""
    return [AssistantMessage(text, tuple(calls))]


def tool_messages(answers: Iterable[ToolAnswer]) -> list[ToolMessage]:
    """The answers to all calls of one step."""
    return [
        ToolMessage(
            call_id=answer.call.id,
            name=answer.call.name,
            text=answer.text,
            is_error=answer.is_error,
            images=answer.images,
        )
        for answer in answers
    ]


def starts_turn(message: Message) -> bool:
    """Whether a conversation may be cut before ``message``."""
    return isinstance(message, UserMessage)


def call_ids(messages: Messages) -> set[str]:
    """Ids of all calls in ``messages``."""
    said = (m for m in messages if isinstance(m, AssistantMessage))
    return {call.id for message in said for call in message.calls}


class AcmeHistoryConverter(HistoryConverter[Messages]):
    """Rebuilds a room's conversation, tool calls included.

    What people and other agents said is input, their name before it. The agent's
    own words stay its own, except while one of its calls is open: there the call
    says the same already.
    """

    def __init__(self, agent_name: str = "") -> None:
        self._agent_name = agent_name

    def set_agent_name(self, name: str) -> None:
        """Tell the converter whose words are the agent's own."""
        self._agent_name = name

    def convert(self, raw: list[dict[str, Any]]) -> Messages:
        """Messages for the model, oldest first, with an answer for every call.

        Args:
            raw: Items of the room's history; any key but ``content`` may be missing.
        """
        exchanges = _pair(raw)
        messages: Messages = []
        step: list[_Exchange] = []
        meanwhile: Messages = []
        taken: set[str] = set()
        open_until = -1

        def close_step() -> None:
            if step:
                answers = [exchange.answer(taken) for exchange in step]
                calls = [answer.call for answer in answers]
                messages.extend(assistant_messages("", calls))
                messages.extend(tool_messages(answers))
            messages.extend(meanwhile)
            step.clear()
            meanwhile.clear()

        for index, item in enumerate(raw):
            if exchange := exchanges.get(index):
                # Calls in a row, or made while another is open, are one step.
                if index > open_until and index - 1 not in exchanges:
                    close_step()
                step.append(exchange)
                open_until = max(open_until, exchange.closed_at)
            elif item.get("message_type", MessageType.TEXT) == MessageType.TEXT:
                own = self._is_own(item)
                if index > open_until:
                    close_step()
                    messages.extend(_spoken(item) if own else _heard(item))
                elif not own:
                    meanwhile.extend(_heard(item))
        close_step()
        return messages

    def _is_own(self, item: dict[str, Any]) -> bool:
        name = item.get("sender_name") or ""
        return item.get("role") == "assistant" and name == self._agent_name


@dataclass(slots=True)
class _Exchange:
    """A call of the room's history, and its result where there is one."""

    call: ParsedToolCall
    result: ParsedToolResult | None = None
    closed_at: int = -1

    def answer(self, taken: set[str]) -> ToolAnswer:
        """The exchange under an id that is not ``taken`` yet; takes it."""
        call_id = sendable(self.call.tool_call_id)
        while call_id in taken:
            call_id += "_"
        taken.add(call_id)
        call = ToolCall.read(call_id, self.call.name, self.call.args)
        if self.result is None:
            return ToolAnswer(call, INTERRUPTED_TOOL_TEXT, is_error=True)
        output, failed = sendable(self.result.output), self.result.is_error
        return ToolAnswer(call, told(output, ok=not failed), failed)


def _pair(raw: list[dict[str, Any]]) -> dict[int, _Exchange]:
    """The calls in ``raw`` by position, each with the first result after it."""
    exchanges: dict[int, _Exchange] = {}
    unanswered: dict[str, _Exchange] = {}
    for index, item in enumerate(raw):
        kind, content = item.get("message_type"), item.get("content") or ""
        if kind == MessageType.TOOL_CALL:
            if call := _parsed(parse_tool_call, content):
                exchanges[index] = unanswered[call.tool_call_id] = _Exchange(call)
        elif kind == MessageType.TOOL_RESULT:
            result = _parsed(parse_tool_result, content)
            if result and (exchange := unanswered.pop(result.tool_call_id, None)):
                exchange.result, exchange.closed_at = result, index
    return exchanges


def _parsed(parse: Callable[[str], T | None], event: str) -> T | None:
    """What ``parse`` reads in ``event``; nothing where that is too much for Python."""
    try:
        return parse(event)
    except (ValueError, RecursionError) as error:
        logger.warning("An event of the room's history is dropped: %s", error)
        return None


def _text(item: dict[str, Any], key: str) -> str:
    return sendable(item.get(key) or "")


def _heard(item: dict[str, Any]) -> Messages:
    name, content = _text(item, "sender_name"), _text(item, "content")
    text = f"[{name}]: {content}" if name else content
    return [user_message(text)] if text.strip() else []


def _spoken(item: dict[str, Any]) -> Messages:
    text = _text(item, "content")
    return assistant_messages(text) if text.strip() else []
