import pytest

from player.playback.rules.ending import is_the_end


@pytest.mark.parametrize("position", [3_595_500, 3_600_000, 3_600_900])
def test_the_end_is_where_the_duration_says(position: int) -> None:
    assert is_the_end(position, 3_600_000, exact=True, all_bytes=True)


@pytest.mark.parametrize("position", [0, 1_800_000, 3_500_000, 3_900_000])
def test_elsewhere_it_is_none(position: int) -> None:
    assert not is_the_end(position, 3_600_000, exact=True, all_bytes=True)


def test_without_the_last_bytes_it_is_none() -> None:
    assert not is_the_end(3_600_000, 3_600_000, exact=True, all_bytes=False)


@pytest.mark.parametrize("duration", [None, 110_000])
def test_a_guessed_duration_has_no_say(duration: int | None) -> None:
    assert is_the_end(600_000, duration, exact=False, all_bytes=True)
