"""A Band adapter for Acme.

Names are imported when they are first read, so this package can be imported
without the model API's client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from band.exports import lazy_exports

if TYPE_CHECKING:
    from band_adapter_acme.adapter import (
        AcmeAdapter as AcmeAdapter,
    )
    from band_adapter_acme.adapter import (
        AcmeAdapterConfig as AcmeAdapterConfig,
    )
    from band_adapter_acme.converter import (
        AcmeHistoryConverter as AcmeHistoryConverter,
    )

__all__, __getattr__ = lazy_exports(
    __name__,
    adapter=[
        "AcmeAdapter",
        "AcmeAdapterConfig",
    ],
    converter=[
        "AcmeHistoryConverter",
    ],
)
