"""The dialog of a clip: what it opens at, moving its edges, hearing, keeping and saving it."""

from datetime import UTC, datetime
from pathlib import Path

from player.library import Attachment, AttachmentKind
from player.library.attachments import GIVEN
from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.model.filters import View, ViewName
from player.model.listening import Moment
from player.model.playback import PlaybackState
from tests.player.clips.sound import decoded
from tests.tui.stage import Stage, stocked
from tui.dialogs.clip import ClipScreen, Edges
from tui.drawing.episode_tabs import time_of, transcript_sheet
from tui.drawing.selected_text import Selection, Spot
from tui.widgets.episode_page import TRANSCRIPT


def test_an_edge_moves_by_tenths_and_stays_beside_the_other() -> None:
    edges = Edges(5_000, 8_000, 60_000)
    assert edges.moved_by(-100) == Edges(4_900, 8_000, 60_000)
    assert edges.moved_by(-9_000).start_ms == 0
    assert edges.moved_by(9_000).start_ms == 7_900
    end = edges.other()
    assert end.moved_by(100).end_ms == 8_100
    assert end.moved_by(-9_000).end_ms == 5_100
    assert end.moved_by(99_000).end_ms == 60_000
    assert Edges(0, 1_000, None, at_end=True).moved_by(99_000).end_ms == 100_000


def test_an_edge_moves_by_words_and_by_a_second_without_any() -> None:
    words = [4_200, 4_800, 5_000, 5_300, 9_000]
    edges = Edges(5_000, 8_000, 60_000)
    assert edges.moved_by_word(1, words).start_ms == 5_300
    assert edges.moved_by_word(-1, words).start_ms == 4_800
    assert edges.other().moved_by_word(1, words).end_ms == 9_000
    assert edges.other().moved_by_word(-1, words).end_ms == 5_300
    last = Edges(9_000, 9_500, 60_000, at_end=True)
    assert last.moved_by_word(1, words) == last
    assert edges.moved_by_word(-1, []).start_ms == 4_000


WORDS = Transcript((
    TranscriptLine("It rains here.", 1_000, 3_000, "Ada", (
        SpokenWord(0, 1_000), SpokenWord(3, 1_400), SpokenWord(9, 2_000),
    )),
    TranscriptLine("And there it snows, too, all day long.", 4_000, 7_000, "Grace", (
        SpokenWord(0, 4_000), SpokenWord(4, 4_300), SpokenWord(10, 4_600), SpokenWord(13, 4_900),
        SpokenWord(20, 5_500), SpokenWord(25, 6_000), SpokenWord(29, 6_300), SpokenWord(33, 6_600),
    )),
    TranscriptLine("No times of words.", 8_000, None),
    TranscriptLine("The end.", 10_000, None),
))  # fmt: skip


def test_selected_words_are_a_time_of_the_episode() -> None:
    sheet = transcript_sheet(WORDS, 20)
    texts = ["".join(run.text for run in line) for line in sheet.lines]

    def time(first: str, last: str) -> tuple[int, int] | None:
        spots = []
        for word in (first, last):
            row = next(row for row, text in enumerate(texts) if word in text)
            spots.append(Spot(row, texts[row].index(word)))
        end = Spot(spots[1].row, spots[1].cell + len(last))
        return time_of(Selection(spots[0], end), sheet, sheet.lines, 0, WORDS)

    assert time("rains", "rains") == (1_400, 2_000)
    assert time("rains", "snows") == (1_400, 5_500)
    assert time("ains", "her") == (1_400, 3_000)
    assert time("too", "day") == (5_500, 6_600)
    assert time("Grace", "there") == (4_000, 4_600)
    assert time("times", "times") == (8_000, 10_000)
    assert time("The", "end") == (10_000, 10_000 + 67 * len("The end."))
    untimed = Transcript((TranscriptLine("Nobody knows when."),))
    sheet = transcript_sheet(untimed, 40)
    assert time_of(Selection(Spot(0, 0), Spot(0, 6)), sheet, sheet.lines, 0, untimed) is None


async def open_dialog(stage: Stage) -> ClipScreen:
    stage.screen.act("clip")
    await stage.until(lambda: isinstance(stage.app.screen, ClipScreen), "the dialog")
    assert isinstance(stage.app.screen, ClipScreen)
    return stage.app.screen


async def play_welcome(stage: Stage, ms: int) -> None:
    await stage.until(lambda: stage.player.status.measured_at, "the session")
    stage.player.session.play(stage.library.episodes.find("Press play").id, ms)
    await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "sound")


async def test_around_what_is_heard_it_is_moved_and_kept() -> None:
    async with stocked((80, 24)) as stage:
        await stage.until(lambda: stage.player.status.measured_at, "the session")
        position_ms = stage.player.status.position_ms
        dialog = await open_dialog(stage)
        assert (dialog.clip.position_ms, dialog.clip.length_ms) == (position_ms - 15_000, 30_000)
        await stage.press("l", "l", "h", "l", "tab", "h")
        assert (dialog.clip.position_ms, dialog.clip.length_ms) == (position_ms - 14_800, 29_700)
        await stage.until(lambda: stage.shows("29.7 s"), "its length")
        await stage.press("enter")
        await stage.until(lambda: stage.news.startswith("Clip from "), "the words")
        (made,) = stage.library.bookmarks.all()
        assert (made.position_ms, made.length_ms) == (position_ms - 14_800, 29_700)
        stage.screen.parts.sidebar.select(View.of(ViewName.BOOKMARKS))
        await stage.until(lambda: stage.shows("0:29"), "its length in the list")
        await stage.press("U")
        await stage.until(lambda: not stage.library.bookmarks.all(), "its undoing")


async def test_of_a_bookmark_in_the_list_what_is_around_it() -> None:
    async with stocked() as stage:
        await stage.until(lambda: stage.filled, "the page")
        episode = stage.library.episodes.find("Press play")
        stage.library.bookmarks.put(episode.id, Moment(20_000, note="look it up"))
        stage.screen.parts.sidebar.select(View.of(ViewName.BOOKMARKS))
        await stage.until(lambda: stage.screen.parts.bookmarks.selected, "the list")
        stage.screen.parts.panes.go_to(stage.screen.parts.panes.focus.EPISODES)
        await stage.settle()
        dialog = await open_dialog(stage)
        assert (dialog.clip.episode.id, dialog.clip.position_ms) == (episode.id, 5_000)
        await stage.until(lambda: stage.shows("never loses your place"), "its words")
        await stage.press("w")
        assert dialog.clip.position_ms == 6_197
        await stage.press("enter")
        await stage.until(lambda: len(stage.library.bookmarks.all()) == 2, "the clip")
        clip = next(one for one in stage.library.bookmarks.all() if one.length_ms)
        assert (clip.position_ms, clip.end_ms, clip.note) == (6_197, 35_000, "look it up")


async def test_of_selected_words_their_time() -> None:
    async with stocked() as stage:
        await stage.until(lambda: stage.filled, "the page")
        assert stage.player.status.episode is not None
        episode = stage.player.status.episode
        cues = (
            b"WEBVTT\n\n00:01.000 --> 00:03.000\nIt <00:01.400>rains <00:02.000>here.\n\n"
            b"00:04.000 --> 00:06.000\nAnd <00:04.500>there.\n"
        )
        given = Attachment(AttachmentKind.TRANSCRIPT, f"{GIVEN}en", cues, "text/vtt", "en")
        stage.library.attachments.put(episode.id, given, datetime(2026, 11, 20, tzinfo=UTC))
        stage.screen.parts.pages.show_beside()
        await stage.until(lambda: TRANSCRIPT in stage.screen.page.tabs(), "the transcript")
        await stage.press("3")
        await stage.until(lambda: stage.shows("It rains here."), "its lines")
        page = stage.screen.page
        rows = ["".join(run.text for run in line) for line in page._lines]
        row = next(row for row, text in enumerate(rows) if "rains" in text)
        page.selection = Selection(Spot(row, rows[row].index("rains")), Spot(row + 1, rows[row + 1].index("there")))
        dialog = await open_dialog(stage)
        assert (dialog.clip.position_ms, dialog.clip.length_ms) == (1_400, 3_100)
        await stage.press("escape", "g", "V")
        await stage.until(lambda: page.selected_text == "It rains here.", "the line under the cursor")
        await stage.press("j")
        await stage.until(lambda: page.selected_text == "It rains here.\nAnd there.", "the next one, too")
        await stage.press("y")
        await stage.until(lambda: stage.app.clipboard == "It rains here.\nAnd there.", "the copy")
        dialog = await open_dialog(stage)
        assert (dialog.clip.position_ms, dialog.clip.length_ms) == (1_000, 5_000)
        await stage.press("escape", "escape")
        await stage.until(lambda: not page.selected_text, "the end of the selection")
        await stage.press("j", "k")
        assert not page.selected_text
        await stage.press("v", "3", "V")
        await stage.until(lambda: stage.shows("Move to select lines"), "the same in the reading view")
        await stage.press("V", "1", "V")
        await stage.until(lambda: stage.shows("Only lines of a transcript"), "the words in the notes")


async def test_it_is_heard_in_place_and_the_listener_stays_where_they_were() -> None:
    async with stocked() as stage:
        await play_welcome(stage, 20_000)
        await stage.until(lambda: stage.player.status.position_ms >= 20_000, "the position")
        dialog = await open_dialog(stage)
        await stage.press("p")
        await stage.until(lambda: stage.player.status.clip, "the clip")
        await stage.until(lambda: abs(stage.player.status.position_ms - dialog.clip.position_ms) < 3_000, "its start")
        await stage.press("tab", "e")
        end_ms = dialog.clip.position_ms + dialog.clip.length_ms
        await stage.until(lambda: 0 < end_ms - stage.player.status.position_ms <= 3_000, "its end")
        await stage.press("escape")
        await stage.until(lambda: not stage.player.status.clip, "the end of the clip")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "what was heard before")
        assert 20_000 <= stage.player.status.position_ms < 25_000


async def test_heard_while_nothing_played_it_leaves_nothing_playing() -> None:
    async with stocked() as stage:
        await stage.until(lambda: stage.player.status.measured_at, "the session")
        before = stage.player.status
        await open_dialog(stage)
        await stage.press("p")
        await stage.until(lambda: stage.player.status.clip, "the clip")
        await stage.press("escape")
        await stage.until(lambda: not stage.player.status.clip, "the end of the clip")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PAUSED, "silence")
        assert stage.player.status.position_ms == before.position_ms


async def test_it_is_saved_as_a_file_into_a_folder_that_is_remembered(tmp_path: Path) -> None:
    folder = tmp_path / "clips"
    folder.mkdir()
    async with stocked((80, 24)) as stage:
        await play_welcome(stage, 20_000)
        dialog = await open_dialog(stage)
        await stage.press("s")
        await stage.until(lambda: stage.shows("In a folder the audio stays"), "the field")
        await stage.press("ctrl+u")
        await stage.write(str(tmp_path / "missing" / "x.mp3"))
        await stage.press("enter")
        await stage.until(lambda: stage.shows("Can't write"), "the reason")
        await stage.press("end", "ctrl+u")
        await stage.write(f"{folder}/")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("Saved as"), "the words")
        (audio,) = folder.glob("*.opus")
        assert abs(len(decoded(audio)) / 24 - dialog.clip.length_ms) <= 30
        assert {one.suffix for one in folder.iterdir()} == {".opus", ".vtt", ".md"}
        assert stage.library.bookmarks.all() == []
        await stage.press("escape")
        await stage.until(lambda: stage.ready, "the main screen")
        dialog = await open_dialog(stage)
        assert dialog._field.value == f"{folder}/"


async def test_exact_it_is_encoded_anew(tmp_path: Path) -> None:
    async with stocked((80, 24)) as stage:
        await play_welcome(stage, 20_000)
        dialog = await open_dialog(stage)
        await stage.press("x")
        await stage.until(lambda: stage.shows("exact to the sample"), "the word")
        await stage.press("s", "end", "ctrl+u")
        await stage.write(str(tmp_path / "clip.mp3"))
        await stage.press("enter")
        await stage.until(lambda: stage.shows("Saved as"), "the words")
        assert abs(len(decoded(tmp_path / "clip.mp3")) - dialog.clip.length_ms * 24) <= 2


async def test_a_clip_of_nothing_says_what_to_do() -> None:
    async with stocked() as stage:
        stage.player.session.forget(stage.player.status.episode.podcast_id)  # type: ignore[union-attr]
        await stage.until(lambda: stage.player.status.episode is None, "nothing in the bar")
        stage.screen.act("clip")
        await stage.until(lambda: stage.news.startswith("Nothing is playing yet"), "the words")
