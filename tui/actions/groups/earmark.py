"""Earmark as a whole: search, settings, help."""

from player.text.sentences import mark
from tui.actions.action import PANES, Action, Focus, Group

_A = Group.EARMARK

EARMARK: tuple[Action, ...] = (
    Action("theme", "screen.theme", (), mark("Themes"), mark("Choose a theme, seen at once"), _A,
           also=mark("appearance colors colours look style")),
    Action("switch_theme", "screen.switch_theme", (), mark("Switch between dark and light"), "", _A,
           also=mark("mode appearance colors colours")),
    Action("search", "open.search", ("ctrl+f",), mark("Search everything"),
           mark("Search podcasts, titles, notes, transcripts"), _A,
           12, mark("search"), PANES, also=mark("find podcast episode everywhere lookup")),
    Action("statistics", "open.statistics", ("S",), mark("Show your listening in numbers"),
           mark("Show how much you listened, to what and when"), _A,
           also=mark("statistics stats hours year review time history")),
    Action("forget_history", "history.ask_to_forget", (), mark("Delete your listening history"), "", _A,
           also=mark("forget clear remove erase privacy statistics")),
    Action("offline", "offline.toggle", ("O",), mark("Go offline or online"),
           mark("Offline; again: only what can be played"), _A, also=mark("network airplane plane mode disconnect")),
    Action("focus_mode", "panes.toggle_focus_mode", ("F",), mark("Show this pane alone"),
           mark("This pane alone, or all of them again"), _A, also=mark("focus zoom maximize distraction full screen")),
    Action("mini_mode", "screen.toggle_mini", ("M",), mark("Show the player bar alone"),
           mark("The player bar alone, or everything again"), _A, also=mark("mini small compact tmux split")),
    Action("suspend", "screen.suspend", ("ctrl+z",), mark("Suspend Earmark"),
           mark("Back to the shell, paused; there fg resumes"), _A, palette=False),
    Action("pane_narrower", "panes.narrower", ("{",), mark("Make this pane narrower"),
           mark("Narrow this pane (or drag its edge)"), _A, also=mark("resize width smaller")),
    Action("pane_wider", "panes.wider", ("}",), mark("Make this pane wider"), mark("Widen this pane"), _A,
           also=mark("resize width larger bigger")),
    Action("pane_reset", "panes.reset", (), mark("Reset the widths of the panes"), "", _A,
           also=mark("resize default usual")),
    Action("output", "open.output", (), mark("Choose the sound output"), "", _A,
           also=mark("audio device speaker headphones")),
    Action("settings", "open.settings", (), mark("Show where the settings file is"), "", _A,
           also=mark("config configuration preferences options keys keybindings theme art file toml")),
    Action("palette", "open.palette", ("ctrl+p",), mark("Find a command"), mark("Search commands and podcasts"), _A,
           13, mark("commands"), PANES, palette=False),
    Action("help", "screen.help", ("?", "f1"), mark("Show all keys"), "", _A, 1, mark("all keys"),
           (*PANES, Focus.READING, Focus.ABOUT, Focus.NOW_PLAYING),
           also=mark("help shortcuts hotkeys keybindings bindings manual")),
    Action("detach", "playback.detach", ("Q",), mark("Play on in the background"),
           mark("Close the app; playback continues"), _A,
           also=mark("detach leave close terminal daemon headless")),
    Action("quit", "screen.quit", ("q",), mark("Quit"), mark("Quit; everywhere: ctrl+q, ctrl+c"), _A,
           also=mark("exit close")),
)  # fmt: skip
