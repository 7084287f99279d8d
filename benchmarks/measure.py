"""Comparisons that hold on a machine that others use too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def line(about: str, values: Sequence[float], against: Sequence[float]) -> None:
    """Print one comparison: the median of the ratios round by round, the lowest and
    the highest, and the ratio of the best rounds, which a busy machine spoils least."""
    ratios = [a / b for a, b in zip(values, against, strict=True)]
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    best = min(values) / min(against)
    print(f"{about:<60} {median(ratios):5.2f}  ({spread})  best {best:.2f}", flush=True)
