"""Tests of your own: what your agent does beyond what every adapter does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from band_adapter_acme import (
    AcmeAdapter,
)
from tests.support.room import Room
from tests.support.script import Call, Say
from tests.support.wire import ScriptedModel


async def test_answers_with_what_it_looked_up(
    start: Callable[..., Awaitable[AcmeAdapter]],
    model: ScriptedModel,
) -> None:
    model.script(Call("band_get_participants"), Say("Alice and Bob Bot are here."))

    turn = await Room(await start()).hear("Who is here?")

    assert turn.replies == ["Alice and Bob Bot are here."]
