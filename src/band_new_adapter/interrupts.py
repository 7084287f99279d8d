"""Ctrl-C, SIGTERM and SIGHUP: each ends the run in order, once."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
)
_pending = False
_held = False


def listen() -> None:
    """Have every signal that ends a program raise KeyboardInterrupt.

    A signal that the caller already ignores (`nohup`) stays ignored.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def ignore() -> None:
    """Take no further signal: what runs now must run to its end."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def held() -> Generator[None]:
    """A signal that arrives in this block is raised at the end of it."""
    global _held
    _held = True
    try:
        yield
    finally:
        _held = False
    check()


def pending() -> bool:
    """Whether an interrupt came in."""
    return _pending


def check() -> None:
    """Raise the interrupt that came in while it could not be raised."""
    if pending():
        raise KeyboardInterrupt


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _pending
    # The cleaning up that follows must not be interrupted in its turn. And what
    # is raised in a finalizer is lost, so that it is also remembered.
    ignore()
    _pending = True
    if not _held:
        raise KeyboardInterrupt
