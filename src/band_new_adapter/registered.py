"""Proves, in a host's own Python, that an adapter is really registered there.

Run as a program with one argument, JSON; it imports nothing but the host. Prints
a line for each claim that does not hold, and then ends with 1.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any


class _Absent:
    """A finder to which the client libraries are not installed."""

    def __init__(self, roots: list[str]) -> None:
        self._roots = roots

    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] in self._roots:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def broken(claims: dict[str, Any]) -> Iterator[str]:
    """What of `claims` does not hold."""
    yield from _broken_exports(claims)
    for table in claims["tables"]:
        yield from _broken_table(table, claims["module"])


def _broken_exports(claims: dict[str, Any]) -> Iterator[str]:
    absent = _Absent(claims["brings"])
    sys.meta_path.insert(0, absent)
    for module, names in claims["exports"].items():
        package = importlib.import_module(f"{claims['package']}.{module.split('.')[0]}")
        whole = f"{claims['package']}.{module}"
        if whole in sys.modules:
            yield f"importing {package.__name__} imports {whole} as well"
        if missing := set(names) - set(package.__all__):
            yield f"{package.__name__}.__all__ lacks {sorted(missing)}"
    if claims["brings"]:
        yield from _broken_without_extra(claims)
    sys.meta_path.remove(absent)
    for module, names in claims["exports"].items():
        package = importlib.import_module(f"{claims['package']}.{module.split('.')[0]}")
        for name in names:
            try:
                getattr(package, name)
            except (ImportError, AttributeError) as error:
                yield f"{package.__name__}.{name} cannot be read: {error}"


def _broken_without_extra(claims: dict[str, Any]) -> Iterator[str]:
    module = f"{claims['package']}.adapters"
    name = claims["exports"][f"adapters.{claims['module']}"][0]
    try:
        getattr(importlib.import_module(module), name)
    except ImportError as error:
        if f"[{claims['extra']}]" not in str(error):
            yield f"{module}.{name} without the extra says only: {error}"
    except AttributeError as error:
        yield f"{module}.{name}: {error}"
    else:
        yield f"{module}.{name} can be read without what the extra installs"
    for loaded in [n for n in sys.modules if n.endswith(f".{claims['module']}")]:
        del sys.modules[loaded]


def _broken_table(name: str, wanted: str) -> Iterator[str]:
    told: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())
    logging.getLogger().addHandler(handler)
    try:
        module = importlib.import_module(name)
        tables = [n for n in getattr(module, "__all__", ()) if n.endswith("_CONFIGS")]
        ids = {c.framework_id for table in tables for c in getattr(module, table)}
    except (ImportError, AttributeError, RuntimeError) as error:
        yield f"{name} cannot be read: {error}"
        return
    if wanted not in ids:
        why = [text for text in told if wanted in text]
        yield f"{name} has no {wanted!r}: {'; '.join(why) or sorted(ids)}"


if __name__ == "__main__":
    found = list(broken(json.loads(sys.argv[1])))
    print("\n".join(f"not registered: {line}" for line in found))
    sys.exit(bool(found))
