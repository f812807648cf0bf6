"""Notifications reach the terminal that Earmark runs in."""

import threading
from pathlib import Path

import pytest
from textual import events

from player.events import Cause, EpisodeStarted, PlaybackChanged
from player.integrations.notification import Kind, Notification
from player.model.filters import View
from player.model.playback import PlaybackStatus
from player.paths import Paths
from player.player import Player
from player.settings import Appearance, Feeds, Notifications, Playback, Settings
from tests.tui.alone import until
from tui.app import EarmarkApp
from tui.terminal.notifications import Terminal


@pytest.mark.parametrize(
    ("environ", "shown", "written"),
    [
        ({"TERM": "foot"}, True, "\x1b]777;notify;A <b>title;a & b\x1b\\"),
        ({"TERM": "xterm", "DISPLAY": ":0"}, False, ""),
    ],
)
def test_a_terminal_that_is_known_shows_them(environ: dict[str, str], shown: bool, written: str) -> None:
    texts: list[str] = []
    assert Terminal(environ, texts.append).show(Notification(Kind.NEXT, "A <b>title", "a & b")) is shown
    assert "".join(texts) == written


TMUX = """#!/bin/sh
[ "$*" = "display-message -p #{allow-passthrough} #{client_termname}" ] && echo "%s"
"""


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ("on xterm-kitty", "\x1bPtmux;\x1b\x1b]99;"),
        ("0 xterm-kitty", ""),
        (" xterm-kitty", ""),
        ("on xterm-256color", ""),
    ],
)
def test_tmux_hands_on_what_it_may(answer: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmux").write_text(TMUX % answer)
    (tmp_path / "tmux").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    texts: list[str] = []
    in_tmux = Terminal({"TMUX": "/tmp/x,1,0", "TERM": "tmux-256color"}, texts.append)
    assert in_tmux.show(Notification(Kind.NEXT, "A title", "")) is bool(written)
    assert [text.startswith(written) for text in texts] == ([True] if written else [])


async def test_out_of_focus_the_terminal_of_the_app_gets_it(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In focus the same event is told by the screen alone; and the title is left alone where that is set."""
    monkeypatch.setenv("TERM", "foot")
    for name in ("TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    settings = Settings(
        playback=Playback(engine="silent"),
        feeds=Feeds(refresh_on_start=False, refresh_minutes=0),
        notifications=Notifications(next=True),
        appearance=Appearance(title=False),
    )
    player = Player(Paths.of(), settings)
    player.open()
    written: list[str] = []
    monkeypatch.setattr(EarmarkApp, "_write_out", lambda _app, text: written.append(text))
    app = EarmarkApp(player)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: any(lane._name == "notifications" for lane in player.bus._lanes))
            (lane,) = (lane for lane in player.bus._lanes if lane._name == "notifications")
            (one, *_rest) = player.library.episodes.rows(player.library.episodes.ids(View()))
            player.bus.publish(EpisodeStarted(one.id, 0, Cause.RULE))
            heard = threading.Event()
            lane.put(heard.set)
            player.bus.publish(PlaybackChanged(PlaybackStatus()))
            await until(pilot, heard.is_set)
            app.post_message(events.AppBlur())
            await until(pilot, lambda: not app.app_focus)
            assert written == []
            player.bus.publish(EpisodeStarted(one.id, 0, Cause.RULE))
            await until(pilot, lambda: written)
    finally:
        player.close()
    assert written == [f"\x1b]777;notify;Now playing;{one.title} · {one.podcast}\x1b\\"]
