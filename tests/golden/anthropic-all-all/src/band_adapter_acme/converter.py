"""Band room history as messages for Anthropic Messages."""

from __future__ import annotations

import hashlib
import json
import logging
import re
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

logger = logging.getLogger(__name__)

T = TypeVar("T")

Messages = list[dict[str, Any]]


def sendable(text: str) -> str:
    """``text`` in whole characters; JSON may bring in halves, which go nowhere."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model, under an id that is unique in the conversation.

    ``arguments`` is always an object: what the model wrote instead of one is kept
    under ``"raw"``, and ``fault`` says what is wrong with it.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    fault: str = ""

    @classmethod
    def read(cls, call_id: Any, name: Any, written: Any) -> ToolCall:
        """The call as the model wrote it; what it left out is empty.

        ``written`` are the arguments, as JSON text or as an object.
        """
        call_id, name = sendable(str(call_id or "")), sendable(str(name or ""))
        written = written or {}
        try:
            value = json.loads(written) if isinstance(written, str) else written
            # Python reads more than it may send: NaN, and halves of characters.
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raw = sendable(str(written))
            return cls(call_id, name, {"raw": raw}, f"not JSON: {error}")
        if isinstance(value, dict):
            return cls(call_id, name, value)
        return cls(call_id, name, {"raw": written}, "not a JSON object")


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that a tool returned; ``data`` is base64."""

    mime_type: str
    data: str


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


def user_message(text: str) -> dict[str, Any]:
    """Input for the model."""
    return {"role": "user", "content": text}


def assistant_messages(
    text: str, calls: Iterable[ToolCall] = (), raw: Iterable[dict[str, Any]] = ()
) -> Messages:
    """The agent's own words and calls, in the blocks ``raw`` if the model gave them."""
    made = [_tool_use(call) for call in calls]
    left = iter(made)
    blocks = [
        block | next(left) if block["type"] == "tool_use" else block
        for block in raw or [{"type": "text", "text": text}, *made]
        # The API itself may say a blank text, and refuses to get one back.
        if block["type"] != "text" or block["text"].strip()
    ]
    return [{"role": "assistant", "content": blocks}] if blocks else []


def _tool_use(call: ToolCall) -> dict[str, Any]:
    named = {"id": api_id(call.id), "name": api_name(call.name)}
    return {"type": "tool_use", **named, "input": call.arguments}


def tool_messages(answers: Iterable[ToolAnswer]) -> Messages:
    """The answers to all calls of one step, which the API wants in one message."""
    results = [
        {
            "type": "tool_result",
            "tool_use_id": api_id(answer.call.id),
            "content": _content(answer),
            "is_error": answer.is_error,
        }
        for answer in answers
    ]
    return [{"role": "user", "content": results}]


def _content(answer: ToolAnswer) -> str | list[dict[str, Any]]:
    sources = [
        {"type": "base64", "media_type": image.mime_type, "data": image.data}
        for image in answer.images
    ]
    images = [{"type": "image", "source": source} for source in sources]
    return [{"type": "text", "text": answer.text}, *images] if images else answer.text


def starts_turn(message: dict[str, Any]) -> bool:
    """Whether a conversation may be cut before ``message``."""
    return message["role"] == "user" and isinstance(message["content"], str)


def call_ids(messages: Messages) -> set[str]:
    """Ids of all calls in ``messages``."""
    said = (m["content"] for m in messages if m["role"] == "assistant")
    return {b["id"] for blocks in said for b in blocks if b["type"] == "tool_use"}


def api_name(name: str) -> str:
    """``name`` as the API takes it: it refuses what no tool could be called."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "_"


def api_id(call_id: str) -> str:
    """``call_id``, or what stands for it where the API would refuse it."""
    if re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call_id):
        return call_id
    return hashlib.sha256(call_id.encode()).hexdigest()[:64]


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
        # A conversation that the agent began is none to the API.
        if messages and not starts_turn(messages[0]):
            messages.insert(0, user_message("…"))
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
