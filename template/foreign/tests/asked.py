"""What is not asked of an adapter that we did not make, and why."""

from __future__ import annotations

from collections.abc import Container

RELAYS = (
    "it does not post the model's final text, which is a choice;"
    " the check posts it in its place, so that the other rules can be asked"
)
NO_CONVERTER = "it has no history converter"
TESTS = {
    "test_custom_tools_are_kept_for_the_sdks_own_conformance": (
        "where it keeps its custom tools is its own affair"
    ),
    "test_a_stopped_agent_holds_no_connection": (
        "whether it or its user made the client cannot be seen from outside"
    ),
    "test_leaving_a_room_leaves_the_client_to_the_others": (
        "whether it or its user made the client cannot be seen from outside"
    ),
}
"""Tests that need to know how an adapter is made."""
POSTING_TESTS = (
    "test_a_delivery_that_failed_is_raised_as_its_own_cause",
    "test_a_reply_that_was_not_delivered_is_not_kept",
    "test_a_stop_while_the_reply_is_posted_ends_the_turn",
    "test_updates_are_owed_after_a_reply_that_was_not_delivered",
)
"""Tests in which posting the final text fails."""


def rules(takes: Container[str], *, relays: bool, converts: bool) -> dict[str, str]:
    """The rules that are not asked of an adapter, each with the reason."""
    construction = "how an adapter is made and configured is its own affair"
    reasons = {f"CFG-{number}": construction for number in range(1, 7)}
    packaging = "how an adapter is packaged is its own affair"
    reasons |= {f"PKG-{number}": packaging for number in range(1, 5)}
    if "max_retries" not in takes:
        reasons["FAIL-3"] = "it cannot be made with max_retries"
    if not converts:
        reasons |= {f"HIST-{number}": NO_CONVERTER for number in range(1, 5)}
    if not relays:
        reasons["TURN-1"] = RELAYS
    return reasons


def tests(*, relays: bool) -> dict[str, str]:
    """The tests that are not asked of an adapter, each with the reason."""
    return TESTS if relays else TESTS | dict.fromkeys(POSTING_TESTS, RELAYS)
