"""Now playing (`w`): opened from anywhere, it follows what plays, and the keys of the player work on it."""

from datetime import UTC, datetime

import pytest

from player.events import PlaybackChanged
from player.library import Attachment, AttachmentKind
from player.library.attachments import GIVEN
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import NextFrom, NextUp, PlaybackState, PlaybackStatus
from tests.tui.stage import Stage, stocked, stocked_player
from tests.tui.stage import opened as opened_app
from tui.screens.about import AboutScreen
from tui.screens.main import MainScreen
from tui.screens.now_playing import NowPlayingScreen
from tui.widgets.pages import NowPlayingPage

CUES = "WEBVTT\n\n" + "".join(
    f"00:{at // 60:02}:{at % 60:02}.000 --> 00:{at // 60:02}:{at % 60 + 5:02}.000\n<v Ada>Said at {at} seconds\n\n"
    for at in range(480, 540, 10)
)


async def opened(stage: Stage, *keys: str) -> NowPlayingPage:
    """Now playing, complete."""
    await stage.press(*(keys or ("w",)))
    await stage.until(lambda: isinstance(stage.app.screen, NowPlayingScreen), "the screen")
    await stage.settle()
    page = stage.app.screen.query_one(NowPlayingPage)
    await stage.until(lambda: page.playing.art is not None or page.playing.episode is None, "what is known")
    return page


def give_transcript(stage: Stage, episode: Episode) -> None:
    one = Attachment(AttachmentKind.TRANSCRIPT, f"{GIVEN}en", CUES.encode(), "text/vtt", "en")
    stage.library.attachments.put(EpisodeId(episode.id), one, datetime(2026, 11, 20, tzinfo=UTC))


def playing(stage: Stage) -> Episode:
    episode = stage.player.status.episode
    assert episode is not None
    return episode


async def test_w_opens_it_and_w_or_esc_leaves() -> None:
    async with stocked() as stage:
        for leave in ("w", "escape", "q"):
            await opened(stage)
            assert stage.shows("Inductor - Post-grad FX passes")
            assert stage.shows("Mon 12 Oct · 24m")
            assert stage.shows("▶  6:41  Pattern matcher")
            await stage.press(leave)
            await stage.until(lambda: isinstance(stage.app.screen, MainScreen), f"the end by {leave}")
        await opened(stage)
        for size in ((30, 8), (300, 100), (160, 45), (80, 24), (40, 12)):
            await stage.resize(*size)
            for words in ("Inductor - Post", "PyTorch Developer", "8:12"):
                assert stage.shows(words), (words, size)


@pytest.mark.long
async def test_it_opens_over_other_pages_and_goes_to_the_episode_in_its_list() -> None:
    async with stocked() as stage:
        await stage.press("g", "i")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen), "the page")
        await opened(stage)
        await stage.press("apostrophe")
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen), "the list")
        await stage.until(lambda: stage.title == "Inductor - Post-grad FX passes", "the episode")


async def test_what_is_being_said_follows_playback(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stocked((120, 40)) as stage:
        give_transcript(stage, playing(stage))
        page = await opened(stage)
        await stage.until(lambda: stage.shows("Said at 490 seconds"), "the transcript")
        assert page.playing.line == 1
        stage.player.session.seek_to(512_000)
        await stage.until(lambda: page.playing.line == 3, "the line after the jump")
        assert stage.shows("Said at 510 seconds")
        assert stage.shows("Ada")
        drawn: list[int] = []
        monkeypatch.setattr(page, "redraw_row", drawn.append)
        page._follow()
        assert drawn == [], "nothing has changed"
        page.move_to(0)
        assert len(drawn) == 1, "the row of the chapter"


@pytest.mark.parametrize("theme", ["ink", "paper", "ansi"])
async def test_the_word_that_is_said_is_underlined_in_every_theme(theme: str) -> None:
    async with opened_app(stocked_player(theme=theme), (120, 40)) as stage:
        words = b"WEBVTT\n\n00:08:10.000 --> 00:08:40.000\nSaid <00:08:11.000>until <00:08:30.000>later\n"
        one = Attachment(AttachmentKind.TRANSCRIPT, f"{GIVEN}en", words, "text/vtt", "en")
        stage.library.attachments.put(EpisodeId(playing(stage).id), one, datetime(2026, 11, 20, tzinfo=UTC))
        page = await opened(stage)
        await stage.until(lambda: page.playing.word == (5, 10), "the word")
        segments = [one for y in range(page.size.height) for one in page.render_line(y) if one.text.strip() == "until"]
        assert [bool(one.style and one.style.underline and one.style.bold) for one in segments] == [True]


async def test_keys_of_the_player_and_of_episodes_work_there_and_a_click_on_a_chapter_plays_from_it() -> None:
    async with stocked() as stage:
        await opened(stage)
        episode = playing(stage)
        for key, words in (
            ("right", "Forward 30s"), ("right_square_bracket", "Speed 1.1"), ("minus", "Volume 95%"),
            ("b", "Bookmarked 8:42"), ("comma", "Pattern matcher"), ("u", "Jump undone"), ("e", "Queued"),
        ):  # fmt: skip
            await stage.press(key)
            await stage.until(lambda words=words: stage.shows(words), f"what {key} says")  # type: ignore[misc]
        await stage.press("s")
        await stage.until(lambda: not stage.library.episodes.get(episode.id).starred, "the star is gone")
        await stage.until(lambda: stage.shows("s star"), "the footer")
        assert isinstance(stage.app.screen, NowPlayingScreen)

        lines = stage.lines()
        row = next(at for at, line in enumerate(lines) if "14:05  Reinplacing" in line)
        await stage.pilot.click(offset=(lines[row].index("Reinplacing") + 2, row))
        await stage.until(lambda: stage.player.status.position_ms == 845_000, "the jump to the chapter")
        await stage.until(lambda: stage.shows("▶ 14:05"), "its sign")
        await stage.press("g")
        assert stage.shows("▌  0:00")
        assert stage.shows("play from here")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.position_ms == 0, "the first chapter")
        assert not stage.shows("play from here")


async def test_it_follows_to_the_next_episode_and_names_what_comes_then() -> None:
    async with stocked() as stage:
        await opened(stage)
        pytorch = View.of(ViewName.PODCAST, playing(stage).podcast_id)
        first, second = stage.library.episodes.rows([EpisodeId(one) for one in stage.library.episodes.ids(pytorch)[:2]])
        status = PlaybackStatus(PlaybackState.PAUSED, first, 0, 960_000, next_up=NextUp(second, NextFrom.QUEUE))
        stage.player.bus.publish(PlaybackChanged(status))
        await stage.until(lambda: stage.shows(f"n  Next: {second.title}"), "what comes next")
        assert stage.shows(first.title)
        assert not stage.shows("Post-grad FX passes")
        stage.player.bus.publish(PlaybackChanged(PlaybackStatus()))
        await stage.until(lambda: stage.shows("Nothing is playing"), "nothing")
        assert stage.shows("esc goes back to your episodes, enter plays the selected one")
        stream = Episode(EpisodeId(99_999), playing(stage).podcast_id, "Radio", "Live", "live", "https://r.example/")
        stage.player.bus.publish(PlaybackChanged(PlaybackStatus(PlaybackState.PAUSED, stream, 5_000, live=True)))
        await stage.until(lambda: any(line.strip() == "live" for line in stage.lines()), "that it is live")


async def test_the_screen_behind_it_draws_nothing_and_is_up_to_date_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stocked() as stage:
        main, episode = stage.screen, playing(stage)
        await stage.press("ctrl+p")
        assert stage.app.screen is not main
        by_dialog = main.is_covered
        await stage.press("escape")
        await opened(stage)
        assert (by_dialog, main.is_covered) == (False, True)
        drawn: list[object] = []
        monkeypatch.setattr(main, "_set_dirty", lambda *regions: drawn.append(regions))
        monkeypatch.setattr(main.bar, "_update", lambda: drawn.append("bar"))
        for second in range(3):
            status = PlaybackStatus(PlaybackState.PAUSED, episode, second * 1000, 1_440_000, volume=35)
            stage.player.bus.publish(PlaybackChanged(status))
            await stage.until(lambda: stage.app.screen.bar._status.position_ms == status.position_ms)  # type: ignore[attr-defined]  # noqa: B023
            main.bar.refresh()
            main.bar._tick()
            await stage.settle()
        assert drawn == []
        monkeypatch.undo()
        stage.player.session.change_volume(-40)
        await stage.until(lambda: stage.player.status.volume == 60, "the volume")
        await stage.press("w")
        await stage.until(
            lambda: isinstance(stage.app.screen, MainScreen) and stage.shows("60"), "the volume in the bar"
        )
