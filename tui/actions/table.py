"""The table of everything a listener can do, by the headings of the list of commands. The bindings, the footer,
that list, the documents and `earmark keys` are made from it."""

from collections.abc import Container, Iterable, Mapping, Sequence

from textual.binding import Binding

from player.settings import Playback
from player.text.durations import in_words, parse_time
from player.text.sentences import _, mark, translate
from tui.actions.action import IN_LIST, ON_PAGE, PANES, Action, Focus, Group, Runs
from tui.actions.keys import MOVED, ON_SCREEN, canonical, parts
from tui.actions.keys import is_key as is_key
from tui.actions.keys import key_label as key_label
from tui.look.glyphs import UNICODE, Glyphs

_A = Group.EARMARK

EARMARK: tuple[Action, ...] = (
    Action("theme", (), mark("Themes"), _A,
           also=mark("appearance colors colours look style")),
    Action("switch_theme", (), mark("Switch between dark and light"), _A,
           also=mark("mode appearance colors colours")),
    Action("search", ("ctrl+f",), mark("Search everything"), _A,
           12, mark("search"), PANES, also=mark("find podcast episode everywhere lookup")),
    Action("statistics", (), mark("Show listening statistics"), _A,
           also=mark("statistics stats hours year review time history")),
    Action("forget_history", (), mark("Delete the listening history"), _A,
           also=mark("forget clear remove erase privacy statistics")),
    Action("offline", (), mark("Go offline or online"), _A, also=mark("network airplane plane mode disconnect")),
    Action("sync", (), mark("Sync: set up, status"), _A,
           also=mark("synchronise synchronize gpodder nextcloud audiobookshelf syncthing folder phone devices")),
    Action("sync_now", (), mark("Sync now"), _A, also=mark("synchronise synchronize pull push")),
    Action("focus_mode", (), mark("Zoom this pane"), _A, also=mark("focus zoom maximize distraction full screen")),
    Action("mini_mode", (), mark("Mini player"), _A, also=mark("mini small compact tmux split")),
    Action("screen_reader", (), mark("Screen reader mode: on or off"), _A,
           also=mark("blind braille accessibility orca brltty speakup speech")),
    Action("suspend", ("ctrl+z",), mark("Suspend (fg returns)"), _A),
    Action("pane_narrower", (), mark("Make this pane narrower"), _A, also=mark("resize width smaller")),
    Action("pane_wider", (), mark("Make this pane wider"), _A,
           also=mark("resize width larger bigger")),
    Action("pane_reset", (), mark("Reset the widths of the panes"), _A, also=mark("resize default usual")),
    Action("output", (), mark("Choose the sound output"), _A, also=mark("audio device speaker headphones")),
    Action("settings", ("C",), mark("Settings"), _A,
           also=mark("config configuration preferences options keys keybindings theme art file toml")),
    Action("help", ("?", "ctrl+p", "f1"), mark("Show all commands and keys"), _A, 1, mark("all keys"),
           (*PANES, Focus.READING, Focus.ABOUT, Focus.NOW_PLAYING),
           also=mark("help shortcuts hotkeys keybindings bindings manual palette find")),
    Action("detach", ("Q",), mark("Play on in the background"), _A,
           also=mark("detach leave close terminal daemon headless")),
    Action("quit", ("q",), mark("Quit"), _A, also=mark("exit close")),
)  # fmt: skip


_E = Group.EPISODES

EPISODES: tuple[Action, ...] = (
    Action("filter", ("/",), mark("Filter this list or page"), _E, 50,
           mark("filter"), PANES, also=mark("find search")),
    Action("star", ("s",), mark("Star or unstar the episode"), _E, 70, mark("star"),
           (*IN_LIST, Focus.ABOUT, Focus.NOW_PLAYING), also=mark("unstar favorite favourite like save")),
    Action("played", ("m",), mark("Mark as played or unplayed"), _E,
           60, mark("played"), IN_LIST, also=mark("unplayed read done finished heard")),
    Action("download", ("d",), mark("Download the episode, or delete the download"),
           _E, 58, mark("download"), (Focus.EPISODES,), also=mark("file delete remove offline save")),
    Action("pause_download", ("D",), mark("Pause, resume or retry the download"),
           _E, 98, mark("pause or resume"), (Focus.EPISODES,), also=mark("stop retry try again failed")),
    Action("pause_downloads", (), mark("Pause or resume all downloads"), _E, also=mark("stop hold continue")),
    Action("transcribe", (), mark("Transcribe the episode, or cancel that"), _E,
           also=mark("captions speech recognition whisper")),
    Action("summarise", (), mark("Summary of the episode: show it, or make one"), _E,
           also=mark("summarize chapters language model llm made here")),
    Action("retry_downloads", (), mark("Retry the downloads that failed"), _E, also=mark("again")),
    Action("dismiss", ("x",), mark("Dismiss from New, or an offer to import"), _E,
           72, mark("dismiss"), (*IN_LIST, Focus.READING), also=mark("inbox archive ignore remove")),
    Action("select", ("V",), mark("Select several episodes, or lines of a transcript"), _E,
           also=mark("multiple many visual range mark")),
    Action("select_all", ("ctrl+a",), mark("Select all episodes of the list"), _E,
           also=mark("multiple many everything")),
    Action("older_played", (), mark("Mark older episodes as played"), _E,
           also=mark("catch up before previous read done")),
    Action("undo", ("U",), mark("Undo the last change"), _E, also=mark("revert restore back")),
    Action("redo", ("ctrl+r",), mark("Redo what was undone"), _E, also=mark("again repeat")),
    Action("read", ("v",), mark("Read the notes"), _E,
           56, mark("read"), (Focus.EPISODES,), also=mark("page full screen fullscreen zoom")),
    Action("tab_notes", ("1",), mark("Show the notes"), _E, 35, mark("tabs"), ON_PAGE,
           partner="tab_bookmarks", also=mark("description")),
    Action("tab_chapters", ("2",), mark("Show the chapters"), _E),
    Action("tab_transcript", ("3",), mark("Show the transcript"), _E, also=mark("words text")),
    Action("tab_links", ("4",), mark("Show the links"), _E),
    Action("tab_bookmarks", ("5",), mark("Show the bookmarks of the episode"), _E),
    Action("tab_comments", ("6",), mark("Show the comments on the episode"), _E,
           also=mark("replies mastodon fediverse discussion")),
    Action("people", (), mark("Show the people in the episode"), _E, also=mark("who guests hosts")),
    Action("follow", ("f",), mark("Follow playback in the page"), _E),
    Action("narrower", (), mark("Make the text narrower"), _E, 30, mark("width"),
           (Focus.READING,), partner="wider"),
    Action("wider", (), mark("Make the text wider"), _E),
    Action("next_episode", ("J",), mark("Next episode; in the queue: move it down"), _E, 45, mark("episodes"),
           (Focus.READING, Focus.EPISODES), partner="previous_episode"),
    Action("previous_episode", ("K",), mark("Previous episode; in the queue: move it up"), _E),
    Action("links", ("o",), mark("Open a link"), _E,
           65, mark("links"), ON_PAGE, also=mark("open browser url")),
    Action("copy_link", ("y",), mark("Copy the link"), _E,
           also=mark("yank clipboard url share")),
    Action("copy_links", ("Y",), mark("Copy all links as Markdown"), _E,
           also=mark("yank clipboard urls")),
)  # fmt: skip


_L = Group.LISTEN

LISTEN: tuple[Action, ...] = (
    Action("play", ("enter",), mark("Play or open"), _L, 100, mark("play"),
           (*PANES, Focus.FILTER, Focus.SIDEBAR_FILTER, Focus.READING, Focus.ABOUT, Focus.NOW_PLAYING),
           also=mark("play listen start open")),
    Action("pause", ("space",), mark("Pause or resume"), _L, 90, mark("pause"),
           (*PANES, Focus.READING, Focus.ABOUT, Focus.NOW_PLAYING), also=mark("stop continue toggle halt")),
    Action("seek_back", ("left",), mark("Jump back"), _L, 80, mark("seek"),
           (*IN_LIST, Focus.READING, Focus.NOW_PLAYING), partner="seek_forward", also=mark("rewind back seek")),
    Action("seek_forward", ("right",), mark("Jump forward"), _L,
           also=mark("forward skip fast seek")),
    Action("seek_back_far", ("shift+left",), mark("Jump further back"), _L, also=mark("far rewind seek")),
    Action("seek_forward_far", ("shift+right",), mark("Jump further forward"), _L, also=mark("far skip fast seek")),
    Action("previous_chapter", ("comma",), mark("Restart the chapter; again: the previous one"),
           _L, 78, mark("chapter"), (Focus.NOW_PLAYING,), partner="next_chapter"),
    Action("next_chapter", (".",), mark("Go to the next chapter"), _L, also=mark("following skip")),
    Action("undo_jump", ("u",), mark("Undo the last jump"), _L, also=mark("return back")),
    Action("restart", ("0",), mark("Restart the episode (press twice)"), _L, also=mark("beginning start from")),
    Action("bookmark", ("b",), mark("Bookmark this moment"), _L, 74, mark("bookmark"),
           (Focus.NOW_PLAYING,), also=mark("earmark save keep remember mark")),
    Action("bookmark_note", ("B",), mark("Bookmark this moment with a note"), _L,
           also=mark("earmark save keep remember mark comment write")),
    Action("segment_start", ("(",), mark("Mark the start of a segment"), _L,
           also=mark("intro outro sponsor advertisement ad recap skip begin")),
    Action("segment_end", (")",), mark("Mark the end of a segment"), _L, 96, mark("mark"), (Focus.ABOUT,),
           also=mark("intro outro sponsor advertisement ad recap skip")),
    Action("segment_skip", ("*",), mark("Skip this kind of segment, always"), _L,
           also=mark("intro outro sponsor advertisement ad recap yes")),
    Action("segment_leave", ("!",), mark("Never skip this kind of segment"), _L,
           also=mark("intro outro sponsor advertisement ad recap no play")),
    Action("copy_moment", (), mark("Copy a link to this moment"), _L,
           also=mark("share yank clipboard time second")),
    Action("clip", (), mark("Make a clip"), _L,
           also=mark("cut part quote excerpt audio file")),
    Action("watch", (), mark("Watch the video"), _L, also=mark("mpv youtube film movie picture player")),
    Action("sleep", ("t",), mark("Sleep timer"), _L,
           also=mark("sleep night bedtime stop minutes end chapter episode fade off")),
    Action("sleep_longer", (), mark("Sleep timer: 5 minutes longer"), _L, also=mark("night add more extend")),
    Action("sleep_off", (), mark("Turn the sleep timer off"), _L, also=mark("night cancel stop")),
    Action("stop_after", ("T",), mark("Stop after this episode"), _L, also=mark("sleep end last one next queue")),
    Action("slower", ("[",), mark("Play slower"), _L, 20,
           mark("speed"), (Focus.NOTES,), partner="faster", also=mark("tempo speed rate")),
    Action("faster", ("]",), mark("Play faster"),
           _L, also=mark("tempo speed rate quick")),
    Action("normal_speed", ("backspace",), mark("Play at normal speed"), _L, also=mark("speed reset")),
    Action("keep_speed", (), mark("Keep this speed for this podcast"), _L, also=mark("save default own")),
    Action("quieter", ("-",), mark("Turn the volume down"), _L, also=mark("quieter softer lower sound")),
    Action("louder", ("=", "+"), mark("Turn the volume up"), _L, also=mark("louder sound")),
    Action("mute", (), mark("Mute or unmute"), _L, also=mark("silence volume sound")),
    Action("level", (), mark("Level all podcasts, or play them as they are"), _L,
           also=mark("loudness volume equal normalize replaygain quiet loud")),
    Action("boost", (), mark("Voice boost: off, gentle, strong"), _L, also=mark("clear speech equalizer compressor")),
    Action("trim", (), mark("Trim pauses: off, gentle, strong"), _L, also=mark("silence skip smart speed shorten")),
    Action("where", ("W",), mark("Say what is playing, and where"), _L, also=mark("position time left screen reader")),
    Action("go_to_playing", ("'",), mark("Go to the episode that's playing"), _L, also=mark("now current")),
    Action("now_playing", ("w",), mark("Now playing"), _L, also=mark("full screen cover transcript")),
)  # fmt: skip


LISTS: tuple[Action, ...] = (
    Action("order", ("z",), mark("Sort the list"),
           _E, also=mark("order reorder date length oldest newest")),
    Action("hide_played", (), mark("Hide or show what is played"), _E, also=mark("unplayed filter finished")),
    Action("continue_list", (), mark("Continue with this list after the queue"), _E,
           also=mark("continue autoplay next oldest newest")),
    Action("playlist", ("p",), mark("Add to a playlist"), _E, also=mark("list save")),
    Action("save_search", (), mark("Save a search as a list"), _E, also=mark("smart list filter new")),
    Action("edit_list", (), mark("Edit or rename this list"), _E, also=mark("smart list playlist query")),
    Action("download_list", (), mark("Auto-download this list"), _E,
           also=mark("smart list playlist rule offline automatically")),
    Action("delete_list", (), mark("Delete this list"), _E, also=mark("remove smart list playlist")),
)  # fmt: skip


_M = Group.MOVE

MOVING: tuple[Action, ...] = (
    Action("go_back", ("ctrl+o",), mark("Go back to the previous list"), _M),
    Action("down", ("j", "down"), mark("Move down"), _M),
    Action("up", ("k", "up"), mark("Move up"), _M),
    Action("half_page_down", ("ctrl+d",), mark("Move down half a page"), _M),
    Action("half_page_up", ("ctrl+u",), mark("Move up half a page"), _M),
    Action("page_down", ("pagedown",), mark("Move down a page"), _M),
    Action("page_up", ("pageup",), mark("Move up a page"), _M),
    Action("first", ("g", "home"), mark("Go to the first row"), _M),
    Action("last", ("G", "end"), mark("Go to the last row"), _M),
    Action("screen_top", (), mark("Go to the first row on the screen"), _M),
    Action("screen_middle", (), mark("Go to the row in the middle of the screen"), _M),
    Action("screen_bottom", (), mark("Go to the last row on the screen"), _M),
    Action("center", (), mark("Scroll this row to the middle"), _M),
    Action("pane_left", ("h",), mark("Go to the pane on the left"), _M),
    Action("pane_right", ("l",), mark("Go to the pane on the right"), _M),
    Action("next_pane", ("tab",), mark("Go to the next pane"), _M, 15, mark("panes"), PANES),
    Action("previous_pane", ("shift+tab",), mark("Go to the previous pane"), _M),
    Action("back", ("escape",), mark("End selection, clear filter, or go left"), _M, 95,
           mark("clear"),
           (Focus.FILTER, Focus.SIDEBAR_FILTER, *IN_LIST, Focus.READING, Focus.ABOUT, Focus.NOW_PLAYING)),
)  # fmt: skip


_P = Group.PODCASTS

PODCASTS: tuple[Action, ...] = (
    Action("add", ("a",), mark("Find or add podcasts"), _P, 40,
           mark("add"), PANES,
           also=mark("add subscribe new feed rss url search directory apple fyyd gpodder single episodes guest")),
    Action("suggestions", (), mark("Podcasts suggested by Earmark"), _P,
           also=mark("find discover starter developer list recommended")),
    Action("charts", (), mark("Podcast charts"), _P,
           also=mark("find discover top popular country topic")),
    Action("refresh", ("r",), mark("Refresh this podcast"), _P, 55,
           mark("refresh"), (Focus.SIDEBAR,), also=mark("update reload check new")),
    Action("refresh_all", ("R",), mark("Refresh all podcasts"), _P, also=mark("update reload check new fetch")),
    Action("refresh_results", (), mark("Show the results of the last refresh"), _P,
           also=mark("failed errors new news feeds")),
    Action("about", ("i",), mark("About this podcast"),
           _P, 45, mark("about"), (Focus.SIDEBAR,), also=mark("info details statistics")),
    Action("podcast_settings", ("c",), mark("Settings of this podcast"),
           _P, 93, mark("settings"), (Focus.ABOUT,), also=mark("speed volume skip intro outro inbox filter configure")),
    Action("tags", (), mark("Tags of this podcast"), _P, 92,
           mark("tags"), (Focus.ABOUT,), also=mark("label folder group category")),
    Action("rename", (), mark("Rename this podcast"), _P,
           also=mark("title name call")),
    Action("pin", (), mark("Pin or unpin this podcast"), _P,
           also=mark("unpin top first favorite favourite")),
    Action("remove", ("delete",), mark("Unsubscribe; in lists: remove"), _P, also=mark("remove podcast")),
    Action("login", (), mark("Sign in to a server"), _P,
           also=mark("name password log login account private")),
    Action("import_podcasts", (), mark("Import from a file or another app"), _P,
           also=mark("opml subscribe antennapod gpodder castero newsboat kasts migrate move")),
    Action("export_podcasts", (), mark("Export to a file"), _P,
           also=mark("opml json markdown backup save podcasts")),
)  # fmt: skip


_Q = Group.QUEUE

QUEUE: tuple[Action, ...] = (
    Action("queue", ("e",), mark("Add to the queue"), _Q, 75,
           mark("queue"), (*IN_LIST, Focus.READING, Focus.ABOUT), also=mark("queue enqueue later up next")),
    Action("queue_next", ("E",), mark("Play next"), _Q, also=mark("queue first up")),
    Action("skip", ("n",), mark("Skip to the next episode"), _Q, 76, mark("next"),
           (Focus.NOW_PLAYING,), also=mark("next queue following")),
    Action("previous", (), mark("Play the episode before this one"), _Q, also=mark("previous back last skip")),
    Action("unqueue", (), mark("Remove from the queue"), _Q, also=mark("remove delete")),
    Action("move_down", (), mark("Move down in the queue"), _Q, also=mark("later")),
    Action("move_up", (), mark("Move up in the queue"), _Q, also=mark("earlier sooner")),
    Action("queue_sort", (), mark("Sort the queue"), _Q, also=mark("reorder order date podcast length")),
    Action("queue_shuffle", (), mark("Shuffle the queue"), _Q, also=mark("random")),
    Action("queue_mix", (), mark("Mix the queue fairly"), _Q, also=mark("spread podcasts evenly turns")),
    Action("queue_clear", (), mark("Clear the queue"), _Q, also=mark("empty remove all")),
)  # fmt: skip


ACTIONS: tuple[Action, ...] = (*LISTEN, *MOVING, *EPISODES, *QUEUE, *LISTS, *PODCASTS, *EARMARK)
CURSOR_MOVES: tuple[Action, ...] = tuple(action for action in MOVING if action.id in MOVED | ON_SCREEN)
"""The actions that move the cursor, or scroll."""

BY_COMMAND = {
    "play": "earmark play EPISODE",
    "pause": "earmark toggle",
    "seek_back": "earmark seek -15",
    "seek_forward": "earmark seek +30",
    "undo_jump": "earmark seek --undo",
    "seek_back_far": "earmark seek -60",
    "seek_forward_far": "earmark seek +60",
    "previous_chapter": "earmark seek --chapter previous",
    "next_chapter": "earmark seek --chapter next",
    "restart": "earmark seek 0",
    "sleep": "earmark sleep 30",
    "sleep_longer": "earmark sleep longer",
    "sleep_off": "earmark sleep off",
    "stop_after": "earmark sleep episode",
    "slower": "earmark speed 0.9",
    "faster": "earmark speed 1.1",
    "normal_speed": "earmark speed 1",
    "keep_speed": "earmark set PODCAST speed=1.2",
    "quieter": "earmark volume 40",
    "louder": "earmark volume 60",
    "mute": "earmark volume 0",
    "level": "earmark config set audio.level -16",
    "boost": "earmark config set audio.boost gentle",
    "trim": "earmark config set audio.trim gentle",
    "where": "earmark status",
    "go_to_playing": "earmark status",
    "now_playing": "earmark status",
    "filter": "earmark search QUERY",
    "star": "earmark mark starred EPISODE",
    "played": "earmark mark played EPISODE",
    "dismiss": "earmark mark dismissed EPISODE",
    "select": "earmark mark played EPISODE EPISODE",
    "download": "earmark download EPISODE",
    "pause_download": "earmark download --pause EPISODE",
    "pause_downloads": "earmark download --pause",
    "transcribe": "earmark transcribe EPISODE",
    "summarise": "earmark summarise EPISODE",
    "retry_downloads": "earmark download --retry",
    "older_played": "earmark mark played --older-than EPISODE",
    "undo": "earmark undo",
    "redo": "earmark redo",
    "read": "earmark show EPISODE",
    "tab_notes": "earmark show EPISODE",
    "tab_chapters": "earmark chapters EPISODE",
    "tab_transcript": "earmark transcript EPISODE",
    "tab_links": "earmark show EPISODE",
    "tab_bookmarks": "earmark bookmark list EPISODE",
    "tab_comments": "earmark comments EPISODE",
    "bookmark": "earmark bookmark",
    "bookmark_note": "earmark bookmark --note TEXT",
    "segment_start": "earmark segment EPISODE 12:30 13:05",
    "segment_end": "earmark segment EPISODE 12:30 13:05",
    "segment_skip": "earmark set PODCAST sponsor=skip",
    "segment_leave": "earmark set PODCAST sponsor=leave",
    "copy_moment": "earmark status --json",
    "clip": "earmark clip EPISODE 12:30 13:05",
    "watch": "earmark watch EPISODE",
    "people": "earmark show EPISODE",
    "links": "earmark show EPISODE",
    "copy_link": "earmark show EPISODE",
    "copy_links": "earmark show EPISODE",
    "queue": "earmark queue add EPISODE",
    "queue_next": "earmark queue next EPISODE",
    "skip": "earmark next",
    "previous": "earmark previous",
    "unqueue": "earmark queue remove EPISODE",
    "move_down": "earmark queue move EPISODE 3",
    "move_up": "earmark queue move EPISODE 1",
    "queue_sort": "earmark queue sort oldest",
    "queue_shuffle": "earmark queue shuffle",
    "queue_mix": "earmark queue mix",
    "queue_clear": "earmark queue clear",
    "hide_played": "earmark lists LIST --hide-played yes",
    "order": "earmark lists LIST --order oldest",
    "continue_list": "earmark lists LIST --continue yes",
    "playlist": "earmark playlist add PLAYLIST EPISODE",
    "save_search": "earmark lists --new NAME --search QUERY",
    "edit_list": "earmark lists LIST --rename NAME",
    "delete_list": "earmark lists LIST --delete",
    "download_list": "earmark lists LIST --download 5",
    "add": "earmark add URL",
    "suggestions": "earmark find WORDS",
    "charts": "earmark find --popular",
    "refresh": "earmark refresh PODCAST",
    "refresh_all": "earmark refresh",
    "refresh_results": "earmark refresh",
    "about": "earmark podcasts PODCAST",
    "podcast_settings": "earmark set PODCAST",
    "tags": "earmark tag PODCAST TAG",
    "rename": "earmark set PODCAST title=TITLE",
    "pin": "earmark set PODCAST pinned=yes",
    "remove": "earmark remove PODCAST",
    "login": "earmark login PODCAST",
    "import_podcasts": "earmark import FILE",
    "export_podcasts": "earmark export FILE",
    "search": "earmark search QUERY",
    "offline": "earmark offline on",
    "sync": "earmark sync status",
    "sync_now": "earmark sync now",
    "output": "earmark output NAME",
    "statistics": "earmark stats",
    "forget_history": "earmark forget-history",
    "screen_reader": "earmark config set appearance.screen_reader true",
    "settings": "earmark config",
    "theme": "earmark themes",
    "quit": "earmark quit",
    "help": "earmark help",
}
"""The command line that does the same as each action, for screen readers and scripts; words in capitals are
placeholders."""

SCREEN_ONLY = frozenset({
    "go_back", "down", "up", "half_page_down", "half_page_up", "page_down", "page_up", "first", "last", "pane_left",
    "pane_right", "next_pane", "previous_pane", "back", "select_all", "follow", "narrower", "wider", "next_episode",
    "previous_episode", "switch_theme", "focus_mode", "pane_narrower", "pane_wider", "pane_reset",
    "mini_mode", "suspend", "detach", "screen_top", "screen_middle", "screen_bottom", "center",
})  # fmt: skip
"""Actions without a command line: they only move about on the screen or change its look."""

_UNBOUND = "unbound-"
"""The prefix of names that no key has. Actions without a key are bound to such a name, so that Textual's keymap can
give them a key."""


def bindings(actions: Iterable[Action] = ACTIONS) -> list[Binding]:
    """The table as Textual's bindings: each key calls `action_act` of the screen. Remapped keys are set by the app's
    keymap."""
    return [Binding(_textual_keys(action), f"act({action.id!r})", id=action.id, show=False) for action in actions]


def functions(actions: Iterable[Action], *runs: Runs) -> Runs:
    """The function that each of the `actions` runs, by action id; if several `runs` have it, the last one counts.
    Raises LookupError for an action that none of them has."""
    known = {action_id: function for some in runs for action_id, function in some.items()}
    return {action.id: known[action.id] for action in actions}


def remapped(
    changes: Mapping[str, str], actions: Sequence[Action] = ACTIONS
) -> tuple[tuple[Action, ...], tuple[str, ...]]:
    """The table with the keys of [keys], and a sentence for each change that can't be made."""
    if not changes:
        return tuple(actions), ()
    from tui.actions import remapping

    return remapping.remapped(changes, actions)


def keymap(actions: Sequence[Action]) -> dict[str, str]:
    """The keys that differ from the table's, by action id, for Textual's keymap."""
    defaults = {action.id: action.keys for action in ACTIONS}
    return {action.id: _textual_keys(action) for action in actions if action.keys != defaults[action.id]}


def sequences(actions: Iterable[Action]) -> dict[tuple[str, str], str]:
    """The ids of the actions with a sequence of two keys, by the two keys in Textual's names."""
    pairs = ((parts(canonical(key)), action.id) for action in actions for key in action.keys)
    return {(pair[0], pair[1]): action_id for pair, action_id in pairs if len(pair) == 2}


def keys_of(actions: Iterable[Action], ids: Container[str]) -> frozenset[str]:
    """The keys of the actions with these `ids`, in Textual's names; of a sequence, its second key."""
    return frozenset(parts(canonical(key))[-1] for action in actions if action.id in ids for key in action.keys)


def length(action: Action, playback: Playback) -> str:
    """How far the action jumps, in words; "" if it doesn't."""
    jump = getattr(playback, action.id, "")
    return in_words(parse_time(jump)) if jump else ""


def key_for(action_id: str, actions: Iterable[Action], glyphs: Glyphs = UNICODE) -> str:
    """The listener's key for an action as sentences name it; without one, the key of the list of commands with what to
    choose there."""
    by_id = {action.id: action for action in actions}
    action, help_ = by_id[action_id], by_id.get("help")
    if action.keys:
        return key_label(action.keys[0], glyphs)
    title = _("“{title}”", title=translate(action.title))
    return f"{key_label(help_.keys[0], glyphs)} {title}" if help_ and help_.keys else title


def _textual_keys(action: Action) -> str:
    """The single keys of an action (no sequences), as Textual's bindings write them."""
    return ",".join(canonical(key) for key in action.keys if len(parts(key)) == 1) or _UNBOUND + action.id
