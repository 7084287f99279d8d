"""Builds the bundle of template versions: `python -m band_new_adapter.bundle`.

One commit and one annotated tag for each version, made so that the same files
give the same hashes on every machine.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path

from band_new_adapter import apply, process, template
from band_new_adapter.errors import ToolError, UnknownVersion

_WHO = b"band-new-adapter <template@band.invalid>"
_ALL_TAGS = "refs/tags/*:refs/tags/*"
_FIRST_SECOND = 1_700_000_000


def build(files: Mapping[str, bytes], tag: str, bundle: Path) -> bytes:
    """The content of `bundle`, if there is one, with `files` as version `tag`.

    `tag` has to be its newest version, or newer: the newest one is not released
    yet and is replaced. The same files again give back the same content.
    """
    present = bundle.read_bytes() if bundle.is_file() else None
    known = template.tags(present) if present else {}
    older = [name for name in known if name != tag]
    if older and template.version(older[-1]) > template.version(tag):
        raise ToolError(
            f"The bundle already has {older[-1]}, which is newer than {tag}.",
            "A change to the template is a new version: raise __version__.",
        )
    with _store(bundle) as store:
        parent = _hash(f"{older[-1]}^{{commit}}", store) if older else ""
        if tag in known:
            _git("update-ref", "-d", f"refs/tags/{tag}", at=store)
        stream = _stream(files, tag, parent, _FIRST_SECOND + len(older))
        words = ("fast-import", "--quiet", "--done", "--date-format=raw")
        _git(*words, at=store, given=stream)
        if present and known.get(tag) == _hash(f"refs/tags/{tag}", store):
            return present
        made = store / "new.bundle"
        words = ("bundle", "create", "-q", "--version=2", str(made), "--tags")
        _git("-c", "pack.threads=1", *words, at=store)
        return made.read_bytes()


def read(bundle: Path, tag: str) -> dict[str, bytes]:
    """The files of one version: path to content, sorted."""
    with _store(bundle) as store:
        names = _git("ls-tree", "-r", "-z", "--name-only", tag, at=store)
        paths = [name for name in names.decode().split("\0") if name]
        return {path: _git("show", f"{tag}:{path}", at=store) for path in sorted(paths)}


def require_known(tag: str) -> None:
    """Raise UnknownVersion for one that this tool's bundle does not have."""
    known = template.tags(template.BUNDLE.read_bytes())
    if tag not in known:
        raise UnknownVersion(tag, known, newer=_is_newer(tag, known))


@contextmanager
def extracted(tag: str) -> Generator[Path]:
    """A version that this tool's bundle has, as a folder with copier.yml and
    template/; it is gone when the block ends.

    Raises UnknownVersion for any other.
    """
    require_known(tag)
    with (
        _store(template.BUNDLE) as store,
        tempfile.TemporaryDirectory(prefix="band-new-adapter-") as folder,
    ):
        _git(f"--work-tree={folder}", "read-tree", "-u", "--reset", tag, at=store)
        yield Path(folder)


def _is_newer(tag: str, known: Iterable[str]) -> bool:
    try:
        return template.version(tag) > max(map(template.version, known))
    except ValueError:
        return False


@contextmanager
def _store(bundle: Path) -> Generator[Path]:
    """A temporary repository with the versions that `bundle` has, if it exists."""
    with tempfile.TemporaryDirectory(prefix="band-new-adapter-") as folder:
        store = Path(folder)
        _git("init", "-q", "--bare", "--object-format=sha1", "--template=", folder)
        if bundle.is_file():
            _git("fetch", "-q", str(bundle.absolute()), _ALL_TAGS, at=store)
        yield store


def _stream(files: Mapping[str, bytes], tag: str, parent: str, second: int) -> bytes:
    """One version as git's fast-import reads it."""
    when = b"%s %d +0000\n" % (_WHO, second)
    message = f"template {tag}".encode()
    said = b"data %d\n%s\n" % (len(message), message)
    parts = [b"commit refs/heads/version\nmark :1\n"]
    parts += [b"author " + when, b"committer " + when, said]
    if parent:
        parts.append(f"from {parent}\n".encode())
    parts.append(b"deleteall\n")
    for path in sorted(files):
        quoted = path.replace("\\", "\\\\").replace('"', '\\"').encode()
        content = files[path]
        parts.append(b'M 100644 inline "%s"\n' % quoted)
        parts.append(b"data %d\n%s\n" % (len(content), content))
    parts += [f"tag {tag}\n".encode(), b"from :1\n", b"tagger " + when, said]
    return b"".join([*parts, b"done\n"])


def _hash(name: str, store: Path) -> str:
    return _git("rev-parse", name, at=store).decode().strip()


def _git(*words: str, at: Path | None = None, given: bytes = b"") -> bytes:
    # Nobody's configuration may change a hash or stop the build.
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    clean |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    clean |= {"LC_ALL": "C", "TZ": "UTC"}
    where = at or Path.cwd()
    ended = process.run(process.Command(("git", *words), where, clean, stdin=given))
    if ended.status:
        raise ToolError(
            "git cannot unpack the versions of the template: "
            f"{ended.output.strip() or 'it does not say why'}",
            f"See that there is room in {tempfile.gettempdir()}.",
        )
    return ended.raw


def main() -> None:
    """Bring the packaged bundle up to the working tree."""
    files = template.files(template.root())
    content = build(files, template.TAG, template.BUNDLE)
    apply.put(template.BUNDLE, content)
    print(f"{template.BUNDLE.name}: {', '.join(template.tags(content))}")


if __name__ == "__main__":
    main()
