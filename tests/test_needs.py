"""What others import of an adapter, however they write it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from band_new_adapter.host import Host
from band_new_adapter.needs import needed
from tests import hosts

OTHER = "src/acme_adapters/adapters/zeta.py"
LINES = (
    "from acme_adapters.{kind}.acme import {name}",
    "from acme_adapters.{kind} import (\n    {name} as x,\n)",
    "from acme_adapters.{kind} import acme",
    "import acme_adapters.{kind}.acme as x",
    "from ..{kind}.acme import {name}",
    "from ..{kind} import {name}",
    "def f():\n    from ..{kind} import acme",
    'x = import_module("acme_adapters.{kind}.acme")',
    "from acme_adapters.{kind}.acme import {name}\nno Python",
)


OWN = {
    "src/acme_adapters/adapters/acme.py": "class AcmeAdapter:\n    x = 1\n",
    "src/acme_adapters/converters/acme.py": "class AcmeHistoryConverter: ...\n"
    "AcmeMessages = list[str]\n",
    ".band-adapters/acme.yml": "",
    "src/acme_adapters/integrations/acme/gone.py": "",
}


def asked(folder: Path, text: str, path: str = OTHER) -> dict[str, str]:
    hosts.write(hosts.collection(folder), {**OWN, path: text})
    (folder / "src/acme_adapters/integrations/acme/gone.py").unlink()
    return needed(Host.at(folder), "acme", list(map(PurePosixPath, OWN)), {})


@pytest.mark.parametrize("line", LINES)
def test_an_import_is_found(line: str, tmp_path: Path) -> None:
    adapters = line.format(kind="adapters", name="AcmeAdapter")
    assert set(asked(tmp_path, adapters)) == {"adapters", "converters", "integrations"}
    converters = line.format(kind="converters", name="AcmeHistoryConverter")
    needs = asked(tmp_path, converters)
    assert needs == dict.fromkeys(("converters", "integrations"), OTHER)
    assert needs == asked(tmp_path, converters.replace("HistoryConverter", "Messages"))


def test_a_sibling_is_one_dot_away(tmp_path: Path) -> None:
    assert "adapters" in asked(tmp_path, "from .acme import x\n")
    assert "adapters" in asked(tmp_path, "from . import acme\n")


@pytest.mark.parametrize(
    "line",
    [
        "from acme_adapters.adapters.acme_two import AcmeAdapter",
        "from acme_adapters.adapters import AcmeAdapterTwo, my_acme",
        "from other.adapters.acme import AcmeAdapter",
        "from ..other.acme import AcmeAdapter",
        "import acme",
        "AcmeAdapter = x",
    ],
)
def test_another_name_is_another(line: str, tmp_path: Path) -> None:
    assert asked(tmp_path, line) == {}


def test_relative_imports_of_tests_are_their_own(tmp_path: Path) -> None:
    line = "from .adapters.acme import AcmeAdapter\n"
    assert asked(tmp_path, line, "tests/test_zeta.py") == {}


def test_own_files_and_those_as_they_will_be(tmp_path: Path) -> None:
    assert asked(tmp_path, "from .acme import x\n")
    host, path = Host.at(tmp_path), PurePosixPath(OTHER)
    assert needed(host, "acme", (), {path: ""}) == {}
    assert needed(host, "acme", [path], {}) == {}
