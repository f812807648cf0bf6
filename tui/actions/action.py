"""What an action is: one thing a person can do, with its keys and the words that describe it."""

from collections.abc import Callable, Mapping
from enum import Enum, StrEnum

from msgspec import Struct

from player.text.sentences import mark


class Group(StrEnum):
    """The headings of the help screen, in its order; marked, as all words of this table."""

    LISTEN = mark("Listen")
    MOVE = mark("Move")
    EPISODES = mark("Episodes")
    QUEUE = mark("Queue")
    PODCASTS = mark("Podcasts")
    EARMARK = mark("Earmark")


class Focus(Enum):
    """What has the focus, which decides what the footer shows."""

    SIDEBAR = "sidebar"
    EPISODES = "episodes"
    NOTES = "notes"
    READING = "reading"
    ABOUT = "about"
    NOW_PLAYING = "now playing"
    FILTER = "filter"
    SIDEBAR_FILTER = "filter of the sidebar"


class Action(Struct, frozen=True):
    """`keys` are Textual's names of keys. What it runs says each screen that has it (`Runs`).

    `title` is for the palette, `help` for the help screen ("": the title). In `help`, `{id}` stands for the key of that
    action, `{time}` for how far it jumps, and `{speed_step}` for how much it changes the speed.

    `footer` is its priority in the footer, highest first (0: never shown), `word` its label there, `where` the panes
    that it is shown in (empty: all), and `partner` the id of an action whose first key is shown next to its own.
    `also`: other words by which people look for it in the palette.

    `title`, `help`, `word` and `also` are marked in the table, and translated where they are shown.
    """

    id: str
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


Runs = Mapping[str, Callable[[], object]]
"""What actions run, by their ids."""
IN_LIST = (Focus.EPISODES, Focus.NOTES)
ON_PAGE = (Focus.NOTES, Focus.READING)
PANES = (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)
