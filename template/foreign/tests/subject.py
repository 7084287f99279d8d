"""Where the conformance tests meet an adapter of any package: in a file of its user's."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from band.core.protocols import TurnResultAlreadyReported
from band.core.simple_adapter import SimpleAdapter
from band.core.types import FeatureKwargs
from pydantic import BaseModel

from tests import asked
from tests.observed import observed
from tests.support.room import Room, Turn
from tests.support.script import Say
from tests.support.subject import KEY, Subject
from tests.support.wire import ScriptedModel

QUESTION, ANSWER = "Hello?", "Hello."
PATH = Path(os.environ["BAND_ADAPTER_SUBJECT"])

SETTINGS = (
    "custom_section",
    "max_history_messages",
    "max_retries",
    "max_tool_result_chars",
    "max_tool_rounds",
)
"""What the tests set where `make` has a parameter of that name."""


class Problem(pytest.UsageError):
    """Why nothing can be asked of the adapter, in one sentence."""


@dataclass(frozen=True)
class Foreign(Subject):
    """An adapter that the user's function `maker` makes.

    `takes` are the settings and options that it can be made with, `relays` tells
    whether the adapter posts its final text by itself.
    """

    maker: Callable[..., Any] = SimpleAdapter
    takes: frozenset[str] = frozenset()
    relays: bool = True

    def make(
        self,
        model: ScriptedModel,
        /,
        settings: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        given = {**(settings or {}), **options}
        for name in given.keys() - self.takes:
            pytest.skip(f"it cannot be made with {name}")
        return observed(made(self.maker, model, given), model, relays=self.relays)


def made(maker: Callable[..., Any], model: ScriptedModel, given: Any) -> Any:
    """What the user's function makes, told where the model is and which key it wants."""
    keyed: Any = model
    keyed.key = KEY
    return maker(keyed, **given)


def load(path: Path) -> Any:
    """The module in the file `path`, whose folder can be imported from."""
    sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location("subject_of_check", path)
    if spec is None or spec.loader is None:
        raise Problem(f"{path.name} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise Problem(f"{path.name} cannot be imported: {_told(error)}") from error
    if not callable(getattr(module, "make", None)):
        raise Problem(f"{path.name} has no function make(model) that makes an adapter.")
    return module


def first_turn(maker: Callable[..., Any]) -> tuple[Any, Turn]:
    """An adapter, and what became of a plain question to it."""
    with ScriptedModel() as model:
        model.script(Say(ANSWER))
        try:
            adapter = made(maker, model, {})
        except Exception as error:
            raise Problem(f"make(model) fails: {_told(error)}") from error
        if not isinstance(adapter, SimpleAdapter):
            kind = type(adapter).__name__
            raise Problem(f"make(model) must give a SimpleAdapter, and gives: {kind}.")
        name = type(adapter).__name__
        try:
            turn = asyncio.run(_ask(adapter))
        except Exception as error:
            raise Problem(f"{name} cannot be started: {_told(error)}") from error
        if turn.error and not isinstance(turn.error, TurnResultAlreadyReported):
            raise Problem(f"{name} cannot answer {QUESTION!r}: {_told(turn.error)}")
        if not model.requests:
            raise Problem(f"{name} does not ask the model that make is given.")
    return adapter, turn


async def _ask(adapter: Any) -> Turn:
    await adapter.startup("Tester", "An agent under test.", features=adapter.features)
    turn = await Room(adapter).hear(QUESTION)
    await adapter.cleanup_all()
    return turn


def _told(error: BaseException) -> str:
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _takes(maker: Callable[..., Any], adapter: type[Any]) -> Iterable[str]:
    """The settings that `maker` names, and the options that can reach `adapter`."""
    parameters = inspect.signature(maker).parameters
    options = FeatureKwargs.__annotations__.keys() | {
        name
        for name in ("additional_tools", "history_converter")
        if name in inspect.signature(adapter).parameters
    }
    yield from (name for name in parameters if name in {*SETTINGS, *options})
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        yield from options


def _converter(adapter: Any, module: Any) -> type[Any]:
    """The adapter's converter, with what it makes in the form that the API is sent."""
    own: Any = type(adapter.history_converter or _NoConverter())

    class Converter(own):
        def convert(self, raw: list[dict[str, Any]]) -> Any:
            sent = getattr(module, "sent", lambda messages: messages)
            return sent(super().convert(raw))

    return Converter


class _NoConverter:
    def __init__(self, agent_name: str = "") -> None:
        self.agent_name = agent_name

    def convert(self, raw: list[dict[str, Any]]) -> Any:
        pytest.skip(asked.NO_CONVERTER)


def _subject(path: Path) -> Foreign:
    module = load(path)
    adapter, turn = first_turn(module.make)
    kind, config = type(adapter), type(getattr(adapter, "config", None))
    config = config if issubclass(config, BaseModel) else BaseModel
    takes = frozenset(_takes(module.make, kind))
    if "max_retries" not in config.model_fields:
        takes -= {"max_retries"}
    relays = turn.replies == [ANSWER]
    converts = adapter.history_converter is not None
    rules = asked.rules(takes, relays=relays, converts=converts)
    return Foreign(
        adapter=kind,
        config=config,
        converter=_converter(adapter, module),
        package=kind.__module__,
        distribution="",
        extra="",
        requires=(),
        emit=kind.SUPPORTED_EMIT,
        capabilities=kind.SUPPORTED_CAPABILITIES,
        key_variable="",
        maker=module.make,
        takes=takes,
        relays=relays,
        inapplicable=rules | getattr(module, "NOT_ASKED", {}),
    )


SUBJECT = _subject(PATH)
