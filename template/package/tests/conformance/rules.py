"""The rules of an adapter. Each test beside this file names those that it checks."""

from __future__ import annotations

RULES: dict[str, str] = {
    # Construction
    "CFG-1": (
        "The configuration is the adapter's only positional argument; the history"
        " converter, custom tools, live objects and features go by keyword."
    ),
    "CFG-2": (
        "The configuration is frozen plain data that refuses unknown fields and"
        " survives JSON; the key shows in no repr, log line or error text."
    ),
    "CFG-3": (
        "Constructing needs no key, network or event loop; the client is built on"
        " first use, and a missing key is an error that names the variable to set."
    ),
    "CFG-4": (
        "A live object of the caller's is used as it is and never closed; one that the"
        " adapter made is closed in cleanup_all."
    ),
    "CFG-5": "The base URL of the model API is configurable.",
    "CFG-6": (
        "What the host has among the request options goes with every request, beside"
        " the room's tools."
    ),
    # Emit kinds, capabilities and tool filters
    "FEAT-1": (
        "Every emit kind and capability that the adapter declares really works."
    ),
    "FEAT-2": (
        "An emit kind or capability that is not declared is refused at construction"
        " with BandConfigError; emit=() is silence."
    ),
    "FEAT-3": (
        "Tool schemas are asked of the turn's tools, in that turn, with exactly the"
        " capabilities in effect."
    ),
    "FEAT-4": (
        "The host's tool filters hold: what they hide is not offered and not executed"
        " when called anyway; with no tool left the request has no tool list."
    ),
    "FEAT-5": (
        "Custom tools are offered and executed, and may not take the name of a platform"
        " tool."
    ),
    "FEAT-6": (
        "An image that a tool returns reaches the model as an image; events and tool"
        " texts carry a placeholder instead of its bytes."
    ),
    # What the model is told
    "SYS-1": (
        "The SDK's system prompt, with the custom section, goes with every request in"
        " the place that the model API has for it."
    ),
    "SYS-2": (
        "Updates about participants and contacts reach the model once, before the"
        " message; those of a failed turn are still owed and go before the next one."
    ),
    "SYS-3": "The message reaches the model as the SDK formats it: [sender]: content.",
    # The tool loop
    "TOOL-1": (
        "A reply with calls is a tool step, whatever its finish reason; one without"
        " calls ends the loop."
    ),
    "TOOL-2": (
        "Every call is answered exactly once, in order, under its own id, however it or"
        " one of its siblings goes wrong."
    ),
    "TOOL-3": (
        "A tool that fails goes back to the model as an error; the turn goes on."
    ),
    "TOOL-4": (
        "A stop or a cancellation ends the turn at once, is never turned into a tool's"
        " answer, and leaves the room's conversation valid."
    ),
    "TOOL-5": (
        "The loop ends at max_tool_rounds: with a reported failure when nothing was"
        " replied, normally otherwise."
    ),
    "TOOL-6": (
        "After the agent declined to reply, and no call beside it failed, the model is"
        " not asked again."
    ),
    "TOOL-7": (
        "A tool's result is bounded before the model and the room get it, and what is"
        " cut is said to be cut."
    ),
    "TOOL-8": (
        "Whoever runs the loop, a stop or a cancellation in a tool ends the turn at once"
        " with that exception, and what a framework does about tools changes nothing."
    ),
    # How a turn ends
    "TURN-1": (
        "The final text is posted, to the sender by id, when nothing replied or"
        " declined; never when blank, and never in the contact hub."
    ),
    "TURN-2": "A turn that did nothing is left to the SDK, which reports it once.",
    "TURN-3": (
        "A delivery that failed is raised as its own cause and never reported as a"
        " failure of the provider."
    ),
    "TURN-4": (
        "A refusal, a filtered answer, one cut by the length limit and one without a"
        " choice each end in a stated way; a cut text is never posted as finished."
    ),
    # Events
    "EVT-1": (
        "tool_calls: an event before and one after each execution, redacted, which the"
        " SDK's parsers read at any size."
    ),
    "EVT-2": (
        "An events API that fails neither fails the turn nor loses or reorders a tool's"
        " result."
    ),
    "EVT-3": (
        "usage: one record a turn, summed over its requests, also when the turn failed;"
        " none when nothing was reported."
    ),
    "EVT-4": (
        "thoughts: the model's reasoning becomes thought events and is not fed back to"
        " the model."
    ),
    "EVT-5": (
        "task_events: the start, the rounds and the end of a turn become task events"
        " that are not taken for usage."
    ),
    "EVT-6": "An emit kind that the host switched off sends nothing.",
    # History and rooms
    "HIST-1": (
        "The converter takes agent_name and set_agent_name, and items that have nothing"
        " but their content."
    ),
    "HIST-2": (
        "Others are input as [name]: content; the agent's own text stays its own,"
        " except while a tool call is open."
    ),
    "HIST-3": (
        "Tool events become the model API's calls and results, each call with one"
        " result and each result with its call; other events are dropped."
    ),
    "HIST-4": "Whatever the room's history, the model API accepts what is made of it.",
    "HIST-5": (
        "History is loaded when the room is first heard; later turns carry on the"
        " room's own conversation."
    ),
    "HIST-6": (
        "A turn that failed or was cancelled leaves the conversation as it was, so that"
        " a redelivered message is heard once."
    ),
    "HIST-7": (
        "The conversation is bounded by max_history_messages and cut before a user's"
        " message, never between a call and its result."
    ),
    "ROOM-1": (
        "Rooms that run at the same time never see each other's messages or tools."
    ),
    "ROOM-2": (
        "Cleaning up a room frees its state, is safe for an unknown room, and makes its"
        " next message start afresh."
    ),
    # Failures of the provider
    "FAIL-1": (
        "A failed request is reported to the room once, with the API's status and"
        " message when it has them, and raised."
    ),
    "FAIL-2": (
        "No key, path or traceback reaches the room, in the report or in the text of"
        " what is raised."
    ),
    "FAIL-3": "The client's own retries are on by default and configurable.",
    # Packaging
    "PKG-1": (
        "Importing the package never imports the provider; reading the adapter without"
        " the extra raises an ImportError that says what to install."
    ),
    "PKG-2": "What the package exports, lazily and to type checkers, agrees.",
    "PKG-3": (
        "The extra named after the adapter brings the provider's client; band-sdk is"
        " the only other dependency at run time."
    ),
    "PKG-4": "Lint, format and type check are clean.",
}
