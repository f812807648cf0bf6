"""The keys that control playback, bookmark the position, set the sleep timer, and leave the app while playback goes on
in the background."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from player.background.launching import Detaching
from player.bookmarks import Here, heard_now
from player.library.listening.bookmarks import Put
from player.links.urls import link_at, without_secrets
from player.model.effects import NOT_LEVELED, USUAL_LUFS, Boost, Trim, level_of
from player.model.episode import Episode, EpisodeId
from player.model.filters import View
from player.model.playback import PlaybackState, PlaybackStatus, Severity, SleepChoice
from player.model.segments import one_of_kind
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.player import Player
from player.text.cleaning import clean_line
from player.text.durations import clock, parse_time, units
from player.text.sentences import _
from tui.actions.keys import TypedDigits
from tui.controllers.ui import Ui, after, no_episode, say_after
from tui.drawing.labels import effect_words
from tui.drawing.phrases import choice_words, left_words
from tui.drawing.speech import place_words, where_words
from tui.look.glyphs import as_words


class BookmarkingController:
    """Bookmarks the position at which the key is pressed, or copies a link to it; playback continues."""

    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui

    def add(self) -> None:
        if (here := self._here()) is not None:
            self._keep(here, "")

    def add_with_note(self) -> None:
        """`esc` in the dialog discards the bookmark."""
        if (here := self._here()) is None:
            return
        from tui.dialogs.confirm import NoteScreen

        def typed(note: str | None) -> None:
            if note is not None:
                self._keep(here, note)

        title = _("Bookmark at {time}", time=clock(here.position_ms))
        self._ui.push(NoteScreen(title, here.episode.title), typed)

    def copy_link(self) -> None:
        """Copies a link to the second that is heard; of a live stream, to its page."""
        if (episode := self._player.status.episode) is None:
            self._say_nothing_plays()
            return
        here = heard_now(self._player.status)
        link = link_at(without_secrets(episode.link or episode.url), here.position_ms if here else None)
        self._ui.copy_link(link, _("this moment"))

    def _here(self) -> Here | None:
        status = self._player.status
        if status.episode is None:
            self._say_nothing_plays()
        elif status.live:
            self._ui.say(_("You can't bookmark a live stream"))
        return heard_now(status)

    def _say_nothing_plays(self) -> None:
        self._ui.say(_("Nothing is playing yet. Press {key} on an episode.", key=self._ui.key_of("play")))

    def _keep(self, here: Here, note: str) -> None:
        after(self._ui, self._player.bookmarks.add(here, note), self._say)

    def _say(self, put: Put) -> None:
        time = clock(put.bookmark.position_ms)
        words = _("Bookmark moved to {time}", time=time) if put.before else _("Bookmarked {time}", time=time)
        if put.before and put.before.note != put.bookmark.note:
            words = _("Note added to the bookmark at {time}", time=time)
        chapter = clean_line(put.bookmark.chapter, 60)
        self._ui.say(f"{words} {self._ui.glyphs.dot} {chapter}" if chapter else words)


_PATIENCE_S = 10.0


async def detach(player: Player, ui: Ui) -> None:
    """Hands playback over to a background player. Returns when the app is about to end, or has said why it doesn't."""
    if player.services.giver.expects:
        return
    detaching = Detaching(player)
    if not detaching.plays:
        ui.say(_("Nothing is playing. {key} quits", key=ui.key_of("quit")))
        return
    ui.say(_("Starting the background player…"))
    problem = await asyncio.to_thread(detaching.run, _PATIENCE_S)
    if problem is not None:
        player.notify(_("Playback continues here. {problem}", problem=problem), Severity.WARNING)


SPEED_STEP = 0.1
_FASTER = 1.5
_VOLUME_STEP = 5
_MOST_JUMPS = 10_000
_GOES_ON = (PlaybackState.PLAYING, PlaybackState.PAUSED, PlaybackState.BUFFERING, PlaybackState.OPENING)


Effect = TypeVar("Effect", Boost, Trim)


class PlaybackController:
    """Sends commands to the playback session, and says the outcome of each in a few words once it is known."""

    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui
        self._typed = TypedDigits()
        self._faster = _FASTER
        """The speed to which `toggle_speed` changes from the normal one."""
        self.count: int | None = None
        """The count typed before the key of a jump, if any."""

    @property
    def status(self) -> PlaybackStatus:
        return self._player.status

    def typed(self, key: str) -> None:
        """Call this with Textual's name of each pressed key: some actions need a second press."""
        self._typed = self._typed.then(key, time.monotonic())

    def play_episode(self, episode_id: EpisodeId, view: View | None = None) -> None:
        """Plays an episode from its position; resumes it if it is paused. `view` is the list from which it is
        played."""
        self.show(self._player.session.play(episode_id, view=view))

    def skip(self) -> None:
        """Plays the next episode now."""
        self.show(self._player.skip(), _playing)

    def previous(self) -> None:
        self.show(self._player.session.previous(), _playing)

    def detach(self) -> None:
        """Closes the app while a background player plays on."""

        self._ui.in_background(partial(detach, self._player, self._ui), "detach")

    def watch(self, episode: Episode | None) -> None:
        """Pauses, and shows the episode's video in another program."""
        if episode is None:
            self._ui.say(no_episode())
            return
        title = clean_line(episode.title, 60)
        self._ui.say(_("Opening the video of “{title}”", title=title) + self._ui.glyphs.ellipsis)
        opened = self._player.services.viewer.ask(episode.id)
        say_after(self._ui, opened, lambda program: _("The video is open in {program}", program=program))

    def play_from(self, episode_id: EpisodeId, ms: int) -> None:
        self.show(self._player.session.play(episode_id, ms), lambda _done: _("Playing from {time}", time=clock(ms)))

    def play_at(self, episode: Episode, ms: int) -> None:
        """Jumps to a position if the episode is in the bar (a paused one stays paused); otherwise plays the episode
        from there."""
        status = self.status
        if status.episode is not None and status.episode.id == episode.id and status.state in _GOES_ON:
            self.seek_to(ms)
        else:
            self.play_from(episode.id, ms)

    def play_clip(self, episode_id: EpisodeId, start_ms: int, duration_ms: int) -> None:
        returns = _("{key} returns", key=self._ui.key_of("undo_jump"))
        clip = self._player.session.play_clip(episode_id, start_ms, duration_ms)
        self.show(clip, lambda _done: f"{_('Playing clip')} {self._ui.glyphs.dot} {returns}")

    def toggle(self) -> None:
        self.show(self._player.session.toggle())

    def seek_back(self) -> None:
        self.seek_by(-self._times(self._player.settings.playback.seek_back))

    def seek_forward(self) -> None:
        self.seek_by(self._times(self._player.settings.playback.seek_forward))

    def seek_back_far(self) -> None:
        self.seek_by(-self._times(self._player.settings.playback.seek_back_far))

    def seek_forward_far(self) -> None:
        self.seek_by(self._times(self._player.settings.playback.seek_forward_far))

    def _times(self, jump: str) -> int:
        return parse_time(jump) * min(self.count or 1, _MOST_JUMPS)

    def seek_by(self, ms: int) -> None:
        words = _("Forward {time}", time=units(ms)) if ms > 0 else _("Back {time}", time=units(-ms))
        self._jump(self._player.session.seek_by(ms), lambda _done: words)

    def seek_to(self, ms: int) -> None:
        self.show(
            self._player.session.seek_to(ms), lambda done: _("Jumped to {time}", time=clock(done.status.position_ms))
        )

    def previous_chapter(self) -> None:
        self._jump(self._player.session.previous_chapter(), _gone_to)

    def next_chapter(self) -> None:
        self._jump(self._player.session.next_chapter(), _gone_to)

    def undo_jump(self) -> None:
        words = _("Back to where you were") if self.status.clip else _("Jump undone")
        self._jump(self._player.session.undo_jump(), lambda done: _heard_again(done) or words)

    def restart(self) -> None:
        """Plays from the start. If its key is a digit, it has to be pressed twice, so that a count such as `10j`
        doesn't restart the episode."""
        if not self.loaded():
            return
        typed = self._typed.digits
        if typed and not self._typed.is_pair:
            once = len(typed) == 1
            again = _("Press {key} again to restart") if once else _("Press {key} twice to restart")
            self._ui.say(again.format(key=typed[-1]))
            return
        self._typed = TypedDigits()
        self.show(self._player.session.restart(), lambda _done: _("Restarted"))

    # -- speed and volume -------------------------------------------------------------------------------------

    def slower(self) -> None:
        self.change_speed(-SPEED_STEP)

    def faster(self) -> None:
        self.change_speed(SPEED_STEP)

    def change_speed(self, by: float) -> None:
        self.show(self._player.session.change_speed(by), _speed)

    def toggle_speed(self) -> None:
        """Changes to the normal speed, or from there back to the previous speed."""
        speed = self.status.speed
        if round(speed, 2) == 1:
            self.show(self._player.session.set_speed(self._faster), _speed)
        else:
            self._faster = speed
            self.normal_speed()

    def normal_speed(self) -> None:
        self.show(self._player.session.set_speed(1.0), _speed)

    def keep_speed(self) -> None:
        """Saves the speed as the podcast's own."""
        if not self.loaded():
            return
        status = self.status
        assert status.episode is not None
        podcast, speed = clean_line(status.episode.podcast, 60), status.speed

        words = _("“{podcast}” plays at {speed:.1f} from now on", podcast=podcast, speed=speed)
        keeping = self._player.change_podcast_settings(
            status.episode.podcast_id, lambda settings: replace(settings, speed=speed)
        )
        say_after(self._ui, keeping, lambda _settings: words)

    def quieter(self) -> None:
        self.change_volume(-_VOLUME_STEP)

    def louder(self) -> None:
        self.change_volume(_VOLUME_STEP)

    def mute(self) -> None:
        """Mutes, or restores the volume."""
        self.show(self._player.session.mute(), _volume)

    def level(self) -> None:
        """Levels all podcasts to the usual loudness, or plays them as they are."""
        now = level_of(self._player.settings.audio.level)
        if now is None:
            words = _("All podcasts play at {lufs} LUFS", lufs=f"{USUAL_LUFS:g}")
            self._set("audio.level", f"{USUAL_LUFS:g}", words)
        else:
            self._set("audio.level", NOT_LEVELED, _("Podcasts play as loud as they are"))

    def boost(self) -> None:
        """The next voice boost, for all podcasts."""
        boost = _next(Boost, self._player.settings.audio.boost)
        self._set("audio.boost", boost, _("Voice boost: {how}", how=effect_words(boost)))

    def trim(self) -> None:
        """The next way to trim pauses, for all podcasts."""
        trim = _next(Trim, self._player.settings.audio.trim)
        self._set("audio.trim", trim, _("Trim pauses: {how}", how=effect_words(trim)))

    def _set(self, name: str, value: str, words: str) -> None:
        say_after(self._ui, self._player.change_setting(name, [value]), lambda _done: words)

    def change_volume(self, by: int) -> None:
        self.show(self._player.session.change_volume(by), _volume)

    # -- the episode in the bar -------------------------------------------------------------------------------

    def loaded(self) -> bool:
        """Whether there is an episode in the bar; if not, says how to play one."""
        if self.status.episode is None:
            self._say_nothing_plays()
            return False
        return True

    def say_where(self) -> None:
        """Says what plays, and where it is."""
        if self.loaded():
            status = self.status.at(time.monotonic())
            chapter = self._player.session.chapters.at(status.position_ms)
            self._ui.say(as_words(where_words(status, chapter.title if chapter else "")))

    # -- outcomes ---------------------------------------------------------------------------------------------

    def _jump(self, command: Future[Outcome], words: Callable[[Done], str]) -> None:
        """As `show`. A screen reader also says the new position, which isn't on the screen."""

        def said(done: Done) -> str:
            return f"{words(done)}, {place_words(done.status)}" if self._ui.glyphs.spoken else words(done)

        self.show(command, said)

    def show(self, command: Future[Outcome], words: Callable[[Done], str] = lambda _done: "") -> None:
        """Once the session has answered, says the `words` for the outcome, or why the command was refused."""
        after(self._ui, command, lambda outcome: self._say_outcome(outcome, words))

    def _say_outcome(self, outcome: Outcome, words: Callable[[Done], str]) -> None:
        match outcome:
            case Done():
                if done := words(outcome):
                    self._ui.say(done)
            case Refused(Why.NO_EPISODE):
                self._say_nothing_plays()
            case Refused(Why.NO_CHAPTERS):
                if (episode := self.status.episode) is not None:
                    self._player.attachments.want(episode.id)
                ahead = self._ui.key_of("seek_forward_far")
                self._ui.say(_("No chapters known for this episode yet. {key} jumps ahead.", key=ahead))
            case Refused(Why.NO_NEXT):
                self._ui.say(_("Nothing is next. Press {key} on an episode to queue it.", key=self._ui.key_of("queue")))
            case Refused(Why.FAILED):
                pass  # The player publishes a Notice about the failure.
            case Refused(_why, sentence):
                self._ui.say(sentence)

    def _say_nothing_plays(self) -> None:
        self._ui.say(_("Nothing is playing yet. Press {key} on an episode.", key=self._ui.key_of("play")))


def _next(kind: type[Effect], now: str) -> Effect:
    choices = list(kind)
    return choices[(choices.index(kind(now)) + 1) % len(choices)]


def _heard_again(done: Done) -> str:
    """That a segment to which a jump led back isn't skipped in this episode again; "" for any other jump."""
    if not done.segments:
        return ""
    return _("Back to {what}: it isn't skipped in this episode again", what=one_of_kind(done.segments[0].kind))


def _playing(done: Done) -> str:
    episode = done.status.episode
    return _("Playing “{title}”", title=clean_line(episode.title, 60)) if episode else ""


def _gone_to(done: Done) -> str:
    return f"“{clean_line(done.chapter.title, 60)}”" if done.chapter else _("Restarted")


def _speed(done: Done) -> str:
    return _("Speed {speed:.1f}", speed=done.status.speed)


def _volume(done: Done) -> str:
    return _("Volume {volume}%", volume=done.status.volume) if done.status.volume else _("Muted")


class SleepController:
    """`playback` shows the outcome of each command."""

    def __init__(self, player: Player, ui: Ui, playback: PlaybackController) -> None:
        self._player = player
        self._ui = ui
        self._playback = playback

    def open(self) -> None:
        """Opens the sleep timer's dialog."""
        from tui.dialogs.sleep import SleepScreen

        session = self._player.session
        self._ui.push(
            SleepScreen(self._status, session.chapters, session.last_sleep, self.longer, self._ui.key_of("sleep")),
            self._answered,
        )

    def longer(self) -> None:
        self._playback.show(self._player.session.sleep_longer(), _longer)

    def off(self) -> None:
        self._playback.show(self._player.session.sleep_off(), lambda _done: _("Sleep timer off"))

    def stop_after(self) -> None:
        """Stops playback after this episode; pressed again, lets it continue."""
        self._playback.show(self._player.session.stop_after(), _stops)

    def _status(self) -> PlaybackStatus:
        return self._player.status

    def _answered(self, answer: "SleepChoice | str | None") -> None:
        if isinstance(answer, SleepChoice):
            words = _("Sleep timer: {what}", what=choice_words(answer))
            self._playback.show(self._player.session.sleep(answer), lambda _done: words)
        elif answer is not None:
            self.off()


def _longer(done: Done) -> str:
    return _("Sleep timer: {left} left", left=left_words(done.status.sleep))


def _stops(done: Done) -> str:
    if done.status.sleep.stops_after:
        return _("Stops after this episode")
    return _("Continues after this episode")
