"""`download`, and the older `downloads`: what is downloaded and why, what the rules would do, and the queue of what is
to be downloaded."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from player.integrations.remote import heard
from player.model.episode import EpisodeId
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, plural, translate
from player.text.sizes import size_label
from tui.cli.command import Column, Command, Context, Filters, Row, Rows, complain, report
from tui.cli.commands.download import download
from tui.cli.commands.download_queue import CHANGES, QUEUED, delete, misuse, queue_arguments, show_queue
from tui.cli.named_lists import fitting
from tui.cli.printout import Printout, list_option

Do = Literal["delete", "restore", "download", "wait"]

if TYPE_CHECKING:
    from player.downloads.planning import Plan
    from player.downloads.reasons import Explained
    from player.integrations.documents import commands
    from player.model.downloads import Download
    from player.model.episode import Episode


def _size(row: Row, _context: Context) -> str:
    return "" if row["size"] is None else size_label(row["size"])


_DOWNLOADS = Rows(
    "list[Download]",
    (
        Column(_("ID"), "{episode_id}", right=True),
        Column(_("EPISODE"), "{title}", flexible=True),
        Column(_("PODCAST"), "{podcast}", flexible=True, spare=2),
        Column(_("SIZE"), _size, right=True, spare=1),
        Column(
            _("WHY"),
            lambda row, _context: "; ".join(filter(None, (row["why"], row["kept"] or row["goes"]))),
            flexible=True,
        ),
    ),
    Filters.EPISODES,
)
_DO = {"delete": mark("delete"), "restore": mark("bring back"), "download": mark("download"), "wait": mark("not now")}
_PLANNED = Rows(
    "list[PlannedDownload]",
    (
        Column(_("WHAT"), lambda row, _context: translate(_DO[row["do"]])),
        Column(_("EPISODE"), "{title}", flexible=True),
        Column(_("SIZE"), _size, right=True, spare=1),
        Column(_("WHY"), "{why}", flexible=True),
    ),
)


def _arguments(parser: ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--list", action="store_true", help=_("list downloads; `earmark download list` for short"))
    _change_arguments(parser, which)


def _former_arguments(parser: ArgumentParser) -> None:
    _change_arguments(parser, parser.add_mutually_exclusive_group())


def _change_arguments(parser: ArgumentParser, which: Any) -> None:
    """`which` is the group of what excludes each other."""
    which.add_argument("--plan", action="store_true", help=_("list what the rules would download and delete now"))
    which.add_argument("--clean", action="store_true", help=_("delete what the rules would delete now"))
    queue_arguments(parser, which)


def _misuse(options: Namespace) -> str:
    if _is_of_downloads(options):
        return misuse(options)
    if not options.episodes:
        return _("No episode is named")
    option = list_option(options)
    return _("{option} needs “list”", option=option) if option else ""


def _download(context: Context, options: Namespace) -> int:
    return (_downloads if _is_of_downloads(options) else download)(context, options)


def _downloads(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, QUEUED if _is_queue(options) else _PLANNED if options.plan else _DOWNLOADS)
    if options.delete:
        _found, folder = _around(context)
        return delete(context, options, folder)
    if _is_queue(options):
        return show_queue(context, options, printout)
    if options.clean:
        return _clean(context, options)
    from player.downloads.ruling import explain

    around, _folder = _around(context)
    with context.library() as library:
        reasons, made = explain(library, around, datetime.now().astimezone())
        found = library.downloads.all()
        planned = [episode_id for _do, episode_id, _size, _why in _entries(made)]
        ids = planned if options.plan else [one.episode_id for one in found]
        fit = ids if options.filter is None else fitting(library, ids, options.filter)
        episodes = {row.id: row for row in library.episodes.rows(fit)}
    if options.plan:
        printout.print(_plan_rows(made, episodes), _("Nothing to download or delete."))
        return 0
    by_id = {one.episode_id: one for one in found}
    shown = [by_id[one] for one in map(EpisodeId, fit) if one in episodes]
    nothing = _("Nothing is downloaded. `earmark download EPISODE` downloads an episode.")
    rows = (_json(one, episodes[one.episode_id], reasons) for one in shown)
    if listed := printout.print(rows, _("No episodes match.") if found else nothing):
        size = size_label(sum(row["size"] or 0 for row in listed))
        print(plural(len(listed), "{n:,} download, {size}", "{n:,} downloads, {size}", size=size))
    return 0


def _is_of_downloads(options: Namespace) -> bool:
    """Whether it is about downloads, rather than episodes to be downloaded."""
    return options.list or options.plan or options.clean or options.delete or _is_queue(options)


def _is_queue(options: Namespace) -> bool:
    """Whether it is about what is to be downloaded."""
    return options.queue or any(getattr(options, one) for one in CHANGES)


def _around(context: Context) -> Any:
    from player.downloads.ruling import surroundings

    held, _speed = heard(context.paths.socket)
    return surroundings(context.paths, context.settings, lambda: held.episode_id if held else None)


def _json(one: "Download", episode: "Episode", reasons: "dict[EpisodeId, Explained]") -> "commands.Download":
    """`rule` is null for what was downloaded by hand; `kept` and `goes` are null where nothing keeps or deletes it."""
    from player.library.download_rules import is_rule

    reason = reasons.get(one.episode_id)
    return {
        "episode_id": episode.id,
        "title": episode.title,
        "podcast": episode.podcast,
        "file": str(one.path),
        "size": one.size,
        "downloaded_at": None if one.downloaded_at is None else one.downloaded_at.isoformat(),
        "rule": one.why if is_rule(one.why) else None,
        "why": reason.here if reason else None,
        "kept": (reason.keeps or None) if reason else None,
        "goes": (reason.goes or None) if reason else None,
    }


# -- what the rules would do ----------------------------------------------------------------------------------


def _plan_rows(made: "Plan", episodes: "dict[EpisodeId, Episode]") -> "Iterator[commands.PlannedDownload]":
    for do, one, size, why in _entries(made):
        if one in episodes:
            yield {"do": do, "episode_id": one, "title": episodes[one].title, "size": size, "why": why}


def _entries(made: "Plan") -> "list[tuple[Do, EpisodeId, int, str]]":
    from player.downloads.reasons import held_because, removed_because, rule_words

    return [
        *(("delete", one.episode_id, one.size, removed_because(one.cause)) for one in made.remove),
        *(("restore", one.episode_id, one.size, rule_words(one.rule)) for one in made.restore),
        *(("download", one.episode_id, one.size, rule_words(one.rule)) for one in made.begin),
        *(
            ("wait", held.wanted.episode_id, held.wanted.size, f"{rule_words(held.wanted.rule)}; {held_because(held)}")
            for held in made.held
        ),
    ]


def _clean(context: Context, options: Namespace) -> int:
    from player.downloads.ruling import follow

    around, folder = _around(context)
    with context.library() as library:
        done = follow(library, around, folder, None, lambda: datetime.now().astimezone())
        titles = [clean_line(row.title) for row in library.episodes.rows(done.deleted)]
    lines = [_("Deleted the download of {title}", title=title) for title in titles]
    if titles:
        lines.append(_("For a day, `earmark undo` brings them back."))
    elif not done.refused:
        lines.append(_("Nothing to delete."))
    if done.refused:
        complain(done.refused)
    report(options, {"deleted": list(done.deleted)}, *lines)
    return 1 if done.refused else 0


_PRINTS = {
    "with --plan": "list[PlannedDownload]",
    "with --queue, --pause, --resume, --retry or --cancel": "DownloadQueue",
    "with --clean or --delete": "Deleted",
}
COMMANDS = {
    "download": Command(
        summary=_("download episodes; list, pause, retry or delete downloads"),
        after="transcript",
        about=_(
            "Download episodes, with their chapters and transcripts. Reuses cached audio and waits out network\n"
            "problems. If interrupted (ctrl+c), run it again to continue. A running Earmark does the downloading.\n\n"
            "`earmark download list` says how large each download is, why it is here, what keeps it, and when it\n"
            "goes. Rules are set in [downloads] of config.toml, for a podcast (`earmark set PODCAST\n"
            "download=3`) and for a list (`earmark lists NAME --download 5`), and are applied while Earmark\n"
            "runs. --queue, --pause, --resume, --retry and --cancel show what is still to be downloaded."
        ),
        examples=(
            'earmark download 42 43\nearmark download "Press play"\nearmark download list\n'
            "earmark download list --filter 'is:played' --format '{file}'\n"
            "earmark download --plan\nearmark download --clean\n"
            "earmark download --queue\nearmark download --pause\nearmark download --resume 117\n"
            "earmark download --retry\nearmark download --delete 117"
        ),
        run=_download,
        misuse=_misuse,
        arguments=_arguments,
        prints={"": "list[Episode]", "with list": "list[Download]", **_PRINTS},
        lists=(_DOWNLOADS, _PLANNED, QUEUED),
        exits={1: _("at least one isn't downloaded; the others are")},
        bare=("list",),
    ),
    "downloads": Command(
        summary=_("list, pause, retry or delete downloads, and what rules would do"),
        former="download list",
        about=_(
            "List the downloads: how large each is, why it is here, what keeps it, and when it goes.\nRules are set"
            " in [downloads] of config.toml, for a podcast (`earmark set PODCAST download=3`) and for a list"
            " (`earmark lists NAME --download 5`). They are applied while Earmark runs.\n"
            "With --queue or a change it shows what is still to be downloaded, which a running Earmark does."
        ),
        examples=(
            "earmark downloads\nearmark downloads --plan\nearmark downloads --clean\nearmark downloads --json\n"
            "earmark downloads --queue\nearmark downloads --pause\nearmark downloads --resume 117\n"
            "earmark downloads --retry\nearmark downloads --delete 117\n"
            "earmark downloads --filter 'is:played' --format '{file}'"
        ),
        run=_downloads,
        misuse=misuse,
        arguments=_former_arguments,
        prints={"": "list[Download]", **_PRINTS},
        lists=(_DOWNLOADS, _PLANNED, QUEUED),
    ),
}
