"""Fixtures of the tests of tables beyond memory."""

from collections.abc import Iterator

import pytest

from tests.postgres import server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a Postgres that was started for the tests."""
    with server() as address:
        yield address
