"""What the player without a screen says."""

from msgspec.structs import replace

from player.background.report_lines import line_of, problem_of
from player.model.playback import PlaybackState, PlaybackStatus
from tests.player.integrations.fake_session import EPISODE

PLAYING = PlaybackStatus(PlaybackState.PLAYING, EPISODE, position_ms=754_000)


def lines_of(*statuses: PlaybackStatus) -> list[str | None]:
    pairs = zip((None, *statuses), statuses, strict=False)
    return [line_of(before, now) for before, now in pairs]


def as_state(state: PlaybackState) -> PlaybackStatus:
    return replace(PLAYING, state=state)


def test_an_episode_from_its_opening_to_its_end() -> None:
    statuses = [as_state(PlaybackState.OPENING), PLAYING, as_state(PlaybackState.PAUSED), PLAYING]
    assert lines_of(*statuses, as_state(PlaybackState.ENDED)) == [
        "Opening: An episode · A podcast",
        "Playing: An episode · A podcast, at 12:34",
        "Paused at 12:34",
        "Playing: An episode · A podcast, at 12:34",
        "Ended: An episode · A podcast",
    ]


def test_waiting_for_bytes_is_told_and_opening_again_after_a_jump_is_not() -> None:
    assert lines_of(PLAYING, as_state(PlaybackState.BUFFERING), as_state(PlaybackState.OPENING), PLAYING) == [
        "Playing: An episode · A podcast, at 12:34",
        "Waiting for the network at 12:34",
        None,
        "Playing: An episode · A podcast, at 12:34",
    ]


def test_where_the_listener_left_off_is_ready_and_nothing_is_said_of_a_clip_or_of_no_episode() -> None:
    assert lines_of(as_state(PlaybackState.PAUSED)) == ["Ready: An episode · A podcast, at 12:34"]
    assert lines_of(replace(PLAYING, clip=True), PlaybackStatus()) == [None, None]


def test_a_problem_is_told_once() -> None:
    lost = replace(PLAYING, state=PlaybackState.BUFFERING, waiting="No network.")
    assert problem_of(PLAYING, lost) == "No network. Playback resumes automatically."
    assert problem_of(lost, lost) is None
    failed = replace(PLAYING, state=PlaybackState.ERROR, error="No sound device.")
    assert problem_of(PLAYING, failed) == "An episode: No sound device."
    assert problem_of(failed, failed) is None
