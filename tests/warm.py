"""What the runs of `mutation` need imported, and what they build on first use.

Importing this module makes a process warm. It imports nothing of a package.
"""

from __future__ import annotations

import importlib
import os

# The clients build the checks of their models when they are first used, in each run.
os.environ["DEFER_PYDANTIC_BUILD"] = "false"

for name in (
    "_hypothesis_pytestplugin",
    "_pytest.faulthandler",
    "_pytest.helpconfig",
    "_pytest.pastebin",
    "_pytest.setuponly",
    "_pytest.setupplan",
    "_pytest.skipping",
    "_pytest.threadexception",
    "_pytest.unittest",
    "_pytest.unraisableexception",
    "_pytest.warnings",
    "agents",
    "anthropic",
    "anyio._backends._asyncio",
    "band.converters.parsing",
    "band.core.delivery",
    "band.runtime.custom_tools",
    "band.testing.fake_tools",
    "google.genai.types",
    "http.server",
    "httpcore2",
    "hypothesis.strategies",
    "langchain.agents",
    "langchain_openai",
    "langgraph.checkpoint.memory",
    "openai.resources.chat",
    "openai.resources.responses",
    "pdb",
    "pytest_asyncio.plugin",
    "tomllib",
):
    importlib.import_module(name)

from google.genai import types

for model in (types.GenerateContentConfig, types.GenerateContentResponse):
    model.model_rebuild()
