"""What a client relies on is what the documents say."""

import copy
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from player.integrations.client import is_answer
from player.integrations.documents.playback import ANSWERS, Answer
from player.integrations.json_api import status_json, sync_json
from player.model.episode import Chapter, Chapters
from player.model.playback import Role, Running, SleepChoice, SleepStatus, SleepUntil
from player.model.syncing import SyncStatus
from tests.player.integrations.fake_session import FakeSession

DOWNLOAD = {
    "id": 7, "title": "An episode", "podcast": "A podcast", "state": "running", "why": "by hand",
    "asked_at": "2026-04-12T06:30:00Z", "attempts": 1, "retry_at": None, "problem": None,
    "done": 5, "total": 10, "per_second": 3, "seconds_left": 2, "work": "transcript",
}  # fmt: skip
QUEUE = {
    "count": 1, "paused": False, "held": False, "transcripts_wait": None, "done": 5, "total": None, "per_second": 0,
    "seconds_left": None,
}  # fmt: skip
ACT = {"act": {"kind": "played", "title": "An episode", "count": 1}}
MORE: dict[str, dict[str, Any]] = {
    "status": {},
    "undo": ACT,
    "redo": ACT,
    "remove": {"removed": "A podcast"},
    "queue": {"changed": [7]},
    "mark": {"changed": [7]},
    "segment": {"changed": [7]},
    "download": {"added": [7]},
    "transcribe": {"added": [7]},
    "downloads": {"downloads": {**QUEUE, "entries": [DOWNLOAD]}},
    "offline": {"offline": {"on": True, "by_hand": False, "only_here": False}},
    "output": {"output": {"output": "pulse", "device": "", "title": ""}},
    "sync": {"sync": {**sync_json(SyncStatus()), "target": "folder"}},
    "run": {"ran": "quit"},
    "open": {"opened": "shown"},
    "recent": {"recent": {"file": "/tmp/a.bytes", "format": "mp3"}},
}
ODD: tuple[Any, ...] = None, True, 3, 1.5, "text", [], {}, [None], {"id": 7}


def an_answer(command: str) -> dict[str, Any]:
    sleep = SleepStatus(SleepChoice(SleepUntil.MINUTES, 30), 754_000)
    status = replace(FakeSession().status, sleep=sleep)
    running = Running(Role.BACKGROUND, 4711, datetime(2026, 4, 12, tzinfo=UTC))
    shown = status_json(status, {}, chapters=Chapters((Chapter(0, "One"),)), running=running)
    return {"ok": True, "protocol": 1, "status": shown, **copy.deepcopy(MORE[command])}


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything within, as what holds it and by which key."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from places(value[key])


def is_document(answer: dict[str, Any], command: str) -> bool:
    try:
        msgspec.convert(answer, ANSWERS.get(command, Answer))
    except msgspec.ValidationError:
        return False
    return True


def test_the_answers_of_all_commands_are_known() -> None:
    assert set(MORE) == {"status", *ANSWERS}


@pytest.mark.parametrize("command", MORE)
def test_every_field_is_checked_as_its_document_has_it(command: str) -> None:
    answer = an_answer(command)
    assert is_document(answer, command)
    assert is_answer(answer, command)
    for holder, key in list(places(answer)):
        if holder is answer and key in ("ok", "protocol"):
            continue
        right = holder[key]
        for odd in ODD:
            holder[key] = odd
            narrower = isinstance(odd, str) and isinstance(right, str)  # A document may name all the words there are.
            assert is_answer(answer, command) == (is_document(answer, command) or narrower), (key, odd)
        if isinstance(holder, dict):
            del holder[key]
            assert not is_answer(answer, command), f"without {key}"
        holder[key] = right
    assert is_answer(answer, command)


@pytest.mark.parametrize(
    ("name", "number"),
    [("position_ms", -1), ("position_ms", 2**63), ("volume", -1), ("speed", 0), ("speed", -1.0),
     ("speed", float("nan")), ("speed", float("inf")), ("speed", 1e-300)],
)  # fmt: skip
def test_numbers_are_those_that_can_be_counted_with(name: str, number: float) -> None:
    answer = an_answer("status")
    answer["status"][name] = number
    assert not is_answer(answer, "status")
