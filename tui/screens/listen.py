"""The keys that steer the sound, the same wherever the focus is."""

import time

from textual import on
from textual.screen import Screen

from player.model import Chapter, EpisodeId, PlaybackState, PlaybackStatus
from player.playback.chapter_moves import chapter_after, chapter_before
from player.player import Player
from player.text import clean_line
from player.times import brief, clock, parse_time
from tui.widgets.player_bar import PlayerBar

_SPEED_STEP = 0.1
_VOLUME_STEP = 5
_SLOWEST, _FASTEST = 0.5, 3.0
_LOUDEST = 150


class ListenScreen(Screen[None]):
    """Commands to the session, each acknowledged by a few words at once; the bar follows when the session has moved."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self.player = player

    def say(self, words: str) -> None:
        """Shows a few words for a moment."""
        raise NotImplementedError

    @property
    def status(self) -> PlaybackStatus:
        return self.player.status

    def play_episode(self, episode_id: EpisodeId) -> None:
        """Plays it from where it was left; one that is playing goes on, one that is paused too."""
        status = self.status
        same = status.episode is not None and status.episode.id == episode_id
        if same and status.state in (PlaybackState.PLAYING, PlaybackState.BUFFERING, PlaybackState.OPENING):
            self.say("Plays already")
        elif same and status.state is PlaybackState.PAUSED:
            self.player.session.resume()
        else:
            self.player.session.play(episode_id)

    def action_pause(self) -> None:
        if self._loaded():
            self.player.session.toggle()

    def action_seek_back(self) -> None:
        self.seek_by(-parse_time(self.player.settings.playback.seek_back))

    def action_seek_forward(self) -> None:
        self.seek_by(parse_time(self.player.settings.playback.seek_forward))

    def action_seek_back_far(self) -> None:
        self.seek_by(-parse_time(self.player.settings.playback.seek_back_far))

    def action_seek_forward_far(self) -> None:
        self.seek_by(parse_time(self.player.settings.playback.seek_forward_far))

    def seek_by(self, ms: int) -> None:
        if self._loaded():
            self.player.session.seek_by(ms)
            self.say(f"{brief(abs(ms))} {'forward' if ms > 0 else 'back'}")

    def seek_to(self, ms: int) -> None:
        if self._loaded():
            self.player.session.seek_to(ms)
            self.say(f"To {clock(ms)}")

    def action_previous_chapter(self) -> None:
        if self._has_chapters():
            before = chapter_before(self.player.session.chapters, self._place_ms)
            self.player.session.previous_chapter()
            self.say(_named(before) if before else "From the start")

    def action_next_chapter(self) -> None:
        if self._has_chapters():
            after = chapter_after(self.player.session.chapters, self._place_ms)
            if after:
                self.player.session.next_chapter()
            self.say(_named(after) if after else "This is the last chapter")

    def action_undo_jump(self) -> None:
        if self._loaded():
            self.player.session.undo_jump()
            self.say("Back to before the jump")

    def action_restart(self) -> None:
        if self._loaded():
            self.player.session.restart()
            self.say("From the start")

    def action_slower(self) -> None:
        self._change_speed(-_SPEED_STEP)

    def action_faster(self) -> None:
        self._change_speed(_SPEED_STEP)

    def _change_speed(self, by: float) -> None:
        self.player.session.change_speed(by)
        self.say(f"Speed {min(_FASTEST, max(_SLOWEST, self.status.speed + by)):.1f}")

    def action_quieter(self) -> None:
        self.change_volume(-_VOLUME_STEP)

    def action_louder(self) -> None:
        self.change_volume(_VOLUME_STEP)

    def change_volume(self, by: int) -> None:
        self.player.session.change_volume(by)
        self.say(f"Volume {min(_LOUDEST, max(0, self.status.volume + by))} %")

    # -- the mouse in the bar ---------------------------------------------------------------------------------

    @on(PlayerBar.Seek)
    def _bar_sought(self, event: PlayerBar.Seek) -> None:
        self.seek_to(event.position_ms)

    @on(PlayerBar.Toggle)
    def _bar_toggled(self) -> None:
        self.action_pause()

    @on(PlayerBar.ChangeVolume)
    def _bar_turned(self, event: PlayerBar.ChangeVolume) -> None:
        self.change_volume(event.by)

    @property
    def _place_ms(self) -> int:
        return self.status.at(time.monotonic()).position_ms

    def _has_chapters(self) -> bool:
        if not self._loaded():
            return False
        if not self.player.session.chapters.listed:
            self.say("This episode has no chapters")
            return False
        return True

    def _loaded(self) -> bool:
        if self.status.episode is None:
            self.say("Nothing to steer yet: enter plays an episode")
            return False
        return True


def _named(chapter: Chapter) -> str:
    return f"“{clean_line(chapter.title, 60)}”"
