"""The conformance suite's configurations: of adapters, of converters, and how what
a converter makes is read."""

from __future__ import annotations

import ast

from band_new_adapter.register import outputs, tables
from band_new_adapter.register.edit import Edit
from band_new_adapter.register.entry import Entry
from band_new_adapter.register.python import Source
from band_new_adapter.register.tables import code

ADAPTERS = "_ADAPTER_CONFIG_BUILDERS"
CONVERTERS = "_CONVERTER_CONFIG_BUILDERS"

_OUTPUT_ADAPTERS = "tests.framework_configs.output_adapters"


def adapter_configs(text: str, entry: Entry) -> Edit:
    """The adapter's factory and builder, and the builder in its table."""
    source = Source.parse(text)
    tables.require(source, "Any", "AdapterConfig")
    return _builder(source, ADAPTERS, entry, _adapter_code(source, entry))


def adapter_configs_lines(entry: Entry) -> str:
    return _lines(ADAPTERS, entry, _adapter_code(Source.parse(""), entry))


def converter_configs(text: str, entry: Entry) -> Edit:
    """The converter's factory and builder, and the builder in its table."""
    source = Source.parse(text)
    tables.require(source, "Any", "ConverterConfig")
    return _builder(source, CONVERTERS, entry, _converter_code(source, entry))


def converter_configs_lines(entry: Entry) -> str:
    return _lines(CONVERTERS, entry, _converter_code(Source.parse(""), entry))


def output_adapters(text: str, entry: Entry) -> Edit:
    """The class that reads the converter's messages: no class of the host fits."""
    source = Source.parse(text)
    known = tables.bound(source)
    if outputs.name(entry) in known:
        return Edit()
    tables.require(source, "Any", "BaseDictListOutputAdapter")
    additions = [tables.define_last(source, outputs.written(entry))]
    if "__all__" in known:
        additions.append(tables.add_name(source, "__all__", outputs.name(entry)))
    return source.edit(additions)


def _builder(
    source: Source, table: str, entry: Entry, functions: dict[str, str]
) -> Edit:
    node = tables.table(source, table)
    name = f"_build_{entry.module}_config"
    if name in tables.entries(node):
        return Edit()
    made = tables.define(source, functions, tables.assigned(source, table))
    return source.edit([made, source.append(node, name)])


def _lines(table: str, entry: Entry, functions: dict[str, str]) -> str:
    listed = f"{table} = [\n    ...\n    _build_{entry.module}_config,\n]"
    return "\n\n".join([*functions.values(), listed])


def _adapter_code(source: Source, entry: Entry) -> dict[str, str]:
    adapter, config = entry.adapters
    module = f"{entry.root}.adapters.{entry.module}"
    names = {"module": entry.module, "prefix": entry.prefix}
    factory = code(
        """
        def _<module>_factory(**kw: Any) -> Any:
        <import>

            return <prefix>Adapter(**kw)
        """,
        **{"import": tables.local_import(source, module, (adapter,))},
        **names,
    )
    builder = code(
        """
        def _build_<module>_config() -> AdapterConfig:
        <import>

            default = <prefix>AdapterConfig()
            custom = <prefix>AdapterConfig(custom_section="Be brief.")
            return AdapterConfig(
                framework_id="<module>",
                display_name="<prefix>",
                adapter_factory=_<module>_factory,
                expected_initial_values={"config": default},
                custom_kwargs={"config": custom},
                custom_expected={"config": custom},
            )
        """,
        **{"import": tables.local_import(source, module, (config,))},
        **names,
    )
    return {
        f"_{entry.module}_factory": factory,
        f"_build_{entry.module}_config": builder,
    }


def _converter_code(source: Source, entry: Entry) -> dict[str, str]:
    converter, _ = entry.converters
    module = f"{entry.root}.converters.{entry.module}"
    output = outputs.name(entry)
    readers = _output_adapters_module(source)
    names = {"module": entry.module, "prefix": entry.prefix, "output": output}
    factory = code(
        """
        def _<module>_factory(**kw: Any) -> Any:
        <import>

            return <prefix>HistoryConverter(**kw)
        """,
        **{"import": tables.local_import(source, module, (converter,))},
        **names,
    )
    builder = code(
        """
        def _build_<module>_config() -> ConverterConfig:
        <import>

            return ConverterConfig(
                framework_id="<module>",
                display_name="<prefix>",
                converter_factory=_<module>_factory,
                empty_result=[],
                # The agent's own words are in the conversation that it goes on with.
                filters_own_messages=False,
                output_adapter=<output>(),
            )
        """,
        **{"import": tables.local_import(source, readers, (output,))},
        **names,
    )
    return {
        f"_{entry.module}_factory": factory,
        f"_build_{entry.module}_config": builder,
    }


def _output_adapters_module(source: Source) -> str:
    """The module that the other converters' output adapters come from."""
    modules = {
        node.module
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.module
    }
    found = sorted(m for m in modules if m.rpartition(".")[2] == "output_adapters")
    return found[0] if found else _OUTPUT_ADAPTERS
