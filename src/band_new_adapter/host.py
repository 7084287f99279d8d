"""The place that an adapter goes into: found and described, never written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from band_new_adapter import pyproject, walk
from band_new_adapter.errors import HostRefused

OLDEST_SDK = "6.0.1"
"""The oldest band-sdk whose conventions the generated code follows."""

# What a checkout of the SDK has since it is of that generation, by what it is for.
_GENERATION = {
    "core/adapterconfig.py": "config objects (BaseAdapterConfig)",
    "core/turn.py": "the turn's ledger",
    "core/delivery.py": "relaying a reply",
    "exports.py": "lazy exports",
}
_NOT_SOURCE = {"node_modules", "build", "dist", "site-packages", "tests", "examples"}
_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Host:
    """A project that exports adapters lazily: the SDK itself, or a collection.

    `root` (absolute) holds pyproject.toml, `source` is the folder of the import
    package `package` in it, and `distribution` what the project is installed as.
    """

    root: Path
    source: PurePosixPath
    package: str
    distribution: str
    dependencies: tuple[Requirement, ...]

    @property
    def is_sdk(self) -> bool:
        return self.package == "band"

    @classmethod
    def at(cls, path: Path) -> Host:
        """The host that `path` is in. Raises HostRefused where there is none, or
        one that is too old or of an unknown kind."""
        found = cls.around(path)
        if found is None:
            raise HostRefused(
                f"{path.resolve()} takes no adapters: no project around it has adapters/ and "
                "converters/ that export with lazy_exports.",
                "Give a checkout of band-sdk, or the project of such a collection.",
            )
        return found

    @classmethod
    def around(cls, path: Path) -> Host | None:
        """The host that `path` is in, or None. Raises HostRefused as `at` does."""
        here = path.resolve()
        if not here.is_dir():
            raise HostRefused(f"{path} is not a folder.", "Give the one of a checkout.")
        for root in (here, *here.parents):
            if (root / pyproject.FILE).is_file():
                return cls._of(root)
        return None

    @classmethod
    def _of(cls, root: Path) -> Host | None:
        places = sorted(_places(root))
        if len(places) > 1:
            shown = ", ".join(str(place) for place in places)
            raise HostRefused(
                f"{root} has more than one package that exports adapters: {shown}.",
                "Give the project of one of them.",
            )
        if not places:
            return None
        (source,) = places
        package = _import_name(root, source)
        project = pyproject.at(root)
        if not project:
            found = f"{root / pyproject.FILE} has no [project]."
            raise HostRefused(found, "Adapters need an extra there.")
        dependencies = pyproject.requirements(
            project.get("dependencies", []), str(root / pyproject.FILE)
        )
        host = cls(root, source, package, str(project.get("name", "")), dependencies)
        host._refuse_the_old()
        return host

    def _refuse_the_old(self) -> None:
        folder = self.root / self.source
        if self.is_sdk:
            lacks = [f for f in _GENERATION if not (folder / f).is_file()]
            if lacks:
                missing = ", ".join(f"{f} ({_GENERATION[f]})" for f in lacks)
                raise HostRefused(
                    f"{self.root} is a checkout of band-sdk, but too old: it has no "
                    f"{missing}.",
                    f"Bring it to {OLDEST_SDK} or later, or make a package of its own "
                    "with --output.",
                )
            return
        wanted = [
            r for r in self.dependencies if canonicalize_name(r.name) == "band-sdk"
        ]
        if not wanted:
            raise HostRefused(
                f"{self.root} exports adapters, but does not depend on band-sdk.",
                f"Add band-sdk>={OLDEST_SDK},<7 to its dependencies.",
            )
        if not all(r.specifier.contains(OLDEST_SDK) for r in wanted):
            raise HostRefused(
                f"{self.root} depends on {wanted[0]}, which leaves out {OLDEST_SDK}.",
                f"Adapters are made for band-sdk>={OLDEST_SDK},<7: widen it.",
            )

    def texts(self) -> dict[PurePosixPath, str]:
        """What an adapter may have to be registered in: path in `root` to text.

        Newlines and a byte order mark are as they are in the files.
        """
        paths = [
            *(
                self.source / kind / "__init__.py"
                for kind in ("adapters", "converters")
            ),
            PurePosixPath(pyproject.FILE),
            PurePosixPath("README.md"),
            PurePosixPath("uv.lock"),
        ]
        tests = self.root / "tests"
        for folder, _, names in os.walk(tests):
            inside = PurePosixPath(Path(folder).relative_to(self.root).as_posix())
            paths += [inside / n for n in sorted(names) if n.endswith((".py", ".json"))]
        return dict(self._read(paths))

    def _read(self, paths: list[PurePosixPath]) -> Iterator[tuple[PurePosixPath, str]]:
        for path in paths:
            file = self.root / path
            if not file.is_file():
                continue
            content = walk.content(file)
            try:
                yield path, content.decode()
            except UnicodeDecodeError as error:
                if "tests" not in path.parts:
                    raise HostRefused(
                        f"{file} is not UTF-8: {error.reason} at byte {error.start}.",
                        "Save it as UTF-8.",
                    ) from error


def _places(root: Path) -> Iterator[PurePosixPath]:
    """Folders with adapters/ and converters/ that both call lazy_exports."""

    def skip(folder: Path) -> bool:
        deep = len(folder.relative_to(root).parts) > _DEPTH
        other = folder.name[0] == "." or folder.name in _NOT_SOURCE
        # A project in another one is a place of its own.
        return deep or other or (folder / pyproject.FILE).exists()

    for here, names, _ in walk.folders(root, skip):
        if {"adapters", "converters"} <= set(names):
            kinds = (here / kind / "__init__.py" for kind in ("adapters", "converters"))
            if all(f.is_file() and b"lazy_exports" in walk.content(f) for f in kinds):
                yield PurePosixPath(here.relative_to(root).as_posix())


def _import_name(root: Path, source: PurePosixPath) -> str:
    names: list[str] = []
    for folder in (source, *source.parents):
        if not (root / folder / "__init__.py").is_file() or not folder.name:
            break
        names.insert(0, folder.name)
    if not names:
        raise HostRefused(
            f"{root / source} is not an importable package: it has no __init__.py.",
            "Add one.",
        )
    return ".".join(names)
