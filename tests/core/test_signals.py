"""Signals that ask the program to end: held back, or told in one line."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from homogcl.core.errors import UserError
from homogcl.core.signals import SIGNALS, Interrupted, held_back, stopping


def send(number: int) -> None:
    """Send a signal to this process."""
    os.kill(os.getpid(), number)


def handlers() -> list[object]:
    """What is done at each of the signals."""
    return [signal.getsignal(number) for number in SIGNALS]


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_is_held_back_and_reported(number: signal.Signals) -> None:
    before = handlers()
    with held_back() as came:
        assert came() is None
        send(number)
        assert came() == number
    assert handlers() == before


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT raises, also where the tests run in the background and it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_second_signal_acts_at_once() -> None:
    def send_twice() -> None:
        with held_back() as came:
            send(signal.SIGINT)
            assert came() == signal.SIGINT
            send(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        send_twice()


def test_each_signal_has_a_first_time_and_the_first_of_all_is_reported() -> None:
    with held_back() as came:
        send(signal.SIGTERM)
        send(signal.SIGINT)
        assert came() == signal.SIGTERM


def test_handlers_come_back_after_an_error() -> None:
    before = handlers()
    with pytest.raises(ZeroDivisionError), held_back():
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), stopping(lambda: ""):
        raise ZeroDivisionError
    assert handlers() == before


@pytest.mark.parametrize("number", SIGNALS)
def test_work_in_parts_ends_at_once_in_one_line(number: signal.Signals) -> None:
    before = handlers()
    with pytest.raises(Interrupted) as caught, stopping(lambda: "2 of 5 parts"):
        send(number)
    assert str(caught.value) == (
        f"{number.name} came after 2 of 5 parts; the same command goes on from there"
    )
    assert caught.value.exit_code == 128 + number
    assert handlers() == before


def in_a_thread(work: Callable[[], None]) -> None:
    """Run `work` in a thread of its own, and pass on what it raises."""
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def test_other_threads_change_no_handler() -> None:
    before = handlers()

    def work() -> None:
        with held_back() as came, stopping(lambda: ""):
            assert came() is None
            assert handlers() == before

    in_a_thread(work)


def test_an_interruption_names_its_signal_and_ends_as_a_shell_reports_it() -> None:
    error = Interrupted(signal.SIGINT, "came after 2 of 5 parts")
    assert str(error) == "SIGINT came after 2 of 5 parts"
    assert error.exit_code == 130
    assert isinstance(error, UserError)
