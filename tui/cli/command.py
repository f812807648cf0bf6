"""What a command is, and what it is given to work with."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from player.errors import EarmarkError, NotRunning
from player.paths import Paths
from player.text.sentences import _
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from concurrent.futures import Future

    from player.acts import Acts
    from player.attachments.attachments import Attachments
    from player.bookmarks import Bookmarks
    from player.events import Bus
    from player.integrations.remote import RemoteActs
    from player.library import Library
    from player.media import MediaStore
    from player.model.episode import Chapters, Episode
    from player.model.podcast import PodcastId
    from player.net.credentials import Credentials
    from player.settings import Settings
    from tui.look.glyphs import Glyphs


T = TypeVar("T")

_HAND_OVER_S = 2.0
"""How long a command waits at most until hooks are asked for; it doesn't wait for them."""


class Misuse(Exception):
    """Arguments that don't go together, in a sentence: exit code 2, and the name of the command's help."""


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

    @cached_property
    def glyphs(self) -> "Glyphs":
        """Those that standard output can show."""
        from tui.look.glyphs import glyphs_for

        return glyphs_for(self.settings.appearance.ascii, sys.stdout.encoding)

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

    @cached_property
    def credentials(self) -> "Credentials":
        """The names and passwords for servers."""
        from player.net.credentials import Credentials

        return Credentials(self.paths.logins)

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """What the running Earmark answers over the control socket.

        Raises ControlError: none is running (NotRunning), or it refuses.
        """
        from player.integrations.client import request

        return request(self.paths.socket, command, **arguments)

    def ask_any(self, command: str, **arguments: Any) -> dict[str, Any] | None:
        """What the running Earmark answers; None where none is running, and the command does it here.

        Raises ControlError: the running Earmark refuses.
        """
        try:
            return self.ask(command, **arguments)
        except NotRunning:
            return None

    def status(self) -> dict[str, Any] | None:
        """The status of the running Earmark; None where none is running. Raises ControlError."""
        answer = self.ask_any("status")
        return dict(answer["status"]) if answer else None

    def acts(self, library: "Library", do: "Callable[[Acts | RemoteActs], T]") -> "T":
        """What `do` answers when it is given the acts of the Earmark that runs, whose screen shows the change at once;
        else those of this process. They can be undone in either case.

        Raises what `do` raises, and ControlError: the running Earmark refuses.
        """
        from player.acts import Acts
        from player.events import Bus
        from player.integrations.remote import RemoteActs

        try:
            return do(RemoteActs(self.paths.socket))
        except NotRunning:
            return do(Acts(library, Bus(), at_once))

    @contextmanager
    def attachments(self, library: "Library") -> "Iterator[Attachments]":
        """The chapters and transcripts of an open library's episodes."""
        from player.attachments.attachments import Attachments
        from player.events import Bus

        store = self.store(library, downloaded=lambda episode: library.downloads.get(episode.id))
        attachments = Attachments(library, store, Bus(), language=self.settings.transcripts.language)
        try:
            yield attachments
        finally:
            attachments.close()

    def store(self, library: "Library", **more: Any) -> "MediaStore":
        """The audio of an open library's episodes; `more` as MediaStore takes it."""
        from player.media import MediaStore
        from player.sources import all_pages

        return MediaStore(
            self.paths,
            login=self.credentials.find,
            feed=lambda episode: library.podcasts.get(episode.podcast_id).url,
            pages=all_pages(self.credentials),
            **more,
        )

    @contextmanager
    def bookmarks(self, library: "Library") -> "Iterator[Bookmarks]":
        """Makes and deletes them as the app does: with chapter and line, in the Markdown file, and to be undone."""
        from player.bookmarks import Bookmarks
        from player.events import Bus, Notice

        bus = Bus()
        bus.subscribe(Notice, lambda notice: complain(notice.text))
        with self.hooks(library, bus, "bookmarked"), self.attachments(library) as attachments:
            bookmarks = Bookmarks(library, bus, at_once, self.settings.bookmarks, lambda: attachments)
            try:
                yield bookmarks
            finally:
                bookmarks.close()

    def chapters_on_disk(self, library: "Library", episode: "Episode") -> "Chapters":
        """The chapters of an open library's episode: imports nothing that fetches or plays."""
        from player.attachments.chapter_sources import ChapterSources
        from player.attachments.episode_transcripts import Transcripts
        from player.media.available import on_disk
        from player.media.local_file import own_file

        podcast = library.podcasts.get(episode.podcast_id)
        download = library.downloads.path(episode.id) or own_file(episode.url, podcast.url)
        sources = ChapterSources(
            library, Transcripts(library, ""), lambda one: on_disk(self.paths.media, one, download)
        )
        return sources.find(episode).chapters

    @contextmanager
    def hooks(self, library: "Library", bus: "Bus", setting: str) -> Iterator[None]:
        """Within it, the listener's program of that setting runs at what is published on the bus, which ends then."""
        if setting not in self.settings.hooks.programs:
            yield
            return
        from msgspec.structs import replace

        from player.integrations.hooks.event_hooks import EventHooks
        from player.settings import HOOKS

        others: dict[str, tuple[str, ...]] = {name: () for name in HOOKS if name != setting}
        hooks = EventHooks(replace(self.settings.hooks, **others), library, bus, self.paths.hook_failures)
        hooks.start()
        try:
            yield
        finally:
            hooks.close()
            bus.close(_HAND_OVER_S)


def at_once(work: Callable[[], T]) -> "Future[T]":
    """Work done here and now, as acts ask for it."""
    from concurrent.futures import Future

    done: Future[T] = Future()
    done.set_result(work())
    return done


Arguments = Callable[["ArgumentParser"], None]
Run = Callable[[Context, "Namespace"], int]


class Filters(StrEnum):
    """What --filter is about."""

    EPISODES = "episodes"
    MOMENTS = "moments"
    """Rows that stand in the order of time, each about an episode."""
    PODCASTS = "podcasts"


Row = Mapping[str, Any]
"""What --json prints of one thing."""


class Column(Struct, frozen=True):
    """A column of a table. `cell` says what it shows of a row: a template, as for --format, or a function.

    Too long a line drops the columns with the highest `spare` first, then narrows `flexible` ones, widest first. An
    `optional` one is left out where no row has anything in it.
    """

    title: str
    cell: str | Callable[[Row, Context], str] = ""
    right: bool = False
    flexible: bool = False
    spare: int = 0
    optional: bool = False


class Rows(Struct, frozen=True):
    """How rows are listed: as JSON, by --format, or in a table of `columns`.

    `document` is their type, or its name, as in `Command.prints`: `list[Podcast]`, or what is printed as a single row.
    `screenful`: in a terminal it lists no more rows unless it is asked to. `limited` is False where --limit means
    nothing, or the command has its own.
    """

    document: Any
    columns: tuple[Column, ...] = ()
    filters: Filters | None = None
    screenful: bool = False
    limited: bool = True


class Command(Struct, frozen=True):
    """`summary` says in a few words what it does, for `earmark help`, where it follows the command that it is `after`:
    the one before it in its module, if none is named. `heading`: what the group is called that begins with it. `about`
    and `examples` are shown by its own --help; `run` returns the exit code.

    `former`: an older word, which is answered and listed nowhere, and what is typed instead of it today.
    `bare`: options that may be typed first, without their dashes.

    `misuse` says which arguments don't go together, in a sentence, or ""; then `run` isn't called (exit code 2).

    `prints` is what --json prints (a type, or the name of one of `player/integrations/documents`) by when it does so:
    "" usually, "with --delete", "with EPISODE"; the rows of `lists` where it is left out. Without either it takes no
    --json. `lists`: what it lists, the usual kind of rows first, which its options are about.
    `exits` are exit codes that mean more than usual.
    """

    summary: str
    about: str
    examples: str
    run: Run
    arguments: Arguments = lambda _parser: None
    prints: Mapping[str, Any] = {}
    lists: tuple[Rows, ...] = ()
    exits: Mapping[int, str] = {}
    misuse: Callable[["Namespace"], str] = lambda _options: ""
    after: str | None = None
    heading: str = ""
    former: str = ""
    bare: tuple[str, ...] = ()

    @property
    def documents(self) -> Mapping[str, Any]:
        """What --json prints, by when it does so: the rows that are listed, where nothing else is said."""
        return self.prints or ({"": self.lists[0].document} if self.lists else {})


def complain(sentence: str) -> None:
    """One plain sentence on standard error."""
    from player.text.cleaning import clean_line

    if sys.stderr is not None:
        with suppress(OSError):  # A closed or full standard error must not hide the exit code.
            print(f"earmark: {clean_line(sentence, 4000)}", file=sys.stderr, flush=True)


def passing(text: str) -> None:
    """A line on the terminal of standard error, in the place of the one before; "" for none."""
    if is_terminal(sys.stderr):
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def complain_of(failed: Iterable[tuple[str, str]]) -> None:
    """Each by its title, with what is wrong."""
    for title, sentence in failed:
        complain(f"{title}: {sentence}")


def titled(library: "Library", failed: Iterable[tuple["PodcastId", str]]) -> list[tuple[str, str]]:
    """The podcasts by their titles, with the sentences about them."""
    titles = {one.id: one.title for one in library.podcasts.all()}
    return [(titles.get(one, str(one)), sentence) for one, sentence in failed]


def typed(question: str) -> str:
    """The line that is typed. Asks on standard error, which is seen even when the output goes into a file."""
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def typed_login(name: str, password: str, *, takes_key: bool = False) -> tuple[str, str]:
    """Asks for a name and a password, which isn't shown. Without a name there is no second question, unless the server
    `takes_key`, an API key in place of both."""
    import getpass

    first = typed(name).strip()
    return first, getpass.getpass(password) if first or takes_key else ""


def typed_login_or_key(server: str) -> tuple[str, str]:
    """The same for a server that takes an API key."""
    return typed_login(
        _("Name for {host} (leave empty for an API key): ", host=server),
        _("Password or API key (not shown): "),
        takes_key=True,
    )


def confirmed(yes: bool, question: str, otherwise: str, *, option: str = "--yes") -> bool:
    """Whether the listener says `yes` in advance, by that option, or when asked; `otherwise` is printed after a no.

    Raises EarmarkError without a terminal.
    """
    if yes:
        return True
    if not is_terminal(sys.stdin):
        advice = _("Can't ask without a terminal; add {option} to confirm.", option=option)
        raise EarmarkError(question, advice)
    if typed(f"{question} {_('[y/N]')} ").strip().lower() in ("y", "yes", _("[y/N]")[1:2].lower(), _("yes")):
        return True
    print(otherwise)
    return False


def print_json(document: Any) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))


def tell(options: "Namespace", sentence: str) -> None:
    """Prints it on standard output; with --json only the document goes there, and it on standard error."""
    print(sentence, file=sys.stderr if options.json else sys.stdout, flush=True)


def report(options: "Namespace", document: Any, *lines: str) -> int:
    """Prints the document with --json, else the lines. Returns the exit code, 0."""
    if options.json:
        print_json(document)
    else:
        for line in lines:
            print(line)
    return 0
