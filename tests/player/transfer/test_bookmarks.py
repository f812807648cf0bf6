"""Bookmarks of another app find their episodes when the feed brings them."""

from datetime import UTC, datetime
from pathlib import Path

from player.model.foreign import ForeignLibrary, ForeignPodcast, Kept
from player.net.credentials import Credentials
from player.transfer.bring import bring, episodes_report, preview
from player.transfer.cleaning import cleaned
from tests.player.exports.helpers import FEEDS, opened, read_feed

AT = datetime(2026, 1, 2, tzinfo=UTC)


def test_bookmarks_come_once_and_find_their_episodes(tmp_path: Path) -> None:
    kept = (
        Kept(61_000, AT, "Look \x1b[31mup", episode="Rain 3", link="javascript:x", guid="rain-3"),
        Kept(-5, None, episode="Rain 4", guid="rain-4"),
        Kept(5, AT, "of nothing"),
    )
    read = cleaned(ForeignLibrary("An app", podcasts=(ForeignPodcast(FEEDS[0], "Rain", bookmarks=kept),)))
    library, logins = opened(tmp_path / "library"), Credentials(tmp_path / "credentials.json")
    try:
        assert preview(library, read).summary == "1 podcast; 2 bookmarks"
        arrived = bring(library, read, logins)
        assert arrived.bookmarks == 2
        assert "2 bookmarks added." in episodes_report(arrived, 0)
        assert {one.episode_id for one in library.bookmarks.all()} == {None}
        (rain,) = library.podcasts.all()
        read_feed(library, rain)
        rows = {row.title: row.id for row in library.episodes.rows(range(1, 20))}  # type: ignore[arg-type]
        (first,) = library.bookmarks.of_episode(rows["Rain 3"])
        assert (first.note, first.position_ms, first.created_at, first.link) == ("Look [31mup", 61_000, AT, "")
        assert [one.position_ms for one in library.bookmarks.of_episode(rows["Rain 4"])] == [0]
        assert bring(library, read, logins).bookmarks == 0
        assert len(library.bookmarks.all()) == 2
    finally:
        library.close()
