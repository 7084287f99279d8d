"""What was put into a host for an adapter, kept so that it can be taken out again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from band_new_adapter import walk
from band_new_adapter.errors import TOO_DEEP, NotAnAdapter
from band_new_adapter.register.edit import newline

FOLDER = PurePosixPath(".band-adapters")
"""Where a host keeps, for each adapter, its answers and this record."""

Part = tuple[int, str, str]
"""A text that went into a file: its offset (in characters) then, the text, and the
blanks that it took the place of."""

_NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Inserted:
    """What one file got: its hash afterwards, and each part in the order in which
    they went in. One that a person has changed since is nowhere."""

    hash: str = ""
    parts: tuple[Part, ...] = ()

    def taken_out_of(self, text: str) -> tuple[str, tuple[str, ...]]:
        """`text` without what was put in, and what of that was not found.

        A file that nobody changed since becomes what it was, byte for byte. From
        another one is cut what stands there as often as it went in.
        """
        parts = self.parts if self.is_whole_in(text) else _placed(self.parts, text)
        lost = []
        for offset, inserted, blanks in reversed(parts):
            if offset != _NOWHERE and text.startswith(inserted, offset):
                text = text[:offset] + blanks + text[offset + len(inserted) :]
            else:
                lost.append(inserted)
        return text, tuple(lost)

    def and_then(self, before: str, after: str, parts: Iterable[Part]) -> Inserted:
        """What the file got with `parts` as well, which made `after` of `before`."""
        new = tuple(parts)
        old = self.parts if self.is_whole_in(before) else _placed(self.parts, before)
        again = {text for _, text, _ in new}
        kept = (part for part in old if part[0] != _NOWHERE or part[1] not in again)
        return Inserted(digest(after.encode()), (*kept, *new))

    @classmethod
    def nowhere(cls, texts: Iterable[str]) -> Inserted:
        """`texts` that went in, and that a person has changed since."""
        return cls(parts=tuple((_NOWHERE, text, "") for text in texts))

    def is_whole_in(self, text: str) -> bool:
        """Whether nobody has changed the file since."""
        return digest(text.encode()) == self.hash


def _placed(parts: Sequence[Part], text: str) -> list[Part]:
    """`parts` where they stand in `text` now, in that order and in its newlines:
    those that stand there just as often as they went in."""
    style, placed = newline(text), []
    adapted = [(re.sub(r"\r?\n", style, part[1]), part[2]) for part in parts]
    for inserted in dict.fromkeys(inserted for inserted, _ in adapted):
        # A separator alone tells nothing; it may separate something else now.
        if any(letter.isalnum() for letter in inserted):
            same = [blanks for other, blanks in adapted if other == inserted]
            found = _places(inserted, text)
            if len(found) != len(same):
                found = [_NOWHERE] * len(same)
            placed += zip(found, [inserted] * len(same), same, strict=True)
    return sorted(placed)


def _places(inserted: str, text: str) -> list[int]:
    """The offsets in `text` of what was `inserted`, and is no part of longer words."""
    begin, end = (r"\b" if re.match(r"\w", inserted[i]) else "" for i in (0, -1))
    pattern = f"{begin}{re.escape(inserted)}{end}"
    return [found.start() for found in re.finditer(pattern, text)]


@dataclass(frozen=True, slots=True)
class Record:
    """The files that were made for an adapter, by their hashes, and what files of
    the host's own got."""

    made: Mapping[PurePosixPath, str] = field(default_factory=dict)
    registered: Mapping[PurePosixPath, Inserted] = field(default_factory=dict)

    @staticmethod
    def path(adapter: str) -> PurePosixPath:
        """Where the record of `adapter` is, in its host."""
        return FOLDER / f"{adapter}.json"

    @staticmethod
    def names(root: Path) -> list[str]:
        """The adapters that have one in the host at `root`."""
        return sorted(file.stem for file in (root / FOLDER).glob("*.json"))

    @classmethod
    def read(cls, content: bytes, shown: PurePosixPath) -> Record:
        """The record in a file's `content`. Raises NotAnAdapter if it is none."""
        try:
            values: dict[str, Any] = json.loads(content)
            made = {_inside(path): str(h) for path, h in values["made"].items()}
            registered = {
                _inside(path): Inserted(
                    str(given["hash"]),
                    tuple((int(at), str(a), str(b)) for at, a, b in given["texts"]),
                )
                for path, given in values["registered"].items()
            }
        except (ValueError, TypeError, KeyError, AttributeError, *TOO_DEEP) as error:
            reason = (
                str(error) if isinstance(error, ValueError) else "its form is another"
            )
            raise NotAnAdapter(
                f"{shown} is not a record of what was made: {reason}.",
                "Restore it from the repository's history.",
            ) from error
        return cls(made, registered)

    @classmethod
    def found(cls, root: Path, adapter: str) -> tuple[bytes | None, Record]:
        """The record of `adapter` in the host at `root`, as its file holds it and as
        a value; None and an empty one where there is none."""
        place = cls.path(adapter)
        if not (root / place).exists():
            return None, cls()
        content = walk.content(root / place)
        return content, cls.read(content, place)

    def content(self) -> bytes:
        """The record as its file holds it."""
        values = {
            "made": {str(path): self.made[path] for path in sorted(self.made)},
            "registered": {
                str(path): {
                    "hash": self.registered[path].hash,
                    "texts": [list(part) for part in self.registered[path].parts],
                }
                for path in sorted(self.registered)
            },
        }
        return (json.dumps(values, indent=2, ensure_ascii=False) + "\n").encode()


def _inside(path: str) -> PurePosixPath:
    """`path` in a host. Raises ValueError for one that leads out of it."""
    found = PurePosixPath(path)
    if found.is_absolute() or ".." in found.parts:
        raise ValueError(f"{path} is not in the host")
    return found


def digest(content: bytes) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(content).hexdigest()
