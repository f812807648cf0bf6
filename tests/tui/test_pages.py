"""What the podcast's page and Now playing look like, from the smallest terminal to the largest."""

import sqlite3
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from syrupy.assertion import SnapshotAssertion

from player.library import Attachment, AttachmentKind
from player.library.attachments import GIVEN
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.player import Player
from tests.tui.looks import layers, styles_on, words_on
from tests.tui.shelf import episodes_of
from tests.tui.stage import opened, stocked_player
from tests.tui.test_gallery import ONE_QUICK, cells

AT = datetime(2026, 11, 19, 18, tzinfo=UTC)
DESCRIPTION = (
    "A podcast about how PyTorch works inside, for those who work on it and for those who would like to. Each episode"
    " explains one part of it in a quarter of an hour, with its history, its trade-offs and what to read next."
)
SAID = (
    "So today I want to talk about the passes that run after the graph has been split.",
    "And why do you need another set of passes there?",
    "Because at that point everything is functional: there are no mutations left, but for a few at the end.",
    "Right. You can match a pattern and replace it, and nobody else holds on to that tensor.",
    "What happens when two patterns match?",
    "The one that was registered first wins.",
)


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def furnish(player: Player) -> None:
    """Half a year of listening, a transcript, and a description."""
    podcast_id = player.library.podcasts.find("PyTorch Developer Podcast").id
    rows = {row.title: row for row in episodes_of(player.library, podcast_id)}
    half = rows["Half precision"]
    for number in range(0, 180, 3):
        began, minutes = AT - timedelta(days=number), number % 7 + 1
        span = ListeningSpan(half.id, 0, minutes * 60_000, began)
        player.library.progress.save(half.id, 60_000, half.duration_ms, AT - timedelta(days=200), heard=[span])
    cues = "".join(
        f"00:{at // 60:02}:{at % 60:02}.000 --> 00:{(at + 6) // 60:02}:{(at + 6) % 60:02}.000\n"
        f"<v {('Edward', 'Horace')[at // 18 % 2]}>{SAID[at // 6 % len(SAID)]}\n\n"
        for at in range(444, 600, 6)
    )
    playing = rows["Inductor - Post-grad FX passes"]
    one = Attachment(AttachmentKind.TRANSCRIPT, f"{GIVEN}en", f"WEBVTT\n\n{cues}".encode(), "text/vtt", "en")
    player.library.attachments.put(EpisodeId(playing.id), one, AT)
    with sqlite3.connect(player.paths.library) as database:
        database.execute(
            "UPDATE podcasts SET last_refreshed = ?, author = 'Edward Yang', description = ? WHERE id = ?",
            (int(AT.timestamp() * 1000), DESCRIPTION, podcast_id),
        )


@pytest.mark.parametrize("size", ONE_QUICK)
async def test_pages(size: str, snapshot: SnapshotAssertion) -> None:
    player = stocked_player(theme="paper" if size == "160x45" else "ink")
    furnish(player)
    async with opened(player, cells(size)) as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        for key in ("i", "w"):
            await stage.press(key)
            assert words_on(stage.app) == snapshot(name=key)
            assert layers(styles_on(stage.app)) == snapshot(name=f"{key} styles")
            await stage.press("escape")
