"""`refresh`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from player.events import Bus, RefreshProgress
from player.feeds.refresh_summary import RefreshSummary
from player.model.podcast import PodcastId
from player.text.sentences import _, plural
from tui.cli.command import Column, Command, Context, complain_of, passing, print_json
from tui.cli.text_table import print_table

_COLUMNS = (
    Column(_("PODCAST"), flexible=True),
    Column(_("NEW"), right=True, optional=True),
    Column(_("FAILED"), flexible=True, optional=True),
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "podcasts", metavar="PODCAST", nargs="*", help=_("only these: IDs, URLs or titles (default: all)")
    )


def _refresh(context: Context, options: Namespace) -> int:
    from player.feeds.refresh import Refresher
    from player.sources import all_sources

    with context.library() as library:
        chosen = [library.podcasts.find(name) for name in options.podcasts]
        titles = {podcast.id: podcast.title for podcast in library.podcasts.all()}
        bus = Bus()
        sources = all_sources(context.paths.cache, context.credentials)
        refresher = Refresher(library, bus, credentials=context.credentials.find, sources=sources)
        hooks = context.hooks(library, bus, "new_episode")
        with hooks, progress_shown(bus), cancelled_by_interrupt(refresher.cancel):
            summary = refresher.refresh([podcast.id for podcast in chosen] or None)
    if options.json:
        failed = [{"podcast_id": podcast_id, "error": sentence} for podcast_id, sentence in summary.failed]
        print_json({"refreshed": summary.refreshed, "new": summary.new, "failed": failed})
    else:
        new = plural(summary.new, "{n:,} new episode", "{n:,} new episodes")
        podcasts = plural(summary.refreshed, "{n:,} podcast", "{n:,} podcasts")
        print(_("{episodes} in {podcasts}.", episodes=new, podcasts=podcasts), flush=True)
        if summary.resting:
            sentence = plural(
                summary.resting,
                "{n:,} podcast skipped: its server asked for a pause.",
                "{n:,} podcasts skipped: their servers asked for a pause.",
            )
            print(sentence, flush=True)
        if rows := result_rows(summary, titles):
            print_table(_COLUMNS, rows)
            sys.stdout.flush()
    complain_of((titles.get(podcast_id, str(podcast_id)), sentence) for podcast_id, sentence in summary.failed)
    return 1 if summary.failed else 0


def result_rows(summary: RefreshSummary, titles: Mapping[PodcastId, str]) -> list[tuple[str, str, str]]:
    """Podcasts with new episodes, the most first, then those that failed, with equal reasons together."""
    reasons = dict(summary.reasons)
    news = sorted(summary.news, key=lambda one: (-one[1], titles.get(one[0], "")))
    rows = [(titles.get(podcast_id, str(podcast_id)), f"{new:,}", "") for podcast_id, new in news]
    failed = [
        (titles.get(podcast_id, str(podcast_id)), "", reasons.get(podcast_id) or _("Couldn't be read"))
        for podcast_id, _sentence in summary.failed
    ]
    return rows + sorted(failed, key=lambda row: (row[2], row[0]))


@contextmanager
def progress_shown(bus: Bus) -> Iterator[None]:
    """Redraws a count on standard error, if that is a terminal."""

    def draw(progress: RefreshProgress) -> None:
        words = plural(progress.total, "{done:,} of {n:,} podcast", "{done:,} of {n:,} podcasts", done=progress.done)
        passing(words)

    unsubscribe = bus.subscribe(RefreshProgress, draw)
    try:
        yield
    finally:
        unsubscribe()
        passing("")


@contextmanager
def cancelled_by_interrupt(cancel: Callable[[], None]) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        cancel()
        raise


COMMANDS = {
    "refresh": Command(
        summary=_("check for new episodes"),
        after="login",
        about=_("Check all podcasts, or those named, for new episodes. A failing feed doesn't stop the others."),
        examples='earmark refresh\nearmark refresh "Talk Python" 3',
        run=_refresh,
        arguments=_arguments,
        prints={"": "Refreshed"},
        exits={1: _("at least one feed failed; the others were read")},
    ),
}
