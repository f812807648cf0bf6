"""The contents of the tabs of an episode's page, as lines of text with roles, and the entries that a cursor can be on.

Pure.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote, unquote

from player.model.episode import Chapters, Person, Soundbite, Transcript, TranscriptLine
from player.model.listening import Bookmark
from player.model.segments import Segment, kind_word
from player.notes.episode_links import Links
from player.text.durations import brief, clock, moved_by
from player.text.sentences import _
from player.text.times import time_link
from tui.drawing.cells import steady
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.drawing.selected_text import Selection, Spot, copied
from tui.look.glyphs import Glyphs

_GAP = 2
_VOICES = 8
_CLIP, _PERSON = "earmark:clip/", "earmark:person/"
_PEOPLE = 8
_MS_A_LETTER = 67
"""Speed of speech, in ms per character, for a line whose end isn't known."""
_MARK_MS = 60_000
"""A transcript shows the time when the speaker changes, and when at least this much time has passed since the last
shown time."""


class Entry(NamedTuple):
    """An entry of a page. `first` is its first line, after `lead` lines of heading.

    `href` is the link that `enter` follows; `url` is the entry's web address, or "". `said` is the line of a transcript
    of which the times of words are known.
    """

    first: int
    lead: int = 0
    start_ms: int | None = None
    href: str = ""
    url: str = ""
    text: str = ""
    said: TranscriptLine | None = None


@dataclass(slots=True)
class TextPage:
    """The lines of a page and its entries. The lines of an entry are adjacent, and none follow the last entry.

    `plays` are the indices of the entries that follow playback, in the order of their `start_ms`.
    """

    lines: list[Line] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    plays: list[int] = field(default_factory=list)

    def add(self, entry: Entry, lines: Iterable[Line], lead: Sequence[Line] = (), *, plays: bool = False) -> None:
        if plays:
            self.plays.append(len(self.entries))
        self.lines += lead
        self.entries.append(entry._replace(first=len(self.lines), lead=len(lead)))
        self.lines += lines

    def entry_of(self, row: int) -> int | None:
        """The entry of a line; None above the first entry."""
        index = bisect_right(self.entries, row, key=lambda one: one.first) - 1
        return index if index >= 0 else None

    def rows_of(self, entry: int) -> range:
        end = len(self.lines)
        if entry + 1 < len(self.entries):
            following = self.entries[entry + 1]
            end = following.first - following.lead
        return range(self.entries[entry].first, end)

    def playing(self, position_ms: int) -> int | None:
        """The entry that plays at a position; None before the first."""
        index = bisect_right(self.plays, position_ms, key=lambda one: self.entries[one].start_ms or 0) - 1
        return self.plays[index] if index >= 0 else None


def clip_link(start_ms: int, duration_ms: int) -> str:
    """A link to a clip of the episode, as `time_link` is one to a position."""
    return f"{_CLIP}{start_ms}/{duration_ms}"


def clip_of(href: str) -> tuple[int, int] | None:
    """Start and duration, in ms, of the clip that a link leads to; None for any other link."""
    start, _, duration = href.removeprefix(_CLIP).partition("/")
    return (int(start), int(duration)) if href.startswith(_CLIP) and start.isdigit() and duration.isdigit() else None


# -- chapters -------------------------------------------------------------------------------------------------


def chapters_sheet(chapters: Chapters, bites: Sequence[Soundbite], columns: int, glyphs: Glyphs) -> TextPage:
    """The tab of chapters: the listed ones, and the clips that the publisher selected."""
    sheet = TextPage()
    listed = chapters.listed
    cells = max((len(clock(one.start_ms)) for one in listed), default=0)
    said = _("made here by {program}", program=steady(chapters.made_by)) if chapters.made_by else ""
    if chapters.moved_ms:
        said = _("moved by {time}, to where they are in this file", time=moved_by(chapters.moved_ms))
    made = wrap([Run(said, "muted")], columns) if said else []
    for number, chapter in enumerate(listed):
        title = [Run(steady(chapter.title))]
        if chapter.url:
            title += [Run(" "), Run(glyphs.away, "muted", chapter.url)]
        href = time_link(chapter.start_ms)
        entry = Entry(0, start_ms=chapter.start_ms, href=href, url=chapter.url, text=chapter.title)
        lead = [*made, ()] if made and not number else []
        sheet.add(entry, _timed(chapter.start_ms, cells, title, columns), lead, plays=True)
    for number, bite in enumerate(bites):
        lead = [] if number else [*([()] if listed else []), (Run(_("Clips"), "heading"),)]
        words = [Run(steady(bite.title) or _("A clip")), Run(f"  {brief(bite.duration_ms)}", "muted")]
        entry = Entry(0, href=clip_link(bite.start_ms, bite.duration_ms), text=bite.title)
        sheet.add(entry, _timed(bite.start_ms, max(cells, len(clock(bite.start_ms))), words, columns), lead)
    return sheet


def _timed(start_ms: int, cells: int, title: list[Run], columns: int) -> Iterator[Line]:
    """The lines of a time and a title beside it."""
    lead = cells + _GAP
    for number, line in enumerate(wrap(title, max(8, columns - lead))):
        before = clock(start_ms).rjust(cells) if number == 0 else " " * cells
        yield Run(before, "time"), Run(" " * _GAP), *line


# -- a transcript ---------------------------------------------------------------------------------------------


def transcript_sheet(transcript: Transcript, columns: int, heading: Sequence[Line] = ()) -> TextPage:
    """The tab of the transcript: its lines, below the names of the speakers, and all of them below the `heading`. Lines
    without times have no link."""
    sheet = TextPage()
    voices: dict[str, int] = {}
    speaker, marked = "", -_MARK_MS
    for line in transcript.lines:
        text = steady(line.text)
        if not text:
            continue
        start = line.start_ms
        changed = bool(line.speaker) and line.speaker != speaker
        late = start is not None and start - marked >= _MARK_MS
        speaker = line.speaker or speaker
        lead = [*heading, ()] if heading and not sheet.lines else []
        if changed or late:
            marked = start if start is not None else marked
            lead += [*([()] if sheet.lines else []), _voice(speaker, start, voices)]
        href = "" if start is None else time_link(start)
        entry = Entry(0, start_ms=start, href=href, text=line.text, said=line if line.words else None)
        sheet.add(entry, wrap([Run(text)], columns), lead, plays=start is not None)
    return sheet


def time_of(
    selection: Selection, sheet: TextPage, lines: Sequence[Line], first_row: int, transcript: Transcript
) -> tuple[int, int] | None:
    """From when to when the selected words are said, in ms; None if that isn't known. `lines` are those of the page on
    which the `sheet` begins at `first_row`."""
    last = selection.end if selection.end.cell else Spot(max(selection.start.row, selection.end.row - 1), 1 << 30)
    begins, ends = (sheet.entry_of(spot.row - first_row) for spot in (selection.start, last))
    if ends is None:
        return None
    if begins is None or selection.start.row - first_row >= sheet.rows_of(begins).stop:  # above the lines of an entry
        begins = 0 if begins is None else min(begins + 1, ends)

    def before(entry: int, spot: Spot) -> int:
        """How many characters of an entry are before that spot."""
        first = Spot(first_row + sheet.entries[entry].first, 0)
        return len(copied(lines, Selection(first, spot)).rstrip()) if spot > first else 0

    def line_of(entry: int) -> int | None:
        start_ms = sheet.entries[entry].start_ms
        return None if start_ms is None else transcript.at(start_ms)

    first, end = line_of(begins), line_of(ends)
    if first is None or end is None:
        return None
    line, said = transcript.lines[first], transcript.lines[end]
    offset = before(begins, selection.start)
    offset += len(line.text[offset:]) - len(line.text[offset:].lstrip())
    following = transcript.lines[end + 1].start_ms if end + 1 < len(transcript.lines) else None
    start_ms = line.said_at(offset) or 0
    last_ms = said.end_ms or following or (said.start_ms or 0) + len(said.text) * _MS_A_LETTER
    over = before(ends, last)
    end_ms = next((word.start_ms for word in said.words if word.begin >= over), last_ms)
    return (start_ms, end_ms) if end_ms > start_ms else None


def _voice(speaker: str, start_ms: int | None, voices: dict[str, int]) -> Line:
    """The speaker's name, in a colour of their own, and the time."""
    pieces = []
    if speaker:
        voice = voices.setdefault(speaker, len(voices)) % _VOICES
        pieces.append(Run(steady(speaker), f"voice-{voice + 1}"))
    if start_ms is not None:
        pieces.append(Run(("  " if pieces else "") + clock(start_ms), "muted"))
    return tuple(pieces)


# -- people -------------------------------------------------------------------------------------------------


def people_pieces(people: Sequence[Person]) -> list[Run]:
    """“with Ada Lovelace, Grace Hopper (guest)”: the role of a host isn't shown."""
    pieces: list[Run] = []
    for person in people[:_PEOPLE]:
        role = f" ({steady(person.role)})" if person.role not in ("", "host") else ""
        pieces.append(Run(", " if pieces else "", "muted"))
        pieces.append(Run(steady(person.name), "muted", person_link(person.name)))
        pieces.append(Run(role, "muted"))
    if len(people) > _PEOPLE:
        pieces.append(Run(_(" and {n:,} more", n=len(people) - _PEOPLE), "muted"))
    before, _field, after = _("with {people}").partition("{people}")
    named = [Run(before, "muted"), *pieces, Run(after, "muted")] if pieces else []
    return [piece for piece in named if piece.text]


def person_link(name: str) -> str:
    """A link to the page of a person."""
    return f"{_PERSON}{quote(name, safe='')}"


def person_of(href: str) -> str:
    """The name of the person that a link leads to; "" for any other link."""
    return unquote(href.removeprefix(_PERSON)) if href.startswith(_PERSON) else ""


# -- links ----------------------------------------------------------------------------------------------------


def links_sheet(links: Links, columns: int) -> TextPage:
    """The tab of links: the pages that the notes link to, each with its number and its address."""
    sheet = TextPage()
    digits = len(str(max((link.number for link in links.pages), default=0)))
    lead = digits + _GAP
    for link in links.pages:
        words = [Run(steady(link.title), "", link.address), Run("  "), Run(steady(link.leads_to), "muted")]
        lines = [
            (Run((str(link.number) if not row else "").ljust(lead), "number"), *line)
            for row, line in enumerate(wrap(words, max(8, columns - lead)))
        ]
        sheet.add(Entry(0, href=link.address, url=link.address, text=link.title), lines)
    return sheet


# -- bookmarks ------------------------------------------------------------------------------------------------


def bookmarks_sheet(bookmarks: Sequence[Bookmark], columns: int) -> TextPage:
    """The tab of bookmarks: each with its time, its note, the transcript's words there, and the chapter."""
    sheet = TextPage()
    cells = max((len(clock(one.position_ms)) for one in bookmarks), default=0)
    for number, one in enumerate(bookmarks):
        shown = [Run(f"{clock(one.length_ms)} ", "muted")] if one.length_ms else []
        shown += [Run(steady(one.note))] if one.note else []
        shown += [Run(" " * bool(shown)), Run(_("“{line}”", line=steady(one.line)), "muted")] if one.line else []
        shown += [Run("  " if shown else ""), Run(steady(one.chapter), "muted")] if one.chapter else []
        href = time_link(one.position_ms)
        text = " ".join((one.note, one.line, one.chapter))
        entry = Entry(0, start_ms=one.position_ms, href=href, text=text)
        lines = _timed(one.position_ms, cells, shown or [Run(_("No note"), "muted")], columns)
        sheet.add(entry, lines, [()] if number else [], plays=True)
    return sheet


# -- tabs -----------------------------------------------------------------------------------------------------


class TabWord(NamedTuple):
    """A tab in the line of tabs. `number` is the number of its entries; 0 isn't shown."""

    name: str
    word: str
    number: int = 0


def segment_words(segments: Sequence[Segment]) -> str:
    """The marked and the found segments of an episode, in one line; "" if there are none."""
    named = ", ".join(f"{kind_word(one.kind)} {clock(one.length_ms)}" for one in segments)
    return _("Segments: {named}", named=named) if named else ""


def tab_line(tabs: Iterable[TabWord], chosen: str, columns: int, ellipsis: str) -> Line:
    """The tabs in one line, with the chosen one highlighted.

    If there is too little room, counts are left out, then the tabs farthest from the chosen one: an ellipsis stands for
    them, and is a link to the first of them.
    """
    tabs = list(tabs)
    for counts, gap in ((True, 3), (False, 3), (False, 2), (False, 1)):
        line = _tab_pieces(tabs, chosen, gap, counts=counts)
        if width_of(line) <= columns:
            return line
    at = next((number for number, tab in enumerate(tabs) if tab.name == chosen), 0)
    first, last = 0, len(tabs) - 1
    while width_of(line) > columns and first < last:
        first, last = (first, last - 1) if last - at >= at - first else (first + 1, last)
        before = [tabs[first - 1]._replace(word=ellipsis)] if first else []
        after = [tabs[last + 1]._replace(word=ellipsis)] if last + 1 < len(tabs) else []
        line = _tab_pieces([*before, *tabs[first : last + 1], *after], chosen, 2, counts=False)
    return line


def _tab_pieces(tabs: list[TabWord], chosen: str, gap: int, *, counts: bool) -> Line:
    pieces: list[Run] = []
    for tab in tabs:
        if pieces:
            pieces.append(Run(" " * gap))
        href = f"earmark:tab/{tab.name}"
        pieces.append(Run(tab.word, "tab-on" if tab.name == chosen else "tab", href))
        if counts and tab.number:
            pieces.append(Run(f" {tab.number}", "muted", href))
    return tuple(pieces)
