"""The dialog that finds a way to make transcripts, tries it and saves it; and the command that needs one."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from player.errors import TranscriptionError
from player.events import AttachmentsChanged
from player.model.downloads import Work
from player.model.episode import Transcript, TranscriptLine
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.transcribing.engine import Choice
from player.transcribing.made import Made
from player.transcribing.setup import Trial
from tests.player.transcribing.spoken import Listener
from tests.tui.stage import Stage, stocked
from tui.dialogs.transcribing import TranscribingScreen


class Found:
    """What is found on this computer, and what trying it brings, when the test says so."""

    def __init__(self) -> None:
        self.titles = ["whisper-cli, ggml-base.en.bin", "faster-whisper, tiny"]
        self.tried: list[str] = []
        self.go_on = threading.Event()
        self.failure: TranscriptionError | None = None
        self.cancelled = threading.Event()

    def choices(self, settings: Transcribe, _network: object) -> list[Choice]:
        return [Choice(one, replace(settings, command=(one.partition(",")[0], "{audio}"))) for one in self.titles]

    def trial(self, choice: Choice, _network: object, _login: object, cancel: CancelToken) -> Trial:
        self.tried.append(choice.title)
        with cancel.ending(self.cancelled.set), cancel.ending(self.go_on.set):
            assert self.go_on.wait(20)
        if self.failure is not None:
            raise self.failure
        return Trial("Press play.", 2.0, 30_000)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Iterator[Found]:
    made = Found()
    monkeypatch.setattr("player.transcribing.setup.choices", made.choices)
    monkeypatch.setattr("player.transcribing.setup.trial", made.trial)
    monkeypatch.setattr("player.services.engine_for", lambda settings, *_any: Listener() if settings.command else None)
    yield made
    made.go_on.set()


async def ask(stage: Stage) -> None:
    await stage.press("ctrl+p")
    await stage.write("transcribe the")
    await stage.until(lambda: stage.shows("Transcribe the episode"), "the command")
    await stage.press("enter")


async def test_the_first_transcript_sets_it_up_and_is_then_asked_for(found: Found) -> None:
    async with stocked() as stage:
        stage.player.downloads.pause().result(5)
        await ask(stage)
        await stage.until(lambda: stage.shows("whisper-cli, ggml-base.en.bin"), "what was found")
        await stage.press("j")
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.shows("Listening to the built-in show"), "the trial")
        found.go_on.set()
        await stage.until(lambda: stage.shows("about 4 min for an hour here"), "what it heard")
        assert stage.shows("“Press play.”")
        assert found.tried == ["faster-whisper, tiny"]
        await stage.press("enter")
        await stage.until(lambda: stage.ready, "the dialog to be gone")
        assert stage.player.services.transcriber.is_set_up
        assert 'command = ["faster-whisper", "{audio}"]' in stage.player.paths.settings.read_text()
        await stage.until(lambda: stage.library.downloads.queue.all(), "the transcript to be asked for")
        (queued,) = stage.library.downloads.queue.all()
        assert queued.work is Work.TRANSCRIPT
        await ask(stage)
        await stage.until(lambda: not stage.library.downloads.queue.all(), "the same command to cancel it")


async def test_a_trial_that_fails_says_why_and_another_can_be_tried(found: Found) -> None:
    found.failure = TranscriptionError("whisper-cli wrote nothing", "Try another model.")
    found.go_on.set()
    async with stocked() as stage:
        await ask(stage)
        await stage.until(lambda: stage.shows("faster-whisper, tiny"), "what was found")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("whisper-cli wrote nothing. Try another model."), "why")
        found.failure = None
        await stage.press("j", "enter")
        await stage.until(lambda: stage.shows("about 4 min for an hour here"), "what the other heard")


async def test_closing_it_ends_the_trial_and_changes_nothing(found: Found) -> None:
    async with stocked() as stage:
        await ask(stage)
        await stage.until(lambda: stage.shows("faster-whisper, tiny"), "what was found")
        await stage.pilot.press("enter")
        await stage.until(lambda: found.tried, "the trial")
        assert stage.shows("Listening")
        await stage.press("escape")
        await stage.until(lambda: found.cancelled.is_set(), "the trial to end")
        assert not isinstance(stage.app.screen, TranscribingScreen)
        assert not stage.player.paths.settings.exists()
        assert stage.library.downloads.queue.all() == []


async def test_nothing_found_says_what_to_install(found: Found) -> None:
    found.titles = []
    async with stocked() as stage:
        await ask(stage)
        await stage.until(lambda: stage.shows("Install whisper.cpp"), "what to install")
        await stage.press("enter", "escape")
        await stage.until(lambda: stage.ready, "the dialog to be gone")


# -- from the page of an episode ---------------------------------------------------------------------------------


async def test_an_empty_transcript_offers_to_make_one_which_appears_as_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("player.services.engine_for", lambda *_any: Listener())
    async with stocked(show="CoRecursive") as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        assert not stage.shows("Transcript")
        stage.player.downloads.pause().result(5)
        await stage.press("3")
        assert stage.shows("This episode has no transcript.")
        assert stage.shows("enter transcribe")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("All downloads are paused."), "why nothing happens")
        stage.player.downloads.resume().result(5)
        await stage.until(lambda: stage.shows("being transcribed"), "the page to follow the queue")
        (queued,) = stage.library.downloads.queue.all()
        assert queued.work is Work.TRANSCRIPT
        words = Transcript((TranscriptLine("A piece of it.", 0, 900),), "en")
        made = Made().grown((0, 60_000), words, "whisper-cli, ggml-base", 600_000, ended=False)
        stage.library.attachments.put(queued.episode_id, made.attachment(), datetime(2026, 3, 1, tzinfo=UTC))
        stage.player.bus.publish(AttachmentsChanged(queued.episode_id))
        await stage.until(lambda: stage.shows("A piece of it."), "the first words")
        assert stage.shows("made here by whisper-cli, ggml-base")
        await stage.press("1", "h", "j")
        await stage.until(lambda: stage.filled, "another episode")
        assert not stage.shows("Transcript")


async def test_it_is_offered_for_the_episode_under_the_cursor_though_the_page_still_shows_the_one_before() -> None:
    async with stocked(show="CoRecursive") as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        for key in ("j", "j", "3"):
            await stage.pilot.press(key)
        await stage.until(lambda: stage.shows("This episode has no transcript"), "the offer")
        page, episode = stage.screen.page, stage.screen.episode
        assert page.shown is not None
        assert episode is not None
        assert page.shown[0].id == episode.id
