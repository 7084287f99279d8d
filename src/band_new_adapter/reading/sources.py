"""The modules of an adapter as they are written: parsed, and never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from band_new_adapter.errors import TOO_DEEP, NotAnAdapter

BASE = "SimpleAdapter"
"""The SDK's class that adapters derive from."""


@dataclass(frozen=True, slots=True)
class Module:
    """One module. `imported` has each name that it imports with what that is,
    dotted; the module's own package is `.` there."""

    path: PurePosixPath
    tree: ast.Module
    imported: tuple[tuple[str, str], ...]

    @classmethod
    def parsed(cls, path: PurePosixPath, content: bytes) -> Module:
        """Raises NotAnAdapter for what is not Python."""
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = ast.parse(content)
        except TOO_DEEP as error:
            message = f"{path} is nested too deep to be read."
            raise NotAnAdapter(message, "Correct the file.") from error
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            where = f", line {line}" if line else ""
            reason = getattr(error, "msg", str(error))
            raise NotAnAdapter(
                f"{path}{where} is not Python: {reason}.", "Correct the file."
            ) from error
        return cls(path, tree, tuple(_imported(tree)))

    def dotted(self, node: ast.AST) -> str:
        """What an expression names, through the imports ("" for anything else)."""
        words: list[str] = []
        while isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Attribute):
                words.append(node.attr)
            node = node.value
        name = node.id if isinstance(node, ast.Name) else ""
        return ".".join([dict(self.imported).get(name, name), *reversed(words)])

    def place(self, node: ast.AST) -> str:
        """Where `node` is, for a person."""
        return f"{self.path}, line {getattr(node, 'lineno', 1)}"

    def origins(self) -> frozenset[str]:
        """All that is imported, dotted."""
        return frozenset(origin for _, origin in self.imported)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` binds a, and says that a.b is used.
                yield alias.asname or alias.name, alias.name
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            for alias in node.names:
                yield alias.asname or alias.name, f"{source}.{alias.name}"


@dataclass(frozen=True, slots=True)
class Class:
    """A class and the module that it is in."""

    module: Module
    node: ast.ClassDef

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def bases(self) -> list[str]:
        """The last words of what it derives from."""
        dotted = (self.module.dotted(base) for base in self.node.bases)
        return [name.rpartition(".")[2] for name in dotted]


@dataclass(frozen=True, slots=True)
class Sources:
    """The adapter's class, its module first among those that it is made of, and
    the classes in them by name."""

    adapter: Class
    modules: tuple[Module, ...]
    classes: Mapping[str, Class]

    @classmethod
    def of(
        cls, contents: Mapping[PurePosixPath, bytes], only: PurePosixPath | None = None
    ) -> Sources:
        """The one adapter in these modules, or in the module `only` of them.

        Raises NotAnAdapter where there is none, or more than one.
        """
        modules: dict[PurePosixPath, Module] = {}
        broken: dict[PurePosixPath, NotAnAdapter] = {}
        for path, content in contents.items():
            try:
                modules[path] = Module.parsed(path, content)
            except NotAnAdapter as error:
                broken[path] = error
        found = _adapters([c for m in modules.values() for c in _classes(m)])
        if only is not None:
            found = [one for one in found if one.module.path == only]
        if not found:
            raise _none(broken, only)
        if len(found) > 1:
            raise _several(found)
        reached = list(_reached(found[0].module.path, modules, broken))
        return cls(
            found[0], tuple(reached), {c.name: c for m in reached for c in _classes(m)}
        )


def _classes(module: Module) -> list[Class]:
    nodes = ast.walk(module.tree)
    return [Class(module, node) for node in nodes if isinstance(node, ast.ClassDef)]


def _adapters(classes: list[Class]) -> list[Class]:
    """Those that are adapters, without those that others of them derive from."""
    known = {BASE}
    found: dict[str, list[Class]] = {}
    while new := [
        c for c in classes if c.name not in known and _is_adapter(c, known - {c.name})
    ]:
        for one in new:
            found.setdefault(one.name, []).append(one)
        known |= {one.name for one in new}
    derived = {base for same in found.values() for one in same for base in one.bases}
    return [one for name, same in found.items() if name not in derived for one in same]


def _is_adapter(one: Class, known: set[str]) -> bool:
    if known.intersection(one.bases):
        return True
    declares = (
        target.id
        for node in one.node.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    )
    return one.name.endswith("Adapter") and "SUPPORTED_EMIT" in declares


def _none(
    broken: Mapping[PurePosixPath, NotAnAdapter], only: PurePosixPath | None
) -> NotAnAdapter:
    for path, error in broken.items():
        if only in (None, path):
            return error
    return NotAnAdapter(
        f"There is no adapter {f'in {only}' if only else 'here'}: "
        f"no class derives from {BASE}.",
        "Give the folder of an adapter's package, or the file with its class.",
    )


def _several(found: list[Class]) -> NotAnAdapter:
    shown = ", ".join(f"{one.name} in {one.module.path}" for one in found)
    same = len({one.module.path for one in found}) == 1
    return NotAnAdapter(
        f"There is more than one adapter: {shown}.",
        "Put each into a module of its own, and give that file."
        if same
        else f"Give the file of one: band-adapter adopt {found[0].module.path}",
    )


def _reached(
    first: PurePosixPath,
    modules: Mapping[PurePosixPath, Module],
    broken: Mapping[PurePosixPath, NotAnAdapter],
) -> Iterator[Module]:
    """The module at `first`, and those that it imports, as far as they are here."""
    by_name = {name(path, {*modules, *broken}): path for path in (*modules, *broken)}
    waiting, seen = [first], {first}
    while waiting:
        path = waiting.pop(0)
        if path in broken:
            raise broken[path]
        yield modules[path]
        package = name(path, {*modules, *broken}).split(".")
        if path.name == "__init__.py":
            package.append("")
        for origin in modules[path].origins():
            dots = len(origin) - len(origin.lstrip("."))
            head = package[: len(package) - dots] if dots else []
            dotted = ".".join([*head, *filter(None, origin.split("."))])
            for wanted in (dotted, dotted.rpartition(".")[0]):
                target = by_name.get(wanted)
                if target is not None and target not in seen:
                    seen.add(target)
                    waiting.append(target)


def name(path: PurePosixPath, paths: set[PurePosixPath]) -> str:
    """The dotted name by which the module at `path` is imported."""
    words = [] if path.name == "__init__.py" else [path.stem]
    for folder in path.parents:
        if folder / "__init__.py" not in paths:
            break
        words.insert(0, folder.name)
    return ".".join(words)
