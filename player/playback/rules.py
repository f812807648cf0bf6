"""Pure decisions of playback: ends, jumps, chapters, skips, rewinds after pauses, and which state may follow which."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct, field

from player.errors import MediaError
from player.model.episode import Chapter, Chapters
from player.model.playback import PlaybackState
from player.model.playback import PlaybackState as S
from player.model.segments import Segment, SegmentKind, one_of_kind
from player.settings import Playback
from player.text.cleaning import clean_line, fold
from player.text.durations import clock as clock_text
from player.text.durations import parse_time
from player.text.sentences import _

AGAIN_MS = 3_000
"""Within this much of a chapter's start, going back leads to the chapter before; later, to the start of this one."""
_SEEK_BLUR_MS = 200
"""After a seek to a chapter's start, an engine may still be slightly before it."""


def chapter_before(chapters: Chapters, position_ms: int) -> Chapter | None:
    """The chapter to go back to; None if that is the start of the episode."""
    started = [one for one in chapters.listed if one.start_ms <= position_ms + _SEEK_BLUR_MS]
    if started and position_ms - started[-1].start_ms < AGAIN_MS:
        started.pop()
    return started[-1] if started else None


def chapter_after(chapters: Chapters, position_ms: int) -> Chapter | None:
    """The chapter that begins next; None in the last one."""
    return next((one for one in chapters.listed if one.start_ms > position_ms + _SEEK_BLUR_MS), None)


_LEAST_SLACK_MS, _MOST_SLACK_MS = 1_500, 5_000
_SLACK_PART = 0.02


def is_the_end(position_ms: int, duration_ms: int | None, *, exact: bool, all_bytes: bool, sounded: bool) -> bool:
    """`exact`: the duration comes from the bytes. `all_bytes`: the engine was given the last byte.

    `sounded`: there was sound. Without an exact duration that is needed: a format that can't be decoded is read to its
    end, too.
    """
    if not all_bytes:
        return False
    if duration_ms is None or not exact:
        return sounded
    return abs(position_ms - duration_ms) <= _slack_ms(duration_ms)


def began_past_end(started_ms: int, duration_ms: int | None, *, exact: bool) -> bool:
    """Whether the start position lies beyond the end of this file: then nothing was heard."""
    return exact and duration_ms is not None and duration_ms > 0 and started_ms > duration_ms + _slack_ms(duration_ms)


def _slack_ms(duration_ms: int) -> float:
    """How far from the end of an episode of that duration an engine may be when it reports the end."""
    return max(_LEAST_SLACK_MS, min(_MOST_SLACK_MS, duration_ms * _SLACK_PART))


def broke_off(position_ms: int, duration_ms: int | None) -> MediaError:
    """The error for an end that came too early, or for a position beyond the end of the file."""
    position = clock_text(position_ms)
    if duration_ms is not None and position_ms > duration_ms:
        now = clock_text(duration_ms)
        return MediaError(
            _("This episode is now only {length} long; your position was {position}", length=now, position=position),
            _("Jump back."),
        )
    if duration_ms:
        of = clock_text(duration_ms)
        return MediaError(_("The audio broke off at {position} of {length}", position=position, length=of))
    return MediaError(_("The audio broke off at {position}", position=position))


def past_end(asked_ms: int, duration_ms: int) -> MediaError:
    """The error for an episode that can't be played from `asked_ms`."""
    only, asked = clock_text(duration_ms), clock_text(asked_ms)
    return MediaError(
        _("This episode is only {length} long, so it can't be played from {position}", length=only, position=asked),
        _("Choose an earlier time."),
    )


_ONE_JUMP_S = 2.0


class Jumps(Struct, frozen=True):
    """Where the last jump started, in ms. Key presses within two seconds of each other are one jump."""

    origin_ms: int | None = None
    last: float = float("-inf")

    def jumped(self, from_ms: int, now: float) -> "Jumps":
        """After a jump from `from_ms` at `now` (monotonic, seconds)."""
        if self.origin_ms is not None and now - self.last <= _ONE_JUMP_S:
            return Jumps(self.origin_ms, now)
        return Jumps(from_ms, now)

    def undone(self, from_ms: int) -> "Jumps":
        """After undoing it from `from_ms`, which can itself be undone; the next key press starts a new jump."""
        return Jumps(from_ms)


class Rule(Struct, frozen=True):
    """After a pause longer than `after`, playback resumes `rewind_ms` earlier."""

    after: timedelta
    rewind_ms: int


def rules(settings: Playback) -> tuple[Rule, ...]:
    """The rules of config.toml, longest pause first."""
    pairs = (
        (settings.rewind_after_pause, settings.rewind),
        (settings.rewind_after_day, settings.rewind_long),
    )
    made = (Rule(timedelta(milliseconds=parse_time(after)), parse_time(rewind)) for after, rewind in pairs)
    return tuple(sorted(made, key=lambda rule: rule.after, reverse=True))


def resume_at(position_ms: int, left_at: datetime | None, now: datetime, rules: Sequence[Rule]) -> int:
    """Where to resume, in ms, if `position_ms` was left at `left_at`. If the clock was set back, there was no pause."""
    if left_at is None:
        return position_ms
    pause = now - left_at
    for rule in rules:
        if pause > rule.after:
            return max(0, position_ms - rule.rewind_ms)
    return position_ms


_WORD = re.compile(r"\w+")
_BLUR_MS = 100
"""Two skipped chapters at most this far apart are skipped together."""
_SHOWN = 60


class SkipRules(Struct, frozen=True):
    """Chapters are skipped whose titles contain one of these words, or sequences of words, as whole words in any case.

    A podcast that is in `by_podcast` under one of its titles has its own words instead.
    """

    words: tuple[str, ...] = ()
    by_podcast: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, *titles: str) -> tuple[str, ...]:
        """The words for a podcast with these titles: the listener's own title first, then the feed's."""
        own = {fold(title): words for title, words in self.by_podcast.items()}
        return next((own[fold(title)] for title in titles if fold(title) in own), self.words)


NOTHING_SKIPPED = SkipRules()


INTRO, OUTRO = "\0intro", "\0outro"
"""Used in place of a chapter's title; no chapter has these."""


class Skip(Struct, frozen=True):
    """A skip over chapters, segments, the intro or the outro, to `to_ms`. `ends`: that is the end of the episode.
    `titles` are those of all of them, `segments` the segments among them."""

    to_ms: int
    titles: tuple[str, ...]
    ends: bool = False
    segments: tuple[Segment, ...] = ()

    @property
    def sentence(self) -> str:
        if len(self.titles) == len(self.segments) == 1:
            (one,) = self.segments
            length = clock_text(one.length_ms)
            return _("Skipped {what}, {length}", what=one_of_kind(one.kind), length=length)
        named = {INTRO: _("the intro"), OUTRO: _("the outro")} | {one: one_of_kind(one) for one in SegmentKind}
        first = named.get(self.titles[0]) or f"“{clean_line(self.titles[0], _SHOWN)}”"
        more = len(self.titles) - 1
        return _("Skipped {what} and {n} more", what=first, n=more) if more else _("Skipped {what}", what=first)


class _Skipped(Struct, frozen=True):
    start_ms: int
    end_ms: int
    title: str
    segment: Segment | None = None


class SkipperMemory(Struct, frozen=True):
    """What a skipper knows that neither the settings nor the chapters say."""

    spared: frozenset[int] = frozenset()
    run_from_ms: int = 0
    has_begun: bool = False
    intro_is_over: bool = False
    last: tuple[int, frozenset[int]] = (-1, frozenset())
    segments: tuple[Segment, ...] = ()


class ChapterSkipper:
    """What to skip in the current episode: chapters, segments, and what the podcast's settings say."""

    def __init__(self) -> None:
        self._words: Sequence[str] = ()
        self._intro_ms = self._outro_ms = 0
        self._has_begun = self._intro_is_over = False
        self._skipped: tuple[_Skipped, ...] = ()
        self._spared: set[int] = set()
        self._run_from_ms = 0
        self._last: tuple[int, frozenset[int]] = (-1, frozenset())
        self._segments: tuple[Segment, ...] = ()
        self._asked: tuple[Segment, ...] = ()
        self.last_segments: tuple[Segment, ...] = ()
        """The segments that were skipped last."""

    def reset(self, words: Sequence[str] = ()) -> None:
        """Starts with an episode whose chapters aren't known yet; skips those with one of `words` in their title."""
        self._words = words
        self._has_begun = False
        self._skipped = self._segments = self._asked = self.last_segments = ()
        self._spared = set()

    def skip(
        self,
        words: Sequence[str],
        intro_ms: int = 0,
        outro_ms: int = 0,
        segments: Sequence[Segment] = (),
        asked: Sequence[Segment] = (),
    ) -> None:
        """What the next `learn` applies: words in titles, how much to skip at the start and at the end, and which
        segments to skip, or to ask about.

        An intro skip that is set while the intro is playing doesn't apply to it any more.
        """
        self._words = words
        self._intro_ms, self._outro_ms = intro_ms, outro_ms
        self._segments, self._asked = tuple(segments), tuple(asked)
        self._intro_is_over = self._has_begun

    def learn(self, chapters: Chapters, duration_ms: int | None, *, exact: bool = True) -> None:
        """The chapters, and the length of the episode, which ends the last one. `exact`: the length isn't a guess."""
        found = []
        for chapter in chapters.items if self._words else ():
            end = chapters.end_of(chapter, duration_ms) if is_skipped(chapter.title, self._words) else None
            if end is not None and end > chapter.start_ms:
                found.append(_Skipped(chapter.start_ms, end, chapter.title))
        # A feed may say ten minutes of an hour: by a guess nothing is cut off at the end.
        outro_at = duration_ms - self._outro_ms if duration_ms and exact and self._outro_ms else 0
        if self._intro_ms and (not duration_ms or self._intro_ms < duration_ms):
            found.append(_Skipped(0, self._intro_ms, INTRO))
        if duration_ms and outro_at > self._intro_ms:
            found.append(_Skipped(outro_at, duration_ms, OUTRO))
        found += [_Skipped(one.start_ms, one.end_ms, one.kind, one) for one in self._segments]
        self._skipped = tuple(sorted(found, key=lambda one: one.start_ms))

    def memory(self) -> SkipperMemory:
        return SkipperMemory(
            frozenset(self._spared), self._run_from_ms, self._has_begun, self._intro_is_over, self._last,
            self.last_segments,
        )  # fmt: skip

    def recall(self, memory: SkipperMemory) -> None:
        self._spared, self._run_from_ms, self._last = set(memory.spared), memory.run_from_ms, memory.last
        self._has_begun, self._intro_is_over = memory.has_begun, memory.intro_is_over
        self.last_segments = memory.segments

    def began(self, position_ms: int, *, fresh: bool | None = None) -> None:
        """Playback began at that position.

        `fresh`: at the very start, so that the intro and a first chapter can be skipped; None: decide that from the
        position.
        """
        fresh = position_ms == 0 if fresh is None else fresh
        self._run_from_ms = -1 if fresh else position_ms
        self._has_begun, self._intro_is_over = True, not fresh

    def sought(self, position_ms: int) -> None:
        """The listener jumped there."""
        self._run_from_ms = position_ms
        self._spared |= {one.start_ms for one in self._skipped if one.start_ms <= position_ms < one.end_ms}

    def undone(self, position_ms: int) -> tuple[Segment, ...]:
        """The listener undid the last jump, which led there. Returns the segments that it had skipped."""
        origin, stepped_over = self._last
        back: tuple[Segment, ...] = ()
        if origin == position_ms:
            self._spared |= stepped_over
            back, self.last_segments = self.last_segments, ()
        self.sought(position_ms)
        return back

    def asks(self, position_ms: int, ahead_ms: int) -> Segment | None:
        """The segment to ask about: playback is in it, or `ahead_ms` before it, and hasn't jumped into it."""
        for one in self._asked:
            if self._run_from_ms < one.start_ms <= position_ms + ahead_ms and position_ms < one.end_ms:
                return one
        return None

    def next_skip(self, position_ms: int, *, clip: bool = False) -> Skip | None:
        """What to skip at this position, if anything; playback continues after it. In a `clip` segments are heard."""
        end, passed = position_ms, list[_Skipped]()
        for one in self._skipped:
            if clip and one.segment is not None:
                continue
            runs_into = self._run_from_ms < one.start_ms <= end + bool(passed) * _BLUR_MS and end < one.end_ms
            spared = one.start_ms in self._spared or (one.title == INTRO and self._intro_is_over)
            if runs_into and not spared:
                passed.append(one)
                end = one.end_ms
        if not passed:
            return None
        self._last = position_ms, frozenset(one.start_ms for one in passed)
        self._run_from_ms = end
        titles = tuple(one.title for one in passed)
        self.last_segments = tuple(one.segment for one in passed if one.segment is not None)
        return Skip(end, titles, OUTRO in titles, self.last_segments)


def is_skipped(title: str, words: Sequence[str]) -> bool:
    """Whether the title contains one of the words as a whole word: “Ad” is in “Ad: a shop” but not in “Adventures”."""
    padded = f" {' '.join(_WORD.findall(fold(title)))} "
    wanted = (" ".join(_WORD.findall(fold(word))) for word in words)
    return any(word and f" {word} " in padded for word in wanted)


LEGAL: Mapping[PlaybackState, frozenset[PlaybackState]] = {
    # With an episode in hand that isn't loaded: back from the last session (PAUSED), or heard to its end (ENDED).
    S.STOPPED: frozenset({S.OPENING, S.PAUSED, S.ENDED}),
    S.OPENING: frozenset({S.PLAYING, S.PAUSED, S.ENDED, S.ERROR, S.STOPPED}),
    S.PLAYING: frozenset({S.PAUSED, S.BUFFERING, S.ENDED, S.ERROR, S.STOPPED}),
    # A seek while it waits for bytes opens it again at the new position.
    S.BUFFERING: frozenset({S.PLAYING, S.OPENING, S.PAUSED, S.ENDED, S.ERROR, S.STOPPED}),
    # PAUSED has the engine loaded (PLAYING follows) or not (OPENING); a device may vanish meanwhile (ERROR).
    S.PAUSED: frozenset({S.PLAYING, S.OPENING, S.ENDED, S.ERROR, S.STOPPED}),
    # A seek away from the end, or from where an error happened, waits there for `resume`.
    S.ENDED: frozenset({S.OPENING, S.PAUSED, S.STOPPED}),
    S.ERROR: frozenset({S.OPENING, S.PAUSED, S.STOPPED}),
}


class IllegalMove(RuntimeError):
    """A state followed one that it can't follow."""


def move(old: PlaybackState, new: PlaybackState) -> PlaybackState:
    """Returns `new` if it may follow `old`; staying in a state is always allowed. Raises IllegalMove."""
    if new is not old and new not in LEGAL[old]:
        raise IllegalMove(f"{old.value} -> {new.value}")
    return new
