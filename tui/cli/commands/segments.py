"""`segment` and `segments`: marks parts of episodes, lists, changes or deletes them, and lists what could be marked."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.errors import EarmarkError, NotFound
from player.model.segments import Segment, SegmentId, SegmentKind, kind_word
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _, plural
from tui.cli.command import Column, Command, Context, Filters, Rows, report
from tui.cli.commands.steer import a_position
from tui.cli.named_lists import about_fitting
from tui.cli.printout import Printout

if TYPE_CHECKING:
    from player.integrations.documents import commands
    from player.sounds.repeats import Repeat

_MOST_WORDS = 200


def _marking_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episode", metavar="EPISODE", help=_("its ID, or its title or part of it"))
    parser.add_argument("start", metavar="START", type=a_position, help=_("90, 12:34, 1:02:03 or 1h2m3s"))
    parser.add_argument("end", metavar="END", type=a_position, help=_("where it ends, written likewise"))
    parser.add_argument(
        "--kind", choices=[*SegmentKind], default=SegmentKind.OTHER, help=_("what it is (default: other)")
    )


def _mark(context: Context, options: Namespace) -> int:
    start_ms, end_ms = sorted((options.start, options.end))
    with context.library() as library:
        episode = library.episodes.find(options.episode)
        if episode.duration_ms and start_ms >= episode.duration_ms:
            length = clock(episode.duration_ms)
            raise EarmarkError(_("This episode is only {length} long", length=length), _("Choose an earlier time."))
        kind = SegmentKind(options.kind)
        (made,) = context.acts(library, lambda acts: acts.mark_segment(episode.id, start_ms, end_ms, kind).result())
        segment = library.segments.get(made)
    words = {"start": clock(start_ms), "end": clock(end_ms), "title": clean_line(segment.episode)}
    return report(
        options,
        _json(segment),
        _("Marked {start}–{end} in “{title}”: {kind}.", kind=kind_word(kind), **words),
        _("To undo this: earmark undo"),
    )


_SEGMENTS = Rows(
    "list[Segment]",
    (
        Column(_("ID"), "{id}", right=True),
        Column(_("START"), "{start}", right=True),
        Column(_("LENGTH"), "{length}", right=True),
        Column(_("KIND"), lambda row, _context: kind_word(SegmentKind(row["kind"]))),
        Column(_("FOUND"), lambda row, _context: _("found") if row["found"] else "", optional=True),
        Column(_("EPISODE"), "{episode}", flexible=True),
        Column(_("PODCAST"), "{podcast}", flexible=True, spare=2),
        Column(_("MARKED"), "{created_at_day}", spare=1),
    ),
    Filters.MOMENTS,
)

_REPEATS = Rows(
    "list[Repeat]",
    (
        Column(_("START"), "{start}", right=True),
        Column(_("LENGTH"), "{length}", right=True),
        Column(_("EPISODES"), "{episodes}", right=True),
        Column(_("EPISODE"), "{episode}", flexible=True),
        Column(_("WORDS"), "{words}", flexible=True, spare=1, optional=True),
    ),
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode", metavar="EPISODE", nargs="?", help=_("its ID, or its title or part of it (default: all episodes)")
    )
    parser.add_argument("--delete", metavar="ID", nargs="+", type=int, help=_("delete the segments with these IDs"))
    parser.add_argument("--change", metavar="ID", type=int, help=_("say what the segment with this ID is, with --kind"))
    parser.add_argument("--kind", choices=[*SegmentKind], help=_("with --change: what it is; else only list these"))
    parser.add_argument(
        "--repeats",
        metavar="PODCAST",
        help=_("what is heard in at least three episodes of this podcast, and isn't marked"),
    )


def _misuse(options: Namespace) -> str:
    if options.change is not None and not options.kind:
        return _("--change needs --kind")
    if options.change is not None and options.delete:
        return _("--change and --delete don't go together")
    others = options.episode or options.delete or options.change is not None or options.kind or options.filter
    if options.repeats is not None and others:
        return _("--repeats goes only with --json, --format and --limit")
    return ""


def _segments(context: Context, options: Namespace) -> int:
    if options.delete:
        return _delete(context, options)
    if options.change is not None:
        return _change(context, options)
    if options.repeats is not None:
        return _repeats(context, options)
    printout = Printout(context, options, _SEGMENTS)
    with context.library() as library:
        if options.episode:
            found = library.segments.of_episode(library.episodes.find(options.episode).id)
        else:
            found = library.segments.all(found=True)
        if options.kind:
            found = [one for one in found if one.kind == options.kind]
        if options.filter is not None:
            found = about_fitting(library, found, options.filter)[: options.filter.limit]
    nothing = _("No segments in this episode.") if options.episode else _("No segments yet.")
    printout.print(map(_json, found), nothing if options.filter is None else _("No episodes match."))
    return 0


def _repeats(context: Context, options: Namespace) -> int:
    from player.clips.words import said_between
    from player.measuring.measuring import sound_on_disk
    from player.sounds.repeats import repeats_in

    printout = Printout(context, options, _REPEATS)
    with context.library() as library, context.attachments(library) as attachments:
        podcast = library.podcasts.find(options.repeats)
        store = context.store(library, downloaded=lambda episode: library.downloads.get(episode.id))
        found = printout.first(repeats_in(library, podcast.id, sound_on_disk(store.available, context.paths.waveforms)))
        titles = {row.id: row.title for row in library.episodes.rows([one.episode_id for one in found])}
        rows = [
            _repeat_json(
                one,
                titles.get(one.episode_id, ""),
                said_between(attachments.transcript(one.episode_id), one.start_ms, one.end_ms),
            )
            for one in found
        ]
    nothing = _(
        "Nothing unmarked is repeated in the episodes of “{title}” on this disk.", title=clean_line(podcast.title)
    )
    printout.print(rows, nothing)
    return 0


def _repeat_json(repeat: "Repeat", title: str, words: str) -> "commands.Repeat":
    return {
        "episode_id": repeat.episode_id,
        "episode": title,
        "start_ms": repeat.start_ms,
        "end_ms": repeat.end_ms,
        "length_ms": repeat.length_ms,
        "episodes": repeat.episodes,
        "words": clean_line(words, _MOST_WORDS),
    }


def _change(context: Context, options: Namespace) -> int:
    kind = SegmentKind(options.kind)
    with context.library() as library:
        segment = library.segments.get(SegmentId(options.change))
        context.acts(library, lambda acts: acts.change_segment(segment.id, kind).result())
        segment = library.segments.get(segment.id)
    words = _("Segment {id} is now: {kind}.", id=segment.id, kind=kind_word(kind))
    return report(options, _json(segment), f"{words} {_('To undo this: earmark undo')}")


def _delete(context: Context, options: Namespace) -> int:
    """All of them, or none. Raises NotFound."""
    ids = [SegmentId(one) for one in dict.fromkeys(options.delete)]
    with context.library() as library:
        known = {one.id for one in library.segments.all()}
        for one in ids:
            if one not in known:
                raise NotFound(_("No segment has the ID {id}", id=one), _("See `earmark segments`."))
        deleted = context.acts(library, lambda acts: acts.delete_segments(ids).result())
    words = plural(len(deleted), "Deleted {n:,} segment.", "Deleted {n:,} segments.")
    return report(options, {"deleted": list(deleted)}, f"{words} {_('To undo this: earmark undo')}")


def _json(segment: Segment) -> "commands.Segment":
    return {
        "id": segment.id,
        "episode_id": segment.episode_id,
        "episode": segment.episode,
        "podcast": segment.podcast,
        "start_ms": segment.start_ms,
        "end_ms": segment.end_ms,
        "length_ms": segment.length_ms,
        "kind": segment.kind.value,
        "found": segment.found,
        "created_at": segment.created_at.isoformat(),
    }


COMMANDS = {
    "segment": Command(
        summary=_("mark a part of an episode: an intro, a sponsor, a recap"),
        after="bookmark",
        about=_(
            "Mark a part of an episode, and say what it is. Where the same sound is heard in other episodes of the"
            " podcast, Earmark asks whether to skip it; `earmark set PODCAST sponsor=skip` answers once and for all."
            " Nothing is cut from a file.\nA segment is from a second to an hour long. `earmark undo` takes it back."
        ),
        examples=(
            'earmark segment 12 12:30 13:05 --kind sponsor\nearmark segment "Compiler collectives" 0 0:42 --kind intro'
            "\nearmark segments 12"
        ),
        run=_mark,
        arguments=_marking_arguments,
        prints={"": "Segment"},
    ),
    "segments": Command(
        summary=_("list the segments that you have marked and those found, or delete some"),
        after="segment",
        about=_(
            "List the parts of episodes that you have marked, the latest first, each followed by the places where its"
            " sound was found; or those of one episode, in its order; or delete some, and what was found of them.\nThe"
            " ID is that of the segment that you have marked.\nWith --repeats: what is heard in at least three episodes"
            " of a podcast, six seconds and more, and isn't marked; with where it is in the newest of them. The newest"
            " twelve that are on this disk and measured are compared. `earmark segment` marks what it lists."
        ),
        examples=(
            "earmark segments\nearmark segments 12 --json\nearmark segments --kind sponsor\n"
            "earmark segments --change 3 --kind intro\nearmark segments --delete 3\n"
            'earmark segments --repeats "PyTorch Developer"'
        ),
        run=_segments,
        misuse=_misuse,
        arguments=_arguments,
        prints={
            "": "list[Segment]",
            "with --delete": "Deleted",
            "with --change": "Segment",
            "with --repeats": "list[Repeat]",
        },
        lists=(_SEGMENTS, _REPEATS),
    ),
}
