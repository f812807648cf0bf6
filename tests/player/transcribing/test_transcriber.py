"""Episodes are transcribed piece by piece, from what is heard on; whatever goes wrong is a sentence, and the queue goes
on."""

import threading
from datetime import UTC, datetime

import pytest

from player.errors import TranscriptionError
from player.media.store import MediaStore
from player.model.downloads import DownloadState, Work
from player.model.episode import Transcript
from player.model.playback import PlaybackState
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.transcribing import transcriber
from player.transcribing.made import Made
from player.transcribing.pieces import FIRST_MS, LEAD_MS, SOON_MS
from tests.bad_network import BadFile, Fault, Part
from tests.player.media.conftest import eventually
from tests.player.transcribing.conftest import Stage
from tests.player.transcribing.spoken import talk

ALL = list(range(130))
NOW = datetime(2026, 3, 2, tzinfo=UTC)


def after(count: int) -> Fault:
    """The first bytes of the file, and nothing more until it is let go."""

    def fault(part: Part) -> None:
        part.request.close_connection = True
        part.first(count)
        part.let_go.wait(20)

    return fault


def test_an_episode_is_fetched_transcribed_and_found_by_its_words(stage: Stage) -> None:
    one = stage.add(stage.server.audio("/a.mp3", talk("mp3", 130)))
    stage.transcribe(one)
    assert stage.numbers(one) == ALL
    assert stage.made(one).is_whole
    assert (stage.made(one).made_by, stage.made(one).language) == ("listener", "en")
    eventually(lambda: "Transcribed “Episode 1”" in stage.notices())
    assert not stage.player.library.episodes.get(one).downloaded
    transcript = stage.player.attachments.transcript(one)
    assert transcript is not None
    assert (transcript.lines[7].text, transcript.lines[7].words[0].start_ms // 100) == ("Number 7.", 70)
    stage.player.library.search.catch_up()
    assert list(stage.player.library.search.find("number 77", 10).ids) == [one]


@pytest.mark.parametrize("form", ["m4a", "opus", "wav"])
def test_every_format_has_its_words_at_their_second(stage: Stage, form: str) -> None:
    one = stage.add(stage.server.audio(f"/a.{form}", talk(form, 130), "audio/x"))
    stage.transcribe(one)
    assert stage.numbers(one) == ALL


def test_what_is_heard_comes_first(stage: Stage) -> None:
    one = stage.add(stage.server.audio("/a.mp3", talk("mp3", 130)))
    stage.player.start()
    stage.player.session.play(one, 50_000).result(5)
    eventually(lambda: stage.player.status.state is PlaybackState.PLAYING)
    stage.transcribe(one)
    assert stage.numbers(one) == ALL
    first = stage.engine.pieces[0]
    assert 46 < first[0] <= 51
    assert stage.engine.lengths_ms[0] <= LEAD_MS + FIRST_MS
    assert max(stage.engine.lengths_ms) <= SOON_MS
    is_before = [pieces[0] < 46 for pieces in stage.engine.pieces]
    assert is_before == sorted(is_before)


def test_words_of_what_is_heard_come_before_all_bytes_are_here(stage: Stage) -> None:
    file = BadFile(talk("mp3", 130), [after(400_000)] * 100)
    one = stage.add(stage.server.answer("/a.mp3", file))
    stage.player.start()
    stage.player.session.play(one, 0).result(5)
    stage.player.downloads.transcribe(one)
    eventually(lambda: len(stage.numbers(one)) > 5)
    assert not stage.made(one).is_whole
    file.let_go.set()


def test_a_piece_that_is_heard_later_gives_way_to_what_is_heard_now(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcriber, "_JUMPED_S", 60.0)
    entered, gate = threading.Event(), threading.Event()

    def hold(cancel: CancelToken) -> None:
        entered.set()
        with cancel.ending(gate.set):
            assert gate.wait(20)
        if cancel.is_set:
            gate.clear()
            stage.engine.before = lambda _cancel: None
            raise TranscriptionError("it was ended")

    stage.engine.before = hold
    one = stage.add(stage.server.audio("/a.mp3", talk("mp3", 260)), seconds=260)
    stage.player.downloads.transcribe(one)
    assert entered.wait(10)
    stage.player.start()
    stage.player.session.play(one, 125_000).result(5)
    stage.player.session.pause().result(5)
    eventually(stage.is_empty)
    assert stage.engine.pieces[0][0] == 0
    assert 121 < stage.engine.pieces[1][0] < 127
    assert stage.numbers(one) == list(range(260))


# -- the queue -------------------------------------------------------------------------------------------------


def test_an_episode_that_is_asked_for_first_is_transcribed_before_the_one_under_way_which_goes_on_later(
    stage: Stage,
) -> None:
    entered = threading.Event()

    def hold(cancel: CancelToken) -> None:
        over = threading.Event()
        entered.set()
        with cancel.ending(over.set):
            assert over.wait(20)
        stage.engine.before = lambda _cancel: None
        raise TranscriptionError("it was ended")

    stage.engine.before = hold
    one = stage.add(stage.server.audio("/1.mp3", talk("mp3", 130)), 1)
    two = stage.add(stage.server.audio("/2.mp3", talk("mp3", 40)), 2, 40)
    stage.player.downloads.transcribe(one)
    assert entered.wait(10)
    stage.player.downloads.transcribe(two, first=True).result(5)
    eventually(stage.is_empty)
    assert [len(pieces) for pieces in stage.engine.pieces][1] == 40
    assert (stage.numbers(one), stage.numbers(two)) == (ALL, list(range(40)))
    eventually(lambda: stage.notices() == ["Transcribed “Episode 2”", "Transcribed “Episode 1”"])


def test_what_is_downloaded_as_well_is_downloaded_first(stage: Stage) -> None:
    one = stage.add(stage.server.audio("/a.mp3", talk("mp3", 40)), seconds=40)
    stage.player.downloads.pause().result(5)
    stage.player.downloads.transcribe(one).result(5)
    stage.player.downloads.download(one).result(5)
    entry = stage.entry(one)
    assert entry is not None
    assert entry.work is Work.DOWNLOAD
    assert stage.player.downloads.is_downloading(one)
    assert stage.player.downloads.is_transcribing(one)
    stage.player.downloads.resume()
    eventually(stage.is_empty)
    assert stage.player.library.episodes.get(one).downloaded
    assert stage.numbers(one) == list(range(40))
    said = ["Downloaded “Episode 1”", "Transcribed “Episode 1”"]
    eventually(lambda: [words for words in stage.notices() if "“" in words] == said)


def test_a_transcript_goes_on_in_the_file_that_was_downloaded_meanwhile(stage: Stage) -> None:
    paused = threading.Event()

    def after_the_first(_cancel: CancelToken) -> None:
        if len(stage.engine.pieces) == 2:
            paused.set()
            raise TranscriptionError("no more today")

    stage.engine.before = after_the_first
    one = stage.add(stage.server.audio("/a.mp3", talk("mp3", 130)))
    stage.player.downloads.transcribe(one)
    eventually(lambda: (entry := stage.entry(one)) and entry.state is DownloadState.FAILED)
    pieces = len(stage.engine.pieces)
    stage.engine.before = lambda _cancel: None
    stage.player.downloads.download(one).result(5)
    eventually(stage.is_empty)
    assert stage.player.library.episodes.get(one).downloaded
    assert stage.numbers(one) == ALL
    assert stage.engine.pieces[pieces][0] > 40, "what was there isn't made again"


@pytest.mark.parametrize("act", ["cancel", "pause"])
def test_it_ends_at_once_when_it_is_cancelled_or_paused(stage: Stage, act: str) -> None:
    entered, ended = threading.Event(), threading.Event()

    def hold(cancel: CancelToken) -> None:
        entered.set()
        with cancel.ending(ended.set):
            assert ended.wait(20)
        raise TranscriptionError("it was ended")

    stage.engine.before = hold
    one = stage.add(stage.server.audio("/a.mp3", talk("mp3", 130)))
    stage.player.downloads.transcribe(one)
    assert entered.wait(10)
    getattr(stage.player.downloads, act)([one]).result(5)
    assert ended.wait(5)
    state = None if act == "cancel" else DownloadState.PAUSED
    eventually(lambda: (entry.state if (entry := stage.entry(one)) else None) is state)
    assert [words for words in stage.notices() if "transcribed" in words] == []


def test_audio_of_another_length_is_transcribed_anew(stage: Stage) -> None:
    one = stage.add(stage.server.audio("/a.mp3", talk("mp3", 130)))
    stage.transcribe(one)
    made = stage.made(one)
    changed = made.__class__(made.made_by, made.language, 200_000, ((0, 60_000),), False, made.segments[:60])
    stage.player.library.attachments.put(one, changed.attachment(), NOW)
    stage.engine.pieces.clear()
    stage.transcribe(one)
    assert stage.engine.pieces[0][0] == 0
    assert stage.numbers(one) == ALL


def test_where_the_audio_has_ended_nothing_is_given_to_the_engine(stage: Stage) -> None:
    one = stage.add(stage.server.audio("/1.wav", talk("wav", 40), "audio/x"), 1, 40)
    made = Made().grown((0, 40_000), Transcript(), "listener", 40_000, ended=False)
    stage.player.library.attachments.put(one, made.attachment(), NOW)
    stage.transcribe(one)
    assert stage.made(one).is_whole
    assert stage.engine.pieces == []


# -- what goes wrong ---------------------------------------------------------------------------------------------


def test_an_episode_that_fails_says_why_keeps_its_pieces_and_the_queue_goes_on(stage: Stage) -> None:
    def fail_second(_cancel: CancelToken) -> None:
        if len(stage.engine.pieces) == 2:
            raise TranscriptionError("The program wrote nothing", "Run it by hand.")

    stage.engine.before = fail_second
    one = stage.add(stage.server.audio("/1.mp3", talk("mp3", 130)), 1)
    two = stage.add(stage.server.audio("/2.mp3", talk("mp3", 40)), 2, 40)
    stage.player.downloads.transcribe([one, two]).result(5)
    eventually(lambda: len(stage.player.library.downloads.queue.all()) == 1)
    entry = stage.entry(one)
    assert entry is not None
    assert (entry.state, entry.work) == (DownloadState.FAILED, Work.TRANSCRIPT)
    assert entry.problem == "The program wrote nothing. Run it by hand."
    assert "“Episode 1” can't be transcribed. The program wrote nothing. Run it by hand." in stage.notices()
    assert stage.numbers(one) == list(range(len(stage.engine.pieces[0])))
    assert stage.numbers(two) == list(range(40))
    stage.player.downloads.retry().result(5)
    eventually(stage.is_empty)
    assert stage.numbers(one) == ALL


def test_when_nothing_can_be_transcribed_all_wait_until_that_is_changed(stage: Stage) -> None:
    def refuse(_cancel: CancelToken) -> None:
        raise TranscriptionError("whisper-cli isn't installed", "Install it.", lasting=True)

    stage.engine.before = refuse
    one = stage.add(stage.server.audio("/1.mp3", talk("mp3", 40)), 1, 40)
    two = stage.add(stage.server.audio("/2.mp3", talk("mp3", 40)), 2, 40)
    stage.player.downloads.transcribe([one, two]).result(5)
    eventually(lambda: stage.player.downloads.snapshot().transcripts_wait)
    assert stage.player.downloads.snapshot().transcripts_wait == "whisper-cli isn't installed. Install it."
    eventually(stage.notices)
    assert stage.notices() == ["whisper-cli isn't installed. Install it."]
    assert [one.state for one in stage.player.library.downloads.queue.all()] == [DownloadState.WAITING] * 2
    assert len(stage.engine.pieces) == 1
    stage.engine.before = lambda _cancel: None
    stage.player.services.transcriber.configure(Transcribe(model="another"))
    assert stage.engine.closed.is_set()
    stage.player.downloads.reload()
    eventually(stage.is_empty)


def test_nothing_set_up_is_a_sentence(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.services.engine_for", lambda *_settings: None)
    one = stage.add(stage.server.audio("/1.mp3", talk("mp3", 40)), 1, 40)
    stage.player.downloads.transcribe(one).result(5)
    eventually(stage.notices)
    assert stage.notices() == [
        "Nothing that makes transcripts is set up. `earmark transcribe --setup` looks for a way on this computer."
    ]


def test_on_a_battery_it_waits_unless_it_is_told_not_to(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_on: set[str] = set()

    def is_battery() -> bool:
        asked_on.add(threading.current_thread().name)
        return True

    monkeypatch.setattr("player.processes.power.is_battery", is_battery)
    one = stage.add(stage.server.audio("/1.mp3", talk("mp3", 40)), 1, 40)
    stage.player.downloads.transcribe(one).result(5)
    assert "battery" in stage.player.downloads.snapshot().transcripts_wait
    assert asked_on == {"earmark-downloads"}, "a driver may take its time: never on the screen's thread"
    assert stage.engine.pieces == []
    stage.player.services.transcriber.configure(Transcribe(on_battery=True))
    stage.player.downloads.reload()
    eventually(stage.is_empty)
    assert stage.numbers(one) == list(range(40))


def test_audio_that_does_not_come_waits_and_lets_the_next_one_go_first(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcriber, "PATIENCE_S", 0.5)
    file = BadFile(talk("mp3", 130), [after(0)] * 100)
    one = stage.add(stage.server.answer("/1.mp3", file), 1)
    two = stage.add(stage.server.audio("/2.mp3", talk("mp3", 40)), 2, 40)
    stage.player.downloads.transcribe([one, two]).result(5)
    eventually(lambda: stage.numbers(two) == list(range(40)))
    entry = stage.entry(one)
    assert entry is not None
    assert (entry.state, entry.retry_at is not None) == (DownloadState.WAITING, True)
    file.let_go.set()


def test_a_damaged_transcript_is_made_anew(stage: Stage) -> None:
    from player.library import Attachment, AttachmentKind
    from player.library.attachments import MADE

    one = stage.add(stage.server.audio("/1.mp3", talk("mp3", 40)), 1, 40)
    stage.player.library.attachments.put(one, Attachment(AttachmentKind.TRANSCRIPT, MADE, b'{"pieces": 7}'), NOW)
    stage.transcribe(one)
    assert stage.numbers(one) == list(range(40))


def test_it_reads_what_is_on_this_disk_without_a_network(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    one = stage.add(stage.server.audio("/1.mp3", talk("mp3", 40)), 1, 40)
    stage.player.downloads.download(one).result(5)
    eventually(stage.is_empty)

    def no_network(*_arguments: object) -> None:
        raise AssertionError("it fetches")

    monkeypatch.setattr(MediaStore, "fetch", no_network)
    stage.player.downloads.hold(True)
    stage.transcribe(one)
    assert stage.numbers(one) == list(range(40))
