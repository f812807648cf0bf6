"""The player bar as lines of text with roles. Pure: a status and a size in, lines out."""

from collections.abc import Mapping
from math import ceil

from msgspec import Struct

from player.model.chapters import Chapters
from player.model.playback import NextFrom, PlaybackState, PlaybackStatus
from player.text.durations import clock
from player.text.sentences import _, mark, translate
from tui.drawing.cells import cut, steady, width
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.drawing.seek_bar import seek_bar
from tui.drawing.sleep import left_words
from tui.look.glyphs import Glyphs

Keys = Mapping[str, str]
"""Returns how the key of an action is written, given the action's id."""

_NO_CHAPTERS = Chapters()
_MARGIN = 2
_GAP = 2
_APART = "   "
_LEAST_TITLE = 12
_LEAST_NEXT = 16
_ENDS_SOON_MS = 20_000
"""How long before the end the next episode replaces the seek bar, if the player bar has only one line."""
_WHY_NEXT = {NextFrom.QUEUE: mark("from queue"), NextFrom.LIST: mark("this list continues")}
_LONGEST_SENTENCE = 1_000
"""Characters of an error's text: more than fit in any bar."""
_ROOM_FOR_TOTAL = 56


class Span(Struct, frozen=True):
    """Cells of one line."""

    row: int
    start: int
    cells: int

    def holds(self, column: int, row: int) -> bool:
        return row == self.row and self.start <= column < self.start + self.cells


class BarLayout(Struct, frozen=True):
    """The lines, and in which cells the seek bar (None: nothing to seek in), the state glyph and the title are."""

    lines: tuple[Line, ...]
    seek: Span | None = None
    state: Span | None = None
    title: Span | None = None


class Around(Struct, frozen=True):
    """What the bar shows besides the status.

    `pointed_ms` is the position under the mouse, None while it is elsewhere; `playable`: the selected row is an episode
    that can be played; `bookmarks`: their positions, in ms; `news`: the next episode has just changed.
    """

    chapters: Chapters = _NO_CHAPTERS
    pointed_ms: int | None = None
    playable: bool = True
    bookmarks: tuple[int, ...] = ()
    news: bool = False


_NOTHING_ELSE = Around()


def lay_out(
    status: PlaybackStatus, columns: int, rows: int, glyphs: Glyphs, keys: Keys, around: Around = _NOTHING_ELSE
) -> BarLayout:
    """The bar in `columns` × `rows` cells: one row, two for an error that doesn't fit in one, or three and more."""
    room = max(1, columns - _MARGIN - (_MARGIN if columns >= 60 else 1))
    if status.episode is None:
        layout = _nothing(room, rows, glyphs, keys, playable=around.playable)
    elif rows < 3:
        layout = _one_line(status, room, rows, glyphs, keys, around)
    else:
        layout = _three_lines(status, room, glyphs, keys, around)
    return _indented(layout, _MARGIN)


# -- three lines ----------------------------------------------------------------------------------------------


def _three_lines(status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys, around: Around) -> BarLayout:
    head, title = _head(status, room, glyphs)
    seek_line, seek = _seek_line(status, room, glyphs, _GAP, 1, around, total=room >= _ROOM_FOR_TOTAL)
    words = _third_line(status, room - 2, glyphs, keys, around)
    state = Span(0, 0, 2)
    if width_of(words) <= room - 2:
        return BarLayout((head, seek_line, _indent(words, 2)), seek, state, title)
    rows = _in_rows(words, room - 2, 2, glyphs)
    return BarLayout((head, *(_indent(row, 2) for row in rows)), None, state, title)


def _third_line(status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys, around: Around) -> Line:
    """The time and chapter under the mouse; or a sentence about the state or the current chapter, and what is next."""
    if around.pointed_ms is not None:
        time = Run(f"{clock(around.pointed_ms)}  ", "text")
        return (time, *_chapter(around.pointed_ms, room - width(time.text), glyphs, around.chapters))
    words = _sentence(status, room, glyphs, keys)
    if not words or (status.state is PlaybackState.PAUSED and not status.error and not status.sleep.slept):
        chapter = _chapter(status.position_ms, room, glyphs, around.chapters)
        hint = _hint(_("{pause} resumes"), keys) if words else ()
        if chapter:
            roomy = hint and width_of(chapter) + len(_APART) + width_of(hint) <= room
            words = (*chapter, Run(_APART), *hint) if roomy else chapter
    return _with_next(words, status, room, glyphs)


def _with_next(words: Line, status: PlaybackStatus, room: int, glyphs: Glyphs) -> Line:
    """What is next and why, at the right end, if there is room."""
    following = _next_words(status, room - (width_of(words) + len(_APART) if words else 0), glyphs)
    if not following:
        return words
    gap = room - width_of(words) - width(following) if words else 0
    return (*words, Run(" " * gap), Run(following, "muted")) if gap else (Run(following, "muted"),)


def _next_words(status: PlaybackStatus, room: int, glyphs: Glyphs) -> str:
    """What is next, and why if there is room for that; "" if nothing is next, or there is no room."""
    if status.next_up is None or status.error or status.sleep.nothing_follows:
        return ""
    why = translate(_WHY_NEXT[status.next_up.source])
    for frame in (f"{_('Next: {title}')} {glyphs.dot} {why}", _("Next: {title}")):
        title = cut(steady(status.next_up.episode.title), room - width(frame.format(title="")), glyphs.ellipsis)
        if width(title) >= min(_LEAST_NEXT, width(status.next_up.episode.title)):
            return frame.format(title=title)
    return ""


def _head(status: PlaybackStatus, room: int, glyphs: Glyphs) -> tuple[Line, Span]:
    """The state, the title, the podcast; on the right speed and volume, if they aren't normal.

    And the title's cells.
    """
    assert status.episode
    shown = [*_sleep(status, glyphs), *_settings(status, glyphs)]
    while shown and room - 2 - _GAP - width("   ".join(shown)) < _LEAST_TITLE:
        shown.pop()
    right = "   ".join(shown)
    space = room - 2 - (width(right) + _GAP if right else 0)
    title = cut(status.episode.title, space, glyphs.ellipsis)
    pieces = [_sign(status, glyphs), Run(" "), Run(title, "title")]
    space -= width(title)
    podcast = cut(status.episode.podcast, space - _GAP, glyphs.ellipsis)
    if podcast and space - _GAP >= min(10, width(status.episode.podcast)):
        pieces += [Run(" " * _GAP), Run(podcast, "muted")]
        space -= _GAP + width(podcast)
    named = Span(0, 2, width_of(pieces[2:]))
    if right:
        pieces += [Run(" " * (space + _GAP)), Run(right, "muted")]
    return tuple(pieces), named


def _chapter(position_ms: int, room: int, glyphs: Glyphs, chapters: Chapters) -> Line:
    """The chapter at a position, its number, and how many there are."""
    chapter = chapters.at(position_ms)
    if chapter is None or not chapter.title:
        return ()
    listed = chapters.listed
    which = _("{n} of {total}", n=listed.index(chapter) + 1, total=len(listed)) if chapter in listed else ""
    gap = 2 if which else 0
    title = cut(steady(chapter.title), room - gap - width(which), glyphs.ellipsis)
    return tuple(piece for piece in (Run(title, "text"), Run(" " * gap), Run(which, "muted")) if piece.text)


def _seek_line(
    status: PlaybackStatus, room: int, glyphs: Glyphs, gap: int, row: int, around: Around, *, total: bool = False
) -> tuple[Line, Span | None]:
    """`total`: show the duration next to the position."""
    elapsed, remaining = _elapsed(status, total=total), _remaining(status, glyphs)
    if status.live:
        return (Run(elapsed, "text"), Run(" " * gap), Run(_("live"), "alive")), None
    cells = room - width(elapsed) - gap - (width(remaining) + gap if remaining else 0)
    marks = (one.start_ms for one in around.chapters.listed)
    bar = seek_bar(cells, status.position_ms, status.duration_ms, status.cached, glyphs, marks, around.bookmarks)
    pieces = [Run(elapsed, "text"), Run(" " * gap), *bar]
    if remaining:
        pieces += [Run(" " * gap), Run(remaining, "text")]
    seek = Span(row, width(elapsed) + gap, cells) if status.duration_ms and cells > 1 else None
    return tuple(pieces), seek


# -- one line -------------------------------------------------------------------------------------------------


def _one_line(status: PlaybackStatus, room: int, rows: int, glyphs: Glyphs, keys: Keys, around: Around) -> BarLayout:
    """The state, the title, and on the right the seek bar, as wide as the title.

    Instead, an error in `rows` rows; or, briefly and near the end, what is next.
    """
    assert status.episode
    sign = (_sign(status, glyphs), Run(" "))
    state = Span(0, 0, 2)
    room -= 2
    asleep = tuple(Run(f" {words}", "muted") for words in _sleep(status, glyphs))
    if room - width_of(asleep) < _LEAST_TITLE:
        asleep = ()
    if status.state is PlaybackState.ERROR or (status.state is PlaybackState.PAUSED and status.error):
        first, *more = _in_rows(_sentence(status, room, glyphs, keys), room, rows, glyphs)
        return BarLayout(((*sign, *first), *(_indent(line, 2) for line in more)), None, state)
    room -= width_of(asleep)
    title_cells = min(room - 20, room // 2)
    if title_cells < 8:
        only = Run(cut(status.episode.title, room, glyphs.ellipsis), "title")
        return BarLayout(((*sign, only, *asleep),), None, state)
    title = cut(status.episode.title, title_cells, glyphs.ellipsis)
    named = Span(0, 2, width(title))
    start = width(title) + _GAP
    head = (*sign, Run(title, "title"), Run(" " * _GAP))
    if status.state is PlaybackState.BUFFERING:
        words = _sentence(status, room - start, glyphs, keys)
        return BarLayout(((*head, *_in_rows(words, room - start, 1, glyphs)[0]),), None, state, named)
    if following := _next_line(status, room, head[2:], glyphs, now=around.news):
        return BarLayout(((*sign, *following, *asleep),), None, state, named if following[:1] == head[2:3] else None)
    seek_line, seek = _seek_line(status, room - start, glyphs, 1 if room < 60 else _GAP, 0, around)
    seek = seek and Span(0, seek.start + start + 2, seek.cells)
    return BarLayout(((*head, *seek_line, *asleep),), seek, state, named)


def _next_line(status: PlaybackStatus, room: int, title: Line, glyphs: Glyphs, *, now: bool) -> Line:
    """What is next, and the time left: after the title if all of it fits, otherwise in its place.

    () while there is no reason to show it.
    """
    if not now and not _ends_soon(status):
        return ()
    remaining = "" if status.live else _remaining(status, glyphs).strip()
    room -= width(remaining) + _GAP if remaining else 0
    following = _next_words(status, room, glyphs)
    if not following:
        return ()
    beside = _next_words(status, room - width_of(title), glyphs)
    before = title if beside == following else ()
    end = " " * (room - width_of(before) - width(following) + _GAP) + remaining if remaining else ""
    return (*before, Run(following, "text"), Run(end, "text"))


def _ends_soon(status: PlaybackStatus) -> bool:
    if status.state is not PlaybackState.PLAYING or status.live or not status.duration_ms:
        return False
    return (status.duration_ms - status.position_ms) / status.speed <= _ENDS_SOON_MS


# -- words ----------------------------------------------------------------------------------------------------


def _nothing(room: int, rows: int, glyphs: Glyphs, keys: Keys, *, playable: bool) -> BarLayout:
    nothing = _("Nothing playing")
    hints = (_("press {play} to play the selected episode"), _("{play} plays")) if playable else ()
    sentences = (*(f"{nothing} {glyphs.dot} {hint}" for hint in hints), nothing)
    words = next((line for sentence in sentences if width_of(line := _hint(sentence, keys)) <= room), ())
    return BarLayout(((), words) if rows >= 3 else (words,))


def _sentence(status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys) -> Line:
    """A sentence about the state; () if there is nothing to say."""
    match status.state:
        case PlaybackState.ERROR:
            return (
                *_error(status.error or _("This episode can't be played"), glyphs),
                *_hint(_("{play} tries again."), keys),
            )
        case PlaybackState.OPENING:
            return (Run(_("Opening") + glyphs.ellipsis, "muted"),)
        case PlaybackState.BUFFERING:
            fitting = (text for text in _waiting(status, glyphs) if width(text) <= room)
            return (Run(next(fitting, _("Waiting") + glyphs.ellipsis), "muted"),)
        case PlaybackState.PAUSED if status.error:
            return (*_error(status.error, glyphs), *_hint(_("{pause} resumes."), keys))
        case PlaybackState.PAUSED | PlaybackState.ENDED if status.sleep.slept:
            words = [_("Sleep timer"), _("{undo_jump} returns to where it started"), _("{pause} resumes")]
            shown = words if status.state is PlaybackState.PAUSED else words[:2]
            return _hint(f" {glyphs.dot} ".join(shown), keys)
        case PlaybackState.PAUSED if status.position_ms:
            return _hint(f"{_('Paused')} {glyphs.dot} {_('{pause} resumes')}", keys)
        case PlaybackState.PAUSED | PlaybackState.STOPPED:
            return _hint(_("Press {pause} to play"), keys)
        case PlaybackState.ENDED:
            return (Run(_("Finished"), "muted"),)
        case PlaybackState.PLAYING if status.clip:
            return _hint(f"{_('Clip')} {glyphs.dot} {_('{undo_jump} returns')}", keys)
        case PlaybackState.PLAYING:
            return ()


def _error(sentence: str, glyphs: Glyphs) -> Line:
    error = steady(sentence[:_LONGEST_SENTENCE])
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


def _hint(text: str, keys: Keys) -> Line:
    """A muted sentence in which `{id}` stands for the key of that action."""
    pieces: list[Run] = []
    for index, part in enumerate(text.replace("}", "{").split("{")):
        if part:
            pieces.append(Run(keys.get(part, part), "key") if index % 2 else Run(part, "muted"))
    return tuple(pieces)


def _sign(status: PlaybackStatus, glyphs: Glyphs) -> Run:
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


def _sleep(status: PlaybackStatus, glyphs: Glyphs) -> list[str]:
    """What is left of the sleep timer, and whether it stops playback after this episode."""
    words = [f"{glyphs.sleep} {left}"] if (left := left_words(status.sleep)) else []
    return [*words, _("{sign} after this", sign=glyphs.stopped)] if status.sleep.stops_after else words


def _settings(status: PlaybackStatus, glyphs: Glyphs) -> list[str]:
    words = []
    if round(status.speed, 2) != 1:
        words.append(f"{round(status.speed, 2):g}{glyphs.times}")
    if status.volume == 0:
        words.append(_("muted"))
    elif status.volume != 100:
        words.append(_("vol {volume}", volume=status.volume))
    return words


def _elapsed(status: PlaybackStatus, *, total: bool) -> str:
    """Padded to its greatest width, so that the seek bar doesn't move."""
    longest = clock(max(status.duration_ms or 0, status.position_ms))
    of = f" / {clock(status.duration_ms)}" if total and status.duration_ms else ""
    return (clock(status.position_ms) + of).ljust(len(longest) + len(of))


def _remaining(status: PlaybackStatus, glyphs: Glyphs) -> str:
    """How long the rest takes at the current speed."""
    if not status.duration_ms:
        return ""
    left_s = ceil(max(0, status.duration_ms - status.position_ms) / status.speed / 1000)
    sign = (glyphs.about if status.approximate else "") + glyphs.minus if left_s else ""
    widest = len(glyphs.about + glyphs.minus if status.approximate else glyphs.minus) + len(clock(status.duration_ms))
    return (sign + clock(left_s * 1000)).rjust(widest)


# -- lines ----------------------------------------------------------------------------------------------------


def _in_rows(words: Line, cells: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """The sentence in at most `rows` rows. If it is too long, its first part is shortened, so that the advice stays."""
    room = min(width_of(words[:1]), rows * cells)
    if width_of(words[:1]) > room:
        words = (Run(cut(words[0].text, room, glyphs.ellipsis) + " ", words[0].role), *words[1:])
    wrapped = wrap(words, cells)
    while len(wrapped) > rows and room > 4:
        room -= 2
        shorter = Run(cut(words[0].text.rstrip(), room, glyphs.ellipsis) + " ", words[0].role)
        wrapped = wrap((shorter, *words[1:]), cells)
    return wrapped[:rows]


def _indent(line: Line, cells: int) -> Line:
    return (Run(" " * cells), *line) if line else ()


def _indented(layout: BarLayout, margin: int) -> BarLayout:
    seek, state, title = layout.seek, layout.state, layout.title
    return BarLayout(
        tuple(_indent(line, margin) for line in layout.lines),
        seek and Span(seek.row, seek.start + margin, seek.cells),
        state and Span(state.row, 0, state.start + state.cells + margin),
        title and Span(title.row, title.start + margin, title.cells),
    )
