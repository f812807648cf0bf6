"""What the player bar says: about its state, the chapter, and what is next."""

from player.model.chapters import Chapter, Chapters
from player.model.playback import NextFrom, PlaybackState, PlaybackStatus
from player.text.durations import clock
from player.text.sentences import _, mark, translate
from tui.drawing.cells import cut, steady, width
from tui.drawing.player_bar.layout import APART, Around, Keys
from tui.drawing.player_bar.times import left_ms
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.look.glyphs import Glyphs

_LEAST_NEXT = 16
_LEAST_CHAPTER = 10
_WHY_NEXT = {NextFrom.QUEUE: mark("from queue"), NextFrom.LIST: mark("this list continues")}
_LONGEST_SENTENCE = 1_000
"""Characters of an error's text: more than fit in any bar."""


def last_row(status: PlaybackStatus, room: int, glyphs: Glyphs, keys: Keys, around: Around) -> Line:
    """The time and chapter under the mouse; or a sentence about the state or the current chapter, and what is next."""
    chapters = around.chapters
    if around.pointed_ms is not None:
        time = Run(clock(around.pointed_ms), "text")
        gap = Run(f" {glyphs.dot} ", "muted")
        named = _named(chapters.at(around.pointed_ms), chapters, room - width(time.text) - 3, glyphs)
        return (time, gap, *named) if named else (time,)
    words = sentence(status, room, glyphs, keys)
    paused = status.state is PlaybackState.PAUSED and not status.error and not status.sleep.slept
    if not words or paused:
        words = _chapter(status, room, glyphs, chapters) or words
    return _with_next(words, status, room, glyphs)


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
    """What a bar without an episode says."""
    nothing = _("Nothing playing")
    hints = (_("press {play} to play the selected episode"), _("{play} plays")) if playable else ()
    sentences = (*(f"{nothing} {glyphs.dot} {one}" for one in hints), nothing)
    return next((line for one in sentences if width_of(line := hint(one, keys)) <= room), ())


def next_words(status: PlaybackStatus, room: int, glyphs: Glyphs) -> str:
    """What is next, and why if there is room for that; "" if nothing is next, or there is no room."""
    if status.next_up is None or status.error or status.sleep.nothing_follows:
        return ""
    why = translate(_WHY_NEXT[status.next_up.source])
    for frame in (f"{_('Next: {title}')} {glyphs.dot} {why}", _("Next: {title}")):
        title = cut(steady(status.next_up.episode.title), room - width(frame.format(title="")), glyphs.ellipsis)
        if width(title) >= min(_LEAST_NEXT, width(status.next_up.episode.title)):
            return frame.format(title=title)
    return ""


def in_rows(words: Line, cells: int, rows: int, glyphs: Glyphs) -> list[Line]:
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


def hint(text: str, keys: Keys) -> Line:
    """A muted sentence in which `{id}` stands for the key of that action."""
    pieces: list[Run] = []
    for index, part in enumerate(text.replace("}", "{").split("{")):
        if part:
            pieces.append(Run(keys.get(part, part), "key") if index % 2 else Run(part, "muted"))
    return tuple(pieces)


def _with_next(words: Line, status: PlaybackStatus, room: int, glyphs: Glyphs) -> Line:
    """What is next and why, at the right end, if there is room."""
    following = next_words(status, room - (width_of(words) + len(APART) if words else 0), glyphs)
    if not following:
        return words
    gap = room - width_of(words) - width(following) if words else 0
    return (*words, Run(" " * gap), Run(following, "muted")) if gap else (Run(following, "muted"),)


def _chapter(status: PlaybackStatus, room: int, glyphs: Glyphs, chapters: Chapters) -> Line:
    """The current chapter, how much of it is left at this speed, and the next one, if there is room."""
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
    """The chapter's title, its number, and how many there are."""
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
    """The one listed after `chapter`."""
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
