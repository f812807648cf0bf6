"""The one table of what a person can do. It feeds the bindings, the footer, the palette and the help screen.

An action's `id` is its name in [keys] of config.toml. `runs` names the function that does it: `playback.toggle` is
`toggle` of whatever a screen calls its `playback`.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from unicodedata import name as unicode_name

from textual.binding import Binding
from textual.keys import Keys

from player.settings import suggestion
from player.text.sentences import _
from tui.look.glyphs import UNICODE, Glyphs


class Group(StrEnum):
    """The headings of the help screen, in its order."""

    LISTEN = "Listen"
    MOVE = "Move"
    EPISODES = "Episodes"
    PODCASTS = "Podcasts"
    EARMARK = "Earmark"


class Focus(Enum):
    """What has the focus; it decides what the footer says."""

    SIDEBAR = "sidebar"
    EPISODES = "episodes"
    NOTES = "notes"
    READING = "reading"
    ABOUT = "about"
    FILTER = "filter"


@dataclass(frozen=True, slots=True)
class Action:
    """`runs` names a part of the screen and its function. `keys` are Textual's names of keys.

    `title` is for the palette, `help` a sentence for the help screen, in which
    `{id}` stands for the key of that action.

    `footer` is the priority of a place in the footer, the higher the earlier (0: never), `word` what it says there,
    `where` the panes it is said in (empty: all), and `partner` the id of an action whose first key stands beside it.
    `also`: other words by which people look for it in the palette.
    """

    id: str
    runs: str
    keys: tuple[str, ...]
    title: str
    help: str
    group: Group
    footer: int = 0
    word: str = ""
    where: tuple[Focus, ...] = ()
    partner: str = ""
    palette: bool = True
    also: str = ""


_L, _M, _E, _P, _A = Group.LISTEN, Group.MOVE, Group.EPISODES, Group.PODCASTS, Group.EARMARK
_IN_LIST = (Focus.EPISODES, Focus.NOTES)
_ON_PAGE = (Focus.NOTES, Focus.READING)
_PANES = (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)

ACTIONS: tuple[Action, ...] = (
    Action("play", "here.enter", ("enter",), "Play the episode",
           "Play (resumes where you stopped); open a view or the notes", _L, 100, "play",
           (*_PANES, Focus.FILTER, Focus.READING, Focus.ABOUT), also="listen start open"),
    Action("pause", "playback.toggle", ("space",), "Pause or resume", "Pause / resume", _L, 90, "pause",
           (*_PANES, Focus.READING), also="stop continue"),
    Action("seek_back", "playback.seek_back", ("left",), "Jump back", "Back 15 seconds", _L, 80, "seek",
           (*_IN_LIST, Focus.READING), partner="seek_forward", also="rewind seek"),
    Action("seek_forward", "playback.seek_forward", ("right",), "Jump forward", "Forward 30 seconds", _L,
           also="skip fast seek"),
    Action("seek_back_far", "playback.seek_back_far", ("shift+left",), "Jump far back", "Back a minute", _L,
           also="rewind seek"),
    Action("seek_forward_far", "playback.seek_forward_far", ("shift+right",), "Jump far forward", "Forward a minute",
           _L, also="skip fast seek"),
    Action("previous_chapter", "playback.previous_chapter", ("comma",), "Previous chapter",
           "Start of chapter; again: previous chapter", _L),
    Action("next_chapter", "playback.next_chapter", (".",), "Next chapter", "Next chapter", _L, also="skip"),
    Action("undo_jump", "playback.undo_jump", ("u",), "Undo the last jump", "Undo the last jump", _L, also="back"),
    Action("restart", "playback.restart", ("0",), "Restart the episode", "Restart (press twice)", _L,
           also="beginning start from"),
    Action("slower", "playback.slower", ("[",), "Slower", "Slower (by 0.1)", _L, 20, "speed", (Focus.NOTES,),
           partner="faster", also="speed"),
    Action("faster", "playback.faster", ("]",), "Faster", "Faster (by 0.1, pitch preserved)", _L, also="speed"),
    Action("normal_speed", "playback.normal_speed", (), "Normal speed", "Normal speed", _L, also="reset"),
    Action("quieter", "playback.quieter", ("-",), "Volume down", "Volume down", _L, also="quieter softer sound"),
    Action("louder", "playback.louder", ("=", "+"), "Volume up", "Volume up", _L, also="louder sound"),
    Action("mute", "playback.mute", (), "Mute, or unmute", "Mute / unmute", _L, also="volume silence sound"),
    Action("go_to_playing", "screen.go_to_playing", ("'",), "Go to what is playing",
           "Select what is playing, in its list", _L, also="now current"),
    Action("go_back", "history.back", ("ctrl+o",), "Back to the previous list", "Back to the previous list", _M),
    Action("down", "move.down", ("j", "down"), "Down", "Down", _M, palette=False),
    Action("up", "move.up", ("k", "up"), "Up", "Up", _M, palette=False),
    Action("half_page_down", "move.half_page_down", ("ctrl+d",), "Half a page down", "Half a page down", _M,
           palette=False),
    Action("half_page_up", "move.half_page_up", ("ctrl+u",), "Half a page up", "Half a page up", _M, palette=False),
    Action("page_down", "move.page_down", ("pagedown",), "A page down", "A page down", _M, palette=False),
    Action("page_up", "move.page_up", ("pageup",), "A page up", "A page up", _M, palette=False),
    Action("first", "move.first", ("g", "home"), "To the first row", "First row", _M, palette=False),
    Action("last", "move.last", ("G", "end"), "To the last row", "Last row", _M, palette=False),
    Action("pane_left", "panes.left", ("h",), "To the pane on the left", "Pane on the left", _M, palette=False),
    Action("pane_right", "panes.right", ("l",), "To the pane on the right", "Pane on the right", _M, palette=False),
    Action("next_pane", "panes.next", ("tab",), "To the next pane", "Next pane (wraps)", _M, 15, "panes", _PANES,
           palette=False),
    Action("previous_pane", "panes.previous", ("shift+tab",), "To the previous pane", "Previous pane (wraps)", _M,
           palette=False),
    Action("back", "here.back", ("escape",), "Back", "Clear filter, stop refresh, or go to the left pane", _M, 95,
           "clear", (Focus.FILTER, Focus.READING, Focus.ABOUT), palette=False),
    Action("filter", "here.find", ("/",), "Filter this list",
           "Filter this list by title; find in chapters, transcript, links", _E, 50, "filter", _PANES,
           also="find search"),
    Action("star", "marks.star", ("s",), "Star the episode", "Star / unstar", _E, 70, "star", _IN_LIST,
           also="unstar favorite favourite like save"),
    Action("played", "marks.played", ("m",), "Mark the episode as played", "Mark as played / unplayed", _E, 60,
           "played", _IN_LIST, also="unplayed read done finished heard"),
    Action("download", "marks.download", ("d",), "Download the episode", "Download / delete download", _E,
           also="delete remove file offline save"),
    Action("read", "open.read", ("v",), "Read the notes", "Reading view on / off", _E, also="page full screen zoom"),
    Action("tab_notes", "page.notes_tab", ("1",), "Notes", "Notes", _E, 35, "tabs", _ON_PAGE, partner="tab_links",
           also="description"),
    Action("tab_chapters", "page.chapters_tab", ("2",), "Chapters",
           "Chapters: {play} plays from one, {links} opens its link", _E),
    Action("tab_transcript", "page.transcript_tab", ("3",), "Transcript",
           "Transcript: {play} plays from a line, {filter} finds words; again: another language", _E,
           also="words text"),
    Action("tab_links", "page.links_tab", ("4",), "Links of the episode", "Links: {play} opens one", _E),
    Action("people", "page.people", ("p",), "People in the episode",
           "People in this episode, and their other episodes", _E, also="who guests hosts"),
    Action("follow", "page.follow_playback", ("f",), "Follow playback", "Follow playback again", _E),
    Action("narrower", "here.narrower", ("<",), "Narrower text", "Narrower text", _E, 30, "width", (Focus.READING,),
           partner="wider", palette=False),
    Action("wider", "here.wider", (">",), "Wider text", "Wider text", _E, palette=False),
    Action("next_episode", "list.next", ("J",), "Select the next episode", "Next episode in the list (from any pane)",
           _E, 45, "episodes", (Focus.READING,), partner="previous_episode"),
    Action("previous_episode", "list.previous", ("K",), "Select the previous episode",
           "Previous episode in the list (from any pane)", _E),
    Action("links", "page.links", ("o",), "Links", "List the links: a number selects one, {play} opens it", _E, 65,
           "links", _ON_PAGE, also="open browser url"),
    Action("copy_link", "here.copy", ("y",), "Copy the link", "Copy the link to the episode's page", _E,
           also="yank clipboard url share"),
    Action("copy_links", "links.copy_all", ("Y",), "Copy all links", "Copy all links as Markdown", _E,
           also="yank clipboard urls"),
    Action("add", "podcasts.add", ("a",), "Add a podcast", "Add a podcast by the URL of its feed or website", _P,
           40, "add", _PANES, also="subscribe new feed rss url"),
    Action("refresh", "refresh.podcast", ("r",), "Refresh this podcast", "Check this podcast for new episodes", _P,
           55, "refresh", (Focus.SIDEBAR,), also="update reload new"),
    Action("refresh_all", "refresh.all", ("R",), "Refresh all podcasts", "Check all podcasts for new episodes", _P,
           also="update reload new sync"),
    Action("about", "podcasts.about", ("i",), "About this podcast",
           "Podcast details: schedule, your listening, top episodes, links", _P, 45, "about", (Focus.SIDEBAR,),
           also="info details statistics"),
    Action("remove", "podcasts.unsubscribe", ("delete",), "Unsubscribe from this podcast",
           "Unsubscribe from this podcast, after asking", _P, also="remove delete"),
    Action("login", "podcasts.sign_in", (), "Sign in to a server",
           "Sign in to the server of this podcast or episode", _P,
           also="name password log login account private"),
    Action("import_podcasts", "podcasts.import_opml", (), "Import podcasts from a file",
           "Subscribe to all podcasts in an OPML file", _P, also="opml subscribe"),
    Action("export_podcasts", "podcasts.export_opml", (), "Export podcasts to a file",
           "Export your podcasts as an OPML file", _P, also="opml backup save"),
    Action("theme", "screen.theme", (), "Switch between dark and light",
           "Switch between the dark and the light theme", _A, palette=False),
    Action("search", "open.search", ("ctrl+f",), "Search everything",
           "Search titles, notes and transcripts of all episodes", _A, also="find"),
    Action("output", "open.output", (), "Choose the sound output", "Choose the sound output", _A,
           also="audio device speaker headphones"),
    Action("settings", "open.settings", (), "Settings: where the file is", "Where the settings file is",
           _A, also="configuration config preferences options keys"),
    Action("palette", "open.palette", ("ctrl+p",), "Find a command", "Search commands and podcasts", _A,
           palette=False),
    Action("help", "screen.help", ("?",), "All keys", "All keys", _A, 1, "all keys",
           (*_PANES, Focus.READING, Focus.ABOUT), also="help shortcuts bindings manual"),
    Action("quit", "screen.quit", ("q",), "Quit", "Quit (position is saved). ctrl+q, ctrl+c: from anywhere", _A,
           also="exit close"),
)  # fmt: skip

_NAMED = frozenset(str(key.value) for key in Keys) | {"space"}
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "meta"})
_LABELS = {
    "question_mark": "?", "slash": "/", "left_square_bracket": "[", "right_square_bracket": "]", "minus": "-",
    "equals_sign": "=", "plus": "+", "comma": ",", "full_stop": ".", "escape": "esc", "pagedown": "page down",
    "pageup": "page up", "delete": "del",
}  # fmt: skip


def bindings(actions: Iterable[Action] = ACTIONS) -> list[Binding]:
    """The table as Textual binds it: a key calls `action_act` of the screen. Remapped keys come by the app's keymap."""
    return [
        Binding(
            ",".join(map(_textual_name, action.keys)), f"act({action.id!r})", action.title, id=action.id, show=False
        )
        for action in actions
        if action.keys
    ]


def functions(actions: Iterable[Action], **parts: object) -> dict[str, Callable[[], object]]:
    """What each of those actions runs, by its id. Raises LookupError for one that none of the `parts` can do."""
    found: dict[str, Callable[[], object]] = {}
    for action in actions:
        part, _, name = action.runs.partition(".")
        function = getattr(parts.get(part), name, None)
        if function is None:
            raise LookupError(f"nothing here runs {action.runs}")
        found[action.id] = function
    return found


def remapped(
    wishes: Mapping[str, str], actions: Sequence[Action] = ACTIONS
) -> tuple[tuple[Action, ...], tuple[str, ...]]:
    """The table with the keys of [keys] (`{"star": "f,ctrl+s"}`), and a sentence for each wish that can't be met.

    A key given to one action is taken from the one that had it. A comma as a key is written `comma`.
    """
    known = {action.id: action for action in actions}
    given: dict[str, str] = {}
    wanted: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for action_id, text in wishes.items():
        if action_id not in known:
            near = suggestion(action_id, known)
            problems.append(_("In [keys] of config.toml, there is no action “{name}”.", name=action_id) + near)
            continue
        keys = []
        for key in filter(None, (part.strip() for part in text.split(","))):
            if not is_key(key):
                problems.append(
                    _("“{key}” isn't a key; “{action}” keeps its own.", key=key, action=known[action_id].title)
                )
            elif given.setdefault(key, action_id) != action_id:
                problems.append(
                    _("“{key}” is set for two actions; “{action}” gets it.", key=key, action=known[given[key]].title)
                )
            else:
                keys.append(key)
        if keys:
            wanted[action_id] = tuple(keys)
    result = []
    for action in actions:
        keys_now = wanted.get(action.id) or tuple(key for key in action.keys if given.get(key, action.id) == action.id)
        if action.keys and not keys_now:
            problems.append(_("“{action}” has no key now: another action has taken it.", action=action.title))
        result.append(replace(action, keys=keys_now))
    return tuple(result), tuple(problems)


def keymap(actions: Sequence[Action]) -> dict[str, str]:
    """What Textual is to bind other than the table says, by id."""
    defaults = {action.id: action.keys for action in ACTIONS}
    return {
        action.id: ",".join(map(_textual_name, action.keys))
        for action in actions
        if action.keys and action.keys != defaults[action.id]
    }


def keys_of(actions: Iterable[Action], ids: Container[str]) -> frozenset[str]:
    """Textual's names of the keys of those actions."""
    return frozenset(_textual_name(key) for action in actions if action.id in ids for key in action.keys)


def is_key(key: str) -> bool:
    """Whether a terminal can send a key of that name."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if not set(modifiers) <= _MODIFIERS:
        return False
    return (len(last) == 1 and last.isprintable()) or last in _NAMED or last in _LABELS or key in _NAMED


def key_label(key: str, glyphs: Glyphs = UNICODE) -> str:
    """How a key is written for a reader: `ctrl+d`, `←`, `?`, `esc`."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    arrows = {"left": glyphs.left, "right": glyphs.right, "up": glyphs.up, "down": glyphs.down}
    label = arrows.get(last) or _LABELS.get(last, last)
    return "+".join([*modifiers, label])


def key_for(action_id: str, actions: Iterable[Action], glyphs: Glyphs = UNICODE) -> str:
    """How a sentence names the listener's own key for an action; where it has none, its name in the palette."""
    action = next(action for action in actions if action.id == action_id)
    return key_label(action.keys[0], glyphs) if action.keys else f"“{action.title}”"


def _textual_name(key: str) -> str:
    """Textual's name for a key that is written as its character."""
    if len(key) > 1 or key.isalnum():
        return key
    names = {"-": "minus", "+": "plus", "/": "slash", "\\": "backslash", "@": "at", "_": "underscore"}
    return names.get(key) or unicode_name(key, key).lower().replace("-", "_").replace(" ", "_")
