"""What feeds say in the podcast namespace, kept by both readers."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from player.feeds.parsing import rss, tolerant
from player.feeds.parsing.podcasting20 import people, podcast_guid
from player.model.feed import Feed
from tests.player.feeds.parsing.making import AUDIO, NAMESPACES
from tests.player.feeds.parsing.making import rss as feed_of

URL = "https://example.com/show/feed.xml"
Read = Callable[[bytes], Feed]


@pytest.fixture(params=["rss", "tolerant", "tolerant, broken XML"])
def read(request: pytest.FixtureRequest) -> Read:
    if request.param == "rss":
        return lambda body: rss.read(body, URL)
    if request.param == "tolerant":
        return lambda body: tolerant.read(body, URL)
    return lambda body: tolerant.read(body.replace(b"</rss>", b"<oops></rss>"), URL)


def extras_of(read: Read, inside: str = "", channel: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """What the channel says, and what its one item says."""
    feed = read(feed_of(AUDIO + inside, channel=f"<title>A show</title>{channel}", namespaces=NAMESPACES + PSC))
    (episode,) = feed.episodes
    return json.loads(feed.extra or "{}"), json.loads(episode.extra or "{}")


PSC = ' xmlns:psc="http://podlove.org/simple-chapters"'


def test_people_of_the_episode_come_before_those_of_the_podcast(read: Read) -> None:
    body = feed_of(
        AUDIO + '<podcast:person role="Guest" href="/grace">Grace</podcast:person><podcast:person>Ada</podcast:person>',
        AUDIO.replace("1.mp3", "2.mp3"),
        channel="<title>A show</title><podcast:person img='ada.png'>Ada</podcast:person>",
    )
    feed = read(body)
    with_own, without = feed.episodes
    assert people(with_own.extra, feed.extra) == (
        {"name": "Grace", "role": "guest", "group": "cast", "href": "https://example.com/grace"},
        {"name": "Ada", "role": "host", "group": "cast"},
    )
    (host,) = people(without.extra, feed.extra)
    assert host["img"] == "https://example.com/show/ada.png"
    assert people("", "") == ()


def test_an_episode_keeps_all_that_is_said_of_it(read: Read) -> None:
    _, episode = extras_of(
        read,
        """<podcast:soundbite startTime="73.0" duration="60.5">The joke</podcast:soundbite>
        <podcast:soundbite startTime="0" duration="10"/>
        <podcast:season name="Beginnings">1</podcast:season><podcast:episode display="Ch.3">204.5</podcast:episode>
        <podcast:funding url="https://example.com/give">Support us</podcast:funding>
        <podcast:location rel="subject" geo="geo:30.2672,-97.7431" osm="R113314">Austin, TX</podcast:location>
        <podcast:license url="https://example.com/licence">cc-by-4.0</podcast:license>
        <podcast:txt purpose="verify">S6lpp-7ZCn8</podcast:txt>
        <podcast:alternateEnclosure type="audio/opus" length="32400000" bitrate="96000" default="true">
        <podcast:source uri="https://example.com/1.opus"/><podcast:source uri="ipfs://Qmd"/>
        <podcast:integrity type="sri" value="sha384-abc"/></podcast:alternateEnclosure>
        <podcast:socialInteract protocol="activitypub" uri="https://a.example/1" priority="1"/>
        <podcast:value type="lightning" method="keysend"><podcast:valueRecipient name="Ada" type="node" address="02d5"
        split="100"/></podcast:value>""",
    )
    assert episode["soundbite"] == [
        {"startTime": 73, "duration": 60.5, "title": "The joke"}, {"startTime": 0, "duration": 10},
    ]  # fmt: skip
    assert episode["season"] == {"number": 1, "name": "Beginnings"}
    assert episode["episode"] == {"number": 204.5, "display": "Ch.3"}
    assert episode["funding"] == [{"url": "https://example.com/give", "label": "Support us"}]
    assert episode["location"][0] == {
        "name": "Austin, TX", "rel": "subject", "geo": "geo:30.2672,-97.7431", "osm": "R113314",
    }  # fmt: skip
    assert episode["license"] == {"text": "cc-by-4.0", "url": "https://example.com/licence"}
    assert episode["txt"] == [{"text": "S6lpp-7ZCn8", "purpose": "verify"}]
    (other,) = episode["alternateEnclosure"]
    assert other["source"] == [{"uri": "https://example.com/1.opus"}]
    assert (other["bitrate"], other["default"]) == (96000, True)
    assert episode["socialInteract"][0]["uri"] == "https://a.example/1"
    assert episode["value"][0]["valueRecipient"][0]["address"] == "02d5"


def test_a_podcast_keeps_all_that_is_said_of_it(read: Read) -> None:
    podcast, _ = extras_of(
        read,
        channel="""<podcast:guid>917393e3-1b1e-5cef-ace4-edaa54e1f810</podcast:guid><podcast:medium>Music</podcast:medium>
        <podcast:trailer pubdate="Thu, 01 Apr 2021 08:00:00 EST" url="/old.mp3">Old</podcast:trailer>
        <podcast:trailer pubdate="Fri, 01 Apr 2022 08:00:00 EST" url="/new.mp3" season="2">New</podcast:trailer>
        <podcast:podroll><podcast:remoteItem feedGuid="29cdca4a" feedUrl="https://b.example/"/></podcast:podroll>
        <podcast:updateFrequency rrule="FREQ=WEEKLY" complete="true">weekly</podcast:updateFrequency>
        <podcast:image href="art.png" purpose="artwork" width="1400"/><podcast:locked owner="a@b.c">yes</podcast:locked>
        """,
    )
    assert podcast["guid"] == {"text": "917393e3-1b1e-5cef-ace4-edaa54e1f810"}
    assert podcast["medium"] == {"text": "music"}
    assert [one["title"] for one in podcast["trailer"]] == ["New", "Old"]
    assert podcast["podroll"]["remoteItem"] == [{"feedGuid": "29cdca4a", "feedUrl": "https://b.example/"}]
    assert podcast["updateFrequency"] == {"rrule": "FREQ=WEEKLY", "complete": True, "text": "weekly"}
    assert podcast["image"][0]["href"] == "https://example.com/show/art.png"
    assert podcast["locked"] == {"text": True, "owner": "a@b.c"}


def test_a_live_stream_is_kept_apart(read: Read) -> None:
    podcast, episode = extras_of(
        read,
        channel="""<podcast:liveItem status="LIVE" start="2026-05-01T12:00:00Z"><title>On air</title><guid>live</guid>
        <enclosure url="https://live.example/1" type="audio/mpeg" length="1"/>
        <podcast:contentLink href="https://live.example/">Watch</podcast:contentLink></podcast:liveItem>""",
    )
    (live,) = podcast["liveItem"]
    assert (live["status"], live["title"]["text"]) == ("live", "On air")
    assert live["enclosure"][0]["url"] == "https://live.example/1"
    assert live["contentLink"] == [{"href": "https://live.example/", "text": "Watch"}]
    assert episode == {}


def test_who_wants_no_comments_gets_none(read: Read) -> None:
    _, episode = extras_of(
        read,
        '<podcast:socialInteract protocol="activitypub" uri="https://a.example/1"/>'
        '<podcast:socialInteract protocol="disabled"/>',
    )
    assert "socialInteract" not in episode


def test_chapters_in_the_feed_are_read_in_all_their_spellings(read: Read) -> None:
    _, episode = extras_of(
        read,
        """<psc:chapters version="1.2"><psc:chapter start="0" title="Intro"/><psc:chapter start="1:00" title="Second"/>
        <psc:chapter start="00:02:00.500" title="Third" href="https://a.example/" image="/3.png"/>
        <psc:chapter start="later" title="Nowhere"/></psc:chapters>""",
    )
    assert [(one["start_ms"], one["title"]) for one in episode["chapters"]] == [
        (0, "Intro"), (60_000, "Second"), (120_500, "Third"),
    ]  # fmt: skip
    assert episode["chapters"][2]["image"] == "https://example.com/3.png"


def test_all_files_of_an_episode_are_kept(read: Read) -> None:
    _, episode = extras_of(read, "<enclosure url='https://media.example/1.mp4' length='5' type='video/mp4'/>")
    assert episode["enclosures"] == [{"url": "https://media.example/1.mp4", "type": "video/mp4", "length": 5}]


def test_links_in_notes_lead_somewhere(read: Read) -> None:
    body = feed_of(
        AUDIO + "<link>https://example.com/1/</link><description>&lt;a href='../about?a=1&amp;amp;b=2'&gt;x&lt;/a&gt;"
        '&lt;a class="x" href="https://b.example/"&gt;y&lt;/a&gt;&lt;a href="#z"&gt;z&lt;/a&gt;</description>'
    )
    (episode,) = read(body).episodes
    assert "href='https://example.com/about?a=1&amp;b=2'" in episode.notes
    assert 'href="https://b.example/"' in episode.notes
    assert 'href="#z"' in episode.notes


def test_a_podcast_is_known_by_its_own_guid_or_by_one_made_of_its_address() -> None:
    assert podcast_guid('{"guid":{"text":"abc"}}', URL) == "abc"
    # The example of the specification.
    assert podcast_guid("", "https://mp3s.nashownotes.com/pc20rss.xml") == "917393e3-1b1e-5cef-ace4-edaa54e1f810"
    assert podcast_guid("", "http://mp3s.nashownotes.com/pc20rss.xml/") == "917393e3-1b1e-5cef-ace4-edaa54e1f810"


def test_where_an_episode_can_be_seen_as_well_is_kept(read: Read) -> None:
    link = "<podcast:contentLink href='/watch'>Watch &amp;amp; talk</podcast:contentLink>"
    (episode,) = read(feed_of(f"{AUDIO}{link}<podcast:contentLink>nowhere</podcast:contentLink>")).episodes
    assert json.loads(episode.extra)["contentLink"] == [{"href": "https://example.com/watch", "text": "Watch & talk"}]
