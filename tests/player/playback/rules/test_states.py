import pytest

from player.model.playback import PlaybackState
from player.playback.rules import LEGAL, IllegalMove, move


@pytest.mark.parametrize("state", PlaybackState)
def test_every_state_may_stay_and_be_left(state: PlaybackState) -> None:
    assert move(state, state) is state
    assert LEGAL[state]


@pytest.mark.parametrize("state", PlaybackState)
def test_everything_can_be_stopped(state: PlaybackState) -> None:
    assert move(state, PlaybackState.STOPPED) is PlaybackState.STOPPED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PlaybackState.STOPPED, PlaybackState.PLAYING),
        (PlaybackState.ERROR, PlaybackState.PLAYING),
        (PlaybackState.ENDED, PlaybackState.PLAYING),
        (PlaybackState.ENDED, PlaybackState.ERROR),
        (PlaybackState.PAUSED, PlaybackState.BUFFERING),
    ],
)
def test_no_sound_without_opening_first(old: PlaybackState, new: PlaybackState) -> None:
    with pytest.raises(IllegalMove, match=f"{old.value} -> {new.value}"):
        move(old, new)
