"""Notifications on a real session bus, where a desktop's service shows them."""

import threading
from collections.abc import Iterator

import pytest

from player.integrations.desktop import notifications
from player.integrations.desktop.notifications import DesktopService, address_of
from player.integrations.notification import Button, Does, Kind, Notification
from player.model.episode import EpisodeId
from tests.player.integrations.desktop.bus import SessionBus, session_bus
from tests.player.integrations.desktop_of_notifications import Desktop
from tests.player.playback.support import wait_until

PLAY, QUEUE = Button(Does.PLAY, (EpisodeId(7),)), Button(Does.QUEUE, (EpisodeId(7),))
NEW = Notification(Kind.NEW_EPISODES, "1 new <episode>", "Ben & Jerry \x1b[31m", (PLAY, QUEUE))


@pytest.fixture
def daemon() -> Iterator[SessionBus]:
    with session_bus() as running:
        yield running


@pytest.fixture
def desktop(daemon: SessionBus) -> Iterator[Desktop]:
    made = Desktop(daemon.address, "actions", "body", "body-markup")
    yield made
    made.close()


@pytest.fixture
def pressed() -> list[Button]:
    return []


@pytest.fixture
def service(daemon: SessionBus, pressed: list[Button]) -> Iterator[DesktopService]:
    made = DesktopService(pressed.append, {"DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": daemon.address})
    yield made
    made.close()
    assert not [one for one in threading.enumerate() if one.name == "earmark-notifications"]


def test_it_is_shown_with_buttons_and_nothing_in_it_is_markup(desktop: Desktop, service: DesktopService) -> None:
    assert service.show(NEW)
    ((name, replaces, _icon, title, body, actions, hints, _seconds),) = desktop.shown
    assert (name, replaces, title, body) == ("Earmark", 0, "1 new <episode>", "Ben &amp; Jerry [31m")
    assert actions == ["play", "Play", "queue", "Add to queue"]
    assert hints["suppress-sound"] is True


def test_a_button_is_pressed_once_and_only_while_its_notification_is_there(
    desktop: Desktop, service: DesktopService, pressed: list[Button]
) -> None:
    service.show(NEW)
    desktop.say("ActionInvoked", "us", 1, "queue")
    wait_until(lambda: pressed, "the press")
    desktop.say("ActionInvoked", "us", 99, "play")
    desktop.say("ActionInvoked", "us", 1, "format")
    desktop.say("ActionInvoked", "s", "play")
    desktop.say("NotificationClosed", "uu", 1, 2)
    desktop.say("ActionInvoked", "us", 1, "play")
    service.show(NEW)
    desktop.say("ActionInvoked", "us", 2, "play")
    wait_until(lambda: len(pressed) > 1, "the second press")
    assert pressed == [QUEUE, PLAY]


def test_a_new_one_takes_the_place_of_the_last_of_its_kind(desktop: Desktop, service: DesktopService) -> None:
    for notification in (NEW, NEW, Notification(Kind.NEXT, "Now playing", "", (Button(Does.PAUSE),)), NEW):
        service.show(notification)
    assert [shown[1] for shown in desktop.shown] == [0, 1, 0, 2]


def test_without_buttons_the_connection_ends_at_once_and_with_them_when_it_is_closed(
    desktop: Desktop, service: DesktopService
) -> None:
    service.show(Notification(Kind.TROUBLE, "1 download failed", "The server refused it."))
    wait_until(lambda: desktop.connected() == 0, "the bus to notice")
    service.show(NEW)
    assert desktop.connected() == 1
    service.close()
    wait_until(lambda: desktop.connected() == 0, "the end of the connection")
    assert not service.show(NEW)


def test_a_desktop_without_buttons_shows_plain_text(daemon: SessionBus, service: DesktopService) -> None:
    plain = Desktop(daemon.address, "body")
    assert service.show(NEW)
    assert service.server() == "A desktop"
    plain.close()
    ((*_head, body, actions, _hints, _seconds),) = plain.shown
    assert (body, actions) == ("Ben & Jerry [31m", [])


def test_who_does_not_answer_is_not_waited_for(
    daemon: SessionBus, service: DesktopService, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not service.show(NEW), "there is no such service"
    monkeypatch.setattr(notifications, "_REPLY_S", 0.1)
    hung = Desktop(daemon.address, hangs=True)
    assert not service.show(NEW)
    assert service.server() == ""
    hung.close()


@pytest.mark.parametrize(
    ("environ", "there"),
    [
        ({"DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus"}, True),
        ({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus"}, False),
        ({"DISPLAY": ":0"}, False),
        ({"DISPLAY": ":10", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus", "SSH_CONNECTION": "a 1 b 2"}, False),
    ],
)
def test_only_a_desktop_at_which_the_listener_sits(environ: dict[str, str], there: bool) -> None:
    assert bool(address_of(environ)) is there
