"""From flags, a data file and a terminal to Answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from band_new_adapter import answers, catalog
from band_new_adapter.answers import Answers
from band_new_adapter.catalog import Provider
from band_new_adapter.errors import TOO_DEEP, AnswersMissing, UsageProblem, meant

Known = dict[str, Any]
"""The answers so far, by their key."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of copier.yml: its key there, its flag, and how an answer is
    read. `default` is None where only the user can know, and `asked` tells whether
    a user is asked, or the default good enough to disturb nobody."""

    key: str
    flag: str
    text: str
    read: Callable[[Any, Known], Any]
    default: Callable[[Known], Any] | None
    choices: Callable[[Known], Mapping[Any, str]] | None = None
    many: bool = False
    asked: Callable[[Known], bool] = lambda known: True


def _provider(known: Known) -> Provider:
    """What was chosen, or will be by default."""
    pattern = known.get("pattern", catalog.DEFAULT_PATTERN)
    return catalog.PROVIDERS[known.get("provider", catalog.DEFAULT_PROVIDERS[pattern])]


def _text(key: str, value: object) -> str:
    if isinstance(value, str):
        return value
    raise UsageProblem(
        f"The answer to {key} has to be text, and is {value!r}.", "Put it in quotes."
    )


def _texts(key: str, value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [_text(key, item) for item in values]


QUESTIONS = (
    Question(
        "adapter",
        "NAME",
        "Name of the adapter, in snake_case. It names the package, the extra and "
        "the classes.",
        lambda value, known: answers.name(_text("adapter", value)),
        None,
    ),
    Question(
        "class_prefix",
        "--class-prefix",
        "What the classes begin with (OpenAI gives OpenAIAdapter and "
        "OpenAIAdapterConfig).",
        lambda value, known: answers.class_prefix(_text("class_prefix", value)),
        lambda known: answers.class_prefix(catalog.class_prefix(known["adapter"])),
        asked=lambda known: False,
    ),
    Question(
        "pattern",
        "--pattern",
        "Who runs the tool loop? Take the adapter if you are unsure, it always works.",
        lambda value, known: answers.pattern(value, known.get("provider")),
        lambda known: _provider(known).pattern,
        lambda known: catalog.PATTERNS,
        asked=lambda known: "provider" not in known,
    ),
    Question(
        "provider",
        "--provider",
        "Which model API or framework does the adapter connect?",
        lambda value, known: answers.provider(value).key,
        lambda known: _provider(known).key,
        lambda known: {
            key: provider.title
            for key, provider in catalog.PROVIDERS.items()
            if provider.pattern == known.get("pattern", provider.pattern)
        },
    ),
    Question(
        "emit",
        "--emit",
        "What the adapter reports into the room, beside its replies.",
        lambda value, known: answers.emit(_texts("emit", value), _provider(known)),
        lambda known: _provider(known).emit,
        lambda known: {kind: catalog.EMIT[kind] for kind in _provider(known).emit},
        many=True,
    ),
    Question(
        "capabilities",
        "--capability",
        "Which optional groups of Band tools the host may switch on.",
        lambda value, known: answers.capabilities(
            _texts("capabilities", value), _provider(known)
        ),
        lambda known: _provider(known).capabilities,
        lambda known: {
            kind: catalog.CAPABILITIES[kind] for kind in _provider(known).capabilities
        },
        many=True,
    ),
    Question(
        "description",
        "--description",
        "One sentence that says what the adapter connects to Band.",
        lambda value, known: answers.description(_text("description", value)),
        lambda known: answers.default_description(known["class_prefix"]),
    ),
    Question(
        "license",
        "--license",
        "License of the new package.",
        lambda value, known: answers.license_(value),
        lambda known: catalog.DEFAULT_LICENSE,
        lambda known: catalog.LICENSES,
        asked=lambda known: False,
    ),
)

FIXED = frozenset({"adapter", "class_prefix"})
"""What an adapter is called by, and so cannot be changed."""

Ask = Callable[[Question, Known], Any]
"""Asks the user until the answer is good, and returns it as it was read."""


def gather(
    given: Mapping[str, object], *, defaults: bool, ask: Ask | None
) -> tuple[Answers, tuple[str, ...]]:
    """The answers, and what the user should be told about how they were read.

    What is `given` (by key) is taken; the rest is the default if `defaults`, and
    otherwise asked. Raises AnswersMissing where `ask` is None.
    """
    known: Known = {}
    missing: list[str] = []
    # What the provider is decides what may follow, and is asked for later.
    if "provider" in given:
        known["provider"] = answers.provider(given["provider"]).key
    for question in QUESTIONS:
        if question.key in given:
            known[question.key] = question.read(given[question.key], known)
        elif question.default and (defaults or not question.asked(known)):
            if not missing:
                known[question.key] = question.default(known)
        elif ask and not defaults:
            known[question.key] = ask(question, known)
        else:
            missing.append(question.flag)
    if missing:
        raise AnswersMissing(missing, defaults=defaults)
    return Answers(**known), tuple(_notes(given, known))


def _notes(given: Mapping[str, object], known: Known) -> list[str]:
    name = given.get("adapter", known["adapter"])
    if name == known["adapter"]:
        return []
    return [f"{name} is read as {known['adapter']}: Python names have no hyphens."]


def read_data_file(path: Path) -> dict[str, object]:
    """The answers in a YAML or JSON file, by key; an answers file will do."""
    found = read(path, f"--data-file {path}")
    # Copier's answers file begins with what Copier itself remembers.
    own = {key: value for key, value in found.items() if key[:1] != "_"}
    refuse_unknown(own, f"--data-file {path}")
    return own


def read(path: Path, shown: str) -> dict[str, object]:
    """The YAML or JSON in a file, by key; messages call the file `shown`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = json.loads(text) if path.suffix == ".json" else _yaml(text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageProblem(f"{shown} cannot be read: {reason}.") from error
    except (ValueError, *TOO_DEEP) as error:
        reason = " ".join(str(error).split())
        raise UsageProblem(f"{shown} is neither YAML nor JSON: {reason}.") from error
    if not isinstance(found, dict):
        raise UsageProblem(f"{shown} has no answers by key.", _wanted())
    return {str(key): value for key, value in found.items()}


def refuse_unknown(answered: Mapping[str, object], shown: str) -> None:
    """Raise UsageProblem for a key that is no question's."""
    known = [question.key for question in QUESTIONS]
    for key in answered:
        if key not in known:
            raise UsageProblem(
                f"{shown} answers {key!r}.{meant(key, known)}", _wanted()
            )


def _wanted() -> str:
    return f"Its keys can be: {', '.join(question.key for question in QUESTIONS)}."


def _yaml(text: str) -> object:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
