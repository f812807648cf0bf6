"""`b` and `B`: what is heard when the key is pressed is kept, and the words say so."""

from concurrent.futures import Future
from datetime import UTC, datetime
from typing import cast

from msgspec.structs import replace

from player.bookmarks import Here
from player.library.listening.bookmarks import Put
from player.model.episode import EpisodeId
from player.model.listening import Bookmark, BookmarkId
from player.model.playback import PlaybackState, PlaybackStatus
from player.player import Player
from tests.tui.controllers.fake import Calls, FakePlayer, FakeUi, episode, playing
from tui.controllers.playback import BookmarkingController
from tui.dialogs.confirm import NoteScreen

MADE = Bookmark(
    BookmarkId(1), EpisodeId(1), 754_000, datetime(2026, 3, 1, tzinfo=UTC), "Two", "", "", "Episode 1", "Loop", ""
)


class Keys:
    def __init__(self, status: PlaybackStatus, put: Put | None = None) -> None:
        self.future: Future[Put] = Future()
        self.player, self.ui = FakePlayer(status), FakeUi()
        self.player.bookmarks = Calls(self.player.made, add=self.future)  # type: ignore[attr-defined]
        self.controller = BookmarkingController(cast(Player, self.player), self.ui)
        if put is not None:
            self.future.set_result(put)

    @property
    def kept(self) -> list[tuple[int, str]]:
        return [(cast(Here, call[1]).position_ms, call[2]) for call in self.player.made if call[0] == "add"]


def paused(position_ms: int) -> PlaybackStatus:
    return playing(PlaybackState.PAUSED, position_ms=position_ms)


def test_it_says_what_was_bookmarked() -> None:
    keys = Keys(paused(754_321), Put(MADE))
    keys.controller.add()
    assert keys.kept == [(754_321, "")]
    assert keys.ui.messages == ["Bookmarked 12:34 · Two"]


def test_without_a_chapter_it_names_none() -> None:
    keys = Keys(paused(754_321), Put(replace(MADE, chapter="")))
    keys.controller.add()
    assert keys.ui.messages == ["Bookmarked 12:34"]


def test_the_second_press_moves_it_and_says_so() -> None:
    keys = Keys(paused(754_321), Put(MADE, before=replace(MADE, position_ms=753_000)))
    keys.controller.add()
    assert keys.ui.messages == ["Bookmark moved to 12:34 · Two"]


def test_the_note_belongs_to_the_moment_when_its_dialog_opened() -> None:
    keys = Keys(paused(754_321), Put(replace(MADE, note="look it up"), before=MADE))
    keys.controller.add_with_note()
    keys.player.status = paused(900_000)
    assert isinstance(keys.ui.dialog, NoteScreen)
    assert keys.kept == []
    keys.ui.answer("look it up")
    assert keys.kept == [(754_321, "look it up")]
    assert keys.ui.messages == ["Note added to the bookmark at 12:34 · Two"]


def test_closing_the_dialog_keeps_nothing() -> None:
    keys = Keys(paused(754_321))
    keys.controller.add_with_note()
    keys.ui.answer(None)
    assert keys.kept == []


def test_nothing_and_a_stream_cannot_be_bookmarked() -> None:
    for status, words in (
        (PlaybackStatus(), "Nothing is playing yet. Press <play> on an episode."),
        (replace(paused(5_000), live=True), "You can't bookmark a live stream"),
    ):
        keys = Keys(status)
        keys.controller.add()
        keys.controller.add_with_note()
        assert keys.kept == []
        assert keys.ui.messages == [words, words]
        assert keys.ui.dialog is None


def test_a_failure_is_left_to_its_notice() -> None:
    keys = Keys(paused(5_000))
    keys.controller.add()
    keys.future.set_exception(OSError())
    assert keys.ui.messages == []


def test_a_link_to_this_moment_leads_to_the_page_or_the_audio_at_this_second() -> None:
    keys = Keys(paused(754_321))
    keys.controller.copy_link()
    assert keys.ui.links == [("copy", "http://h/1.mp3#t=754", "this moment")]
    page = replace(episode(), link="https://name:secret@show.example/1")
    keys.player.status = PlaybackStatus(PlaybackState.PLAYING, page, live=True)
    keys.controller.copy_link()
    assert keys.ui.links[1:] == [("copy", "https://show.example/1", "this moment")]
    keys.player.status = PlaybackStatus()
    keys.controller.copy_link()
    assert keys.ui.messages == ["Nothing is playing yet. Press <play> on an episode."]
