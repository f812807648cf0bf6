"""What yt-dlp says is checked before it is believed."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.chapters.texts import read_json_chapters
from player.sources.youtube.program import Ended, VideoError
from player.sources.youtube.video_info import Video, channel_of, chapters_file, video_of, why


def said(**what: Any) -> Ended:
    return Ended(0, json.dumps(what).encode(), b"")


def sound(url: str, **more: Any) -> dict[str, Any]:
    return {"url": url, "vcodec": "none", "acodec": "opus", "ext": "webm", "protocol": "https", "abr": 100, **more}


def test_the_best_sound_without_pictures_is_taken() -> None:
    formats = [
        {"url": "https://a/storyboard", "acodec": "none", "vcodec": "none", "ext": "mhtml"},
        sound("https://a/low", abr=50),
        sound("https://a/dub", abr=300, language_preference=-1),
        sound("https://a/best", abr=130, language_preference=10),
        sound("https://a/hls", abr=999, protocol="m3u8_native", language_preference=10),
        {"url": "https://a/video", "acodec": "mp4a", "vcodec": "avc1", "ext": "mp4", "tbr": 2000},
    ]
    assert video_of(said(formats=formats)).audio == "https://a/best"
    assert video_of(said(formats=formats[-1:])).audio == "https://a/video"
    assert video_of(said(url="https://a/only")).audio == "https://a/only"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://a/b", "javascript:x", "", 7, None, ["https://a"], "https://" + "a" * 9000]
)
def test_only_web_addresses_are_audio(url: object) -> None:
    with pytest.raises(VideoError, match="found no audio"):
        video_of(said(formats=[sound("x") | {"url": url}]))


def test_captions_are_those_that_were_written_in_the_video_s_language() -> None:
    written = {"live_chat": [{"ext": "vtt", "url": "https://a/chat"}], "fr": [{"ext": "vtt", "url": "https://a/fr"}],
               "de": [{"ext": "json3", "url": "https://a/x"}, {"ext": "vtt", "url": "https://a/de"}]}  # fmt: skip
    heard = {"de-orig": [{"ext": "vtt", "url": "https://a/heard"}], "xx": [{"ext": "vtt", "url": "https://a/xx"}]}
    base: dict[str, Any] = {"url": "https://a/b", "automatic_captions": heard, "language": "de"}
    assert video_of(said(**base, subtitles=written)).captions == "https://a/de"
    assert video_of(said(**base)).captions == "https://a/heard"
    assert video_of(said(url="https://a/b", subtitles=written)).captions == "https://a/fr"
    assert video_of(said(url="https://a/b", automatic_captions={"xx": heard["xx"]})).captions == ""


def test_chapters_become_a_file_that_earmark_reads() -> None:
    listed = [{"start_time": 0, "title": "In\x1b[2J"}, {"start_time": 12.5, "title": "Out"}, {"start_time": "x"}, 3]
    video = video_of(said(url="https://a/b", chapters=listed))
    assert [(one.start_ms, one.title) for one in read_json_chapters(chapters_file(video))] == [
        (0, "In[2J"),
        (12500, "Out"),
    ]
    assert read_json_chapters(chapters_file(Video("https://a/b"))) == ()


COOKIES = "Its cookies help: see “--cookies-from-browser” in yt-dlp's documentation."
_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_NAMES = ("url", "formats", "subtitles", "automatic_captions", "chapters", "language", "is_live", "channel_id")


@given(st.dictionaries(st.sampled_from(_NAMES), _JSON) | _JSON)
def test_any_json_is_read_or_refused(what: object) -> None:
    ended = Ended(0, json.dumps(what).encode(), b"")
    for read in (video_of, channel_of):
        with suppress(VideoError):
            read(ended)


@pytest.mark.parametrize("output", [b"", b"nonsense", b"[" * 100_000, b"[]", b"\xff"])
def test_what_is_no_json_is_refused(output: bytes) -> None:
    with pytest.raises(VideoError, match="answer can't be read"):
        video_of(Ended(0, output, b""))


@pytest.mark.parametrize(
    ("errors", "sentence"),
    [
        ("ERROR: [youtube] aaaaaaaaaaa: Private video. Sign in if you've been granted it", "This video is private."),
        ("ERROR: [youtube] aaaaaaaaaaa: Video unavailable. This video has been removed by the uploader",
         "This video is no longer available."),
        ("ERROR: [youtube] aaaaaaaaaaa: Join this channel to get access to members-only content like this video",
         "This video is for members of its channel."),
        ("ERROR: [youtube] aaaaaaaaaaa: Premieres in 3 hours", "This video hasn't begun yet."),
        ("ERROR: [youtube] aaaaaaaaaaa: Sign in to confirm you’re not a bot. Use --cookies",
         "YouTube wants to know that you aren't a bot. " + COOKIES),
        ("WARNING: x\nERROR: Unable to download webpage: <urlopen error [Errno -3] Temporary failure in name>",
         "yt-dlp can't reach YouTube. Check your connection."),
        ("ERROR: [youtube] aaaaaaaaaaa: Something \x1b[31mnew\x1b[0m",
         "yt-dlp can't read this: Something [31mnew[0m. An update of yt-dlp may help."),
        ("Traceback\nKeyError: 'x'", "yt-dlp can't read this: KeyError: 'x'. An update of yt-dlp may help."),
        ("", "yt-dlp can't read this: it gives no reason. An update of yt-dlp may help."),
    ],
)  # fmt: skip
def test_failures_are_told_in_words(errors: str, sentence: str) -> None:
    assert str(why(errors.encode())) == sentence
    with pytest.raises(VideoError):
        video_of(Ended(1, b"", errors.encode()))


def test_what_is_live_is_not_played() -> None:
    with pytest.raises(VideoError, match="broadcast live"):
        video_of(said(is_live=True, url="https://a/b"))


def test_a_channel_is_known_by_its_id() -> None:
    assert channel_of(said(channel_id="UCabcdefghijklmnopqrstuv", id="@name")) == "UCabcdefghijklmnopqrstuv"
    for what in ({}, {"channel_id": "../../etc"}, {"channel_id": 7}, {"id": "UC&x=1 "}):
        with pytest.raises(VideoError):
            channel_of(said(**what))
