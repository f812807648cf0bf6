"""Rows of found podcasts fit any width, and what none of them has takes no room."""

from datetime import UTC, date, datetime

import pytest

from player.directory.directory import FoundPodcast
from tui.drawing.found_podcasts import (
    columns,
    count_words,
    facts,
    find_link,
    find_of,
    identity,
    language_words,
    preview_link,
    preview_of,
)

FULL = FoundPodcast(
    "A podcast", "Somebody", "https://example.com/feed", newest=datetime(2026, 3, 1, tzinfo=UTC), episode_count=1234,
    language="en-US", topics=("Technology",), directories=("Apple Podcasts", "fyyd"), explicit=True,
)  # fmt: skip


@pytest.mark.parametrize("width", range(1, 200))
def test_the_columns_share_the_width_and_titles_come_first(width: int) -> None:
    share = columns(width, [FULL])
    parts = (share.title, share.author, share.newest, share.count, share.language)
    assert sum(parts) == max(0, width - 3)
    assert share.title >= 20 or not any(parts[1:])
    bare = columns(width, [FoundPodcast("Another")])
    assert (bare.newest, bare.count, bare.language) == (0, 0, 0)


def test_words_of_a_row() -> None:
    assert (count_words(FULL), language_words(FULL)) == ("1,234", "en")
    assert count_words(FoundPodcast("x", episode_count=10**9)) == "99,999+"
    assert language_words(FoundPodcast("x", language="something strange")) == ""
    assert facts(FULL, date(2026, 5, 1), "·") == (
        "Somebody · 1,234 episodes · newest 1 Mar · en-US · Technology · explicit · from Apple Podcasts, fyyd"
    )
    assert facts(FoundPodcast("x"), date(2026, 5, 1), "·") == ""


def test_a_podcast_is_the_same_by_its_feed_or_else_by_its_number() -> None:
    assert identity(FULL) == identity(FoundPodcast("Other title", feed_url="http://example.com/feed/"))
    assert identity(FoundPodcast("x", apple_id=7)) == identity(FoundPodcast("y", apple_id=7))
    assert identity(FoundPodcast("x", "a")) != identity(FoundPodcast("x", "b"))


@pytest.mark.parametrize("text", ["https://example.com/a?b=c&d=é#f", "Ada Lovelace", "50 % / more"])
def test_links_carry_any_text(text: str) -> None:
    assert preview_of(preview_link(text)) == find_of(find_link(text)) == text
    assert preview_of(find_link(text)) == find_of(preview_link(text)) == preview_of("https://example.com") == ""
