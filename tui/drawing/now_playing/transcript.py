"""What is being said: the current line of a transcript, with those before and after it."""

from collections.abc import Mapping

from player.model.transcript import Transcript, TranscriptLine
from player.text.times_in_text import time_link
from tui.drawing.cells import cut, steady
from tui.drawing.runs import Line, Run, width_of, wrap

VOICES = 8
_CALM = 12
"""With as many rows, there are empty lines between what is said."""


def voices_of(transcript: Transcript) -> dict[str, int]:
    """The number of each speaker's voice, in the order in which they begin."""
    names = dict.fromkeys(line.speaker for line in transcript.lines if line.speaker)
    return {name: number % VOICES for number, name in enumerate(names)}


def said(transcript: Transcript, at: int | None, voices: Mapping[str, int], columns: int, rows: int) -> list[Line]:
    """Exactly `rows` lines, with the current one (`at`; None: before the first) a little above the middle.

    What was said is dim, the current line bold on a ground of its own, as wide as all of them.
    """
    if rows <= 0:
        return []
    gap = rows >= _CALM
    now = _current(transcript, at, voices, columns, named=True) if at is not None else []
    if at is not None and len(now) > rows:
        now = _current(transcript, at, voices, columns, named=False)[:rows]
    above = max(0, (rows - len(now)) * 2 // 5)
    before: list[Line] = []
    index = (at if at is not None else 0) - 1
    while index >= 0 and len(before) < above:
        before = [*_other(transcript, index, voices, columns, "said"), *[()] * gap, *before]
        index -= 1
    before = before[max(0, len(before) - above) :]
    if at is not None and now and _goes_on(transcript, at) and any(_is_name(line) for line in before):
        now = _current(transcript, at, voices, columns, named=False)[:rows]
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


def current_words(transcript: Transcript, at: int | None, columns: int) -> list[Line]:
    """Only the current line."""
    return wrap([Run(steady(transcript.lines[at].text), "bold")], columns) if at is not None else []


def _current(transcript: Transcript, at: int, voices: Mapping[str, int], columns: int, *, named: bool) -> list[Line]:
    line = transcript.lines[at]
    inside = max(1, columns - 2)
    names = _name(line, voices, inside) if named else []
    lines: list[Line] = [(Run(f" {text}", f"{role} spoken", href),) for text, role, href in names]
    lines += [(Run(" ", "spoken"), *words) for words in wrap([Run(steady(line.text), "spoken", _link(line))], inside)]
    return [(*one, Run(" " * (columns - width_of(one)), "spoken")) for one in lines]


def _other(transcript: Transcript, index: int, voices: Mapping[str, int], columns: int, role: str) -> list[Line]:
    line = transcript.lines[index]
    names = [] if _goes_on(transcript, index) else _name(line, voices, max(1, columns - 2))
    lines: list[Line] = [(Run(" "), name) for name in names]
    return lines + [
        (Run(" "), *words) for words in wrap([Run(steady(line.text), role, _link(line))], max(1, columns - 2))
    ]


def _goes_on(transcript: Transcript, index: int) -> bool:
    """Whether the same speaker goes on in that line."""
    return index > 0 and transcript.lines[index].speaker == transcript.lines[index - 1].speaker


def _is_name(line: Line) -> bool:
    return any(run.role.startswith("voice-") for run in line)


def _name(line: TranscriptLine, voices: Mapping[str, int], columns: int) -> list[Run]:
    if not line.speaker:
        return []
    return [Run(cut(steady(line.speaker), columns), f"voice-{voices.get(line.speaker, 0) + 1}")]


def _link(line: TranscriptLine) -> str:
    return "" if line.start_ms is None else time_link(line.start_ms)
