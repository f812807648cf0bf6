"""The layout of Now playing above the player bar, from 30x8 cells up: the cover, the title, the chapters, the
transcript."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from player.artwork.picture import CoverArt
from player.model.episode import Chapter, Chapters, Episode, Transcript, TranscriptLine
from player.text.directions import PDI, RLI, without_marks
from player.text.durations import clock
from player.text.sentences import _
from player.text.times import time_link
from tui.drawing.cells import cut, fit, steady, width
from tui.drawing.line_ends import is_of_right_to_left
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.look.colours import hue_of
from tui.look.glyphs import Glyphs

VOICES = 8
_CALM = 12
"""With this many rows, there are empty lines between the lines of the transcript."""


def voices_of(transcript: Transcript) -> dict[str, int]:
    """The number of each speaker's voice, in the order of their first words."""
    names = dict.fromkeys(line.speaker for line in transcript.lines if line.speaker)
    return {name: number % VOICES for number, name in enumerate(names)}


def said(
    transcript: Transcript,
    at: int | None,
    voices: Mapping[str, int],
    columns: int,
    rows: int,
    word: tuple[int, int] | None = None,
) -> list[Line]:
    """The transcript in exactly `rows` lines, with the current one (`at`; None: before the first) a little above the
    middle.

    Past lines are dim; the current one is bold, on a background over the whole width, with the current `word` marked.
    """
    if rows <= 0:
        return []
    gap = rows >= _CALM
    now = _current(transcript, at, voices, columns, word, named=True) if at is not None else []
    if at is not None and len(now) > rows:
        now = _current(transcript, at, voices, columns, word, named=False)[:rows]
    above = max(0, (rows - len(now)) * 2 // 5)
    before: list[Line] = []
    index = (at if at is not None else 0) - 1
    while index >= 0 and len(before) < above:
        before = [*_other(transcript, index, voices, columns, "said"), *[()] * gap, *before]
        index -= 1
    before = before[max(0, len(before) - above) :]
    if at is not None and now and _goes_on(transcript, at) and any(_is_name(line) for line in before):
        now = _current(transcript, at, voices, columns, word, named=False)[:rows]
    before = [()] * (above - len(before)) + before
    after: list[Line] = []
    room = rows - above - len(now)
    index = at + 1 if at is not None else 0
    while index < len(transcript.lines) and len(after) < room:
        after += [*[()] * (gap and (bool(after) or bool(now))), *_other(transcript, index, voices, columns, "")]
        index += 1
    after = after[:room]
    if after and _is_name(after[-1]):
        after.pop()
    return [*before, *now, *after, *[()] * (room - len(after))]


def spoken_runs(line: TranscriptLine, word: tuple[int, int] | None, role: str = "", href: str = "") -> list[Run]:
    """The text of a line with the word marked that is being said; `word` says where it begins and ends."""
    if word is None:
        return [Run(steady(line.text), role, href)]
    begin, end = word
    parts = (line.text[:begin], role), (line.text[begin:end], f"{role} word".strip()), (line.text[end:], role)
    return [Run(without_marks(steady(text)), one, href) for text, one in parts if text]


def current_words(
    transcript: Transcript, at: int | None, columns: int, word: tuple[int, int] | None = None
) -> list[Line]:
    """Only the current line of the transcript."""
    return wrap(spoken_runs(transcript.lines[at], word, "bold"), columns) if at is not None else []


def _current(
    transcript: Transcript,
    at: int,
    voices: Mapping[str, int],
    columns: int,
    word: tuple[int, int] | None,
    *,
    named: bool,
) -> list[Line]:
    line = transcript.lines[at]
    inside = max(1, columns - 2)
    names = _name(line, voices, inside) if named else []
    lines: list[Line] = [(Run(f" {text}", f"{role} spoken", href),) for text, role, href in names]
    lines += [(Run(" ", "spoken"), *words) for words in wrap(spoken_runs(line, word, "spoken", _link(line)), inside)]
    return [(*one, Run(" " * (columns - width_of(one)), "spoken")) for one in lines]


def _other(transcript: Transcript, index: int, voices: Mapping[str, int], columns: int, role: str) -> list[Line]:
    line = transcript.lines[index]
    names = [] if _goes_on(transcript, index) else _name(line, voices, max(1, columns - 2))
    lines: list[Line] = [(Run(" "), name) for name in names]
    return lines + [
        (Run(" "), *words) for words in wrap([Run(steady(line.text), role, _link(line))], max(1, columns - 2))
    ]


def _goes_on(transcript: Transcript, index: int) -> bool:
    """Whether a line has the same speaker as the line before it."""
    return index > 0 and transcript.lines[index].speaker == transcript.lines[index - 1].speaker


def _is_name(line: Line) -> bool:
    return any(run.role.startswith("voice-") for run in line)


def _name(line: TranscriptLine, voices: Mapping[str, int], columns: int) -> list[Run]:
    if not line.speaker:
        return []
    return [Run(cut(steady(line.speaker), columns), f"voice-{voices.get(line.speaker, 0) + 1}")]


def _link(line: TranscriptLine) -> str:
    return "" if line.start_ms is None else time_link(line.start_ms)


_WIDE, _WIDE_ROWS = 96, 14
"""From this many columns and rows on, the cover and the title are on the left and the text on the right."""
_LEAST_LEFT, _MOST_LEFT = 24, 56
_MOST_TEXT = 84
_THREE = 190
"""From this many columns on, transcript and chapters have columns of their own."""
_GAP = 6
_TITLE_ROWS = 3
_COVER_ROWS = 4
_LOW, _BAR_WITH_TIME = 10, 40
_ROOM_FOR_HEADING = 4
"""Chapters that leave fewer rows than these need no heading: they are all that is on the page."""
_MOST_STACKED = 76


class Playing(Struct, frozen=True):
    """The contents of the page. `chapter` and `cursor` are the current chapter and the one under the cursor, as indices
    of the listed ones; `line` is the current line of the transcript, `word` where the current word begins and ends in
    it. `words` say why there is no transcript yet.
    `following` says what plays next, `facts` are the date and the length; `voices` are the result of `voices_of`.
    `time` is the position, for a screen whose player bar has no room for it (`needs_time`)."""

    episode: Episode | None = None
    facts: str = ""
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
    word: tuple[int, int] | None = None


class Stage(Struct, frozen=True):
    """The lines, one for each row, and the place of the cover: its first row and column, its columns and rows."""

    lines: tuple[Line, ...]
    cover: tuple[int, int, int, int] | None = None


def needs_time(columns: int, rows: int) -> bool:
    """Whether the player bar of a screen of this size shows no time."""
    return rows < _LOW and columns < _BAR_WITH_TIME


def lay_out(playing: Playing, columns: int, rows: int, glyphs: Glyphs, *, covers: bool = True) -> Stage:
    """Lays out the page. `covers`: whether this terminal shows covers."""
    if rows <= 0 or columns <= 0:
        return Stage(())
    if playing.episode is None:
        return _nothing(playing, columns, rows, glyphs)
    covers = covers and playing.art is not None
    texts = bool(playing.chapters.listed) or _follows(playing) or bool(playing.words)
    if columns >= _WIDE and rows >= _WIDE_ROWS and texts and not glyphs.spoken:
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
        parts.append(_centred(_headed(_chapters(playing, third, height, glyphs), height), height))
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
    """The transcript with the chapters below it; if there is only one of them, that one, vertically centred."""
    listed = playing.chapters.listed if chapters else ()
    if not _follows(playing):
        words = wrap([Run(playing.words, "muted")], columns) if playing.words else []
        under = [*([()] if words else []), *words]
        shown = _chapters(playing, columns, rows - len(under), glyphs) if playing.chapters.listed else []
        return _centred([*_headed(shown, rows - len(under)), *under] if shown else words, rows)
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
    """The essentials, the most important first: title, podcast, chapter, position, transcript, next episode."""
    assert playing.episode
    episode = playing.episode
    lines: list[Line] = [(Run(cut(steady(episode.title), columns, glyphs.ellipsis), "title"),)]
    podcast = cut(steady(episode.podcast), columns - 2, glyphs.ellipsis)
    lines.append((_stripe(playing, glyphs), Run(podcast, "muted")))
    if playing.chapter is not None:
        listed = playing.chapters.listed
        which = _("{n} of {total}", n=playing.chapter + 1, total=len(listed))
        title = cut(steady(listed[playing.chapter].title), columns - width(which) - 2, glyphs.ellipsis)
        lines.append((Run(title), Run(f"  {which}", "muted")))
    if playing.time:
        lines.append((Run(playing.time, "muted"),))
    if playing.transcript is not None:
        lines += current_words(playing.transcript, playing.line, columns, playing.word)[: max(0, rows - len(lines) - 1)]
    if playing.following:
        lines.append((Run(cut(playing.following, columns, glyphs.ellipsis), "muted"),))
    return lines[:rows]


# -- parts ----------------------------------------------------------------------------------------------------


def _stripe(playing: Playing, glyphs: Glyphs) -> Run:
    """In the podcast's hue. To a screen reader, the glyph of the cursor is the cursor."""
    assert playing.episode
    return Run(f"{glyphs.hue if glyphs.spoken else glyphs.cursor} ", f"hue-{hue_of(playing.episode.podcast_id)}")


def _names(playing: Playing, columns: int, glyphs: Glyphs) -> list[Line]:
    """Title, podcast, date and length, and the next episode."""
    assert playing.episode
    title = wrap([Run(steady(playing.episode.title), "title")], columns)
    if len(title) > _TITLE_ROWS:
        *title, last = title[:_TITLE_ROWS]
        title.append(_cut_off(last, columns, glyphs.ellipsis))
    podcast = cut(steady(playing.episode.podcast), columns - 2, glyphs.ellipsis)
    lines = [*title, (_stripe(playing, glyphs), Run(podcast))]
    if playing.facts:
        lines.append((Run(cut(playing.facts, columns, glyphs.ellipsis), "muted"),))
    if playing.following:
        lines += [(), (Run(cut(playing.following, columns, glyphs.ellipsis), "muted"),)]
    return lines


def _cut_off(line: Line, columns: int, ellipsis: str) -> Line:
    """The last shown line of a longer title, with an ellipsis at the end of its reading direction."""
    text = f"{without_marks(''.join(run.text for run in line)).strip()} {ellipsis}"
    if not is_of_right_to_left(line):
        return (Run(cut(text, columns, ellipsis), "title"),)
    text = cut(f"{RLI}{text}{PDI}", columns, ellipsis)
    return (Run(" " * (columns - width(text))), Run(text, "title"))


def _follows(playing: Playing) -> bool:
    """Whether there is a transcript with times, which follows playback."""
    return playing.transcript is not None and playing.transcript.timed


def _spoken(playing: Playing, columns: int, rows: int) -> list[Line]:
    assert playing.transcript is not None
    return said(playing.transcript, playing.line, playing.voices, columns, rows, playing.word)


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


def _headed(chapters: list[Line], rows: int) -> list[Line]:
    """The chapters below a heading, if there is room for both."""
    heading: list[Line] = [(Run("  "), Run(_("Chapters").upper(), "muted")), ()]
    return [*heading, *chapters] if len(chapters) + len(heading) <= rows - _ROOM_FOR_HEADING else chapters


def _chapter(playing: Playing, index: int, chapter: Chapter, cells: int, columns: int, glyphs: Glyphs) -> Line:
    link = time_link(chapter.start_ms)
    now, at = index == playing.chapter, index == playing.cursor
    mark = Run(glyphs.cursor if at else glyphs.playing if now else " ", "focus" if at else "time")
    role = "bold" if now else "said" if playing.chapter is not None and index < playing.chapter else ""
    title = fit(steady(chapter.title), max(1, columns - cells - 4), ellipsis=glyphs.ellipsis)
    line = (mark, Run(f" {clock(chapter.start_ms).rjust(cells)}  ", "muted", link), Run(title, role, link))
    return tuple(run._replace(role=f"{run.role} selected".strip()) for run in line) if at else line


def _nothing(playing: Playing, columns: int, rows: int, glyphs: Glyphs) -> Stage:
    """A centred message that nothing is playing, and what to do about it."""
    cells = max(1, min(_MOST_STACKED, columns - 4))
    sign: list[Line] = [] if glyphs.spoken else [(Run(glyphs.playing, "muted"),), ()]
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
    """Exactly `rows` lines, indented by `cells` cells."""
    found: list[Line] = [(Run(" " * cells), *line) if line else () for line in lines][:rows]
    return found + [()] * (rows - len(found))
