from player.model import Episode, EpisodeId, PlaybackState, PlaybackStatus, PodcastId

EPISODE = Episode(EpisodeId(1), PodcastId(1), "Show", "One", "g", "http://127.0.0.1/1.mp3")


def playing(**more: object) -> PlaybackStatus:
    return PlaybackStatus(PlaybackState.PLAYING, EPISODE, 10_000, 60_000, measured_at=100.0, **more)  # type: ignore[arg-type]


def test_the_place_runs_on_at_the_speed_of_playing() -> None:
    assert playing(speed=2.0).at(101.5).position_ms == 13_000


def test_a_paused_place_stands_still() -> None:
    status = PlaybackStatus(PlaybackState.PAUSED, EPISODE, 10_000, 60_000, measured_at=100.0)
    assert status.at(200.0) == status


def test_the_place_never_runs_past_the_end() -> None:
    assert playing().at(1000.0).position_ms == 60_000


def test_an_older_moment_moves_nothing_back() -> None:
    assert playing().at(99.0).position_ms == 10_000


def test_buffered_is_what_is_kept_without_a_gap_from_the_place() -> None:
    assert playing(kept=((0.0, 0.5), (0.8, 1.0))).buffered_ms == 30_000


def test_kept_bytes_behind_a_gap_are_not_buffered() -> None:
    assert playing(kept=((0.5, 1.0),)).buffered_ms == 10_000
