"""The tab of comments: a post and its replies as an indented thread."""

from collections.abc import Collection, Iterator
from functools import lru_cache

from player.comments.comments import Comments
from player.comments.thread import Attached, Post, Thread
from player.notes import Notes, read_notes, words
from player.text.sentences import _, mark, plural, translate
from player.text.times import full_moment
from tui.drawing.cells import steady
from tui.drawing.episode_tabs import Entry, TextPage
from tui.drawing.notes.notes_page import body
from tui.drawing.runs import Line, Run, width_of, wrap, wrap_facts
from tui.look.glyphs import Glyphs

_FOLD = "earmark:comment/"
_DEEPEST = 8
_LEAST_TEXT = 24
"""The cells that are left to the text of the deepest replies."""
_KINDS = {
    "image": mark("picture"), "video": mark("video"), "gifv": mark("video"), "audio": mark("sound"),
}  # fmt: skip


def folded_of(href: str) -> str:
    """The ID of the post that a link shows or hides; "" for any other link."""
    return href.removeprefix(_FOLD) if href.startswith(_FOLD) else ""


def count_words(comments: Comments, thread: Thread) -> tuple[str, ...]:
    """How many comments there are, and where."""
    count = plural(thread.replies, "{n:,} comment", "{n:,} comments") if thread.replies else _("No comments yet")
    more = _("there may be more on {server}", server=comments.server) if thread.more else comments.server
    return count, more


def attached_words(one: Attached, *, is_sensitive: bool) -> str:
    """A file of a post in brackets: “[picture: two cats]”."""
    kind = translate(_KINDS.get(one.kind, mark("file")))
    if is_sensitive:
        return f"[{_('sensitive')}: {kind}]"
    return f"[{kind}: {one.description}]" if one.description else f"[{kind}]"


def comments_sheet(
    comments: Comments,
    columns: int,
    glyphs: Glyphs,
    duration_ms: int | None,
    open_ids: Collection[str],
    hints: tuple[str, str] = ("", ""),
) -> TextPage:
    """The posts, each as an entry; texts below a content warning are hidden unless their IDs are among `open_ids`.
    Times within `duration_ms` link to positions. `hints` say with which keys comments are fetched again,
    and such texts shown."""
    sheet = TextPage()
    thread = comments.thread
    if thread is None:
        return sheet
    facts = filter(None, (*count_words(comments, thread), hints[0]))
    top = wrap([Run(comments.trouble, "error")], columns) if comments.trouble else []
    for number, post in enumerate(thread.posts):
        lead: list[Line] = [()] if number else [*top, *wrap_facts(facts, columns, glyphs.dot, "muted"), ()]
        bars = min(post.depth, _DEEPEST, max(0, (columns - _LEAST_TEXT) // 2))
        before = (Run(f"{glyphs.quote} ", "bar"),) * bars
        folds, opened = bool(post.warning), post.id in open_ids
        room = columns - 2 * bars
        if opened or not folds:
            lines = [*_head(post, room), *_text(post, room, glyphs, duration_ms)]
        else:
            lines = _head(post, room, f" {glyphs.dot} {hints[1]}" if hints[1] else "")
        text = " ".join((post.name, post.handle, post.warning))
        if opened or not folds:
            text = f"{text} {words(_notes(post.html))}"
        href = f"{_FOLD}{post.id}" if folds else post.url or comments.url
        entry = Entry(0, href=href, url=post.url or comments.url, text=text)
        sheet.add(entry, [(*before, *line) for line in lines], lead)
    return sheet


@lru_cache(maxsize=600)
def _notes(html: str) -> Notes:
    return read_notes(html)


def _head(post: Post, columns: int, hint: str = "") -> list[Line]:
    """Who wrote it, and when; and what is to be read before the text."""
    name = [Run(steady(post.name or post.handle), "bold")]
    if post.name and post.handle:
        name += [Run("  "), Run(steady(post.handle), "muted")]
    lines = wrap(name, columns)
    if post.at is not None:
        when = Run(full_moment(post.at), "muted")
        if width_of(lines[-1]) + 2 + width_of([when]) <= columns:
            lines[-1] = (*lines[-1], Run("  "), when)
        else:
            lines += wrap([when], columns)
    if post.warning:
        warning = Run(_("Content warning: {warning}", warning=steady(post.warning)), "italic")
        lines += wrap([warning, Run(hint, "muted")], columns)
    return lines


def _text(post: Post, columns: int, glyphs: Glyphs, duration_ms: int | None) -> Iterator[Line]:
    yield from body(_notes(post.html), columns, glyphs, duration_ms, numbered=False)
    for one in post.attached:
        yield from wrap([Run(steady(attached_words(one, is_sensitive=post.is_sensitive)), "muted")], columns)
