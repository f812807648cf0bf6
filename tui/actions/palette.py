"""The palette: every command by its name, the themes, and each podcast to jump to."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

from msgspec import Struct
from textual.app import App
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from player.model.podcast import Podcast
from player.text.sentences import _, translate
from tui.actions.action import Action
from tui.actions.matching import match
from tui.actions.table import key_label
from tui.bridge import PodcastArrived
from tui.drawing.cells import fit
from tui.framework.closing import ClosesOnce
from tui.framework.input_limits import MOST_LETTERS
from tui.look.glyphs import Glyphs, glyphs_of
from tui.look.themes import THEMES

_KEY_CELLS = 10


class Command(Struct, frozen=True):
    """`key` is how its key is written, "" if it has none; `also` are other words that find it."""

    title: str
    key: str
    run: Callable[[], object]
    also: str = ""


def commands(screen: Screen[Any], actions: Sequence[Action], podcasts: Sequence[Podcast]) -> Iterator[Command]:
    """What can be done from `screen`, in the order of the table; then the themes, then the podcasts."""
    app: App[Any] = screen.app
    glyphs = glyphs_of(app)
    for action in actions:
        if action.palette:
            run = partial(screen.run_action, f"act({action.id!r})")
            yield Command(translate(action.title), _key(action, glyphs), run, translate(action.also))
    for name in THEMES:
        if name != app.theme:
            chosen = partial(app.run_action, f"choose_theme({name!r})")
            yield Command(_("Theme: {name}", name=name), "", chosen, theme_words(name))
    for podcast in podcasts:
        yield Command(
            _("Go to {podcast}", podcast=podcast.title), "", partial(screen.post_message, PodcastArrived(podcast.id))
        )


def theme_words(name: str) -> str:
    """By which other words a theme is found."""
    return _("dark mode appearance colors colours") if THEMES[name].dark else _("light mode appearance colors colours")


def _key(action: Action, glyphs: Glyphs) -> str:
    return key_label(action.keys[0], glyphs) if action.keys else ""


class Palette(ClosesOnce, CommandPalette):
    """Finds a command by a few letters of its name. One line each: its key, its name."""

    DEFAULT_CSS = """
    Palette {
        background: $background 70%;

        & > Vertical {
            width: 72;
            max-width: 100%;
            margin-top: 2;
            background: $panel;
            &:dark { background: $panel; }
        }
        & SearchIcon { display: none; }
        & #--input, & #--input.--list-visible {
            border: none;
            padding: 1 1 0 1;
            background: $panel;
        }
        & CommandInput, & CommandInput:focus {
            border: none;
            height: 1;
            padding: 0 2;
            background: $panel;
        }
        & CommandList {
            border: none;
            padding: 1 0;
            max-height: 60vh;
            text-wrap: nowrap;
            text-overflow: ellipsis;
            background: $panel;
            scrollbar-size-vertical: 1;
            scrollbar-background: $panel;
            scrollbar-background-hover: $panel;
            scrollbar-background-active: $panel;
        }
        & CommandList > .option-list--option { padding: 0 3; text-style: none; color: $text; }
        & CommandList > .option-list--option-highlighted { background: $line; color: $text; text-style: bold; }
        & LoadingIndicator { display: none; }
    }
    Palette > .command-palette--highlight { color: $accent; text-style: bold; }
    Palette:nocolor {
        & #--input, & #--input.--list-visible { border: solid $line; border-bottom: none; }
        & CommandList { border: solid $line; border-top: none; padding: 0; }
        & CommandList > .option-list--option-highlighted { text-style: bold underline; }
        & Input > .input--cursor { text-style: reverse; }
        & > .command-palette--highlight { text-style: bold; }
    }
    """

    def __init__(self, found: Sequence[Command]) -> None:
        class Found(_Commands):
            commands = tuple(found)

        super().__init__([Found], placeholder=_("Search commands and podcasts"))

    def on_mount(self) -> None:
        self.query_one(Input).max_length = MOST_LETTERS


class _Commands(Provider):
    commands: ClassVar[tuple[Command, ...]] = ()

    async def discover(self) -> Hits:
        for command in self.commands:
            yield DiscoveryHit(_shown(command, Content(command.title)), command.run, command.title)

    async def search(self, query: str) -> Hits:
        for command in self.commands:
            # Not by Textual, which reads the brackets in a podcast's title as markup, and tries letters that come
            # again in every combination.
            score, letters = match(query, command.title)
            score += rank(query, command)
            if score > 0:
                title = Content(command.title)
                for at in letters:
                    title = title.stylize(self.match_style or "bold", at, at + 1)
                yield Hit(score, _shown(command, title), command.run, command.title)


_IN_TITLE, _AMONG_OTHERS = 2_000.0, 1_000.0


def rank(query: str, command: Command) -> float:
    """Words that begin as those of the title come first, then those among its other words, then letters in order."""
    wanted = query.casefold().split()
    title = re.findall(r"\w+", command.title.casefold())
    if _begin(wanted, title):
        return _IN_TITLE
    return _AMONG_OTHERS if _begin(wanted, [*title, *command.also.split()]) else 0.0


def _begin(wanted: Sequence[str], words: Sequence[str]) -> bool:
    return all(any(word.startswith(one) for word in words) for one in wanted)


def _shown(command: Command, title: Content) -> Content:
    return Content.assemble(Content.styled(fit(command.key, _KEY_CELLS), "$muted"), title)
