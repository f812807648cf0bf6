"""`mark`, and the older `star` and `played`: stars, played marks and dismissals. A running Earmark shows the change at
once."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from player.errors import NotFound
from player.integrations.orders import MARKS, Mark
from player.integrations.remote import RemoteActs
from player.library import Library
from player.text.sentences import _, mark, plural, translate
from tui.cli.command import Command, Context, report

if TYPE_CHECKING:
    from player.acts import Acts
    from player.model.episode import EpisodeId


_AT_ONCE = 4_000
"""Episodes of one request, which is at most 64 KiB. Each is undone by itself."""
_DONE = {
    "starred": mark("Starred: {title}"),
    "unstarred": mark("No longer starred: {title}"),
    "played": mark("Marked as played: {title}"),
    "unplayed": mark("Marked as unplayed: {title}"),
    "dismissed": mark("Dismissed from New: {title}"),
}


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="WHAT", choices=tuple(MARKS), help=_("one of {what}", what=", ".join(MARKS)))
    _episodes_argument(parser)
    parser.add_argument(
        "--older-than",
        metavar="EPISODE",
        help=_("instead: all episodes of the same podcast that are older than this one"),
    )


def _episodes_argument(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episodes",
        metavar="EPISODE",
        nargs="*",
        help=_("its ID, its title or part of it (default: what the running Earmark plays)"),
    )


def _off_arguments(parser: ArgumentParser) -> None:
    _episodes_argument(parser)
    parser.add_argument("--off", action="store_true", help=_("take the mark away"))


def _misuse(options: Namespace) -> str:
    is_both = options.episodes and options.older_than is not None
    return _("Episodes and --older-than can't be combined") if is_both else ""


def _mark(context: Context, options: Namespace) -> int:
    with context.library() as library:
        if options.older_than is not None:
            ids = _older(library, options.older_than)
        else:
            ids = _named(context, library, options.episodes)
        return _marked(context, library, options, options.what, ids)


def _one_mark(on: Mark, off: Mark, **more: Any) -> Command:
    """Sets the mark `on`, or with --off the mark `off`. `more` as a Command takes it."""

    def run(context: Context, options: Namespace) -> int:
        with context.library() as library:
            ids = _named(context, library, options.episodes)
            return _marked(context, library, options, off if options.off else on, ids)

    return Command(run=run, arguments=_off_arguments, prints={"": "Changed"}, **more)


def _named(context: Context, library: Library, names: Sequence[str]) -> "list[EpisodeId]":
    """Of what plays, or stands paused, where no episode is named. Raises NotFound or Ambiguous."""
    if names:
        return [library.episodes.find(name).id for name in names]
    status = context.status()
    if status is None or status["episode"] is None:
        raise NotFound(_("Nothing is playing"), _("Name an episode, by its ID or its title."))
    return [library.episodes.get(status["episode"]["id"]).id]


def _marked(context: Context, library: Library, options: Namespace, what: Mark, ids: "list[EpisodeId]") -> int:
    changed = []
    for start in range(0, len(ids), _AT_ONCE):
        changed += context.acts(library, partial(_act, what, ids[start : start + _AT_ONCE]))
    if len(changed) == 1:
        said = translate(_DONE[what], title=library.episodes.get(changed[0]).title)
    elif changed:
        said = plural(len(changed), "{n:,} episode marked.", "{n:,} episodes marked.")
    else:
        said = _("Nothing has changed: it was so already.")
    return report(options, {"changed": list(changed)}, said)


def _older(library: Library, text: str) -> "list[EpisodeId]":
    from player.model.episode import EpisodeId
    from player.model.filters import View

    episode = library.episodes.find(text)
    of_podcast = library.listing(View.of(podcast_id=episode.podcast_id))
    ids = [EpisodeId(one) for one in of_podcast.page(0, len(of_podcast))]
    return library.episodes.older(ids, episode.id)


def _act(what: Mark, ids: "list[EpisodeId]", acts: "Acts | RemoteActs") -> "list[EpisodeId]":
    marked = acts.mark(what, ids) if isinstance(acts, RemoteActs) else MARKS[what](acts, ids)
    return marked.result()


COMMANDS = {
    "mark": Command(
        summary=_("star episodes, mark them as played, or dismiss them from New"),
        after="download",
        about=_(
            "Star episodes, mark them as played or unplayed, or dismiss them from New. Without an episode: what the"
            " running Earmark plays. `earmark undo` takes it back."
        ),
        examples=(
            "earmark mark starred\nearmark mark starred 117\nearmark mark played 117 118\n"
            "earmark mark played --older-than 117\nearmark mark unplayed “Compiler collectives”"
        ),
        run=_mark,
        misuse=_misuse,
        arguments=_arguments,
        prints={"": "Changed"},
    ),
    "star": _one_mark(
        "starred",
        "unstarred",
        summary=_("star what is playing, or episodes"),
        about=_(
            "Star what the running Earmark plays, or episodes; or take the star away. `earmark undo` takes it back."
        ),
        examples="earmark star\nearmark star 117\nearmark star --off “Compiler collectives”",
        former="mark starred",
    ),
    "played": _one_mark(
        "played",
        "unplayed",
        summary=_("mark what is playing, or episodes, as played"),
        about=_(
            "Mark what the running Earmark plays, or episodes, as played; or as unplayed. `earmark undo` takes it back."
        ),
        examples="earmark played\nearmark played 117 118\nearmark played --off 117",
        former="mark played",
    ),
}
