"""Comparisons that hold on a machine that others use too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median


def interleaved(
    contenders: Mapping[str, Callable[[], float]], repetitions: int
) -> dict[str, list[float]]:
    """What each contender returned, `repetitions` times, measured in turns.

    Every second round goes through them backwards, so that a machine that grows
    slower or faster favours none. A first round warms up and is not kept.
    """
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(repetitions + 1):
        order = list(contenders)[:: -1 if number % 2 else 1]
        for name in order:
            value = contenders[name]()
            if number:
                found[name].append(value)
    return found


def ratio(values: list[float], against: list[float]) -> str:
    """The ratio of the medians, and the middle half of the ratios round by round."""
    pairs = sorted(a / b for a, b in zip(values, against, strict=True))
    quarter = len(pairs) // 4
    low, high = pairs[quarter], pairs[-1 - quarter]
    return f"{median(values) / median(against):5.2f}  ({low:.2f} to {high:.2f})"
