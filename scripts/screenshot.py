"""Makes the pictures of the README, earmark-dark.svg and earmark-light.svg, from the running app: in docs, or in the
folder that is given.

The app runs without terminal, sound or network, on a library of its own in a temporary folder. The pictures depend on
nothing but the code, so they change only when the app looks different.
"""

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path
from time import monotonic, tzset
from typing import Any

from msgspec.structs import replace

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.pop("NO_COLOR", None)
os.environ["COLORTERM"] = "truecolor"
os.environ["TZ"] = "UTC"
tzset()

from textual.pilot import Pilot  # noqa: E402

from player.events import PlaybackChanged  # noqa: E402
from player.library import Library  # noqa: E402
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

PICTURES = {"ink": "earmark-dark.svg", "paper": "earmark-light.svg"}
SIZE = (140, 40)
FONTS = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
EPISODE = "Inductor - Post-grad FX passes"


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    target.mkdir(exist_ok=True)
    for theme, name in PICTURES.items():
        with tempfile.TemporaryDirectory() as home:
            svg = asyncio.run(picture(Paths.of({"EARMARK_HOME": home}), theme))
        (target / name).write_text(svg, encoding="utf-8")
        print(target / name)


async def picture(paths: Paths, theme: str) -> str:
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
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: player.session.status.episode is not None)
            await until(pilot, lambda: "Timestamps" in app.export_screenshot())
            await until(pilot, lambda: "Chapters" in app.export_screenshot())
            player.services.session = Still(player.session)  # type: ignore[assignment]
            player.bus.publish(PlaybackChanged(player.session.status))
            await until(pilot, lambda: "▶" in app.export_screenshot())
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
            library.podcasts.remove(podcasts[title])
        library.podcasts.unchanged(podcasts["CoRecursive"], FeedState())
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


def standalone(svg: str) -> str:
    """The picture without fonts from elsewhere, and with its spaces wherever it is shown."""
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;]*;", f"font-family: {FONTS};", svg)
    svg = svg.replace("<text ", '<text xml:space="preserve" ')
    return re.sub(r"[ \t]+\n", "\n", svg)


if __name__ == "__main__":
    main()
