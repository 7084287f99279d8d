from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from band_new_adapter.errors import UnknownShape
from band_new_adapter.register import exports
from band_new_adapter.register.entry import Entry
from tests.registering import ACME, LONGEST, added_lines, edited, entry, text

HOST = text(
    '''
    """Adapters.

        uv add band-sdk[zeta]
    """

    from __future__ import annotations

    from typing import TYPE_CHECKING

    from band.exports import lazy_exports

    if TYPE_CHECKING:
        from band.adapters.a2a import A2AAdapter as A2AAdapter
        from band.adapters.zeta import ZetaAdapter as ZetaAdapter

    __all__, __getattr__ = lazy_exports(
        __name__,
        a2a=["A2AAdapter"],
        zeta=["ZetaAdapter"],
    )
    '''
)
IMPORTS = (
    "    from band.adapters.acme import AcmeAdapter as AcmeAdapter\n"
    "    from band.adapters.acme import AcmeAdapterConfig as AcmeAdapterConfig\n"
)
INSTALL = "    uv add band-sdk[acme]\n"
KEYWORD = '    acme=["AcmeAdapter", "AcmeAdapterConfig"],\n'
ITEM = KEYWORD.strip().rstrip(",")
CALL = HOST[HOST.index("__all__") :]
BEFORE_CALL = HOST[: HOST.index("__all__")]


def installed(package: str) -> str:
    spec = importlib.util.find_spec("band")
    assert spec and spec.origin
    return Path(spec.origin).with_name(package).joinpath("__init__.py").read_text()


LEFT = {
    "what is registered": edited(exports.adapters, HOST),
    "a list that names more": HOST.replace(
        "    zeta=",
        '    acme=["AcmeAdapter", "AcmeAdapterConfig", "AcmeTool"],\n    zeta=',
    )
    .replace("    from band.adapters.zeta", f"{IMPORTS}    from band.adapters.zeta")
    .replace("[zeta]\n", "[zeta]\n    uv add band-sdk[acme]\n"),
    "names that one import has": text(
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from .acme import (
                AcmeAdapter,
                AcmeAdapterConfig as AcmeAdapterConfig,
            )
        lazy_exports(__name__, acme=("AcmeAdapter", "AcmeAdapterConfig"))
        """
    ),
}


@pytest.mark.parametrize("host", LEFT.values(), ids=LEFT.keys())
def test_leaves_alone(host: str) -> None:
    assert not exports.adapters(host, ACME)


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["", "BOM"])
def test_adds_an_install_line_the_imports_and_the_last_entry(
    newline: str, bom: str
) -> None:
    host = bom + HOST.replace("\n", newline)
    added = added_lines(host, edited(exports.adapters, host))
    assert added == (INSTALL + IMPORTS + KEYWORD).replace("\n", newline)


EDITS = {
    "a call on one line": (
        "lazy_exports(__name__, a=['A'])\n",
        f"lazy_exports(__name__, a=['A'], {ITEM})\n",
    ),
    "one line with a comma at its end": (
        "lazy_exports(__name__, a=['A'],)\n",
        f"lazy_exports(__name__, a=['A'], {ITEM})\n",
    ),
    "nothing exported yet": (
        "x = exports.lazy_exports(__name__)",
        f"x = exports.lazy_exports(__name__, {ITEM})",
    ),
    "no comma at the end": (
        "lazy_exports(\n    __name__,\n    a=['A']\n)\n",
        f"lazy_exports(\n    __name__,\n    a=['A'],\n{KEYWORD})\n",
    ),
    "no comma, and a comment": (
        "lazy_exports(\n    __name__,\n    a=['A']  # the first, so far\n)\n",
        f"lazy_exports(\n    __name__,\n    a=['A'],  # the first, so far\n{KEYWORD})\n",
    ),
    "comments between the entries and behind them": (
        "lazy_exports(\n    __name__,\n    # (a]\n    a=['A'],  # )\n    # last, b=\n)\n",
        (
            "lazy_exports(\n    __name__,\n    # (a]\n    a=['A'],  # )\n    # last, b=\n"
            f"{KEYWORD})\n"
        ),
    ),
    "a bracket behind the last entry": (
        "lazy_exports(__name__,\n             a=['A'],\n             b=['B'])\n",
        (
            "lazy_exports(__name__,\n             a=['A'],\n             b=['B'],\n"
            f"             {ITEM})\n"
        ),
    ),
    "an entry of several lines, in tabs": (
        "lazy_exports(\n\t__name__,\n\ta=[\n\t\t'A',\n\t],\n)\n",
        f"lazy_exports(\n\t__name__,\n\ta=[\n\t\t'A',\n\t],\n\t{ITEM},\n)\n",
    ),
    "values in brackets, letters of many bytes": (
        "lazy_exports(\n    __name__,\n    a=(['Ä', 'é']), b=(['ß'])\n)\n",
        f"lazy_exports(\n    __name__,\n    a=(['Ä', 'é']), b=(['ß']),\n{KEYWORD})\n",
    ),
    "typing.TYPE_CHECKING, and relative imports": (
        "if typing.TYPE_CHECKING:\n\tfrom .b import B\nlazy_exports(__name__)\n",
        (
            "if typing.TYPE_CHECKING:\n"
            "\tfrom .acme import AcmeAdapter as AcmeAdapter\n"
            "\tfrom .acme import AcmeAdapterConfig as AcmeAdapterConfig\n"
            f"\tfrom .b import B\nlazy_exports(__name__, {ITEM})\n"
        ),
    ),
    "several names of a module, their comments, and another block's import": (
        (
            "if TYPE_CHECKING:\n    from typing import Any\n\n"
            "    # The first.\n    from band.adapters.a import (A as A, B as B,)  # two\n"
            "    # The last.\n    from band.adapters.z import Z\nelse:\n    Any = None\n"
            "lazy_exports(__name__)\n"
        ),
        (
            "if TYPE_CHECKING:\n    from typing import Any\n\n"
            "    # The first.\n    from band.adapters.a import (A as A, B as B,)  # two\n"
            f"{IMPORTS}"
            "    # The last.\n    from band.adapters.z import Z\nelse:\n    Any = None\n"
            f"lazy_exports(__name__, {ITEM})\n"
        ),
    ),
    "a block without exports": (
        "if TYPE_CHECKING:\n    pass\nlazy_exports(__name__)\n",
        f"if TYPE_CHECKING:\n    pass\n{IMPORTS}lazy_exports(__name__, {ITEM})\n",
    ),
    "one of the imports is there": (
        (
            "if TYPE_CHECKING:\n    from band.adapters.acme import AcmeAdapter\n"
            f"lazy_exports(__name__, {ITEM})\n"
        ),
        (
            "if TYPE_CHECKING:\n    from band.adapters.acme import AcmeAdapter\n"
            f"{IMPORTS.splitlines(keepends=True)[1]}lazy_exports(__name__, {ITEM})\n"
        ),
    ),
    "a docstring without install lines": (
        '"""Adapters, of uv add x[y]."""\nlazy_exports(__name__)\n',
        f'"""Adapters, of uv add x[y]."""\nlazy_exports(__name__, {ITEM})\n',
    ),
    "other ways to install": (
        (
            "'''\n$ pip install \"acme-adapters[a,b]\"\n  uv pip install 'acme[z]'\n'''\n"
            "lazy_exports(__name__)\n"
        ),
        (
            "'''\n$ pip install \"acme-adapters[a,b]\"\n  uv pip install 'acme[z]'\n"
            f"  uv pip install 'acme[acme]'\n'''\nlazy_exports(__name__, {ITEM})\n"
        ),
    ),
}


@pytest.mark.parametrize(("host", "wanted"), EDITS.values(), ids=EDITS.keys())
def test_edits(host: str, wanted: str) -> None:
    assert edited(exports.adapters, host) == wanted


def test_an_extra_is_the_same_in_any_spelling() -> None:
    host = HOST.replace("[zeta]", "[Ac.Me]")
    assert INSTALL not in edited(exports.adapters, host, entry(extra="ac_me"))


def test_no_install_line_where_there_is_nothing_to_install() -> None:
    host = edited(exports.adapters, HOST, entry(requirements=()))
    assert "uv add band-sdk[acme]" not in host


REFUSED = {
    "an empty file": ("", "0 calls"),
    "a file that is no Python": ("lazy_exports(\n", "not Python"),
    "a file with a zero byte": ("lazy_exports('\0')", "not Python"),
    "a file without bottom": (f"x = {'-' * 100_000}1\n", "not Python"),
    "two calls": ("lazy_exports(__name__)\nlazy_exports(__name__)\n", "2 calls"),
    "a table behind two stars": ("lazy_exports(__name__, **TABLE)\n", "hidden"),
    "a call without the package": ("lazy_exports()\n", "name of its package"),
    "another adapter of the name": (
        "lazy_exports(__name__, acme=['A'])\n",
        "other names",
    ),
    "names that are computed": ("lazy_exports(__name__, acme=NAMES)\n", "other names"),
    "two blocks of exports": (
        "if TYPE_CHECKING:\n    from .a import A\n" * 2 + "lazy_exports(__name__)\n",
        "more than one",
    ),
    "imports on one line": (
        (
            "if TYPE_CHECKING:\n    from .a import A; from .z import Z\n"
            "lazy_exports(__name__)\n"
        ),
        "several statements",
    ),
    "a block on one line": (
        "if TYPE_CHECKING: from .z import Z\nlazy_exports(__name__)\n",
        "several statements",
    ),
}


@pytest.mark.parametrize(("host", "found"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses(host: str, found: str) -> None:
    with pytest.raises(UnknownShape, match=found):
        exports.adapters(host, ACME)


@pytest.mark.parametrize("adapter", [ACME, LONGEST], ids=["short names", "long names"])
def test_the_sdk_gets_its_lines_in_its_own_format(
    adapter: Entry, tmp_path: Path
) -> None:
    for package, registrar in (
        ("adapters", exports.adapters),
        ("converters", exports.converters),
    ):
        before = installed(package)
        after = edited(registrar, before, adapter)
        assert added_lines(before, after)
        (tmp_path / f"{package}.py").write_text(after)
    ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--check", tmp_path]
    subprocess.run(ruff, check=True, capture_output=True)


def test_the_lines_to_paste_are_those_that_go_in() -> None:
    pasted = exports.adapters_lines(ACME)
    assert IMPORTS in pasted
    assert KEYWORD in pasted
    assert "AcmeHistoryConverter" in exports.converters_lines(ACME)
