"""`queue`: shows the queue and changes it. A running Earmark makes the change itself."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from player.acts import Acts
from player.integrations.json_api import episode_json
from player.integrations.remote import RemoteActs, heard
from player.library.listening.queue import QueueOrder
from player.model.episode import EpisodeId
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, Filters, Misuse, Rows
from tui.cli.commands.episodes import EPISODE_COLUMNS
from tui.cli.completing.kinds import offer_after
from tui.cli.narrowing import fitting
from tui.cli.printout import Printout
from tui.drawing.phrases import queue_facts

if TYPE_CHECKING:
    from player.library import Library


_QUEUE = Rows("list[Episode]", EPISODE_COLUMNS, Filters.EPISODES)
_WITH_EPISODES = ("add", "next", "remove")
_WHAT = ("list", *_WITH_EPISODES, "clear", "move", "sort", "shuffle", "mix")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="WHAT",
        nargs="?",
        choices=_WHAT,
        default="list",
        help=_("one of {what}; list if left out", what=", ".join(_WHAT)),
    )
    rest = parser.add_argument(
        "rest",
        metavar="EPISODE",
        nargs="*",
        help=_(
            "IDs, titles or parts of titles; move: one and its new rank (1 plays next); sort: one of {orders}",
            orders=", ".join(QueueOrder),
        ),
    )
    offer_after(rest, "sort", QueueOrder)


def _queue(context: Context, options: Namespace) -> int:
    what, rest = options.what, options.rest
    if problem := _misuse(what, rest):
        raise Misuse(problem)
    printout = Printout(context, options, _QUEUE)
    with context.library() as library:
        said = context.acts(library, lambda acts: _act(library, acts, what, rest)) if what != "list" else ""
        episodes = library.episodes.rows(library.queue.ids())
        held, speed = heard(context.paths.socket)
        left = library.queue.left(held.episode_id if held else None)
        ranks = {one.id: rank for rank, one in enumerate(episodes, 1)}
        shown = episodes
        if options.filter is not None:
            shown = library.episodes.rows(fitting(library, [one.id for one in episodes], options.filter))
    if said and printout.is_table:
        print(said)
        return 0
    empty = _("The queue is empty. Add an episode with: earmark queue add EPISODE")
    nothing = empty if options.filter is None else _("No episodes fit.")
    if printout.print((episode_json(one, ranks) for one in shown), nothing):
        coming, lasts_ms = len(episodes) - left.has_besides, left.ms / speed + (held.left_ms or 0 if held else 0)
        unknown = left.unknown + (held is not None and held.left_ms is None)
        print(queue_facts(coming, int(lasts_ms), unknown, datetime.now(), "·", plays=left.has_besides)[0])
    return 0


def _misuse(what: str, rest: Sequence[str]) -> str:
    """What is wrong with the arguments; "" for nothing."""
    if what in _WITH_EPISODES:
        return "" if rest else _("No episode is named")
    if what == "move":
        fits = len(rest) == 2 and rest[1].isascii() and rest[1].isdigit() and int(rest[1][:9]) > 0
        return "" if fits else _("Moving needs an episode and its new rank")
    if what == "sort":
        known = [order.value for order in QueueOrder]
        return "" if len(rest) == 1 and rest[0] in known else _("Sort by one of {orders}", orders=", ".join(known))
    return _("Unexpected argument “{text}”", text=rest[0]) if rest else ""


def _act(library: "Library", acts: Acts | RemoteActs, what: str, rest: Sequence[str]) -> str:
    """Does it, so that it can be undone in the app; what came of it, in a sentence."""
    match what:
        case "add" | "next" | "remove":
            return _with_episodes(library, acts, what, [library.episodes.find(text).id for text in rest])
        case "move":
            return _move(library, acts, library.episodes.find(rest[0]).id, int(rest[1][:9]))
        case "clear":
            gone = len(acts.clear_queue().result())
            return plural(gone, "{n:,} episode taken out of the queue.", "{n:,} episodes taken out of the queue.")
        case "sort":
            changed = acts.sort_queue(QueueOrder(rest[0])).result()
        case "shuffle":
            changed = acts.shuffle_queue().result()
        case _:
            changed = acts.mix_queue().result()
    return _("The queue is in another order now.") if changed else _("The queue is in that order already.")


def _with_episodes(library: "Library", acts: Acts | RemoteActs, what: str, ids: Sequence[EpisodeId]) -> str:
    if what == "add":
        changed = acts.queue_last(ids).result()
        return plural(len(changed), "{n:,} episode queued.", "{n:,} episodes queued.")
    if what == "next":
        acts.queue_next(ids).result()
        (first,) = library.episodes.rows(ids[:1])
        return _("“{title}” plays next.", title=first.title)
    changed = acts.unqueue(ids).result()
    return plural(len(changed), "{n:,} episode taken out of the queue.", "{n:,} episodes taken out of the queue.")


def _move(library: "Library", acts: Acts | RemoteActs, episode_id: EpisodeId, rank: int) -> str:
    queue = list(library.queue.ids())
    if episode_id not in queue:
        return _("That episode isn't in the queue.")
    acts.move_in_queue([episode_id], rank - 1 - queue.index(episode_id)).result()
    now = list(library.queue.ids()).index(episode_id) + 1
    return _("It has rank {n:,} of {total:,} now.", n=now, total=len(queue))


COMMANDS = {
    "queue": Command(
        summary=_("show or change the queue"),
        after="downloads",
        about=_("Show the queue, or change it: add, next, remove, clear, move, sort, shuffle, mix."),
        examples=(
            "earmark queue\nearmark queue add 117 “Compiler collectives”\nearmark queue move 117 1\n"
            "earmark queue sort oldest\nearmark queue --json | jq -r '.[].title'\n"
            "earmark queue --format '{queued}. {title} ({duration})'"
        ),
        run=_queue,
        arguments=_arguments,
        lists=(_QUEUE,),
    ),
}
