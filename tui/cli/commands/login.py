"""`login`: the name and password for a server. A running Earmark uses them at once."""

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from typing import TYPE_CHECKING

from player.errors import EarmarkError
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.cli.command import Command, Context, typed_login, typed_login_or_key
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.feeds.source import Sources


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("podcast", metavar="PODCAST", help=_("its ID, its URL, or its title or part of it"))
    parser.add_argument(
        "--episode",
        metavar="EPISODE",
        help=_("for the server of this episode's audio, which may be another one: its ID or title"),
    )
    parser.add_argument("--forget", action="store_true", help=_("forget the name and password"))


def _login(context: Context, options: Namespace) -> int:
    from player.links.urls import host, origin
    from player.net.credentials import Credentials
    from player.sources import all_sources

    with context.library() as library:
        podcast = library.podcasts.find(options.podcast)
        address = podcast.url
        if options.episode is not None:
            episode = library.episodes.find(options.episode)
            if episode.podcast_id != podcast.id:
                raise EarmarkError(_("“{title}” isn't an episode of that podcast", title=clean_line(episode.title, 80)))
            address = episode.url
    logins = Credentials(context.paths.logins)
    sources = all_sources(context.paths.cache, logins)
    where = sources.server(address)
    if not (server := host(where)) or not origin(where):
        raise EarmarkError(_("“{title}” comes from no server", title=clean_line(podcast.title, 80)))
    if options.forget:
        logins.forget(where)
        print(_("The name and password for {host} are forgotten.", host=server))
        return 0
    gives_tokens = where != address
    name, password = _asked(server, takes_key=gives_tokens)
    if not (password and (name or gives_tokens)):
        raise EarmarkError(_("A name and a password are needed"), _("Nothing was saved."))
    if gives_tokens:
        _sign_in(sources, address, name, password)
    else:
        logins.remember(where, name, password)
    saved = Credentials(context.paths.logins).find(where)
    if saved is None or (saved != (name, password) and not gives_tokens):
        raise EarmarkError(_("The name and password can't be saved"), _("See {file}", file=context.paths.log))
    print(_("Saved for {host}. To try it: earmark refresh {id}", host=server, id=podcast.id))
    return 0


def _sign_in(sources: "Sources", address: str, name: str, password: str) -> None:
    """Raises FeedError."""
    from player.sync.ways import own_network

    with closing(own_network()) as network:
        sources.sign_in(address, name, password, network)


def _asked(server: str, *, takes_key: bool) -> tuple[str, str]:
    """Typed on a terminal, where the password isn't shown; else the first two lines of standard input. Never from
    arguments, which stand in the shell's history."""
    if not is_terminal(sys.stdin):
        return sys.stdin.readline().strip(), sys.stdin.readline().rstrip("\r\n")
    if takes_key:
        return typed_login_or_key(server)
    return typed_login(_("Name for {host}: ", host=server), _("Password (not shown): "))


COMMANDS = {
    "login": Command(
        summary=_("save the name and password for a podcast's server"),
        after="tag",
        about=_(
            "Save the name and password for a podcast's server, in the system's keyring or in a file only you can"
            " read.\nBoth are asked for; without a terminal they are the first two lines of standard input.\n"
            "For an Audiobookshelf server, the name can be empty and the password an API key; only tokens are saved."
        ),
        examples=(
            'earmark login "Members only"\nearmark login 3 --episode 117\npass podcast | earmark login 3\n'
            "earmark login 3 --forget"
        ),
        run=_login,
        arguments=_arguments,
    )
}
