"""Earmark as a whole: search, settings, help."""

from player.text.sentences import mark
from tui.actions.action import PANES, Action, Focus, Group

_A = Group.EARMARK

EARMARK: tuple[Action, ...] = (
    Action("theme", "screen.theme", (), mark("Switch between dark and light"),
           mark("Switch between the dark and the light theme"), _A, palette=False),
    Action("search", "open.search", ("ctrl+f",), mark("Search everything"),
           mark("Search podcasts, titles, notes, transcripts"), _A, also=mark("find podcast")),
    Action("statistics", "open.statistics", ("S",), mark("Show your listening in numbers"),
           mark("Show how much you listened, to what and when"), _A,
           also=mark("statistics stats hours year review time history")),
    Action("forget_history", "history.ask_to_forget", (), mark("Delete your listening history"), "", _A,
           also=mark("forget clear remove erase privacy statistics")),
    Action("offline", "offline.toggle", ("O",), mark("Go offline or online"),
           mark("Offline; again: only what can be played"), _A, also=mark("network airplane plane mode disconnect")),
    Action("output", "open.output", (), mark("Choose the sound output"), "", _A,
           also=mark("audio device speaker headphones")),
    Action("settings", "open.settings", (), mark("Show where the settings file is"), "", _A,
           also=mark("configuration config preferences options keys")),
    Action("palette", "open.palette", ("ctrl+p",), mark("Find a command"), mark("Search commands and podcasts"), _A,
           palette=False),
    Action("help", "screen.help", ("?",), mark("Show all keys"), "", _A, 1, mark("all keys"),
           (*PANES, Focus.READING, Focus.ABOUT), also=mark("help shortcuts bindings manual")),
    Action("quit", "screen.quit", ("q",), mark("Quit"), mark("Quit; everywhere: ctrl+q, ctrl+c"), _A,
           also=mark("exit close")),
)  # fmt: skip
