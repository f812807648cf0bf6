"""Over the control socket any action is asked for, and addresses: of a screen, or of a player without one."""

import json
from concurrent.futures import Future
from typing import Any

import pytest

from player.errors import EarmarkError
from player.integrations.orders import answer
from player.integrations.requests import Asked
from player.library import Library
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.settings import Playback
from tests.player.integrations.fake_session import FakeSession
from tests.player.library.helpers import URL, apply_feed, episode


class Screen:
    """Notes what it is asked for; refuses with `trouble`."""

    def __init__(self, trouble: str = "") -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._trouble = trouble

    def run(self, action_id: str, times: int) -> Future[None]:
        return self._did("run", action_id, times)

    def show_episode(self, episode_id: EpisodeId) -> Future[None]:
        return self._did("episode", episode_id)

    def show_podcast(self, podcast_id: PodcastId) -> Future[None]:
        return self._did("podcast", podcast_id)

    def offer(self, feed: str) -> Future[None]:
        return self._did("offer", feed)

    def _did(self, *what: Any) -> Future[None]:
        self.asked.append(what)
        done: Future[None] = Future()
        if self._trouble:
            done.set_exception(EarmarkError(self._trouble))
        else:
            done.set_result(None)
        return done


class Machine:
    def __init__(self, library: Library, screen: Screen | None = None) -> None:
        self.session = FakeSession()
        self.asked = Asked(library, self.session, lambda: Playback(seek_back="20"))
        self.asked.screen = screen
        self.running = None

    def ask(self, command: str, **arguments: object) -> dict[str, Any]:
        line = json.dumps({"command": command, **arguments}).encode()
        return answer(line, self.session, machine=self)  # type: ignore[arg-type]


def test_a_screen_is_asked_for_actions_and_its_refusal_is_the_answer(library: Library) -> None:
    screen = Screen()
    assert Machine(library, screen).ask("run", action="star", count=3)["ran"] == "star"
    assert screen.asked == [("run", "star", 3)]
    refused = Machine(library, Screen("A dialog is open in Earmark")).ask("run", action="star")
    assert (refused["ok"], refused["error"]) == (False, "A dialog is open in Earmark.")


def test_a_screen_that_is_busy_does_nothing_of_it_later(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.integrations.requests._SCREEN_PATIENCE_S", 0.01)
    waiting: Future[None] = Future()
    screen = Screen()
    monkeypatch.setattr(screen, "run", lambda _action_id, _times: waiting)
    assert Machine(library, screen).ask("run", action="star")["error"].startswith("Earmark's screen is busy.")
    assert waiting.cancelled()


def test_without_a_screen_only_playback_can_be_asked_for(library: Library) -> None:
    machine = Machine(library)
    assert machine.ask("run", action="pause")["ok"]
    assert machine.ask("run", action="seek_back", count=2)["ok"]
    assert machine.session.commands == [("toggle", 0), ("seek_by", -20_000), ("seek_by", -20_000)]
    refused = machine.ask("run", action="star")
    assert refused["error"] == "“star” needs the app, and Earmark plays without a screen. Open it with: earmark"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"action": ""},
        {"action": 3},
        {"action": "x" * 100},
        {"action": "star", "count": 0},
        {"action": "star", "count": 51},
        {"action": "star", "more": 1},
    ],
)
def test_what_isnt_an_action_is_refused(library: Library, arguments: dict[str, object]) -> None:
    screen = Screen()
    assert not Machine(library, screen).ask("run", **arguments)["ok"]
    assert screen.asked == []


def test_addresses_play_show_and_offer(library: Library) -> None:
    podcast = library.podcasts.add(URL, "A show")
    before = len(library.podcasts.all())
    newest, older = apply_feed(library, podcast, episode(0, guid="new one"), episode(1, guid="old & one")).new
    screen = Screen()
    machine = Machine(library, screen)

    def opened(address: str) -> object:
        found = machine.ask("open", address=address)
        return found.get("opened") or found["error"]

    assert opened(f"earmark://play?feed={URL}&guid=old%20%26%20one&t=1:00") == "playing"
    assert opened(f"earmark://play?feed={URL}") == "playing"
    assert opened(f"earmark://show?feed={URL}&guid=new%20one") == "shown"
    assert opened(f"earmark://show?feed={URL}") == "shown"
    assert opened(f"earmark://subscribe?feed={URL}") == "shown"
    assert opened("earmark://subscribe?feed=https://other.example/feed") == "offered"
    assert opened("earmark://play?feed=https://other.example/feed&guid=x") == "offered"
    assert opened(f"earmark://play?feed={URL}&guid=gone").startswith("“A show” has no such episode, or not yet.")  # type: ignore[attr-defined]
    assert machine.session.commands == [("play", older), ("play", newest)]
    assert machine.session.status.position_ms == 60_000
    assert screen.asked == [
        ("episode", newest),
        ("podcast", podcast.id),
        ("podcast", podcast.id),
        ("offer", "https://other.example/feed"),
        ("offer", "https://other.example/feed"),
    ]
    assert len(library.podcasts.all()) == before


def test_without_a_screen_what_has_to_be_shown_is_refused(library: Library) -> None:
    podcast = library.podcasts.add(URL, "A show")
    apply_feed(library, podcast, episode(0))
    machine = Machine(library)
    assert machine.ask("open", address=f"earmark://play?feed={URL}")["opened"] == "playing"
    for address in (
        f"earmark://show?feed={URL}",
        "earmark://subscribe?feed=https://other.example/feed",
        "file:///etc/passwd",
    ):
        assert not machine.ask("open", address=address)["ok"]
    assert not machine.asked.offer_soon("https://other.example/feed")
