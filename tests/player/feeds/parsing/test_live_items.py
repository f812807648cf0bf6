"""Live shows in feeds (`podcast:liveItem`), as both parsers read them."""

from datetime import UTC, datetime

import pytest

from player.feeds.parsing import rss as fast
from player.feeds.parsing import tolerant
from player.feeds.parsing.parse import read_feed
from player.links.addresses import RADIO_TYPE
from player.model.episode import LiveState, chat, content_links, discussions
from player.model.feed import LiveShow
from tests.player.feeds.parsing.making import item, rss

SHOW = """<podcast:liveItem status="live" start="2026-11-24T20:00:00.000-0600" end="2026-11-24T22:00:00.000-0600">
<title>Live &amp; loud</title><guid isPermaLink="false">live-7</guid><link>https://show.example/live</link>
<description>&lt;p&gt;Call in.&lt;/p&gt;</description><author>ada@show.example (Ada)</author>
<podcast:images srcset="https://show.example/300.jpg 300w"/>
<podcast:person href="https://show.example/ada">Ada</podcast:person>
<podcast:alternateEnclosure type="video/mp4" length="1" default="true">
<podcast:source uri="https://show.example/v.mp4"/></podcast:alternateEnclosure>
<enclosure url="https://stream.example/live.mp3?format=.mp3" type="audio/mpeg" length="312"/>
<podcast:contentLink href="https://show.example/watch">Watch it</podcast:contentLink>
<podcast:chat server="irc.example.org" protocol="irc" space="#show"/>
<podcast:socialInteract protocol="activitypub" uri="https://social.example/@show/7"/></podcast:liveItem>"""


def shows(*tags: str) -> tuple[LiveShow, ...]:
    return read_feed(
        rss(item(1), channel=f"<title>A show</title>{''.join(tags)}"), "", "https://show.example/feed"
    ).live


def test_a_live_show_has_what_an_episode_has_and_its_times() -> None:
    (show,) = shows(SHOW)
    begins = datetime(2026, 11, 25, 2, tzinfo=UTC)
    assert (show.state, show.starts_at, show.ends_at) == (LiveState.LIVE, begins, begins.replace(hour=4))
    episode = show.episode
    assert (episode.title, episode.guid, episode.link) == ("Live & loud", "live-7", "https://show.example/live")
    assert (episode.url, episode.media_type) == ("https://stream.example/live.mp3?format=.mp3", RADIO_TYPE)
    assert (episode.published, episode.notes) == (begins, "<p>Call in.</p>")
    assert chat(episode.extra) == "irc://irc.example.org/show"
    assert content_links(episode.extra) == (("https://show.example/watch", "Watch it"),)
    assert [one.url for one in discussions(episode.extra)] == ["https://social.example/@show/7"]
    assert episode.image_url == "https://show.example/300.jpg"
    assert episode == episode.signed()


def test_both_parsers_read_the_same_shows_and_none_of_them_is_an_episode() -> None:
    body = rss(item(1), channel=f"<title>A show</title>{SHOW}")
    one, other = fast.read(body, "https://show.example/feed"), tolerant.read(body, "https://show.example/feed")
    assert one.live == other.live
    assert len(one.episodes) == len(other.episodes) == 1


@pytest.mark.parametrize(
    "tag",
    [
        "<podcast:liveItem status='soon'><enclosure url='https://a.example/s' type='audio/mpeg'/></podcast:liveItem>",
        "<podcast:liveItem status='live'><title>No stream</title></podcast:liveItem>",
        "<podcast:liveItem status='live'><enclosure url='file:///etc/passwd' type='audio/mpeg'/></podcast:liveItem>",
        "<podcast:liveItem status='live'><enclosure url='https://a.example/' type='text/html'/></podcast:liveItem>",
        "<podcast:liveItem/>",
    ],
)
def test_a_show_without_a_state_or_a_stream_is_none(tag: str) -> None:
    assert shows(tag) == ()


def test_nonsense_times_are_unknown_and_a_feed_has_only_so_many_shows() -> None:
    stream = "<enclosure url='https://a.example/s.m3u8' type='application/x-mpegURL'/>"
    (show,) = shows(f"<podcast:liveItem status='PENDING' start='soon' end='9999'>{stream}</podcast:liveItem>")
    assert (show.state, show.starts_at, show.ends_at) == (LiveState.PENDING, None, None)
    assert show.episode.title == "Live show"
    assert len(shows(*[f"<podcast:liveItem status='live'>{stream}</podcast:liveItem>"] * 500)) == 20


def test_of_several_streams_the_one_with_sound_alone_is_heard_and_the_video_can_be_watched() -> None:
    video = "<enclosure url='https://a.example/v' type='video/mp4'/>"
    audio = "<enclosure url='https://a.example/s' type='audio/mpeg'/>"
    (show,) = shows(f"<podcast:liveItem status='live'>{video}{audio}</podcast:liveItem>")
    assert show.episode.url == "https://a.example/s"
    assert '"uri":"https://a.example/v"' in show.episode.extra
    (show,) = shows(f"<podcast:liveItem status='live'>{video}</podcast:liveItem>")
    assert '"uri":"https://a.example/v"' in show.episode.extra
    source = "<podcast:source uri='https://a.example/alt'/>"
    alternate = f"<podcast:alternateEnclosure type='audio/aac'>{source}</podcast:alternateEnclosure>"
    (show,) = shows(f"<podcast:liveItem status='live'>{alternate}</podcast:liveItem>")
    assert show.episode.url == "https://a.example/alt"
