"""The built-in podcast holds what its feed promises."""

import json
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from player.artwork.image_fetcher import ImageFetcher
from player.artwork.maker import CoverMaker
from player.artwork.picture import Form, Shape
from player.feeds.welcome_podcast import unpack_welcome
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.net.loop import NetworkLoop
from player.text.durations import parse_time
from player.welcome import resource

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
PODCAST = "{https://podcastindex.org/namespace/1.0}"
PREFIX = "earmark:welcome/"


def items() -> list[ElementTree.Element]:
    return ElementTree.fromstring(resource("feed.xml")).findall("channel/item")


def child(item: ElementTree.Element, tag: str) -> ElementTree.Element:
    found = item.find(tag)
    assert found is not None
    return found


def text(item: ElementTree.Element, tag: str) -> str:
    return child(item, tag).text or ""


def named(address: str) -> bytes:
    assert address.startswith(PREFIX)
    return resource(address.removeprefix(PREFIX))


def opus_seconds(data: bytes) -> float:
    """RFC 7845: the last page's granule position less the pre-skip, at 48 kHz."""
    preskip = int.from_bytes(data[data.index(b"OpusHead") + 10 :][:2], "little")
    granule = int.from_bytes(data[data.rindex(b"OggS") + 6 :][:8], "little")
    return (granule - preskip) / 48000


def transcript_times(item: ElementTree.Element) -> list[tuple[float, float]]:
    vtt = named(child(item, f"{PODCAST}transcript").attrib["url"]).decode()
    assert vtt.startswith("WEBVTT\n")
    found = re.findall(r"^(\S+) --> (\S+)$", vtt, re.MULTILINE)
    return [(parse_time(start) / 1000, parse_time(end) / 1000) for start, end in found]


def test_three_episodes_stand_newest_first_in_reading_order() -> None:
    assert [text(item, "title")[0] for item in items()] == ["1", "2", "3"]
    dates = [re.search(r"\d\d Jan 2026", text(item, "pubDate")) for item in items()]
    assert [date and date[0] for date in dates] == ["03 Jan 2026", "02 Jan 2026", "01 Jan 2026"]


def test_episodes_are_short_and_together_under_400_kB() -> None:
    sizes = []
    for item in items():
        enclosure = child(item, "enclosure").attrib
        audio = named(enclosure["url"])
        sizes.append(len(audio))
        assert int(enclosure["length"]) == len(audio)
        assert enclosure["type"] == "audio/ogg"
        assert opus_seconds(audio) == pytest.approx(int(text(item, f"{ITUNES}duration")), abs=0.005)
        assert opus_seconds(audio) < 60
    assert sum(sizes) <= 400_000


def test_chapters_and_transcripts_lie_within_the_episode() -> None:
    for item in items():
        seconds = int(text(item, f"{ITUNES}duration"))
        chapters = json.loads(named(child(item, f"{PODCAST}chapters").attrib["url"]))
        assert chapters["version"] == "1.2.0"
        starts = [chapter["startTime"] for chapter in chapters["chapters"]]
        assert starts == sorted(starts)
        assert starts[0] == 0
        assert starts[-1] < seconds
        cues = transcript_times(item)
        assert all(start < end <= next_start for (start, end), (next_start, _) in pairwise(cues))
        assert cues[-1][1] < seconds


def test_notes_name_the_chapters_times_and_have_no_gaps_left_open() -> None:
    for item in items():
        notes = text(item, f"{CONTENT}encoded")
        assert "{" not in notes
        chapters = json.loads(named(child(item, f"{PODCAST}chapters").attrib["url"]))["chapters"]
        for chapter in chapters:
            start = int(chapter["startTime"])
            assert f"<li>{start // 60}:{start % 60:02} {chapter['title']}</li>" in notes
        for kind in ("<h2>", "<ul>", "<a href=", "<code>"):
            assert kind in notes


@pytest.mark.parametrize(
    "name", ["", "nothing.opus", "../__init__.py", "__init__.py", "/etc/passwd", "..", "a/feed.xml"]
)
def test_only_the_shows_own_files_are_given_out(name: str) -> None:
    with pytest.raises(FileNotFoundError):
        resource(name)


# -- the cover ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", Form)
def test_the_cover_is_small_and_drawn_on_every_terminal(library: Library, tmp_path: Path, form: Form) -> None:
    unpack_welcome(library)
    podcast = library.podcasts.find("Welcome to Earmark")
    assert len(named(podcast.image_url)) < 20_000
    maker = CoverMaker(tmp_path, lambda: ImageFetcher(NetworkLoop(1, 1), lambda _url: None))
    picture = maker.picture(podcast.image_url, podcast.url, Shape(12, 6, form, 10, 20, 64))
    maker.close()
    colours = {picture.quarters[at : at + 3] for at in range(0, len(picture.quarters), 3)}
    assert len(colours) > 3
    assert bool(picture.sixels) is (form is Form.SIXEL)
    assert bool(picture.png) is (form is Form.KITTY)


# -- one after the other --------------------------------------------------------------------------------------


def test_the_episodes_follow_each_other(library: Library) -> None:
    unpack_welcome(library)
    podcast = library.podcasts.find("Welcome to Earmark")
    view = View.of(ViewName.PODCAST, podcast.id)
    first, second, third = (EpisodeId(one) for one in library.listing(view).page(0, 9))
    assert library.continued.newest_first(view)
    assert library.continued.next_of(view, first, newest_first=True) == second
    assert library.continued.next_of(view, second, newest_first=True) == third
    assert library.continued.next_of(view, third, newest_first=True) is None
