"""What a command is, and what it is given to work with."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from player.paths import Paths

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from player.library import Library
    from player.settings import Settings


class Context:
    """The paths; settings and library are loaded when first used."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths

    @cached_property
    def settings(self) -> "Settings":
        """The settings. Each mistake in the file is reported once, and the default applies instead."""
        from player.settings_file import load_settings

        settings, problems = load_settings(self.paths.settings)
        for problem in problems:
            complain(problem)
        return settings

    @contextmanager
    def library(self) -> Iterator["Library"]:
        """The open library. A new one already contains the built-in podcast.

        Raises LibraryError.
        """
        from player.feeds.welcome_podcast import unpack_welcome
        from player.library import Library
        from tui import logs

        logs.start(self.paths.log)
        library = Library(self.paths, uses_inbox=lambda: self.settings.inbox.enabled)
        library.open()
        try:
            unpack_welcome(library)
            yield library
        finally:
            library.close()


Arguments = Callable[["ArgumentParser"], None]
Run = Callable[[Context, "Namespace"], int]


class Filters(StrEnum):
    """What --filter is about."""

    EPISODES = "episodes"
    MOMENTS = "moments"
    """Rows that stand in the order of time, each about an episode."""
    PODCASTS = "podcasts"


class Lists(Struct, frozen=True):
    """How a command lists. `rows`: the documents that are lists, as in `Command.prints`, the usual one first; or one
    that is printed as a single row. `screenful`: in a terminal it lists no more unless it is asked to.

    `limited` is False where --limit means nothing, or the command has its own.
    """

    rows: tuple[str, ...]
    filters: Filters | None = None
    screenful: bool = False
    limited: bool = True


class Command(Struct, frozen=True):
    """`about` and `examples` are shown by --help; `run` returns the exit code.

    With `reports` it accepts --json; `prints` names what that prints (types of `player/integrations/documents`)
    by when it does so: "" usually, "with --delete", "with EPISODE". `lists`: it lists rows.
    `exits` are exit codes that mean more than usual.
    """

    about: str
    examples: str
    run: Run
    arguments: Arguments = lambda _parser: None
    reports: bool = False
    prints: Mapping[str, str] = {}
    lists: Lists | None = None
    exits: Mapping[int, str] = {}


def complain(sentence: str) -> None:
    """One plain sentence on standard error."""
    from player.text.cleaning import clean_line

    if sys.stderr is not None:
        with suppress(OSError):  # A closed or full standard error must not hide the exit code.
            print(f"earmark: {clean_line(sentence, 4000)}", file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))
