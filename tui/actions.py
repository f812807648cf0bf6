"""The one table of what a person can do. It feeds the bindings, the footer, the palette and the help screen.

An action's `id` is its name in [keys] of config.toml, and `MainScreen.action_<id>` does it.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from unicodedata import name as unicode_name

from textual.binding import Binding
from textual.keys import Keys

from player.settings import suggestion
from tui.glyphs import UNICODE, Glyphs


class Group(StrEnum):
    """The headings of the help screen, in its order."""

    LISTEN = "Listen"
    MOVE = "Move"
    EPISODES = "Episodes"
    PODCASTS = "Podcasts"
    EARMARK = "Earmark"


class Where(Enum):
    """What has the focus; it decides what the footer says."""

    SIDEBAR = "sidebar"
    EPISODES = "episodes"
    NOTES = "notes"
    READING = "reading"
    ABOUT = "about"
    FILTER = "filter"


@dataclass(frozen=True, slots=True)
class Action:
    """`keys` are Textual's names of keys. `title` is for the palette, `help` a sentence for the help screen.

    `footer` is the priority of a place in the footer, the higher the earlier (0: never), `word` what it says there,
    `where` the panes it is said in (empty: all), and `partner` the id of an action whose first key stands beside it.
    """

    id: str
    keys: tuple[str, ...]
    title: str
    help: str
    group: Group
    footer: int = 0
    word: str = ""
    where: tuple[Where, ...] = ()
    partner: str = ""
    palette: bool = True


_L, _M, _E, _P, _A = Group.LISTEN, Group.MOVE, Group.EPISODES, Group.PODCASTS, Group.EARMARK
_IN_LIST = (Where.EPISODES, Where.NOTES)
_ON_PAGE = (Where.NOTES, Where.READING)
_PANES = (Where.SIDEBAR, Where.EPISODES, Where.NOTES)

ACTIONS: tuple[Action, ...] = (
    Action("play", ("enter",), "Play the episode",
           "Plays the episode under the cursor, from where you stopped; opens a view, or the notes as a page.", _L, 100,
           "play", (*_PANES, Where.FILTER, Where.READING, Where.ABOUT)),
    Action("pause", ("space",), "Pause or go on", "Pauses, and goes on.", _L, 90, "pause", (*_PANES, Where.READING)),
    Action("seek_back", ("left",), "Jump back", "Jumps 15 seconds back.", _L, 80, "seek", (*_IN_LIST, Where.READING),
           partner="seek_forward"),
    Action("seek_forward", ("right",), "Jump forward", "Jumps 30 seconds forward.", _L),
    Action("seek_back_far", ("shift+left",), "Jump far back", "Jumps a minute back.", _L),
    Action("seek_forward_far", ("shift+right",), "Jump far forward", "Jumps a minute forward.", _L),
    Action("previous_chapter", ("comma",), "Previous chapter",
           "Goes to the start of the chapter; from there to the one before.", _L),
    Action("next_chapter", (".",), "Next chapter", "Goes to the next chapter.", _L),
    Action("undo_jump", ("u",), "Undo the last jump", "Undo the last jump.", _L),
    Action("restart", ("0",), "Play from the start", "Restart (press twice).", _L),
    Action("slower", ("[",), "Slower", "Slower (−0.1×).", _L, 20, "speed", (Where.NOTES,), partner="faster"),
    Action("faster", ("]",), "Faster", "Faster (+0.1×, pitch preserved).", _L),
    Action("quieter", ("-",), "Quieter", "Turns the volume down.", _L),
    Action("louder", ("=", "+"), "Louder", "Turns the volume up.", _L),
    Action("normal_speed", (), "Normal speed (1.0×)", "Normal speed.", _L),
    Action("mute", (), "Mute, or unmute", "Mute or unmute.", _L),
    Action("go_to_playing", ("'",), "Go to what is playing", "Select the episode in the bar, in its list.", _L),
    Action("go_back", ("ctrl+o",), "Back to the previous list",
           "Back to where you were before you jumped to another list.", _M),
    Action("down", ("j", "down"), "Down", "One row down.", _M, palette=False),
    Action("up", ("k", "up"), "Up", "One row up.", _M, palette=False),
    Action("half_page_down", ("ctrl+d",), "Half a page down", "Half a page down.", _M, palette=False),
    Action("half_page_up", ("ctrl+u",), "Half a page up", "Half a page up.", _M, palette=False),
    Action("page_down", ("pagedown",), "A page down", "A page down.", _M, palette=False),
    Action("page_up", ("pageup",), "A page up", "A page up.", _M, palette=False),
    Action("first", ("g", "home"), "To the first row", "To the first row.", _M, palette=False),
    Action("last", ("G", "end"), "To the last row", "To the last row.", _M, palette=False),
    Action("pane_left", ("h",), "To the pane on the left", "To the pane on the left.", _M, palette=False),
    Action("pane_right", ("l",), "To the pane on the right", "To the pane on the right.", _M, palette=False),
    Action("next_pane", ("tab",), "To the next pane", "To the next pane, in a circle.", _M, 15, "panes",
           _PANES, palette=False),
    Action("previous_pane", ("shift+tab",), "To the pane before", "To the pane before, in a circle.", _M,
           palette=False),
    Action("back", ("escape",), "Back", "Ends the filter, or the refresh under way, else goes to the pane on the left.",
           _M, 95, "clear", (Where.FILTER, Where.READING, Where.ABOUT), palette=False),
    Action("filter", ("/",), "Filter this list", "Shows only the rows whose title has these words.", _E, 50, "filter",
           _PANES),
    Action("star", ("s",), "Star the episode", "Stars the episode, or takes the star away.", _E, 70, "star", _IN_LIST),
    Action("played", ("m",), "Mark the episode as played", "Marks the episode as played, or as not played.", _E, 60,
           "played", _IN_LIST),
    Action("download", ("d",), "Download the episode",
           "Downloads the episode to a file of your own; deletes the download, after asking.", _E),
    Action("read", ("v",), "Read the notes", "Opens the notes as a page over the whole screen, and closes it.", _E),
    Action("tab_notes", ("1",), "Notes", "Shows the notes of the episode.", _E, 35, "tabs", _ON_PAGE,
           partner="tab_links"),
    Action("tab_chapters", ("2",), "Chapters", "Shows its chapters: enter goes to one, o opens its link.", _E),
    Action("tab_transcript", ("3",), "Transcript",
           "Shows what is said: enter goes to a line, / finds words; again: in another language.", _E),
    Action("tab_links", ("4",), "Links of the episode", "Shows its links: enter opens one.", _E),
    Action("people", ("p",), "Who is heard", "Shows who is heard in the episode, and in what else here.", _E),
    Action("follow", ("f",), "Follow the sound", "Lets chapters or transcript go along with the sound again.", _E),
    Action("narrower", ("<",), "Narrower page", "Makes that page narrower.", _E, 30, "width", (Where.READING,),
           partner="wider", palette=False),
    Action("wider", (">",), "Wider page", "Makes that page wider.", _E, palette=False),
    Action("next_episode", ("J",), "Next episode", "To the next episode of the list, wherever the focus is.", _E, 45,
           "episodes", (Where.READING,), partner="previous_episode"),
    Action("previous_episode", ("K",), "Previous episode", "To the episode before it in the list.", _E),
    Action("links", ("o",), "Links", "Lists the links of the episode: a number goes to one, enter opens it.", _E, 65,
           "links", _ON_PAGE),
    Action("copy_link", ("y",), "Copy the link", "Copies the address of the episode's page.", _E),
    Action("copy_links", ("Y",), "Copy all links", "Copies all links of the episode, as a list in Markdown.", _E),
    Action("add", ("a",), "Add a podcast", "Adds a podcast, by the address of its feed or its page.", _P, 40, "add",
           _PANES),
    Action("refresh", ("r",), "Refresh this podcast", "Looks for new episodes of this podcast.", _P, 55, "refresh",
           (Where.SIDEBAR,)),
    Action("refresh_all", ("R",), "Refresh all podcasts", "Looks for new episodes of all podcasts.", _P),
    Action("about", ("i",), "About this podcast",
           "Tells of the podcast: how often it comes, how much of it you heard, its best episodes, its links.", _P, 45,
           "about", (Where.SIDEBAR,)),
    Action("remove", ("delete",), "Remove this podcast", "Removes this podcast, after asking.", _P),
    Action("login", (), "Name and password",
           "Gives a name and a password to the server of this podcast or episode.", _P),
    Action("import_podcasts", (), "Import podcasts from a file",
           "Subscribes to all podcasts of an OPML file.", _P),
    Action("export_podcasts", (), "Export podcasts to a file",
           "Writes your podcasts as an OPML file.", _P),
    Action("theme", (), "Switch between dark and light",
           "Switches between the dark theme and the light one.", _A, palette=False),
    Action("search", ("ctrl+f",), "Search everything", "Finds episodes by words of titles and notes.", _A),
    Action("output", (), "Choose the sound output", "Chooses where the sound comes out.", _A),
    Action("palette", ("ctrl+p",), "Find a command", "Finds a command by its name.", _A, palette=False),
    Action("help", ("?",), "All keys", "Shows all keys.", _A, 1, "all keys", (*_PANES, Where.READING)),
    Action("quit", ("q",), "Quit", "Quits. Your place is kept. ctrl+q and ctrl+c do so everywhere.", _A),
)  # fmt: skip

_NAMED = frozenset(str(key.value) for key in Keys) | {"space"}
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "meta"})
_LABELS = {
    "question_mark": "?", "slash": "/", "left_square_bracket": "[", "right_square_bracket": "]", "minus": "-",
    "equals_sign": "=", "plus": "+", "comma": ",", "full_stop": ".", "escape": "esc", "pagedown": "page down",
    "pageup": "page up", "delete": "del",
}  # fmt: skip


def bindings(actions: Iterable[Action] = ACTIONS) -> list[Binding]:
    """The table as Textual binds it. Remapped keys come by the app's keymap."""
    return [
        Binding(",".join(map(_textual_name, action.keys)), action.id, action.title, id=action.id, show=False)
        for action in actions
        if action.keys
    ]


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
            problems.append(f"In [keys] of config.toml, there is no action “{action_id}”.{near}")
            continue
        keys = []
        for key in filter(None, (part.strip() for part in text.split(","))):
            if not is_key(key):
                problems.append(f"“{key}” is no key, so “{known[action_id].title}” doesn't get it.")
            elif given.setdefault(key, action_id) != action_id:
                problems.append(f"“{key}” is given to two actions. “{known[given[key]].title}” has it.")
            else:
                keys.append(key)
        if keys:
            wanted[action_id] = tuple(keys)
    result = []
    for action in actions:
        keys_now = wanted.get(action.id) or tuple(key for key in action.keys if given.get(key, action.id) == action.id)
        if action.keys and not keys_now:
            problems.append(f"“{action.title}” has no key now: another action was given it.")
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


def _textual_name(key: str) -> str:
    """Textual's name for a key that is written as its character."""
    if len(key) > 1 or key.isalnum():
        return key
    names = {"-": "minus", "+": "plus", "/": "slash", "\\": "backslash", "@": "at", "_": "underscore"}
    return names.get(key) or unicode_name(key, key).lower().replace("-", "_").replace(" ", "_")
