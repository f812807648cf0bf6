"""The layout of the player bar: a pure function from a status and a size to lines of text with roles."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from itertools import zip_longest
from math import ceil
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from player.model.effects import Trim
from player.model.episode import Chapter, Chapters
from player.model.playback import NextFrom, PlaybackState, PlaybackStatus
from player.model.segments import kind_word, one_of_kind
from player.text.durations import clock
from player.text.regional import time_of_day
from player.text.sentences import _, mark, translate
from tui.drawing.cells import cut, graphemes, steady, width
from tui.drawing.labels import upper_first
from tui.drawing.phrases import left_words
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.drawing.seek_bar import Track, seek_bar, waveform
from tui.look.colours import hue_of
from tui.look.glyphs import Glyphs

if TYPE_CHECKING:
    from player.measuring.kinds.waveform import Waveform


_NEAR = 6
"""Unchanged cells between two changes: up to this many are redrawn, as moving the cursor over them costs a terminal
more."""
_DEVICE = 16
"""Cells at most for the name of the device that plays."""
_BLANK = (" ", "")


def changed_cells(old: Line, new: Line) -> list[tuple[int, int]]:
    """The ranges of cells (from, to) that differ, in order. A shorter line is padded with blanks."""
    if old == new:
        return []
    spans: list[tuple[int, int]] = []
    for at, (one, other) in enumerate(zip_longest(_cells(old), _cells(new), fillvalue=_BLANK)):
        if one == other:
            continue
        if spans and at <= spans[-1][1] + _NEAR:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return spans


def _cells(line: Line) -> list[tuple[str, str]]:
    """The character in each cell, with its role; a wide character is in both of its cells."""
    cells: list[tuple[str, str]] = []
    for text, role, _href in line:
        if text.isascii():
            cells += [(char, role) for char in text]
        else:
            cells += [(char, role) for char, width in graphemes(text) for _ in range(width)]
    return cells


Keys = Mapping[str, str]
"""The keys of actions as shown, by action id."""

MARGIN = 2
GAP = 2
APART = "   "
LEAST_TITLE = 12


class Span(Struct, frozen=True):
    """A range of cells on a line, or on several adjacent lines."""

    row: int
    start: int
    cells: int
    rows: int = 1

    def holds(self, column: int, row: int) -> bool:
        return self.row <= row < self.row + self.rows and self.start <= column < self.start + self.cells

    def moved(self, columns: int, rows: int = 0) -> Span:
        return replace(self, row=self.row + rows, start=self.start + columns)


class BarLayout(Struct, frozen=True):
    """The lines, and the cells of the parts that react to the mouse; None: the part isn't shown.

    `seek` is the seek bar with the waveform above it, `state` the glyph of the playback state.
    """

    lines: tuple[Line, ...]
    seek: Span | None = None
    state: Span | None = None
    title: Span | None = None
    podcast: Span | None = None
    speed: Span | None = None
    volume: Span | None = None


class Around(Struct, frozen=True):
    """The facts that the bar shows besides the status.

    `pointed_ms` is the position at the mouse, None while the mouse is elsewhere; `playable`: the selected row is an
    episode that can be played; `bookmarks` are their positions, in ms; `says_next`: the next episode is shown, `news`:
    it has just changed; `segments` are from and to when they last in the episode, and `begun_ms` is where one begins
    that the listener is marking, in ms; `wave` is the episode's waveform, None if it isn't known; `knob`: see `Track`;
    `now` is the local time, without which the bar doesn't show when the episode ends.
    """

    chapters: Chapters = Chapters()
    pointed_ms: int | None = None
    playable: bool = True
    bookmarks: tuple[int, ...] = ()
    news: bool = False
    says_next: bool = True
    wave: Waveform | None = None
    knob: bool = False
    now: datetime | None = None
    segments: tuple[tuple[int, int], ...] = ()
    begun_ms: int | None = None

    def track(self, status: PlaybackStatus) -> Track:
        """The facts of the seek bar."""
        starts = tuple(one.start_ms for one in self.chapters.listed)
        return Track(
            status.position_ms, status.duration_ms, status.cached, starts, self.bookmarks, self.pointed_ms, self.knob,
            self.segments, self.begun_ms,
        )  # fmt: skip


def indent(line: Line, cells: int) -> Line:
    return (Run(" " * cells), *line) if line else ()


def indented(layout: BarLayout, margin: int) -> BarLayout:
    """The layout moved `margin` cells to the right; a click left of the state's glyph counts as a click on it."""

    def moved(span: Span | None) -> Span | None:
        return span and span.moved(margin)

    state = layout.state
    return BarLayout(
        tuple(indent(line, margin) for line in layout.lines),
        moved(layout.seek),
        state and Span(state.row, 0, state.start + state.cells + margin),
        moved(layout.title),
        moved(layout.podcast),
        moved(layout.speed),
        moved(layout.volume),
    )


_ROOM_FOR_TOTAL = 56
_ROOM_FOR_END = 70
_MOST_LATE_S = 0.5
_AFTER_S = 0.005
"""A timer may fire this much too early."""
_LONGEST_LEFT_S = 20 * 3600
"""An end further away than this isn't shown, because a time of day alone would be ambiguous."""


def seek_line(
    status: PlaybackStatus, room: int, glyphs: Glyphs, gap: int, around: Around, *, wide: bool = False
) -> tuple[Line, Span | None]:
    """The position, the seek bar and the time left; and the cells of the seek bar in the line, None if it isn't
    possible to seek.

    `wide`: if there is room, also the duration and when the episode ends.
    """
    before = elapsed(status, glyphs, total=wide and room >= _ROOM_FOR_TOTAL)
    after = _after_time(status, glyphs, around.now if wide and room >= _ROOM_FOR_END else None)
    if status.live:
        return (*before, Run(" " * gap), Run(_("live"), "alive")), None
    start = width_of(before) + gap
    cells = room - start - (width_of(after) + gap if after else 0)
    if cells < 1:
        both = (*before, Run(" " * gap), *after)
        return both if after and width_of(both) <= room else before, None
    pieces = [*before, Run(" " * gap), *seek_bar(cells, around.track(status), glyphs)]
    if after:
        pieces += [Run(" " * gap), *after]
    return tuple(pieces), Span(0, start, cells) if status.duration_ms and cells > 1 else None


def remaining(status: PlaybackStatus, glyphs: Glyphs) -> str:
    """The time left at the current speed; "" if it isn't known."""
    if not status.duration_ms:
        return ""
    left_s = ceil(left_ms(status.duration_ms, status) / 1000)
    sign = (glyphs.about if status.approximate else "") + glyphs.minus if left_s else ""
    widest = len(glyphs.about + glyphs.minus if status.approximate else glyphs.minus) + len(clock(status.duration_ms))
    return (sign + clock(left_s * 1000)).rjust(widest)


def next_look_s(status: PlaybackStatus) -> float:
    """The seconds until the bar should be updated: until the next whole second of the position, but at most half a
    second.

    So a time changes when its second begins, and nothing on the bar is more than half a second old.
    """
    to_second_s = (1000 - status.position_ms % 1000) / 1000 / status.speed
    return min(to_second_s, _MOST_LATE_S) + _AFTER_S


def left_ms(end_ms: int, status: PlaybackStatus) -> float:
    """The time from the position to `end_ms` at the current speed, in ms."""
    return status.until_ms(end_ms)


def _after_time(status: PlaybackStatus, glyphs: Glyphs, now: datetime | None) -> Line:
    """The time left and, if `now` is given, when the episode ends."""
    if not status.duration_ms:
        return ()
    left = Run(remaining(status, glyphs), "text")
    return (left, Run(_ends(status, glyphs, now), "muted")) if now else (left,)


def _ends(status: PlaybackStatus, glyphs: Glyphs, now: datetime) -> str:
    """When the episode ends, padded to the greatest width."""
    widest = _end_at(time(22, 58), glyphs)
    left_s = left_ms(status.duration_ms or 0, status) / 1000
    words = _end_at(now + timedelta(seconds=left_s), glyphs) if 0 < left_s < _LONGEST_LEFT_S else ""
    return words + " " * (width(widest) - width(words))


def _end_at(moment: datetime | time, glyphs: Glyphs) -> str:
    return f" {glyphs.dot} {_('ends {time}', time=time_of_day(moment))}"


def elapsed(status: PlaybackStatus, glyphs: Glyphs, *, total: bool) -> Line:
    """The position; with `total` also the duration, if it is known. Padded to the greatest width, so that the seek bar
    doesn't move."""
    longest = clock(max(status.duration_ms or 0, status.position_ms))
    position = (glyphs.about if status.unsure else "") + clock(status.position_ms)
    if not total or not status.duration_ms:
        return (Run(position.ljust(len(longest)), "text"),)
    of = f" / {clock(status.duration_ms)}".ljust(3 + 2 * len(longest) - len(position))
    return Run(position, "text"), Run(of, "muted")


_LEAST_NEXT = 16
_LEAST_CHAPTER = 10
_WHY_NEXT = {NextFrom.QUEUE: mark("from queue"), NextFrom.LIST: mark("this list continues")}
_LONGEST_SENTENCE = 1_000
"""The most characters of an error's text: more than fit in any bar."""


def last_row(status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys, around: Around) -> Line:
    """The time and chapter at the mouse; or a sentence about the state, or the current chapter, and the next
    episode."""
    if first := _pointed(around, room, glyphs) or of_segments(status, room, glyphs, keys, around):
        return first
    words = sentence(status, room, glyphs, keys)
    if not words or _plainly_paused(status):
        words = _chapter(status, room, glyphs, around.chapters) or words
    return _with_next(words, status, room, glyphs) if around.says_next else words


def _beside_title(status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys, around: Around) -> Line:
    """What a bar of two rows shows of the last row of a higher one; () if it is no more than the podcast. The next
    episode is shown for a moment after it has changed, and near the end."""
    if first := _pointed(around, room, glyphs) or of_segments(status, room, glyphs, keys, around):
        return first
    if around.says_next and (around.news or _ends_soon(status)) and (following := next_words(status, room, glyphs)):
        return (Run(following, "text"),)
    told = status.sleep.slept or status.state is PlaybackState.PLAYING
    if told and (words := sentence(status, room, glyphs, keys)):
        return words if width_of(words) <= room else ()
    chapter = _chapter(status, room, glyphs, around.chapters)
    return chapter if width_of(chapter[:1]) >= _LEAST_CHAPTER or width_of(chapter) <= room else ()


def of_segments(status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys, around: Around) -> Line:
    """Asks about the segment that plays or begins soon; or says how the one that the listener marks is ended. ()
    otherwise, and where nothing of it fits."""
    if (asked := status.asked) is not None:
        left_s = ceil(left_ms(asked.start_ms, status) / 1000)
        what, length = upper_first(one_of_kind(asked.kind)), clock(asked.length_ms)
        kind = upper_first(kind_word(asked.kind))
        if left_s > 0:
            begins = _("{what} you marked, {length}, begins in {n} s:", what=what, length=length, n=left_s)
            brief = _("{kind} in {n} s:", kind=kind, n=left_s)
        else:
            left = clock(int(-(-left_ms(asked.end_ms, status) // 1000)) * 1000)
            begins = _("{what} you marked, {left} left:", what=what, left=left)
            brief = _("{kind}, {left}:", kind=kind, left=left)
        always, never = _("{segment_skip} skips it, always"), _("{segment_leave} never")
        keys_only = f"{_('{segment_skip} skip')} {glyphs.dot} {never}"
        frames = [
            f"{begins} {always} {glyphs.dot} {never}",
            f"{brief} {always} {glyphs.dot} {never}",
            f"{brief} {keys_only}",
            f"{kind} {glyphs.dot} {keys_only}",
            keys_only,
            brief.rstrip(":\u00a0\u202f"),
        ]
    elif around.begun_ms is not None and status.episode is not None and not failed(status):
        begun = _("A segment begins at {time}", time=clock(around.begun_ms))
        frames = [f"{begun} {glyphs.dot} {_('{segment_end} marks its end')}", _("{segment_end} ends the segment")]
    else:
        return ()
    return next((line for frame in frames if width_of(line := hint(frame, keys)) <= room), ())


def _pointed(around: Around, room: int, glyphs: Glyphs) -> Line:
    """The time and chapter at the mouse; () while the mouse is elsewhere."""
    if around.pointed_ms is None:
        return ()
    time = Run(clock(around.pointed_ms), "text")
    gap = Run(f" {glyphs.dot} ", "muted")
    named = _named(around.chapters.at(around.pointed_ms), around.chapters, room - width(time.text) - 3, glyphs)
    return (time, gap, *named) if named else (time,)


def _plainly_paused(status: PlaybackStatus) -> bool:
    return status.state is PlaybackState.PAUSED and not status.error and not status.sleep.slept


def sentence(status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys) -> Line:
    """A sentence about the state; () if there is nothing to say."""
    match status.state:
        case PlaybackState.ERROR:
            return (
                *_error(status.error or _("This episode can't be played"), glyphs),
                *hint(_("{play} tries again."), keys),
            )
        case PlaybackState.OPENING:
            return (Run(_("Opening") + glyphs.ellipsis, "muted"),)
        case PlaybackState.BUFFERING:
            fitting = (text for text in _waiting(status, glyphs) if width(text) <= room)
            return (Run(next(fitting, _("Waiting") + glyphs.ellipsis), "muted"),)
        case PlaybackState.PAUSED if status.error:
            return (*_error(status.error, glyphs), *hint(_("{pause} resumes."), keys))
        case PlaybackState.PAUSED | PlaybackState.ENDED if status.sleep.slept:
            words = [_("Sleep timer"), _("{undo_jump} returns to where it started"), _("{pause} resumes")]
            shown = words if status.state is PlaybackState.PAUSED else words[:2]
            return hint(f" {glyphs.dot} ".join(shown), keys)
        case PlaybackState.PAUSED if status.position_ms:
            return hint(f"{_('Paused')} {glyphs.dot} {_('{pause} resumes')}", keys)
        case PlaybackState.PAUSED | PlaybackState.STOPPED:
            return hint(_("Press {pause} to play"), keys)
        case PlaybackState.ENDED:
            return (Run(_("Finished"), "muted"),)
        case PlaybackState.PLAYING if status.clip:
            return hint(f"{_('Clip')} {glyphs.dot} {_('{undo_jump} returns')}", keys)
        case PlaybackState.PLAYING:
            return ()


def nothing_playing(room: int, glyphs: Glyphs, keys: Keys, *, playable: bool) -> Line:
    """The sentence of a bar without an episode."""
    nothing = _("Nothing playing")
    hints = (_("press {play} to play the selected episode"), _("{play} plays")) if playable else ()
    sentences = (*(f"{nothing} {glyphs.dot} {one}" for one in hints), nothing)
    return next((line for one in sentences if width_of(line := hint(one, keys)) <= room), ())


def next_words(status: PlaybackStatus, room: int, glyphs: Glyphs) -> str:
    """The next episode, and why it is next if there is room for that; "" if none is next, or there is no room."""
    if status.next_up is None or status.error or status.sleep.nothing_follows:
        return ""
    why = translate(_WHY_NEXT[status.next_up.source])
    for frame in (f"{_('Next: {title}')} {glyphs.dot} {why}", _("Next: {title}")):
        title = cut(steady(status.next_up.episode.title), room - width(frame.format(title="")), glyphs.ellipsis)
        if width(title) >= min(_LEAST_NEXT, width(status.next_up.episode.title)):
            return frame.format(title=title)
    return ""


def in_rows(words: Line, cells: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """The sentence in at most `rows` rows. If it is too long, its first part is shortened, so that the advice is
    kept."""
    room = min(width_of(words[:1]), rows * cells)
    if width_of(words[:1]) > room:
        words = (Run(cut(words[0].text, room, glyphs.ellipsis) + " ", words[0].role), *words[1:])
    wrapped = wrap(words, cells)
    while len(wrapped) > rows and room > 4:
        room -= 2
        shorter = Run(cut(words[0].text.rstrip(), room, glyphs.ellipsis) + " ", words[0].role)
        wrapped = wrap((shorter, *words[1:]), cells)
    return wrapped[:rows]


def hint(text: str, keys: Keys) -> Line:
    """A muted sentence, in which `{id}` stands for the key of the action with that id."""
    pieces: list[Run] = []
    for index, part in enumerate(text.replace("}", "{").split("{")):
        if part:
            pieces.append(Run(keys.get(part, part), "key") if index % 2 else Run(part, "muted"))
    return tuple(pieces)


def _with_next(words: Line, status: PlaybackStatus, room: int, glyphs: Glyphs) -> Line:
    """The words with the next episode at the right end, if there is room."""
    following = next_words(status, room - (width_of(words) + len(APART) if words else 0), glyphs)
    if not following:
        return words
    gap = room - width_of(words) - width(following) if words else 0
    return (*words, Run(" " * gap), Run(following, "muted")) if gap else (Run(following, "muted"),)


def _chapter(status: PlaybackStatus, room: int, glyphs: Glyphs, chapters: Chapters) -> Line:
    """The current chapter, its time left at the current speed, and the next chapter, if there is room."""
    current = chapters.at(status.position_ms)
    if current is None or not current.title:
        return ()
    left = _left(current, status, chapters, glyphs)
    line = _named(current, chapters, room - width(left), glyphs)
    if left and width(line[0].text) < min(_LEAST_CHAPTER, width(current.title)):
        return (Run(cut(steady(current.title), room - width(left), glyphs.ellipsis), "text"), Run(left, "muted"))
    line = (*line, Run(left, "muted")) if left else line
    following = _after(current, chapters)
    if following is None or not following.title or width_of(line) > room:
        return line
    title = cut(steady(following.title), room - width_of(line) - len(APART) - 2, glyphs.ellipsis)
    if width(title) < min(_LEAST_NEXT, width(following.title)):
        return line
    return (*line, Run(APART), Run(f"{glyphs.onward} {title}", "faint"))


def _named(chapter: Chapter | None, chapters: Chapters, room: int, glyphs: Glyphs) -> Line:
    """The chapter's title, its number, and the number of chapters."""
    if chapter is None or not chapter.title:
        return ()
    listed = chapters.listed
    which = _("{n} of {total}", n=listed.index(chapter) + 1, total=len(listed)) if chapter in listed else ""
    gap = 2 if which else 0
    title = cut(steady(chapter.title), room - gap - width(which), glyphs.ellipsis)
    return (Run(title, "text"), *((Run(" " * gap), Run(which, "muted")) if which else ()))


def _left(chapter: Chapter | None, status: PlaybackStatus, chapters: Chapters, glyphs: Glyphs) -> str:
    end_ms = chapters.end_of(chapter, status.duration_ms) if chapter else None
    if not end_ms:
        return ""
    time = clock(int(-(-left_ms(end_ms, status) // 1000)) * 1000)
    return f" {glyphs.dot} {_('{time} left', time=time)}"


def _after(chapter: Chapter | None, chapters: Chapters) -> Chapter | None:
    """The listed chapter after `chapter`."""
    listed = chapters.listed
    at = listed.index(chapter) + 1 if chapter in listed else len(listed)
    return listed[at] if chapter and at < len(listed) else None


def _error(text: str, glyphs: Glyphs) -> Line:
    error = steady(text[:_LONGEST_SENTENCE])
    return (Run(f"{error} " if error.endswith((".", glyphs.ellipsis, "?")) else f"{error}. ", "error"),)


def _waiting(status: PlaybackStatus, glyphs: Glyphs) -> list[str]:
    """Sentences to show while buffering, the longest first."""
    buffering, resumes = _("Buffering") + glyphs.ellipsis, _("Playback resumes automatically.")
    words = [f"{buffering} {resumes}", buffering]
    if status.waiting:
        why = steady(status.waiting[:_LONGEST_SENTENCE])
        what = why.partition(". ")[0].removesuffix(".")
        words = [f"{why} {resumes}", f"{what}. {resumes}", f"{what}.", *words]
    return words


_LEAST_PODCAST = 10
_STEPS = 4
"""The number of blocks that show the volume."""
_LOUDEST = 100


def head(
    status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys, around: Around, *, alone: bool = False
) -> BarLayout:
    """The first line of the bar, in `room` cells, and its parts that react to the mouse. `alone`: no row below the seek
    bar says more, so that the chapter has the podcast's place."""
    assert status.episode
    right = _right(status, room, glyphs)
    cells = width_of(right)
    space = room - 2 - (cells + GAP if right else 0)
    if alone and (told := of_segments(status, space - GAP - LEAST_TITLE, glyphs, keys, around)):
        title = cut(status.episode.title, space - GAP - width_of(told), glyphs.ellipsis)
    else:
        title = cut(status.episode.title, space, glyphs.ellipsis)
    pieces = [sign(status, glyphs), Run(" "), Run(title, "title")]
    named, of = Span(0, 2, width(title)), None
    space -= width(title)
    mark = Run(glyphs.hue, f"hue-{hue_of(status.episode.podcast_id)}")
    room_for_podcast = space - GAP - 1
    podcast = cut(status.episode.podcast, room_for_podcast, glyphs.ellipsis)
    if alone and (words := _beside_title(status, space - GAP, glyphs, keys, around)):
        pieces += [Run(" " * GAP), *words]
        space -= GAP + width_of(words)
    elif podcast and room_for_podcast >= min(_LEAST_PODCAST, width(status.episode.podcast)):
        of = Span(0, 2 + width(title) + GAP, 1 + width(podcast))
        pieces += [Run(" " * GAP), mark, Run(podcast, "muted")]
        space -= GAP + of.cells
    if not right:
        return BarLayout((tuple(pieces),), None, Span(0, 0, 2), named, of)
    pieces += [Run(" " * (space + GAP)), *right]
    speed, volume = (_span_of(pieces, kind) for kind in ("speed", "volume"))
    return BarLayout((tuple(pieces),), None, Span(0, 0, 2), named, of, speed, volume)


def sign(status: PlaybackStatus, glyphs: Glyphs) -> Run:
    match status.state:
        case PlaybackState.PLAYING:
            return Run(glyphs.playing, "alive")
        case PlaybackState.PAUSED:
            return Run(glyphs.paused, "alive")
        case PlaybackState.OPENING:
            return Run(glyphs.loading, "alive")
        case PlaybackState.BUFFERING:
            return Run(glyphs.waiting, "alive")
        case PlaybackState.ENDED:
            return Run(glyphs.played, "muted")
        case PlaybackState.STOPPED:
            return Run(glyphs.stopped, "muted")
        case PlaybackState.ERROR:
            return Run(glyphs.failed, "error")


def asleep(status: PlaybackStatus, glyphs: Glyphs) -> list[str]:
    """The time left of the sleep timer, and a note if playback stops after this episode."""
    words = [f"{glyphs.sleep} {left}"] if (left := left_words(status.sleep)) else []
    return [*words, _("{sign} after this", sign=glyphs.stopped)] if status.sleep.stops_after else words


def speed_words(speed: float, glyphs: Glyphs) -> str:
    """A speed such as `1.5×`."""
    return f"{round(speed, 2):g}{glyphs.times}"


def effects_words(status: PlaybackStatus, glyphs: Glyphs) -> list[str]:
    """The device that plays, a sign where pauses are trimmed, and by how much the episode is louder or quieter than it
    is by itself."""
    words = [cut(steady(status.plays_on), _DEVICE, glyphs.ellipsis)] if status.plays_on else []
    words += [glyphs.trimmed] if status.trim is not Trim.OFF else []
    gain = round(status.gain_db or 0.0)
    return [*words, *([gain_words(gain, glyphs)] if gain else [])]


def gain_words(gain_db: float, glyphs: Glyphs) -> str:
    """A gain such as `+6 dB`."""
    sign = "+" if gain_db > 0 else glyphs.minus
    return _("{number} dB", number=f"{sign}{abs(gain_db):g}")


def _right(status: PlaybackStatus, room: int, glyphs: Glyphs) -> Line:
    """The sleep timer, the speed, the volume and the effects; the last of them are left out if the title would have too
    little room."""
    usual = round(status.speed, 2) == 1
    parts: list[Line] = [(Run(words, "muted"),) for words in asleep(status, glyphs)]
    parts += [(Run(speed_words(status.speed, glyphs), "speed faint" if usual else "speed text"),)]
    parts += [_volume(status.volume, glyphs)]
    parts += [(Run(words, "muted"),) for words in effects_words(status, glyphs)]
    while parts and room - 2 - GAP - sum(map(width_of, parts)) - len(APART) * (len(parts) - 1) < LEAST_TITLE:
        parts.pop()
    return tuple(piece for part in parts for piece in (Run(APART), *part))[1:]


def _volume(volume: int, glyphs: Glyphs) -> Line:
    """The volume as rising blocks, of which the lit ones are bright, and in percent."""
    if volume == 0:
        return (Run(_("muted"), "volume text"),)
    words = _("{volume}%", volume=volume).rjust(4)
    if not glyphs.steps:
        return (Run(_("vol {volume}%", volume=volume), "volume text"),)
    lit = min(_STEPS, max(1, (volume * _STEPS + _LOUDEST // 2) // _LOUDEST))
    return (
        Run(glyphs.steps[:lit], "volume muted"),
        *((Run(glyphs.steps[lit:], "volume faint"),) if lit < _STEPS else ()),
        Run(f" {words}", "volume muted"),
    )


def _span_of(line: list[Run], kind: str) -> Span | None:
    """The cells of the runs whose role begins with `kind`; None if there are none."""
    start = cells = 0
    for piece in line:
        if piece.role.startswith(kind):
            cells += width(piece.text)
        elif not cells:
            start += width(piece.text)
    return Span(0, start, cells) if cells else None


_ENDS_SOON_MS = 20_000
"""From this long before the end, the next episode replaces the seek bar."""

_TITLE_AND_TIME = 16
"""From this many cells on, the position is shown beside a title that leaves no room for a seek bar."""


def one_line(status: PlaybackStatus, room: int, rows: int, glyphs: Glyphs, keys: Keys, around: Around) -> BarLayout:
    """A bar of one line: the state, the title, and on the right the seek bar, as wide as the title, or the position
    alone.

    An error, in at most `rows` rows, replaces it all; a new next episode, for a moment and near the end, replaces the
    seek bar.
    """
    assert status.episode
    first_cells = (sign(status, glyphs), Run(" "))
    state = Span(0, 0, 2)
    room -= 2
    sleep = tuple(Run(f" {words}", "muted") for words in asleep(status, glyphs))
    if room - width_of(sleep) < LEAST_TITLE:
        sleep = ()
    if failed(status):
        first, *more = in_rows(sentence(status, room, glyphs, keys), room, rows, glyphs)
        return BarLayout(((*first_cells, *first), *(indent(line, 2) for line in more)), None, state)
    room -= width_of(sleep)
    title_cells = min(room - 20, room // 2)
    if title_cells < 8:
        time = elapsed(status, glyphs, total=False) if room >= _TITLE_AND_TIME and status.position_ms else ()
        for_title = room - width_of(time) - len(time)
        only = Run(cut(status.episode.title, for_title, glyphs.ellipsis), "title")
        gap = Run(" " * (for_title - width(only.text) + 1)) if time else Run("")
        return BarLayout(((*first_cells, only, gap, *time, *sleep),), None, state, Span(0, 2, width(only.text)))
    title = cut(status.episode.title, title_cells, glyphs.ellipsis)
    named = Span(0, 2, width(title))
    start = width(title) + GAP
    head = (*first_cells, Run(title, "title"), Run(" " * GAP))
    if status.state is PlaybackState.BUFFERING:
        words = sentence(status, room - start, glyphs, keys)
        return BarLayout(((*head, *in_rows(words, room - start, 1, glyphs)[0]),), None, state, named)
    if told := of_segments(status, room, glyphs, keys, around):
        return BarLayout(((*first_cells, *told, *sleep),), None, state, None)
    if following := _next_line(status, room, head[2:], glyphs, now=around.news):
        shown = named if following[:1] == head[2:3] else None
        return BarLayout(((*first_cells, *following, *sleep),), None, state, shown)
    line, seek = seek_line(status, room - start, glyphs, 1 if room < 60 else GAP, around)
    return BarLayout(((*head, *line, *sleep),), seek and seek.moved(start + 2), state, named)


def failed(status: PlaybackStatus) -> bool:
    """Whether the bar shows an error."""
    return status.state is PlaybackState.ERROR or (status.state is PlaybackState.PAUSED and bool(status.error))


def _next_line(status: PlaybackStatus, room: int, title: Line, glyphs: Glyphs, *, now: bool) -> Line:
    """The next episode and the time left: after the title if both fit, otherwise in its place.

    () while there is no reason to show it.
    """
    if not now and not _ends_soon(status):
        return ()
    left = "" if status.live else remaining(status, glyphs).strip()
    room -= width(left) + GAP if left else 0
    following = next_words(status, room, glyphs)
    if not following:
        return ()
    beside = next_words(status, room - width_of(title), glyphs)
    before = title if beside == following else ()
    end = " " * (room - width_of(before) - width(following) + GAP) + left if left else ""
    return (*before, Run(following, "text"), Run(end, "text"))


def _ends_soon(status: PlaybackStatus) -> bool:
    if status.state is not PlaybackState.PLAYING or status.live or not status.duration_ms:
        return False
    return left_ms(status.duration_ms, status) <= _ENDS_SOON_MS


__all__ = ["Around", "BarLayout", "Keys", "lay_out"]

ROWS = 3
"""The rows of a bar that shows everything except the waveform."""

_NOTHING_ELSE = Around()


def lay_out(
    status: PlaybackStatus, columns: int, rows: int, glyphs: Glyphs, keys: Keys, around: Around = _NOTHING_ELSE
) -> BarLayout:
    """The bar in `columns` × `rows` cells.

    One row shows everything in brief; an error may take two. Two rows have a seek bar over the whole width, and the
    chapter beside the title; three have it on a row of its own, with what comes next; further rows have the waveform
    above the seek bar.
    """
    room = max(1, columns - MARGIN - (MARGIN if columns >= 60 else 1))
    if status.episode is None:
        words = nothing_playing(room, glyphs, keys, playable=around.playable)
        layout = BarLayout((*[()] * (min(rows, ROWS) // 2), words))
    elif rows < 2 or (rows == 2 and failed(status) and width_of(sentence(status, room, glyphs, keys)) > room - 2):
        layout = one_line(status, room, rows, glyphs, keys, around)
    else:
        layout = _rows(status, room, rows, glyphs, keys, around)
    return indented(layout, MARGIN)


def _rows(status: PlaybackStatus, room: int, rows: int, glyphs: Glyphs, keys: Keys, around: Around) -> BarLayout:
    top = head(status, room, glyphs, keys, around, alone=rows < ROWS)
    line, seek = seek_line(status, room, glyphs, GAP, around, wide=True)
    if rows < ROWS and (failed(status) or status.state in _SAYS_WHY):
        line, seek = indent(in_rows(sentence(status, room - 2, glyphs, keys), room - 2, 1, glyphs)[0], 2), None
    elif rows < ROWS and all(run.role != "key" for run in top.lines[0]):
        # Where the title leaves no room for it, what is asked about a segment takes the place of the seek bar.
        told = of_segments(status, room - 2, glyphs, keys, around)
        line, seek = (indent(told, 2), None) if told else (line, seek)
    below: list[Line] = []
    if rows >= ROWS:
        words = last_row(status, room - 2, glyphs, keys, around)
        below = [indent(words, 2)]
        if width_of(words) > room - 2:
            # A long error takes the place of the seek bar too.
            first, *more = in_rows(words, room - 2, 2, glyphs)
            line, seek, below = indent(first, 2), None, [indent(one, 2) for one in more]
    above: tuple[Line, ...] = ()
    if rows > ROWS:
        above = ((),) * (rows - ROWS)
        if seek:
            waves = waveform(seek.cells, rows - ROWS, around.wave, around.track(status), glyphs)
            above = tuple(indent(one, seek.start) for one in waves) or above
    lines = (*top.lines, *above, line, *below)
    return replace(top, lines=lines, seek=seek and replace(seek, row=1, rows=1 + len(above)))


_SAYS_WHY = (PlaybackState.BUFFERING, PlaybackState.OPENING)
"""The states in which a bar of two rows says what it is waiting for, in place of the seek bar, as it does with an
error."""
