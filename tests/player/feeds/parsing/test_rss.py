"""The fast reader: RSS 2.0 with its namespaces."""

import time
from datetime import UTC, datetime

import pytest

from player.feeds.parsing import rss as reader
from player.model.episode import TranscriptRef
from player.model.feed import FeedEpisode
from tests.player.feeds.parsing.making import AUDIO, NAMESPACES, item, rss

URL = "https://example.com/show/feed.xml"


def one(inside: str, **more: str) -> FeedEpisode:
    (episode,) = reader.read(rss(inside, **more), URL).episodes
    return episode


def test_a_channel_is_read_whole() -> None:
    feed = reader.read(
        rss(
            channel="""<title> The &amp;amp; Show </title><link>/about</link><language>en-GB</language>
            <description>&lt;p&gt;First.&lt;/p&gt;&lt;p&gt;Second.&lt;/p&gt;</description>
            <itunes:author>Ada</itunes:author><itunes:image href="cover.jpg"/>
            <itunes:new-feed-url>https://new.example/feed</itunes:new-feed-url>"""
        ),
        URL,
    )
    assert feed.title == "The & Show"
    assert feed.link == "https://example.com/about"
    assert feed.description == "First.\nSecond."
    assert feed.author == "Ada"
    assert feed.image_url == "https://example.com/show/cover.jpg"
    assert feed.language == "en-GB"
    assert feed.new_url == "https://new.example/feed"


def test_an_item_is_read_whole() -> None:
    episode = one(
        """<title>Pilot</title><guid isPermaLink="false">abc</guid><link>https://example.com/1</link>
        <pubDate>Mon, 15 Jan 2024 10:30:00 +0000</pubDate><enclosure url="1.m4a?x=1&amp;y=2"
        length="123456" type="audio/x-m4a"/><description>short</description>
        <content:encoded><![CDATA[<p>The long notes</p>]]></content:encoded>
        <itunes:duration>1:02:03</itunes:duration><itunes:season>2</itunes:season><itunes:episode>7</itunes:episode>
        <itunes:explicit>true</itunes:explicit><itunes:image href="https://example.com/1.jpg"/>
        <podcast:chapters url="/1.json" type="application/json+chapters"/>
        <podcast:transcript url="/1.vtt" type="text/vtt" language="en"/>
        <podcast:transcript url="/1.srt" type="text/srt"/>"""
    )
    assert (
        episode
        == FeedEpisode(
            guid="abc",
            title="Pilot",
            url="https://example.com/show/1.m4a?x=1&y=2",
            media_type="audio/x-m4a",
            size=123456,
            link="https://example.com/1",
            published=datetime(2024, 1, 15, 10, 30, tzinfo=UTC),
            duration_ms=3_723_000,
            notes="<p>The long notes</p>",
            image_url="https://example.com/1.jpg",
            season=2,
            number="7",
            explicit=True,
            chapters_url="https://example.com/1.json",
            transcripts=(
                TranscriptRef("https://example.com/1.vtt", "text/vtt", "en"),
                TranscriptRef("https://example.com/1.srt", "text/srt"),
            ),
        ).signed()
    )


def test_of_a_large_feed_read_item_by_item_the_channel_and_its_own_items_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others = f"<x><item>{item(7)}</item></x>"
    body = rss(item(1), item(2), item(3), channel=f"<title>A show</title>{others}<itunes:author>Ada</itunes:author>")
    at_once = reader.read(body, URL)
    monkeypatch.setattr(reader, "_AT_ONCE", 0)
    read = reader.read(body, URL)
    assert read == at_once
    assert (read.author, [one.guid for one in read.episodes]) == ("Ada", ["guid-1", "guid-2", "guid-3"])


@pytest.mark.parametrize(
    "uri",
    [
        "https://podcastindex.org/namespace/1.0",
        "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
    ],
)
@pytest.mark.parametrize("prefix", ["podcast", "pod", "p20"])
def test_both_podcast_namespaces_are_known_under_any_prefix(uri: str, prefix: str) -> None:
    episode = one(
        f'{AUDIO}<{prefix}:chapters url="/c.json"/><{prefix}:transcript url="/t.vtt"/>'
        f"<{prefix}:season>3</{prefix}:season>",
        namespaces=f'xmlns:{prefix}="{uri}"',
    )
    assert episode.chapters_url == "https://example.com/c.json"
    assert episode.transcripts == (TranscriptRef("https://example.com/t.vtt"),)
    assert episode.season == 3


def test_a_prefix_that_means_something_else_is_ignored() -> None:
    episode = one(f'{AUDIO}<podcast:chapters url="/c.json"/>', namespaces='xmlns:podcast="https://example.com/other"')
    assert episode.chapters_url == ""


def test_a_live_item_stays_out_of_the_channel() -> None:
    feed = reader.read(
        rss(
            item(1),
            channel=f"<podcast:liveItem><title>Live now</title>{AUDIO}</podcast:liveItem><title>A show</title>",
        ),
        URL,
    )
    assert feed.title == "A show"
    assert [episode.title for episode in feed.episodes] == ["Episode 1"]


def test_an_item_with_nothing_to_hear_is_left_out() -> None:
    feed = reader.read(
        rss(
            "<title>Text</title>",
            "<title>Picture</title><enclosure url='https://example.com/a.jpg' type='image/jpeg'/>",
            "<title>File</title><enclosure url='file:///etc/passwd' type='audio/mpeg'/>",
            "<title>Own</title><enclosure url='earmark:welcome/1-press-play.opus' type='audio/ogg'/>",
            item(1),
        ),
        URL,
    )
    assert [episode.title for episode in feed.episodes] == ["Episode 1"]


def test_audio_is_taken_before_video_and_either_before_pictures() -> None:
    picture, video, audio = (
        f"<enclosure url='https://example.com/{name}' type='{kind}'/>"
        for name, kind in (("a.jpg", "image/jpeg"), ("a.mp4", "video/mp4"), ("a.mp3", "audio/mpeg"))
    )
    assert one(picture + video + audio).url == "https://example.com/a.mp3"
    assert one(picture + video).url == "https://example.com/a.mp4"


def test_a_missing_guid_stays_empty_and_a_missing_title_is_the_files_name() -> None:
    episode = one(AUDIO)
    assert episode.guid == ""
    assert episode.title == "1.mp3"


def test_a_guid_that_is_a_link_stands_in_for_the_link() -> None:
    assert one(f"<guid>https://example.com/7</guid>{AUDIO}").link == "https://example.com/7"
    assert one(f"<guid isPermaLink='false'>https://example.com/7</guid>{AUDIO}").link == ""
    assert one(f"<guid>7</guid>{AUDIO}").link == ""


def test_hostile_titles_are_tamed() -> None:
    episode = one(f"<title>a\nb&amp;#27;[31m &#x202e;c &amp;lt;b&amp;gt;</title>{AUDIO}")
    assert episode.title == "a b[31m c <b>"


def test_markup_that_was_not_escaped_is_kept_as_notes() -> None:
    assert one(f"{AUDIO}<description>See <a href='https://a.example'>this</a> &lt; that</description>").notes == (
        'See <a href="https://a.example">this</a> &lt; that'
    )


def test_the_longest_text_is_the_notes() -> None:
    assert (
        one(f"{AUDIO}<description>{'long ' * 20}</description><content:encoded>short</content:encoded>").notes
        == ("long " * 20).strip()
    )


def test_an_excerpt_with_long_addresses_is_not_the_longer_text() -> None:
    excerpt = f"Words <a href='https://a.example/{'%E3%81%82' * 90}'>more</a>"
    episode = one(
        f"{AUDIO}<description><![CDATA[{excerpt}]]></description>"
        "<content:encoded><![CDATA[<p>All the words that were said</p>]]></content:encoded>"
    )
    assert episode.notes == "<p>All the words that were said</p>"


def test_a_page_without_a_scheme_is_a_page_of_its_own_server() -> None:
    assert one(f"<link>www.example.net/episode8</link>{AUDIO}").link == "http://www.example.net/episode8"
    assert one(f"<link>episode8</link>{AUDIO}").link == "https://example.com/show/episode8"


@pytest.mark.parametrize("name", ["dcterms:issued", "dcterms:modified", "dc:date"])
def test_a_date_may_come_by_other_names(name: str) -> None:
    spaces = "xmlns:dcterms='http://purl.org/dc/terms/' xmlns:dc='http://purl.org/dc/elements/1.1/'"
    episode = one(f"<{name}>2024-01-15T10:30:00Z</{name}>{AUDIO}", namespaces=spaces)
    assert episode.published == datetime(2024, 1, 15, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize("prefix", ["", "atom:"])
def test_a_link_may_be_an_enclosure(prefix: str) -> None:
    link = f"<{prefix}link rel='enclosure' href='https://a.example/1.mp3' length='5' type='audio/mpeg'/>"
    episode = one(f"{link}<link>/1</link>", namespaces="xmlns:atom='http://www.w3.org/2005/Atom'")
    assert (episode.url, episode.size, episode.link) == ("https://a.example/1.mp3", 5, "https://example.com/1")


def test_an_episode_is_explicit_if_the_channel_is_and_it_says_nothing() -> None:
    explicit = "<title>A</title><itunes:explicit>yes</itunes:explicit>"
    assert one(AUDIO, channel=explicit).explicit
    assert not one(f"{AUDIO}<itunes:explicit>clean</itunes:explicit>", channel=explicit).explicit


def test_white_space_before_the_declaration_is_forgiven() -> None:
    assert reader.read(b"\n\n " + rss(item(1)), URL).episodes


@pytest.mark.parametrize(
    "body",
    [
        b"", b"nonsense", b"<rss>", b"<rss/>", b"<feed xmlns='http://www.w3.org/2005/Atom'/>", b"<html><head/></html>",
        b"<rss><channel><title>a &nbsp; b</title></channel></rss>",
    ],
)  # fmt: skip
def test_what_is_no_whole_rss_is_left_to_the_tolerant_reader(body: bytes) -> None:
    with pytest.raises(reader.NotRss):
        reader.read(body, URL)


def test_a_title_of_ten_megabytes_is_cut_quickly() -> None:
    body = rss(f"<title>{'a' * 10_500_000}</title>{AUDIO}")
    start = time.process_time()
    (episode,) = reader.read(body, URL).episodes
    assert time.process_time() - start < 1
    assert len(episode.title) == 500


def test_a_thousand_episodes_are_read_in_a_blink() -> None:
    notes = "<p>Words of the kind that people write — with <a href='https://a.example/'>a link</a>.</p>" * 48
    body = rss(*(f"{item(n)}<description><![CDATA[{notes}]]></description>" for n in range(1000)))
    assert 4_000_000 < len(body) < 5_000_000
    start = time.process_time()
    feed = reader.read(body, URL)
    assert time.process_time() - start < 1  # measured: 0.09
    assert len(feed.episodes) == 1000


def test_namespaces_are_known_by_their_address_alone() -> None:
    swapped = NAMESPACES.replace("xmlns:itunes", "xmlns:apple").replace("podcast-1.0.dtd", "Podcast-1.0.dtd")
    assert one(f"{AUDIO}<apple:duration>60</apple:duration>", namespaces=swapped).duration_ms == 60_000
