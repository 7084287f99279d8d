"""The baseline suites: the enum of adapters, what each can do offline, and how each
is built to talk to its real model."""

from __future__ import annotations

import ast

from band_new_adapter.errors import NameTaken, UnknownShape
from band_new_adapter.register import tables
from band_new_adapter.register.edit import Edit, indentation
from band_new_adapter.register.entry import Entry
from band_new_adapter.register.python import Addition, Source
from band_new_adapter.register.tables import code

SUPPORT = "SUPPORT"
MANIFEST = "expected-cells.json"

_KEYS = {
    "openai": ("openai", "openai"),
    "openai-responses": ("openai", "openai"),
    "openai-agents": ("openai", "openai"),
    "langgraph": ("openai", "openai"),
    "anthropic": ("anthropic", "anthropic"),
    "gemini": ("gemini", "google"),
}
"""What the suite's settings call each provider's model, and who its key is of."""

_BUILDER = """
<decorator>
def _build_<module><signature>
<import>

    return <prefix>Adapter(
        <config>,
        additional_tools=_custom_tool_defs(tools),
        **feature_kwargs(features),
    )
"""

_SIGNATURE = """(
    s: BaselineSettings,
    *,
    prompt: str | None,
    features: AdapterFeatures | None,
    tools: list[ToolSpec] | None = None,
) -> SimpleAdapter[Any]:"""

_CONFIG = """<prefix>AdapterConfig(
            model=s.llm_models.<model>_model,
            provider_key=s.llm_credentials.<key>_api_key or None,
            custom_section=prompt or "",
        )"""


def adapters(text: str, entry: Entry) -> Edit:
    """The adapter as the last member of the enum."""
    source = Source.parse(text)
    enum = next(
        (
            node
            for node in source.tree.body
            if isinstance(node, ast.ClassDef) and node.name == "Adapter"
        ),
        None,
    )
    members = [
        (node, ast.unparse(node.targets[0]), ast.literal_eval(node.value))
        for node in (enum.body if enum else [])
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
    ]
    if not members:
        raise UnknownShape("Adapter has no members with plain values")
    known = {name: value for _, name, value in members}
    if entry.module in known.values():
        return Edit()
    line = f'{entry.module.upper()} = "{entry.module}"'
    if entry.module.upper() in known:
        raise NameTaken(f"{entry.module.upper()} is another adapter")
    last = members[-1][0]
    blanks = indentation(text, source.start(last))
    where = source.below(last, f"{blanks}{line}\n")
    return source.edit([Addition([where], (tables.statement(line),))])


def adapters_lines(entry: Entry) -> str:
    return f'class Adapter(StrEnum):\n    ...\n    {entry.module.upper()} = "{entry.module}"'


def support(text: str, entry: Entry) -> Edit:
    """What the offline baseline says about the adapter."""
    source = Source.parse(text)
    node = tables.table(source, SUPPORT)
    tables.require(source, "Adapter", "AdapterSupport")
    member = f"Adapter.{entry.module.upper()}"
    first = {
        ast.unparse(call.args[0])
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and call.args
    }
    if member in first:
        return Edit()
    if not first:
        raise UnknownShape(f"{SUPPORT} is not a list of AdapterSupport(Adapter.…)")
    return source.edit([source.append(node, support_lines(entry))])


def support_lines(entry: Entry) -> str:
    reason = 'reason="its own tests script its model"'
    arguments = [f"Adapter.{entry.module.upper()}", reason]
    return tables.called("AdapterSupport", arguments, "    ", ",")


def builder(text: str, entry: Entry) -> Edit:
    """The function that builds the adapter for a run against its real model."""
    source = Source.parse(text)
    known = {
        node: call
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef)
        for call in node.decorator_list
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "adapter"
    }
    member = f"Adapter.{entry.module.upper()}"
    if member in {ast.unparse(call.args[0]) for call in known.values() if call.args}:
        return Edit()
    tables.require(source, "Adapter", "adapter", "_custom_tool_defs", "feature_kwargs")
    if not known:
        raise UnknownShape("no function has the decorator @adapter(...)")
    last = list(known)[-1]
    written = _like(source, last, entry)
    where = source.below(last, f"\n\n{written}")
    return source.edit([Addition([where], (tables.statement(written),))])


def builder_lines(entry: Entry) -> str:
    return _code(Source.parse(""), _SIGNATURE, entry)


def manifest(text: str, entry: Entry) -> Edit:
    """The cells that runs against real models are to have: only the suite makes them."""
    if f'"{entry.module}"' in text:
        return Edit()
    raise UnknownShape("it is made from the suite, and has no cells of the adapter")


def manifest_lines(_: Entry) -> str:
    folder = "tests/e2e/baseline"
    module = folder.replace("/", ".")
    return f"$ python -m {module}.scorecard manifest --out {folder}/{MANIFEST}"


def _like(source: Source, other: ast.FunctionDef, entry: Entry) -> str:
    """The builder, called as `other` is."""
    names = {a.arg for a in (*other.args.args, *other.args.kwonlyargs)}
    if names != {"s", "prompt", "features", "tools"} or other.returns is None:
        raise UnknownShape(f"{other.name} takes other arguments than are known here")
    for needed in _needed(entry):
        if needed not in source.text:
            raise UnknownShape(f"no builder has {needed}")
    opening = source.text.index("(", source.start(other))
    end = source.text.index(":", source.end(other.returns)) + 1
    return _code(source, source.text[opening:end].replace("\r\n", "\n"), entry)


def _needed(entry: Entry) -> tuple[str, ...]:
    """What the builders of this provider use of the suite's settings."""
    if entry.provider not in _KEYS:
        return ()
    model, key = _KEYS[entry.provider]
    fields = f"s.llm_models.{model}_model", f"s.llm_credentials.{key}_api_key"
    return f"Dep.{key.upper()}", *fields


def _code(source: Source, signature: str, entry: Entry) -> str:
    module = f"{entry.root}.adapters.{entry.module}"
    model, key = _KEYS.get(entry.provider, ("", ""))
    config = f'{entry.prefix}AdapterConfig(custom_section=prompt or "")'
    return code(
        _BUILDER,
        decorator=tables.called("@adapter", _arguments(source, key, entry)),
        signature=signature,
        module=entry.module,
        config=_CONFIG if model else config,
        model=model,
        key=key,
        prefix=entry.prefix,
        **{"import": tables.local_import(source, module, entry.adapters)},
    )


def _arguments(source: Source, key: str, entry: Entry) -> list[str]:
    """The decorator's arguments: the key that a run needs, and what it can try."""
    arguments = [f"Adapter.{entry.module.upper()}"]
    if key:
        arguments.append(f"requires=[Dep.{key.upper()}]")
    tried = [c for c in ("memory", "contacts") if c in entry.capabilities]
    if len(tried) == 2 and "_LLM_TOOL_LOOP" in tables.bound(source):
        arguments.append("supports=_LLM_TOOL_LOOP")
    elif tried:
        listed = ", ".join(f"Capability.{one.upper()}" for one in tried)
        arguments.append(f"supports=[{listed}]")
    return arguments
