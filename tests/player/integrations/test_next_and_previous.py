"""`next` and `previous` of the control socket."""

import json

import pytest

from player.integrations.orders import answer
from player.playback.outcomes import Refused, Why
from tests.player.integrations.fake_session import FakeSession


@pytest.mark.parametrize(("command", "done"), [("next", "skip"), ("previous", "previous")])
def test_they_are_carried_out_and_take_no_arguments(command: str, done: str) -> None:
    session = FakeSession()
    assert answer(json.dumps({"command": command}).encode(), session)["ok"] is True
    assert [name for name, _value in session.commands] == [done]
    assert answer(json.dumps({"command": command, "by": 2}).encode(), session)["ok"] is False


def test_nothing_next_is_a_refusal_with_its_sentence() -> None:
    session = FakeSession()
    session.refusal = Refused(Why.NO_NEXT, "The queue is empty, so nothing is next")
    reply = answer(b'{"command": "next"}', session)
    assert (reply["ok"], reply["error"]) == (False, "The queue is empty, so nothing is next.")
