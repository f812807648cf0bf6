"""The options of every command that lists: how many rows, which, and how they are printed."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import TYPE_CHECKING

from player.text.sentences import _
from tui.cli.command import Filters, Lists

if TYPE_CHECKING:
    from player.library.search.podcast_query import PodcastQuery
    from player.library.search.query import Query

SCREENFUL = 50


def add_options(parser: ArgumentParser, lists: Lists) -> None:
    if lists.limited:
        if lists.screenful:
            words = _("at most N (0: all; default {number} in a terminal)", number=SCREENFUL)
        else:
            words = _("at most N (0: all, the default)")
        parser.add_argument("--limit", metavar="N", type=a_limit, help=words)
    if lists.filters is Filters.PODCASTS:
        parser.add_argument(
            "--filter",
            metavar="QUERY",
            type=a_podcast_filter,
            help=_("only podcasts that fit: words of title or author, tag:NAME, is:unplayed, is:pinned, is:error"),
        )
    elif lists.filters:
        parser.add_argument(
            "--filter",
            metavar="QUERY",
            type=a_filter if lists.filters is Filters.EPISODES else a_filter_of_moments,
            help=_("only episodes that fit, as in `earmark search`: words, is:unplayed, duration:<20m …"),
        )
    parser.add_argument(
        "--format", metavar="TEXT", help=_("print a line of this for each; {title} and the like are filled in")
    )
    parser.add_argument(
        "--escape",
        choices=("tmux", "markup", "polybar"),
        help=_("escape what --format fills in: for tmux, Pango markup (rofi, waybar) or polybar"),
    )


def a_limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ArgumentTypeError(_("“{text}” isn't a number of rows", text=text.strip()[:20]))
    return int(text)


def a_filter(text: str) -> "Query":
    """The space says that nobody is typing any more: no word or filter is incomplete."""
    from player.library.search.query import parse

    query = parse(f"{text} ")
    if query.problems:
        raise ArgumentTypeError(" ".join(query.problems))
    return query


def a_filter_of_moments(text: str) -> "Query":
    query = a_filter(text)
    if query.order is not None:
        raise ArgumentTypeError(_("this list has an order of its own; leave out sort:"))
    return query


def a_podcast_filter(text: str) -> "PodcastQuery":
    from player.library.search.podcast_query import parse_podcasts

    query = parse_podcasts(text)
    if query.problems:
        raise ArgumentTypeError(" ".join(query.problems))
    return query
