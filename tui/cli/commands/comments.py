"""`comments`."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.comments.comments import Comments, fetch_thread, post_with_comments
from player.comments.thread import Post, Thread
from player.errors import AttachmentError
from player.integrations.json_api import moment
from player.links.urls import host
from player.model.episode import Episode
from player.processes.threads import CancelToken
from player.text.sentences import _
from player.text.times import full_moment
from tui.cli.command import Command, Context, passing, print_json
from tui.cli.commands.refresh import cancelled_by_interrupt

if TYPE_CHECKING:
    from player.integrations.documents import commands

_CONNECT_S, _SILENCE_S = 10.0, 20.0
_PAGE = 80
_LEAST_TEXT, _INDENT = 32, 2


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episode", metavar="EPISODE", help=_("its ID, or its title or part of it"))
    parser.add_argument("--warned", action="store_true", help=_("show the texts below content warnings, too"))


def _comments(context: Context, options: Namespace) -> int:
    from player.net.loop import NetworkLoop

    with context.library() as library:
        episode = library.episodes.find(options.episode)
        post = post_with_comments(library.episodes.details(episode.id).extra)
    if post is None:
        raise AttachmentError(_("“{title}” has no comments that Earmark can read", title=episode.title))
    network, stop = NetworkLoop(_CONNECT_S, _SILENCE_S), CancelToken()
    passing(_("Fetching the comments from {server}", server=host(post.url)) + " …")
    try:
        with cancelled_by_interrupt(stop.set):
            thread = fetch_thread(post.url, network, stop)
    finally:
        passing("")
        network.close()
    if options.json:
        print_json(_json(episode, post.url, thread))
    else:
        _print(Comments(post.url, host(post.url), thread), thread, warned=options.warned)
    return 0


def _print(comments: Comments, thread: Thread, *, warned: bool) -> None:
    from player import notes
    from tui.cli.text_table import terminal_width
    from tui.drawing.comments import attached_words, count_words

    print(" · ".join(count_words(comments, thread)), file=sys.stderr)
    width = min(_PAGE, terminal_width() or _PAGE)
    for number, post in enumerate(thread.posts):
        indent = min(_INDENT * post.depth, max(0, width - _LEAST_TEXT))
        author = " ".join(filter(None, (post.name, post.handle)))
        lines = ["  ".join(filter(None, (author, full_moment(post.at) if post.at else "")))]
        if post.warning:
            lines.append(_("Content warning: {warning}", warning=post.warning))
        if warned or not post.warning:
            lines += notes.plain(notes.read_notes(post.html), width - indent).rstrip().splitlines()
            lines += [attached_words(one, is_sensitive=post.is_sensitive) for one in post.attached]
        if number:
            print()
        for line in lines:
            print(f"{' ' * indent}{line}".rstrip())


def _json(episode: Episode, url: str, thread: Thread) -> "commands.Comments":
    post, *replies = thread.posts
    return {
        "id": episode.id,
        "title": episode.title,
        "url": url,
        "post": _comment_json(post),
        "comments": [_comment_json(one) for one in replies],
        "more": thread.more,
    }


def _comment_json(post: Post) -> "commands.Comment":
    from player.notes import read_notes, words

    return {
        "author": post.name,
        "handle": post.handle,
        "url": post.url,
        "published": moment(post.at),
        "depth": post.depth,
        "text": words(read_notes(post.html)),
        "warning": post.warning,
        "sensitive": post.is_sensitive,
        "attached": [{"kind": one.kind, "description": one.description} for one in post.attached],
    }


COMMANDS = {
    "comments": Command(
        summary=_("read the comments on an episode"),
        after="summarise",
        about=_(
            "Print the comments on an episode: the replies to the post in the fediverse that its feed names. The\n"
            "server of the post is asked for them. `[feeds] comments = false` takes them out of the app."
        ),
        examples="earmark comments 42\nearmark comments 42 --json | jq -r '.comments[].text'",
        run=_comments,
        arguments=_arguments,
        prints={"": "Comments"},
    ),
}
