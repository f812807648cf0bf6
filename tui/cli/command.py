"""What a command is, and what it is given to work with."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from player.paths import Paths

if TYPE_CHECKING:
    from player.library import Library
    from player.settings import Settings


class Context:
    """Where the files are; the settings and the library when they are first asked for."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths

    @cached_property
    def settings(self) -> "Settings":
        """The settings. Mistakes in the file are told once; for what they are about the defaults hold."""
        from player.settings import load_settings

        settings, problems = load_settings(self.paths.settings)
        for problem in problems:
            complain(problem)
        return settings

    @contextmanager
    def library(self) -> Iterator["Library"]:
        """The open library. A new one has the built-in show's episodes already, which takes no network.

        Raises LibraryError.
        """
        from player.feeds.welcome_podcast import unpack_welcome
        from player.library import Library
        from tui import logs

        logs.start(self.paths.log)
        library = Library(self.paths)
        library.open()
        try:
            unpack_welcome(library)
            yield library
        finally:
            library.close()


Arguments = Callable[[ArgumentParser], None]
Run = Callable[[Context, Namespace], int]


@dataclass(frozen=True, slots=True)
class Command:
    """`about` and `examples` are what its --help says; `run` returns the exit code. `reports` gives it --json."""

    about: str
    examples: str
    run: Run
    arguments: Arguments = lambda _parser: None
    reports: bool = False


def complain(sentence: str) -> None:
    """One plain sentence on standard error."""
    from player.text.cleaning import clean_line

    if sys.stderr is not None:
        with suppress(OSError):  # Where nobody can be told, that is no reason to fail once more.
            print(f"earmark: {clean_line(sentence, 4000)}", file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))
