"""What the user decided, and every name that follows from it."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from band_new_adapter import catalog
from band_new_adapter.catalog import Provider
from band_new_adapter.errors import NameRefused, UnknownChoice, UsageProblem

LONGEST = 30
"""Characters of a name and of a class prefix: more would not fit on its lines."""

FALLBACK_NAME = "my_framework"

_WINDOWS_DEVICES = {"con", "prn", "aux", "nul"} | {
    f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10)
}
# Extras are compared as PEP 685 says, and the package has its own `test` extra.
_OWN_EXTRAS = {"test"}
# What the generated modules import under the names that the prefix would give.
_SDK_CLASSES = {"Base": "BaseAdapterConfig", "Simple": "SimpleAdapter"}


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to the questions of copier.yml, all of them valid."""

    adapter: str
    class_prefix: str
    pattern: int
    provider: str
    emit: tuple[str, ...]
    capabilities: tuple[str, ...]
    description: str
    license: str

    @property
    def extra(self) -> str:
        return self.adapter.replace("_", "-")

    @property
    def distribution(self) -> str:
        return f"band-adapter-{self.extra}"

    @property
    def package(self) -> str:
        return f"band_adapter_{self.adapter}"

    @property
    def adapter_class(self) -> str:
        return f"{self.class_prefix}Adapter"

    @property
    def data(self) -> dict[str, str | int | list[str]]:
        """As Copier takes them and as a data file holds them."""
        return {
            "adapter": self.adapter,
            "class_prefix": self.class_prefix,
            "pattern": self.pattern,
            "provider": self.provider,
            "emit": list(self.emit),
            "capabilities": list(self.capabilities),
            "description": self.description,
            "license": self.license,
        }


def name(text: str) -> str:
    """`text` as the name of an adapter, hyphens read as underscores.

    Raises NameRefused for what would break as a module, a class, an extra, a
    distribution or a folder.
    """
    candidate = text.replace("-", "_") if text[:1].isalpha() else text
    if reason := _why_not(candidate):
        raise NameRefused(text, reason, _nearest(text))
    return candidate


def module(adapter: str) -> str:
    """The name of an adapter as that of a module, which a host imports by it.

    Raises NameRefused for a keyword of Python.
    """
    if keyword.iskeyword(adapter):
        reason = "it is a keyword of Python, and a checkout imports it by its name"
        raise NameRefused(adapter, reason, f"{adapter}_api")
    return adapter


def _why_not(text: str) -> str:
    if not text.strip():
        return "it is empty"
    if text[0] == "-":
        return "it looks like an option"
    if re.search(r"[/\\:]", text) or set(text) == {"."}:
        return "it is a path, and a name is wanted (--output takes the path)"
    if letter := next((letter for letter in text if not letter.isascii()), ""):
        return f"{_described(letter)} is not an ASCII letter"
    if text[0].isdigit():
        return "it begins with a digit"
    if re.search(r"\s", text):
        return "it has blanks"
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", text):
        return "it is not lower-case words of letters and digits, joined by _"
    if text in _WINDOWS_DEVICES:
        return "Windows reserves it for a device"
    if text.replace("_", "-") in _OWN_EXTRAS:
        return "the package has an extra of that name for its own tests"
    if len(text) > LONGEST:
        return f"it has {len(text)} characters, and {LONGEST} is the most"
    return ""


def _nearest(text: str) -> str:
    """The good name that is closest to what was probably meant."""
    last = re.split(r"[/\\:]", text.rstrip("/\\:. "))[-1]
    folded = unicodedata.normalize("NFKD", last).encode("ascii", "ignore").decode()
    # Only where a capital follows a small letter and a small one follows it:
    # MyFramework is two words, OpenAI is one.
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "_", folded).lower()
    if folded.lower() in catalog.SPELLINGS:
        parted = folded.lower()
    words = "_".join(re.findall(r"[a-z0-9]+", parted))
    if digits := re.match(r"[\d_]+", words):
        rest = words[digits.end() :]
        words = f"{rest or 'adapter'}{digits[0].strip('_')}"
    short = words[:LONGEST].rstrip("_")
    if len(words) > LONGEST and "_" in short and words[LONGEST] != "_":
        short = short.rpartition("_")[0]
    for good in (short, f"{short}_api"):
        if not _why_not(good):
            return good
    return FALLBACK_NAME


def class_prefix(text: str) -> str:
    """`text` as what the classes of the package begin with."""
    flag = "--class-prefix"
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", text):
        wanted = "Use ASCII letters and digits, and begin with a capital: LlamaIndex."
        raise UsageProblem(f"{flag} {text!r} cannot begin a class name.", wanted)
    if len(text) > LONGEST:
        found = f"{flag} {text!r} has {len(text)} characters."
        raise UsageProblem(found, f"Use at most {LONGEST}.")
    if clash := _SDK_CLASSES.get(text):
        raise UsageProblem(
            f"{flag} {text!r} would hide the SDK's own {clash}.",
            f"Give another one: {flag} {text}Model.",
        )
    return text


def description(text: str) -> str:
    """`text`, unless it has a character that no file can hold."""
    for position, letter in enumerate(text):
        if letter == "\0" or "\ud800" <= letter <= "\udfff":
            raise UsageProblem(
                f"Character {position + 1} of the description, {_described(letter)}, "
                "cannot be written to a file.",
                "Leave it out.",
            )
    return text


def _described(letter: str) -> str:
    """A character as a message can show it: itself, code point, name."""
    fallback = "lone surrogate" if "\ud800" <= letter <= "\udfff" else "control"
    shown = f"{letter} " if letter.isprintable() else ""
    return f"{shown}(U+{ord(letter):04X}, {unicodedata.name(letter, fallback)})"


def pattern(text: object, chosen: str | None = None) -> int:
    """The number of a pattern; that of the provider `chosen`, if it is known."""
    for number in catalog.PATTERNS:
        if str(text) == str(number):
            break
    else:
        raise UnknownChoice("--pattern", text, catalog.PATTERNS)
    if chosen and catalog.PROVIDERS[chosen].pattern != number:
        others = [p.key for p in catalog.PROVIDERS.values() if p.pattern == number]
        raise UsageProblem(
            f"{chosen} does not go with --pattern {number}.",
            f"Leave --pattern out, or choose for --provider from: {', '.join(others)}.",
        )
    return number


def provider(text: object) -> Provider:
    """The provider with the key `text`."""
    if found := catalog.PROVIDERS.get(str(text)):
        return found
    raise UnknownChoice("--provider", text, catalog.PROVIDERS)


def license_(text: object) -> str:
    """One of the licenses, by its SPDX identifier."""
    if str(text) in catalog.LICENSES:
        return str(text)
    raise UnknownChoice("--license", text, catalog.LICENSES)


def emit(texts: Iterable[str], chosen: Provider) -> tuple[str, ...]:
    """The emit kinds that `texts` name, in the catalogue's order."""
    return _kinds("--emit", texts, catalog.EMIT, chosen)


def capabilities(texts: Iterable[str], chosen: Provider) -> tuple[str, ...]:
    """The capabilities that `texts` name, in the catalogue's order."""
    return _kinds("--capability", texts, catalog.CAPABILITIES, chosen)


def _kinds(
    flag: str, texts: Iterable[str], known: Mapping[str, str], chosen: Provider
) -> tuple[str, ...]:
    words = [word.strip() for text in texts for word in text.split(",")]
    offered = [kind for kind in known if kind not in chosen.refused]
    for word in words:
        if word in known and word not in offered:
            raise UsageProblem(
                f"{chosen.key} cannot do {word}: {chosen.refused[word]}.",
                f"Choose for {flag} from: {', '.join(offered)}, all, none.",
            )
        if word not in (*offered, "all", "none"):
            raise UnknownChoice(flag, word, (*offered, "all", "none"))
    if "none" in words and set(words) != {"none"}:
        raise UsageProblem(f"{flag} none cannot be joined with another choice.")
    return tuple(kind for kind in offered if kind in words or "all" in words)


def default_description(prefix: str) -> str:
    return f"Connects {prefix} to Band chat rooms."
