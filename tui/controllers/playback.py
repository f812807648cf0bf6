"""The keys that steer the sound, the same wherever the focus is."""

import time

from player.model.chapters import Chapter
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.playback.last_session import LOUDEST, clamp_speed, stepped_speed
from player.playback.rules.chapter_moves import chapter_after, chapter_before
from player.player import Player
from player.text.cleaning import clean_line
from player.text.durations import brief, clock, parse_time
from tui.actions.steps import Aim, TypedDigits
from tui.controllers.ui import Ui

_SPEED_STEP = 0.1
_VOLUME_STEP = 5
_NORMAL_VOLUME = 100
_GOES_ON = (PlaybackState.PLAYING, PlaybackState.PAUSED, PlaybackState.BUFFERING, PlaybackState.OPENING)


class PlaybackController:
    """Commands to the session, each acknowledged by a few words at once; the bar follows when the session has moved."""

    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui
        self._typed = TypedDigits()
        self._speed_aim: Aim[float] = Aim()
        self._volume_aim: Aim[int] = Aim()
        self._volume_before_mute = _NORMAL_VOLUME

    @property
    def status(self) -> PlaybackStatus:
        return self._player.status

    def typed(self, key: str) -> None:
        """Each key that is pressed, by Textual's name: some actions ask for a second press."""
        self._typed = self._typed.then(key, time.monotonic())

    def play_episode(self, episode_id: EpisodeId) -> None:
        """Plays it from where it was left; one that is playing goes on, one that is paused too."""
        status = self.status
        same = status.episode is not None and status.episode.id == episode_id
        if same and status.state in (PlaybackState.PLAYING, PlaybackState.BUFFERING, PlaybackState.OPENING):
            self._ui.say("Already playing")
        elif same and status.state is PlaybackState.PAUSED:
            self._player.session.resume()
        else:
            self._player.session.play(episode_id)

    def play_at(self, episode: Episode, ms: int) -> None:
        """Jumps there if that episode is in the bar, and stays paused if it is; else plays it from there."""
        status = self.status
        if status.episode is not None and status.episode.id == episode.id and status.state in _GOES_ON:
            self.seek_to(ms)
        else:
            self._player.session.play(episode.id, ms)
            self._ui.say(f"Playing from {clock(ms)}")

    def toggle(self) -> None:
        if self.loaded():
            self._player.session.toggle()

    def seek_back(self) -> None:
        self.seek_by(-parse_time(self._player.settings.playback.seek_back))

    def seek_forward(self) -> None:
        self.seek_by(parse_time(self._player.settings.playback.seek_forward))

    def seek_back_far(self) -> None:
        self.seek_by(-parse_time(self._player.settings.playback.seek_back_far))

    def seek_forward_far(self) -> None:
        self.seek_by(parse_time(self._player.settings.playback.seek_forward_far))

    def seek_by(self, ms: int) -> None:
        if self.loaded():
            self._player.session.seek_by(ms)
            self._ui.say(f"{'Forward' if ms > 0 else 'Back'} {brief(abs(ms))}")

    def seek_to(self, ms: int) -> None:
        if self.loaded():
            self._player.session.seek_to(ms)
            self._ui.say(f"Jumped to {clock(ms)}")

    def previous_chapter(self) -> None:
        if self._has_chapters():
            before = chapter_before(self._player.session.chapters, self._position_ms)
            self._player.session.previous_chapter()
            self._ui.say(_named(before) if before else "Restarted")

    def next_chapter(self) -> None:
        if self._has_chapters():
            after = chapter_after(self._player.session.chapters, self._position_ms)
            if after:
                self._player.session.next_chapter()
            self._ui.say(_named(after) if after else "This is the last chapter")

    def undo_jump(self) -> None:
        if self.loaded():
            self._player.session.undo_jump()
            self._ui.say("Jump undone")

    def restart(self) -> None:
        """A digit has to be pressed twice: as part of a count, as in `10j`, it restarts nothing."""
        if not self.loaded():
            return
        typed = self._typed.digits
        if typed and not self._typed.is_pair:
            again = "again" if len(typed) == 1 else "twice"
            self._ui.say(f"Press {typed[-1]} {again} to restart")
            return
        self._typed = TypedDigits()
        self._player.session.restart()
        self._ui.say("Restarted")

    # -- speed and volume -------------------------------------------------------------------------------------

    def slower(self) -> None:
        self._step_speed(-_SPEED_STEP)

    def faster(self) -> None:
        self._step_speed(_SPEED_STEP)

    def normal_speed(self) -> None:
        self._set_speed(1.0)

    def _step_speed(self, by: float) -> None:
        self._set_speed(stepped_speed(self._speed_aim.from_here(self.status.speed), by))

    def _set_speed(self, speed: float) -> None:
        speed = self._speed_aim.at(clamp_speed(speed))
        self._player.session.set_speed(speed)
        self._ui.say(f"Speed {speed:.1f}")

    def quieter(self) -> None:
        self.change_volume(-_VOLUME_STEP)

    def louder(self) -> None:
        self.change_volume(_VOLUME_STEP)

    def mute(self) -> None:
        """Off, and on again as loud as before."""
        volume = self._volume_aim.from_here(self.status.volume)
        if volume:
            self._volume_before_mute = volume
        self._set_volume(0 if volume else self._volume_before_mute)

    def change_volume(self, by: int) -> None:
        self._set_volume(self._volume_aim.from_here(self.status.volume) + by)

    def _set_volume(self, volume: int) -> None:
        volume = self._volume_aim.at(min(LOUDEST, max(0, volume)))
        self._player.session.set_volume(volume)
        self._ui.say(f"Volume {volume}%" if volume else "Muted")

    # -- what is in the bar -----------------------------------------------------------------------------------

    @property
    def _position_ms(self) -> int:
        return self.status.at(time.monotonic()).position_ms

    def _has_chapters(self) -> bool:
        episode = self.status.episode
        if not self.loaded() or episode is None:
            return False
        if not self._player.session.chapters.listed:
            self._player.attachments.want(episode.id)
            self._ui.say("No chapters known for this episode")
            return False
        return True

    def loaded(self) -> bool:
        """Whether something is in the bar; says what to do when nothing is."""
        if self.status.episode is None:
            self._ui.say(f"Nothing is playing yet. Press {self._ui.key_of('play')} on an episode.")
            return False
        return True


def _named(chapter: Chapter) -> str:
    return f"“{clean_line(chapter.title, 60)}”"
