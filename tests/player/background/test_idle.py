"""When a player that nobody looks at ends by itself."""

import pytest

from player.background.report_lines import Idle
from player.settings import ends_after_s


def test_it_ends_so_long_after_the_last_sound() -> None:
    idle = Idle(silent_since=100.0)
    assert idle.left_s(130.0, 60.0) == 30.0
    idle.heard(130.0)
    assert idle.left_s(189.0, 60.0) == 1.0
    assert idle.left_s(200.0, 60.0) == 0.0


def test_what_waits_for_its_bytes_gets_some_time() -> None:
    idle = Idle(silent_since=100.0)
    assert idle.left_s(100.0, 0.0) == 0.0
    assert idle.left_s(100.0, 0.0, tries=True) == 300.0


def test_without_a_limit_it_never_ends() -> None:
    assert Idle(silent_since=0.0).left_s(1e9, None) is None


@pytest.mark.parametrize(("text", "seconds"), [("30m", 1800.0), ("0", 0.0), ("90", 90.0), ("never", None)])
def test_the_setting_is_a_time_or_never(text: str, seconds: float | None) -> None:
    assert ends_after_s(text) == seconds
