"""Parses yt-dlp's answers about a video or channel: its JSON contains text by strangers, and is checked and cleaned.
Pure."""

import json
import math
import re
from typing import Any

from msgspec import Struct

from player.links.urls import web_address
from player.sources.youtube.program import Ended, VideoError
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, translate

_CHAPTERS = 1_000
_FORMATS = 500
_LONGEST_S = 400 * 3600
_ID = re.compile(r"[A-Za-z0-9_-]{10,64}")
_ERROR = re.compile(r"^ERROR:\s*(?:\[[^\]]*\]\s*)?(?:[\w-]{5,64}:\s*)?(.*)", re.MULTILINE)

# Parts of the error messages of yt-dlp and YouTube, in lower case; the sentence for them; whether a retry may succeed.
_KNOWN = (
    (("private video", "video is private"), mark("This video is private"), False),
    (("members-only", "members only", "join this channel"), mark("This video is for members of its channel"), False),
    (("confirm your age", "age-restricted", "inappropriate for some users"),
     mark("This video is age-restricted, and YouTube wants you to sign in"), False),
    (("not a bot",), mark("YouTube wants to know that you aren't a bot"), False),
    (("in your country", "geo restrict", "from your location"),
     mark("This video isn't available in your country"), False),
    (("premieres in", "will begin in", "live event will"), mark("This video hasn't begun yet"), False),
    (("video unavailable", "has been removed", "no longer available", "does not exist", "been terminated"),
     mark("This video is no longer available"), False),
    (("http error 429", "too many requests"), mark("YouTube received too many requests and wants a pause"), True),
    (("unable to download", "urlopen error", "timed out", "name resolution", "unreachable", "getaddrinfo"),
     mark("yt-dlp can't reach YouTube"), True),
)  # fmt: skip
_ADVICE = {
    mark("YouTube wants to know that you aren't a bot"): mark(
        "Its cookies help: see “--cookies-from-browser” in yt-dlp's documentation."
    ),
    mark("This video is age-restricted, and YouTube wants you to sign in"): mark(
        "Its cookies help: see “--cookies-from-browser” in yt-dlp's documentation."
    ),
    mark("yt-dlp can't reach YouTube"): mark("Check your connection."),
    mark("YouTube received too many requests and wants a pause"): mark("Try again in an hour."),
}


class Video(Struct, frozen=True):
    """`audio` and `captions` are web addresses that expire in a few hours; "" for no captions. A chapter is its start
    in seconds and its title."""

    audio: str
    captions: str = ""
    chapters: tuple[tuple[float, str], ...] = ()


def video_of(ended: Ended) -> Video:
    """Raises VideoError."""
    read = _object(ended)
    if read.get("is_live") is True:
        raise VideoError(
            _("This video is being broadcast live, which Earmark can't play"), _("It can be heard once it is over.")
        )
    audio = _audio(read)
    if not audio:
        raise VideoError(
            _("yt-dlp found no audio of this video that can be played"), _("An update of yt-dlp may help.")
        )
    return Video(audio, _captions(read), _chapters(read.get("chapters")))


def channel_of(ended: Ended) -> str:
    """The id of the channel whose page was asked about. Raises VideoError."""
    read = _object(ended)
    for name in ("channel_id", "uploader_id", "id"):
        found = read.get(name)
        if isinstance(found, str) and found.startswith("UC") and _ID.fullmatch(found):
            return found
    raise VideoError(_("yt-dlp found no channel there"), _("Check the URL, or add the channel's URL with its id."))


def chapters_file(video: Video) -> bytes:
    """The chapters as a file (podcast-namespace, “JSON Chapters Format” 1.2.0)."""
    listed = [{"startTime": start, "title": title} for start, title in video.chapters]
    return json.dumps({"version": "1.2.0", "chapters": listed}).encode()


def why(errors: bytes) -> VideoError:
    """yt-dlp's standard error output as an error for people."""
    text = errors.decode("utf-8", "replace")
    found = _ERROR.findall(text)
    lowered = " ".join(found).lower() if found else text.lower()
    for signs, sentence, passing in _KNOWN:
        if any(sign in lowered for sign in signs):
            advice = _ADVICE.get(sentence)
            return VideoError(translate(sentence), translate(advice) if advice else "", passing=passing)
    reason = clean_line(found[-1] if found else text.strip().rpartition("\n")[2], 160).rstrip(".")
    return VideoError(
        _("yt-dlp can't read this: {reason}", reason=reason or _("it gives no reason")),
        _("An update of yt-dlp may help."),
    )


def _object(ended: Ended) -> dict[str, Any]:
    if ended.code != 0:
        raise why(ended.errors)
    try:
        read = json.loads(ended.output)
    except (ValueError, RecursionError) as error:
        raise VideoError(_("yt-dlp's answer can't be read"), _("An update of yt-dlp may help.")) from error
    if not isinstance(read, dict):
        raise VideoError(_("yt-dlp's answer can't be read"), _("An update of yt-dlp may help."))
    return read


def _audio(read: dict[str, Any]) -> str:
    """The address of the best audio; "" if there is none. Audio alone is preferred to video; then Opus in WebM and AAC
    in MP4 to other formats; then the preferred language; then the highest bit rate."""
    listed = read.get("formats")
    formats = [one for one in listed[:_FORMATS] if isinstance(one, dict)] if isinstance(listed, list) else []
    playable = [one for one in (*formats, read) if _is_file(one) and one.get("acodec") != "none"]
    if not playable:
        return ""
    return _address(max(playable, key=_rank))


def _rank(one: dict[str, Any]) -> tuple[bool, bool, int, float]:
    original = one.get("language_preference")
    rate = one.get("abr") or one.get("tbr")
    return (
        one.get("vcodec") == "none",
        one.get("ext") in ("webm", "m4a"),
        original if isinstance(original, int) else -1,
        rate if isinstance(rate, int | float) and math.isfinite(rate) else 0.0,
    )


def _is_file(one: dict[str, Any]) -> bool:
    return one.get("protocol", "https") in ("http", "https") and bool(_address(one))


def _address(one: dict[str, Any]) -> str:
    url = one.get("url")
    return web_address(url) if isinstance(url, str) else ""


def _captions(read: dict[str, Any]) -> str:
    """The address of the captions; "" if there are none. Written captions, in the video's own language if possible,
    else YouTube's automatic captions in that language or English."""
    spoken = read.get("language")
    spoken = spoken if isinstance(spoken, str) else ""
    for name in ("subtitles", "automatic_captions"):
        by_language = read.get(name)
        if not isinstance(by_language, dict):
            continue
        wanted = (f"{spoken}-orig", spoken, "en-orig", "en")
        first = () if name == "automatic_captions" else tuple(by_language)[:20]
        for language in (*wanted, *first):
            listed = by_language.get(language)
            for one in listed[:20] if isinstance(listed, list) and language != "live_chat" else ():
                if isinstance(one, dict) and one.get("ext") == "vtt" and (url := _address(one)):
                    return url
    return ""


def _chapters(listed: object) -> tuple[tuple[float, str], ...]:
    found = []
    for one in listed[:_CHAPTERS] if isinstance(listed, list) else ():
        start = one.get("start_time") if isinstance(one, dict) else None
        if isinstance(start, int | float) and 0 <= start < _LONGEST_S:
            title = one.get("title")
            found.append((float(start), clean_line(title) if isinstance(title, str) else ""))
    return tuple(found)
