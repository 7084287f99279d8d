"""The provider of an adapter, by the libraries that it uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from band_new_adapter.reading.found import Found, Untold
from band_new_adapter.reading.loops import Executing
from band_new_adapter.reading.sources import Sources

_FRAMEWORKS = {
    "langgraph": ("langgraph", "langchain"),
    "openai-agents": ("agents",),
}
_APIS = {
    "openai": ("openai",),
    "anthropic": ("anthropic",),
    "gemini": ("google.genai",),
}
# What is called of an API, by the provider that calls it so.
_CALLS = {
    "openai": ("openai", r"chat\.completions"),
    "openai-responses": ("openai", r"responses\.(create|parse|stream)"),
    "anthropic": ("anthropic", r"messages\.(create|parse|stream)"),
    "gemini": ("gemini", r"models\.generate_content(_stream)?"),
}


def provider(sources: Sources, ran: Executing | None) -> Found:
    """The key of the provider; `ran` is where tool calls are executed.

    A framework counts where the adapter has no tool loop of its own, an API where it
    has one or calls the API. Raises Untold.
    """
    frameworks = dict(_imported(sources, _FRAMEWORKS))
    if len(frameworks) == 1 and not (ran and ran.looped):
        return _only(frameworks)
    imported = dict(_imported(sources, _APIS))
    called = dict(_called(sources, imported))
    if len(called) == 1:
        return _only(called)
    if called or len(frameworks) + len(imported) > 1:
        several = (called or frameworks | imported).values()
        raise Untold(f"more than one is used: {'; '.join(several)}")
    if frameworks:
        raise Untold(f"{_only(frameworks).evidence}, but {ran}")
    if imported and ran and ran.looped:
        if "openai" not in imported:
            return _only(imported)
        calls = "neither chat.completions nor responses is called"
        raise Untold(f"{_only(imported).evidence}, but {calls}")
    if ran is None:
        raise Untold("no module executes tool calls")
    key = "custom" if ran.looped else "custom-framework"
    return Found(key, f"it uses none of the others, and {ran}")


def _only(found: Mapping[str, str]) -> Found:
    ((key, evidence),) = found.items()
    return Found(key, evidence)


def _imported(
    sources: Sources, wanted: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """Which of these are imported, each with its evidence."""
    for key, packages in wanted.items():
        places = (
            f"{package} is imported in {module.path}"
            for package in packages
            for module in sources.modules
            if any(f"{name}.".startswith(f"{package}.") for name in module.origins())
        )
        if place := next(places, ""):
            yield key, place


def _called(sources: Sources, imported: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Which of the imported APIs are called, each with its evidence."""
    for key, (api, call) in _CALLS.items():
        places = (
            f"{found[0]} in {module.place(node)}"
            for module in sources.modules
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Attribute)
            and (found := re.search(rf"\b{call}\b", module.dotted(node)))
        )
        if api in imported and (place := next(places, "")):
            yield key, place
