"""A field for the path of a file, which completes names of the folders and files on this computer."""

import asyncio
import os
from itertools import islice
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import BindingType
from textual.suggester import Suggester
from textual.widgets import Input

from player.links.addresses import with_home
from player.processes.threads import on_own_thread
from player.text.cleaning import clean_line
from tui.framework.screen import MOST_LETTERS

_MOST_NAMES = 10_000
"""The most names of a folder that are looked at."""


class PathField(Input):
    """`tab`, or `right` at the end, takes the completion that is shown; `tab` without one goes on as usual."""

    BINDINGS: ClassVar[list[BindingType]] = [("tab", "complete")]

    def __init__(self, value: str = "", *, placeholder: str) -> None:
        super().__init__(
            value, placeholder=placeholder, suggester=_Paths(), select_on_focus=False, max_length=MOST_LETTERS
        )

    def action_complete(self) -> None:
        typed = self.value
        if self.cursor_position == len(typed):
            self.action_cursor_right()
        if self.value == typed:
            raise SkipAction


class _Paths(Suggester):
    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """A disk that doesn't respond holds up nothing: the folder is read on a thread of its own."""
        return await asyncio.wrap_future(on_own_thread(lambda: completed(value), "earmark-names"))


def completed(typed: str) -> str | None:
    """A typed path with the name that it begins, the first in the order of the alphabet; a folder's ends with `/`.
    None if there is none. Hidden names are completed once they are begun."""
    folder, slash, begun = typed.rpartition("/")
    try:
        with os.scandir(with_home(f"{folder}{slash}" or ".")) as entries:
            found = [one for one in islice(entries, _MOST_NAMES) if one.name.startswith(begun or ".") is bool(begun)]
            first = min(found, key=lambda one: one.name, default=None)
            if first is None or clean_line(first.name) != first.name:
                return None
            return f"{folder}{slash}{first.name}{'/' if first.is_dir() else ''}"
    except (OSError, ValueError):
        return None
