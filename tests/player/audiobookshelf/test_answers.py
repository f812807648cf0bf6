"""Any answer of a server is either parsed or raises Unreadable."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.audiobookshelf import answers
from player.audiobookshelf.answers import Unreadable
from tests.audiobookshelf import AudiobookshelfServer

READERS = (
    answers.read_status, answers.read_signed_in, answers.read_user_name, answers.read_libraries, answers.read_podcasts,
    answers.read_item, answers.read_progress_of_all, answers.read_taken,
)  # fmt: skip
NAMES = st.sampled_from([
    "app", "user", "token", "accessToken", "refreshToken", "username", "libraries", "id", "name", "mediaType",
    "results", "total", "media", "metadata", "title", "episodes", "audioFile", "audioTrack", "contentUrl",
    "duration", "chapters", "start", "publishedAt", "mediaProgress", "libraryItemId", "episodeId",
    "currentTime", "lastUpdate", "isFinished", "success", "numEpisodes", "coverPath", "enclosure", "url",
    "size", "guid",
])  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9)
    | st.sampled_from(["podcast", "ab-12", -5, 1e300, 10**30]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=8),
    max_leaves=30,
)  # fmt: skip


@given(st.binary(max_size=80) | st.dictionaries(NAMES, VALUES, max_size=9).map(lambda one: json.dumps(one).encode()))
def test_any_answer_is_read_or_unreadable(body: bytes) -> None:
    for read in READERS:
        with suppress(Unreadable):
            read(body)


def item(*episodes: Any) -> bytes:
    media = {"metadata": {"title": "T"}, "episodes": list(episodes), "coverPath": None}
    return json.dumps({"id": "ab-12", "mediaType": "podcast", "media": media}).encode()


@pytest.mark.parametrize(
    "odd", [None, 7, "x", [], {}, {"id": "../../etc"}, {"id": "a b", "audioFile": {}}, {"id": "x", "audioFile": 7}]
)
def test_an_odd_episode_is_left_out_and_the_list_is_no_longer_whole(odd: Any) -> None:
    good = {"id": "e1", "audioFile": {}, "duration": 1.5}
    found = answers.read_item(item(odd, good))
    assert found is not None
    assert [(one.id, one.duration_ms) for one in found.episodes] == [("e1", 1500)]
    assert not found.is_whole
    whole = answers.read_item(item(good))
    assert whole is not None
    assert whole.is_whole


@pytest.mark.parametrize("number", [-5, -0.1, 1e12, 10**40, "600", True, None, [], {}])
def test_an_impossible_number_is_none(number: Any) -> None:
    odd = {
        "id": "e1", "audioFile": {}, "duration": number, "size": number if number != 1e12 else -1, "publishedAt": number
        if number != 1e12 else -1, "chapters": [{"start": number, "title": "One"}, {"start": 1, "title": "Two"}],
    }  # fmt: skip
    found = answers.read_item(item(odd))
    assert found is not None
    (one,) = found.episodes
    assert (one.duration_ms, one.size, one.published, one.chapters) == (None, None, None, ((1000, "Two"),))


def test_negative_progress_which_servers_store_is_read_as_zero() -> None:
    row = {"libraryItemId": "i", "episodeId": "e", "currentTime": -5, "lastUpdate": 1, "isFinished": "yes"}
    (found,) = answers.read_progress_of_all(json.dumps({"mediaProgress": [row, {**row, "episodeId": None}]}).encode())
    assert (found.position_ms, found.is_finished, found.duration_ms) == (0, False, None)


def test_a_token_with_a_line_break_is_refused() -> None:
    for bad in ("", "a b", "a\r\nX: 1", "ä", "a" * 8001, "\x00"):
        assert not answers.is_token(bad)
        with pytest.raises(Unreadable):
            answers.read_signed_in(json.dumps({"user": {"accessToken": bad, "refreshToken": bad}}).encode())


def test_the_answers_of_the_test_server_are_read_completely() -> None:
    server = AudiobookshelfServer()
    podcast = server.add_podcast("Casting Stones")
    podcast.add_episode("Amber", b"xyz", chapters=[{"id": 0, "start": 0, "end": 9.5, "title": "Start"}])
    found = answers.read_item(json.dumps(podcast.expanded()).encode())
    server.http.server_close()
    assert found is not None
    assert found.is_whole
    (one,) = found.episodes
    assert (one.size, one.media_type, one.season, one.chapters) == (3, "audio/mpeg", "1", ((0, "Start"),))
