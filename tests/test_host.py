"""What takes adapters is recognised, and refused with what it lacks."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter.errors import HostRefused, ToolError
from band_new_adapter.host import Host
from tests.hosts import GENERATION, PROJECT, checkout, collection, write


def test_a_collection_is_described(tmp_path: Path) -> None:
    host = Host.at(collection(tmp_path))
    assert host.root == tmp_path
    assert host.source == PurePosixPath("src/acme_adapters")
    assert (host.package, host.distribution) == ("acme_adapters", "acme-adapters")
    assert not host.is_sdk


def test_a_checkout_of_the_sdk_is_described(tmp_path: Path) -> None:
    host = Host.at(checkout(tmp_path))
    assert host.is_sdk
    assert (host.package, host.distribution) == ("band", "band-sdk")


@pytest.mark.parametrize("inside", ["", "src", "src/acme_adapters/adapters", "docs"])
def test_it_is_found_from_any_folder_in_it(inside: str, tmp_path: Path) -> None:
    collection(tmp_path)
    (tmp_path / inside).mkdir(exist_ok=True)
    assert Host.at(tmp_path / inside).root == tmp_path


@pytest.mark.parametrize(
    ("source", "package"),
    [("acme_adapters", "acme_adapters"), ("src/acme/band", "acme.band")],
)
def test_the_import_name_is_that_of_the_package(
    source: str, package: str, tmp_path: Path
) -> None:
    collection(tmp_path, source)
    for folder in (tmp_path / source).parents:
        if folder.name == "acme":
            (folder / "__init__.py").touch()
    assert Host.at(tmp_path).package == package


def test_a_link_to_it_is_it(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(collection(tmp_path / "real"))
    assert Host.at(tmp_path / "link").root == tmp_path / "real"


def test_where_nothing_is_there_is_none(tmp_path: Path) -> None:
    assert Host.around(tmp_path) is None
    write(tmp_path, {"pyproject.toml": PROJECT, "src/acme/__init__.py": ""})
    assert Host.around(tmp_path) is None
    with pytest.raises(HostRefused, match="takes no adapters"):
        Host.at(tmp_path)


@pytest.mark.parametrize("lacking", [*GENERATION, "exports"])
def test_an_sdk_that_is_too_old_is_told_what_it_lacks(
    lacking: str, tmp_path: Path
) -> None:
    checkout(tmp_path)
    (file,) = tmp_path.rglob(f"{lacking}.py")
    file.unlink()
    with pytest.raises(HostRefused, match=f"too old: it has no .*{lacking}"):
        Host.at(tmp_path)


@pytest.mark.parametrize(
    ("project", "found"),
    [
        (PROJECT.replace(">=6.0.1,<7", "<6"), "leaves out 6.0.1"),
        (PROJECT.replace("band-sdk>=6.0.1,<7", "httpx"), "does not depend on band-sdk"),
        (
            PROJECT.replace("band-sdk>=6.0.1,<7", "band sdk =="),
            "'band sdk ==', which is no req",
        ),
        (PROJECT.replace("= [", "= ").replace('"]\n', '"\n'), "which is no list"),
        ("[project", "is not TOML"),
        ("[tool.x]\n", r"has no \[project\]"),
    ],
)
def test_a_collection_that_is_refused_is_told_why(
    project: str, found: str, tmp_path: Path
) -> None:
    write(collection(tmp_path), {"pyproject.toml": project})
    with pytest.raises(ToolError, match=found):
        Host.at(tmp_path)


def test_two_collections_in_one_project_are_refused(tmp_path: Path) -> None:
    collection(tmp_path)
    collection(tmp_path, "src/others")
    with pytest.raises(HostRefused, match="src/acme_adapters, src/others"):
        Host.at(tmp_path)


def test_a_project_in_another_is_a_place_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[project]\nname = "all"\n'})
    inner = collection(tmp_path / "packages" / "ours")
    assert Host.around(tmp_path) is None
    assert Host.at(inner).root == inner


def test_virtual_environments_are_not_looked_into(tmp_path: Path) -> None:
    collection(tmp_path)
    collection(tmp_path / "env", "lib/band")
    write(tmp_path, {"env/pyvenv.cfg": ""})
    assert Host.at(tmp_path).package == "acme_adapters"


def test_no_package_and_no_folder(tmp_path: Path) -> None:
    (collection(tmp_path) / "src/acme_adapters/__init__.py").unlink()
    with pytest.raises(HostRefused, match=r"no __init__\.py"):
        Host.at(tmp_path)
    with pytest.raises(HostRefused, match="is not a folder"):
        Host.at(tmp_path / "nowhere")


def test_texts_are_as_they_are(tmp_path: Path) -> None:
    odd = "\ufeffx = 1\r\n\ty = 2\r\n"
    write(collection(tmp_path), {"tests/framework_configs/adapters.py": odd})
    texts = Host.at(tmp_path).texts()
    assert texts[PurePosixPath("tests/framework_configs/adapters.py")] == odd
    assert PurePosixPath("README.md") not in texts


def test_what_is_not_utf_8_is_refused_where_it_is_needed(tmp_path: Path) -> None:
    collection(tmp_path)
    write(tmp_path, {"tests/test_x.py": ""})
    (tmp_path / "tests/test_x.py").write_bytes(b"\xff")
    assert PurePosixPath("tests/test_x.py") not in Host.at(tmp_path).texts()
    (tmp_path / "src/acme_adapters/adapters/__init__.py").write_bytes(
        b"# \xff\nlazy_exports"
    )
    with pytest.raises(HostRefused, match="not UTF-8"):
        Host.at(tmp_path).texts()
