"""FAIL: what becomes of a model call that fails."""

from __future__ import annotations

import json
import logging
import traceback

import pytest
from band.core.exceptions import ProviderRunError
from band.core.protocols import GENERIC_PROVIDER_FAILURE_MESSAGE

from tests.conformance.declared import Start
from tests.support import wire
from tests.support.room import Room, RoomTools, Turn
from tests.support.script import Call, Drop, Fail, Garbled, Say
from tests.support.subject import KEY, Subject
from tests.support.wire import ScriptedModel

FILE = "/srv/gateway/internal/auth.py"
LEAKS = {
    "key": f"Incorrect API key provided: {KEY}",
    "key-in-url": f"No route to https://api.example.com/?key={KEY}",
    "path": f"Cannot open {FILE}",
    "traceback": f'Oops\nTraceback (most recent call last):\n  File "{FILE}", line 3',
    "all-in-one-line": f'Traceback (most recent call last): File "{FILE}" key {KEY}',
    "windows": r"Cannot open C:\srv\gateway\auth.py",
    "windows-slashes": "Cannot open C:/srv/gateway/auth.py",
    "share": r"Cannot open \\host\gateway\auth.py",
    "file-url": "Cannot open file:///srv/gateway/auth.py",
    "after-a-colon": "path:/srv/gateway/auth.py",
}
PRIVATE = (KEY, FILE, "Traceback", "auth.py", "gateway")


def seen(turn: Turn) -> str:
    """All that the room, and Band's record of the failure, show of ``turn``."""
    posted = [turn.tools.events_sent, turn.tools.messages_sent]
    return json.dumps(posted) + str(turn.error)


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
async def test_a_status_error_is_told_once_with_status_and_message(
    start: Start, model: ScriptedModel, status: int
) -> None:
    model.script(Fail(status, "The model is having tea."))
    turn = await Room(await start()).hear("Hello?")
    (failure,) = turn.failures
    assert "The model is having tea." in failure["message"]
    assert str(status) in f"{failure['message']} {failure['code']}"
    assert turn.replies == []
    assert len(model.requests) == 1


@pytest.mark.rule("FAIL-1", "FAIL-2")
@pytest.mark.parametrize("step", [Garbled(), Drop()], ids=repr)
async def test_any_other_failure_is_told_once_in_general_words(
    start: Start, model: ScriptedModel, step: Garbled | Drop
) -> None:
    model.script(step)
    turn = await Room(await start()).hear("Hello?")
    (failure,) = turn.failures
    assert failure["message"] == GENERIC_PROVIDER_FAILURE_MESSAGE
    assert failure["provider"]
    assert turn.replies == []


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize("step", [Fail(500), Garbled(), Drop()], ids=repr)
async def test_a_failure_is_raised_after_it_was_told(
    start: Start, model: ScriptedModel, step: Fail | Garbled | Drop
) -> None:
    model.script(step)
    turn = await Room(await start()).hear("Hello?")
    assert isinstance(turn.error, ProviderRunError), (
        "a turn whose model failed must not pass for one that was answered"
    )
    assert turn.error.code
    assert str(turn.error) == turn.error.code, "the text of the error is posted by Band"


@pytest.mark.rule("FAIL-1")
async def test_a_failure_after_a_tool_call_ends_the_turn(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Call("band_get_participants"), Fail(503), Say("Never asked for."))
    turn = await Room(await start()).hear("Who is here?")
    assert isinstance(turn.error, ProviderRunError)
    assert len(turn.failures) == 1
    assert len(model.requests) == 2


@pytest.mark.rule("FAIL-1")
async def test_a_failure_that_cannot_be_told_is_still_raised(
    start: Start, model: ScriptedModel
) -> None:
    tools = RoomTools()
    tools.send_event_error = ConnectionError("The events API is down.")
    model.script(Fail(500))
    turn = await Room(await start()).hear("Hello?", tools=tools)
    assert isinstance(turn.error, ProviderRunError)


@pytest.mark.rule("FAIL-1", "HIST-6")
async def test_a_room_recovers_from_a_failure(
    start: Start, model: ScriptedModel
) -> None:
    room = Room(await start())
    model.script(Fail(500), Garbled(), Drop(), Say("Back again."))
    for _ in range(3):
        assert (await room.hear("Hello?")).error is not None
    turn = await room.hear("Hello?")
    assert turn.replies == ["Back again."], turn.error
    assert model.requests[-1].heard == ["[Alice]: Hello?"]


@pytest.mark.rule("FAIL-2", "CFG-2")
@pytest.mark.parametrize("message", LEAKS.values(), ids=LEAKS.keys())
@pytest.mark.parametrize("status", [401, 500])
async def test_nothing_private_of_a_failure_reaches_room_error_or_log(
    start: Start,
    model: ScriptedModel,
    caplog: pytest.LogCaptureFixture,
    status: int,
    message: str,
) -> None:
    model.script(Call("band_get_participants"), Fail(status, message))
    with caplog.at_level(logging.INFO):
        turn = await Room(await start()).hear("Hello?")
    assert turn.error is not None
    assert [word for word in PRIVATE if word in seen(turn)] == []
    assert KEY not in caplog.text
    # The host logs what was raised, with its causes.
    assert KEY not in "".join(traceback.format_exception(turn.error))


@pytest.mark.rule("FAIL-2", "CFG-2")
async def test_the_key_is_in_no_log_of_a_good_turn(
    start: Start, model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    model.script(Call("band_get_participants"), Say("Alice."))
    with caplog.at_level(logging.DEBUG):
        turn = await Room(await start()).hear("Who is here?")
    assert turn.replies == ["Alice."], turn.error
    assert KEY not in caplog.text


@pytest.mark.rule("FAIL-2")
async def test_what_is_told_of_a_failure_is_short(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Fail(500, "long " * 20_000))
    turn = await Room(await start()).hear("Hello?")
    assert len(turn.failures[0]["message"]) <= 1_000


@pytest.mark.rule("FAIL-3")
async def test_tests_ask_the_model_once(start: Start, model: ScriptedModel) -> None:
    model.script(Fail(500), Say("A second attempt."))
    turn = await Room(await start()).hear("Hello?")
    assert turn.error is not None
    assert len(model.requests) == 1


@pytest.mark.rule("FAIL-3")
async def test_the_client_repeats_a_failed_call_as_often_as_it_is_told(
    subject: Subject, start: Start, model: ScriptedModel
) -> None:
    if "max_retries" not in subject.config.model_fields:
        assert subject.inapplicable["FAIL-3"], "say why there is nothing to set"
        return
    model.script(Fail(500), Fail(500), Say("Third time lucky."))
    turn = await Room(await start(settings={"max_retries": 2})).hear("Hello?")
    assert turn.replies == ["Third time lucky."], turn.error
    assert turn.failures == []


@pytest.mark.rule("FAIL-3")
def test_retries_are_left_on_in_use(subject: Subject) -> None:
    if "max_retries" not in subject.config.model_fields:
        assert subject.inapplicable["FAIL-3"], "say why there is nothing to set"
        return
    assert subject.config().max_retries > 0


@pytest.mark.rule("FAIL-2")
async def test_only_the_first_line_of_a_message_is_told(
    start: Start, model: ScriptedModel
) -> None:
    model.script(Fail(500, "Out of memory.\n  in auth.py, line 3"))
    turn = await Room(await start()).hear("Hello?")
    assert "auth.py" not in seen(turn)


@pytest.mark.rule("FAIL-2")
async def test_a_key_from_the_environment_is_kept_out_of_room_and_log(
    subject: Subject,
    start: Start,
    model: ScriptedModel,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    adapter = await start(settings={"provider_key": None})
    monkeypatch.setenv(subject.key_variable, KEY)
    model.script(Fail(401, f"Incorrect API key provided: {KEY}"))
    turn = await Room(adapter).hear("Hello?")
    assert KEY not in seen(turn) + caplog.text


@pytest.mark.rule("FAIL-2", "CFG-4")
async def test_the_key_of_a_client_of_the_callers_own_is_kept_out_of_room_and_log(
    subject: Subject, model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    if "request_options" not in subject.config.model_fields:
        assert subject.inapplicable["CFG-6"], "say why its key is not known here"
        return
    live, _ = wire.live(model)
    adapter = subject.adapter(subject.config(), **live)
    await adapter.startup("Tester", "An agent under test.", features=adapter.features)
    model.script(Fail(401, f"Incorrect API key provided: {KEY}"))
    turn = await Room(adapter).hear("Hello?")
    assert turn.error is not None
    assert KEY not in seen(turn) + caplog.text
