"""A program that asks without end makes itself wait."""

import pytest

pytest.importorskip("dbus_fast", reason="dbus_fast is for Linux")

from player.integrations.desktop.presence import Pace


def test_a_hundred_calls_are_answered_at_once_then_two_hundred_a_second() -> None:
    now, waits = [0.0], []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    pace = Pace(lambda: now[0], sleep)
    for _ in range(100):
        pace.wait()
    assert waits == []
    for _ in range(200):
        pace.wait()
    assert 0.9 < now[0] < 1.1
    now[0] += 60
    waits.clear()
    for _ in range(100):
        pace.wait()
    assert waits == []
