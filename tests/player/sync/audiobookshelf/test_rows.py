"""Updates give a row of progress the wanted contents, whatever it contained before."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from player.audiobookshelf.answers import Listening, Progress
from player.model.syncing import SEEN_PLAYED, ActionKind, EpisodeName, EpisodeState
from player.sync.audiobookshelf.rows import Place, Seen, Wanted, entries, look, said, session_id, wanted
from tests.audiobookshelf import AudiobookshelfServer, Episode
from tests.quick import examples
from tests.sync_servers.devices import DAY, HOUR, MINUTE, NOON, SECOND, Clock

LENGTH_MS = 30 * MINUTE
PLACE = Place("item", "episode", LENGTH_MS, "One")
NAME = EpisodeName("https://example.org/feed.xml", "https://example.org/1.mp3", "guid-1")


def row(position_ms: int = 0, at: int = NOON, **more: bool) -> Progress:
    finished, hidden = more.get("is_finished", False), more.get("is_hidden", False)
    return Progress("item", "episode", position_ms, LENGTH_MS, finished, at, is_hidden=hidden)


def seen(position_ms: int = 0, at: int = NOON, is_finished: bool = False) -> Seen:
    return Seen(at, position_ms, is_finished, at)


def heard(to_ms: int, updated_ms: int) -> Listening:
    return Listening("id", "item", "episode", "One", to_ms, LENGTH_MS, MINUTE, updated_ms - MINUTE, updated_ms)


# -- to the server --------------------------------------------------------------------------------------------------

_POSITIONS = st.sampled_from([0, 30, 400.25, 1789, 1795, 1800])
_ROWS = st.none() | st.fixed_dictionaries(
    {"currentTime": _POSITIONS, "isFinished": st.booleans(), "hideFromContinueListening": st.booleans()}
)
_WANTED = st.one_of(
    st.just(Wanted(NOON + HOUR, is_finished=True)),
    st.just(Wanted(NOON + HOUR, is_hidden=True)),
    st.just(Wanted(NOON + HOUR)),
    st.sampled_from([30_000, 400_250, 1_200_000, 1_789_000]).map(lambda ms: Wanted(NOON + HOUR, ms)),
)


@settings(max_examples=examples(600), deadline=None)
@given(before=_ROWS, to_say=_WANTED, has_length=st.booleans())
def test_a_row_gets_its_contents_whatever_they_were_before(
    before: dict[str, object] | None, to_say: Wanted, has_length: bool
) -> None:
    server = AudiobookshelfServer(Clock())
    episode = server.add_podcast("A show").add_episode("One", b"", duration=LENGTH_MS / SECOND)
    if before is not None:
        server.change(episode, {**before, "duration": LENGTH_MS / SECOND if has_length else 0})
    found = read(server, episode)
    place = Place(episode.podcast.id, episode.id, LENGTH_MS if has_length else 0)
    for entry in entries(place, found, to_say):
        server.change(episode, entry)
    after = read(server, episode)
    assert to_say.is_said_by(after)
    shown = server.progress_of(episode)
    assert shown is not None
    assert shown["lastUpdate"] == to_say.updated_ms
    if has_length and not to_say.is_said_by(found):
        assert shown["progress"] == pytest.approx(1 if to_say.is_finished else to_say.position_ms / LENGTH_MS)
    if to_say.is_finished and (found is None or not found.is_finished):
        assert shown["finishedAt"] == to_say.updated_ms
    server.http.server_close()


def read(server: AudiobookshelfServer, episode: Episode) -> Progress | None:
    one = server.progress_of(episode)
    if one is None:
        return None
    position, finished, hidden = one["currentTime"], one["isFinished"], one["hideFromContinueListening"]
    duration_ms = round(one["duration"] * 1000) or None
    ids = episode.podcast.id, episode.id
    return Progress(*ids, round(position * 1000), duration_ms, finished, one["lastUpdate"], is_hidden=hidden)


@pytest.mark.parametrize(
    ("state", "before", "expected"),
    [
        (EpisodeState(False, 5 * MINUTE, NOON), None, Wanted(NOON, 5 * MINUTE)),
        (EpisodeState(True, 0, NOON), None, Wanted(NOON, is_finished=True)),
        (EpisodeState(False, 0, NOON), None, Wanted(NOON, is_hidden=True)),
        (EpisodeState(False, 0, NOON), row(), Wanted(NOON + 1, is_hidden=True)),
        (EpisodeState(False, 0, NOON), row(is_hidden=True), None),
        (EpisodeState(False, 5 * MINUTE, NOON), row(5 * MINUTE + 999, NOON - HOUR), None),
        (EpisodeState(False, 5 * MINUTE, NOON - HOUR), row(2 * MINUTE), Wanted(NOON + 1, 5 * MINUTE)),
        (EpisodeState(False, 5 * MINUTE, NOON + 5 * HOUR), row(2 * MINUTE), Wanted(NOON + MINUTE, 5 * MINUTE)),
        (EpisodeState(False, LENGTH_MS, NOON), None, Wanted(NOON, LENGTH_MS - 11 * SECOND)),
        (EpisodeState(True, 0, NOON), row(is_finished=True), None),
    ],
)
def test_a_row_is_written_only_for_a_change_and_never_with_a_date_in_the_future(
    state: EpisodeState, before: Progress | None, expected: Wanted | None
) -> None:
    assert wanted(state, before, [], PLACE, NOON + MINUTE) == expected


def test_the_date_of_a_row_is_later_than_those_of_all_sessions() -> None:
    listened = [heard(4 * MINUTE, NOON + HOUR)]
    after = NOON + HOUR + 1
    assert wanted(None, row(9 * MINUTE), listened, PLACE, NOON + DAY) == Wanted(after, 9 * MINUTE)
    assert wanted(None, row(9 * MINUTE, after), listened, PLACE, NOON + DAY) is None
    assert wanted(None, row(is_finished=True), listened, PLACE, NOON + DAY) == Wanted(after, is_finished=True)
    assert wanted(None, None, listened, PLACE, NOON + DAY) == Wanted(after), "which says nothing"
    assert wanted(EpisodeState(), None, listened, PLACE, NOON + DAY) == Wanted(after, is_hidden=True)


def test_a_session_always_has_the_same_unique_id() -> None:
    ids = {
        session_id(device, Place("item", episode), at)
        for device in ("laptop", "desk")
        for episode in ("one", "two")
        for at in (NOON, NOON + 1)
    }
    assert len(ids) == 8
    assert session_id("laptop", Place("item", "one", 5, "Title"), NOON) in ids


# -- from the server ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "before", "kind", "seen_ms"),
    [
        (row(5 * MINUTE), None, ActionKind.PLAY, 0),
        (row(5 * MINUTE), seen(9 * MINUTE, NOON - HOUR), ActionKind.PLAY, 9 * MINUTE),
        (row(5 * MINUTE), seen(0, NOON - HOUR, is_finished=True), ActionKind.PLAY, SEEN_PLAYED),
        (row(is_finished=True), seen(9 * MINUTE, NOON - HOUR), ActionKind.PLAYED, 9 * MINUTE),
        (row(), seen(0, NOON - HOUR, is_finished=True), ActionKind.UNPLAYED, SEEN_PLAYED),
        (row(is_hidden=True), seen(9 * MINUTE, NOON - HOUR), ActionKind.UNPLAYED, 9 * MINUTE),
        (row(), None, None, 0),
        (row(999), None, None, 0),
    ],
)
def test_an_app_that_writes_a_later_row_had_read_the_former_one(
    now: Progress, before: Seen | None, kind: ActionKind | None, seen_ms: int
) -> None:
    looked, again = look(now, before, NOON + MINUTE)
    action = said(NAME, now, looked, before)
    assert again is None
    assert (action and action.kind) == kind
    if action is not None:
        assert (action.seen_ms, action.device, action.at, action.total_ms) == (seen_ms, "", NOON, LENGTH_MS)


@pytest.mark.parametrize(
    ("late", "before", "again"),
    [
        (row(5 * MINUTE, NOON - HOUR), seen(9 * MINUTE), Wanted(NOON, 9 * MINUTE)),
        (row(5 * MINUTE, NOON - HOUR), seen(is_finished=True), Wanted(NOON, is_finished=True)),
        (row(0, NOON - HOUR), seen(9 * MINUTE), Wanted(NOON, 9 * MINUTE)),
        (row(12 * MINUTE, NOON - HOUR), seen(9 * MINUTE), None),
        (row(5 * MINUTE, NOON - HOUR), seen(), None),
        (row(is_finished=True, at=NOON - HOUR), seen(9 * MINUTE), None),
        (row(is_finished=True, at=NOON - 2 * DAY), seen(9 * MINUTE), Wanted(NOON, 9 * MINUTE)),
        (row(0, NOON + HOUR), seen(9 * MINUTE), Wanted(NOON + HOUR + 1, 9 * MINUTE)),
    ],
)
def test_rows_that_are_late_or_mean_nothing_are_corrected_unless_they_are_news(
    late: Progress, before: Seen, again: Wanted | None
) -> None:
    looked, found = look(late, before, NOON + MINUTE)
    assert found == again
    if again is not None:
        assert looked == Seen(again.updated_ms, before.position_ms, before.is_finished, before.said_ms)
    else:
        assert looked.said_ms > before.said_ms, "it is news"


def test_a_row_with_a_future_date_counts_now_and_blocks_no_later_row() -> None:
    ahead = seen(9 * MINUTE, NOON + HOUR)
    looked, again = look(row(5 * MINUTE, NOON), ahead, NOON + MINUTE)
    assert (looked.position_ms, again) == (5 * MINUTE, None)
    looked, _again = look(row(5 * MINUTE, NOON + 400 * DAY), None, NOON)
    assert looked == Seen(NOON + 400 * DAY, 5 * MINUTE, False, NOON)
