"""`queue`: shows the queue and changes it. A running Earmark makes the change itself."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import datetime

from player.acts import Acts
from player.integrations.json_api import episode_json
from player.integrations.remote import RemoteActs, heard
from player.library import Library
from player.library.listening.queue import QueueOrder
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, Filters, Rows
from tui.cli.commands.episodes import EPISODE_COLUMNS
from tui.cli.completing import offer_after
from tui.cli.episode_order import misuse, moved
from tui.cli.named_lists import fitting
from tui.cli.printout import Printout
from tui.drawing.phrases import queue_facts

_QUEUE = Rows("list[Episode]", EPISODE_COLUMNS, Filters.EPISODES)
_WHAT = ("list", "add", "next", "remove", "clear", "move", "sort", "shuffle", "mix")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="WHAT",
        nargs="?",
        choices=_WHAT,
        default="list",
        help=_("one of {what} (default: list)", what=", ".join(_WHAT)),
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
    printout = Printout(context, options, _QUEUE)
    with context.library() as library:
        said = context.acts(library, lambda acts: _act(library, acts, what, rest)) if what != "list" else ""
        ids = library.queue.ids()
        held, speed = heard(context.paths.socket)
        left = library.queue.left(held.episode_id if held else None)
        shown, ranks = library.episodes.rows(fitting(library, ids, options.filter)), library.queue.ranks()
    if said and printout.is_table:
        print(said)
        return 0
    empty = _("The queue is empty. Add an episode with: earmark queue add EPISODE")
    nothing = empty if options.filter is None else _("No episodes match.")
    if printout.print((episode_json(one, ranks) for one in shown), nothing):
        coming, lasts_ms = len(ids) - left.has_besides, left.ms / speed + (held.left_ms or 0 if held else 0)
        unknown = left.unknown + (held is not None and held.left_ms is None)
        print(queue_facts(coming, int(lasts_ms), unknown, datetime.now(), "·", plays=left.has_besides)[0])
    return 0


def _misuse(options: Namespace) -> str:
    if options.what != "sort":
        return misuse(options.what, options.rest)
    known = [order.value for order in QueueOrder]
    is_known = len(options.rest) == 1 and options.rest[0] in known
    return "" if is_known else _("Sort by one of {orders}", orders=", ".join(known))


def _act(library: Library, acts: Acts | RemoteActs, what: str, rest: Sequence[str]) -> str:
    """Does it, so that it can be undone in the app; what came of it, in a sentence."""
    ids = [library.episodes.find(text).id for text in rest] if what in ("add", "next", "remove") else []
    match what:
        case "add":
            queued = len(acts.queue_last(ids).result())
            return plural(queued, "{n:,} episode queued.", "{n:,} episodes queued.")
        case "next":
            acts.queue_next(ids).result()
            return _("“{title}” plays next.", title=library.episodes.get(ids[0]).title)
        case "remove" | "clear":
            gone = len((acts.unqueue(ids) if what == "remove" else acts.clear_queue()).result())
            return plural(gone, "{n:,} episode taken out of the queue.", "{n:,} episodes taken out of the queue.")
        case "move":
            one = library.episodes.find(rest[0]).id
            absent = _("That episode isn't in the queue.")
            return moved(library.queue.ids, one, rest, lambda by: acts.move_in_queue([one], by).result(), absent)
        case "sort":
            changed = acts.sort_queue(QueueOrder(rest[0])).result()
        case "shuffle":
            changed = acts.shuffle_queue().result()
        case _:
            changed = acts.mix_queue().result()
    return _("The queue has a new order.") if changed else _("The queue is in that order already.")


COMMANDS = {
    "queue": Command(
        summary=_("show or change the queue"),
        after="redo",
        heading=_("Lists"),
        about=_("Show the queue, or change it: add, next, remove, clear, move, sort, shuffle, mix."),
        examples=(
            "earmark queue\nearmark queue add 117 “Compiler collectives”\nearmark queue move 117 1\n"
            "earmark queue sort oldest\nearmark queue --json | jq -r '.[].title'\n"
            "earmark queue --format '{queued}. {title} ({duration})'"
        ),
        run=_queue,
        misuse=_misuse,
        arguments=_arguments,
        lists=(_QUEUE,),
    ),
}
