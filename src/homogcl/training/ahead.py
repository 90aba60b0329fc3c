"""Batches that a thread builds ahead of the steps, so that these do not wait for a disk."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Final, Generic, TypeVar

T = TypeVar("T")

DEPTH: Final = 2  # batches beyond the one in use, so that memory stays that of few


class Ahead(Generic[T]):
    """The elements of an iterator in their order, of which a thread makes the next ones."""

    def __init__(self, source: Iterator[T], depth: int = DEPTH) -> None:
        """Begin to make at most `depth` elements beyond the one that was taken last."""
        self.waited = 0.0  # seconds in which an element was asked for and not there yet
        self._source = source
        self._free = Semaphore(depth)
        self._ready: SimpleQueue[list[T] | BaseException | None] = SimpleQueue()
        self._is_closed = False
        self._thread = Thread(target=self._work, name="batches ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        """Yield the elements; what went wrong in the thread is raised here."""
        while True:
            asked = time.perf_counter()
            element = self._ready.get()
            self.waited += time.perf_counter() - asked
            if isinstance(element, BaseException):
                raise element
            if element is None:
                return
            self._free.release()
            yield element.pop()

    def close(self) -> None:
        """Stop the thread after the element that it is making, and wait for it."""
        self._is_closed = True
        self._free.release()
        self._thread.join()

    def _work(self) -> None:
        try:
            while True:
                self._free.acquire()
                if self._is_closed:
                    return
                element = next(self._source, None)
                self._ready.put(None if element is None else [element])
                if element is None:
                    return
        except BaseException as error:
            self._ready.put(error)


@contextmanager
def ahead(source: Iterator[T], depth: int = DEPTH) -> Iterator[Ahead[T]]:
    """Give the elements of `source`, made ahead; the thread has ended when the block is left."""
    elements = Ahead(source, depth)
    try:
        yield elements
    finally:
        elements.close()
