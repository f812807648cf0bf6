"""The terminal's title says what plays, and is given back."""

import pytest

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from tui.look.glyphs import ASCII, UNICODE
from tui.terminal.window_title import WindowTitle, title_of

EPISODE = Episode(EpisodeId(1), PodcastId(1), "A show\x1b]0;x\x07", "Rain\n\x07 and\tfog", "g", "u")


@pytest.mark.parametrize(
    ("state", "title"),
    [
        (PlaybackState.PLAYING, "▶ Rain and fog · A show"),
        (PlaybackState.PAUSED, "⏸ Rain and fog · A show"),
        (PlaybackState.ENDED, "Earmark"),
    ],
)
def test_it_says_what_plays_without_anything_that_a_terminal_would_obey(state: PlaybackState, title: str) -> None:
    shown = title_of(PlaybackStatus(state, EPISODE), UNICODE)
    assert shown.isprintable()
    assert shown.startswith(title)
    assert title_of(PlaybackStatus(state, EPISODE), ASCII).isascii()


def test_it_is_written_when_it_changes_and_the_one_from_before_comes_back() -> None:
    written: list[str] = []
    window = WindowTitle(written.append)
    assert window.restored() == ""
    for title in ("One", "One", "Two"):
        window.show(title)
    assert written == ["\x1b[22;2t\x1b]2;One\x1b\\", "\x1b]2;Two\x1b\\"]
    assert window.restored() == "\x1b]2;\x1b\\\x1b[23;2t"
