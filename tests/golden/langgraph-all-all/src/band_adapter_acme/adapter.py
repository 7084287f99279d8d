"""LangGraph on Band: one run of the framework per message."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import uuid
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
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
    from langchain.agents import create_agent
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.callbacks import AsyncCallbackHandler
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import (
        AIMessage,
        HumanMessage,
        RemoveMessage,
        SystemMessage,
        ToolMessage,
        convert_to_messages,
    )
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool
    from langchain_openai import ChatOpenAI
    from langgraph.graph.message import REMOVE_ALL_MESSAGES
    from langgraph.graph.state import CompiledStateGraph
    from openai import DefaultAsyncHttpxClient
    from pydantic import SecretStr
except ImportError as error:
    raise ImportError(
        "The client of the model API is missing. Install it with: "
        "pip install 'band-adapter-acme[acme]'"
    ) from error

logger = logging.getLogger(__name__)

T = TypeVar("T")

PROVIDER = "acme"
"""Names the model API in the failures that a room is shown."""

CALL_ID_LIMIT = 40
"""Characters of a call's id that are kept; longer ids get another one."""

GRACE_SECONDS = 0.2
"""What a framework gets to end in, once it is told to."""

CUT_OFF = {
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "safety": "content_filter",
    "error": "no_answer",
}
"""What chat models call ``STOPS``, where they do not call them so."""

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


CompiledGraph = CompiledStateGraph[Any, Any, Any, Any]

Graph = BaseChatModel | Callable[[list[BaseTool]], CompiledGraph] | CompiledGraph
"""What answers: its input is the system prompt and a room's conversation, in
``messages``, and the last of the messages that it ends with is its answer.

- A chat model becomes an agent with Band's tools.
- A function makes a graph with the tools that it is given, Band's, in every turn.
- A compiled graph runs as it is, without Band's tools.

None has to remember a room: each turn tells the whole conversation. A checkpointer keeps
it under the room's id, with whatever else the graph has in its state.
"""


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
    """Answers Band messages with LangGraph.

    The framework runs the tool loop: it gets Band's room tools and calls them itself.
    One instance serves every room; a room's turns come one after another, different
    rooms run at the same time.

    What ``graph`` may be is said at :data:`Graph`. Calls that no tool could take are
    answered here, except in graphs that are not made here.
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
        graph: Graph | None = None,
        **features: Unpack[FeatureKwargs],
    ) -> None:
        """
        Args:
            config: Model, credentials, prompt and limits.
            history_converter: Turns a room's history into messages of the API.
            additional_tools: Your own tools, offered beside Band's.
            graph: A graph of yours. It is used as it is, and never closed here.
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
        self._graph = graph
        self._own_graph: ChatOpenAI | None = None
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
        """Close the graph that the adapter made, if it made one."""
        await super().cleanup_all()
        own, self._own_graph = self._own_graph, None
        if own is not None:
            client: Any = own.http_async_client
            await client.aclose()

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
        graph = self._ensure_graph()
        try:
            return await run.watch(self._work(graph, run))
        except (ProviderRunError, RoomExecutionStoppedError):
            raise
        except Exception as error:  # noqa: BLE001 -- each framework has errors of its own, and all of them end the turn
            failure = _failure(error, secret=self._secret(graph))
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
        """The API key, read when the graph is first needed."""
        if key := self._find_key():
            return key
        raise BandConfigError(
            f"No API key: set the environment variable {self.config.provider_key_env}, "
            f"or provider_key in the config."
        )

    def _ensure_graph(self) -> Graph:
        """The graph of the caller's, or else the one that the adapter makes."""
        if self._graph is not None:
            return self._graph
        if self._own_graph is None:
            # Without a client of its own it would share one with every other model.
            self._own_graph = ChatOpenAI(
                model=self.config.model,
                api_key=SecretStr(self._key()),
                base_url=self.config.base_url,
                max_retries=self.config.max_retries,
                http_async_client=DefaultAsyncHttpxClient(),
                **self.config.request_options,
            )
        return self._own_graph

    def _secret(self, graph: Graph) -> str:
        """What must not be read in a log or a room."""
        held = (getattr(graph, name, None) for name in getattr(graph, "lc_secrets", ()))
        keys = (key.get_secret_value() for key in held if isinstance(key, SecretStr))
        return next(keys, self._find_key())

    async def _work(self, graph: Graph, run: _Run) -> Outcome:
        """One run of the framework: the conversation in, its closing words out."""
        compiled, watch = _compiled(graph, run), _Watch(run)
        thread = {"thread_id": run._turn.msg.room_id}
        options: RunnableConfig = {"callbacks": [watch], "configurable": thread}
        told = [SystemMessage(run.system), *convert_to_messages(run.messages)]
        if compiled.checkpointer:
            # It has what was said until now, and what a turn that failed left there.
            told.insert(0, RemoveMessage(id=REMOVE_ALL_MESSAGES))
        try:
            state = await compiled.ainvoke({"messages": told}, options)
        except IndexError:
            # This is what LangChain makes of an answer without a choice.
            if watch.answered:
                raise
            return Outcome(stop="no_answer")
        return _outcome(state["messages"][-1])


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


CALL_TYPES = ("tool_use", "function_call", "tool_call", "invalid_tool_call")
"""The types that chat models give to the calls among the parts of a message."""


def _compiled(graph: Graph, run: _Run) -> CompiledGraph:
    """The graph of one turn."""
    if isinstance(graph, CompiledStateGraph):
        return graph
    if isinstance(graph, BaseChatModel):
        return create_agent(graph, middleware=[_Calls(run)])
    tools = [schema["function"] for schema in run.schemas]
    return graph([_RoomTool(turn=run, args_schema=t["parameters"], **t) for t in tools])


class _Watch(AsyncCallbackHandler):
    """Tells the run of each model call, wherever in the graph it is made."""

    raise_error = True

    def __init__(self, run: _Run) -> None:
        self._run = run
        self.answered = True

    async def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
        await self._run.before_model()

    async def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        choices = response.generations[0]
        self.answered = bool(choices)
        for choice in choices[:1]:
            await self._run.after_model(
                reasoning=_reasoning(choice.message),
                usage=_usage(choice.message),
            )


class _RoomTool(BaseTool):
    """A tool of the room. Its arguments are not LangChain's to look into."""

    turn: Any

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> Any:
        # One by one, they might have the names of arguments of LangChain's own.
        return (tool_input, tool_call_id or ""), {}

    async def _arun(self, arguments: Any, call_id: str) -> ToolMessage:
        answer = await self.turn.call(self.name, arguments, call_id)
        return _answered(answer, self.name, call_id)

    def _run(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("The tools of a room are asynchronous.")


class _Calls(AgentMiddleware):
    """Brings every call of the model to the room, also one that no tool could take."""

    def __init__(self, run: _Run) -> None:
        super().__init__()
        self._run = run
        # OpenAI's default is to make every optional argument a required one.
        self._tools = [
            {**schema, "function": {**schema["function"], "strict": False}}
            for schema in run.schemas
        ]

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        request = request.override(messages=_images_last(request.messages))
        request = request.override(tools=self._tools)
        response = await handler(request)
        said = response.result[0]
        calls = self._run.asked(_written(said))
        sound: Any = convert_to_messages(assistant_messages("", calls))[0]
        if said.tool_calls == sound.tool_calls:
            return response
        # Parts that say the same once more go; thoughts stay, as models demand.
        content = said.content
        if isinstance(content, list):
            content = [part for part in content if not _is_call(part)]
        made = {"tool_calls": sound.tool_calls, "invalid_tool_calls": []}
        return said.model_copy(update={"content": content, **made})

    async def awrap_tool_call(self, request: Any, handler: Any) -> ToolMessage:
        name, call_id = request.tool_call["name"], request.tool_call["id"]
        answer = await self._run.call(name, request.tool_call["args"], call_id)
        return _answered(answer, name, call_id)


def _written(said: AIMessage) -> list[tuple[Any, Any, Any]]:
    """Id, name and arguments of each call in ``said``, malformed ones too.

    Only the parts of a message, if it has some, hold its calls in their order.
    """
    calls: list[Any] = [part for part in said.content if _is_call(part)]
    calls = calls or [*said.tool_calls, *said.invalid_tool_calls]
    names = ("input", "arguments", "args")
    return [
        (c.get("call_id", c.get("id")), c["name"], next(c[n] for n in names if n in c))
        for c in calls
    ]


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in CALL_TYPES


def _answered(answer: ToolAnswer, name: str, call_id: str) -> ToolMessage:
    content: str | list[Any] = answer.text
    if answer.images:
        content = [{"type": "text", "text": answer.text}]
        for image in answer.images:
            block = {"type": "image", "base64": image.data}
            content.append({**block, "mime_type": image.mime_type})
    status = "error" if answer.is_error else "success"
    return ToolMessage(content, name=name, tool_call_id=call_id, status=status)


def _images_last(messages: list[Any]) -> list[Any]:
    """``messages``, in which images are input: not every API has them in answers."""
    arranged: list[Any] = []
    for is_answers, group in groupby(messages, lambda m: isinstance(m, ToolMessage)):
        step = [*group]
        if is_answers:
            blocks = [b for m in step if isinstance(m.content, list) for b in m.content]
            images = [block for block in blocks if block["type"] == "image"]
            step = [m.model_copy(update={"content": str(m.text)}) for m in step]
            note = {"type": "text", "text": "The images that the tools returned:"}
            step += [HumanMessage([note, *images])] if images else []
        arranged += step
    return arranged


def _reasoning(said: AIMessage) -> str:
    blocks: list[Any] = said.content_blocks
    told = (b.get("reasoning", "") for b in blocks if b["type"] == "reasoning")
    return "\n".join(filter(None, told))


def _usage(said: AIMessage) -> TurnUsage:
    """Tokens of one model call."""
    spent: Any = said.usage_metadata or {}
    return TurnUsage.from_mapping(
        {**spent, **(spent.get("input_token_details") or {})},
        input="input_tokens",
        output="output_tokens",
        cache_read="cache_read",
        cache_write="cache_creation",
    )


def _outcome(said: Any) -> Outcome:
    """What the last message of a graph comes to; a refusal is a complete answer."""
    if not isinstance(said, AIMessage):
        return Outcome()
    blocks = [block for block in said.content if isinstance(block, dict)]
    for place in (said.additional_kwargs, *blocks):
        if place.get("refusal"):
            return Outcome(place["refusal"])
    about = said.response_metadata
    details = about.get("incomplete_details") or {}
    reason = about.get("finish_reason") or about.get("stop_reason")
    reason = str(reason or details.get("reason")).lower()
    return Outcome(str(said.text), CUT_OFF.get(reason, reason))
