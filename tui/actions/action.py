"""An action: something the listener can do, with its keys and the words that describe it."""

from collections.abc import Callable, Mapping
from enum import Enum, StrEnum

from msgspec import Struct

from player.text.sentences import mark


class Group(StrEnum):
    """The headings of the list of commands, in its order; marked for translation, like all words of the table."""

    LISTEN = mark("Listen")
    MOVE = mark("Move")
    EPISODES = mark("Episodes")
    QUEUE = mark("Queue")
    PODCASTS = mark("Podcasts")
    EARMARK = mark("Earmark")


class Focus(Enum):
    """The part of the screen with the focus, which decides what the footer shows."""

    SIDEBAR = "sidebar"
    EPISODES = "episodes"
    NOTES = "notes"
    READING = "reading"
    ABOUT = "about"
    NOW_PLAYING = "now playing"
    FILTER = "filter"
    SIDEBAR_FILTER = "filter of the sidebar"


class Action(Struct, frozen=True):
    """`keys` are Textual's names of keys. Each screen that has the action says which function it runs (`Runs`).

    `title` says what it does, wherever that is written.

    `footer` is its priority in the footer, highest first (0: never shown), `word` its label there, `where` the panes in
    which the footer shows it (empty: all), and `partner` the id of an action whose first key is shown next to its own.
    `also` are other words by which people look for it.

    `title`, `word` and `also` are marked in the table, and translated where they are shown.
    """

    id: str
    keys: tuple[str, ...]
    title: str
    group: Group
    footer: int = 0
    word: str = ""
    where: tuple[Focus, ...] = ()
    partner: str = ""
    also: str = ""


Runs = Mapping[str, Callable[[], object]]
"""The functions that actions run, by action id."""
IN_LIST = (Focus.EPISODES, Focus.NOTES)
ON_PAGE = (Focus.NOTES, Focus.READING)
PANES = (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)
