"""Steps in before each read of the library."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from sqlite3 import Connection
from typing import Any

import pytest

from player.library.database.connections import Connections


def before_each_read(monkeypatch: pytest.MonkeyPatch, step_in: Callable[[], None]) -> None:
    """`step_in` is called on the thread that reads."""
    read = Connections.reading

    @contextmanager
    def reading(connections: Connections, *how: Any) -> Iterator[Connection]:
        step_in()
        with read(connections, *how) as connection:
            yield connection

    monkeypatch.setattr(Connections, "reading", reading)
