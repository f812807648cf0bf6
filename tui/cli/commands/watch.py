"""`watch`: shows the video of an episode in mpv or another program."""

import sys
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from functools import partial

from player.errors import ControlError
from player.model.episode import Episode, EpisodeId
from player.text.sentences import _
from tui.cli.command import Command, Context, report
from tui.cli.commands.play import chosen


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode", metavar="EPISODE", nargs="?", help=_("its ID, or its title or part of it (default: the last one)")
    )


def _watch(context: Context, options: Namespace) -> int:
    from pathlib import Path

    from player.events import Bus
    from player.media.local_file import own_file
    from player.processes.threads import CancelToken, on_own_thread
    from player.video.viewer import Viewer

    with context.library() as library:
        episode = chosen(library, options.episode)

        def file_of(one: Episode) -> Path | None:
            return library.downloads.path(one.id) or own_file(one.url, library.podcasts.get(one.podcast_id).url)

        viewer = Viewer(
            library,
            Bus(),
            context.settings.video,
            context.settings.queue,
            context.paths.runtime,
            file_of=file_of,
            login=context.credentials.find,
            hush=partial(_hush, context),
        )
        stop = CancelToken()
        showing = on_own_thread(lambda: viewer.show(episode.id, stop, partial(_opened, episode)), "earmark-video")
        try:
            watched = showing.result()
        except KeyboardInterrupt:
            stop.set()
            watched = showing.result()
    document = {
        "id": episode.id,
        "title": episode.title,
        "player": watched.player,
        "position_ms": watched.position_ms,
        "to_the_end": watched.to_the_end,
    }
    return report(options, document, *filter(None, (watched.sentence,)))


def _opened(episode: Episode, program: str) -> None:
    print(_("“{title}” is open in {program}.", title=episode.title, program=program), file=sys.stderr, flush=True)


def _hush(context: Context, episode_id: EpisodeId) -> int | None:
    """Pauses the running Earmark. Returns the position in that episode, if it is the one in its player."""
    with suppress(ControlError):  # nothing plays
        context.ask_any("pause")
    status = context.status()
    if status is None or status["episode"] is None or status["episode"]["id"] != episode_id:
        return None
    return None if status["state"] == "ended" else int(status["position_ms"])


COMMANDS = {
    "watch": Command(
        summary=_("watch the video of an episode in mpv or another player"),
        after="play",
        about=_(
            "Show the video of an episode in mpv, or in the program that [video] in config.toml names, from your\n"
            "position: the video that its feed names beside the audio, its enclosure, or its page on YouTube.\n"
            "A running Earmark pauses. The point where you leave the video becomes your position, if the program\n"
            "reports it, as mpv does. The command ends when you close the video; if you interrupt the command, the\n"
            "video stays open."
        ),
        examples='earmark watch\nearmark watch 42\nearmark watch "Press play" --json | jq .position_ms',
        run=_watch,
        arguments=_arguments,
        prints={"": "WatchedVideo"},
    ),
}
