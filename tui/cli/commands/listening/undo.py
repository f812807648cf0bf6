"""`undo`, `redo`: the last change to episodes and subscriptions. An open app follows it within a second."""

from argparse import Namespace

from player.library import Library
from player.model.acts import Reverted
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.cli.command import Command, Context, print_json
from tui.drawing.acts import redone_words, undone_words


def _undo(context: Context, options: Namespace) -> int:
    with context.library() as library:
        return _report(library.acts.undo(), options)


def _redo(context: Context, options: Namespace) -> int:
    with context.library() as library:
        return _report(_redone(library), options)


def _redone(library: Library) -> Reverted | None:
    """Unsubscribing again deletes the files of downloads again."""
    from player.downloads.queue import delete_files

    podcast_id = library.acts.to_remove_again()
    files = [] if podcast_id is None else library.downloads.of_podcast(podcast_id)
    reverted = library.acts.redo()
    delete_files(files)
    return reverted


def _report(reverted: Reverted | None, options: Namespace) -> int:
    """Nothing to do is no failure."""
    if options.json:
        act = reverted.act if reverted else None
        print_json({"kind": act.kind, "title": act.title, "count": act.count} if act else None)
    elif reverted is None:
        print(_("Nothing to undo") if options.undoes else _("Nothing to redo"))
    else:
        words = undone_words if reverted.is_undone else redone_words
        print(clean_line(words(reverted.act.kind, reverted.act.title, reverted.act.count)))
    return 0


COMMANDS = {
    "undo": Command(
        about=_(
            "Undo the last change to episodes or podcasts: marks, queue, new episodes, tags, titles, unsubscribing."
        ),
        examples="earmark undo",
        run=_undo,
        arguments=lambda parser: parser.set_defaults(undoes=True),
        reports=True,
    ),
    "redo": Command(
        about=_("Redo what was undone last, unless something else was changed since."),
        examples="earmark redo",
        run=_redo,
        arguments=lambda parser: parser.set_defaults(undoes=False),
        reports=True,
    ),
}
