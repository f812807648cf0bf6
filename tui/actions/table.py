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
from player.text.sentences import _, mark, translate
from tui.look.glyphs import UNICODE, Glyphs


class Group(StrEnum):
    """The headings of the help screen, in its order; marked, as all words of this table."""

    LISTEN = mark("Listen")
    MOVE = mark("Move")
    EPISODES = mark("Episodes")
    PODCASTS = mark("Podcasts")
    EARMARK = mark("Earmark")


class Focus(Enum):
    """What has the focus, which decides what the footer shows."""

    SIDEBAR = "sidebar"
    EPISODES = "episodes"
    NOTES = "notes"
    READING = "reading"
    ABOUT = "about"
    FILTER = "filter"


@dataclass(frozen=True, slots=True)
class Action:
    """`runs` names a part of the screen and its function. `keys` are Textual's names of keys.

    `title` is for the palette, `help` for the help screen ("": the title). In `help`, `{id}` stands for the key of that
    action, `{time}` for how far it jumps, and `{speed_step}` for how much it changes the speed.

    `footer` is its priority in the footer, highest first (0: never shown), `word` its label there, `where` the panes
    that it is shown in (empty: all), and `partner` the id of an action whose first key is shown next to its own.
    `also`: other words by which people look for it in the palette.

    `title`, `help`, `word` and `also` are marked in the table, and translated where they are shown.
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
    Action("play", "here.enter", ("enter",), mark("Play the episode"),
           mark("Play; open a view or the notes"), _L, 100, mark("play"),
           (*_PANES, Focus.FILTER, Focus.READING, Focus.ABOUT), also=mark("listen start open")),
    Action("pause", "playback.toggle", ("space",), mark("Pause or resume"), "", _L, 90, mark("pause"),
           (*_PANES, Focus.READING), also=mark("stop continue")),
    Action("seek_back", "playback.seek_back", ("left",), mark("Jump back"), mark("Jump back {time}"), _L, 80,
           mark("seek"), (*_IN_LIST, Focus.READING), partner="seek_forward", also=mark("rewind seek")),
    Action("seek_forward", "playback.seek_forward", ("right",), mark("Jump forward"), mark("Jump forward {time}"), _L,
           also=mark("skip fast seek")),
    Action("seek_back_far", "playback.seek_back_far", ("shift+left",), mark("Jump further back"),
           mark("Jump back {time}"), _L, also=mark("rewind seek")),
    Action("seek_forward_far", "playback.seek_forward_far", ("shift+right",), mark("Jump further forward"),
           mark("Jump forward {time}"), _L, also=mark("skip fast seek")),
    Action("previous_chapter", "playback.previous_chapter", ("comma",), mark("Go to the previous chapter"),
           mark("Restart chapter; again: previous"), _L),
    Action("next_chapter", "playback.next_chapter", (".",), mark("Go to the next chapter"), "", _L, also=mark("skip")),
    Action("undo_jump", "playback.undo_jump", ("u",), mark("Undo the last jump"), "", _L, also=mark("back")),
    Action("restart", "playback.restart", ("0",), mark("Restart the episode"),
           mark("Restart the episode (press twice)"), _L, also=mark("beginning start from")),
    Action("slower", "playback.slower", ("[",), mark("Play slower"), mark("Play slower (by {speed_step})"), _L, 20,
           mark("speed"), (Focus.NOTES,), partner="faster", also=mark("speed")),
    Action("faster", "playback.faster", ("]",), mark("Play faster"), mark("Play faster (by {speed_step}, same pitch)"),
           _L, also=mark("speed")),
    Action("normal_speed", "playback.normal_speed", (), mark("Play at normal speed"), "", _L, also=mark("reset")),
    Action("quieter", "playback.quieter", ("-",), mark("Turn the volume down"), "", _L,
           also=mark("quieter softer lower sound")),
    Action("louder", "playback.louder", ("=", "+"), mark("Turn the volume up"), "", _L, also=mark("louder sound")),
    Action("mute", "playback.mute", (), mark("Mute or unmute"), "", _L, also=mark("volume silence sound")),
    Action("go_to_playing", "screen.go_to_playing", ("'",), mark("Go to the episode that's playing"), "", _L,
           also=mark("now current")),
    Action("go_back", "history.back", ("ctrl+o",), mark("Go back to the previous list"), "", _M),
    Action("down", "move.down", ("j", "down"), mark("Move down"), "", _M, palette=False),
    Action("up", "move.up", ("k", "up"), mark("Move up"), "", _M, palette=False),
    Action("half_page_down", "move.half_page_down", ("ctrl+d",), mark("Move down half a page"), "", _M, palette=False),
    Action("half_page_up", "move.half_page_up", ("ctrl+u",), mark("Move up half a page"), "", _M, palette=False),
    Action("page_down", "move.page_down", ("pagedown",), mark("Move down a page"), "", _M, palette=False),
    Action("page_up", "move.page_up", ("pageup",), mark("Move up a page"), "", _M, palette=False),
    Action("first", "move.first", ("g", "home"), mark("Go to the first row"), "", _M, palette=False),
    Action("last", "move.last", ("G", "end"), mark("Go to the last row"), "", _M, palette=False),
    Action("pane_left", "panes.left", ("h",), mark("Go to the pane on the left"), "", _M, palette=False),
    Action("pane_right", "panes.right", ("l",), mark("Go to the pane on the right"), "", _M, palette=False),
    Action("next_pane", "panes.next", ("tab",), mark("Go to the next pane"), "", _M, 15, mark("panes"), _PANES,
           palette=False),
    Action("previous_pane", "panes.previous", ("shift+tab",), mark("Go to the previous pane"), "", _M, palette=False),
    Action("back", "here.back", ("escape",), mark("Back"), mark("Clear filter, stop refresh, or go left"), _M, 95,
           mark("clear"), (Focus.FILTER, Focus.READING, Focus.ABOUT), palette=False),
    Action("filter", "here.find", ("/",), mark("Filter this list"), mark("Filter the list, or find in the open tab"),
           _E, 50, mark("filter"), _PANES, also=mark("find search")),
    Action("star", "marks.star", ("s",), mark("Star the episode"), mark("Star or unstar"), _E, 70, mark("star"),
           _IN_LIST, also=mark("unstar favorite favourite like save")),
    Action("played", "marks.played", ("m",), mark("Mark the episode as played"), mark("Mark as played or unplayed"), _E,
           60, mark("played"), _IN_LIST, also=mark("unplayed read done finished heard")),
    Action("download", "marks.download", ("d",), mark("Download the episode"), mark("Download, or delete the download"),
           _E, also=mark("delete remove file offline save")),
    Action("read", "open.read", ("v",), mark("Read the notes"), mark("Open or close the reading view"), _E,
           also=mark("page full screen zoom")),
    Action("tab_notes", "page.notes_tab", ("1",), mark("Show the notes"), "", _E, 35, mark("tabs"), _ON_PAGE,
           partner="tab_links", also=mark("description")),
    Action("tab_chapters", "page.chapters_tab", ("2",), mark("Show the chapters"),
           mark("Show the chapters; {play} plays from one"), _E),
    Action("tab_transcript", "page.transcript_tab", ("3",), mark("Show the transcript"),
           mark("Show transcript; again: other language"), _E, also=mark("words text")),
    Action("tab_links", "page.links_tab", ("4",), mark("Show the links"), mark("Show the links; {play} opens one"), _E),
    Action("people", "page.people", ("p",), mark("Show the people in the episode"),
           mark("Show the people and their other episodes"), _E, also=mark("who guests hosts")),
    Action("follow", "page.follow_playback", ("f",), mark("Follow playback"), mark("Follow playback again"), _E),
    Action("narrower", "here.narrower", ("<",), mark("Make the text narrower"), "", _E, 30, mark("width"),
           (Focus.READING,), partner="wider", palette=False),
    Action("wider", "here.wider", (">",), mark("Make the text wider"), "", _E, palette=False),
    Action("next_episode", "list.next", ("J",), mark("Select the next episode"),
           mark("Select the next episode (any pane)"), _E, 45, mark("episodes"), (Focus.READING,),
           partner="previous_episode"),
    Action("previous_episode", "list.previous", ("K",), mark("Select the previous episode"),
           mark("Select the previous episode (any pane)"), _E),
    Action("links", "page.links", ("o",), mark("Choose a link"), mark("List the links: type a number, then {play}"), _E,
           65, mark("links"), _ON_PAGE, also=mark("open browser url")),
    Action("copy_link", "here.copy", ("y",), mark("Copy the link"), mark("Copy the link to the episode's page"), _E,
           also=mark("yank clipboard url share")),
    Action("copy_links", "links.copy_all", ("Y",), mark("Copy all links"), mark("Copy all links as Markdown"), _E,
           also=mark("yank clipboard urls")),
    Action("add", "podcasts.add", ("a",), mark("Add a podcast"), mark("Add a podcast by feed or website URL"), _P, 40,
           mark("add"), _PANES, also=mark("subscribe new feed rss url")),
    Action("refresh", "refresh.podcast", ("r",), mark("Refresh this podcast"),
           mark("Check this podcast for new episodes"), _P, 55, mark("refresh"), (Focus.SIDEBAR,),
           also=mark("update reload new")),
    Action("refresh_all", "refresh.all", ("R",), mark("Refresh all podcasts"),
           mark("Check all podcasts for new episodes"), _P, also=mark("update reload new sync")),
    Action("about", "podcasts.about", ("i",), mark("About this podcast"), mark("Show details, statistics and links"),
           _P, 45, mark("about"), (Focus.SIDEBAR,), also=mark("info details statistics")),
    Action("remove", "podcasts.unsubscribe", ("delete",), mark("Unsubscribe from this podcast"),
           mark("Unsubscribe (asks first)"), _P, also=mark("remove delete")),
    Action("login", "podcasts.sign_in", (), mark("Sign in to a server"),
           mark("Sign in to the server of this podcast or episode"), _P,
           also=mark("name password log login account private")),
    Action("import_podcasts", "podcasts.import_opml", (), mark("Import podcasts from a file"),
           mark("Subscribe to all podcasts in an OPML file"), _P, also=mark("opml subscribe")),
    Action("export_podcasts", "podcasts.export_opml", (), mark("Export podcasts to a file"),
           mark("Export your podcasts as an OPML file"), _P, also=mark("opml backup save")),
    Action("theme", "screen.theme", (), mark("Switch between dark and light"),
           mark("Switch between the dark and the light theme"), _A, palette=False),
    Action("search", "open.search", ("ctrl+f",), mark("Search everything"),
           mark("Search titles, notes and transcripts"), _A, also=mark("find")),
    Action("output", "open.output", (), mark("Choose the sound output"), "", _A,
           also=mark("audio device speaker headphones")),
    Action("settings", "open.settings", (), mark("Show where the settings file is"), "", _A,
           also=mark("configuration config preferences options keys")),
    Action("palette", "open.palette", ("ctrl+p",), mark("Find a command"), mark("Search commands and podcasts"), _A,
           palette=False),
    Action("help", "screen.help", ("?",), mark("Show all keys"), "", _A, 1, mark("all keys"),
           (*_PANES, Focus.READING, Focus.ABOUT), also=mark("help shortcuts bindings manual")),
    Action("quit", "screen.quit", ("q",), mark("Quit"), mark("Quit; everywhere: ctrl+q, ctrl+c"), _A,
           also=mark("exit close")),
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
        Binding(",".join(map(_textual_name, action.keys)), f"act({action.id!r})", id=action.id, show=False)
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
    changes: Mapping[str, str], actions: Sequence[Action] = ACTIONS
) -> tuple[tuple[Action, ...], tuple[str, ...]]:
    """The table with the keys of [keys] (`{"star": "f,ctrl+s"}`), and a sentence for each change that can't be made.

    A key given to one action is taken from the one that had it. A comma as a key is written `comma`.
    """
    known = {action.id: action for action in actions}
    given: dict[str, str] = {}
    changed: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for action_id, text in changes.items():
        if action_id not in known:
            near = suggestion(action_id, known)
            problems.append(_("In [keys] of config.toml, there is no action “{name}”.", name=action_id) + near)
            continue
        keys = []
        for key in filter(None, (part.strip() for part in text.split(","))):
            if not is_key(key):
                title = translate(known[action_id].title)
                problems.append(_("“{key}” isn't a key; “{action}” keeps its own.", key=key, action=title))
            elif given.setdefault(key, action_id) != action_id:
                title = translate(known[given[key]].title)
                problems.append(_("“{key}” is set for two actions; “{action}” gets it.", key=key, action=title))
            else:
                keys.append(key)
        if keys:
            changed[action_id] = tuple(keys)
    result = []
    for action in actions:
        keys_now = changed.get(action.id) or tuple(key for key in action.keys if given.get(key, action.id) == action.id)
        if action.keys and not keys_now:
            title = translate(action.title)
            problems.append(_("“{action}” has no key now: another action has taken it.", action=title))
        result.append(replace(action, keys=keys_now))
    return tuple(result), tuple(problems)


def keymap(actions: Sequence[Action]) -> dict[str, str]:
    """The keys that differ from those of the table, by action id, for Textual."""
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
    return key_label(action.keys[0], glyphs) if action.keys else _("“{title}”", title=translate(action.title))


def _textual_name(key: str) -> str:
    """Textual's name for a key that is written as its character."""
    if len(key) > 1 or key.isalnum():
        return key
    names = {"-": "minus", "+": "plus", "/": "slash", "\\": "backslash", "@": "at", "_": "underscore"}
    return names.get(key) or unicode_name(key, key).lower().replace("-", "_").replace(" ", "_")
