"""What the adapter and a model API say to each other.

``Model`` is all that the adapter asks of an API: one method, conversation in,
answer out. Everything here is plain data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from band.core.types import TurnUsage


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that a tool returned; ``data`` is base64."""

    mime_type: str
    data: str


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
class UserMessage:
    """Input: what someone in the room said, with their name before it."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What the model said, and the tools that it called."""

    text: str
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The answer to one call; a step's answers follow its calls, in their order."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()


Message = UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call as the API returned it: an id, or "", and JSON text or an object."""

    id: str
    name: str
    arguments: str | dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One answer of the model.

    Attributes:
        text: What it says; the words of a refusal, if it refuses.
        calls: The tools that it wants to call, in order.
        stop: Why it ended. ``"length"``, ``"content_filter"`` and ``"no_answer"``
            are answers that are not complete: they are never posted as if they were.
        usage: Tokens of this one answer.
    """

    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    stop: Literal["end", "refusal", "length", "content_filter", "no_answer"] = "end"
    usage: TurnUsage = field(default_factory=TurnUsage)


class ModelError(Exception):
    """The API refused the request, with an HTTP status and a message.

    The room is shown the message's first line. The key of the configuration is blanked
    there; one that the API got from elsewhere has to be left out here.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.message = message


class Model(Protocol):
    """A model API, as the adapter sees it."""

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
    ) -> ModelReply:
        """The model's next answer.

        Args:
            system: The system prompt, to be sent with every request.
            messages: The conversation, oldest first. Every call is answered.
            tools: Schemas of the tools on offer, in the shape
                ``{"type": "function", "function": {"name", "description", "parameters"}}``.
                When there are none, send no tool list at all.

        Raises:
            ModelError: The API refused. Any other exception fails the turn too, but
                the room is told no more than that.
        """
        ...
