"""Google Gemini on Band: one tool loop per message."""

from __future__ import annotations

import json
import logging
import os
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, ClassVar, NoReturn, Unpack

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
from band.core.tool_filter import filter_tool_schemas, sanitize_tool_schema
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
    from google import genai
    from google.genai import errors, types
except ImportError as error:
    raise ImportError(
        "The client of the model API is missing. Install it with: "
        "pip install 'band-adapter-acme[acme]'"
    ) from error

logger = logging.getLogger(__name__)

PROVIDER = "acme"
"""Names the model API in the failures that a room is shown."""

CALL_ID_LIMIT = 64
"""Characters of a call's id that are kept; longer ids get another one."""

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

    model: str = "gemini-3.8-flash"
    provider_key: str | None = Field(default=None, repr=False)
    provider_key_env: str = "GEMINI_API_KEY"
    base_url: str | None = None
    custom_section: str = ""
    max_tool_rounds: PositiveInt = 20
    max_history_messages: PositiveInt = 200
    max_tool_result_chars: int = Field(default=20_000, ge=100)
    max_retries: int = Field(default=2, ge=0)
    request_options: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the model.

    ``stop`` is empty when the answer is complete, otherwise it says why it is not:
    ``"length"``, ``"content_filter"`` or ``"no_answer"``.
    ``raw`` is the answer as the API wants it back while the turn goes on.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: str = ""
    raw: Any = None
    reasoning: str = ""
    usage: TurnUsage = field(default_factory=TurnUsage)


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
    """Answers Band messages with Google Gemini.

    The adapter runs the tool loop: it offers the model Band's room tools and
    executes what the model calls. One instance serves every room; a room's turns
    come one after another, different rooms run at the same time.
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
        client: genai.Client | None = None,
        **features: Unpack[FeatureKwargs],
    ) -> None:
        """
        Args:
            config: Model, credentials, prompt and limits.
            history_converter: Turns a room's history into messages of the API.
            additional_tools: Your own tools, offered beside Band's.
            client: A client of yours. It is used as it is, and never closed here.
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
        self._client = client
        self._own_client: genai.Client | None = None
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
        """Close the client that the adapter made, if it made one."""
        await super().cleanup_all()
        own, self._own_client = self._own_client, None
        if own is not None:
            await own.aio.aclose()

    async def _run(self, turn: _Turn) -> None:
        """Call the model, and the tools that it asks for, until the turn is over."""
        offered = self._offer(turn.tools)
        for number in range(1, self.config.max_tool_rounds + 1):
            if number > 1:
                await self._report_turn(turn.tools, "working", number)
            reply = await self._ask(turn, list(offered.values()))
            turn.usage += reply.usage
            if reply.reasoning and Emit.THOUGHTS in self.features.emit:
                thought = _cut(reply.reasoning, EVENT_LIMIT)
                await self._report(turn.tools, MessageType.THOUGHT, thought)
            if not reply.calls:
                await self._finish(turn, reply)
                return
            calls = _distinct(reply.calls, call_ids(turn.messages))
            answers = [await self._answer(call, offered, turn.tools) for call in calls]
            turn.messages += assistant_messages(reply.text, calls, reply.raw)
            turn.messages += tool_messages(answers)
            if _declined(answers):
                return
        await self._fail_at_bound(turn)

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

    async def _ask(self, turn: _Turn, schemas: list[dict[str, Any]]) -> Reply:
        """The model's next answer; its failure is the turn's failure."""
        client = self._ensure_client()
        try:
            return await self._complete(client, turn.messages, schemas)
        except Exception as error:  # noqa: BLE001 -- each client has errors of its own, and all of them end the turn
            failure = _failure(error, secret=self._secret(client))
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

    async def _finish(self, turn: _Turn, reply: Reply) -> None:
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
        """The API key, read when the client is first needed."""
        if key := self._find_key():
            return key
        raise BandConfigError(
            f"No API key: set the environment variable {self.config.provider_key_env}, "
            f"or provider_key in the config."
        )

    def _ensure_client(self) -> genai.Client:
        """The client of the caller's, or else the one that the adapter makes."""
        if self._client is not None:
            return self._client
        if self._own_client is None:
            retries = types.HttpRetryOptions(
                attempts=self.config.max_retries + 1, initial_delay=0.5, jitter=0.5
            )
            address = _address(self.config.base_url)
            self._own_client = genai.Client(
                api_key=self._key(),
                vertexai=False,
                http_options=types.HttpOptions(**address, retry_options=retries),
            )
        return self._own_client

    def _secret(self, client: genai.Client) -> str:
        """What must not be read in a log or a room."""
        # A client of the caller's may have another key, and has no name for it.
        key = getattr(getattr(client, "_api_client", None), "api_key", None)
        return key if isinstance(key, str) else self._find_key()

    async def _complete(
        self,
        client: genai.Client,
        messages: Messages,
        schemas: list[dict[str, Any]],
    ) -> Reply:
        """One request: the conversation in, the model's answer out."""
        config: Any = {
            "system_instruction": self._system_prompt,
            "automatic_function_calling": {"disable": True},
            # The client itself refuses a whole answer for one call whose arguments are
            # no object; the model is to be told of that.
            "should_return_http_response": True,
            **self.config.request_options,
        }
        if schemas:
            offered = {"function_declarations": [*map(_declared, schemas)]}
            config["tools"] = [*config.get("tools", ()), offered]
        if Emit.THOUGHTS in self.features.emit:
            thinking = config.get("thinking_config", {})
            config["thinking_config"] = {"include_thoughts": True, **thinking}
        contents: Any = _alternating(messages)
        response: Any = await client.aio.models.generate_content(
            model=self.config.model, contents=contents, config=config
        )
        return _read(json.loads(response.sdk_http_response.body))


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
    if isinstance(error, errors.APIError):
        return error.code, str(error.message or error.status)
    return None


_PART = {field.alias for field in types.Part.model_fields.values()}
_FILTERS = ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "ARMOR")


def _address(base_url: str | None) -> dict[str, Any]:
    """``base_url`` as the client takes it: the version that it ends in goes apart."""
    if found := re.fullmatch(r"(.+)/(v\d\w*)/?", base_url or ""):
        return {"base_url": found[1], "api_version": found[2]}
    return {"base_url": base_url}


def _declared(schema: dict[str, Any]) -> dict[str, Any]:
    function = dict(schema["function"])
    function["parameters_json_schema"] = sanitize_tool_schema(
        function.pop("parameters"),
        drop_numeric_bounds=True,
        drop_additional_properties=True,
    )
    return function


def _alternating(messages: Messages) -> Messages:
    """``messages`` as the API wants them: user and model in turns."""
    contents: Messages = []
    for (role, _), run in groupby(messages, lambda m: (m["role"], starts_turn(m))):
        # Text in one message with a tool's answer is read as a part of that.
        if contents and contents[-1]["role"] == role:
            contents += assistant_messages("…")
        parts = [part for message in run for part in message["parts"]]
        contents.append({"role": role, "parts": parts})
    return contents


def _read(answer: dict[str, Any]) -> Reply:
    """What the model said in ``answer``, which is JSON as the API wrote it."""
    (candidate, *_) = answer.get("candidates") or [{"finishReason": "NO_CANDIDATE"}]
    parts = candidate.get("content", {}).get("parts", ())
    said = [part for part in parts if not part.get("thought")]
    calls = [part["functionCall"] for part in said if "functionCall" in part]
    # The client refuses to send back what it does not know.
    known = ({k: v for k, v in part.items() if k in _PART} for part in said)
    return Reply(
        text="".join(part.get("text", "") for part in said),
        calls=tuple(
            ToolCall.read(c.get("id"), c.get("name"), c.get("args")) for c in calls
        ),
        stop=_stop(answer, candidate.get("finishReason", "STOP")),
        raw=[part for part in known if part],
        reasoning="".join(p.get("text", "") for p in parts if p.get("thought")),
        usage=TurnUsage.from_mapping(
            answer.get("usageMetadata"),
            input="promptTokenCount",
            output="candidatesTokenCount",
            reasoning="thoughtsTokenCount",
            cache_read="cachedContentTokenCount",
        ),
    )


def _stop(answer: dict[str, Any], reason: str) -> str:
    """Why the answer is not complete; empty when it is."""
    if reason.endswith(_FILTERS) or "blockReason" in answer.get("promptFeedback", {}):
        return "content_filter"
    if reason not in ("STOP", "MAX_TOKENS", "CONTINUATION"):
        logger.warning("The model's answer ended with %r", reason)
        return "no_answer"
    return "" if reason == "STOP" else "length"
