"""What every scripted model does: it follows a script, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from tests.support.script import Drop, Fail, Request, Scripted, Step, as_step


class Script:
    """Answers each request with the next step; `requests` are those that came.

    A request that the real API would refuse is refused, and takes no step.
    """

    # How the framework that the script is behind treats tools, where there is one.
    manner = "plain"

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._steps: list[Step] = []
        self._responder: Callable[[Request], Scripted] = self._next_step
        # Two rooms may ask at once, each on a thread of the HTTP server.
        self._lock = threading.Lock()

    def script(self, *steps: Scripted) -> None:
        """Append `steps` to the script."""
        self._steps += map(as_step, steps)

    def answer_with(self, responder: Callable[[Request], Scripted]) -> None:
        """Answer with what `responder` makes of each request, not with the script."""
        self._responder = responder

    def leave(self) -> None:
        """Be gone: whoever calls from now on finds nobody."""
        self._responder = lambda _: Drop()

    def step_for(self, request: Request) -> Step:
        """Record `request`, and take the step that answers it."""
        self.requests.append(request)
        told = (request.system, *request.messages)
        if faults := [*request.faults, *text_faults(told)]:
            return Fail(400, "; ".join(faults))
        return as_step(self._responder(request))

    def _next_step(self, request: Request) -> Step:
        with self._lock:
            if self._steps:
                return self._steps.pop(0)
        return Fail(400, "the script has no step left")


def text_faults(told: Sequence[Any]) -> list[str]:
    """Why what a model is told is nothing that can be sent as JSON.

    Clients differ in what they make of half a character, and of no number.
    """
    try:
        json.dumps(told, ensure_ascii=False, allow_nan=False, default=asdict).encode()
    except ValueError as error:
        return [str(error)]
    return []


def pairing_faults(messages: Iterable[tuple[Sequence[str], str | None]]) -> list[str]:
    """Why these calls and answers do not belong together.

    Each message is given as the ids that it calls and the id that it answers. Every
    call must be answered right after the message that makes it, in any order, before
    anything else is said; and no id may be used twice.
    """
    found: list[str] = []
    used: set[str] = set()
    open_calls: list[str] = []
    for calls, answer in messages:
        if answer is not None:
            if answer in open_calls:
                open_calls.remove(answer)
            else:
                found.append(f"the answer {answer!r} follows no call of that id")
            continue
        found += [f"the call {call!r} is not answered" for call in open_calls]
        found += [f"the id {call!r} is used twice" for call in calls if call in used]
        if len(set(calls)) < len(calls):
            found.append(f"one message repeats an id: {list(calls)}")
        used.update(calls)
        open_calls = list(calls)
    return found + [f"the call {call!r} is not answered" for call in open_calls]
