"""A server of the OpenAI form: what it answers is read, whatever else it does is a sentence, and the key stays here."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from player.errors import TranscriptionError
from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.net.connectivity import Seen
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken, on_own_thread
from player.settings import Transcribe
from player.transcribing.engine import Patience
from player.transcribing.engines import server as module
from player.transcribing.engines.server import ServerEngine
from tests.loopback import LoopbackServer, Request

PATH = "/v1/audio/transcriptions"
KEY = "sk-very-secret"
SEGMENTS = [{"start": 0.5, "end": 2, "text": " Good day."}]
WORDS = [{"word": "Good", "start": 0.5, "end": 0.9}, {"word": "day", "start": 0.9, "end": 1.4}]
_LINE = TranscriptLine("Good day.", 500, 2000)


class Offline:
    """Says that Earmark is offline, and that nobody should ask."""

    offline = True

    def seen(self, seen: Seen) -> None:
        raise AssertionError(seen)


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    """The one of an Earmark that is offline: a server on this computer doesn't need it."""
    loop = NetworkLoop(5.0, 5.0, Offline())
    yield loop
    loop.close()


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    path = tmp_path / "piece.wav"
    path.write_bytes(b"RIFF the audio")
    return path


Make = Callable[..., ServerEngine]


@pytest.fixture
def make(server: LoopbackServer, network: NetworkLoop) -> Iterator[Make]:
    made: list[ServerEngine] = []

    def engine(url: str = "", key: str = "", **settings: str) -> ServerEngine:
        chosen = Transcribe(url=url or server.url(""), **settings)  # type: ignore[arg-type]
        made.append(ServerEngine(chosen, network, lambda _url: ("", key) if key else None))
        return made[-1]

    yield engine
    for one in made:
        one.close()


def says(server: LoopbackServer, answer: object, *, status: int = 200, path: str = PATH) -> None:
    server.page(path, json.dumps(answer).encode(), "application/json", status=status)


def form(request: Request) -> list[tuple[str, str]]:
    """The fields that were sent, with the file's name and type."""
    boundary = request.headers["Content-Type"].partition("boundary=")[2].encode()
    first, *parts, last = request.body.split(b"--" + boundary)
    assert (first, last) == (b"", b"--\r\n")
    field = re.compile(rb'\r\nContent-Disposition: form-data; name="([^"]+)"(.*?)\r\n\r\n(.*)\r\n', re.DOTALL)
    found = [field.fullmatch(one) for one in parts]
    return [(one[1].decode(), (one[2] + one[3]).decode()) for one in found if one]


@contextmanager
def silence(server: LoopbackServer, *, begins: bool) -> Iterator[threading.Event]:
    """Inside, the server answers nothing, or only the beginning. The event is set once it is asked."""
    over, asked = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        if begins:
            request.send_response(200)
            request.end_headers()
            request.wfile.write(b'{"text": ')
        asked.set()
        over.wait(20)

    server.answer(PATH, answer)
    yield asked
    over.set()


def failure(engine: ServerEngine, wav: Path) -> TranscriptionError:
    with pytest.raises(TranscriptionError) as caught:
        engine.transcribe(wav, 10_000, CancelToken())
    return caught.value


# -- answers --------------------------------------------------------------------------------------------------


def test_sentences_and_words_are_asked_for_and_read(server: LoopbackServer, make: Make, wav: Path) -> None:
    says(server, {"text": "Good day.", "language": "english", "segments": SEGMENTS, "words": WORDS})
    engine = make(model="Systran/faster-whisper-small", language="en-GB")
    line = TranscriptLine("Good day.", 500, 2000, words=(SpokenWord(0, 500), SpokenWord(5, 900)))
    assert engine.transcribe(wav, 10_000, CancelToken()) == Transcript((line,), "en")
    assert engine.name == "Systran/faster-whisper-small, 127.0.0.1"
    (asked,) = server.seen
    assert form(asked) == [
        ("model", "Systran/faster-whisper-small"),
        ("language", "en"),
        ("response_format", "verbose_json"),
        ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"),
        ("file", '; filename="piece.wav"\r\nContent-Type: audio/wavRIFF the audio'),
    ]
    assert "Authorization" not in asked.headers


def test_a_server_that_refuses_words_is_asked_for_sentences_from_then_on(
    server: LoopbackServer, make: Make, wav: Path
) -> None:
    def answer(request: Request) -> None:
        if ("timestamp_granularities[]", "word") in form(request):
            request.reply(b'{"error": {"message": "no words"}}', "application/json", status=400)
        else:
            request.reply(json.dumps({"text": "Good day.", "segments": SEGMENTS}).encode(), "application/json")

    server.answer(PATH, answer)
    engine = make()
    for _piece in range(2):
        assert engine.transcribe(wav, 10_000, CancelToken()).lines == (_LINE,)
    assert [len(form(one)) for one in server.seen] == [5, 3, 3]
    assert form(server.seen[0])[0] == ("model", "whisper-1")


@pytest.mark.parametrize("refusal", [None, 400, 422])
def test_a_server_that_knows_no_times_gives_a_text_that_lasts_as_long_as_the_piece(
    server: LoopbackServer, make: Make, wav: Path, refusal: int | None
) -> None:
    def answer(request: Request) -> None:
        is_plain = ("response_format", "json") in form(request)
        status = 200 if is_plain or refusal is None else refusal
        request.reply(b'{"text": "Good day."}', "application/json", status=status)

    server.answer(PATH, answer)
    engine = make()
    for _piece in range(2):
        assert engine.transcribe(wav, 10_000, CancelToken()).lines == (TranscriptLine("Good day.", 0, 10_000),)
    assert len(server.seen) == 4


def test_a_text_without_times_is_used_if_no_other_form_is_known(server: LoopbackServer, make: Make, wav: Path) -> None:
    def answer(request: Request) -> None:
        is_first = ("timestamp_granularities[]", "word") in form(request)
        request.reply(b'{"text": "Good day."}', "application/json", status=200 if is_first else 400)

    server.answer(PATH, answer)
    assert [line.text for line in make().transcribe(wav, 10_000, CancelToken()).lines] == ["Good day."]


@pytest.mark.parametrize("answer", [{"text": "", "segments": []}, {"text": "[BLANK_AUDIO]"}, {"text": " "}])
def test_where_nothing_is_said_there_are_no_lines(
    server: LoopbackServer, make: Make, wav: Path, answer: object
) -> None:
    says(server, answer)
    assert make().transcribe(wav, 10_000, CancelToken()).lines == ()


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("/", PATH),
        ("/v1", PATH),
        ("/v1/", PATH),
        ("/v1/audio/transcriptions", PATH),
        ("/whisper", "/whisper/v1/audio/transcriptions"),
        ("/inference", "/inference"),
    ],
)
def test_the_address_may_be_that_of_the_server_or_of_what_it_answers_at(
    server: LoopbackServer, make: Make, wav: Path, base: str, path: str
) -> None:
    says(server, {"segments": SEGMENTS}, path=path)
    assert make(server.url(base)).transcribe(wav, 10_000, CancelToken()).lines == (_LINE,)


# -- the key --------------------------------------------------------------------------------------------------


def test_the_key_is_sent_to_its_server(server: LoopbackServer, make: Make, wav: Path) -> None:
    says(server, {"segments": SEGMENTS})
    make(key=f" {KEY}\n").transcribe(wav, 10_000, CancelToken())
    assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in server.seen[0].path + server.seen[0].body.decode()


def test_neither_key_nor_audio_follow_a_redirect_to_another_server(
    server: LoopbackServer, make: Make, wav: Path
) -> None:
    with LoopbackServer() as other:
        says(other, {"segments": SEGMENTS})
        there = other.url(PATH)
        server.answer(PATH, lambda one: one.reply(b"", "text/plain", status=308, headers={"Location": there}))
        error = failure(make(key=KEY), wav)
        assert error.what == "127.0.0.1 redirects to another server, 127.0.0.1"
        assert error.lasting
        assert other.seen == []


def test_a_redirect_on_the_same_server_is_followed(server: LoopbackServer, make: Make, wav: Path) -> None:
    says(server, {"segments": SEGMENTS}, path="/new")
    server.answer(PATH, lambda one: one.reply(b"", "text/plain", status=307, headers={"Location": "/new"}))
    assert make(key=KEY).transcribe(wav, 10_000, CancelToken()).lines == (_LINE,)
    assert server.seen[1].headers["Authorization"] == f"Bearer {KEY}"


def test_a_server_that_repeats_the_key_doesnt_bring_it_to_the_screen_or_the_log(
    server: LoopbackServer, make: Make, wav: Path, caplog: pytest.LogCaptureFixture
) -> None:
    says(server, {"error": {"message": f"Incorrect API key provided: {KEY}."}}, status=401)
    error = failure(make(key=KEY), wav)
    assert str(error) == (
        "127.0.0.1 refused the key (401). Enter the key again with: earmark transcribe --setup --url ADDRESS"
        " It said: Incorrect API key provided: …."
    )
    assert error.lasting
    assert KEY not in caplog.text


def test_a_key_that_no_header_can_have_is_told(make: Make, wav: Path) -> None:
    error = failure(make(key="a\r\nHost: b"), wav)
    assert error.what == "The key for 127.0.0.1 contains characters that can't be sent"
    assert error.lasting


# -- faults ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "sentence", "lasting"),
    [
        (403, {}, "127.0.0.1 refused the key (403).", True),
        (404, {"detail": "No x"}, f"127.0.0.1 makes no transcripts at http://127.0.0.1:PORT{PATH} (404).", True),
        (413, {}, "127.0.0.1 doesn't take 10 seconds of audio (413).", False),
        (400, {"error": "bad audio"}, "127.0.0.1 doesn't take 10 seconds of audio (400). It said: bad audio", False),
        (429, {}, "127.0.0.1 received too many requests (429).", True),
        (500, {"message": "\x1b[2Jno memory"}, "127.0.0.1 has a server problem (500).", False),
        (503, {}, "127.0.0.1 has a server problem (503).", False),
        (302, {}, "127.0.0.1 sent an unexpected response (302).", False),
    ],
)  # fmt: skip
def test_a_refusal_is_a_sentence(
    server: LoopbackServer, make: Make, wav: Path, status: int, body: object, sentence: str, lasting: bool
) -> None:
    says(server, body, status=status)
    error = failure(make(), wav)
    assert str(error).startswith(sentence.replace("PORT", str(server.server_port)))
    assert error.lasting is lasting
    assert error.advice
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<!DOCTYPE html><html><body>Sign in", "sent a web page instead of a transcript. If this network requires"),
        (b'{"error": "failed to read audio"}', "sent something that isn't a transcript. It said: failed to read audio"),
        (b'{"text": "Good day.", "segments": [{"start": 0, "en', "sent something that isn't a transcript. Check"),
        (b"[" * 100_000, "sent something that isn't a transcript. Check"),
        (b"\x00\x01\x02" * 1000, "sent something that isn't a transcript. Check"),
        (b"null", "sent something that isn't a transcript. Check"),
        (b"Out of memory.", "sent something that isn't a transcript. Check"),
    ],
)
def test_a_good_status_with_something_else_is_a_sentence(
    server: LoopbackServer, make: Make, wav: Path, body: bytes, sentence: str
) -> None:
    server.page(PATH, body, "application/json")
    error = failure(make(), wav)
    assert str(error).startswith(f"127.0.0.1 {sentence}")
    assert not error.lasting


def test_an_endless_answer_is_ended(
    server: LoopbackServer, make: Make, wav: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 1 << 20)

    def pour(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        while True:
            request.wfile.write(b" " * 60_000)

    server.answer(PATH, pour)
    assert failure(make(), wav).what == "127.0.0.1 sent more than 1 MB for the transcript"


def test_an_answer_that_is_cut_off_is_no_transcript(server: LoopbackServer, make: Make, wav: Path) -> None:
    def stop(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(b'{"text": ')
        request.close_connection = True

    server.answer(PATH, stop)
    assert failure(make(), wav).what == "The connection to 127.0.0.1 was lost"


@pytest.mark.parametrize("begins", [False, True])
def test_a_server_that_falls_silent_is_given_up(
    server: LoopbackServer, make: Make, wav: Path, monkeypatch: pytest.MonkeyPatch, begins: bool
) -> None:
    monkeypatch.setattr(Patience, "_ANYWAY_S", 0.5)
    monkeypatch.setattr(Patience, "_FIRST", 0.0)
    with silence(server, begins=begins):
        error = failure(make(), wav)
    assert re.match("127.0.0.1 (is too slow|stopped sending)", error.what)
    assert not error.lasting


def test_a_connection_that_was_closed_between_two_pieces_is_opened_again(
    server: LoopbackServer, make: Make, wav: Path
) -> None:
    says(server, {"segments": SEGMENTS})
    engine = make()
    engine.transcribe(wav, 10_000, CancelToken())
    server.hang_up()
    assert engine.transcribe(wav, 10_000, CancelToken()).lines == (_LINE,)


def test_nobody_there_is_told_and_lasting(make: Make, wav: Path) -> None:
    with LoopbackServer() as gone:
        url = gone.url("")
    error = failure(make(url), wav)
    assert str(error) == "127.0.0.1 refused the connection. Start the server, or check “transcribe.url”."
    assert error.lasting


def test_a_server_elsewhere_isnt_asked_while_earmark_is_offline(
    make: Make, wav: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Offline, "seen", lambda _self, _seen: None)
    error = failure(make("https://api.example.com"), wav)
    assert str(error) == "Earmark is offline. Go online first."


def test_a_server_on_this_computer_is_asked_without_a_proxy(
    server: LoopbackServer, make: Make, wav: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(server, {"segments": SEGMENTS})
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy")
    assert make().transcribe(wav, 10_000, CancelToken()).lines == (_LINE,)


def test_audio_that_is_gone_is_told(make: Make, tmp_path: Path) -> None:
    assert failure(make(), tmp_path / "none.wav").what == "The audio can't be read: No such file or directory"


# -- ending it ------------------------------------------------------------------------------------------------


def test_cancelling_ends_the_request(server: LoopbackServer, make: Make, wav: Path) -> None:
    cancel = CancelToken()
    with silence(server, begins=False) as asked:
        running = on_own_thread(lambda: make().transcribe(wav, 10_000, cancel), "piece")
        assert asked.wait(20)
        cancel.set()
        with pytest.raises(TranscriptionError, match="Making the transcript was stopped"):
            running.result(20)


def test_closing_waits_for_the_piece_that_is_under_way_and_the_next_one_starts_anew(
    server: LoopbackServer, make: Make, wav: Path
) -> None:
    engine = make()

    def answer(request: Request) -> None:
        engine.close()
        request.reply(json.dumps({"segments": SEGMENTS}).encode(), "application/json")

    server.answer(PATH, answer)
    for _piece in range(2):
        assert engine.transcribe(wav, 10_000, CancelToken()).lines == (_LINE,)
