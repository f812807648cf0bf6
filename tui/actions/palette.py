"""The entries of the list of commands (actions, themes, lists and podcasts), found by a few typed letters."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any

from msgspec import Struct
from textual.app import App
from textual.screen import Screen

from player.model.podcast import Podcast
from player.settings import Playback
from player.text.cleaning import fold
from player.text.sentences import _, mark, translate
from tui.actions.action import Action, Group
from tui.actions.table import key_label, length
from tui.bridge import PodcastArrived
from tui.look.built_in import BUILT_IN
from tui.look.glyphs import glyphs_of

_MOST_LETTERS = 500
"""The number of letters of a title that are compared; a longer query, such as a pasted page, matches nothing."""


IN_TITLE, AMONG_OTHERS, IN_ONE_PIECE = 2_000.0, 1_000.0, 2.0
"""The lowest scores of three kinds of match: a title with words that begin with the typed words, an entry whose other
words do, and a title that contains the query in one piece."""
_WORD = re.compile(r"\w+")


def score(query: str, title: str, also: str = "") -> tuple[float, tuple[int, ...]]:
    """How well a title matches (0: not at all), and which of its letters do. `also` are other words for the same
    command.

    Titles with words that begin with the typed words score highest, then entries whose other words do, then the result
    of `match`. The first of the other words scores like a title that consists of that word alone.
    """
    wanted = list(dict.fromkeys(fold(query).split())) if len(query) <= _MOST_LETTERS else []
    if not wanted:
        return 0.0, ()
    fit, letters = match(query, title)
    begun = list(_WORD.finditer(title[:_MOST_LETTERS]))
    hits = {
        at
        for word in wanted
        for one in begun
        if fold(one.group()).startswith(word)
        for at in range(one.start(), min(one.start() + len(word), one.end()))
    }
    others = fold(also).split()
    if others[:1] == wanted:
        return IN_TITLE + match(query, others[0])[0], tuple(sorted(hits))
    in_title = [any(fold(one.group()).startswith(word) for one in begun) for word in wanted]
    if all(in_title):
        return IN_TITLE + fit, tuple(sorted(hits))
    if all(there or any(one.startswith(word) for one in others) for word, there in zip(wanted, in_title, strict=True)):
        return AMONG_OTHERS + fit, tuple(sorted(hits))
    return fit, letters


def match(query: str, title: str) -> tuple[float, tuple[int, ...]]:
    """A score, 0 for no match, and which letters of the title match. Case and accents don't
    count.

    Texts that contain the query in one piece score highest: best at the start, then at the start of a word. Then come
    texts that contain all of its letters in order; letters at the starts of words or next to each other score more than
    letters far apart.
    """
    wanted = _lower("".join(query.split())) if len(query) <= _MOST_LETTERS else ""
    looked_at = _lower(title[:_MOST_LETTERS])
    if not wanted:
        return 0.0, ()
    whole = _lower(query.strip())
    matched = list(_found(looked_at, whole))
    if matched:
        at = next((one for one in matched if _begins_word(looked_at, one)), matched[0])
        rank = 4.0 if at == 0 else 3.0 if _begins_word(looked_at, at) else 2.0
        return rank + len(whole) / (len(looked_at) + 1), tuple(range(at, at + len(whole)))
    letters = _by_words(looked_at, wanted) or _in_order(looked_at, wanted)
    if not letters:
        return 0.0, ()
    word_starts = sum(_begins_word(looked_at, at) for at in letters)
    joined = sum(after == before + 1 for before, after in itertools.pairwise(letters))
    return (word_starts + joined) / (2 * len(letters)) + 1 / (2 + letters[-1] - letters[0]), tuple(letters)


@lru_cache(1_000)
def _lower(text: str) -> str:
    """The text without case and accents, letter by letter, so that an index into the result is also an index into the
    text."""
    return text.lower() if text.isascii() else "".join(fold(letter)[:1] or letter for letter in text)


def _begins_word(text: str, at: int) -> bool:
    return text[at].isalnum() and (at == 0 or not text[at - 1].isalnum())


def _found(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _by_words(text: str, wanted: str) -> list[int]:
    """Positions at which each letter follows right after the previous letter, or begins a later word; [] if there are
    none."""
    letters: list[int] = []
    later = (at for at in range(len(text)) if _begins_word(text, at))
    for letter in wanted:
        if letters and text[letters[-1] + 1 : letters[-1] + 2] == letter:
            letters.append(letters[-1] + 1)
            continue
        after = letters[-1] if letters else -1
        at = next((one for one in later if one > after and text[one] == letter), None)
        if at is None:
            return []
        letters.append(at)
    return letters


def _in_order(text: str, wanted: str) -> list[int]:
    letters: list[int] = []
    at = -1
    for letter in wanted:
        at = text.find(letter, at + 1)
        if at < 0:
            return []
        letters.append(at)
    return letters


DEFAULTS = Playback()
_MOST_RECENT = 5
_MOST_HERE = 12
_MOST = 30
"""The number of matching commands of a group that are shown."""


class Kind(StrEnum):
    """The groups of what is found, in their order; marked for translation."""

    COMMANDS = mark("Commands")
    LISTS = mark("Lists")
    PODCASTS = mark("Podcasts")
    SETTINGS = mark("Settings")
    PAGES = mark("Pages")
    EPISODES = mark("Episodes")


HERE, RECENT, THEMES, MOUSE, SYMBOLS = mark("Here"), mark("Recent"), mark("Themes"), mark("Mouse"), mark("Symbols")
SUBSCRIPTIONS = mark("Your podcasts")


class Command(Struct, frozen=True):
    """`key` is its key as shown, "" if it has none; `run` is None for a row that is only to be read. `also` are other
    words that find it; `id` is its name among the recent commands, "" if it isn't remembered. `detail` is shown after
    the title. Before anything is typed it stands under the heading `group`, "": that of its kind."""

    title: str
    key: str
    run: Callable[[], object] | None
    also: str = ""
    kind: Kind = Kind.COMMANDS
    id: str = ""
    detail: str = ""
    group: str = ""


_GROUPS = tuple(Group)
_MOUSE = (
    (mark("Select a row"), mark("click")),
    (mark("Play or open a row"), mark("double-click")),
    (mark("Jump within the episode"), mark("drag in the seek bar")),
    (mark("Pause or resume"), mark("click the play/pause symbol")),
    (mark("Go to what is playing; open its podcast"), mark("click its title; its podcast")),
    (mark("Normal speed, and back; mute"), mark("click the speed; the volume")),
    (mark("Change the volume; the speed"), mark("scroll over the bar; over the speed")),
    (mark("Copy text: any, a word, a paragraph"), mark("drag, double-click, triple-click")),
    (mark("Make panes wider or narrower"), mark("drag the edge between them")),
    (mark("The terminal's own selection"), mark("drag with shift")),
)
_SIGNS = (
    ("new", mark("unplayed")), ("started", mark("in progress")), ("played", mark("played")), ("star", mark("starred")),
    ("queued", mark("queued")), ("downloaded", mark("downloaded")),
    ("failed", mark("couldn't be refreshed")), ("waiting", mark("not loaded yet")),
    ("line", mark("in the seek bar: played or cached")), ("line_thin", mark("not cached yet")),
    ("bookmark", mark("bookmark")), ("pinned", mark("pinned podcast")),
    ("about", mark("an estimate until enough of the file is downloaded")),
)  # fmt: skip


class Hit(Struct, frozen=True):
    """A command that matches the query, and which letters of its title match."""

    command: Command
    letters: tuple[int, ...] = ()


def commands(
    screen: Screen[Any],
    actions: Sequence[Action],
    podcasts: Sequence[Podcast] = (),
    lists: Sequence[Command] = (),
    playback: Playback = DEFAULTS,
) -> Iterator[Command]:
    """The commands of `screen`, by the headings of the table; what the mouse does, and what the symbols mean; then the
    themes, the `lists` and the podcasts. `playback` has the lengths of the jumps."""
    app: App[Any] = screen.app
    glyphs = glyphs_of(app)
    for action in sorted(actions, key=lambda one: _GROUPS.index(one.group)):
        yield Command(
            translate(action.title),
            "  ".join(key_label(key, glyphs) for key in action.keys),
            partial(screen.run_action, f"act({action.id!r})"),
            translate(action.also),
            id=action.id,
            detail=length(action, playback),
            group=action.group,
        )
    for what, how in () if glyphs.spoken else _MOUSE:
        yield Command(translate(what), translate(how), None, group=MOUSE)
    for sign, meaning in () if glyphs.spoken else _SIGNS:
        yield Command(translate(meaning), getattr(glyphs, sign), None, group=SYMBOLS)
    for name in BUILT_IN if any(action.id == "theme" for action in actions) else ():
        if name != app.theme:
            shown = partial(app.run_action, f"theme({name!r})")  # opens the theme chooser with the cursor on it
            title = _("Theme: {name}", name=name)
            yield Command(title, "", shown, theme_words(name), id=f"theme {name}", group=THEMES)
    yield from lists
    for podcast in podcasts:
        go = partial(screen.post_message, PodcastArrived(podcast.id))
        title = _("Go to {podcast}", podcast=podcast.title)
        yield Command(title, "", go, kind=Kind.PODCASTS, id=f"podcast {podcast.id}", group=SUBSCRIPTIONS)


def theme_words(name: str) -> str:
    """The other words by which a theme is found."""
    return (
        _("dark mode appearance colors colours") if BUILT_IN[name].dark else _("light mode appearance colors colours")
    )


def read_recent(text: str) -> list[str]:
    """The ids that `with_recent` wrote, the latest first."""
    return [one for one in text.split("\n") if one]


def with_recent(recent: Sequence[str], command_id: str) -> str:
    """The recent ids with the given id at their head, as text to remember."""
    return "\n".join([command_id, *(one for one in recent if one != command_id)][:_MOST_RECENT])


def offered(
    found: Sequence[Command], recent: Sequence[str] = (), here: Sequence[str] = ()
) -> list[tuple[str, list[Hit]]]:
    """The commands before anything is typed, by heading: what is useful `here`, what was run recently, then all. A
    heading is to be translated."""
    by_id = {command.id: command for command in found if command.id}
    groups = {
        HERE: [Hit(by_id[one]) for one in here if one in by_id][:_MOST_HERE],
        RECENT: [Hit(by_id[one]) for one in recent if one in by_id],
    }
    for command in found:
        groups.setdefault(command.group or command.kind, []).append(Hit(command))
    return [(heading, hits) for heading, hits in groups.items() if hits]


def search(
    found: Sequence[Command], query: str, recent: Sequence[str] = (), cancelled: Callable[[], bool] = lambda: False
) -> list[tuple[str, list[Hit]]]:
    """The matching commands by kind, the group with the best match first; in each group the best match first, and of
    equal matches the command that was run last. Rows that are only to be read come after those that do something.

    Scattered letters count as a match only if nothing matches better.
    """
    freshness = {one: -at for at, one in enumerate(recent)}
    scored: list[tuple[float, float, Command, tuple[int, ...]]] = []
    for command in found:
        if cancelled():
            return []
        fit, letters = score(query, command.title, f"{command.also} {command.key}")
        if fit > 0:
            scored.append((fit, freshness.get(command.id, -len(recent)), command, letters))
    if any(one[0] >= IN_ONE_PIECE for one in scored):
        scored = [one for one in scored if one[0] >= IN_ONE_PIECE]
    scored.sort(key=lambda one: (one[2].run is None, -int(one[0] / 1000), -one[1], -one[0]))
    groups: dict[str, list[Hit]] = {}
    for _fit, _fresh, command, letters in scored:
        groups.setdefault(command.kind, []).append(Hit(command, letters))
    return [(kind, hits[:_MOST]) for kind, hits in groups.items()]
