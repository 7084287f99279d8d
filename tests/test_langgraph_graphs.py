"""An adapter for LangGraph runs real graphs of all kinds, and the real ChatOpenAI."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any

import httpx
import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt
from pydantic import Field

from band_new_adapter.answers import Answers
from tests import variants

ANSWERS = Answers("graphs", "Graphs", 1, "langgraph", (), (), "", "none")
ROOM = PurePosixPath("tests/support/room.py")

Tell = Callable[..., Any]


class Chat(FakeMessagesListChatModel):
    """Says what it was given to say, in order; an exception is raised."""

    responses: list[Any]
    heard: list[list[BaseMessage]] = Field(default_factory=list)

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> Any:
        self.heard.append(messages)
        if isinstance(self.responses[self.i], Exception):
            raise self.responses.pop(self.i)
        return super()._generate(messages, *args, **options)

    @property
    def told(self) -> list[str]:
        """What the model was last told, but for the system prompt."""
        system, *others = self.heard[-1]
        assert system.type == "system"
        return [f"{message.type}: {message.text}" for message in others]


class Notes(MessagesState):
    """A conversation, and how many steps there were in all."""

    steps: Annotated[int, int.__add__]


def looped(chat: Chat, saver: InMemorySaver | None, node: Any = None) -> Any:
    """A graph of one node: the model, after `node` if there is one."""

    async def ask(state: Notes) -> dict[str, Any]:
        if node:
            node(state)
        return {"messages": [await chat.ainvoke(state["messages"])], "steps": 1}

    state: Any = Notes
    graph = StateGraph(state)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    return graph.compile(checkpointer=saver)


KINDS: dict[str, Callable[[Chat], Any]] = {
    "chat-model": lambda chat: chat,
    "factory": lambda chat: lambda tools: create_agent(chat, tools),
    "compiled": lambda chat: looped(chat, None),
    "compiled-with-a-checkpointer": lambda chat: looped(chat, InMemorySaver()),
    "agent-with-a-checkpointer": lambda chat: create_agent(
        chat, checkpointer=InMemorySaver()
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The package and its room can be imported."""
    texts = variants.files(ANSWERS)
    modules = {path.relative_to("src"): path for path in texts if "src" in path.parts}
    folder = tmp_path_factory.mktemp("modules")
    (folder / "band_adapter_graphs").mkdir()
    for name, path in {**modules, PurePosixPath("graphs_room.py"): ROOM}.items():
        (folder / name).write_text(texts[path], encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield


@pytest.fixture
def package() -> Any:
    return importlib.import_module("band_adapter_graphs.adapter")


@pytest.fixture
def tell(package: Any) -> Tell:
    """Tell an adapter with that graph some messages in one room; their turns."""
    support = importlib.import_module("graphs_room")

    async def turns(adapter: Any, texts: tuple[str, ...]) -> list[Any]:
        await adapter.startup("Tester", "An agent.", features=adapter.features)
        room = support.Room(adapter)
        heard = [await room.hear(text) for text in texts]
        await adapter.cleanup_all()
        return heard

    def run(*texts: str, config: Any = None, graph: Any = None) -> list[Any]:
        adapter = package.GraphsAdapter(config, graph=graph)
        return asyncio.run(turns(adapter, texts))

    return run


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_a_conversation_is_told_once(tell: Tell, kind: Callable[[Chat], Any]) -> None:
    chat = Chat(responses=[AIMessage("One."), AIMessage("Two."), AIMessage("Three.")])
    turns = tell("first", "second", "third", graph=kind(chat))
    assert [turn.replies for turn in turns] == [["One."], ["Two."], ["Three."]]
    assert chat.told == [
        "human: [Alice]: first",
        "ai: One.",
        "human: [Alice]: second",
        "ai: Two.",
        "human: [Alice]: third",
    ]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_a_turn_that_failed_leaves_nothing(
    tell: Tell, kind: Callable[[Chat], Any]
) -> None:
    chat = Chat(responses=[AIMessage("One."), OSError("no line"), AIMessage("Two.")])
    _, failed, again = tell("first", "second", "second", graph=kind(chat))
    assert failed.error is not None
    assert again.replies == ["Two."]
    told = ["human: [Alice]: first", "ai: One.", "human: [Alice]: second"]
    assert chat.told == told


def test_a_graph_that_waits_for_somebody_is_asked_anew(tell: Tell) -> None:
    """Nobody in a room can resume it, so its turn is one without a reply."""

    def wait(state: Notes) -> None:
        if "wait" in state["messages"][-1].text:
            interrupt("May I?")

    chat = Chat(responses=[AIMessage("Here I am.")])
    waits, turn = tell("wait", "go on", graph=looped(chat, InMemorySaver(), wait))
    assert waits.replies == []
    assert turn.replies == ["Here I am."]
    assert chat.told == ["human: [Alice]: go on"]


def test_a_checkpointer_keeps_the_room_and_the_rest_of_the_state(tell: Tell) -> None:
    saver = InMemorySaver()
    graph = looped(Chat(responses=[AIMessage("One."), AIMessage("Two.")]), saver)
    tell("first", "second", graph=graph)
    state = graph.get_state({"configurable": {"thread_id": "room-1"}}).values
    assert [m.text for m in state["messages"][1:]] == [
        "[Alice]: first",
        "One.",
        "[Alice]: second",
        "Two.",
    ]
    assert state["steps"] == 2
    assert [*saver.storage] == ["room-1"]


def test_the_model_that_is_made_has_what_the_configuration_says(
    package: Any, tell: Tell, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if len(asked) == 1:
            return httpx.Response(503, headers={"retry-after-ms": "1"})
        said = {"role": "assistant", "content": "Hello."}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        about = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        return httpx.Response(200, json={**about, "choices": [choice]})

    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    monkeypatch.setattr(package, "DefaultAsyncHttpxClient", lambda: client)
    config = package.GraphsAdapterConfig(
        model="m",
        base_url="http://models.test/v1",
        provider_key="secret-key",
        max_retries=1,
        request_options={"temperature": 0.25, "extra_body": {"top_k": 3}},
    )
    (turn,) = tell("hello", config=config)
    assert turn.replies == ["Hello."], turn.error
    assert len(asked) == 2, "the failed call was not repeated"
    body = json.loads(asked[-1].content)
    assert str(asked[-1].url) == "http://models.test/v1/chat/completions"
    assert asked[-1].headers["authorization"] == "Bearer secret-key"
    assert {key: body[key] for key in ("model", "temperature", "top_k")} == {
        "model": "m",
        "temperature": 0.25,
        "top_k": 3,
    }
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert all(tool["function"]["strict"] is False for tool in body["tools"])
    assert client.is_closed
