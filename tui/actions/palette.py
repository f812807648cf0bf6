"""What the palette offers: commands, themes, lists and podcasts, found by a few letters or by other words for them."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import Any

from msgspec import Struct
from textual.app import App
from textual.screen import Screen

from player.model.podcast import Podcast
from player.text.sentences import _, mark, translate
from tui.actions.action import Action
from tui.actions.matching import IN_ONE_PIECE, score
from tui.actions.table import key_label
from tui.bridge import PodcastArrived
from tui.look.glyphs import glyphs_of
from tui.look.palettes.catalogue import BUILT_IN

_MOST_RECENT = 5
_MOST = 30
"""Found commands of a group that are shown."""


class Kind(StrEnum):
    """The groups of the palette, in their order; marked."""

    RECENT = mark("Recent")
    COMMANDS = mark("Commands")
    LISTS = mark("Lists")
    PODCASTS = mark("Podcasts")
    EPISODES = mark("Episodes")


class Command(Struct, frozen=True):
    """`key` is how its key is written, "" if it has none; `also` are other words that find it; `id` is its name among
    the recent ones, "" if it isn't kept there."""

    title: str
    key: str
    run: Callable[[], object]
    also: str = ""
    kind: Kind = Kind.COMMANDS
    id: str = ""
    detail: str = ""


class Hit(Struct, frozen=True):
    """A command that fits what was typed, and which letters of its title match."""

    command: Command
    letters: tuple[int, ...] = ()


def commands(
    screen: Screen[Any], actions: Sequence[Action], podcasts: Sequence[Podcast], lists: Sequence[Command] = ()
) -> Iterator[Command]:
    """What can be done from `screen`, in the order of the table; then the themes, the `lists` and the podcasts."""
    app: App[Any] = screen.app
    glyphs = glyphs_of(app)
    for action in actions:
        if action.palette:
            key = key_label(action.keys[0], glyphs) if action.keys else ""
            run = partial(screen.run_action, f"act({action.id!r})")
            yield Command(translate(action.title), key, run, translate(action.also), id=action.id)
    for name in BUILT_IN:
        if name != app.theme:
            shown = partial(app.run_action, f"theme({name!r})")  # nothing is chosen before it has been seen
            yield Command(_("Theme: {name}", name=name), "", shown, theme_words(name), id=f"theme {name}")
    yield from lists
    for podcast in podcasts:
        go = partial(screen.post_message, PodcastArrived(podcast.id))
        title = _("Go to {podcast}", podcast=podcast.title)
        yield Command(title, "", go, kind=Kind.PODCASTS, id=f"podcast {podcast.id}")


def theme_words(name: str) -> str:
    """By which other words a theme is found."""
    return (
        _("dark mode appearance colors colours") if BUILT_IN[name].dark else _("light mode appearance colors colours")
    )


def read_recent(text: str) -> list[str]:
    """The ids that `with_recent` wrote, the last first."""
    return [one for one in text.split("\n") if one]


def with_recent(recent: Sequence[str], command_id: str) -> str:
    """The ids with that one before them, as text to remember."""
    return "\n".join([command_id, *(one for one in recent if one != command_id)][:_MOST_RECENT])


def offered(found: Sequence[Command], recent: Sequence[str]) -> list[tuple[Kind, list[Hit]]]:
    """Before anything is typed: the recent ones, then all, by group."""
    by_id = {command.id: command for command in found if command.id}
    groups = [(Kind.RECENT, [Hit(by_id[one]) for one in recent if one in by_id])]
    groups += [(kind, [Hit(one) for one in found if one.kind is kind]) for kind in Kind]
    return [(kind, hits) for kind, hits in groups if hits]


def search(
    found: Sequence[Command], query: str, recent: Sequence[str] = (), cancelled: Callable[[], bool] = lambda: False
) -> list[tuple[Kind, list[Hit]]]:
    """What fits, by group, the group with the best first; in each the best first, of equals what was run last.

    Letters that are just somewhere in a title count only where nothing fits better.
    """
    freshness = {one: -at for at, one in enumerate(recent)}
    scored: list[tuple[float, float, Command, tuple[int, ...]]] = []
    for command in found:
        if cancelled():
            return []
        fit, letters = score(query, command.title, command.also)
        if fit > 0:
            scored.append((fit, freshness.get(command.id, -len(recent)), command, letters))
    if any(one[0] >= IN_ONE_PIECE for one in scored):
        scored = [one for one in scored if one[0] >= IN_ONE_PIECE]
    scored.sort(key=lambda one: (-int(one[0] / 1000), -one[1], -one[0]))
    groups: dict[Kind, list[Hit]] = {}
    for _fit, _fresh, command, letters in scored:
        groups.setdefault(command.kind, []).append(Hit(command, letters))
    return [(kind, hits[:_MOST]) for kind, hits in groups.items()]
