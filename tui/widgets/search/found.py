"""Search results: a few podcasts, and the episodes below them, with one cursor for both."""

from collections.abc import Callable, Sequence
from datetime import date

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from player.library import Fetch, RowsRead
from player.library.search.search import Found
from player.model.episode import Episode, EpisodeId
from player.model.podcast import Podcast
from player.text.cleaning import fold
from tui.drawing.row_bytes import NOTHING, RowBytes
from tui.widgets.search.found_list import FoundList
from tui.widgets.search.found_podcasts import FoundPodcasts


class FoundPane(Vertical):
    """The cursor starts on the first episode, or on the first podcast if its name begins with what was typed.

    Once the listener has moved it, it stays on its row for as long as that is found.
    """

    DEFAULT_CSS = """
    FoundPane { height: 1fr; }
    FoundPane FoundList { height: 1fr; }
    """

    def __init__(
        self,
        fetch: Fetch,
        today: Callable[[], date],
        bytes_of: Callable[[Episode], RowBytes] = lambda _episode: NOTHING,
    ) -> None:
        """As those of a list of episodes."""
        super().__init__()
        self._podcasts = FoundPodcasts(id="found-podcasts")
        self._episodes = FoundList(fetch, today, id="found")
        self._episodes.can_focus = False
        self._episodes.bytes_of = bytes_of
        self._moved = False
        """Whether the listener has moved the cursor."""

    def compose(self) -> ComposeResult:
        yield self._podcasts
        yield self._episodes

    @property
    def podcast(self) -> Podcast | None:
        """The one under the cursor."""
        return self._podcasts.podcast

    @property
    def episode(self) -> Episode | None:
        """The one under the cursor."""
        return None if self._podcasts.has_cursor else self._episodes.episode

    @property
    def episode_id(self) -> EpisodeId | None:
        return None if self._podcasts.has_cursor else self._episodes.episode_id

    def show_found(
        self, text: str, found: Found, podcasts: Sequence[Podcast], empty: str, read: RowsRead | None = None
    ) -> None:
        """`text` is what was typed, `read` the rows of the episodes that have been read, `empty` what is said if there
        are none."""
        on_podcast, on_episode = self.podcast, self.episode_id
        kept = next((at for at, one in enumerate(podcasts) if on_podcast and one.id == on_podcast.id), None)
        self._moved = self._moved and (kept is not None or on_episode in found.ids)
        if self._moved:
            among_podcasts = kept is not None
        else:
            begins = bool(podcasts) and fold(podcasts[0].title).startswith(fold(text.strip()))
            among_podcasts = begins or (bool(podcasts) and not found.ids)
        self._put_cursor(among_podcasts=among_podcasts)
        self._podcasts.show_podcasts(podcasts, found.terms, (kept or 0) if self._moved else 0)
        self._episodes.show_found(found, "" if podcasts else empty, read, stay=self._moved)

    def put(self, episode: Episode) -> None:
        """Shows a changed episode before the library confirms it."""
        self._episodes.put(episode)

    def move_by(self, rows: int) -> None:
        self._moved = True
        podcasts, episodes = self._podcasts, self._episodes
        if podcasts.has_cursor and podcasts.cursor + rows >= podcasts.row_count() and episodes.row_count():
            self._put_cursor(among_podcasts=False)
            episodes.move_to(0)
        elif not podcasts.has_cursor and episodes.cursor + rows < 0 and podcasts.row_count():
            self._put_cursor(among_podcasts=True)
            podcasts.move_to(podcasts.row_count() - 1)
        else:
            (podcasts if podcasts.has_cursor else episodes).move_by(rows)

    def move_by_pages(self, pages: int) -> None:
        self._moved = True
        if self._podcasts.has_cursor:
            self.move_by(pages * self._podcasts.row_count())
        else:
            self._episodes.move_by_pages(pages)

    def on_click(self, event: events.Click) -> None:
        """The list that was clicked has already moved its own cursor."""
        self._moved = True
        self._put_cursor(among_podcasts=event.widget is self._podcasts)

    def _put_cursor(self, *, among_podcasts: bool) -> None:
        if among_podcasts != self._podcasts.has_cursor:
            self._podcasts.has_cursor, self._episodes.has_cursor = among_podcasts, not among_podcasts
            self._podcasts.refresh_changed()
            self._episodes.refresh_changed()
            self.post_message(FoundList.Moved(self._episodes))
