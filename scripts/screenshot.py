"""Makes the pictures of the README, at three sizes, from the running app: in docs, or in the folder that is given.

The app runs without terminal, sound or network, on a library of its own in a temporary folder. The pictures depend on
nothing but the code, so they change only when the app looks different.
"""

import asyncio
import os
import re
import sys
import tempfile
from datetime import UTC, datetime
from math import sin
from pathlib import Path
from time import monotonic, tzset
from typing import Any

from msgspec.structs import replace

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
os.environ.pop("NO_COLOR", None)
os.environ["COLORTERM"] = "truecolor"
os.environ["TZ"] = "UTC"
tzset()

from covers import give_covers  # noqa: E402
from textual.pilot import Pilot  # noqa: E402

from player.events import PlaybackChanged  # noqa: E402
from player.library import Library  # noqa: E402
from player.measuring.kinds.waveform import Waveform  # noqa: E402
from player.model.episode import EpisodeId  # noqa: E402
from player.model.feed import FeedState  # noqa: E402
from player.model.filters import View, ViewName  # noqa: E402
from player.model.playback import PlaybackState  # noqa: E402
from player.paths import Paths  # noqa: E402
from player.player import Player  # noqa: E402
from player.settings import Appearance, Feeds, Playback, Settings  # noqa: E402
from tests.tui.shelf import TODAY, stock  # noqa: E402
from tui.app import EarmarkApp  # noqa: E402
from tui.chosen import write_view  # noqa: E402
from tui.widgets.cover import CoverFace  # noqa: E402
from tui.widgets.player_bar import PlayerBar  # noqa: E402

PICTURES = (
    ("earmark-dark.svg", "ink", (140, 40)),
    ("earmark-light.svg", "paper", (100, 30)),
    ("earmark-narrow.svg", "ink", (50, 18)),
)
"""The name of each, its theme, and its columns and rows."""
THREE_PANES = 120
"""With fewer columns the notes aren't beside the list."""
FONTS = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
NOW = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
EPISODE = "Inductor - Post-grad FX passes"


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    target.mkdir(exist_ok=True)
    for name, theme, size in PICTURES:
        with tempfile.TemporaryDirectory() as home:
            svg = asyncio.run(picture(Paths.of({"EARMARK_HOME": home}), theme, size))
        (target / name).write_text(svg, encoding="utf-8")
        print(target / name)


async def picture(paths: Paths, theme: str, size: tuple[int, int]) -> str:
    """The app as it stands with an episode playing."""
    fill(paths)
    settings = Settings(
        playback=Playback(engine="silent"),
        appearance=Appearance(theme=theme),
        feeds=Feeds(refresh_on_start=False, refresh_minutes=0),
    )
    player = Player(paths, settings)
    player.open()
    try:
        app = EarmarkApp(player, today=lambda: TODAY)
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: player.session.status.episode is not None)
            for words in ("Timestamps", "Chapters") if size[0] >= THREE_PANES else ():
                await until(pilot, lambda words=words: words in app.export_screenshot())  # type: ignore[misc]
            player.services.session = Still(player.session)  # type: ignore[assignment]
            player.bus.publish(PlaybackChanged(player.session.status))
            await until(pilot, lambda: "▶" in app.export_screenshot())
            bar = app.screen.query_one(PlayerBar)
            bar.now = lambda: NOW  # type: ignore[method-assign]
            bar.show_wave(voice())
            await pilot.pause()
            await until(pilot, lambda: all(face.picture for face in faces(app)))
            return standalone(app.export_screenshot(title="Earmark"))
    finally:
        player.close()


class Still:
    """A session amid playing, that doesn't move while the picture is taken; there are no bytes to play."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.status = replace(
            session.status,
            state=PlaybackState.PLAYING,
            approximate=False,
            cached=((0.0, 0.68),),
            speed=1.5,
            measured_at=monotonic() + 3600,
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


def fill(paths: Paths) -> None:
    """The library of the snapshot tests, without what is there only to be awkward."""
    library = Library(paths)
    library.open()
    try:
        podcasts = stock(library)
        for title in ("Signs & scripts", "Unplugged Radio"):
            library.podcasts.remove(podcasts.pop(title))
        library.podcasts.unchanged(podcasts["CoRecursive"], FeedState())
        give_covers(library, podcasts, paths)
        query = View.of(ViewName.PODCAST, podcasts["PyTorch Developer Podcast"])
        found = (row for row in library.episodes.rows([EpisodeId(one) for one in library.episodes.ids(query)]))
        episode = next(row for row in found if row.title == EPISODE)
        library.state.set("screen", write_view(query, episode.id))
    finally:
        library.close()


async def until(pilot: Pilot[int], condition: object, seconds: float = 20) -> None:
    """Lets the app work until `condition()` holds."""
    assert callable(condition)
    end = monotonic() + seconds
    while not condition():
        if monotonic() > end:
            raise TimeoutError("the app didn't come to what the picture shows")
        await pilot.pause(0.02)


def voice() -> Waveform:
    """How loud somebody is who speaks in sentences."""
    return Waveform(1_000, bytes(int(40 + 90 * abs(sin(at * 0.37)) + 80 * abs(sin(at * 0.061))) for at in range(1_440)))


def faces(app: EarmarkApp) -> list[CoverFace]:
    """The covers on the screen."""
    shown = (widget for widget in app.screen.walk_children() if widget.is_on_screen)
    found = (one for widget in shown for one in vars(widget).values() if isinstance(one, CoverFace))
    return [face for face in found if face.columns and face.art]


def standalone(svg: str) -> str:
    """The picture without fonts from elsewhere, and with its spaces wherever it is shown."""
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;]*;", f"font-family: {FONTS};", svg)
    svg = svg.replace("<text ", '<text xml:space="preserve" ')
    return re.sub(r"[ \t]+\n", "\n", svg)


if __name__ == "__main__":
    main()
