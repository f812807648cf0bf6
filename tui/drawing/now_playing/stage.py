"""What Now playing shows above the player bar, from 30x8 cells to as many as there are. Pure."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from player.artwork.cover_art import CoverArt
from player.model.chapters import Chapter, Chapters
from player.model.episode import Episode
from player.model.transcript import Transcript
from player.text.directions import PDI, RLI, without_marks
from player.text.durations import clock
from player.text.sentences import _
from player.text.times_in_text import time_link
from tui.drawing.cells import cut, fit, steady, width
from tui.drawing.now_playing.transcript import current_words, said
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.drawing.scripts.paragraphs import is_of_right_to_left
from tui.look.glyphs import Glyphs

_WIDE, _WIDE_ROWS = 96, 14
"""From so many columns and rows on, the cover and the title are on the left and the text on the right."""
_LEAST_LEFT, _MOST_LEFT = 24, 56
_MOST_TEXT = 84
_THREE = 190
"""From so many columns on, transcript and chapters have columns of their own."""
_GAP = 6
_TITLE_ROWS = 3
_COVER_ROWS = 4
_LOW, _BAR_WITH_TIME = 10, 40
_MOST_STACKED = 76


class Playing(Struct, frozen=True):
    """What is shown. `chapter` is the current one and `cursor` the one under the cursor, as indexes of the listed ones;
    `line` is the current line of the transcript. `words`: why there is no transcript yet. `following` says what plays
    next, `facts` are the date and the length; `voices` as `voices_of` has them. `time` is the position, for a screen
    whose player bar has no room for it (`needs_time`).
    """

    episode: Episode | None = None
    facts: str = ""
    hue: int = 0
    art: CoverArt | None = None
    chapters: Chapters = Chapters()
    chapter: int | None = None
    cursor: int | None = None
    transcript: Transcript | None = None
    line: int | None = None
    voices: Mapping[str, int] = field(default_factory=dict)
    words: str = ""
    following: str = ""
    hint: str = ""
    time: str = ""


class Stage(Struct, frozen=True):
    """The lines, as many as there are rows; and where the cover is: its first row and column, its columns and rows."""

    lines: tuple[Line, ...]
    cover: tuple[int, int, int, int] | None = None


def needs_time(columns: int, rows: int) -> bool:
    """Whether the player bar of so small a screen shows no time."""
    return rows < _LOW and columns < _BAR_WITH_TIME


def lay_out(playing: Playing, columns: int, rows: int, glyphs: Glyphs, *, covers: bool = True) -> Stage:
    """`covers`: whether there are covers on this terminal."""
    if rows <= 0 or columns <= 0:
        return Stage(())
    if playing.episode is None:
        return _nothing(playing, columns, rows, glyphs)
    covers = covers and playing.art is not None
    texts = bool(playing.chapters.listed) or _follows(playing) or bool(playing.words)
    if columns >= _WIDE and rows >= _WIDE_ROWS and texts:
        return _wide(playing, columns, rows, glyphs, covers=covers)
    return _stacked(playing, columns, rows, glyphs, covers=covers)


# -- two or three columns -------------------------------------------------------------------------------------


def _wide(playing: Playing, columns: int, rows: int, glyphs: Glyphs, *, covers: bool) -> Stage:
    left = max(_LEAST_LEFT, min(_MOST_LEFT, columns * 3 // 10))
    names = _names(playing, left, glyphs)
    cover_rows = min(left // 2, rows - len(names) - 3) if covers else 0
    cover_rows = cover_rows if cover_rows >= _COVER_ROWS else 0
    room = columns - left - _GAP - 4
    both = columns >= _THREE and _follows(playing) and bool(playing.chapters.listed)
    text = min(_MOST_TEXT, room)
    third = min(_MOST_TEXT, room - text - _GAP) if both else 0
    total = left + _GAP + text + (third + _GAP if third else 0)
    start = max(2, (columns - total) // 2)
    block: list[Line] = [*[()] * cover_rows, *([()] if cover_rows else []), *names][: rows - 2]
    top = (rows - len(block)) // 2
    height = rows - 2
    parts = [_texts(playing, text, height, glyphs, chapters=not both)]
    if both:
        parts.append(_centred(_chapters(playing, third, height, glyphs), height))
    lines: list[Line] = []
    for row in range(rows):
        pieces: list[Run] = [Run(" " * start)]
        pieces += block[row - top] if top <= row < top + len(block) else ()
        at = start + left + _GAP
        for part, cells in zip(parts, (text, third), strict=False):
            line = part[row - 1] if 1 <= row <= len(part) else ()
            if line:
                pieces += [Run(" " * (at - width_of(pieces))), *line]
            at += cells + _GAP
        lines.append(tuple(pieces))
    return Stage(tuple(lines), (top, start, 2 * cover_rows, cover_rows) if cover_rows else None)


def _texts(playing: Playing, columns: int, rows: int, glyphs: Glyphs, *, chapters: bool) -> list[Line]:
    """The transcript with the chapters below it; or the one that there is, in the middle."""
    listed = playing.chapters.listed if chapters else ()
    if not _follows(playing):
        words = wrap([Run(playing.words, "muted")], columns) if playing.words else []
        under = [*([()] if words else []), *words]
        shown = _chapters(playing, columns, rows - len(under), glyphs) if playing.chapters.listed else []
        return _centred([*shown, *under] if shown else words, rows)
    if not listed:
        return _spoken(playing, columns, rows)
    below = min(len(listed), max(3, rows // 3))
    shown = _chapters(playing, columns, below, glyphs)
    return [*_spoken(playing, columns, rows - len(shown) - 1), (), *shown]


# -- one column -----------------------------------------------------------------------------------------------


def _stacked(playing: Playing, columns: int, rows: int, glyphs: Glyphs, *, covers: bool) -> Stage:
    cells = min(_MOST_STACKED, columns - 4)
    start = (columns - cells) // 2
    if rows < _LOW:
        return Stage(tuple(_indented(_low(playing, columns - 4, rows, glyphs), 2, rows)))
    names = _names(playing, cells, glyphs)
    listed = len(playing.chapters.listed)
    wanted = 6 if _follows(playing) or listed or playing.words else 0
    cover_rows = min(cells // 2, rows - len(names) - 4 - wanted, rows // 2) if covers else 0
    cover_rows = cover_rows if cover_rows >= _COVER_ROWS else 0
    block: list[Line] = [*[()] * cover_rows, *([()] if cover_rows else []), *(_middle(one, cells) for one in names)]
    block = block[: rows - 2]
    room = rows - len(block) - 3
    text = _texts(playing, cells, room, glyphs, chapters=room >= 14) if room > 2 and wanted else []
    lines = [*block, *([(), *text] if text else [])]
    top = (rows - len(lines)) // 2
    lines = [*[()] * top, *lines]
    cover = (top, (columns - 2 * cover_rows) // 2, 2 * cover_rows, cover_rows) if cover_rows else None
    return Stage(tuple(_indented(lines, start, rows)), cover)


def _low(playing: Playing, columns: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """The essentials, the most important first: title, podcast, chapter, what is said, what is next."""
    assert playing.episode
    episode = playing.episode
    lines: list[Line] = [(Run(cut(steady(episode.title), columns, glyphs.ellipsis), "title"),)]
    podcast = cut(steady(episode.podcast), columns - 2, glyphs.ellipsis)
    lines.append((Run(f"{glyphs.cursor} ", f"hue-{playing.hue}"), Run(podcast, "muted")))
    if playing.chapter is not None:
        listed = playing.chapters.listed
        which = _("{n} of {total}", n=playing.chapter + 1, total=len(listed))
        title = cut(steady(listed[playing.chapter].title), columns - width(which) - 2, glyphs.ellipsis)
        lines.append((Run(title), Run(f"  {which}", "muted")))
    if playing.time:
        lines.append((Run(playing.time, "muted"),))
    if playing.transcript is not None:
        lines += current_words(playing.transcript, playing.line, columns)[: max(0, rows - len(lines) - 1)]
    if playing.following:
        lines.append((Run(cut(playing.following, columns, glyphs.ellipsis), "muted"),))
    return lines[:rows]


# -- parts ----------------------------------------------------------------------------------------------------


def _names(playing: Playing, columns: int, glyphs: Glyphs) -> list[Line]:
    """Title, podcast, date and length, and what plays next."""
    assert playing.episode
    title = wrap([Run(steady(playing.episode.title), "title")], columns)
    if len(title) > _TITLE_ROWS:
        *title, last = title[:_TITLE_ROWS]
        title.append(_cut_off(last, columns, glyphs.ellipsis))
    podcast = cut(steady(playing.episode.podcast), columns - 2, glyphs.ellipsis)
    lines = [*title, (Run(f"{glyphs.cursor} ", f"hue-{playing.hue}"), Run(podcast))]
    if playing.facts:
        lines.append((Run(cut(playing.facts, columns, glyphs.ellipsis), "muted"),))
    if playing.following:
        lines += [(), (Run(cut(playing.following, columns, glyphs.ellipsis), "muted"),)]
    return lines


def _cut_off(line: Line, columns: int, ellipsis: str) -> Line:
    """A line of a title that goes on: at the side at which its readers look for it."""
    text = f"{without_marks(''.join(run.text for run in line)).strip()} {ellipsis}"
    if not is_of_right_to_left(line):
        return (Run(cut(text, columns, ellipsis), "title"),)
    text = cut(f"{RLI}{text}{PDI}", columns, ellipsis)
    return (Run(" " * (columns - width(text))), Run(text, "title"))


def _follows(playing: Playing) -> bool:
    """Whether there is a transcript that goes along with playback."""
    return playing.transcript is not None and playing.transcript.timed


def _spoken(playing: Playing, columns: int, rows: int) -> list[Line]:
    assert playing.transcript is not None
    return said(playing.transcript, playing.line, playing.voices, columns, rows)


def _chapters(playing: Playing, columns: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """The chapters around the current one, or around the cursor; a click on one plays from there."""
    listed = playing.chapters.listed
    middle = playing.cursor if playing.cursor is not None else playing.chapter or 0
    first = max(0, min(middle - rows // 2, len(listed) - rows))
    cells = max((len(clock(one.start_ms)) for one in listed), default=0)
    return [
        _chapter(playing, index, listed[index], cells, columns, glyphs)
        for index in range(first, min(len(listed), first + rows))
    ]


def _chapter(playing: Playing, index: int, chapter: Chapter, cells: int, columns: int, glyphs: Glyphs) -> Line:
    link = time_link(chapter.start_ms)
    now, at = index == playing.chapter, index == playing.cursor
    mark = Run(glyphs.cursor if at else glyphs.playing if now else " ", "focus" if at else "time")
    role = "bold" if now else "said" if playing.chapter is not None and index < playing.chapter else ""
    title = fit(steady(chapter.title), max(1, columns - cells - 4), ellipsis=glyphs.ellipsis)
    line = (mark, Run(f" {clock(chapter.start_ms).rjust(cells)}  ", "muted", link), Run(title, role, link))
    return tuple(run._replace(role=f"{run.role} selected".strip()) for run in line) if at else line


def _nothing(playing: Playing, columns: int, rows: int, glyphs: Glyphs) -> Stage:
    """In the middle: that nothing plays, and what to do about it."""
    cells = max(1, min(_MOST_STACKED, columns - 4))
    sign: list[Line] = [(Run(glyphs.playing, "muted"),), ()]
    words = [*wrap([Run(_("Nothing is playing"), "title")], cells), *wrap([Run(playing.hint, "muted")], cells)]
    lines = [_middle(line, cells) for line in ([*sign, *words] if rows >= _LOW // 2 else words)][:rows]
    top = (rows - len(lines)) // 2
    return Stage(tuple(_indented([*[()] * top, *lines], (columns - cells) // 2, rows)))


# -- lines ----------------------------------------------------------------------------------------------------


def _middle(line: Line, cells: int) -> Line:
    return (Run(" " * max(0, (cells - width_of(line)) // 2)), *line)


def _centred(lines: Sequence[Line], rows: int) -> list[Line]:
    return [*[()] * max(0, (rows - len(lines)) // 2), *lines][: max(0, rows)]


def _indented(lines: Sequence[Line], cells: int, rows: int) -> list[Line]:
    """As many lines as there are rows."""
    found: list[Line] = [(Run(" " * cells), *line) if line else () for line in lines][:rows]
    return found + [()] * (rows - len(found))
