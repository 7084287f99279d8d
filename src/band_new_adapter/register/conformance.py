"""The conformance suite's tables of turns, replies and images."""

from __future__ import annotations

import ast

from band_new_adapter.errors import UnknownShape
from band_new_adapter.register import tables
from band_new_adapter.register.edit import Edit, wide
from band_new_adapter.register.entry import Entry
from band_new_adapter.register.python import Source
from band_new_adapter.register.tables import code

PROBES = "PROBES"
RELAYING = "RELAYING_FRAMEWORK_IDS"
REPLIES = "ALLOWED_REPLY_CALLS"
IMAGES = "IMAGE_PASSTHROUGH_SUPPORTED_FRAMEWORK_IDS"
IMAGE_PROBES = "IMAGE_PASSTHROUGH_PROBES"
WITHOUT_FILES = "FILES_CAPABILITY_PENDING_FRAMEWORK_IDS"

_TOOLS = "band.runtime.tools"

_IMAGE_PROBE = """
async def _probe_<module>() -> bool:
<imports>

    class Tools:
        async def execute_tool_call_structured(self, *_: Any) -> ToolCallOutcome:
            return ToolCallOutcome(value=_IMAGE_RESULT, ok=True)

    adapter = <prefix>Adapter(emit=())
    call = ToolCall("call-1", BandTool.READ_ROOM_FILE, {"file_id": "file-1"})

    answer = await adapter._answer(call, {call.name: {}}, Tools())

    return _IMAGE_RESULT["content"][0]["data"] in repr(tool_messages([answer]))
"""


def turn_probes(text: str, entry: Entry) -> Edit:
    """The module of the adapter's probe: imported, and among those that are joined."""
    source = Source.parse(text)
    joined = [
        (node, {name for v in node.values if (name := _probe_module(v))})
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Dict)
    ]
    found = [(node, modules) for node, modules in joined if modules]
    if len(found) != 1:
        raise UnknownShape(f"{len(found)} tables join PROBES, and 1 is wanted")
    node, modules = found[0]
    if entry.module in modules:
        return Edit()
    imports = [
        statement
        for statement in source.tree.body
        if isinstance(statement, ast.ImportFrom)
        and modules <= {alias.name for alias in statement.names}
    ]
    if len(imports) != 1:
        raise UnknownShape("the modules with PROBES are not imported together")
    return source.edit(
        [
            tables.add_imported(source, imports[0], entry.module),
            source.append(node, f"**{entry.module}.{PROBES}"),
        ]
    )


def turn_probes_lines(entry: Entry) -> str:
    return (
        f"from tests.framework_conformance.turnprobes import {entry.module}\n\n"
        f"TURN_OUTCOME_PROBES = {{\n    ...\n    **{entry.module}.{PROBES},\n}}"
    )


def relaying(text: str, entry: Entry) -> Edit:
    """The adapter among those that post the model's closing text."""
    source = Source.parse(text)
    return source.edit([tables.add_id(source, RELAYING, entry.module)])


def reply_calls(text: str, entry: Entry) -> Edit:
    """The adapter's one call that posts the model's closing text."""
    source = Source.parse(text)
    node = tables.table(source, REPLIES)
    if repr(f"adapters/{entry.module}.py") in tables.entries(node):
        return Edit()
    if not any(isinstance(v, ast.Tuple) for v in getattr(node, "values", ())):
        raise UnknownShape(f"{REPLIES} does not give each file its calls and a reason")
    tables.require(source, "Counter")
    return source.edit([source.append(node, reply_calls_lines(entry))])


def reply_calls_lines(entry: Entry) -> str:
    path, counted = f'"adapters/{entry.module}.py"', "Counter(relay_reply=1)"
    reason = '"the model\'s closing text"'
    line = f"{path}: ({counted}, {reason})"
    if not wide(f"    {line},"):
        return line
    return f"{path}: (\n    {counted},\n    {reason},\n)"


def images(text: str, entry: Entry) -> Edit:
    """The adapter among those whose model sees the images of a room."""
    source = Source.parse(text)
    return source.edit([tables.add_id(source, IMAGES, entry.module)])


def without_files(text: str, entry: Entry) -> Edit:
    """The adapter among those that cannot have files yet."""
    source = Source.parse(text)
    return source.edit([tables.add_id(source, WITHOUT_FILES, entry.module)])


def image_probes(text: str, entry: Entry) -> Edit:
    """The proof that an image reaches the model, and its place in the table."""
    source = Source.parse(text)
    node = tables.table(source, IMAGE_PROBES)
    if repr(entry.module) in tables.entries(node):
        return Edit()
    tables.require(source, "Any", "_IMAGE_RESULT")
    name = f"_probe_{entry.module}"
    probe = {name: _image_probe(source, entry)}
    return source.edit(
        [
            tables.define(source, probe, tables.assigned(source, IMAGE_PROBES)),
            source.append(node, f'"{entry.module}": {name}'),
        ]
    )


def image_probes_lines(entry: Entry) -> str:
    probe = _image_probe(Source.parse(""), entry)
    name = f"_probe_{entry.module}"
    return f'{probe}\n\n{IMAGE_PROBES} = {{\n    ...\n    "{entry.module}": {name},\n}}'


def id_lines(name: str, entry: Entry) -> str:
    """The entry of a table of ids."""
    return f'{name} = frozenset(\n    {{\n        ...\n        "{entry.module}",\n    }}\n)'


def _image_probe(source: Source, entry: Entry) -> str:
    adapter, converter = (
        f"{entry.root}.{package}.{entry.module}"
        for package in ("adapters", "converters")
    )
    imports = (
        tables.local_import(source, adapter, entry.adapters[:1]),
        tables.local_import(source, converter, ("ToolCall", "tool_messages")),
        tables.local_import(source, _TOOLS, ("BandTool", "ToolCallOutcome")),
    )
    return code(
        _IMAGE_PROBE,
        imports="\n".join(filter(None, imports)),
        module=entry.module,
        prefix=entry.prefix,
    )


def _probe_module(value: ast.expr) -> str:
    """`module` of `module.PROBES`; "" for anything else."""
    match value:
        case ast.Attribute(value=ast.Name(id=module), attr="PROBES"):
            return module
    return ""
