"""What an act was, in a few words: for the screen and for the command line."""

from player.model.acts import ActKind, Reverted
from player.text.sentences import _, plural


def reverted_words(reverted: Reverted) -> str:
    """What was undone or redone, as a sentence without its full stop."""
    words = undone_words if reverted.is_undone else redone_words
    return words(reverted.act.kind, reverted.act.title, reverted.act.count)


def undone_words(kind: ActKind, title: str, count: int) -> str:
    return _("Undone: {act}", act=act_words(kind, title, count))


def redone_words(kind: ActKind, title: str, count: int) -> str:
    return _("Redone: {act}", act=act_words(kind, title, count))


def act_words(kind: ActKind, title: str, count: int) -> str:
    """In the past tense, as after "Undone:". `title` is that of the only episode, or of the podcast."""
    match kind:
        case ActKind.PLAYED:
            return plural(count, "marked “{title}” as played", "marked {n:,} episodes as played", title=title)
        case ActKind.UNPLAYED:
            return plural(count, "marked “{title}” as unplayed", "marked {n:,} episodes as unplayed", title=title)
        case ActKind.STARRED:
            return plural(count, "starred “{title}”", "starred {n:,} episodes", title=title)
        case ActKind.UNSTARRED:
            return plural(count, "unstarred “{title}”", "unstarred {n:,} episodes", title=title)
        case ActKind.QUEUED:
            return plural(count, "queued “{title}”", "queued {n:,} episodes", title=title)
        case ActKind.QUEUED_NEXT:
            return plural(count, "queued “{title}” to play next", "queued {n:,} episodes to play next", title=title)
        case ActKind.UNQUEUED:
            return plural(
                count, "removed “{title}” from the queue", "removed {n:,} episodes from the queue", title=title
            )
        case ActKind.MOVED:
            return _("moved “{title}” in the queue", title=title)
        case ActKind.SORTED:
            return _("sorted the queue")
        case ActKind.SHUFFLED:
            return _("shuffled the queue")
        case ActKind.MIXED:
            return _("mixed the queue")
        case ActKind.CLEARED:
            return plural(count, "cleared the queue (“{title}”)", "cleared the queue ({n:,} episodes)", title=title)
        case ActKind.SKIPPED:
            return _("skipped “{title}”", title=title)
        case ActKind.DISMISSED:
            return plural(count, "dismissed “{title}”", "dismissed {n:,} episodes", title=title)
        case ActKind.UNSUBSCRIBED:
            return plural(count, "unsubscribed from “{title}”", "unsubscribed from {n:,} podcasts", title=title)
        case ActKind.BOOKMARKED:
            return _("bookmarked “{title}”", title=title)
        case ActKind.BOOKMARK_DELETED:
            return plural(count, "deleted the bookmark in “{title}”", "deleted {n:,} bookmarks", title=title)
        case ActKind.TAGGED:
            return plural(count, "changed the tags of “{title}”", "changed the tags of {n:,} podcasts", title=title)
        case ActKind.RENAMED:
            return plural(count, "renamed “{title}”", "renamed {n:,} podcasts", title=title)
        case ActKind.PINNED:
            return plural(count, "pinned “{title}”", "pinned {n:,} podcasts", title=title)
        case ActKind.UNPINNED:
            return plural(count, "unpinned “{title}”", "unpinned {n:,} podcasts", title=title)
        case ActKind.IMPORTED:
            return plural(
                count,
                "imported what another app knew of “{title}”",
                "imported what another app knew of {n:,} episodes",
                title=title,
            )
        case ActKind.SYNCED:
            return plural(
                count,
                "took over what other devices know of “{title}”",
                "took over what other devices know of {n:,} episodes",
                title=title,
            )
        case ActKind.DOWNLOADS_DELETED:
            return plural(count, "deleted the download of “{title}”", "deleted {n:,} downloads", title=title)
