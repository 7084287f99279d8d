"""What was put into a host for an adapter, kept so that it can be taken out again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from band_new_adapter.errors import NotAnAdapter

FOLDER = PurePosixPath(".band-adapters")
"""Where a host keeps, for each adapter, its answers and this record."""


@dataclass(frozen=True, slots=True)
class Inserted:
    """What one file got: its hash afterwards, and each text with its offset (in
    characters) and the blanks that it took the place of, in the order in which they
    went in."""

    hash: str
    texts: tuple[tuple[int, str, str], ...]

    def taken_out_of(self, text: str) -> tuple[str, tuple[str, ...]]:
        """`text` without what was put in, and what of that was not found.

        A file that nobody changed since becomes what it was, byte for byte. In
        another one each text is cut where it stands, if that is one place.
        """
        if digest(text.encode()) == self.hash:
            for offset, inserted, blanks in reversed(self.texts):
                text = text[:offset] + blanks + text[offset + len(inserted) :]
            return text, ()
        lost = []
        for _, inserted, blanks in reversed(self.texts):
            # A separator alone tells nothing; it may separate something else now.
            if not any(letter.isalnum() for letter in inserted):
                continue
            if text.count(inserted) == 1:
                text = text.replace(inserted, blanks)
            else:
                lost.append(inserted)
        return text, tuple(lost)


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

    @classmethod
    def read(cls, content: bytes, shown: PurePosixPath) -> Record:
        """The record in a file's `content`. Raises NotAnAdapter if it is none."""
        try:
            values: dict[str, Any] = json.loads(content)
            made = {PurePosixPath(path): str(h) for path, h in values["made"].items()}
            registered = {
                PurePosixPath(path): Inserted(
                    str(given["hash"]),
                    tuple((int(at), str(a), str(b)) for at, a, b in given["texts"]),
                )
                for path, given in values["registered"].items()
            }
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise NotAnAdapter(
                f"{shown} is not a record of what was made: {error!r}.",
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
        content = (root / place).read_bytes()
        return content, cls.read(content, place)

    def content(self) -> bytes:
        """The record as its file holds it."""
        values = {
            "made": {str(path): self.made[path] for path in sorted(self.made)},
            "registered": {
                str(path): {
                    "hash": self.registered[path].hash,
                    "texts": [list(text) for text in self.registered[path].texts],
                }
                for path in sorted(self.registered)
            },
        }
        return (json.dumps(values, indent=2, ensure_ascii=False) + "\n").encode()


def digest(content: bytes) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(content).hexdigest()
