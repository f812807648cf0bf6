from player.playback.vlc.sound import PositionClock


def test_runs_on_between_ticks_with_the_speed() -> None:
    clock = PositionClock(0, 0.0, 0.8).tick(10_000, 5.0)
    assert clock.at(5.25) == 10_200


def test_what_is_played_fast_is_told_too_early_by_the_engine() -> None:
    assert PositionClock(0, 0.0, 2.0).tick(10_000, 5.0).at(5.0) == 9_900
    assert PositionClock(0, 0.0, 3.0).tick(10_000, 5.0).at(5.0) == 9_800
    assert PositionClock(0, 0.0, 3.0).tick(20, 5.0).at(5.0) == 0


def test_stands_until_sound_comes() -> None:
    assert PositionClock(7_000, 0.0).at(9.0) == 7_000


def test_runs_no_further_than_what_is_decoded() -> None:
    assert PositionClock(0, 0.0).tick(10_000, 5.0).at(60.0) == 11_000


def test_where_bytes_are_waited_for_it_runs_no_further_than_what_is_surely_heard() -> None:
    assert PositionClock(0, 0.0).tick(10_000, 5.0).at(60.0, dry=True) == 10_680
    assert PositionClock(0, 0.0, 3.0).tick(10_000, 5.0).at(60.0, dry=True) == 10_800
    assert PositionClock(0, 0.0, 3.0).tick(10_000, 5.0).hold(60.0, dry=True).at(70.0) == 10_800
    assert PositionClock(0, 0.0).tick(10_000, 5.0).at(5.25, dry=True) == 10_250


def test_a_change_of_speed_counts_from_then_on() -> None:
    clock = PositionClock(0, 0.0).tick(10_000, 5.0).with_speed(3.0, 5.25)
    assert clock.at(5.375) == 10_625


def test_holds_the_very_place() -> None:
    clock = PositionClock(0, 0.0).tick(10_000, 5.0).hold(5.25)
    assert clock.at(100.0) == 10_250
    assert clock.run(200.0).at(200.125) == 10_375


def test_after_a_seek_the_old_place_is_not_believed() -> None:
    clock = PositionClock(0, 0.0).tick(10_000, 5.0).seek(60_000, 5.1)
    assert clock.tick(10_200, 5.2).at(5.2) == 60_000
    assert clock.run(5.25).tick(10_400, 5.5).at(5.5) == 60_250
    assert clock.run(5.25).tick(60_080, 5.5).at(5.625) == 60_205


def test_a_seek_that_had_no_effect_is_seen_in_the_end() -> None:
    clock = PositionClock(0, 0.0).tick(10_000, 5.0).seek(60_000, 5.1)
    assert clock.tick(12_100, 7.2).at(7.2) == 12_100


def test_played_fast_it_sounds_a_little_after_the_engine_says_so() -> None:
    clock = PositionClock(0, 0.0, 3.0).seek(10_000, 1.0).run(2.0)
    assert clock.at(2.05) == 10_000
    assert clock.run(2.05).at(2.2) == clock.at(2.2) == 10_399
    assert clock.tick(10_600, 2.2).at(2.2) == 10_400


def test_what_is_held_back_is_heard_when_nothing_more_comes() -> None:
    clock = PositionClock(0, 0.0, 3.0).tick(10_000, 5.0)
    assert clock.run_dry(5.0).at(9.0) == 10_000
    assert clock.run_dry(5.0).run_dry(6.0).at(9.0) == 10_000
    assert clock.run_dry(9.0).at(9.0) == 10_800
