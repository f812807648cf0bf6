"""What `download` shows and changes of the queue of downloads: in the running Earmark, else in the library."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

from player.errors import EarmarkError, NotFound
from player.library import Library
from player.model.episode import EpisodeId
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _, mark, plural, translate
from player.text.sizes import size_label
from tui.cli.command import Column, Context, Row, Rows, print_json
from tui.cli.named_lists import fitting
from tui.cli.printout import Printout

CHANGES = ("pause", "resume", "retry", "cancel")
_STATES = {
    "running": mark("running"),
    "waiting": mark("waiting"),
    "paused": mark("paused"),
    "failed": mark("failed"),
    "done": mark("done"),
}


def _state(entry: Row, _context: Context) -> str:
    if entry["state"] == "running" and entry["work"] == "transcript":
        return _("transcribing")
    return translate(_STATES.get(entry["state"]) or entry["state"])


def _done(entry: Row, _context: Context) -> str:
    if entry["total"]:
        return f"{min(1.0, entry['done'] / entry['total']):.0%}"
    if entry["work"] == "transcript":
        return clock(entry["done"]) if entry["done"] else ""
    return size_label(entry["done"]) if entry["done"] else ""


QUEUED = Rows(
    "list[QueuedDownload]",
    (
        Column(_("ID"), "{id}", right=True),
        Column(_("STATE"), _state),
        Column(_("DONE"), _done, right=True, spare=1),
        Column(_("EPISODE"), "{title}", flexible=True),
        Column(_("PODCAST"), "{podcast}", flexible=True, spare=2),
        Column(_("PROBLEM"), "{problem}", flexible=True),
    ),
)


def queue_arguments(parser: ArgumentParser, which: Any) -> None:
    """`which` is the group of what excludes each other."""
    which.add_argument(
        "--queue", action="store_true", help=_("list what is being downloaded, waiting, paused or failed")
    )
    which.add_argument("--pause", action="store_true", help=_("pause the download of EPISODE; without one, all"))
    which.add_argument("--resume", action="store_true", help=_("resume the download of EPISODE; without one, all"))
    which.add_argument("--retry", action="store_true", help=_("retry the download of EPISODE; without one, all failed"))
    which.add_argument("--cancel", action="store_true", help=_("take EPISODE out of the download queue"))
    which.add_argument("--delete", action="store_true", help=_("delete the download of EPISODE for good"))
    parser.add_argument("episodes", metavar="EPISODE", nargs="*", help=_("IDs, titles or parts of titles"))


def misuse(options: Namespace) -> str:
    """What is wrong with the arguments; "" for nothing."""
    if (options.cancel or options.delete) and not options.episodes:
        return _("No episode is named")
    takes_episodes = options.delete or any(getattr(options, one) for one in CHANGES)
    if options.episodes and not takes_episodes:
        return _("Unexpected argument “{text}”", text=options.episodes[0])
    return ""


def show_queue(context: Context, options: Namespace, printout: Printout) -> int:
    """As it is after the change, if one is asked for. With --json it is a document about all of the queue, whose
    entries are those that are listed."""
    change = next((one for one in CHANGES if getattr(options, one)), None)
    with context.library() as library:
        ids = _queued(library, options.episodes) if options.episodes else None
        found = _snapshot(context, library, change, ids)
        if options.filter is not None:
            by_id = {one["id"]: one for one in found["entries"]}
            found["entries"] = [by_id[one] for one in fitting(library, list(by_id), options.filter)]
    entries = printout.first(found["entries"])
    if options.json:
        print_json({**found, "entries": entries})
        return 0
    is_whole = options.filter is None and printout.most is None
    empty = _("The download queue is empty.")
    printout.print(entries, empty if is_whole else _("No episodes match."))
    if not printout.is_table:
        return 0
    if is_whole and (more := found["count"] - len(entries)) > 0:
        print(plural(more, "and {n:,} more", "and {n:,} more"))
    if found["paused"]:
        print(_("All downloads are paused. To resume them: earmark download --resume"))
    if found["held"]:
        print(_("Downloads wait until Earmark is online."))
    if wait := found["transcripts_wait"]:
        print(wait)
    return 0


def delete(context: Context, options: Namespace, folder: Any) -> int:
    """The files of downloads. Raises EarmarkError."""
    from player.downloads.files import delete as delete_file

    deleted: list[EpisodeId] = []
    with context.library() as library:
        episodes = [library.episodes.find(text) for text in options.episodes]
        paths = {one.id: library.downloads.path(one.id) for one in episodes}
        for one in episodes:
            if paths[one.id] is None:
                raise NotFound(_("“{title}” isn't downloaded", title=clean_line(one.title, 80)))
        for one in episodes:
            if (path := paths[one.id]) is None or one.id in deleted:
                continue
            try:
                delete_file(path, folder)
            except OSError as error:
                raise EarmarkError(
                    _("{file} can't be deleted: {reason}", file=path, reason=error.strerror),
                    _("Make its folder writable, then try again."),
                ) from error
            library.downloads.remove(one.id)
            deleted.append(one.id)
            if not options.json:
                print(_("Deleted the download of {title}", title=clean_line(one.title)))
    if options.json:
        print_json({"deleted": deleted})
    return 0


def _queued(library: Library, texts: Sequence[str]) -> list[EpisodeId]:
    """Raises NotFound or Ambiguous."""
    queued = {one.episode_id for one in library.downloads.queue.all()}
    episodes = [library.episodes.find(text) for text in texts]
    for one in episodes:
        if one.id not in queued:
            raise NotFound(
                _("“{title}” isn't in the download queue", title=clean_line(one.title, 80)),
                _("See `earmark download --queue`."),
            )
    return [one.id for one in episodes]


def _snapshot(
    context: Context, library: Library, change: str | None, ids: Sequence[EpisodeId] | None
) -> dict[str, Any]:
    asked: dict[str, Any] = {} if change is None else {"change": change}
    if ids is not None:
        asked["episodes"] = list(ids)
    if (answer := context.ask_any("downloads", **asked)) is not None:
        return dict(answer["downloads"])
    from player.downloads.stored_queue import QueueAtRest
    from player.integrations.json_api import snapshot_json

    rest = QueueAtRest(library)
    if change is not None:
        changes: dict[str, Callable[[Any], object]] = {
            "pause": rest.pause, "resume": rest.resume, "retry": rest.retry, "cancel": rest.cancel
        }  # fmt: skip
        changes[change](ids)
    return dict(snapshot_json(rest.snapshot()))
