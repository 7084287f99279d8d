"""How a conformance suite reads what a converter makes, by the form of its messages."""

from __future__ import annotations

from band_new_adapter.register.entry import Entry
from band_new_adapter.register.tables import code

_CONTAINS = """
    def content_contains(self, result: list[Any], substring: str) -> bool:
        return any(substring in repr(message) for message in result)
"""

_ROLE = """
    def assert_element_type(
        self, result: list[Any], index: int, expected_role: str
    ) -> None:
        assert self.get_role(result, index) == expected_role
"""

_SAID = """
    def result_length(self, result: list[Any]) -> int:
        return len(self._said(result))

    def _said(self, result: list[Any]) -> list[Any]:
        # A conversation that the agent began is opened for it: a user has to begin.
        opening = <opening>
        return result[1:] if result[:1] == [opening] else result
"""

_DICTS = f'''
class <prefix>OutputAdapter(BaseDictListOutputAdapter):
    """What <prefix>HistoryConverter makes: messages, and calls without any content."""

    def get_content(self, result: list[Any], index: int) -> str:
        message = result[index]
        return str(message.get("content", message))
{_CONTAINS}'''

_BLOCKS = f'''
class <prefix>OutputAdapter(BaseDictListOutputAdapter):
    """What <prefix>HistoryConverter makes: messages of text, or of blocks."""

    def get_content(self, result: list[Any], index: int) -> str:
        return str(self._said(result)[index]["content"])

    def get_role(self, result: list[Any], index: int) -> str:
        return self._said(result)[index]["role"]
{_CONTAINS}{_ROLE}{_SAID}'''

_PARTS = f'''
class <prefix>OutputAdapter(BaseDictListOutputAdapter):
    """What <prefix>HistoryConverter makes: contents, whose parts are text or calls."""

    def get_content(self, result: list[Any], index: int) -> str:
        part = self._said(result)[index]["parts"][0]
        return part.get("text", str(part))

    def get_role(self, result: list[Any], index: int) -> str:
        role = self._said(result)[index]["role"]
        return "assistant" if role == "model" else role
{_CONTAINS}{_ROLE}{_SAID}'''

_OBJECTS = f'''
class <prefix>OutputAdapter(BaseDictListOutputAdapter):
    """What <prefix>HistoryConverter makes: an object for each message."""

    def get_content(self, result: list[Any], index: int) -> str:
        return result[index].text

    def get_role(self, result: list[Any], index: int) -> str:
        return type(result[index]).__name__.removesuffix("Message").lower()
{_CONTAINS}{_ROLE}'''

_FORMS = {
    "anthropic": _BLOCKS,
    "gemini": _PARTS,
    "custom": _OBJECTS,
    "custom-framework": _OBJECTS,
}
_OPENINGS = {
    "anthropic": '{"role": "user", "content": "…"}',
    "gemini": '{"role": "user", "parts": [{"text": "…"}]}',
}


def name(entry: Entry) -> str:
    """The class that reads the converter's messages."""
    return f"{entry.prefix}OutputAdapter"


def written(entry: Entry) -> str:
    """The code of that class."""
    return code(
        _FORMS.get(entry.provider, _DICTS),
        prefix=entry.prefix,
        opening=_OPENINGS.get(entry.provider, ""),
    )
