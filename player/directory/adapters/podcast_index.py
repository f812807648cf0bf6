"""Podcast Index, with the listener's own API key: https://podcastindex-org.github.io/docs-api. Its terms forbid a key
that is part of an open-source program."""

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from player.directory import directory_errors
from player.directory.adapter import Access, Adapter, Key, KeySettings, Opened
from player.directory.adapters.json_fields import (
    address,
    apple_id,
    block,
    count,
    duration_ms,
    guid,
    guid_in_feed,
    language,
    line,
    media_type,
    moment,
    topics,
    whole,
    yes,
)
from player.directory.answers import Answer, Answers, RateLimit, Record
from player.directory.directory import Attempt, FoundEpisode, FoundPodcast
from player.errors import DirectoryError

NAME = "Podcast Index"
_MOST = 100


class PodcastIndex:
    name = NAME

    def __init__(
        self, answers: Answers, base: str, key: Key, limit: RateLimit, now: Callable[[], float] = time.time
    ) -> None:
        self._answers = answers
        self._base = base.rstrip("/")
        self._key = key
        self._limit = limit
        self._now = now

    def search(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        most = max(1, min(limit, _MOST))
        answer = self._ask("byterm", words, most, attempt)
        return tuple(islice(filter(None, map(_podcast, answer.records("feeds"))), most))

    def find_episodes(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundEpisode]:
        """Uses the search for people, which covers titles and descriptions, too."""
        most = max(1, min(limit, _MOST))
        answer = self._ask("byperson", words, most, attempt)
        return tuple(islice(filter(None, map(_episode, answer.records("items"))), most))

    def _ask(self, what: str, words: str, most: int, attempt: Attempt) -> Answer:
        """Raises DirectoryError."""
        key = self._key()
        if key is None:
            raise directory_errors.left_out(NAME)
        if not all(key):
            raise directory_errors.no_key(NAME)
        try:
            answer = self._answers.ask(
                NAME,
                f"{self._base}/api/1.0/search/{what}",
                {"q": words, "max": most},
                attempt,
                limit=self._limit,
                headers=signature(*key, int(self._now())),
            )
        except DirectoryError as error:
            if error.status == 401:
                raise directory_errors.wrong_key(NAME) from error
            raise
        if answer.text("status") != "true":  # a string in the documentation; a boolean would read the same
            raise directory_errors.nonsense(NAME)
        return answer


def signature(key: str, secret: str, seconds: int) -> Mapping[str, str]:
    """The headers that prove the key; they are valid for a few minutes around `seconds` since 1970."""
    import hashlib  # with OpenSSL

    proof = hashlib.sha1(f"{key}{secret}{seconds}".encode(), usedforsecurity=False).hexdigest()
    return {"X-Auth-Key": key, "X-Auth-Date": str(seconds), "Authorization": proof}


def _podcast(record: Record) -> FoundPodcast | None:
    title = line(record.get("title"))
    if not title or record.get("dead") in (1, True, "1"):
        return None
    return FoundPodcast(
        title,
        line(record.get("author")) or line(record.get("ownerName")),
        address(record.get("url")),
        apple_id(record.get("itunesId")),
        guid(record.get("podcastGuid")),
        address(record.get("link")),
        block(record.get("description")),
        address(record.get("artwork")) or address(record.get("image")),
        count(record.get("episodeCount")),
        moment(record.get("newestItemPubdate")) or moment(record.get("newestItemPublishTime")),
        language(record.get("language")),
        topics(record.get("categories")),
        yes(record.get("explicit")),
        (NAME,),
    )


def _episode(record: Record) -> FoundEpisode | None:
    title = line(record.get("title"))
    if not title:
        return None
    return FoundEpisode(
        title,
        line(record.get("feedTitle")),
        address(record.get("feedUrl")),
        address(record.get("enclosureUrl")),
        guid_in_feed(record.get("guid")),
        moment(record.get("datePublished")),
        duration_ms(record.get("duration"), 1000),
        media_type(record.get("enclosureType")),
        whole(record.get("enclosureLength")) or None,
        address(record.get("link")),
        block(record.get("description")),
        address(record.get("image")) or address(record.get("feedImage")),
        (NAME,),
    )


def _open(access: Access) -> Opened:
    """Podcast Index names no limit; but it may ask for a pause."""
    index = PodcastIndex(access.answers, access.urls["podcast_index_url"], access.key, RateLimit(60, 60.0))
    return Opened(index, episodes=index)


ADAPTER = Adapter(
    name="podcastindex",
    title=NAME,
    urls={"podcast_index_url": "https://api.podcastindex.org"},
    open=_open,
    key=KeySettings(
        "podcast_index_key",
        "podcast_index_secret",
        "Your API key of Podcast Index and its secret, free of charge at https://api.podcastindex.org. `earmark find"
        " --sign-in` keeps them in the system's keyring instead.",
    ),
    finds_episodes=True,
    trust=2,
)
