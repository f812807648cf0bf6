"""The keys that steer the sound, the same wherever the focus is."""

import time

from textual import events
from textual.screen import Screen

from player.model.chapters import Chapter
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.playback.chapter_moves import chapter_after, chapter_before
from player.playback.last_session import LOUDEST, clamp_speed, stepped_speed
from player.player import Player
from player.text.cleaning import clean_line
from player.text.durations import brief, clock, parse_time
from tui.actions.steps import Aim, TypedDigits
from tui.actions.table import ACTIONS, key_label
from tui.framework.closing import ClosesOnce
from tui.framework.library_errors import TellsOfLibrary
from tui.look.glyphs import glyphs_of

_SPEED_STEP = 0.1
_VOLUME_STEP = 5
_NORMAL_VOLUME = 100


class ListenScreen(TellsOfLibrary, ClosesOnce, Screen[None]):
    """Commands to the session, each acknowledged by a few words at once; the bar follows when the session has moved."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self.player = player
        self._typed = TypedDigits()
        self._pressed = ""
        self._speed_aim: Aim[float] = Aim()
        self._volume_aim: Aim[int] = Aim()
        self._volume_before_mute = _NORMAL_VOLUME

    def say(self, words: str) -> None:
        """Shows a few words for a moment."""
        raise NotImplementedError

    @property
    def status(self) -> PlaybackStatus:
        return self.player.status

    def on_key(self, event: events.Key) -> None:
        self._typed = self._typed.then(event.key, time.monotonic())
        self._pressed = event.character if event.is_printable and event.character else event.key

    def say_unbound(self) -> None:
        """No action of this screen has the key that was pressed."""
        dot = glyphs_of(self.app).dot
        self.say(f"{key_label(self._pressed)} does nothing here {dot} {self.key_of('help')} shows all keys")

    def play_episode(self, episode_id: EpisodeId) -> None:
        """Plays it from where it was left; one that is playing goes on, one that is paused too."""
        status = self.status
        same = status.episode is not None and status.episode.id == episode_id
        if same and status.state in (PlaybackState.PLAYING, PlaybackState.BUFFERING, PlaybackState.OPENING):
            self.say("Already playing")
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
            self.say(f"{'Forward' if ms > 0 else 'Back'} {brief(abs(ms))}")

    def seek_to(self, ms: int) -> None:
        if self._loaded():
            self.player.session.seek_to(ms)
            self.say(f"Jumped to {clock(ms)}")

    def action_previous_chapter(self) -> None:
        if self._has_chapters():
            before = chapter_before(self.player.session.chapters, self._position_ms)
            self.player.session.previous_chapter()
            self.say(_named(before) if before else "Restarted")

    def action_next_chapter(self) -> None:
        if self._has_chapters():
            after = chapter_after(self.player.session.chapters, self._position_ms)
            if after:
                self.player.session.next_chapter()
            self.say(_named(after) if after else "This is the last chapter")

    def action_undo_jump(self) -> None:
        if self._loaded():
            self.player.session.undo_jump()
            self.say("Jump undone")

    def action_restart(self) -> None:
        """A digit has to be pressed twice: as part of a count, as in `10j`, it restarts nothing."""
        if not self._loaded():
            return
        typed = self._typed.digits
        if typed and not self._typed.is_pair:
            again = "again" if len(typed) == 1 else "twice"
            self.say(f"Press {typed[-1]} {again} to restart")
            return
        self._typed = TypedDigits()
        self.player.session.restart()
        self.say("Restarted")

    # -- speed and volume -------------------------------------------------------------------------------------

    def action_slower(self) -> None:
        self._step_speed(-_SPEED_STEP)

    def action_faster(self) -> None:
        self._step_speed(_SPEED_STEP)

    def action_normal_speed(self) -> None:
        self._set_speed(1.0)

    def _step_speed(self, by: float) -> None:
        self._set_speed(stepped_speed(self._speed_aim.from_here(self.status.speed), by))

    def _set_speed(self, speed: float) -> None:
        speed = self._speed_aim.at(clamp_speed(speed))
        self.player.session.set_speed(speed)
        self.say(f"Speed {speed:.1f}")

    def action_quieter(self) -> None:
        self.change_volume(-_VOLUME_STEP)

    def action_louder(self) -> None:
        self.change_volume(_VOLUME_STEP)

    def action_mute(self) -> None:
        """Off, and on again as loud as before."""
        volume = self._volume_aim.from_here(self.status.volume)
        if volume:
            self._volume_before_mute = volume
        self._set_volume(0 if volume else self._volume_before_mute)

    def change_volume(self, by: int) -> None:
        self._set_volume(self._volume_aim.from_here(self.status.volume) + by)

    def _set_volume(self, volume: int) -> None:
        volume = self._volume_aim.at(min(LOUDEST, max(0, volume)))
        self.player.session.set_volume(volume)
        self.say(f"Volume {volume}%" if volume else "Muted")

    # -- what is in the bar -----------------------------------------------------------------------------------

    @property
    def _position_ms(self) -> int:
        return self.status.at(time.monotonic()).position_ms

    def _has_chapters(self) -> bool:
        episode = self.status.episode
        if not self._loaded() or episode is None:
            return False
        if not self.player.session.chapters.listed:
            self.player.attachments.want(episode.id)
            self.say("No chapters known for this episode")
            return False
        return True

    def _loaded(self) -> bool:
        if self.status.episode is None:
            self.say(f"Nothing is playing yet. Press {self.key_of('play')} on an episode.")
            return False
        return True

    def key_of(self, action_id: str) -> str:
        """How the first key of an action is written."""
        actions = getattr(self.app, "actions", ACTIONS)
        keys = next((action.keys for action in actions if action.id == action_id), ())
        return key_label(keys[0]) if keys else ""


def _named(chapter: Chapter) -> str:
    return f"“{clean_line(chapter.title, 60)}”"
