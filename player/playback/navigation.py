"""Jumps within the current episode: by the listener, to chapters, over skipped ones, and back; and clips."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from player.events import Notice
from player.model.episode import Chapter, Chapters, EpisodeId
from player.model.playback import Offer, PlaybackState
from player.model.segments import Segment
from player.playback.current_episode import CurrentEpisode
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.playback.rules import ChapterSkipper, Jumps, SkipperMemory, chapter_after, chapter_before, past_end
from player.text.durations import clock, moved_by
from player.text.sentences import _

_CLIP_BEFORE_END_MS = 1_500
_HEARD_MS = 1_000
_ASKS_S = 10
"""How long before a segment the listener is asked about it."""


class NavigationMemory(Struct, frozen=True):
    """Where undoing a jump leads, whether an intro was just skipped, and what should no longer be skipped."""

    way_back_ms: int | None = None
    skipped_to_ms: int | None = None
    skipper: SkipperMemory = SkipperMemory()


class AudioChange(Struct, frozen=True):
    """The bytes of `version` have the sound of the audio `former` at other positions: `moved` takes and returns ms;
    None: they can't be compared, and positions stay at their seconds. `elsewhere`: `former` is another device's
    audio."""

    former: int
    version: str
    moved: Callable[[int], int] | None
    elsewhere: bool = False


class Moved(Struct, frozen=True):
    """Another device's listening moved this episode, or the same sound is elsewhere in its bytes now. `device`: its
    name, "" if it isn't known."""

    episode_id: EpisodeId
    device: str = ""
    audio: AudioChange | None = None


class Navigation:
    """`notify` takes what the listener should know; `clock` is monotonic, in seconds."""

    def __init__(self, current: CurrentEpisode, notify: Callable[[Notice], None], clock: Callable[[], float]) -> None:
        self._current = current
        self._notify = notify
        self._clock = clock
        self._jumps = Jumps()
        self._skipper = ChapterSkipper()
        self._clip_ends_ms: int | None = None
        self._went_back: tuple[int, tuple[Segment, ...]] | None = None
        """From where the listener last went back to segments that had been skipped, and which."""
        self._skipped_to_ms: int | None = None
        """Where the sound began, if that was after a skipped intro and nothing has been heard yet."""
        self._moved: tuple[int | None, int] | None = None
        """From and to where other devices have moved the episode since the listener last did something with it."""
        self._length: tuple[int | None, bool] = (None, False)
        self.chapters = Chapters()
        self.came_back: Callable[[], bool] = lambda: False
        """Called when a clip is over: True if it interrupted another episode, which is now the current one again."""
        self.clip_kept: Callable[[], None] = lambda: None
        """Called when a clip turns into listening."""

    # -- what it is to go by ------------------------------------------------------------------------------------

    def new_episode(self) -> None:
        """Another episode becomes current; its chapters aren't known yet."""
        self.forget()
        self._skipper.reset()

    def skip(
        self,
        words: Sequence[str],
        intro_ms: int,
        outro_ms: int,
        segments: Sequence[Segment] = (),
        asked: Sequence[Segment] = (),
    ) -> None:
        """Sets what to skip: chapters with one of `words` in their title, parts of the start and the end, and
        `segments`; and the segments to ask about."""
        self._skipper.skip(words, intro_ms, outro_ms, segments, asked)
        self.duration_changed()

    def memory(self) -> NavigationMemory:
        return NavigationMemory(self.jumped_from_ms, self._skipped_to_ms, self._skipper.memory())

    def recall(self, memory: NavigationMemory) -> None:
        self._jumps, self._skipped_to_ms = Jumps(memory.way_back_ms), memory.skipped_to_ms
        self._skipper.recall(memory.skipper)

    def forget(self) -> None:
        self._jumps = Jumps()
        self.chapters = Chapters()
        self._clip_ends_ms = self._skipped_to_ms = self._went_back = None

    def stopped(self) -> None:
        self._clip_ends_ms = None

    def begins(self, position_ms: int, *, fresh: bool) -> int:
        """The sound is about to begin at this position. Returns where it actually begins: a `fresh` start begins after
        the intro."""
        self._skipper.began(position_ms, fresh=fresh)
        self._skipped_to_ms = None
        skip = self._skipper.next_skip(position_ms) if fresh and not self.in_clip else None
        if skip is None or skip.ends:
            return position_ms
        self._jumps = Jumps(position_ms)
        self._skipped_to_ms = skip.to_ms
        self._notify(Notice(skip.sentence, offer=Offer.UNDO_JUMP))
        return skip.to_ms

    def nothing_left(self, *, ended: bool) -> bool:
        """Whether skipping the intro left nothing of the episode; `ended`: the engine reported its end.

        Then the episode is played from its start, intro included.
        """
        length, exact = self._current.duration()
        to_ms = self._skipped_to_ms
        if to_ms is None or self._current.position.begun_ms != to_ms:
            return False
        if not (ended or (exact and length and to_ms >= length)):
            return False
        self._skipped_to_ms, self._jumps = None, Jumps()
        self._current.seek(0)
        self._skipper.sought(0)
        return True

    def set_chapters(self, episode_id: EpisodeId, chapters: Chapters) -> None:
        """Sets the chapters of an episode; does nothing for episodes other than the current one."""
        if self._current.episode and self._current.episode.id == episode_id:
            self.chapters = chapters
            self.duration_changed()

    def duration_changed(self) -> None:
        """The episode's duration may have changed."""
        self._length = duration, exact = self._current.duration()
        self._skipper.learn(self.chapters, duration, exact=exact)

    def asks(self) -> Segment | None:
        """The segment that the listener is asked about now, if any."""
        current = self._current
        if current.in_clip or current.live or current.state is not PlaybackState.PLAYING:
            return None
        return self._skipper.asks(current.current_ms(), round(_ASKS_S * 1000 * current.speed))

    @property
    def jumped_from_ms(self) -> int | None:
        """Where the last jump began, in ms; None if there was none."""
        return self._jumps.origin_ms

    def way_back(self, to_ms: int | None) -> None:
        """Where `undo_jump` leads from now on; None means nowhere."""
        self._jumps = Jumps(to_ms)

    def moved_from(self, before_ms: int, moved: Moved) -> None:
        """The episode was moved: `undo_jump` leads back, also over several moves."""
        if self._moved != (self.jumped_from_ms, before_ms):
            self._jumps = Jumps(before_ms)
        self._moved = self.jumped_from_ms, self._current.position.ms
        if moved.audio is not None:
            by = moved_by(self._current.position.ms - before_ms)
            words = _("The file has changed by {time}; your position moved with it", time=by)
            if moved.audio.elsewhere:
                words = _("The other device's file differs by {time}; your position moved", time=by)
            self._notify(Notice(words, offer=Offer.UNDO_JUMP))
            return
        device = moved.device or _("another device")
        if self._current.position.ms:
            at = clock(self._current.position.ms)
            words = _("Moved to {position}, where {device} was", position=at, device=device)
        else:
            words = _("Back to the start, as on {device}", device=device)
        self._notify(Notice(words, offer=Offer.UNDO_JUMP))

    def refuse_jump_past_end(self) -> bool:
        """Undoes a jump that turned out to lead past the end, and shows an error; returns whether there was one.

        The engine plays the last moment then, which doesn't mark the episode as played.
        """
        current = self._current
        length, exact = current.duration()
        started, back = current.position.origin_ms, self.jumped_from_ms
        if back is None or not exact or not length or started < length or current.live:
            return False
        self._jumps = Jumps()
        current.fail_jump(back, past_end(started, length))
        return True

    # -- the listener's jumps -----------------------------------------------------------------------------------

    def seek_to(self, position_ms: int, chapter: Chapter | None = None) -> Outcome:
        """`chapter`: the position is the start of that chapter."""
        if (refused := self._refused()) is not None:
            return refused
        current = self._current
        if self.in_clip:
            self._clip_ends_ms = None
            self.clip_kept()
        self._jumps = self._jumps.jumped(current.listener_ms, self._clock())
        current.keep_clip_position()
        current.seek(position_ms)
        self._skipper.sought(current.position.ms)
        return Done(current.status, chapter)

    def seek_by(self, by_ms: int) -> Outcome:
        return self.seek_to(self._current.current_ms() + by_ms)

    def undo_jump(self) -> Outcome:
        if (refused := self._refused()) is not None:
            return refused
        current = self._current
        if self._clip_ends_ms is not None:
            self._clip_ends_ms = None
            current.end_clip()
        elif self._jumps.origin_ms is None:
            return Refused(Why.NO_JUMP, _("There is no jump to undo"))
        else:
            origin_ms, from_ms = self._jumps.origin_ms, current.current_ms()
            self._jumps = self._jumps.undone(from_ms)
            back = self._back_to(origin_ms, from_ms)
            current.seek(origin_ms)
            return Done(current.status, segments=back)
        return Done(current.status)

    def _back_to(self, origin_ms: int, from_ms: int) -> tuple[Segment, ...]:
        """Undoes a jump. Segments to which that leads back are heard in this episode from now on, unless that is
        undone, too. Returns them."""
        again, self._went_back = self._went_back, None
        counted, self._skipped_to_ms = self._skipped_to_ms is None, None
        back = self._skipper.undone(origin_ms)
        if back:
            self._went_back = from_ms, back
            self._current.reject(back, rejected=True)
            if counted:
                self._current.count_skipped(back, undone=True)
        elif again is not None and again[0] == origin_ms:
            self._current.reject(again[1], rejected=False)
            self._current.count_skipped(again[1])
        return back

    def previous_chapter(self) -> Outcome:
        """Jumps to the start of the chapter, or of the one before if that was just reached."""
        if (refused := self._refused() or self._chapterless()) is not None:
            return refused
        before = chapter_before(self.chapters, self._current.current_ms())
        return self.seek_to(before.start_ms if before else 0, before)

    def next_chapter(self) -> Outcome:
        if (refused := self._refused() or self._chapterless()) is not None:
            return refused
        after = chapter_after(self.chapters, self._current.current_ms())
        if after is None:
            return Refused(Why.LAST_CHAPTER, _("This is the last chapter"))
        return self.seek_to(after.start_ms, after)

    def _refused(self) -> Refused | None:
        """Why there is nowhere to jump to."""
        if self._current.episode is None:
            return Refused(Why.NO_EPISODE, _("There is no episode to resume"))
        if self._current.live:
            return Refused(Why.LIVE, _("You can't jump in a live stream"))
        return None

    def _chapterless(self) -> Refused | None:
        return None if self.chapters.listed else Refused(Why.NO_CHAPTERS, _("This episode has no chapters"))

    # -- clips --------------------------------------------------------------------------------------------------

    def begin_clip(self, start_ms: int, duration_ms: int) -> None:
        """Plays a part of the episode; the listener's position doesn't change."""
        length, _ = self._current.duration()
        end_ms = start_ms + duration_ms
        self._current.begin_clip()
        self._clip_ends_ms = min(end_ms, length - _CLIP_BEFORE_END_MS) if length else end_ms
        self._current.seek(start_ms)
        self._skipper.sought(start_ms)

    @property
    def in_clip(self) -> bool:
        return self._clip_ends_ms is not None

    def end_clip(self) -> None:
        """Restores the position from before the clip; the sound pauses."""
        self._clip_ends_ms = None
        if not self.came_back():
            if self._current.active:
                self._current.pause()
            self._current.end_clip()
        self._notify(Notice(_("End of clip"), offer=Offer.RESUME if self._current.episode else None))

    # -- time passes --------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Jumps over what is to be skipped, and ends a clip. True if nothing is left to hear."""
        if self._current.state is not PlaybackState.PLAYING:
            return False
        if self._skipped_to_ms is not None and self._current.current_ms() - self._skipped_to_ms >= _HEARD_MS:
            self._skipped_to_ms = None
            self._current.count_skipped(self._skipper.last_segments)
        if self._length != self._current.duration():
            self.duration_changed()
            self.nothing_left(ended=False)
        over = self._skip_ahead(self._current.current_ms())
        if self._clip_ends_ms is not None and self._current.current_ms() >= self._clip_ends_ms:
            self.end_clip()
        return over

    def _skip_ahead(self, position_ms: int) -> bool:
        """Always a separate jump, so that undoing it leads into the skipped chapter. True if it leads to the end."""
        skip = self._skipper.next_skip(position_ms, clip=self.in_clip)
        if skip is None or (skip.ends and self.in_clip):
            return False
        self._jumps = Jumps(position_ms)
        self._current.count_skipped(skip.segments)
        if not skip.ends:
            self._current.seek(skip.to_ms)
        self._notify(Notice(skip.sentence, offer=Offer.UNDO_JUMP))
        return skip.ends
