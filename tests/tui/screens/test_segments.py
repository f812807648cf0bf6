"""Segments on the screen, from the keys to the library."""

from datetime import UTC, datetime

import pytest

from player.library import Attachment, AttachmentKind
from player.library.attachments import GIVEN
from player.model.episode import Episode
from player.model.playback import PlaybackState
from player.model.segments import SegmentKind, SegmentRule
from tests.tui.shelf import episodes_of
from tests.tui.stage import Stage, stocked
from tui.dialogs.segment import SegmentScreen
from tui.widgets.episode_page import TRANSCRIPT

CUES = b"""WEBVTT

00:10.000 --> 00:14.000
One.

00:20.000 --> 00:25.000
Two.

00:30.000 --> 00:33.500
Three.
"""


async def paused(stage: Stage) -> Episode:
    """The episode in the bar and under the cursor; its page is filled."""
    await stage.until(lambda: stage.filled, "the page")
    episode = stage.player.status.episode
    assert episode == stage.screen.episode
    assert episode
    return episode


async def choose(stage: Stage, *keys: str) -> None:
    await stage.until(lambda: isinstance(stage.app.screen, SegmentScreen), "the question")
    await stage.press(*keys)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_two_keys_and_an_answer_mark_a_segment_that_is_shown_and_undone(size: tuple[int, int]) -> None:
    async with stocked(size=size) as stage:
        episode = await paused(stage)
        stage.player.session.seek_to(60_000).result(10)
        await stage.press("(")
        await stage.until(lambda: stage.shows("A segment begins at 1:00"), "the start in the bar")
        stage.player.session.seek_to(94_000).result(10)
        await stage.press(")")
        await choose(stage, "j", "j", "enter")
        await stage.until(lambda: stage.library.segments.all(), "the segment")
        (made,) = stage.library.segments.of_episode(episode.id)
        assert (made.start_ms, made.end_ms, made.kind) == (60_000, 94_000, SegmentKind.SPONSOR)
        await stage.until(lambda: stage.news.startswith("Marked a sponsor of 0:34 at 1:00"), "the words")
        await stage.until(lambda: not stage.shows("A segment begins at"), "the bar")
        if size[0] > 100:
            await stage.until(lambda: stage.shows("Segments: sponsor 0:34"), "the page")
        await stage.press("U")
        await stage.until(lambda: not stage.library.segments.all(), "undone")
        await stage.until(lambda: "marked a segment in" in stage.news, "what was undone")


async def test_escape_marks_nothing() -> None:
    async with stocked() as stage:
        await paused(stage)
        stage.player.session.seek_to(60_000).result(10)
        await stage.press("(")
        stage.player.session.seek_to(94_000).result(10)
        await stage.press(")")
        await choose(stage, "escape")
        await stage.until(lambda: stage.news == "Nothing was marked", "the words")
        assert stage.library.segments.all() == []
        assert not stage.shows("A segment begins at")


async def test_the_lines_of_a_transcript_are_marked() -> None:
    async with stocked(size=(120, 40)) as stage:
        episode = await paused(stage)
        companion = Attachment(AttachmentKind.TRANSCRIPT, f"{GIVEN}en", CUES, "text/vtt", "en")
        stage.library.attachments.put(episode.id, companion, datetime(2026, 11, 20, tzinfo=UTC))
        stage.screen.parts.pages.show_beside()
        await stage.until(lambda: TRANSCRIPT in stage.screen.page.tabs(), "the transcript")
        await stage.press("3")
        await stage.until(lambda: stage.shows("Three."), "the lines")
        await stage.press("g", "j", "(")
        await stage.until(lambda: stage.shows("A segment begins at 0:20"), "the start")
        await stage.press("j", ")")
        await choose(stage, "enter")
        await stage.until(lambda: stage.library.segments.all(), "the segment")
        (made,) = stage.library.segments.of_episode(episode.id)
        assert (made.start_ms, made.end_ms, made.kind) == (20_000, 33_500, SegmentKind.INTRO)


async def test_the_bar_asks_and_an_answer_skips_it_now_and_always() -> None:
    async with stocked() as stage:
        await paused(stage)
        first, other, *_rest = episodes_of(stage.library, stage.library.podcasts.find("Welcome to Earmark").id)
        marked = stage.library.segments.mark(other.id, 0, 12_000, SegmentKind.SPONSOR)
        stage.library.segments.put_found(first.id, [(marked.id, 8_000, 20_000)])
        stage.player.session.play(first.id, 1_000).result(10)
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "the sound")
        await stage.until(lambda: stage.shows("* skip") and stage.shows("! never"), "the question")
        await stage.press("*")
        settings = stage.library.podcast_settings
        await stage.until(lambda: settings.get(marked.podcast_id).segments.sponsor is SegmentRule.SKIP, "the setting")
        await stage.until(lambda: stage.news.startswith("From now on sponsors in"), "the words")
        await stage.until(lambda: stage.player.status.position_ms >= 20_000, "the skip")
        await stage.until(lambda: stage.news.startswith("Skipped a sponsor, 0:12"), "what was skipped")
        await stage.press("u")
        await stage.until(lambda: stage.news.startswith("Back to a sponsor"), "the way back")
        await stage.until(lambda: not stage.library.segments.of_episode(first.id), "that it was rejected")
