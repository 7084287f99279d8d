from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from band_new_adapter.catalog import PROVIDERS
from band_new_adapter.errors import UnknownShape
from band_new_adapter.register import baseline, configs, conformance
from band_new_adapter.register.entry import Entry
from tests.registering import (
    ACME,
    LONGEST,
    Registrar,
    added_lines,
    edited,
    entry,
    text,
)

RUFF = [sys.executable, "-m", "ruff", "format", "--isolated"]
KEYS = """# Dep.ANTHROPIC Dep.GOOGLE s.llm_models.anthropic_model s.llm_models.gemini_model
# s.llm_credentials.anthropic_api_key s.llm_credentials.google_api_key"""

ADAPTER_CONFIGS = text(
    """
    from typing import Any

    from tests.configs import AdapterConfig


    def _zeta_factory(**kw: Any) -> Any:
        return kw


    def _build_zeta_config() -> AdapterConfig:
        return AdapterConfig(framework_id="zeta", adapter_factory=_zeta_factory)


    # In the order of the suite.
    _ADAPTER_CONFIG_BUILDERS: list[Any] = [
        _build_zeta_config,
    ]
    """
)
CONVERTER_CONFIGS = ADAPTER_CONFIGS.replace("Adapter", "Converter").replace(
    "ADAPTER", "CONVERTER"
)
OUTPUT_ADAPTERS = text(
    '''
    from typing import Any, Protocol

    __all__ = [
        "BaseDictListOutputAdapter",
        "OutputAdapter",
    ]


    class OutputAdapter(Protocol):
        """Reads what a converter makes."""


    class BaseDictListOutputAdapter:
        """Reads dicts."""
    '''
)
ENUM = text(
    '''
    from enum import StrEnum


    class Adapter(StrEnum):
        """One member for each module."""

        ZETA = "zeta"

        @property
        def module(self) -> str:
            return self.value
    '''
)
SUPPORT = text(
    """
    from tests.baseline.adapter import Adapter, AdapterSupport

    SUPPORT: tuple[AdapterSupport, ...] = (
        AdapterSupport(
            Adapter.ZETA, reason="nobody has written it"
        ),
    )
    """
)
BUILDERS = text(
    """
    from band.testing import feature_kwargs
    from tests.e2e.toolkit import Adapter, Capability, Dep, _custom_tool_defs, adapter

    _LLM_TOOL_LOOP = (Capability.MEMORY, Capability.CONTACTS)


    @adapter(Adapter.ZETA, requires=[Dep.OPENAI], supports=_LLM_TOOL_LOOP)
    def _build_zeta(
        s: Settings,
        *,
        prompt: str | None,
        features: Features | None,
        tools: list[str] | None = None,
    ) -> object:
        key = s.llm_credentials.openai_api_key
        return s.llm_models.openai_model, key


    def helper() -> None: ...
    """
)
TURNS = text(
    """
    from tests.turnprobes import (
        TurnOutcomeProbe,
        TurnScript,
        acp,
        zeta,
    )

    TURN_OUTCOME_PROBES: dict[str, TurnOutcomeProbe] = {
        **acp.PROBES,
        **zeta.PROBES,
    }
    """
)
RELAYING = 'RELAYING_FRAMEWORK_IDS = frozenset(\n    {\n        "zeta",\n    }\n)\n'
REPLIES = text(
    """
    from collections import Counter

    ALLOWED_REPLY_CALLS: dict[str, tuple[Counter[str], str]] = {
        "core/delivery.py": (
            Counter(send_message=1),
            "posts the reply",
        ),
    }
    """
)
IMAGES = RELAYING.replace(
    "RELAYING_FRAMEWORK_IDS", "IMAGE_PASSTHROUGH_SUPPORTED_FRAMEWORK_IDS"
)
PENDING = "FILES_CAPABILITY_PENDING_FRAMEWORK_IDS: frozenset[str] = frozenset()\n"
IMAGE_PROBES = text(
    """
    from typing import Any

    from band.runtime.tools import BandTool

    _IMAGE_RESULT: dict[str, Any] = {"content": [{"type": "image", "data": "ZmFrZQ=="}]}


    async def _probe_zeta() -> bool:
        from zeta import Zeta  # noqa: PLC0415 -- only here

        return bool(Zeta() and BandTool)


    IMAGE_PASSTHROUGH_PROBES: dict[str, Any] = {
        "zeta": _probe_zeta,
        # The same one.
        "zeta_flow": _probe_zeta,
    }
    """
)

HOSTS: dict[str, tuple[Registrar, str]] = {
    "adapter configurations": (configs.adapter_configs, ADAPTER_CONFIGS),
    "converter configurations": (configs.converter_configs, CONVERTER_CONFIGS),
    "output adapters": (configs.output_adapters, OUTPUT_ADAPTERS),
    "enum": (baseline.adapters, ENUM),
    "registry": (baseline.support, SUPPORT),
    "builders": (baseline.builder, BUILDERS),
    "turn probes": (conformance.turn_probes, TURNS),
    "relaying": (conformance.relaying, RELAYING),
    "replies": (conformance.reply_calls, REPLIES),
    "images": (conformance.images, IMAGES),
    "image probes": (conformance.image_probes, IMAGE_PROBES),
}
ALL = pytest.mark.parametrize(("registrar", "host"), HOSTS.values(), ids=HOSTS.keys())


@ALL
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["", "BOM"])
def test_only_adds(registrar: Registrar, host: str, newline: str, bom: str) -> None:
    before = bom + host.replace("\n", newline)
    after = edited(registrar, before)
    assert "acme" in added_lines(before, after).lower()
    assert after.count("\n") == after.count(newline)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("adapter", [ACME, LONGEST], ids=["short names", "long names"])
def test_is_written_as_a_formatter_writes(
    provider: str, adapter: Entry, tmp_path: Path
) -> None:
    for name, (registrar, host) in HOSTS.items():
        (tmp_path / f"{name}.py").write_text(f"{KEYS}\n\n\n{host}")
    subprocess.run([*RUFF, tmp_path], check=True, capture_output=True)
    for name, (registrar, _) in HOSTS.items():
        path = tmp_path / f"{name}.py"
        changed = edited(
            registrar, path.read_text(), replace(adapter, provider=provider)
        )
        path.write_text(changed)
    subprocess.run([*RUFF, "--check", tmp_path], check=True)


@ALL
def test_refuses_what_is_no_python(registrar: Registrar, host: str) -> None:
    with pytest.raises(UnknownShape, match="not Python"):
        registrar(host + "(", ACME)


@ALL
def test_refuses_an_empty_file(registrar: Registrar, host: str) -> None:
    with pytest.raises(UnknownShape):
        registrar(host[:0], ACME)


def test_a_function_goes_over_the_table_and_its_comment() -> None:
    after = edited(configs.adapter_configs, ADAPTER_CONFIGS)
    functions = [
        n.name for n in ast.parse(after).body if isinstance(n, ast.FunctionDef)
    ]
    assert functions[2:] == ["_acme_factory", "_build_acme_config"]
    assert "    )\n\n\n# In the order of the suite.\n_ADAPTER" in after
    assert "    _build_zeta_config,\n    _build_acme_config,\n]" in after


def test_a_half_of_an_entry_is_completed() -> None:
    factory = "def _acme_factory(**kw: Any) -> Any:\n    return kw\n\n\n"
    host = ADAPTER_CONFIGS.replace("# In", f"{factory}# In")
    after = edited(configs.adapter_configs, host)
    assert after.count("def _acme_factory") == 1


def test_the_converter_is_read_by_what_the_host_imports_readers_from() -> None:
    reader = (
        "    from tests.elsewhere.output_adapters import Reader  # noqa: PLC0415\n\n"
    )
    host = CONVERTER_CONFIGS.replace("    return Conv", f"{reader}    return Conv")
    after = edited(configs.converter_configs, host)
    wanted = (
        "    from tests.elsewhere.output_adapters import AcmeOutputAdapter  # noqa: P"
    )
    assert wanted in after


NAMES = {
    "in its order": ("['Aa', 'Zz']", "['Aa', \"AcmeOutputAdapter\", 'Zz']"),
    "as the last where there is none": (
        "[\n  'Zz',\n  'Aa',\n]",
        "[\n  'Zz',\n  'Aa',\n  \"AcmeOutputAdapter\",\n]",
    ),
    "as the last of a tuple": ("('A',)", "('A', \"AcmeOutputAdapter\")"),
    "as the only one": ("()", '("AcmeOutputAdapter",)'),
}


@pytest.mark.parametrize(("names", "wanted"), NAMES.values(), ids=NAMES.keys())
def test_a_class_is_exported(names: str, wanted: str) -> None:
    listed = OUTPUT_ADAPTERS[
        OUTPUT_ADAPTERS.index("[") : OUTPUT_ADAPTERS.index("]") + 1
    ]
    host = OUTPUT_ADAPTERS.replace(listed, names)
    assert f"__all__ = {wanted}\n" in edited(configs.output_adapters, host)


TABLES = {
    "a list": ("['a']", "['a', \"acme\"]"),
    "a tuple of one": ("('a',)", "('a', \"acme\")"),
    "an empty tuple": ("()", '("acme",)'),
    "a list of comments": (
        "[\n    # None yet.\n]",
        '[\n    # None yet.\n    "acme",\n]',
    ),
    "a set": ("{'a',  # one\n}", "{'a',  # one\n    \"acme\",\n}"),
    "a frozenset": ("frozenset(('a', 'b'))", "frozenset(('a', 'b', \"acme\"))"),
    "an empty frozenset": ("frozenset()", 'frozenset({"acme"})'),
    "strings that look like brackets": (
        "frozenset({\n  '}',  # }\n  ')'  # ,\n})",
        "frozenset({\n  '}',  # }\n  ')',  # ,\n  \"acme\",\n})",
    ),
    "a value of brackets": ("[('a')]", "[('a'), \"acme\"]"),
}


@pytest.mark.parametrize(("table", "wanted"), TABLES.values(), ids=TABLES.keys())
def test_an_id_goes_into_a_table_of_any_shape(table: str, wanted: str) -> None:
    head = "RELAYING_FRAMEWORK_IDS: frozenset[str] = "
    assert edited(conformance.relaying, f"{head}{table}\n") == f"{head}{wanted}\n"


UNKNOWN = {
    "a comprehension": "X = {name for name in NAMES}",
    "a computed table": "X = frozenset({'a'}) | OTHERS",
    "a table by another name": "X = OTHERS",
    "a copy of two": "X = frozenset({'a'}, {'b'})",
    "no brackets": "X = 'a', 'b'",
    "no brackets, though some around the ends": "X = ('a'), ('b')",
    "two tables": "X = {'a'}\nX = {'b'}",
    "no value": "X: frozenset[str]",
}


@pytest.mark.parametrize("host", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_an_id_does_not_go_into_an_unknown_shape(host: str) -> None:
    with pytest.raises(UnknownShape):
        conformance.relaying(host.replace("X", "RELAYING_FRAMEWORK_IDS"), ACME)


REFUSED: dict[str, tuple[Registrar, str]] = {
    "a dict that is computed": (
        conformance.reply_calls,
        "ALLOWED_REPLY_CALLS = {path: 1 for path in PATHS}",
    ),
    "calls without a reason": (
        conformance.reply_calls,
        "ALLOWED_REPLY_CALLS = {'core/delivery.py': Counter(send_message=1)}",
    ),
    "probes that are not imported together": (
        conformance.turn_probes,
        TURNS.replace("    acp,\n", "").replace("\nTURN", "import acp\n\nTURN"),
    ),
    "two tables of probes": (conformance.turn_probes, TURNS + TURNS),
    "an enum without plain values": (
        baseline.adapters,
        ENUM.replace('"zeta"', "auto()"),
    ),
    "an enum with our name for another": (
        baseline.adapters,
        ENUM.replace("ZETA", "ACME"),
    ),
    "builders that take something else": (
        baseline.builder,
        BUILDERS.replace("prompt", "steering"),
    ),
    "builders without this provider's key": (
        baseline.builder,
        BUILDERS.replace("Dep.OPENAI", "Dep.ZETA"),
    ),
    "no base of the readers": (
        configs.output_adapters,
        OUTPUT_ADAPTERS.replace("BaseDict", "Base"),
    ),
    "no image to prove it with": (
        conformance.image_probes,
        IMAGE_PROBES.replace("_IMAGE_RESULT", "_IMAGE"),
    ),
}


@pytest.mark.parametrize(("registrar", "host"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses(registrar: Registrar, host: str) -> None:
    with pytest.raises(UnknownShape):
        registrar(host, ACME)


def test_an_empty_table_of_ids_gets_its_first() -> None:
    assert '{"acme"}' in edited(conformance.without_files, PENDING)


def test_a_probe_imports_only_what_the_module_lacks() -> None:
    after = edited(conformance.image_probes, IMAGE_PROBES)
    assert "from band.runtime.tools import ToolCallOutcome  # noqa: PLC0415" in after


@pytest.mark.parametrize(
    ("capabilities", "said"),
    [
        (("contacts", "memory"), "supports=_LLM_TOOL_LOOP)"),
        (("memory", "files"), "supports=[Capability.MEMORY])"),
        (("files",), "requires=[Dep.OPENAI])"),
    ],
)
def test_a_builder_says_what_can_be_tried(
    capabilities: tuple[str, ...], said: str
) -> None:
    after = edited(baseline.builder, BUILDERS, entry(capabilities=capabilities))
    assert said in after


def test_a_builder_of_another_api_needs_no_key() -> None:
    after = edited(baseline.builder, BUILDERS, entry(provider="custom"))
    assert "@adapter(Adapter.ACME, supports=_LLM_TOOL_LOOP)\n" in after
    assert 'AcmeAdapterConfig(custom_section=prompt or ""),\n' in after
