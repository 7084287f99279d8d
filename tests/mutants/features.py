"""FEAT: an adapter that declares, offers or executes something else than it should."""

from __future__ import annotations

from tests.mutants.mutant import Edit, mutant

SUPER = "super().__init__(history_converter=history_converter, **features)"
SCHEMAS = "tools.get_openai_tool_schemas(capabilities=self.features.capabilities)"
LAST_OF_INIT = "        self._rooms: dict[str, _Room] = {}\n"
HARD_CODED = """[
                {
                    "type": "function",
                    "function": {
                        "name": "band_send_message",
                        "description": "Send a message.",
                        "parameters": {
                            "type": "object",
                            "properties": {"content": {"type": "string"}},
                            "required": ["content"],
                        },
                    },
                }
            ]"""
CUSTOM = 'custom = custom_tools_to_schemas(self._custom_tools, "openai")'
PICTURE = "if picture := image_passthrough_result(call.name, value):"

MUTANTS = (
    mutant(
        "usage is declared, and never reported",
        "FEAT-1 EVT-3",
        Edit(
            "            await self.emit_usage(tools, turn.usage)", "            pass"
        ),
        origin="sample adapter: usage is never reported",
    ),
    mutant(
        "thoughts are declared, and only logged",
        "FEAT-1 EVT-4",
        Edit(
            "await self._report(turn.tools, MessageType.THOUGHT, thought)",
            'logger.info("Thought: %s", thought)',
        ),
    ),
    mutant(
        "declarations are lists",
        "FEAT-1",
        Edit("ClassVar[frozenset[Emit]] = frozenset(", "ClassVar[list[Emit]] = list("),
    ),
    mutant(
        "features are accepted and ignored",
        "FEAT-2 FEAT-4",
        Edit(SUPER, "super().__init__(history_converter=history_converter)"),
    ),
    mutant(
        "no emit kind means all of them",
        "FEAT-2",
        Edit(
            SUPER,
            'if not features.get("emit"):\n'
            '            features["emit"] = self.SUPPORTED_EMIT\n'
            f"        {SUPER}",
        ),
    ),
    mutant(
        "all capabilities are on by default",
        "FEAT-2",
        Edit(
            SUPER,
            'features.setdefault("capabilities", self.SUPPORTED_CAPABILITIES)\n'
            f"        {SUPER}",
        ),
    ),
    mutant(
        "schemas are asked for without capabilities",
        "FEAT-3",
        Edit(SCHEMAS, "tools.get_openai_tool_schemas()"),
    ),
    mutant(
        "schemas are asked for with every capability",
        "FEAT-3",
        Edit("capabilities=self.features.cap", "capabilities=self.SUPPORTED_CAP"),
        Edit(
            "SUPPORTED_CAPabilities",
            "SUPPORTED_CAPABILITIES",
        ),
    ),
    mutant(
        "capabilities are those of construction",
        "FEAT-3",
        Edit(
            LAST_OF_INIT,
            f"{LAST_OF_INIT}        self._capabilities = self.features.capabilities\n",
        ),
        Edit(SCHEMAS, "tools.get_openai_tool_schemas(capabilities=self._capabilities)"),
    ),
    mutant(
        "the first turn's schemas are kept",
        "FEAT-3",
        Edit(
            LAST_OF_INIT,
            f"{LAST_OF_INIT}        self._schemas: list[dict[str, Any]] = []\n",
        ),
        Edit(
            f"        schemas = {SCHEMAS}\n",
            f"        schemas = self._schemas = self._schemas or {SCHEMAS}\n",
        ),
    ),
    mutant(
        "schemas are hard-coded",
        "FEAT-3",
        Edit(SCHEMAS, HARD_CODED),
        origin="common mistake: tool schemas are hard-coded",
    ),
    mutant(
        "tool filters are ignored",
        "FEAT-4",
        Edit("{name: platform[name] for name in chosen}", "platform"),
        origin="sample adapter: tool filters are accepted and ignored",
    ),
    mutant(
        "categories are ignored",
        "FEAT-4",
        Edit("            get_category=get_band_tool_category,\n", ""),
    ),
    mutant(
        "a tool that was not offered is executed",
        "FEAT-4",
        Edit("if call.name not in offered:", "if not call.name:"),
    ),
    mutant(
        "filters hide the host's own tools",
        "FEAT-4",
        Edit(
            CUSTOM,
            "custom = filter_tool_schemas(\n"
            '            custom_tools_to_schemas(self._custom_tools, "openai"),\n'
            "            self.features,\n"
            '            get_name=lambda schema: schema["function"]["name"],\n'
            "        )",
        ),
    ),
    mutant(
        "an empty list of tools is sent",
        "FEAT-4",
        Edit("        if schemas:\n    ", "        if schemas is not None:\n    "),
        providers=("openai",),
    ),
    mutant(
        "custom tools are not offered",
        "FEAT-5",
        Edit(
            " | {\n"
            '            schema["function"]["name"]: schema for schema in custom\n'
            "        }",
            "",
        ),
        origin="sample adapter: it takes no tools of the host's",
    ),
    mutant(
        "custom tools cannot complete a turn",
        "FEAT-5",
        Edit(
            "custom, call.arguments, turn=tools.turn",
            "custom, call.arguments, turn=None",
        ),
    ),
    mutant(
        "custom tools are called by hand",
        "FEAT-5",
        Edit(
            "value = await execute_custom_tool(\n"
            "                    custom, call.arguments, turn=tools.turn\n"
            "                )",
            "model, handler = custom\n"
            "                value = handler(model(**call.arguments))",
        ),
    ),
    mutant(
        "a custom tool may take a platform tool's name",
        "FEAT-5",
        Edit(
            "        reject_conflicting_tool_names(\n"
            "            get_custom_tool_name(model) for model, _ in self._custom_tools\n"
            "        )\n",
            "",
        ),
    ),
    mutant(
        "a custom tool never fails",
        "FEAT-5 EVT-1",
        Edit("ok = not is_failed_tool_output(value)", "ok = True"),
    ),
    mutant(
        "an image is given to the model as text",
        "FEAT-6",
        Edit(PICTURE, "if picture := None:"),
    ),
    mutant(
        "any tool's result is taken for an image",
        "FEAT-6",
        Edit(PICTURE, PICTURE.replace("call.name", '"band_read_room_file"')),
    ),
    mutant(
        "an image's bytes are text of the answer",
        "FEAT-6",
        Edit(
            "return ToolAnswer(call, shown, images",
            "return ToolAnswer(call, text, images",
        ),
    ),
    mutant(
        "only the first image is shown",
        "FEAT-6",
        Edit('for i in picture["content"]]', 'for i in picture["content"][:1]]'),
    ),
    mutant(
        "an image stands between the answers",
        "FEAT-6",
        Edit(
            'images.append({"type": "image_url", "image_url": {"url": url}})',
            'part = {"type": "image_url", "image_url": {"url": url}}\n'
            '            messages.append({"role": "user", "content": [part]})',
        ),
        providers=("openai",),
    ),
    mutant(
        "every image is a JPEG",
        "FEAT-6",
        Edit("data:{image.mime_type};base64", "data:image/jpeg;base64"),
        providers=("openai",),
    ),
    mutant(
        "an image gets lost on the way",
        "FEAT-6",
        Edit("            images=answer.images,\n", ""),
        providers=("custom",),
    ),
)
