"""What an adapter declares, which it must show, and the rest, which it must refuse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from band import Capability, Emit
from band.core.exceptions import BandConfigError
from band.core.types import MessageType, is_usage_event

from tests.support.room import Turn
from tests.support.subject import Subject

Make = Callable[..., Any]
"""Makes an adapter that meets the scripted model: keywords of the constructor."""

Start = Callable[..., Awaitable[Any]]
"""Makes and starts an adapter, as a host does before the first message."""


def declares(subject: Subject, make: Make, kind: Emit | Capability) -> bool:
    """Whether the adapter declares ``kind``; what it does not declare it must refuse."""
    if isinstance(kind, Emit):
        declared, asked = kind in subject.adapter.SUPPORTED_EMIT, {"emit": kind}
    else:
        declared = kind in subject.adapter.SUPPORTED_CAPABILITIES
        asked = {"capabilities": kind}
    if not declared:
        with pytest.raises(BandConfigError, match=kind.value):
            make(**asked)
    return declared


def reported(turn: Turn) -> set[Emit]:
    """The emit kinds to which the events of ``turn`` belong; errors belong to none."""
    kinds = set()
    for event in turn.tools.events_sent:
        match event["message_type"]:
            case MessageType.TOOL_CALL | MessageType.TOOL_RESULT:
                kinds.add(Emit.TOOL_CALLS)
            case MessageType.THOUGHT:
                kinds.add(Emit.THOUGHTS)
            case MessageType.TASK if is_usage_event(event["metadata"]):
                kinds.add(Emit.USAGE)
            case MessageType.TASK:
                kinds.add(Emit.TASK_EVENTS)
    return kinds
