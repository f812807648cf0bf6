"""Makes the pictures of the README and of the documentation from the running app: in docs, or in the folder given.

The app runs without terminal or sound, on a library of its own in a temporary folder, and asks only servers on
127.0.0.1. The pictures depend on nothing but the code, so they change only when the app looks different; then
`make screenshot` makes them again.
"""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from math import sin
from pathlib import Path
from time import monotonic, tzset
from typing import Any
from unittest.mock import patch

from msgspec import Struct
from msgspec.structs import replace

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from covers import give_covers  # noqa: E402

from player.events import PlaybackChanged  # noqa: E402
from player.feeds.welcome_podcast import unpack_welcome  # noqa: E402
from player.library import Attachment, AttachmentKind, Library  # noqa: E402
from player.library.attachments import GIVEN  # noqa: E402
from player.measuring.kinds.waveform import Waveform  # noqa: E402
from player.model.episode import Episode, EpisodeId  # noqa: E402
from player.model.feed import FeedState  # noqa: E402
from player.model.filters import View, ViewName  # noqa: E402
from player.model.playback import PlaybackState, Severity  # noqa: E402
from player.model.podcast import PodcastId  # noqa: E402
from player.model.segments import Segment, SegmentId, SegmentKind  # noqa: E402
from player.paths import Paths  # noqa: E402
from player.player import Player  # noqa: E402
from tests.directories import APPLE, Directories, apple_answer, apple_podcast  # noqa: E402
from tests.loopback import LoopbackServer  # noqa: E402
from tests.player.library.foreign import files  # noqa: E402
from tests.tui.shelf import episodes_of, stock  # noqa: E402
from tests.tui.stage import QUIET, Stage, opened  # noqa: E402
from tui.chosen import write_view  # noqa: E402
from tui.controllers.lists.queue import QueueHeading  # noqa: E402
from tui.widgets import player_bar  # noqa: E402
from tui.widgets.cover import CoverFace  # noqa: E402
from tui.widgets.player_bar import PlayerBar  # noqa: E402

THREE_PANES = 120
"""With fewer columns the notes aren't beside the list."""
FONTS = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
NOW = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
EPISODE = "Inductor - Post-grad FX passes"
SHOW = "PyTorch Developer Podcast"
SAID = (
    "So today I want to talk about the passes that run after the graph has been split.",
    "And why do you need another set of passes there?",
    "Because at that point everything is functional: there are no mutations left, but for a few at the end.",
    "Right. You can match a pattern and replace it, and nobody else holds on to that tensor.",
    "What happens when two patterns match?",
    "The one that was registered first wins, so the order of your passes matters.",
    "And memory? The partitioner wants to save as little as it can for the backward pass.",
    "That is the next episode. Recomputing is often cheaper than reading it back.",
)


class Picture(Struct, frozen=True):
    """`show` brings the app from the main screen to what the picture shows; `new`: the library of a first start."""

    name: str
    size: tuple[int, int]
    show: Callable[[Stage], Awaitable[object]]
    theme: str = "ink"
    new: bool = False


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    target.mkdir(exist_ok=True)
    for picture in PICTURES:
        (target / picture.name).write_text(drawn(picture), encoding="utf-8")
        print(target / picture.name)


def drawn(picture: Picture) -> str:
    """The picture, as SVG."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as home, ExitStack() as after:
        after.callback(lambda: (os.environ.clear(), os.environ.update(before), tzset()))
        os.environ.pop("NO_COLOR", None)
        os.environ |= {"EARMARK_HOME": home, "HOME": home, "COLORTERM": "truecolor", "TZ": "UTC", "LANG": "C.UTF-8"}
        tzset()
        for clock in (PlayerBar, QueueHeading):
            after.enter_context(patch.object(clock, "now", staticmethod(lambda: NOW)))
        # News stay, however long the machine takes to draw the picture.
        after.enter_context(patch.object(player_bar, "_NEWS_S", 3600))
        after.enter_context(patch.dict("tui.widgets.footer._FLASH_S", dict.fromkeys(Severity, 3600)))
        server = after.enter_context(LoopbackServer())
        return asyncio.run(_drawn(picture, server))


async def _drawn(picture: Picture, server: LoopbackServer) -> str:
    fill(Paths.of(), new=picture.new)
    appearance = replace(QUIET.appearance, theme=picture.theme)
    player = Player(Paths.of(), replace(QUIET, appearance=appearance, directories=_directories(server)))
    player.open()
    async with opened(player, picture.size, drawn=True) as stage:
        await picture.show(stage)
        await stage.until(lambda: all(face.picture for face in faces(stage)), "the covers")
        return standalone(stage.app.export_screenshot(title="Earmark"))


def fill(paths: Paths, *, new: bool = False) -> None:
    """The library of the snapshot tests, without what is there only to be awkward; `new`: as it is at a first start."""
    library = Library(paths)
    library.open()
    try:
        if new:
            unpack_welcome(library)
            return
        podcasts = stock(library)
        for title in ("Signs & scripts", "Unplugged Radio"):
            library.podcasts.remove(podcasts.pop(title))
        library.podcasts.unchanged(podcasts["CoRecursive"], FeedState())
        give_covers(library, podcasts, paths)
        query = View.of(ViewName.PODCAST, podcasts[SHOW])
        rows = {row.title: row for row in episodes_of(library, podcasts[SHOW])}
        for at, title in enumerate((EPISODE, "Min-cut partitioner", "AOTInductor")):
            _transcribe(library, rows[title], at)
        library.search.catch_up()
        library.state.set("screen", write_view(query, rows[EPISODE].id))
    finally:
        library.close()


def _transcribe(library: Library, episode: Episode, first: int) -> None:
    """What two people say in the minutes before and after the position at which the pictures are."""
    cues = "".join(
        f"00:{at // 60:02}:{at % 60:02}.000 --> 00:{(at + 6) // 60:02}:{(at + 6) % 60:02}.000\n"
        f"<v {('Edward', 'Horace')[at // 6 % 2]}>{SAID[(first + at // 6) % len(SAID)]}\n\n"
        for at in range(444, 600, 6)
    )
    one = Attachment(AttachmentKind.TRANSCRIPT, f"{GIVEN}en", f"WEBVTT\n\n{cues}".encode(), "text/vtt", "en")
    library.attachments.put(episode.id, one, NOW)


def _directories(server: LoopbackServer) -> Any:
    world = Directories(server)
    found = ("Machine Learning Street Talk", "Practical AI", "The TWIML AI Podcast", "Gradient Dissent", "Data Skeptic")
    known = [
        apple_podcast(at, title, f"https://feeds.example.com/{at}", trackCount=340 - 60 * at, artistName="")
        for at, title in enumerate(found)
    ]
    world.says(f"{APPLE}/search", apple_answer(*known))
    return replace(world.settings, ask=("apple",))


# -- what they show --------------------------------------------------------------------------------------------


class Still:
    """A session amid playing, that doesn't move while the picture is taken; there are no bytes to play."""

    def __init__(self, session: Any, **more: Any) -> None:
        self._session = session
        self.status = replace(
            session.status,
            state=PlaybackState.PLAYING,
            approximate=False,
            cached=((0.0, 0.68),),
            measured_at=monotonic() + 3600,
            **more,
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


async def playing(stage: Stage, **more: Any) -> None:
    """An episode amid playing."""
    await stage.until(lambda: stage.player.session.status.episode is not None, "the episode")
    if stage.app.size.width >= THREE_PANES:
        await stage.until(lambda: stage.shows("Timestamps") and stage.shows("Chapters"), "the notes")
    stage.player.services.session = Still(stage.player.session, **more)  # type: ignore[assignment]
    stage.player.bus.publish(PlaybackChanged(stage.player.session.status))
    await stage.until(lambda: stage.shows("▶"), "what plays")
    bar = stage.app.screen.query_one(PlayerBar)
    bar.show_wave(voice())
    await stage.pilot.pause()


async def overview(stage: Stage) -> None:
    await playing(stage, speed=1.5)


async def first_start(stage: Stage) -> None:
    await stage.until(lambda: stage.shows("enter play"), "the keys")


async def find(stage: Stage) -> None:
    await stage.press("a")
    await stage.write("machine learning")
    await stage.press("enter")
    await stage.until(lambda: stage.shows("Practical AI"), "what Apple knows")
    await stage.press("down")


async def new(stage: Stage) -> None:
    library = stage.library
    library.inbox.remove([EpisodeId(one) for one in library.inbox.ids()])
    for show, count in (("Oxide and Friends", 2), ("CoRecursive", 2), (SHOW, 3), ("Changelog", 2)):
        rows = episodes_of(library, library.podcasts.find(show).id)
        library.inbox.add([row.id for row in rows[:count]])
    await stage.press("h", "g", "l", "e", "e")
    await stage.until(lambda: stage.news.startswith("Queued"), "the news")


async def queue(stage: Stage) -> None:
    await stage.press("g", *"jejEjejje")
    await stage.press(*stage.way_to(ViewName.QUEUE), "l", "j", "J")
    await stage.until(lambda: stage.shows("left · ends"), "the queue")


async def said(stage: Stage) -> None:
    await stage.press("ctrl+f")
    await stage.write('said:"no mutations left"')
    await stage.until(lambda: stage.shows("7:") and not stage.shows("being read"), "what was said")


async def sponsor(stage: Stage) -> None:
    position = stage.player.session.status.position_ms
    episode = stage.player.session.status.episode
    assert episode is not None
    start = position + 10_000
    kind = SegmentKind.SPONSOR
    one = Segment(SegmentId(3), PodcastId(episode.podcast_id), episode.id, start, start + 34_000, kind, NOW, found=True)
    await playing(stage, asked=one)


async def captions(stage: Stage) -> None:
    await playing(stage)
    await stage.press("w")
    await stage.until(lambda: stage.shows("Horace"), "the words")


async def coming(stage: Stage) -> None:
    stage.screen.act("import_podcasts")
    await stage.settle()
    await stage.write(f"~/{_antennapod(Path.home()).name}")
    await stage.press("enter")
    await stage.until(lambda: stage.shows("AntennaPod:"), "the preview")


def _antennapod(folder: Path) -> Path:
    shows = [f"Show {number}" for number in range(1, 42)]
    feeds = [{"id": at, "title": show, "download_url": f"https://s{at}.example/feed"} for at, show in enumerate(shows)]
    items = [
        {"id": at, "title": f"Episode {at}", "pubDate": 1_750_000_000_000, "read": at % 3 == 0, "feed": at % 41,
         "item_identifier": f"g{at}"} for at in range(1, 600)
    ]  # fmt: skip
    media = [
        {"feeditem": at, "download_url": f"https://show.example/{at}.mp3", "duration": 600_000,
         "position": 61_000 if at % 47 == 0 else 0, "last_played_time": 1_750_000_000_000} for at in range(1, 600)
    ]  # fmt: skip
    rows: files.Rows = {
        "Feeds": feeds,
        "FeedItems": items,
        "FeedMedia": media,
        "Queue": [{"id": at, "feeditem": at * 2 + 1, "feed": 1} for at in range(14)],
        "Favorites": [{"id": at, "feeditem": at * 5 + 1, "feed": 1} for at in range(23)],
    }
    return files.write(folder / "AntennaPodBackup-2026-11-20.db", files.ANTENNAPOD, rows, 3_110_000)


PICTURES = (
    Picture("earmark-dark.svg", (140, 40), overview),
    Picture("earmark-light.svg", (100, 30), overview, "paper"),
    Picture("earmark-narrow.svg", (50, 18), overview),
    Picture("first-start.svg", (80, 24), first_start, new=True),
    Picture("first-find.svg", (80, 24), find),
    Picture("first-new.svg", (80, 24), new),
    Picture("said.svg", (80, 24), said),
    Picture("sponsor.svg", (80, 24), sponsor),
    Picture("captions.svg", (80, 24), captions),
    Picture("queue.svg", (80, 24), queue),
    Picture("coming.svg", (80, 24), coming),
)


def voice() -> Waveform:
    """How loud somebody is who speaks in sentences."""
    return Waveform(1_000, bytes(int(40 + 90 * abs(sin(at * 0.37)) + 80 * abs(sin(at * 0.061))) for at in range(1_440)))


def faces(stage: Stage) -> list[CoverFace]:
    """The covers on the screen."""
    shown = (widget for widget in stage.app.screen.walk_children() if widget.is_on_screen)
    found = (one for widget in shown for one in vars(widget).values() if isinstance(one, CoverFace))
    return [face for face in found if face.columns and face.art]


# -- as text ---------------------------------------------------------------------------------------------------


def standalone(svg: str) -> str:
    """The picture without fonts from elsewhere, with its spaces wherever it is shown, and with names of its own for its
    styles, so that two pictures on one page don't dress each other."""
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;]*;", f"font-family: {FONTS};", svg)
    svg = svg.replace("<text ", '<text xml:space="preserve" ')
    return re.sub(r"[ \t]+\n", "\n", svg)


def words(svg: str) -> list[str]:
    """What a picture says, text by text."""
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


if __name__ == "__main__":
    main()
