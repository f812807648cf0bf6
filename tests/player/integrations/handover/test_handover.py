"""One Earmark plays, another takes over, both with a silent engine: whose the lock, the socket and the sound are."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from player.errors import AlreadyRunning, ControlError, LibraryError, NoSoundLibrary
from player.events import QuitAsked
from player.integrations.client import request
from player.integrations.handover.handover_messages import FORM, Step, Wire
from player.integrations.handover.taker import Lost, Taker
from player.integrations.single_instance import Claim, InstanceLock
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, Role
from player.paths import Paths
from player.playback.silent_engine import SilentEngine
from player.player import Player
from player.settings import Settings
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.sounds import mp3
from tests.player.playback.support import wait_until
from tests.pty.conftest import saved_position

Make = Callable[[Role], Player]


@pytest.fixture
def make(paths: Paths) -> Iterator[Make]:
    players = []

    def make(role: Role) -> Player:
        players.append(Player(paths, Settings(), engine=SilentEngine, role=role))
        return players[-1]

    yield make
    for one in reversed(players):
        one.close()


@pytest.fixture
def giver(make: Make, server: LoopbackServer) -> Player:
    """It plays in the background, from 20 s on, until it is asked to quit."""
    player = make(Role.BACKGROUND)
    player.bus.subscribe(QuitAsked, lambda _event: threading.Thread(target=player.close, daemon=True).start())
    player.open()
    podcast = player.library.podcasts.add(URL, "A show")
    (one,) = apply_feed(player.library, podcast, episode(1, url=server.audio("/a", mp3(1500)))).new
    player.start()
    player.session.play(EpisodeId(one), 20_000).result(10)
    wait_until(lambda: plays(player), "the sound")
    return player


def plays(player: Player) -> bool:
    return player.session.status.state is PlaybackState.PLAYING


def test_the_sound_the_lock_and_the_socket_go_to_the_one_that_opens(make: Make, giver: Player, paths: Paths) -> None:
    asked = threading.Event()
    giver.bus.subscribe(QuitAsked, lambda _event: asked.set())
    socket_before = paths.socket.stat().st_ino
    taker = make(Role.SCREEN)
    taker.open()
    assert taker.status.state is PlaybackState.PLAYING, "what comes is known at once"
    assert 20_000 <= taker.status.position_ms < 40_000
    taker.start()
    assert asked.wait(10), "the one that has given it away ends"
    assert plays(taker)
    assert 20_000 <= taker.status.position_ms < 60_000
    assert paths.lock.read_text() == f"{os.getpid()}\n"
    with pytest.raises(AlreadyRunning):
        InstanceLock(paths.lock).take()
    wait_until(lambda: giver._closing.is_set(), "its end")
    assert request(paths.socket, "status")["status"]["state"] == "playing"
    assert paths.socket.stat().st_ino == socket_before, "who connects meanwhile only waits"
    taker.close()
    InstanceLock(paths.lock).take()
    assert not paths.socket.exists()


def test_a_screen_hands_over_only_to_the_process_that_it_has_started(make: Make, giver: Player, paths: Paths) -> None:
    giver.services.giver.role = Role.SCREEN
    for role in (Role.SCREEN, Role.BACKGROUND):
        with pytest.raises(AlreadyRunning, match=rf"already running \(PID {os.getpid()}\)"):
            make(role).open()
    giver.services.giver.expect("please")
    with pytest.raises(AlreadyRunning):
        make(Role.BACKGROUND).open()
    with_leave = make(Role.BACKGROUND)
    with_leave.claim.word = "please"
    with_leave.open()
    with_leave.start()
    assert plays(with_leave)


def test_a_background_player_leaves_another_where_it_is(make: Make, giver: Player) -> None:
    with pytest.raises(AlreadyRunning):
        make(Role.BACKGROUND).open()
    assert plays(giver)


def test_another_version_says_how_to_end_the_one_that_runs(
    make: Make, giver: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.integrations.handover.giver.FORM", FORM + 1)
    with pytest.raises(AlreadyRunning, match="earmark quit"):
        make(Role.SCREEN).open()
    assert plays(giver)


def test_a_refusal_is_known_by_its_reason_in_any_language(
    make: Make, giver: Player, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.integrations.handover.giver._", lambda words, **_values: words.swapcase())
    monkeypatch.setattr("player.integrations.handover.giver.FORM", FORM + 1)
    with pytest.raises(AlreadyRunning, match="aNOTHER VERSION"):
        make(Role.SCREEN).open()
    monkeypatch.undo()
    for asked, reason in (
        ({"as": Role.BACKGROUND, "form": FORM}, "stays"),
        ({"as": Role.SCREEN, "form": 0}, "version"),
    ):
        with pytest.raises(ControlError) as refused:
            request(paths.socket, "hand_over", step="ask", word="", **asked)
        assert refused.value.reason == reason


def test_a_receiver_that_dies_gives_the_sound_back(giver: Player, paths: Paths) -> None:
    before = giver.session.status.position_ms
    taker = Taker(paths.socket, Role.SCREEN)
    handed, lock, listener = taker.take()
    assert handed.session.position.ms >= before
    with pytest.raises(AlreadyRunning):
        InstanceLock(paths.lock).take()
    os.close(lock)
    listener.close()
    taker.close()
    wait_until(lambda: plays(giver) and giver.session.status.position_ms > handed.session.position.ms, "the sound")
    assert request(paths.socket, "status")["status"]["state"] == "playing"
    with pytest.raises(AlreadyRunning):
        InstanceLock(paths.lock).take()


def test_a_receiver_that_hangs_is_told_that_the_sound_is_not_its_own(
    giver: Player, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.integrations.handover.giver.TAKEN_S", 0.1)
    taker = Taker(paths.socket, Role.SCREEN)
    _handed, lock, listener = taker.take()
    wait_until(lambda: request(paths.socket, "status")["status"]["state"] == "playing", "the sound")
    with pytest.raises(Exception, match="taken back"):
        taker.taken()
    giver.close()
    InstanceLock(paths.lock).take()
    os.close(lock)
    listener.close()


def test_a_word_that_came_in_time_counts_though_the_giver_was_stopped_meanwhile(giver: Player, paths: Paths) -> None:
    one, other = socket.socketpair()
    Wire(one).ask(Step.TAKEN)
    answer = Wire(other).receive(0.0)
    assert answer is not None
    assert answer[0]["step"] == Step.TAKEN
    with pytest.raises(TimeoutError):
        Wire(other).receive(0.01)
    one.close()
    other.close()


def test_a_receiver_without_sound_gives_back_and_says_why(
    make: Make, giver: Player, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(SilentEngine):
        def load(self, *_arguments: object, **_options: object) -> None:
            raise NoSoundLibrary("libvlc isn't installed")

    taker = Player(paths, Settings(), engine=lambda listener: Broken(listener))
    taker.open()
    with pytest.raises(AlreadyRunning, match=r"didn't hand over: libvlc isn't installed.*earmark quit"):
        taker.start()
    taker.close()
    wait_until(lambda: plays(giver), "the sound")
    with pytest.raises(AlreadyRunning):
        InstanceLock(paths.lock).take()


def test_what_was_going_to_be_taken_over_ends_with_whom_it_was_offered_to(make: Make, giver: Player) -> None:
    taker = make(Role.SCREEN)
    taker.open()
    taker.close()
    assert plays(giver)
    other = make(Role.SCREEN)
    other.open()
    other.start()
    assert plays(other)


def test_a_lock_of_another_library_is_not_adopted(paths: Paths, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "lock"
    other.touch()
    lock = InstanceLock(paths.lock)
    handle = os.open(other, os.O_RDWR)
    with pytest.raises(LibraryError):
        lock.adopt(handle)
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(handle)
    lock.take()
    lock.release()


def test_nonsense_is_answered_and_changes_nothing(giver: Player, paths: Paths) -> None:
    for arguments in ({"step": "give"}, {"step": "taken"}, {"step": "ask"}, {"step": "ask", "as": 7, "form": "x"}):
        with pytest.raises(Exception, match=r".") as refused:
            request(paths.socket, "hand_over", **arguments)
        assert not isinstance(refused.value, Lost)
    assert plays(giver)


_DIES = """
import sys
from player.integrations.handover.taker import Taker
from player.model.playback import Role
from player.paths import Paths
taker = Taker(Paths.of().socket, Role.SCREEN)
{then}
"""


@pytest.mark.parametrize("then", ["", "taker.take()"])
def test_a_process_that_is_gone_holds_nothing(giver: Player, paths: Paths, then: str) -> None:
    subprocess.run([sys.executable, "-c", _DIES.format(then=then)], check=True)
    wait_until(lambda: plays(giver), "the sound")
    giver.close()
    InstanceLock(paths.lock).take()


_HANGS = """
import os, signal, sys
from player.errors import AlreadyRunning
from player.integrations.handover.taker import Taker
from player.paths import Paths
from player.playback.silent_engine import SilentEngine
from player.player import Player
from player.settings import Settings

step = Taker.{step}

def hang(*arguments):
    os.kill(os.getpid(), signal.SIGSTOP)
    return step(*arguments)

Taker.{step} = hang
player = Player(Paths.of(), Settings(), engine=SilentEngine)
try:
    player.open()
    player.start()
except AlreadyRunning as error:
    sys.exit(str(error))
finally:
    player.close()
"""


@pytest.mark.parametrize("step", [pytest.param("take", marks=pytest.mark.long), "taken"])
def test_while_a_process_hangs_before_it_plays_the_sound_goes_on_where_it_was(
    giver: Player, paths: Paths, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.integrations.handover.giver.TAKEN_S", 0.3)
    hanging = subprocess.Popen([sys.executable, "-c", _HANGS.format(step=step)], stderr=subprocess.PIPE, text=True)
    try:
        os.waitid(os.P_PID, hanging.pid, os.WSTOPPED)
        offered_ms = giver.session.status.position_ms
        wait_until(lambda: plays(giver) and giver.session.status.position_ms > offered_ms + 100, "the sound")
        wait_until(lambda: saved_position(paths.library) > offered_ms, "its position on the disk")
        assert request(paths.socket, "status")["status"]["pid"] == os.getpid()
        kept_ms = saved_position(paths.library)
        hanging.send_signal(signal.SIGCONT)
        if step == "taken":
            assert "The sound was taken back" in hanging.communicate(timeout=30)[1]
            assert plays(giver), "it wakes up, and leaves the sound where it is"
            assert saved_position(paths.library) >= kept_ms
            with pytest.raises(AlreadyRunning):
                InstanceLock(paths.lock).take()
        else:
            assert hanging.wait(30) == 0, "it has taken over in the end"
            assert saved_position(paths.library) >= kept_ms
    finally:
        hanging.kill()
        hanging.communicate()


class _DiesBeforeItOffers:
    """A process that holds the lock, and is killed when it is asked for its sound."""

    def __init__(self, paths: Paths) -> None:
        self._lock = InstanceLock(paths.lock)
        self._lock.take()
        self._listener = socket.socket(socket.AF_UNIX)
        paths.socket.parent.mkdir(parents=True, exist_ok=True)
        self._listener.bind(str(paths.socket))
        self._listener.listen()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        connection, _ = self._listener.accept()
        connection.recv(1)
        connection.close()
        self._listener.close()
        self._lock.release()  # last, as the kernel may do it

    def join(self) -> None:
        self._thread.join()


@pytest.mark.parametrize("word", ["please", ""])
def test_who_is_killed_before_it_offers_its_sound_is_followed_by_whoever_asked(paths: Paths, word: str) -> None:
    dying = _DiesBeforeItOffers(paths)
    played: list[object] = []
    last = SimpleNamespace(episode=SimpleNamespace(id=7))
    session: Any = SimpleNamespace(start=lambda: None, status=last, play=played.append)
    nothing: Any = None
    claim = Claim(paths, Role.BACKGROUND)
    claim.word = word
    try:
        claim.make()
        claim.begin(session, nothing, nothing)
        assert played == ([7] if word else [])
        with pytest.raises(AlreadyRunning):
            InstanceLock(paths.lock).take()
    finally:
        claim.release()
        dying.join()


_KILLED = """
import os, signal, sys
from player.integrations.handover.giver import Giver
from player.integrations.handover.handover_messages import Wire
from player.model.episode import EpisodeId
from player.model.playback import Role
from player.paths import Paths
from player.playback.silent_engine import SilentEngine
from player.player import Player
from player.settings import Settings

def kill(*arguments, **more):
    os.kill(os.getpid(), signal.SIGKILL)

answer = Wire.answer

def answer_and_die(wire, handles=(), **fields):
    answer(wire, handles, **fields)
    if set(fields) == {fields}:
        kill()

{then}
player = Player(Paths.of(), Settings(), engine=SilentEngine, role=Role.BACKGROUND)
player.open()
player.start()
player.session.play(EpisodeId({episode}), 20_000).result(10)
print("plays", flush=True)
sys.stdin.read()
"""
_DIES_AFTER = "Wire.answer = answer_and_die"
_MOMENTS = {
    "after its offer": (_DIES_AFTER, {"offer"}),
    "when it is asked for the sound": ("Giver._hand_over = kill", set()),
    "once it is silent": ("Giver._offered = kill", set()),
    "after it has given": (_DIES_AFTER, {"handed"}),
    "at the word that it sounds there": ("Giver._leave = kill", set()),
    "after its answer to that": (_DIES_AFTER, set()),
}


@pytest.mark.parametrize("moment", _MOMENTS)
def test_whenever_the_giver_is_killed_the_receiver_plays_on(
    make: Make, paths: Paths, server: LoopbackServer, moment: str
) -> None:
    before = make(Role.BACKGROUND)
    before.open()
    podcast = before.library.podcasts.add(URL, "A show")
    (one,) = apply_feed(before.library, podcast, episode(1, url=server.audio("/a", mp3(1500)))).new
    before.close()
    then, fields = _MOMENTS[moment]
    code = _KILLED.format(then=then, fields=fields, episode=one)
    dying = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert dying.stdout is not None
        assert dying.stdout.readline() == "plays\n"
        wait_until(lambda: saved_position(paths.library) >= 20_000, "its position on the disk")
        taker = make(Role.SCREEN)
        taker.open()
        taker.start()
        wait_until(lambda: plays(taker), "the sound")
        assert dying.wait(20) == -signal.SIGKILL
        assert taker.session.status.position_ms >= 19_000
        wait_until(lambda: paths.lock.read_text() == f"{os.getpid()}\n", "the lock")
        assert request(paths.socket, "status")["status"]["state"] == "playing"
        with pytest.raises(AlreadyRunning):
            InstanceLock(paths.lock).take()
    finally:
        dying.kill()
        dying.communicate()
