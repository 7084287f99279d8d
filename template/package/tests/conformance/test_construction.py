"""CFG: how an adapter is made, and what it takes from its host."""

from __future__ import annotations

import inspect
import json
import socket
from typing import Any

import pytest
from band.core.adapterconfig import BaseAdapterConfig
from band.core.exceptions import BandConfigError
from pydantic import ValidationError

from tests.conformance.declared import Make, Start
from tests.support import wire
from tests.support.room import Room, wait_until
from tests.support.script import Call, Say
from tests.support.subject import KEY, Subject


async def started(adapter: Any) -> Any:
    await adapter.startup("Tester", "An agent under test.", features=adapter.features)
    return adapter


@pytest.mark.rule("CFG-1")
def test_the_config_is_the_only_positional_parameter(subject: Subject) -> None:
    kinds = inspect.signature(subject.adapter).parameters
    positional = [
        name
        for name, parameter in kinds.items()
        if parameter.kind
        not in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    ]
    assert positional == ["config"]


@pytest.mark.rule("CFG-1")
def test_converter_and_tools_are_keywords_and_features_come_last(
    subject: Subject,
) -> None:
    parameters = inspect.signature(subject.adapter).parameters
    for name in ("history_converter", "additional_tools"):
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY, name
    assert [*parameters.values()][-1].kind is inspect.Parameter.VAR_KEYWORD


@pytest.mark.rule("CFG-1")
def test_the_config_may_be_left_out(subject: Subject) -> None:
    assert subject.adapter().config == subject.config()
    assert subject.adapter(None).config == subject.config()


@pytest.mark.rule("CFG-1")
def test_a_converter_of_the_callers_own_is_used(subject: Subject, make: Make) -> None:
    converter = subject.converter()
    assert make(history_converter=converter).history_converter is converter
    assert isinstance(make().history_converter, subject.converter)


@pytest.mark.rule("CFG-2")
def test_the_config_is_named_after_its_adapter(subject: Subject) -> None:
    assert issubclass(subject.config, BaseAdapterConfig)
    assert subject.config.__name__ == f"{subject.adapter.__name__}Config"


@pytest.mark.rule("CFG-2")
def test_a_config_cannot_be_changed(subject: Subject) -> None:
    config = subject.config()
    with pytest.raises(ValidationError, match="frozen"):
        config.custom_section = "Something else."


@pytest.mark.rule("CFG-2")
def test_an_unknown_setting_is_refused(subject: Subject) -> None:
    with pytest.raises(ValidationError, match="no_such_setting"):
        subject.config(no_such_setting=1)


@pytest.mark.rule("CFG-2")
def test_a_config_survives_a_json_round_trip(subject: Subject, make: Make) -> None:
    settings = {"custom_section": 'Say "hi" \\ {{ }} \n 🙂', "max_tool_rounds": 3}
    config = make(settings=settings).config
    assert subject.config.model_validate_json(config.model_dump_json()) == config
    assert subject.config(**json.loads(config.model_dump_json())) == config


@pytest.mark.rule("CFG-2")
def test_the_key_shows_in_no_repr(subject: Subject, make: Make) -> None:
    adapter = make()
    assert adapter.config.provider_key == KEY
    for shown in (repr(adapter.config), str(adapter.config), repr(adapter)):
        assert KEY not in shown
    assert subject.config.model_fields["provider_key"].default is None


@pytest.mark.rule("CFG-3")
def test_an_adapter_is_made_without_key_network_or_loop(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("an adapter must not touch the network when it is made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert subject.adapter().config.provider_key is None


@pytest.mark.rule("CFG-3")
async def test_a_missing_key_is_named_on_the_first_message(
    subject: Subject, model: wire.ScriptedModel, start: Start
) -> None:
    turn = await Room(await start(settings={"provider_key": None})).hear("Hello.")
    assert isinstance(turn.error, BandConfigError)
    assert subject.key_variable in str(turn.error)
    assert model.requests == []


@pytest.mark.rule("CFG-3")
async def test_the_key_is_read_from_the_environment_on_first_use(
    subject: Subject,
    model: wire.ScriptedModel,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    adapter = await start(settings={"provider_key": None})
    monkeypatch.setenv(subject.key_variable, "key-set-after-the-start")
    model.script(Say("Here I am."))
    turn = await Room(adapter).hear("Hello.")
    assert turn.replies == ["Here I am."], turn.error
    assert model.requests[0].key == "key-set-after-the-start"


@pytest.mark.rule("CFG-3")
async def test_the_variable_that_holds_the_key_can_be_another(
    subject: Subject,
    model: wire.ScriptedModel,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(subject.key_variable, "not-the-key-to-take")
    adapter = await start(
        settings={"provider_key": None, "provider_key_env": "OTHER_KEY"}
    )
    turn = await Room(adapter).hear("Hello.")
    assert isinstance(turn.error, BandConfigError)
    assert "OTHER_KEY" in str(turn.error)
    assert model.requests == []


@pytest.mark.rule("CFG-3")
async def test_a_key_in_the_config_wins_over_the_environment(
    subject: Subject,
    model: wire.ScriptedModel,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(subject.key_variable, "not-the-key-to-take")
    model.script(Say("Hi."))
    await Room(await start()).hear("Hello.")
    assert model.requests[0].key == KEY


@pytest.mark.rule("CFG-4")
async def test_a_client_of_the_callers_own_is_used_and_left_open(
    subject: Subject, model: wire.ScriptedModel
) -> None:
    live, is_open = wire.live(model)
    with wire.ScriptedModel() as other:
        adapter = await started(subject.make(other, **live))
        model.script(Say("From the caller's client."))
        turn = await Room(adapter).hear("Hello.")
        await adapter.cleanup_all()
    assert turn.replies == ["From the caller's client."], turn.error
    assert is_open(), "the adapter closed a client that is not its own"


@pytest.mark.rule("CFG-4", "CFG-3")
async def test_a_client_of_the_callers_own_needs_no_key(
    subject: Subject, model: wire.ScriptedModel
) -> None:
    live, _ = wire.live(model)
    adapter = await started(subject.adapter(subject.config(), **live))
    model.script(Say("No key needed."))
    turn = await Room(adapter).hear("Hello.")
    assert turn.replies == ["No key needed."], turn.error


@pytest.mark.rule("CFG-4")
async def test_the_adapters_own_client_is_shared_and_closed(
    model: wire.ScriptedModel, start: Start
) -> None:
    adapter = await start()
    model.script(Say("One."), Say("Two."))
    await Room(adapter, "room-1").hear("Hello.")
    await Room(adapter, "room-2").hear("Hello.")
    assert model.connections == 1, "one client serves every room and every turn"
    await adapter.cleanup_all()
    await wait_until(lambda: model.connections == 0)


@pytest.mark.rule("CFG-4")
async def test_cleaning_up_twice_or_unused_is_harmless(start: Start) -> None:
    adapter = await start()
    await adapter.cleanup_all()
    await adapter.cleanup_all()
    assert adapter.features is not None


@pytest.mark.rule("CFG-4")
async def test_an_adapter_that_was_cleaned_up_can_start_again(
    model: wire.ScriptedModel, start: Start
) -> None:
    adapter = await start()
    model.script(Say("Before."), Say("After."))
    await Room(adapter).hear("Hello.")
    await adapter.cleanup_all()
    turn = await Room(await started(adapter)).hear("Hello again.")
    assert turn.replies == ["After."], turn.error


@pytest.mark.rule("CFG-5")
async def test_the_base_url_decides_which_server_is_asked(
    subject: Subject, model: wire.ScriptedModel
) -> None:
    with wire.ScriptedModel() as other:
        other.script(Say("From over here."))
        adapter = await started(subject.make(other))
        turn = await Room(adapter).hear("Hello.")
        await adapter.cleanup_all()
    assert turn.replies == ["From over here."], turn.error
    assert model.requests == []


def holds(sent: Any, option: Any) -> bool:
    """Whether ``option`` is somewhere in ``sent``; lists may have more than it lists."""
    if isinstance(option, list):
        return isinstance(sent, list) and all(map(sent.__contains__, option))
    if not isinstance(sent, dict):
        return bool(sent == option)
    here = isinstance(option, dict) and option.keys() <= sent.keys()
    if here and all(holds(sent[name], option[name]) for name in option):
        return True
    return any(holds(value, option) for value in sent.values())


@pytest.mark.rule("CFG-6")
async def test_the_hosts_options_go_with_every_request(
    subject: Subject, model: wire.ScriptedModel, start: Start
) -> None:
    if "request_options" not in subject.config.model_fields:
        assert subject.inapplicable["CFG-6"], "say why there is nothing to set"
        return
    assert subject.options
    for option in subject.options:
        adapter = await start(settings={"request_options": option})
        model.script(Call("band_get_participants"), Say("Alice."), Say("Still Alice."))
        room = Room(adapter)
        assert (await room.hear("Who is here?")).replies == ["Alice."]
        assert (await room.hear("And now?")).replies == ["Still Alice."]
        for request in model.requests[-3:]:
            assert holds(request.raw, option), option
            assert "band_send_message" in request.tools
