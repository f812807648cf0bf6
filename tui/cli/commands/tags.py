"""`tag`: the tags of a podcast, and of all."""

from argparse import ArgumentParser, Namespace
from collections import Counter

from player.errors import EarmarkError
from player.model.podcast import Podcast
from player.text.cleaning import fold
from player.text.sentences import _
from player.text.typed_names import tags_in
from tui.cli.command import Column, Command, Context, Rows
from tui.cli.printout import Printout, grouped

_TAGS = Rows(
    "list[Tag]",
    (Column(_("TAG"), "{tag}", flexible=True), Column(_("PODCASTS"), grouped("podcast_count"), right=True)),
)
_TAGGED = Rows("TaggedPodcast")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "podcast", metavar="PODCAST", nargs="?", help=_("its ID, its URL, or its title or part of it (default: all)")
    )
    parser.add_argument("tags", metavar="TAG", nargs="*", help=_("tags to add; new ones are created"))
    parser.add_argument(
        "--remove", metavar="TAG", action="append", default=[], help=_("remove this tag (may be given several times)")
    )


def _run(context: Context, options: Namespace) -> int:
    from player.shelf import set_tags

    if options.podcast is None:
        return _all(context, options)
    printout = Printout(context, options, _TAGGED)
    added, removed = tags_in(",".join(options.tags)), tags_in(",".join(options.remove))
    if (options.tags and not added) or (options.remove and not removed):
        raise EarmarkError(_("A tag can't be empty"))
    with context.library() as library:
        podcast = library.podcasts.find(options.podcast)
        if added or removed:
            without = set(map(fold, removed))
            set_tags(library, podcast.id, [tag for tag in (*podcast.tags, *added) if fold(tag) not in without])
            podcast = library.podcasts.get(podcast.id)
    if not printout.is_table:
        printout.print_one({"podcast_id": podcast.id, "podcast": podcast.title, "tags": list(podcast.tags)})
    else:
        print(_words(podcast))
    return 0


def _words(podcast: Podcast) -> str:
    if podcast.tags:
        return f"{podcast.title}: {', '.join(podcast.tags)}"
    return _("{podcast} has no tags. Add one with: earmark tag {id} TAG", podcast=podcast.title, id=podcast.id)


def _all(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _TAGS)
    if options.remove:
        raise EarmarkError(_("Name the podcast whose tag should be removed"), _("See `earmark podcasts`."))
    with context.library() as library:
        counts = Counter(tag for tags in library.shelf.tags().values() for tag in tags)
    tags = sorted(counts, key=lambda tag: (fold(tag), tag))
    nothing = _("No tags yet. Tag a podcast with: earmark tag PODCAST TAG")
    printout.print(({"tag": tag, "podcast_count": counts[tag]} for tag in tags), nothing)
    return 0


COMMANDS = {
    "tag": Command(
        summary=_("show or change the tags of podcasts"),
        after="set",
        about=_(
            "Show, add or remove the tags of a podcast; without a podcast, list all tags.\nTags group podcasts:"
            " `earmark search tag:NAME` finds their episodes."
        ),
        examples=(
            "earmark tag pytorch work machine-learning\n"
            'earmark tag 3 "long walks" --remove work\n'
            "earmark tag 3\n"
            "earmark tag --json"
        ),
        run=_run,
        arguments=_arguments,
        prints={"": "list[Tag]", "with PODCAST": "TaggedPodcast"},
        lists=(_TAGS, _TAGGED),
    ),
}
