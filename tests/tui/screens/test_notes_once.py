"""The notes of an episode are parsed once: for its page, its links, and the chapters that stand in them."""

from collections import Counter
from collections.abc import Iterator

import pytest

from player.model.filters import View, ViewName
from player.notes import Block, parse
from player.paths import Paths
from player.player import Player
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.sounds import mp3
from tests.tui.stage import QUIET, opened
from tui.chosen import write_view

LISTED = "".join(f"<p>{minute}:00 Of <b>minute</b> {minute}</p>" for minute in range(1, 10))
LINK = "<a href='https://a.example'>A</a>"
NOTES = {
    "short": f"<p>Short</p>{LISTED}{LINK}",
    "longer than a screen": f"<p>Longer</p>{LISTED}{LINK}{'<p>And so on, and on.</p>' * 500}",
    "very long": f"<p>Very long</p>{LISTED}{LINK}{'<p>And so on, and on.</p>' * 4_000}",
}


@pytest.mark.parametrize(
    "notes",
    [
        pytest.param(notes, id=kind, marks=pytest.mark.long if kind == "very long" else ())
        for kind, notes in NOTES.items()
    ],
)
async def test_notes_are_parsed_once_for_the_page_the_links_and_the_chapters(
    paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, notes: str
) -> None:
    parses: Counter[str] = Counter()
    read = parse.read_in_parts

    def counting(text: str, *how: int) -> Iterator[list[Block]]:
        parses[text] += 1
        return read(text, *how)

    monkeypatch.setattr("player.notes.parse.read_in_parts", counting)
    player = Player(paths, QUIET)
    player.open()
    podcast = player.library.podcasts.add(URL, "A show")
    others = [episode(number) for number in range(3)]
    apply_feed(player.library, podcast, *others, episode(3, notes=notes, url=server.audio("/a", mp3(60))))
    player.library.state.set("screen", write_view(View.of(ViewName.PODCAST, podcast.id), None))
    player.close()
    player = Player(paths, QUIET)  # a new library would open at the built-in podcast
    player.open()
    async with opened(player) as stage:
        await stage.press("G")
        await stage.until(lambda: stage.filled, "the page")
        await stage.press("v", "2", "4", "o", "escape", "1", "escape", "o", "escape", "Y", "enter")
        await stage.until(lambda: stage.player.session.chapters.listed, "its chapters while it plays")
        firsts = {text[:20]: count for text, count in parses.items() if text.startswith(notes[:12])}
        assert firsts == {notes[:20]: 1}
