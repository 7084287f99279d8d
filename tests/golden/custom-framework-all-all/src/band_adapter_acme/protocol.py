"""What the adapter and a framework say to each other.

``Framework`` is all that the adapter asks of a framework: one method, which runs a
turn to its end. ``Turn`` is what it gets for that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
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
class Outcome:
    """What a run comes to.

    Attributes:
        text: The model's closing words; the words of a refusal, if it refuses.
        stop: Why it ended. ``"length"``, ``"content_filter"`` and ``"no_answer"``
            are outcomes that are not complete: they are never posted as if they were.
    """

    text: str = ""
    stop: Literal["end", "refusal", "length", "content_filter", "no_answer"] = "end"


class ModelError(Exception):
    """The API refused the request, with an HTTP status and a message.

    The room is shown the message's first line. The key of the configuration is blanked
    there; one that the API got from elsewhere has to be left out here.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.message = message


class Turn(Protocol):
    """A turn of a room, as the framework sees it.

    Its methods may be awaited from any task, thread or event loop.
    """

    @property
    def system(self) -> str:
        """The system prompt, for every model call."""
        ...

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation, oldest first; the message to answer is the last."""
        ...

    @property
    def schemas(self) -> Sequence[dict[str, Any]]:
        """The tools on offer. When there are none, send no tool list at all.

        Their shape is
        ``{"type": "function", "function": {"name", "description", "parameters"}}``.
        """
        ...

    async def before_model(self) -> None:
        """Ask for a model call. The run ends here when it may not have another."""
        ...

    async def after_model(
        self,
        *,
        reasoning: str = "",
        usage: TurnUsage | None = None,
    ) -> None:
        """Tell what a model call came to, beside its text and its calls."""
        ...

    async def call(
        self,
        name: str,
        arguments: str | dict[str, Any],
        call_id: str = "",
    ) -> ToolMessage:
        """Call a tool as the model asked for it; what goes wrong is in the answer.

        The arguments are JSON text or an object, and need not be right. The name need
        not be that of a tool.
        """
        ...


class Framework(Protocol):
    """An agent framework, as the adapter sees it."""

    async def run(self, turn: Turn) -> Outcome:
        """Run a turn: call the model and the tools until the model is done.

        Raises:
            ModelError: The model API refused. Any other exception fails the turn too,
                but the room is told no more than that.
        """
        ...
