"""Earmark on a real session bus."""

from collections.abc import Callable, Iterator

import pytest

from player.events import Bus
from player.integrations.desktop import media_keys
from player.integrations.desktop.media_keys import MediaKeys
from player.model.episode import EpisodeId
from player.settings import Desktop, Settings
from tests.player.integrations.desktop.bus import SessionBus, session_bus
from tests.player.integrations.desktop.session import DesktopSession
from tests.player.playback.support import wait_until

Start = Callable[..., MediaKeys]


@pytest.fixture
def daemon() -> Iterator[SessionBus]:
    with session_bus() as running:
        yield running


@pytest.fixture
def events() -> Bus:
    return Bus()


@pytest.fixture
def session(events: Bus) -> DesktopSession:
    return DesktopSession(events)


@pytest.fixture
def start(events: Bus, session: DesktopSession, daemon: SessionBus, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts media keys and waits until they are on the bus."""
    monkeypatch.setattr(media_keys, "_START_S", 0.0)
    monkeypatch.setattr(media_keys, "_RETRY_S", 0.05)
    started: list[MediaKeys] = []

    def begin(
        desktop: Desktop | None = None,
        quit: Callable[[], None] = lambda: None,
        track: tuple[str, str] = ("file:///cover.jpg", "Notes."),
    ) -> MediaKeys:
        made = MediaKeys(
            events,
            session,
            Settings(desktop=desktop or Desktop()),
            find={"https://example.com/feed": EpisodeId(7)}.get,
            known=lambda _episode: track,
            quit=quit,
            environ={"DBUS_SESSION_BUS_ADDRESS": daemon.address},
        )
        started.append(made)
        made.start()
        wait_until(lambda: made.name, "its name")
        return made

    yield begin
    for one in started:
        one.close()


@pytest.fixture
def started(start: Start) -> MediaKeys:
    return start()
