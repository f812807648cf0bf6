"""A server that makes transcripts in the form of OpenAI (`POST /v1/audio/transcriptions`), which speaches, LocalAI and
whisper.cpp's server share."""

import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from player import regular_file
from player.directory.searching import is_inside_address
from player.errors import TranscriptionError
from player.links.urls import on_same_server
from player.model.episode import Transcript
from player.net.exchange import Head, Upload
from player.net.failures import FailureReason as R
from player.net.failures import RequestFailed, Subject, explain, refusal, server_name
from player.net.fetch import Request, get
from player.net.loop import NetworkLoop
from player.net.requester import Login
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.text.cleaning import clean_line
from player.text.durations import in_words
from player.text.sentences import _, mark, translate
from player.transcribing.engine import MODEL_IS_KEPT_MS, Choice, EngineKind, Kept, Patience, cancelled, spoken
from player.transcribing.results import LARGEST, read_result

_LARGEST_AUDIO = 200_000_000
_FORMS: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        ("response_format", "verbose_json"),
        ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"),
    ),
    (("response_format", "verbose_json"),),
    (("response_format", "json"),),
)
"""What is asked for, the best first: words and sentences with times, sentences with times, a text. Some servers refuse
the first two (400, 422), or ignore them."""
_UNFIT = (400, 422)
_TOO_LARGE = 413
_ANY_MODEL = "whisper-1"
"""OpenAI's name, for servers that want one and have only one model."""
_WHOLE = ("/audio/transcriptions", "/inference")
"""The ends of addresses that aren't the base of a server; the second is whisper.cpp's own."""
_CONNECT_S = 10.0
_LINE = 200

_KEY = mark("Enter the key again with: earmark transcribe --setup --url ADDRESS")
_CHECK = mark("Check “transcribe.url” and “transcribe.model”.")
_SERVER = Subject(
    mark("the transcript"),
    address=_CHECK,
    own={
        R.BAD_ADDRESS: (mark("“transcribe.url” isn't a URL"), mark("It looks like http://127.0.0.1:8000.")),
        R.REFUSED: ("", mark("Start the server, or check “transcribe.url”.")),
        **dict.fromkeys((R.LOGIN, R.DENIED), (mark("{server} refused the key ({status})"), _KEY)),
        **dict.fromkeys((R.NOT_FOUND, R.REMOVED), (mark("{server} makes no transcripts at {url} ({status})"), _CHECK)),
    },
)
_LASTING = frozenset(
    (
        R.OFFLINE, R.UNKNOWN_HOST, R.NO_NAME_SERVER, R.BAD_ADDRESS, R.TIMED_OUT, R.REFUSED, R.UNREACHABLE, R.PROXY,
        R.CERTIFICATE, R.NO_CERTIFICATES, R.TLS, R.REDIRECT_LOOP, R.BAD_REDIRECT, R.LOGIN, R.PAYMENT, R.DENIED,
        R.NOT_FOUND, R.REMOVED, R.TOO_MANY,
    )
)  # fmt: skip
_LOST = frozenset((R.CONNECTION_LOST, R.CUT_SHORT))


class ServerEngine:
    """Asks the server of the setting `url`. A server inside the listener's own network is asked also while Earmark is
    offline, and never through a proxy."""

    def __init__(self, settings: Transcribe, network: NetworkLoop, login: Login) -> None:
        self._settings = settings
        self._network = network
        self._own_network = Kept(lambda: NetworkLoop(_CONNECT_S, _CONNECT_S, direct=True), NetworkLoop.close)
        self._login = login
        self._url = _endpoint(settings.url)
        self._first = 0
        self._patience = Patience()

    longest_ms = MODEL_IS_KEPT_MS

    @property
    def name(self) -> str:
        server = server_name(self._url)
        return f"{clean_line(self._settings.model, 60)}, {server}" if self._settings.model else server

    def transcribe(self, audio: Path, length_ms: int, cancel: CancelToken) -> Transcript:
        try:
            wav = regular_file.read(audio, _LARGEST_AUDIO)
        except OSError as error:
            raise TranscriptionError(_("The audio can't be read: {reason}", reason=error.strerror)) from error
        network = self._own_network.used() if is_inside_address(self._url) else nullcontext(self._network)
        with network as used, self._patience.waiting(length_ms) as limit_s:
            asking = _Asking(self._url, self._key(), used, cancel, limit_s)
            body = self._best_answer(asking, wav, length_ms)
        found = read_result(body, length_ms) if isinstance(_decoded(body), Mapping) else None
        if found is None:
            raise asking.nonsense(body)
        return found

    def close(self) -> None:
        self._own_network.close()

    def _best_answer(self, asking: "_Asking", wav: bytes, length_ms: int) -> bytes:
        """The answer in the first form that the server knows; from then on it is asked for that alone."""
        fields = {"model": self._settings.model or _ANY_MODEL, "language": spoken(self._settings)}
        untimed = b""
        for number, form in enumerate(_FORMS):
            if number < self._first:
                continue
            is_last = number == len(_FORMS) - 1
            status, body = asking.ask(_multipart([*((k, v) for k, v in fields.items() if v), *form], wav))
            if status == 200 and (is_last or not _lacks_times(body)):
                self._first = number
                return body
            if status == 200:
                untimed = untimed or body
            elif status not in _UNFIT or (is_last and not untimed):
                raise asking.refused(status, body, length_ms)
        return untimed

    def _key(self) -> str:
        found = self._login(self._settings.url)
        key = found[1].strip() if found else ""
        if not (key.isascii() and key.isprintable()):
            what = _("The key for {server} contains characters that can't be sent", server=server_name(self._url))
            raise TranscriptionError(what, translate(_KEY), lasting=True)
        return key


class _Asking:
    """The requests about one piece. `key` is sent to its own server only."""

    def __init__(self, url: str, key: str, network: NetworkLoop, cancel: CancelToken, limit_s: float) -> None:
        self._url, self._key, self._network, self._cancel, self._limit_s = url, key, network, cancel, limit_s

    def ask(self, upload: Upload) -> tuple[int, bytes]:
        """The status of the answer, and its body. Raises TranscriptionError."""
        heads: list[Head] = []

        def accepts(head: Head, _url: str) -> bool:
            heads.append(head)
            return True

        request = Request(
            url=self._url, size=LARGEST, total_s=self._limit_s, silence_s=self._limit_s, fence=self._fence,
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {}, good=range(1000), accepts=accepts,
            upload=upload,
        )  # fmt: skip
        try:
            try:
                answer = get(self._network, request, self._cancel)
            except RequestFailed as failed:
                if failed.reason not in _LOST or heads:
                    raise
                # The server may just have closed the connection that was kept since the last piece.
                answer = get(self._network, request, self._cancel)
        except RequestFailed as failed:
            raise self._failed(failed) from failed
        return heads[-1].status, answer.body

    def refused(self, status: int, body: bytes, length_ms: int) -> TranscriptionError:
        said = self._said(body)
        if status == _TOO_LARGE or status in _UNFIT:
            server, length = server_name(self._url), in_words(length_ms)
            what = _("{server} doesn't take {length} of audio ({status})", server=server, length=length, status=status)
            return TranscriptionError(what, said or translate(_CHECK))
        return self._failed(refusal(status, {}, self._url), said)

    def nonsense(self, body: bytes) -> TranscriptionError:
        """A status of 200 with something else than a transcript."""
        server = server_name(self._url)
        if body.lstrip().startswith(b"<"):
            return TranscriptionError(
                _("{server} sent a web page instead of a transcript", server=server),
                _("If this network requires you to sign in, do that first; otherwise check “transcribe.url”."),
            )
        return TranscriptionError(
            _("{server} sent something that isn't a transcript", server=server),
            self._said(body) or translate(_CHECK),
        )

    def _failed(self, failed: RequestFailed, said: str = "") -> TranscriptionError:
        if failed.reason is R.CANCELLED:
            return cancelled()
        what, advice = explain(failed, _SERVER, self._url)
        return TranscriptionError(what, f"{advice} {said}".strip(), lasting=failed.reason in _LASTING)

    def _said(self, body: bytes) -> str:
        """What the server says about an error; never with the key in it."""
        said = _message(_decoded(body))
        said = clean_line(said.replace(self._key, "…") if self._key else said, _LINE)
        return _("It said: {errors}", errors=said) if said else ""

    def _fence(self, url: str) -> None:
        """Neither the key nor the audio goes to another server."""
        if not on_same_server(url, self._url):
            raise TranscriptionError(
                _(
                    "{server} redirects to another server, {there}",
                    server=server_name(self._url),
                    there=server_name(url),
                ),
                _("Nothing was sent there. If it has moved, change “transcribe.url”."),
                lasting=True,
            )


def _endpoint(url: str) -> str:
    """The address that transcripts are asked from, of a server's base address or a longer one."""
    base = url.rstrip("/")
    if base.endswith(_WHOLE):
        return base
    return f"{base.removesuffix('/v1')}/v1/audio/transcriptions"


def _multipart(fields: list[tuple[str, str]], wav: bytes) -> Upload:
    """A form with a file (RFC 7578)."""
    boundary = secrets.token_hex(16)
    lines = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields
    ]
    file = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="piece.wav"\r\n'
    head = "".join([*lines, file, "Content-Type: audio/wav\r\n\r\n"]).encode()
    return Upload(
        b"".join((head, wav, f"\r\n--{boundary}--\r\n".encode())), f"multipart/form-data; boundary={boundary}"
    )


def _decoded(body: bytes) -> Any:
    """JSON as Python's own types; None if it isn't JSON."""
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None


def _lacks_times(body: bytes) -> bool:
    """Whether the answer is a text without sentences or words."""
    answer = _decoded(body)
    return (
        isinstance(answer, Mapping) and bool(answer.get("text")) and not (answer.get("segments") or answer.get("words"))
    )


def _message(answer: Any) -> str:
    """The sentence in an answer about an error: `error.message` (OpenAI), `error`, `detail` or `message`."""
    for name in ("error", "detail", "message"):
        if isinstance(answer, Mapping) and name in answer:
            answer = answer[name]
    return answer if isinstance(answer, str) else ""


# -- on this computer -------------------------------------------------------------------------------------------

_PORTS = (8000, 8080)
"""Of speaches; of LocalAI and whisper.cpp's server."""
_ASK_S = 2.0
_LARGEST_PAGE = 1024 * 1024
_MOST_MODELS = 20
_IS_SPEECH = re.compile("whisper|parakeet|canary|transcri|speech-recognition", re.IGNORECASE)
_PAGE = re.compile(rb"Whisper\.cpp Server.{0,5000}?<h2>(/[\w./-]{0,80})</h2>", re.DOTALL)
"""The page of whisper.cpp's server says where it takes audio."""


def _found(settings: Transcribe, _network: NetworkLoop) -> Iterator[Choice]:
    """Servers on this computer: no other is asked."""
    network = NetworkLoop(_ASK_S, _ASK_S, direct=True)
    try:
        for port in _PORTS:
            base = f"http://127.0.0.1:{port}"
            for model in _models(_page(network, f"{base}/v1/models")):
                title = f"{clean_line(model, 60)}, 127.0.0.1:{port}"
                yield Choice(title, replace(settings, url=base, model=model, engine="server"))
            if page := _PAGE.search(_page(network, f"{base}/")):
                whole = f"{base}{page[1].decode()}"
                yield Choice(f"whisper.cpp, 127.0.0.1:{port}", replace(settings, url=whole, model="", engine="server"))
    finally:
        network.close()


def _models(body: bytes) -> list[str]:
    """The models in a list of OpenAI's form that recognise speech, by their names or, with speaches, their task."""
    answer = _decoded(body)
    listed = answer.get("data") if isinstance(answer, Mapping) else None
    models = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    names = [one["id"] for one in models if _IS_SPEECH.search(f"{one.get('id')} {one.get('task')}")]
    return [name for name in names if isinstance(name, str)][:_MOST_MODELS]


def _page(network: NetworkLoop, url: str) -> bytes:
    """ "" if nobody answers there."""
    request = Request(url=url, size=_LARGEST_PAGE, total_s=_ASK_S, silence_s=_ASK_S, cut=True, redirects=0)
    try:
        return get(network, request, CancelToken()).body
    except RequestFailed:
        return b""


def _open(settings: Transcribe, network: NetworkLoop, login: Login) -> ServerEngine:
    return ServerEngine(settings, network, login)


ENGINE = EngineKind(lambda settings: bool(settings.url), _open, _found)
