"""`undo`, `redo`: the last change to episodes and subscriptions. A running Earmark makes the change itself."""

from argparse import Namespace
from collections.abc import Callable

from player.integrations.client import unreadable
from player.library import Library
from player.library.listening.acts import redone_words, undone_words
from player.model.listening import ActKind, Reverted
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.cli.command import Command, Context, report

Act = tuple[ActKind, str, int]
"""Kind, title and count."""


def _undo(context: Context, options: Namespace) -> int:
    from player.downloads.trash import undo

    return _said(options, _act_of(context, "undo", undo), undone_words, _("Nothing to undo"))


def _redo(context: Context, options: Namespace) -> int:
    return _said(options, _act_of(context, "redo", _redone), redone_words, _("Nothing to redo"))


def _act_of(context: Context, command: str, here: Callable[[Library], Reverted | None]) -> Act | None:
    """What was undone or redone: by the running Earmark if there is one, else `here`."""
    if (answer := context.ask_any(command)) is None:
        with context.library() as library:
            reverted = here(library)
        return None if reverted is None else (reverted.act.kind, reverted.act.title, reverted.act.count)
    if (act := answer["act"]) is None:
        return None
    try:
        return ActKind(act["kind"]), act["title"], act["count"]
    except ValueError as error:
        raise unreadable() from error


def _redone(library: Library) -> Reverted | None:
    """Unsubscribing again deletes the files of downloads again."""
    from player.downloads.files import delete_files
    from player.downloads.trash import redo

    files = [file for one in library.acts.to_remove_again() for file in library.downloads.of_podcast(one)]
    reverted = redo(library)
    delete_files(files)
    return reverted


def _said(options: Namespace, act: Act | None, words: Callable[[ActKind, str, int], str], nothing: str) -> int:
    """Nothing to do is no failure."""
    if act is None:
        return report(options, None, nothing)
    return report(options, dict(zip(("kind", "title", "count"), act, strict=True)), clean_line(words(*act)))


COMMANDS = {
    "undo": Command(
        summary=_("undo the last change"),
        after="bookmark",
        about=_(
            "Undo the last change to episodes or podcasts: marks, queue, new episodes, tags, titles, unsubscribing."
        ),
        examples="earmark undo",
        run=_undo,
        prints={"": "Act | None"},
    ),
    "redo": Command(
        summary=_("redo what was undone"),
        about=_("Redo what was undone last, unless something else was changed since."),
        examples="earmark redo",
        run=_redo,
        prints={"": "Act | None"},
    ),
}
