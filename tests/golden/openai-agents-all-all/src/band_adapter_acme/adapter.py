"""OpenAI Agents on Band: one run of the framework per message."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import uuid
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NoReturn, TypeVar, Unpack

from band.core.adapterconfig import BaseAdapterConfig
from band.core.delivery import (
    DeliveryFailedError,
    relay_reply,
    reraise_delivery_cause,
)
from band.core.exceptions import (
    BandConfigError,
    ProviderRunError,
    RoomExecutionStoppedError,
)
from band.core.protocols import AgentToolsProtocol, generic_provider_failure
from band.core.simple_adapter import SimpleAdapter
from band.core.tool_filter import filter_tool_schemas
from band.core.types import (
    Capability,
    Emit,
    FeatureKwargs,
    MessageType,
    PlatformMessage,
    ToolEventKey,
    TurnUsage,
    is_contact_hub_turn,
)
from band.runtime.custom_tools import (
    CustomToolDef,
    custom_tools_to_schemas,
    execute_custom_tool,
    find_custom_tool,
    get_custom_tool_name,
    reject_conflicting_tool_names,
)
from band.runtime.prompts import render_system_prompt, with_system_updates
from band.runtime.tools import (
    BandTool,
    get_band_tool_category,
    image_block_placeholder,
    image_passthrough_result,
    redact_tool_call_args,
)
from band.runtime.tools.schema import is_failed_tool_output
from band_sdk_core import AgentFailure
from pydantic import Field, PositiveInt

from band_adapter_acme.converter import (
    AcmeHistoryConverter,
    Image,
    Messages,
    ToolAnswer,
    ToolCall,
    assistant_messages,
    call_ids,
    sendable,
    starts_turn,
    told,
    tool_messages,
    user_message,
)

try:
    import agents
    from openai import AsyncOpenAI
except ImportError as error:
    raise ImportError(
        "The client of the model API is missing. Install it with: "
        "pip install 'band-adapter-acme[acme]'"
    ) from error

logger = logging.getLogger(__name__)

T = TypeVar("T")

PROVIDER = "acme"
"""Names the model API in the failures that a room is shown."""

CALL_ID_LIMIT = 64
"""Characters of a call's id that are kept; longer ids get another one."""

GRACE_SECONDS = 0.2
"""What a framework gets to end in, once it is told to."""

EVENT_LIMIT = 16_000
"""Characters of an event. The platform cuts longer ones, through their JSON."""

STOPS = {
    "length": "The model's answer was cut off by its length limit.",
    "content_filter": "The model's answer was held back by a content filter.",
    "no_answer": "The model returned no answer.",
}
"""What the room is told when an answer ends before it is complete."""

# A server's own paths and tracebacks are nothing for the people in a room.
_PRIVATE = re.compile(
    r"Traceback.*|file:\S+|\\\\\S+|\b[A-Za-z]:[\\/](?!/)\S+|(?<![\w/])(?:/[\w.@-]+){2,}"
)


class AcmeAdapterConfig(BaseAdapterConfig):
    """Settings of :class:`AcmeAdapter`, all of them plain data.

    Attributes:
        model: Model that answers, as the API names it.
        provider_key: API key; ``None`` reads the variable ``provider_key_env``.
        provider_key_env: Environment variable that holds the API key.
        base_url: Where the API is; ``None`` takes the client's own default.
        custom_section: Your instructions, added to the SDK's system prompt.
        max_tool_rounds: Model calls that one turn may make.
        max_history_messages: Messages that a room's conversation keeps.
        max_tool_result_chars: Characters of a tool result that the model sees.
        max_retries: Times that the client repeats a call that failed on its way.
        request_options: Sent with every request, such as ``{"temperature": 0.2}``.
    """

    model: str = "gpt-6-luna"
    provider_key: str | None = Field(default=None, repr=False)
    provider_key_env: str = "OPENAI_API_KEY"
    base_url: str | None = None
    custom_section: str = ""
    max_tool_rounds: PositiveInt = 20
    max_history_messages: PositiveInt = 200
    max_tool_result_chars: int = Field(default=20_000, ge=100)
    max_retries: int = Field(default=2, ge=0)
    request_options: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The closing words of a run, and what they lack, as ``STOPS`` has it."""

    text: str = ""
    stop: str = ""


@dataclass(slots=True)
class _Room:
    """What the adapter keeps of a room from one turn to the next."""

    messages: Messages = field(default_factory=list)
    owed: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Turn:
    """One run of the tool loop: what it answers, and the conversation it works on."""

    msg: PlatformMessage
    tools: AgentToolsProtocol
    messages: Messages
    usage: TurnUsage = field(default_factory=TurnUsage)


class AcmeAdapter(SimpleAdapter[Messages]):
    """Answers Band messages with OpenAI Agents.

    The framework runs the tool loop: it gets Band's room tools and calls them itself.
    One instance serves every room; a room's turns come one after another, different
    rooms run at the same time.

    A given agent keeps its model, tools and instructions: each turn runs a copy of it,
    with the system prompt before its instructions, and the room's tools beside its own.
    """

    SUPPORTED_EMIT: ClassVar[frozenset[Emit]] = frozenset(
        {
            Emit.TOOL_CALLS,
            Emit.THOUGHTS,
            Emit.TASK_EVENTS,
            Emit.USAGE,
        }
    )
    SUPPORTED_CAPABILITIES: ClassVar[frozenset[Capability]] = frozenset(
        {
            Capability.MEMORY,
            Capability.CONTACTS,
            Capability.FILES,
            Capability.TASKS,
        }
    )

    def __init__(
        self,
        config: AcmeAdapterConfig | None = None,
        *,
        history_converter: AcmeHistoryConverter | None = None,
        additional_tools: list[CustomToolDef] | None = None,
        agent: agents.Agent[Any] | None = None,
        **features: Unpack[FeatureKwargs],
    ) -> None:
        """
        Args:
            config: Model, credentials, prompt and limits.
            history_converter: Turns a room's history into messages of the API.
            additional_tools: Your own tools, offered beside Band's.
            agent: An agent of yours. It is used as it is, and never closed here.
            **features: ``emit``, ``capabilities`` and the tool filters.

        Raises:
            BandConfigError: An emit kind or capability is not supported.
            ValueError: One of ``additional_tools`` has the name of another tool.
        """
        if history_converter is None:
            history_converter = AcmeHistoryConverter()
        super().__init__(history_converter=history_converter, **features)
        self.config = config or AcmeAdapterConfig()
        self._custom_tools = additional_tools or []
        reject_conflicting_tool_names(
            get_custom_tool_name(model) for model, _ in self._custom_tools
        )
        self._agent = agent
        self._own_agent: _OwnAgent | None = None
        self._system_prompt = ""
        self._rooms: dict[str, _Room] = {}

    async def on_started(self, agent_name: str, agent_description: str) -> None:
        """Render the system prompt, now that the agent's name is known."""
        await super().on_started(agent_name, agent_description)
        prompt = render_system_prompt(
            agent_name=agent_name,
            agent_description=agent_description,
            custom_section=self.config.custom_section,
            features=self.features,
        )
        self._system_prompt = sendable(prompt)

    async def on_message(
        self,
        msg: PlatformMessage,
        tools: AgentToolsProtocol,
        history: Messages,
        participants_msg: str | None,
        contacts_msg: str | None,
        *,
        is_session_bootstrap: bool,
        room_id: str,
    ) -> None:
        """Answer ``msg`` with one run of the tool loop.

        Raises:
            BandConfigError: No API key is set.
            ProviderRunError: The model failed, and the room has been told why.
        """
        room = self._rooms.setdefault(room_id, _Room())
        if is_session_bootstrap:
            room.messages = self._bounded(history)
        for update in (participants_msg, contacts_msg):
            if update and update not in room.owed:
                room.owed.append(update)

        # The turn works on a copy: whatever ends it early leaves the room as it was,
        # and a message that is delivered again is not in the conversation twice.
        heard = sendable(with_system_updates(msg.format_for_llm(), *room.owed))
        turn = _Turn(msg, tools, [*room.messages, user_message(heard)])
        await self._report_turn(tools, "started")
        try:
            await self._run(turn)
        except RoomExecutionStoppedError:
            raise
        except Exception:
            await self._report_turn(tools, "failed")
            raise
        finally:
            await self.emit_usage(tools, turn.usage)

        # A turn that the SDK is about to judge incomplete has failed as well.
        done = tools.turn.complete or not tools.turn.judged
        await self._report_turn(tools, "finished" if done else "failed")
        if done:
            room.messages = self._bounded(turn.messages)
            room.owed.clear()

    async def on_cleanup(self, room_id: str) -> None:
        """Forget the room; its next message starts afresh."""
        self._rooms.pop(room_id, None)

    async def cleanup_all(self) -> None:
        """Close the agent that the adapter made, if it made one."""
        await super().cleanup_all()
        own, self._own_agent = self._own_agent, None
        if own is not None:
            await own.client.close()

    async def _run(self, turn: _Turn) -> None:
        """Hand the turn to the framework, and deliver what it comes to."""
        run = _Run(self, turn, self._offer(turn.tools))
        outcome = await self._hand_over(turn, run)
        if outcome is not None:
            await self._finish(turn, outcome)

    def _offer(self, tools: AgentToolsProtocol) -> dict[str, dict[str, Any]]:
        """The tools that this turn may call: their schemas, by name."""
        schemas = tools.get_openai_tool_schemas(capabilities=self.features.capabilities)
        platform = {schema["function"]["name"]: schema for schema in schemas}
        chosen = filter_tool_schemas(
            list(platform),
            self.features,
            get_name=str,
            get_category=get_band_tool_category,
        )
        custom = custom_tools_to_schemas(self._custom_tools, "openai")
        return {name: platform[name] for name in chosen} | {
            schema["function"]["name"]: schema for schema in custom
        }

    async def _hand_over(self, turn: _Turn, run: _Run) -> Outcome | None:
        """The framework's outcome; ``None`` when the turn was over before it."""
        agent = self._ensure_agent()
        try:
            return await run.watch(self._work(agent, run))
        except (ProviderRunError, RoomExecutionStoppedError):
            raise
        except Exception as error:  # noqa: BLE001 -- each framework has errors of its own, and all of them end the turn
            failure = _failure(error, secret=self._secret(agent))
        await self._fail(turn, failure)

    async def _fail(self, turn: _Turn, failure: AgentFailure) -> NoReturn:
        """Tell the room, once, then end the turn in an error that is safe to post."""
        logger.error("Turn failed (%s): %s", failure.code, failure.message)
        await turn.tools.send_failure(failure)
        raise ProviderRunError(failure.code or "provider_error")

    async def _fail_at_bound(self, turn: _Turn) -> None:
        """Fail a turn that made all its model calls, unless it has replied."""
        if not turn.tools.turn.replied:
            rounds = self.config.max_tool_rounds
            text = f"No reply after {rounds} model calls (max_tool_rounds)."
            await self._fail(turn, AgentFailure(PROVIDER, text, "max_tool_rounds"))

    async def _finish(self, turn: _Turn, reply: Outcome) -> None:
        """Deliver the model's closing text, unless a tool has answered already."""
        if turn.tools.turn.replied:
            return
        if reply.stop in STOPS:
            failure = AgentFailure(PROVIDER, STOPS[reply.stop], reply.stop)
            await self._fail(turn, failure)
        sender = turn.msg.sender_id
        if is_contact_hub_turn(sender_type=turn.msg.sender_type, sender_id=sender):
            return
        text = sendable(reply.text)
        try:
            relayed = await relay_reply(turn.tools, text, [{"id": sender}])
        except DeliveryFailedError as error:
            reraise_delivery_cause(error)
        if relayed:
            turn.messages += assistant_messages(text)

    async def _answer(
        self,
        call: ToolCall,
        offered: dict[str, dict[str, Any]],
        tools: AgentToolsProtocol,
    ) -> ToolAnswer:
        """Run one call of the model, and report it to the room."""
        arguments = redact_tool_call_args(call.name, call.arguments)
        await self._report_tool(
            tools, MessageType.TOOL_CALL, call, {ToolEventKey.ARGS: arguments}
        )
        answer = await self._execute(call, offered, tools)
        result = {
            ToolEventKey.OUTPUT: answer.text,
            ToolEventKey.IS_ERROR: answer.is_error,
        }
        await self._report_tool(tools, MessageType.TOOL_RESULT, call, result)
        return answer

    async def _execute(
        self,
        call: ToolCall,
        offered: dict[str, dict[str, Any]],
        tools: AgentToolsProtocol,
    ) -> ToolAnswer:
        """Run one call; whatever goes wrong is an answer that the model can read."""
        if call.name not in offered:
            unknown = f"there is no tool {_cut(call.name, 100)!r} here"
            return self._result(call, unknown, ok=False)
        if call.fault:
            return self._result(call, f"the arguments are {call.fault}", ok=False)
        try:
            if custom := find_custom_tool(self._custom_tools, call.name):
                value = await execute_custom_tool(
                    custom, call.arguments, turn=tools.turn
                )
                ok = not is_failed_tool_output(value)
            else:
                outcome = await tools.execute_tool_call_structured(
                    call.name, call.arguments
                )
                value, ok = outcome.value, outcome.ok
            text = value if isinstance(value, str) else json.dumps(value, default=str)
        except RoomExecutionStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 -- a tool may raise anything, and the model has to read it
            return self._result(call, str(error), ok=False)
        if picture := image_passthrough_result(call.name, value):
            images = [Image(i["mimeType"], i["data"]) for i in picture["content"]]
            shown = image_block_placeholder(len(images))
            return ToolAnswer(call, shown, images=tuple(images))
        return self._result(call, text, ok=ok)

    def _result(self, call: ToolCall, text: str, *, ok: bool) -> ToolAnswer:
        """The answer to ``call``, in at most ``max_tool_result_chars`` characters."""
        text = _cut(told(text, ok=ok), self.config.max_tool_result_chars)
        return ToolAnswer(call, text, is_error=not ok)

    async def _report_tool(
        self,
        tools: AgentToolsProtocol,
        kind: MessageType,
        call: ToolCall,
        fields: dict[ToolEventKey, Any],
    ) -> None:
        """Post a tool event in the shape that history converters read back."""
        if Emit.TOOL_CALLS in self.features.emit:
            about = {ToolEventKey.NAME: call.name, ToolEventKey.TOOL_CALL_ID: call.id}
            await self._report(tools, kind, _event_json({**about, **fields}))

    async def _report_turn(
        self, tools: AgentToolsProtocol, state: str, number: int = 0
    ) -> None:
        """Post where the turn stands; ``number`` is that of the model call."""
        if Emit.TASK_EVENTS in self.features.emit:
            text = f"Turn {state}: model call {number}" if number else f"Turn {state}"
            about = {"turn": {"state": state, "round": number}}
            await self._report(tools, MessageType.TASK, text, about)

    async def _report(
        self,
        tools: AgentToolsProtocol,
        kind: MessageType,
        content: str,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        """Post an event. Losing one never fails the turn; a stopped room ends it."""
        try:
            await tools.send_event(content, kind, metadata)
        except RoomExecutionStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 -- reporting is best effort, whatever the events API answers
            logger.warning("A %s event was lost: %s", kind, error)

    def _bounded(self, messages: Messages) -> Messages:
        """The newest ``max_history_messages`` messages, from the start of a turn on."""
        excess = len(messages) - self.config.max_history_messages
        if excess <= 0:
            return list(messages)
        starts = (i for i in range(excess, len(messages)) if starts_turn(messages[i]))
        return messages[next(starts, len(messages)) :]

    def _find_key(self) -> str:
        return self.config.provider_key or os.getenv(self.config.provider_key_env, "")

    def _key(self) -> str:
        """The API key, read when the agent is first needed."""
        if key := self._find_key():
            return key
        raise BandConfigError(
            f"No API key: set the environment variable {self.config.provider_key_env}, "
            f"or provider_key in the config."
        )

    def _ensure_agent(self) -> agents.Agent[Any]:
        """The agent of the caller's, or else the one that the adapter makes."""
        if self._agent is not None:
            return self._agent
        if self._own_agent is None:
            client = _Client(
                api_key=self._key(),
                base_url=self.config.base_url,
                max_retries=self.config.max_retries,
            )
            self._own_agent = _OwnAgent(
                name=PROVIDER,
                model=agents.OpenAIResponsesModel(self.config.model, client),
                model_settings=agents.ModelSettings(**self.config.request_options),
                client=client,
            )
        return self._own_agent

    def _secret(self, agent: agents.Agent[Any]) -> str:
        """What must not be read in a log or a room."""
        # An agent of the caller's may have another key, in its model's client.
        key = getattr(getattr(agent.model, "_client", None), "api_key", None)
        return key if isinstance(key, str) else self._find_key()

    async def _work(self, agent: agents.Agent[Any], run: _Run) -> Outcome:
        """One run of the framework: the conversation in, its closing words out."""
        messages: list[Any] = [*run.messages]
        relay = _Relay(agent, run)
        try:
            result = await agents.Runner.run(
                relay.agent,
                messages,
                hooks=relay,
                # The run has its own bound, and meets it before this one.
                max_turns=self.config.max_tool_rounds + 1,
                run_config=agents.RunConfig(
                    tracing_disabled=True,
                    tool_not_found_behavior="return_error_to_model",
                    tool_error_formatter=relay.answer_unknown,
                ),
            )
        except agents.ModelRefusalError as error:
            return Outcome(error.refusal)
        except _CutOff as cut:
            await run.after_model(usage=_usage(cut.args[0].usage))
            why = getattr(cut.args[0].incomplete_details, "reason", "")
            return Outcome(stop=why if why in STOPS else "length")
        said = result.final_output
        if not isinstance(said, str):
            said = agents.ItemHelpers.text_message_outputs(result.new_items[-1:])
        last = result.raw_responses[-1]
        # Chat Completions, whose answers have no id, has no items for a blank text.
        empty = last.response_id and not last.output
        return Outcome(said, "no_answer" if empty else "")


class _Run:
    """One run of the framework, which ends in no way but those that the SDK knows.

    Frameworks differ: in what they do when a tool fails, is stopped or is cancelled,
    in the thread that they call it from, and in when they are done. Here they do not.
    """

    def __init__(
        self,
        adapter: AcmeAdapter,
        turn: _Turn,
        offered: dict[str, dict[str, Any]],
    ) -> None:
        self.system = adapter._system_prompt
        self.messages = tuple(turn.messages)
        self.schemas = list(offered.values())
        self._adapter = adapter
        self._turn = turn
        self._offered = offered
        self._taken = call_ids(turn.messages)
        self._asked: dict[str, ToolCall] = {}
        self._step: list[ToolAnswer] = []
        self._rounds = 0
        self._loop = asyncio.get_running_loop()
        self._over = self._loop.create_future()
        self._stop: BaseException | None = None
        self._busy: set[asyncio.Task[Any]] = set()
        self._calling = asyncio.Lock()

    async def before_model(self) -> None:
        """Ask for a model call. The run ends here when it may not have another."""
        await self._here(self._before_model())

    async def after_model(
        self,
        *,
        reasoning: str = "",
        usage: TurnUsage | None = None,
    ) -> None:
        """Tell what a model call came to, beside its text and its calls."""
        self._turn.usage += usage or TurnUsage()
        if reasoning and Emit.THOUGHTS in self._adapter.features.emit:
            tools, thought = self._turn.tools, _cut(reasoning, EVENT_LIMIT)
            await self._here(self._adapter._report(tools, MessageType.THOUGHT, thought))

    def asked(self, written: Iterable[tuple[Any, Any, Any]]) -> list[ToolCall]:
        """The calls of an answer, each with an id of its own and an object as arguments.

        Args:
            written: Id, name and arguments of each call, as the model wrote them. A
                ``call`` by the new id is a call of just that.
        """
        calls = _distinct((ToolCall.read(*call) for call in written), self._taken)
        self._asked |= {call.id: call for call in calls}
        return calls

    async def call(self, name: str, arguments: Any, call_id: str = "") -> ToolAnswer:
        """Call a room tool by name; what goes wrong is an answer for the model.

        Args:
            name: As the model wrote it, also if there is no such tool.
            arguments: JSON text or an object, as the model wrote it.
            call_id: The framework's id of the call, if it has one.

        Raises:
            RoomExecutionStoppedError: The room was stopped; so is the run.
        """
        return await self._here(self._call(name, arguments, call_id))

    async def watch(self, work: Coroutine[Any, Any, Outcome]) -> Outcome | None:
        """Run ``work`` to its end, or to that of the turn if that comes first."""
        task = asyncio.ensure_future(work)
        ends: set[asyncio.Future[Any]] = {task, self._over}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # A framework may ignore that it is cancelled: it is not waited for.
            left = {other for other in (task, *self._busy) if not other.done()}
            for other in left:
                other.cancel()
            if left:
                await asyncio.wait(left, timeout=GRACE_SECONDS)
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._close_step()
        if self._stop is not None:
            raise self._stop
        return None if self._over.done() else task.result()

    async def _before_model(self) -> None:
        self._refuse_when_over()
        if _declined(self._close_step()):
            self._end()
        elif self._rounds == self._adapter.config.max_tool_rounds:
            try:
                await self._adapter._fail_at_bound(self._turn)
            except ProviderRunError as error:
                self._end(error)
            self._end()
        self._refuse_when_over()
        self._rounds += 1
        if self._rounds > 1:
            tools = self._turn.tools
            await self._adapter._report_turn(tools, "working", self._rounds)

    async def _call(self, name: str, arguments: Any, call_id: str) -> ToolAnswer:
        asked = self._asked.pop(call_id, None)
        read = asked or ToolCall.read(call_id, name, arguments)
        task = asyncio.current_task()
        self._busy |= {task} if task else set()
        try:
            # Some frameworks begin with all calls of a step at once.
            async with self._calling:
                self._refuse_when_over()
                (call,) = [asked] if asked else _distinct([read], self._taken)
                answer = await self._adapter._answer(
                    call, self._offered, self._turn.tools
                )
                self._step.append(answer)
        except (RoomExecutionStoppedError, asyncio.CancelledError) as stop:
            self._end(stop)
            raise
        finally:
            self._busy -= {task} if task else set()
        return answer

    def _close_step(self) -> list[ToolAnswer]:
        """Keep what the model called since its last call; return it."""
        step, self._step = self._step, []
        if step:
            calls = [answer.call for answer in step]
            self._turn.messages += assistant_messages("", calls)
            self._turn.messages += tool_messages(step)
        return step

    def _end(self, stop: BaseException | None = None) -> None:
        """The turn is over: by ``stop``, or because all is done."""
        if not self._over.done():
            self._stop = stop
            self._over.set_result(None)

    def _refuse_when_over(self) -> None:
        if self._over.done():
            raise self._stop or asyncio.CancelledError

    async def _here(self, work: Coroutine[Any, Any, T]) -> T:
        """``work`` in the turn's event loop, whatever loop the framework is in."""
        if asyncio.get_running_loop() is self._loop:
            return await work
        done = asyncio.run_coroutine_threadsafe(work, self._loop)
        return await asyncio.wrap_future(done)


def _declined(answers: list[ToolAnswer]) -> bool:
    """Whether the model chose silence, and nothing went wrong beside that."""
    names = {answer.call.name for answer in answers}
    return BandTool.NO_REPLY in names and not any(a.is_error for a in answers)


def _distinct(calls: Iterable[ToolCall], taken: set[str]) -> list[ToolCall]:
    """``calls`` with ids of their own; some services leave ids out or repeat them."""
    distinct: list[ToolCall] = []
    for call in calls:
        free = 0 < len(call.id) <= CALL_ID_LIMIT and call.id not in taken
        call_id = call.id if free else f"call_{uuid.uuid4().hex}"
        taken.add(call_id)
        distinct.append(replace(call, id=call_id))
    return distinct


def _cut(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, saying so where it is cut."""
    if len(text) > limit:
        note = f"… [cut: {len(text)} characters]"
        text = text[: limit - len(note)] + note
    return sendable(text)


def _event_json(fields: dict[str, Any]) -> str:
    """``fields`` as JSON that fits into an event and parses at any size."""
    limit = EVENT_LIMIT
    content = json.dumps(fields, default=str)
    while len(content) > EVENT_LIMIT:
        limit //= 2
        content = json.dumps({k: _shortened(v, limit) for k, v in fields.items()})
    return content


def _shortened(value: Any, limit: int) -> Any:
    """``value`` in about ``limit`` characters of JSON; an object stays an object."""
    if isinstance(value, str):
        return _cut(value, limit)
    text = json.dumps(value, default=str)
    return value if len(text) <= limit else {"cut": _cut(text, limit)}


def _failure(error: Exception, *, secret: str) -> AgentFailure:
    """What a room may know of ``error``; the log has the rest, but for the key."""
    details = _without(secret, str(error))
    logger.warning("%s failed: %s: %s", PROVIDER, type(error).__name__, details)
    answer = _status(error)
    if answer is None:
        return generic_provider_failure(PROVIDER, error)
    status, message = answer
    line = _without(secret, message).strip().partition("\n")[0]
    text = f"{status} {_PRIVATE.sub('…', line)}".strip()
    return AgentFailure(PROVIDER, _cut(text, 500), str(status))


def _without(secret: str, text: str) -> str:
    return text.replace(secret, "***") if secret else text


def _status(error: Exception) -> tuple[int, str] | None:
    """Status and message, if it is the API that refused the request."""
    # The errors of most clients are alike, whichever the model's is.
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    if not isinstance(status, int):
        return None
    details = body.get("error", body) if isinstance(body, dict) else body
    message = details.get("message") if isinstance(details, dict) else details
    return status, str(message or error)


@dataclass
class _OwnAgent(agents.Agent[Any]):
    """The agent that is made when none is given, and the client of its model."""

    client: AsyncOpenAI = field(kw_only=True)


class _CutOff(Exception):
    """An answer, its argument, ended before it was complete or called a tool."""


class _Client(AsyncOpenAI):
    """A client whose answers are whole: of others the SDK loses the calls and cost."""

    async def post(self, *args: Any, **options: Any) -> Any:
        answer = await super().post(*args, **options)
        status = getattr(answer, "status", None)
        if status == "failed":
            # The SDK itself sees this from version 0.22 on.
            raise agents.ModelBehaviorError(str(answer.error))
        if status == "incomplete":
            # The API wants nothing back that was cut off after the last call.
            while answer.output and answer.output[-1].type != "function_call":
                answer.output.pop()
            if not answer.output:
                raise _CutOff(answer)
            answer.status = "completed"
        return answer


class _Relay(agents.RunHooks[Any], agents.Model):
    """Between the SDK and the run: an agent's model, its hooks, and the room's tools.

    ``agent`` is a copy of the caller's that is in the room. The calls of its model are
    made such that the SDK and the model API take them, whatever ids and arguments they
    have.
    """

    def __init__(self, agent: agents.Agent[Any], run: _Run) -> None:
        async def instructions(context: Any, _: Any) -> str:
            own = await agent.get_system_prompt(context)
            return "\n\n".join(filter(None, (run.system, own)))

        model = agent.model
        if not isinstance(model, agents.Model):
            model = agents.MultiProvider().get_model(model)
        self._model = model
        self._run = run
        self.agent = agent.clone(
            instructions=instructions,
            tools=[*agent.tools, *map(self._tool, run.schemas)],
            model=self,
            model_settings=agent.model_settings,
        )

    async def on_llm_start(self, *args: Any, **named: Any) -> None:
        await self._run.before_model()

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        await self._run.after_model(
            reasoning=_reasoning(response.output),
            usage=_usage(response.usage),
        )

    async def get_response(self, *args: Any, **named: Any) -> agents.ModelResponse:
        response = await self._model.get_response(*args, **named)
        written = [item for item in response.output if item.type == "function_call"]
        asked = self._run.asked((i.call_id, i.name, i.arguments) for i in written)
        for item, sound in zip(written, assistant_messages("", asked), strict=True):
            item.call_id, item.name = sound["call_id"], sound["name"]
            item.arguments = sound["arguments"]
        return response

    def stream_response(self, *args: Any, **named: Any) -> Any:
        return self._model.stream_response(*args, **named)

    def get_retry_advice(self, request: Any) -> Any:
        return self._model.get_retry_advice(request)

    def _tool(self, schema: dict[str, Any]) -> agents.FunctionTool:
        async def invoke(context: Any, arguments: str) -> Any:
            call = (context.tool_name, arguments, context.tool_call_id)
            answer = await self._run.call(*call)
            if answer.images:
                urls = (f"data:{i.mime_type};base64,{i.data}" for i in answer.images)
                images = [agents.ToolOutputImage(image_url=url) for url in urls]
                return [agents.ToolOutputText(text=answer.text), *images]
            return answer.text

        function = schema["function"]
        return agents.FunctionTool(
            name=str(function["name"]),
            description=function["description"],
            params_json_schema=function["parameters"],
            on_invoke_tool=invoke,
            strict_json_schema=False,
        )

    async def answer_unknown(self, args: Any) -> str | None:
        """What the model is told of its call of a tool that it was not offered."""
        if args.kind != "tool_not_found":
            return None
        return (await self._run.call(args.tool_name, "", args.call_id)).text


def _reasoning(items: Iterable[Any]) -> str:
    """The summaries of the model's reasoning, or the whole where it is shown."""
    thoughts = [item for item in items if item.type == "reasoning"]
    parts = [part for t in thoughts for part in t.summary or t.content or ()]
    return "\n\n".join(part.text for part in parts)


def _usage(usage: Any) -> TurnUsage:
    """Tokens of one request; those read from a cache are part of its input."""
    spent = TurnUsage.from_object(usage, input="input_tokens", output="output_tokens")
    details = getattr(usage, "input_tokens_details", None)
    return replace(spent, cache_read_tokens=getattr(details, "cached_tokens", 0) or 0)
