"""Signals that ask the program to end, held back until what must not be torn is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from homogcl.core.errors import UserError

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(UserError):
    """A signal ended work whose finished parts are kept; the message says how to go on."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"{signal.Signals(number).name} {message}")
        self.exit_code = 128 + number  # as a shell reports a program that a signal ended


@contextmanager
def stopping(done: Callable[[], str]) -> Iterator[None]:
    """Let SIGINT and SIGTERM end what goes on at once, with one line that says what is done.

    For work of which every finished part is written whole, so that nothing has to be held back.
    Outside the main thread, where Python allows no handlers, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = signal.SIGINT

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = signal.Signals(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield
    except KeyboardInterrupt:
        message = f"came after {done()}; the same command goes on from there"
        raise Interrupted(came, message) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held_back() -> Iterator[Callable[[], int | None]]:
    """Hold SIGINT and SIGTERM back, and give a function that returns the one that came, if any.

    Whoever sends the same signal again does not want to wait: the second one acts at once. Outside
    the main thread, where Python allows no handlers, nothing is held back.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.signal(number, before[signal.Signals(number)])

    for number in SIGNALS:
        signal.signal(number, note)
    try:
        yield lambda: came[0] if came else None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
