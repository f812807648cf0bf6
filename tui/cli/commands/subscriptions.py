"""`add`, `remove`, `podcasts`."""

import os
import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections import deque
from datetime import date
from typing import TYPE_CHECKING

from player.errors import AlreadySubscribed, FeedError, HttpFailure, SignInNeeded
from player.integrations.json_api import podcast_json, show_json
from player.library import Library
from player.links.addresses import is_file_address
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import clean_line, fold
from player.text.sentences import _, plural
from tui.cli.command import (
    Column,
    Command,
    Context,
    Filters,
    Rows,
    complain,
    confirmed,
    print_json,
    tell,
    typed,
    typed_login,
    typed_login_or_key,
)
from tui.cli.describe import day
from tui.cli.printout import Printout, grouped
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.feeds.source import Offered, SeveralPodcasts
    from player.feeds.subscribe import Subscriber

_MOST_NAMED = 20
"""The most titles in the sentence that lists podcasts to choose from."""


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "urls",
        metavar="URL",
        nargs="+",
        help=_("a feed, a web page that links to one, a radio stream, a server, or a folder or file of audio"),
    )
    parser.add_argument("--all", action="store_true", help=_("add all podcasts of a server"))
    parser.add_argument(
        "--only",
        metavar="TITLE",
        action="append",
        default=[],
        help=_("of a server's podcasts, add this one; can be repeated"),
    )


def _add(context: Context, options: Namespace) -> int:
    from player.feeds.subscribe import Subscriber
    from player.sources import all_sources

    added: list[Podcast] = []
    failed = False
    with context.library() as library:
        credentials = context.credentials
        subscriber = Subscriber(library, credentials, sources=all_sources(context.paths.cache, credentials))
        waiting = deque(map(_meant, options.urls))
        while waiting:
            try:
                found = _subscribed(subscriber, waiting.popleft(), options)
            except AlreadySubscribed as nothing_to_do:
                tell(options, str(nothing_to_do))
            except FeedError as error:
                failed = True
                complain(str(error))
            else:
                if not isinstance(found, Podcast):
                    waiting.extendleft(reversed(found))
                    continue
                podcast = library.podcasts.get(found.id)
                added.append(podcast)
                tell(options, _("Added {title} ({episodes}).", title=podcast.title, episodes=_episodes(podcast)))
                if podcast.note:
                    tell(options, podcast.note)
    if options.json:
        print_json([podcast_json(podcast) for podcast in added])
    return 1 if failed else 0


def _meant(text: str) -> str:
    """In a shell a folder of the current one goes by its name alone."""
    is_here = "://" not in text and not text.startswith("~") and os.path.exists(text)  # noqa: PTH110
    return os.path.abspath(text) if is_here else text  # noqa: PTH100


def _subscribed(subscriber: "Subscriber", url: str, options: Namespace) -> Podcast | list[str]:
    """The podcast, or the addresses of the chosen podcasts if there are several. Asks for a name and password if the
    server requires them, and for the choice, if there is a terminal to ask on."""
    from player.feeds.source import SeveralPodcasts
    from player.feeds.subscribe import feed_address
    from player.links.urls import host, with_login

    try:
        return subscriber.add(url)
    except SeveralPodcasts as several:
        return _chosen(several, options)
    except SignInNeeded as error:
        if not is_terminal(sys.stdin):
            advice = _("Do this in a terminal, where Earmark asks for your name and password.")
            raise SignInNeeded(error.what, advice, error.server) from error
        print(error.what, file=sys.stderr)
        address = error.server
        name, password = typed_login_or_key(host(address))
        if not password:
            raise
    except HttpFailure as error:
        if error.status != 401 or not is_terminal(sys.stdin):
            raise
        print(error.what, file=sys.stderr)
        address = feed_address(url)
        name, password = typed_login(_("Name: "), _("Password (not shown): "))
        if not name:
            raise
    try:
        return subscriber.add(with_login(address, name, password))
    except SeveralPodcasts as several:
        return _chosen(several, options)


def _chosen(several: "SeveralPodcasts", options: Namespace) -> list[str]:
    """The addresses of the chosen podcasts. Raises FeedError."""
    offered = several.offered
    if options.all:
        return _all_new(several)
    if options.only:
        return [url for title in options.only for url in _named(offered, title)]
    if not is_terminal(sys.stdin):
        advice = _("Add all of them with --all, or some with --only TITLE.")
        titles = ", ".join(one.title for one in offered[:_MOST_NAMED]) + (", …" if len(offered) > _MOST_NAMED else "")
        raise FeedError(f"{several.what}: {titles}", advice)
    print(f"{several.what}:", file=sys.stderr)
    for number, one in enumerate(offered, 1):
        count = "" if one.episodes is None else plural(one.episodes, "{n:,} episode", "{n:,} episodes")
        about = _("subscribed") if one.known else ", ".join(filter(None, (one.place, count)))
        print(f"{number:>{len(str(len(offered)))}}  {one.title}" + (f" ({about})" if about else ""), file=sys.stderr)
    answer = typed(_("Which ones? Numbers or titles, separated by commas, or “all”: ")).strip()
    if answer.lower() in ("all", _("all")):
        return _all_new(several)
    return [url for title in answer.split(",") if title.strip() for url in _named(offered, title)]


def _all_new(several: "SeveralPodcasts") -> list[str]:
    """The addresses of those that aren't subscribed to. Raises AlreadySubscribed."""
    if new := [one.url for one in several.offered if not one.known]:
        return new
    raise AlreadySubscribed(_("{what}, and you are subscribed to all of them", what=several.what))


def _named(offered: "tuple[Offered, ...]", text: str) -> list[str]:
    """The address of the podcast with that number or title, or of the only one whose title contains the text. Raises
    FeedError."""
    text = text.strip()
    if text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= len(offered):
        return [offered[int(text) - 1].url]
    found = [one for one in offered if fold(one.title) == fold(text)]
    found = found or [one for one in offered if fold(text) in fold(one.title)]
    if len(found) == 1:
        return [found[0].url]
    shown = clean_line(text, 80)
    if not found:
        raise FeedError(_("The server has no podcast called “{title}”", title=shown))
    raise FeedError(_("The titles of several podcasts contain “{title}”", title=shown), _("Type more of the title."))


def _remove_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("podcast", metavar="PODCAST", help=_("its ID, its URL, or its title or part of it"))
    parser.add_argument("-y", "--yes", action="store_true", help=_("don't ask for confirmation"))


def _remove(context: Context, options: Namespace) -> int:
    with context.library() as library:
        podcast = library.podcasts.find(options.podcast)
        if not _confirmed(podcast, options.yes):
            return 0
        unsubscribe(context, library, podcast.id)
    print(_("Removed {title}. To bring it back: earmark undo", title=podcast.title))
    return 0


def unsubscribe(context: Context, library: Library, podcast_id: PodcastId) -> None:
    """The running Earmark does it, if there is one: it stops playing the podcast, and shows at once that it is gone."""
    if context.ask_any("remove", podcast=podcast_id) is None:
        from player.downloads.files import delete_files

        files = library.downloads.of_podcast(podcast_id)
        library.acts.unsubscribe(podcast_id)
        delete_files(files)


def _confirmed(podcast: Podcast, yes: bool) -> bool:
    """Raises EarmarkError without a terminal."""
    episodes = _episodes(podcast)
    files = (
        _("Its files stay where they are; `earmark undo` brings it back.")
        if is_file_address(podcast.url)
        else _("Its downloaded files are deleted for good; `earmark undo` brings back the rest.")
    )
    asked = _("Unsubscribe from “{title}” ({episodes})?", title=podcast.title, episodes=episodes)
    return confirmed(yes, f"{asked} {files}", _("Nothing was removed."))


def _episodes(podcast: Podcast) -> str:
    return plural(podcast.episode_count, "{n:,} episode", "{n:,} episodes")


_PODCASTS = Rows(
    "list[Podcast]",
    (
        Column(_("ID"), "{id}", right=True),
        Column(_("TITLE"), "{title}", flexible=True),
        Column(_("UNPLAYED"), grouped("unplayed_count"), right=True),
        Column(_("EPISODES"), grouped("episode_count"), right=True, spare=2),
        Column(_("REFRESHED"), lambda row, _context: day(row["last_refreshed"]) or _("never"), spare=1),
        Column(_("TAGS"), "{tags}", spare=3, optional=True),
    ),
    Filters.PODCASTS,
)
_PAGE = Rows("PodcastPage")


def _podcasts_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("podcast", metavar="PODCAST", nargs="?", help=_("show details of this one: ID, title or URL"))


def _podcasts(context: Context, options: Namespace) -> int:
    if options.podcast is not None:
        return _about(context, options)
    printout = Printout(context, options, _PODCASTS)
    with context.library() as library:
        podcasts = library.podcasts.all()
    nothing = _("No podcasts match.") if podcasts else _("No podcasts yet. Subscribe to one with: earmark add URL")
    fitting = [one for one in podcasts if options.filter is None or options.filter.fits(one)]
    for row in printout.print(map(podcast_json, fitting), nothing):
        for sentence in filter(None, (row["error"], row["note"])):
            print(f"{row['title']}: {sentence}")
    return 0


def _about(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _PAGE)
    with context.library() as library:
        facts = library.statistics.facts(library.podcasts.find(options.podcast).id)
        best = library.episodes.rows(facts.best)
        ranks = library.queue.ranks()
    if not printout.is_table:
        printout.print_one(show_json(facts, best, ranks))
        return 0
    from tui.drawing.about.sheet import Look, PodcastPage, about_sheet, plain
    from tui.look.glyphs import glyphs_for

    columns = min(80, shutil.get_terminal_size().columns) if is_terminal(sys.stdout) else 80
    look = Look(columns, glyphs_for(False, sys.stdout.encoding), date.today())
    print(plain(about_sheet(PodcastPage(facts, best), look).lines))
    return 0


COMMANDS = {
    "add": Command(
        summary=_("subscribe to podcasts, audio on this computer, radio or servers"),
        after="",
        heading=_("Podcasts"),
        about=_(
            "Subscribe to podcasts, by the URL of a feed or of a web page that links to its feed.\n"
            "A folder of audio on this computer, or a single file, is a podcast too: its files are played where they\n"
            "are and never changed. So is a radio stream (MP3, AAC, HLS, or a playlist that names one),\n"
            "and, where yt-dlp is installed, a YouTube channel or playlist. With the address of an Audiobookshelf\n"
            "server, all or some of its podcasts are added; Earmark asks for your name and password, or an API key."
        ),
        examples=(
            "earmark add https://feeds.simplecast.com/OB5FkIl8\nearmark add https://changelog.com/podcast\n"
            "earmark add ~/Audiobooks/Foo\nearmark add https://audiobookshelf.example.com/ --all"
        ),
        run=_add,
        arguments=_add_arguments,
        prints={"": "list[Podcast]"},
        exits={1: _("at least one couldn't be added; the others were")},
    ),
    "remove": Command(
        summary=_("unsubscribe from a podcast"),
        after="find",
        about=_("Unsubscribe from a podcast and delete its downloads. `earmark undo` brings the rest back."),
        examples='earmark remove "Welcome to Earmark"\nearmark remove 3 --yes',
        run=_remove,
        arguments=_remove_arguments,
    ),
    "podcasts": Command(
        summary=_("list your podcasts"),
        about=_("List your podcasts by title, pinned ones first, or show details of one."),
        examples=(
            'earmark podcasts\nearmark podcasts pytorch\nearmark podcasts --json | jq -r ".[].url"\n'
            "earmark podcasts --filter 'is:error' --format '{title}: {error}'"
        ),
        run=_podcasts,
        arguments=_podcasts_arguments,
        prints={"": "list[Podcast]", "with PODCAST": "PodcastPage"},
        lists=(_PODCASTS,),
    ),
}
