"""Comparisons that hold on a machine that others use too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import TypeVar

T = TypeVar("T")


def interleaved(
    contenders: Mapping[str, Callable[[], T]], rounds: int, *, warm_up: bool = True
) -> dict[str, list[T]]:
    """What each contender returned, once a round.

    Every second round goes through them backwards, so that a machine that grows
    slower or faster favours none. `warm_up` adds a first round that is not kept.
    """
    found: dict[str, list[T]] = {name: [] for name in contenders}
    for number in range(-warm_up, rounds):
        order = list(contenders)[:: -1 if number % 2 else 1]
        for name in order:
            value = contenders[name]()
            if number >= 0:
                found[name].append(value)
    return found


def ratio(values: list[float], against: list[float]) -> str:
    """The median of the ratios round by round, and the lowest and highest of them."""
    ratios = [a / b for a, b in zip(values, against, strict=True)]
    return f"{median(ratios):5.2f}  ({min(ratios):.2f} to {max(ratios):.2f})"


def line(about: str, values: list[float], against: list[float]) -> None:
    """Print one comparison."""
    print(f"{about:<60} {ratio(values, against)}", flush=True)
