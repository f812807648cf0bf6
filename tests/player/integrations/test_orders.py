"""What may be asked, and how it is answered."""

import json
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.errors import LibraryError
from player.integrations.orders import answer
from player.model.episode import EpisodeId
from player.playback.outcomes import Refused, Why
from tests.player.integrations.fake_session import EPISODE, FakeSession


def ask(session: FakeSession, **asked: Any) -> dict[str, Any]:
    return answer(json.dumps(asked).encode(), session)


@pytest.mark.parametrize(
    ("asked", "command"),
    [
        ({"command": "play", "episode": 12}, ("play", 12)),
        ({"command": "play", "episode": 12, "at_ms": 90_000}, ("play", 12)),
        ({"command": "toggle"}, ("toggle", 0)),
        ({"command": "pause"}, ("pause", 0)),
        ({"command": "resume"}, ("resume", 0)),
        ({"command": "stop"}, ("stop", 0)),
        ({"command": "seek", "by_ms": -15_000}, ("seek_by", -15_000)),
        ({"command": "seek", "to_ms": 90_000}, ("seek_to", 90_000)),
        ({"command": "speed", "speed": 1.5}, ("set_speed", 1.5)),
        ({"command": "speed", "speed": 2}, ("set_speed", 2.0)),
        ({"command": "volume", "volume": 0}, ("set_volume", 0)),
        ({"command": "sleep", "until": "minutes", "minutes": 30}, ("sleep minutes 30", 0)),
        ({"command": "sleep", "until": "chapter"}, ("sleep chapter 1", 0)),
        ({"command": "sleep", "until": "episode"}, ("sleep episode 1", 0)),
        ({"command": "sleep", "until": "episode", "episodes": 3}, ("sleep episode 3", 0)),
        ({"command": "sleep", "until": "longer"}, ("sleep_longer", 0)),
        ({"command": "sleep", "until": "off"}, ("sleep_off", 0)),
    ],
)
def test_an_order_is_carried_out_and_answered_with_what_came_of_it(
    asked: dict[str, Any], command: tuple[str, float]
) -> None:
    session = FakeSession()
    reply = ask(session, **asked)
    assert reply["ok"] is True
    assert session.commands == [command]
    assert reply["status"]["state"] == session.status.state.value


def test_asking_for_the_status_changes_nothing() -> None:
    session = FakeSession()
    assert ask(session, command="status")["status"]["episode"]["id"] == 7
    assert not session.commands


def test_the_rank_of_its_episode_in_the_queue_is_told_where_it_can_be_read() -> None:
    def unreadable() -> dict[EpisodeId, int]:
        raise LibraryError("The disk is gone")

    line = b'{"command": "status"}'
    assert answer(line, FakeSession(), lambda: {EPISODE.id: 3})["status"]["episode"]["queued"] == 3
    assert answer(line, FakeSession(), lambda: {})["status"]["episode"]["queued"] is None
    reply = answer(line, FakeSession(), unreadable)
    assert (reply["ok"], reply["status"]["episode"]["queued"]) == (True, None)


def test_toggling_goes_both_ways() -> None:
    session = FakeSession()
    assert [ask(session, command="toggle")["status"]["state"] for _ in range(3)] == ["playing", "paused", "playing"]


@pytest.mark.parametrize("command", [{"command": "resume"}, {"command": "toggle"}, {"command": "seek", "by_ms": 1}])
def test_with_nothing_loaded_there_is_nothing_to_go_on_with(command: dict[str, Any]) -> None:
    session = FakeSession(loaded=False)
    reply = ask(session, **command)
    assert reply == {
        "ok": False,
        "error": "There is no episode to resume. Choose one in the app, or run: earmark play EPISODE",
    }
    assert not session.commands


@pytest.mark.parametrize(("approximate", "refused"), [(False, True), (True, False)])
def test_a_jump_past_an_end_that_is_known_is_refused(approximate: bool, refused: bool) -> None:
    session = FakeSession()
    session.status = replace(session.status, approximate=approximate)
    reply = ask(session, command="seek", to_ms=600_000)
    assert (reply.get("error"), session.commands == []) == (
        ("This episode is only 10:00 long. Choose an earlier time.", True) if refused else (None, False)
    )


@pytest.mark.parametrize("command", ["pause", "stop", "resume"])
def test_what_is_so_already_is_no_failure(command: str) -> None:
    session = FakeSession()
    session.refusal = Refused(Why.ALREADY, "Nothing is playing")
    reply = ask(session, command=command)
    assert (reply["ok"], reply["status"]["episode"]["id"]) == (True, 7)


def test_why_nothing_was_done_is_the_answer() -> None:
    session = FakeSession()
    session.refusal = Refused(Why.LIVE, "You can't jump in a live stream")
    assert ask(session, command="seek", by_ms=1) == {"ok": False, "error": "You can't jump in a live stream."}
    session.refusal = Refused(Why.FAILED, "The library can't be read. Restore a backup.")
    assert ask(session, command="toggle") == {"ok": False, "error": "The library can't be read. Restore a backup."}


def test_a_session_that_is_busy_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.integrations.orders._PATIENCE_S", 0.01)
    session = FakeSession()
    session.toggle = Future  # type: ignore[method-assign]
    assert ask(session, command="toggle")["status"]["state"] == "paused"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"pause",
        b"[]",
        b"null",
        b"{}",
        b'{"command": 1}',
        b'{"command": "explode"}',
        b'{"command": "pause", "now": true}',
        b'{"command": "seek"}',
        b'{"command": "seek", "by_ms": 1, "to_ms": 1}',
        b'{"command": "seek", "by_ms": "1"}',
        b'{"command": "seek", "by_ms": true}',
        b'{"command": "seek", "to_ms": -1}',
        b'{"command": "seek", "to_ms": 1e400}',
        b'{"command": "seek", "by_ms": 99999999999999999999}',
        b'{"command": "speed"}',
        b'{"command": "speed", "speed": NaN}',
        b'{"command": "speed", "speed": 0.1}',
        b'{"command": "speed", "speed": false}',
        b'{"command": "volume", "volume": 50.5}',
        b'{"command": "volume", "volume": 151}',
        b"\xff\xfe{",
        b"[" * 60_000,
        b"9" * 60_000,
    ],
)
def test_what_makes_no_sense_is_answered_with_a_sentence(line: bytes) -> None:
    session = FakeSession()
    reply = answer(line, session)
    assert reply["ok"] is False
    assert reply["error"][0].isalpha()
    assert not session.commands


@given(st.binary(max_size=200))
def test_no_bytes_do_harm(line: bytes) -> None:
    assert answer(line, FakeSession())["ok"] is False


_plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_values = _plain | st.lists(_plain, max_size=2)
_names = st.sampled_from(["status", "toggle", "pause", "resume", "stop", "seek", "speed", "volume", "?"])


@given(_names, st.dictionaries(st.sampled_from(["by_ms", "to_ms", "speed", "volume", "more"]), _values, max_size=2))
def test_any_object_gets_an_answer_that_is_json(command: str, arguments: dict[str, Any]) -> None:
    reply = ask(FakeSession(), command=command, **arguments)
    assert isinstance(reply["ok"], bool)
    json.dumps(reply, allow_nan=False)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"until": "dawn"}, "until must be one of minutes, chapter, episode, longer, off"),
        ({"minutes": 5}, "until must be one of minutes, chapter, episode, longer, off"),
        ({"until": "minutes"}, "minutes must be a whole number between 1 and 1440"),
        ({"until": "minutes", "minutes": 0}, "minutes must be a whole number between 1 and 1440"),
        ({"until": "episode", "episodes": 100}, "episodes must be a whole number between 1 and 99"),
        ({"until": "off", "minutes": 5}, 'Unknown argument "minutes"'),
    ],
)
def test_a_sleep_timer_that_cannot_be_set_is_refused(asked: dict[str, Any], error: str) -> None:
    session = FakeSession()
    reply = ask(session, command="sleep", **asked)
    assert (reply["ok"], session.commands) == (False, [])
    assert reply["error"].startswith(error)


def test_asking_for_the_sleep_timer_changes_nothing() -> None:
    session = FakeSession()
    assert ask(session, command="sleep")["status"]["sleep"] is None
    assert not session.commands
