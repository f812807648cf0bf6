"""`show`: an episode and its notes, as on its page in the app."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from player.integrations.json_api import Ranks, episode_json, extras_json
from player.library import Library
from player.model.episode import Episode
from player.text.durations import clock
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, Rows
from tui.cli.describe import day, position_text
from tui.cli.printout import Printout
from tui.drawing.labels import live_words, numbered

if TYPE_CHECKING:
    from player.library.attachments import EpisodeExtras

_PAGE = 80
_EPISODE = Rows("ShownEpisode", limited=False)


class Shown(Struct, frozen=True):
    """An episode and what is known of it without the network. `chapters` counts the listed ones.

    `to_fetch`: which of "chapters" and "transcript" the feed names and isn't on the disk yet.
    """

    episode: Episode
    extras: "EpisodeExtras"
    notes: str
    chapters: int
    to_fetch: frozenset[str]
    ranks: Ranks


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episode", metavar="EPISODE", help=_("its ID, or its title or part of it"))


def _show(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _EPISODE)
    with context.library() as library:
        shown = _shown(context, library, library.episodes.find(options.episode))
    if not printout.is_table:
        printout.print_one(
            {
                **episode_json(shown.episode, shown.ranks),
                "notes": shown.notes,
                **extras_json(shown.extras),
                "chapter_count": shown.chapters,
            }
        )
        return 0
    from player import notes as show_notes
    from tui.cli.text_table import terminal_width

    for line in facts(shown):
        print(line)
    if text := show_notes.plain(show_notes.read_notes(shown.notes), min(_PAGE, terminal_width() or _PAGE)):
        print(f"\n{text.rstrip()}")
    return 0


def _shown(context: Context, library: Library, episode: Episode) -> Shown:
    """From the disk alone: imports nothing that fetches or plays."""
    from player.attachments.episode_transcripts import Transcripts, built_in, missing_chapters
    from player.library.attachments import EpisodeExtras

    extras = library.extras.of([episode.id]).get(episode.id, EpisodeExtras())
    chapters = len(context.chapters_on_disk(library, episode).listed)
    to_fetch = {"chapters"} if missing_chapters(library, episode.id) else set()
    missing = Transcripts(library, context.settings.transcripts.language).missing(episode.id)
    if missing and not any(built_in(ref.url) for ref in missing):
        to_fetch.add("transcript")
    return Shown(
        episode, extras, library.episodes.notes(episode.id), chapters, frozenset(to_fetch), library.queue.ranks()
    )


def facts(shown: Shown) -> Iterator[str]:
    """The title, lines of details, and the addresses."""
    episode, extras = shown.episode, shown.extras
    about = [
        episode.podcast,
        live_words(episode) or day(episode.published),
        clock(episode.duration_ms) if episode.duration_ms else "",
    ]
    if episode.played:
        about.append(_("played"))
    elif episode.in_progress:
        about.append(_("at {position}", position=position_text(episode.position_ms, episode.duration_ms)))
    if episode.starred:
        about.append(_("starred"))
    yield episode.title
    yield " · ".join(fact for fact in about if fact)
    yield from filter(None, (numbered(extras.season, extras.number, extras.kind), _people(extras), _attachments(shown)))
    yield _("Audio: {url}", url=episode.url)
    if extras.download:
        yield _("Downloaded: {file}", file=extras.download)
    if episode.link:
        yield _("Page: {url}", url=episode.link)
    if extras.comments:
        yield _("Comments: {url}", url=extras.comments)
    if extras.chat:
        yield _("Chat: {url}", url=extras.chat)
    for one in extras.fundings:
        yield f"{one.label or _('Support this show')}: {one.url}"


def _people(extras: "EpisodeExtras") -> str:
    if not extras.people:
        return ""
    from tui.drawing.episode_tabs import people_pieces

    parts = "".join(piece.text for piece in people_pieces(extras.people))
    return parts[:1].upper() + parts[1:]


def _attachments(shown: Shown) -> str:
    """“12 chapters · transcript in en, de”."""
    parts = []
    if shown.chapters:
        parts.append(plural(shown.chapters, "{n:,} chapter", "{n:,} chapters"))
    elif "chapters" in shown.to_fetch:
        parts.append(_("chapters not fetched yet"))
    if languages := shown.extras.languages:
        parts.append(_transcript(", ".join(filter(None, languages)), fetched="transcript" not in shown.to_fetch))
    return " · ".join(parts)


def _transcript(languages: str, *, fetched: bool) -> str:
    if not languages:
        return _("transcript") if fetched else _("transcript not fetched yet")
    if fetched:
        return _("transcript in {languages}", languages=languages)
    return _("transcript in {languages} not fetched yet", languages=languages)


COMMANDS = {
    "show": Command(
        summary=_("show an episode and its notes"),
        after="search",
        about=_("Show an episode and its notes: who is in it, how many chapters it has, where its file is."),
        examples="earmark show 42\nearmark show \"Press play\"\nearmark show 42 --json | jq -r '.people[].name'\n"
        "earmark show 42 --format '{url}'",
        run=_show,
        arguments=_arguments,
        prints={"": "ShownEpisode"},
        lists=(_EPISODE,),
    ),
}
