"""Overcast's extended OPML, as its website makes it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.errors import TransferError
from player.model.filters import Order
from player.model.foreign import ForeignEpisode, ForeignList, SavedAt
from player.transfer.load import load
from player.transfer.overcast import OvercastReader

FILE = """<?xml version="1.0" encoding="utf-8"?>
<opml version="1.0">
<head><title>Overcast Podcast Subscriptions</title></head>
<body>
<outline text="playlists">
  <outline type="podcast-playlist" title="Queue" smart="0" sorting="manual" includePodcastIds="101,202"/>
</outline>
<outline text="feeds">
  <outline type="rss" overcastId="101" text="Rain" title="Rain" xmlUrl="https://example.org/rain.xml"
    htmlUrl="https://example.org" overcastAddedDate="2020-01-01T00:00:00-05:00" notifications="0" subscribed="1">
    <outline type="podcast-episode" overcastId="1001" pubDate="2020-02-01T07:00:00-05:00" title="Rain 1"
      url="https://example.org/1" overcastUrl="https://overcast.fm/+a" enclosureUrl="https://cdn.example.org/1.mp3?a=1"
      userUpdatedDate="2020-02-03T10:11:12-05:00" userDeleted="1" played="1"/>
    <outline type="podcast-episode" overcastId="1002" pubDate="Sat, 08 Feb 2020 12:00:00 GMT" title="Rain 2"
      enclosureUrl="https://cdn.example.org/2.mp3" userUpdatedDate="2020-02-09T00:00:00Z" progress="754"/>
    <outline type="podcast-episode" overcastId="1003" title="Rain 3" enclosureUrl="https://cdn.example.org/3.mp3"
      userRecommendedDate="2020-02-10T00:00:00Z"/>
    <outline type="podcast-episode" overcastId="1004" title="Rain 4" enclosureUrl="https://cdn.example.org/4.mp3"
      userDeleted="1" userUpdatedDate="2020-02-10T00:00:00Z"/>
  </outline>
  <outline type="rss" overcastId="202" text="Wind" title="Wind" xmlUrl="https://example.org/wind.xml" subscribed="0"/>
</outline>
</body>
</opml>
"""


def test_what_overcast_knows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "whatever.txt"
    path.write_text(FILE)
    found = load(path)
    assert found.app == "Overcast"
    rain, wind = found.podcasts
    assert (rain.url, rain.title, rain.subscribed) == ("https://example.org/rain.xml", "Rain", True)
    assert (wind.url, wind.subscribed, wind.episodes) == ("https://example.org/wind.xml", False, ())
    assert rain.episodes == (
        ForeignEpisode(
            url="https://cdn.example.org/1.mp3?a=1",
            title="Rain 1",
            published=datetime(2020, 2, 1, 12, tzinfo=UTC),
            played=True,
            changed_at=datetime(2020, 2, 3, 15, 11, 12, tzinfo=UTC),
        ),
        ForeignEpisode(
            url="https://cdn.example.org/2.mp3",
            title="Rain 2",
            published=datetime(2020, 2, 8, 12, tzinfo=UTC),
            position=SavedAt(754_000),
            changed_at=datetime(2020, 2, 9, tzinfo=UTC),
        ),
        ForeignEpisode(url="https://cdn.example.org/3.mp3", title="Rain 3", starred=True),
    )
    assert found.left_out == ()
    assert found.lists == (ForeignList("Queue", True, ("https://example.org/rain.xml",), order=Order.OLDEST),)


def test_playlists_become_smart_lists_and_playlists(tmp_path: Path) -> None:
    def playlist(title: str, **attributes: str) -> str:
        written = " ".join(f'{name}="{value}"' for name, value in attributes.items())
        return f'<outline type="podcast-playlist" title="{title}" {written}/>'

    playlists = (
        playlist("All", smart="1", sorting="reverse-chronological"),
        playlist("But one", smart="1", sorting="chronological-by-podcast", excludePodcastIds="303"),
        playlist("Some", smart="1", sorting="chronological", includePodcastIds="303, 101", priorityPodcastIds="101",
                 includeEpisodeIds="1004"),
        playlist("By hand", smart="0", sorting="manual", sortedEpisodeIds="1004,3001,9999,1001"),
        playlist("By date", smart="0", sorting="chronological", includeEpisodeIds="1002"),
        playlist("Nothing", smart="0", sorting="manual"),
        playlist("Gone", smart="1", sorting="chronological", includePodcastIds="202,9"),
    )  # fmt: skip
    start, _old, end = FILE.partition(FILE[FILE.index('  <outline type="podcast-playlist') : FILE.index("</outline>")])
    fog = (
        '<outline type="rss" overcastId="303" title="Fog" xmlUrl="https://example.org/fog.xml" subscribed="1">'
        '<outline type="podcast-episode" overcastId="3001" title="Fog 1" enclosureUrl="https://cdn.example.org/f.mp3"/>'
        '</outline><outline type="rss" overcastId="202"'
    )
    (tmp_path / "x").write_text(start + "".join(playlists) + end.replace('<outline type="rss" overcastId="202"', fog))
    found = load(tmp_path / "x")
    rain, fog_feed = "https://example.org/rain.xml", "https://example.org/fog.xml"
    assert [(one.title, one.is_smart, one.feeds, one.order) for one in found.lists] == [
        ("All", True, (), Order.NEWEST),
        ("But one", True, (rain,), Order.OLDEST),
        ("Some", True, (fog_feed, rain), Order.OLDEST),
        ("By hand", False, (), ""),
        ("By date", False, (), Order.OLDEST),
    ]
    by_hand, by_date = found.lists[3:]
    assert [(feed, one.title, one.url) for feed, one in by_hand.episodes] == [
        (rain, "Rain 4", "https://cdn.example.org/4.mp3"),
        (fog_feed, "Fog 1", "https://cdn.example.org/f.mp3"),
        (rain, "Rain 1", "https://cdn.example.org/1.mp3?a=1"),
    ]
    assert not any(one.played for _feed, one in by_hand.episodes), "what names it is enough"
    assert [one.title for _feed, one in by_date.episodes] == ["Rain 2"]
    assert len(found.podcasts[0].episodes) == 3, "those in lists aren't marked for that"
    assert found.left_out == (
        "1 smart playlist comes without its priorities.",
        "1 smart playlist, sorted by podcast in Overcast, is sorted by date alone.",
        "1 smart playlist comes without the episodes that were put there by hand.",
        "1 smart playlist without a podcast that you subscribed to isn't imported.",
        "For 1 episode of a playlist, the file has only a number.",
        "1 empty playlist isn't imported.",
    )


@pytest.mark.parametrize(("until", "episodes"), [("Rain 1", 0), ("Rain 2", 1), ("Rain 3", 2), ("Wind", 3)])
def test_half_a_file_gives_what_it_has(tmp_path: Path, until: str, episodes: int) -> None:
    (tmp_path / "x").write_text(FILE[: FILE.index(until)])
    (rain, *_rest) = load(tmp_path / "x").podcasts
    assert rain.url == "https://example.org/rain.xml"
    assert len(rain.episodes) == episodes


def test_the_plain_list_of_overcast_is_a_list(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(
        '<opml version="1.0"><head><title>Overcast Podcast Subscriptions</title></head><body><outline text="feeds">'
        '<outline type="rss" text="Rain" title="Rain" xmlUrl="https://example.org/rain.xml"/></outline></body></opml>'
    )
    (rain,) = load(tmp_path / "x").podcasts
    assert (rain.title, rain.tags, rain.subscribed) == ("Rain", (), True)


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    bomb = (
        f'<!DOCTYPE o [<!ENTITY s SYSTEM "file://{tmp_path}/secret"><!ENTITY a "{"x" * 1000}">'
        f'<!ENTITY b "{"&a;" * 1000}"><!ENTITY c "{"&b;" * 1000}">]>'
    )
    text = FILE.replace('<opml version="1.0">', f'{bomb}<opml version="1.0">').replace('"Rain 1"', '"&c;"')
    (tmp_path / "x").write_text(text.replace('"Rain 2"', '"&s;"'))
    try:
        found = load(tmp_path / "x")
    except TransferError:
        return
    assert all(len(one.title) < 600 and "secret" not in one.title for each in found.podcasts for one in each.episodes)


ODD = st.sampled_from(
    ["", "x", "-1", "1e400", "9" * 400, "NaN", "\x7f", "&#27;[31m", "2020-13-45", "0001-01-01", "true"]
)


@given(st.lists(ODD, min_size=7, max_size=7))
def test_whatever_the_attributes_say(tmp_path_factory: pytest.TempPathFactory, values: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "overcast.opml"
    names = ("enclosureUrl", "title", "pubDate", "played", "progress", "userUpdatedDate", "userRecommendedDate")
    attributes = " ".join(f'{name}="{value}"' for name, value in zip(names, values, strict=True))
    path.write_text(
        '<opml><body><outline type="rss" overcastId="1" xmlUrl="https://example.org/f">'
        f'<outline type="podcast-episode" {attributes}/></outline></body></opml>'
    )
    assert OvercastReader().recognises(path, path.read_bytes())
    (podcast,) = load(path).podcasts
    assert all("\x1b" not in one.title for one in podcast.episodes)
    assert all(one.position is None or 0 < one.position.position_ms <= 10**9 for one in podcast.episodes)
