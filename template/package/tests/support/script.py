"""What a scripted model answers and what it was sent, in words that fit any model API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

# --- One answer of the model -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Say:
    """Text that the model says."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """Reasoning that the model shows."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model calls.

    `id=None` lets the wire invent one; `raw` is the argument text as the model wrote
    it, instead of `arguments`.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    raw: str | None = None

    @property
    def written(self) -> str:
        """The arguments as text."""
        return json.dumps(dict(self.arguments)) if self.raw is None else self.raw


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one answer cost, as the model API reports it."""

    input: int = 11
    output: int = 7
    cached: int = 3


Part: TypeAlias = Say | Think | Call


@dataclass(frozen=True, slots=True, init=False)
class Answer:
    """An ordinary answer; `finish` is a finish reason other than the usual one.

    Only some APIs can "pause", and go on once they are sent what they said.
    """

    parts: tuple[Part, ...]
    tokens: Tokens | None
    finish: Literal["end", "length", "filter", "pause"] | None

    def __init__(
        self,
        *parts: Part,
        tokens: Tokens | None = Tokens(),
        finish: Literal["end", "length", "filter", "pause"] | None = None,
    ) -> None:
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "tokens", tokens)
        object.__setattr__(self, "finish", finish)

    @property
    def said(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Say))

    @property
    def thought(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Think))

    @property
    def calls(self) -> list[Call]:
        return [part for part in self.parts if isinstance(part, Call)]


@dataclass(frozen=True, slots=True)
class Fail:
    """The model API refuses the request with an HTTP status and a message.

    A client may try again at once, or else after `retry_after` seconds.
    """

    status: int
    message: str = "The stub refuses."
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Garbled:
    """Something that is not an answer arrives as if it were one.

    It is what a proxy in between sends; other texts are sent as JSON, right or wrong.
    """

    text: str = "<html><body>Please sign in.</body></html>"


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is closed without an answer."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The model declines to do what it was asked."""

    text: str
    tokens: Tokens | None = Tokens()


@dataclass(frozen=True, slots=True)
class Cut:
    """The answer ends at the length limit, after `text`."""

    text: str
    tokens: Tokens | None = Tokens()


@dataclass(frozen=True, slots=True)
class Filter:
    """A content filter withholds the answer."""

    tokens: Tokens | None = Tokens()


@dataclass(frozen=True, slots=True)
class Empty:
    """An answer with no choice in it."""

    tokens: Tokens | None = Tokens()


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer, until the model closes."""


# What every API can say in its own form.
Reply: TypeAlias = Answer | Refuse | Cut | Filter | Empty
Step: TypeAlias = Reply | Fail | Garbled | Drop | Hang
Scripted: TypeAlias = Step | Part | tuple[Part, ...]


def as_step(scripted: Scripted) -> Step:
    """The step that `scripted` stands for: parts alone stand for an answer."""
    if isinstance(scripted, tuple):
        return Answer(*scripted)
    if isinstance(scripted, (Say, Think, Call)):
        return Answer(scripted)
    return scripted


# --- What the model was sent -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heard:
    """Input from the room: what others said."""

    text: str


@dataclass(frozen=True, slots=True)
class Spoke:
    """The agent's own words."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call that the agent made."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """What the tool answered to the call of that id."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Saw:
    """An image: its media type, and its bytes in base64."""

    mime: str
    data: str


Message: TypeAlias = Heard | Spoke | Called | Answered | Saw


@dataclass(frozen=True, slots=True)
class Request:
    """One request to the model.

    `tool_list` tells whether a list of tools was sent at all, `faults` why the real
    API would have refused the request, `raw` is the request in the API's own form.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    tool_list: bool
    faults: tuple[str, ...]
    key: str
    raw: Any

    @property
    def heard(self) -> list[str]:
        return [sent.text for sent in self.messages if isinstance(sent, Heard)]

    @property
    def spoke(self) -> list[str]:
        return [sent.text for sent in self.messages if isinstance(sent, Spoke)]

    @property
    def called(self) -> list[Called]:
        return [sent for sent in self.messages if isinstance(sent, Called)]

    @property
    def answers(self) -> dict[str, str]:
        answered = [sent for sent in self.messages if isinstance(sent, Answered)]
        return {sent.id: sent.text for sent in answered}

    @property
    def saw(self) -> list[Saw]:
        return [sent for sent in self.messages if isinstance(sent, Saw)]
