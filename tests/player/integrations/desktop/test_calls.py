"""What a controller asks for is done, or answered with an error of D-Bus."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

pytest.importorskip("dbus_fast", reason="dbus_fast is for Linux")

from dbus_fast import DBusError

from player.integrations.desktop.mpris import NO_TRACK, Player, Root
from player.integrations.requests import Asked
from player.links.addresses import parse
from player.model.episode import EpisodeId
from player.model.playback import Cause, NextFrom, NextUp
from player.playback.outcomes import Refused, Why
from player.settings import Desktop, Settings
from tests.player.integrations.desktop.session import DesktopSession
from tests.player.integrations.fake_session import EPISODE

HERE = "/earmark/episode/7"
S = 1_000_000


def calls(
    session: DesktopSession,
    keys: Desktop | None = None,
    *,
    find: Callable[[str], EpisodeId | None] = lambda _address: None,
    asked: Asked | None = None,
) -> Player:
    settings = Settings(desktop=keys or Desktop())
    return Player(session, settings, find=find, known=lambda _episode: ("", ""), asked=asked)


def done(session: DesktopSession) -> list[tuple[str, float]]:
    return session.commands


@pytest.mark.parametrize(
    ("member", "command"),
    [
        ("Play", "resume"),
        ("Pause", "pause"),
        ("PlayPause", "toggle"),
        ("Stop", "stop"),
        ("Next", "skip"),
        ("Previous", "previous"),
    ],
)
def test_keys_are_commands(member: str, command: str) -> None:
    session = DesktopSession()
    getattr(calls(session), member)()
    assert done(session) == [(command, 0)]


@pytest.mark.parametrize(
    ("kind", "ahead", "back"),
    [
        ("episode", ("skip", 0), ("previous", 0)),
        ("chapter", ("next_chapter", 0), ("previous_chapter", 0)),
        ("jump", ("seek_by", 30_000), ("seek_by", -15_000)),
    ],
)
def test_next_and_previous_do_what_is_set(kind: str, ahead: tuple[str, float], back: tuple[str, float]) -> None:
    session = DesktopSession()
    for_them = calls(session, Desktop(next=kind, previous=kind))
    for_them.Next()
    for_them.Previous()
    assert done(session) == [ahead, back]


def test_without_chapters_a_key_for_chapters_jumps() -> None:
    class Chapterless(DesktopSession):
        def next_chapter(self):  # type: ignore[no-untyped-def]
            self.refusal = Refused(Why.NO_CHAPTERS, "This episode has no chapters")
            refused = super().next_chapter()
            self.refusal = None
            return refused

    session = Chapterless()
    calls(session, Desktop(next="chapter")).Next()
    assert done(session) == [("seek_by", 30_000)]


def test_jumps_are_in_microseconds() -> None:
    session = DesktopSession()
    calls(session).Seek(-10 * S)
    calls(session).SetPosition(HERE, 300 * S)
    assert done(session) == [("seek_by", -10_000), ("seek_to", 300_000)]


@pytest.mark.parametrize(
    ("track", "position"),
    [("/earmark/episode/8", 10 * S), (NO_TRACK, 10 * S), (HERE, -1), (HERE, 601 * S), (HERE, 2**63 - 1)],
)
def test_a_position_of_another_track_or_beyond_this_one_changes_nothing(track: str, position: int) -> None:
    session = DesktopSession()
    calls(session).SetPosition(track, position)
    assert done(session) == []


def test_a_jump_beyond_the_end_is_next_where_something_is() -> None:
    session = DesktopSession()
    calls(session).Seek(700 * S)
    assert done(session) == []
    session.status = replace(session.status, next_up=NextUp(EPISODE, NextFrom.QUEUE))
    calls(session).Seek(700 * S)
    assert done(session) == [("skip", 0)]


def test_nothing_can_be_sought_in_a_live_stream_or_in_nothing() -> None:
    live, idle = DesktopSession(), DesktopSession(loaded=False)
    live.status = replace(live.status, live=True)
    for session in (live, idle):
        for_them = calls(session, Desktop(next="jump"))
        for_them.Seek(S)
        for_them.SetPosition(HERE, S)
        for_them.Next()
        assert done(session) == []


def test_speed_and_volume_are_set_as_far_as_they_go_and_no_speed_is_a_pause() -> None:
    session = DesktopSession()
    for_them = calls(session)
    wanted = {"Rate": (1.25, 99.0, 0.1, 0.0), "Volume": (0.404, 1.5, 7.0, -3.0)}
    for name, values in wanted.items():
        for value in values:
            setattr(for_them, name, value)
    assert done(session) == [
        ("set_speed", 1.25), ("set_speed", 3.0), ("set_speed", 0.5), ("pause", 0),
        ("set_volume", 40), ("set_volume", 150), ("set_volume", 150), ("set_volume", 0),
    ]  # fmt: skip


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("name", ["Rate", "Volume"])
def test_what_is_no_number_is_an_error(name: str, value: float) -> None:
    session = DesktopSession()
    with pytest.raises(DBusError) as raised:
        setattr(calls(session), name, value)
    assert raised.value.type == "org.freedesktop.DBus.Error.InvalidArgs"
    assert done(session) == []


def test_an_address_that_is_known_is_played() -> None:
    session = DesktopSession()
    known = {"https://example.com/7.mp3": EpisodeId(7)}
    calls(session, find=known.get).OpenUri("https://example.com/7.mp3")
    assert done(session) == [("play", 7)]


def test_quit_ends_and_raise_does_nothing() -> None:
    asked: list[str] = []
    root = Root(lambda: asked.append("quit"))
    root.Raise()
    assert asked == []
    root.Quit()
    assert asked == ["quit"]


def test_a_flood_of_commands_is_refused_until_some_are_carried_out() -> None:
    from concurrent.futures import Future

    from player.playback.outcomes import Outcome

    begun: list[Future[Outcome]] = []

    class Slow(DesktopSession):
        def pause(self, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
            begun.append(Future())
            return begun[-1]

    session = Slow()
    for_them = calls(session)
    for _ in range(32):
        for_them.Pause()
    with pytest.raises(DBusError) as raised:
        for_them.Pause()
    assert raised.value.type.endswith("LimitsExceeded")
    begun[0].set_result(Refused(Why.ALREADY, ""))
    for_them.Pause()
    assert len(begun) == 33


class Screen(Asked):
    """Notes what it is to open."""

    def __init__(self, *, there: bool = True) -> None:
        self.opened: list[str] = []
        self._there = there

    def open_soon(self, text: str) -> None:
        parse(text)
        self.opened.append(text)

    def offer_soon(self, url: str) -> bool:
        self.opened.append(url)
        return self._there


def test_addresses_of_earmark_are_opened_and_unknown_feeds_offered() -> None:
    session, screen = DesktopSession(), Screen()
    made = calls(session, asked=screen)
    address = "earmark://subscribe?feed=https://a.example/feed"
    made.OpenUri(address)
    made.OpenUri("https://a.example/feed")
    assert screen.opened == [address, "https://a.example/feed"]
    assert done(session) == []
    for wrong in ("earmark://delete?feed=x", "file:///etc/passwd"):
        with pytest.raises(DBusError):
            made.OpenUri(wrong)
    assert len(screen.opened) == 2
    with pytest.raises(DBusError, match="There is no episode"):
        calls(session, asked=Screen(there=False)).OpenUri("https://a.example/feed")
