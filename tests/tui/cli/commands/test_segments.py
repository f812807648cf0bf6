"""`segment` and `segments`."""

import json

import pytest

from player.acts import Acts
from player.events import Bus, Cause, SegmentsChanged
from player.integrations.control_socket import ControlServer
from player.library import Library
from player.model.segments import Segment, SegmentKind
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.integrations.fake_session import FakeSession
from tests.player.sounds.made import keep, made_up, with_inserted
from tests.tui.cli.conftest import Earmark, feed
from tui.cli.command import at_once


@pytest.fixture(autouse=True)
def subscribed(earmark: Earmark, server: LoopbackServer) -> None:
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog"))).code == 0


@pytest.fixture
def found(library: Library) -> Segment:
    """A sponsor in “Rain”, found in “Wind”."""
    marked = library.segments.mark(library.episodes.find("Rain").id, 754_000, 788_000, SegmentKind.SPONSOR)
    library.segments.put_found(library.episodes.find("Wind").id, [(marked.id, 60_000, 94_000)])
    return marked


def test_a_part_of_an_episode_is_marked_and_that_is_undone(earmark: Earmark, library: Library) -> None:
    ended = earmark("segment", "rain", "1:00", "1:34", "--kind", "sponsor")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "Marked 1:00–1:34 in “Rain”: sponsor.\nTo undo this: earmark undo\n"
    (made,) = library.segments.all()
    assert (made.start_ms, made.end_ms, made.kind) == (60_000, 94_000, SegmentKind.SPONSOR)
    assert "marked a segment in “Rain”" in earmark("undo").out
    assert library.segments.all() == []


def test_an_end_before_its_start_is_its_start_and_without_a_kind_it_is_another(
    earmark: Earmark, library: Library
) -> None:
    made = json.loads(earmark("segment", "rain", "2m", "1:00", "--json").out)
    assert (made["start_ms"], made["end_ms"], made["length_ms"], made["kind"]) == (60_000, 120_000, 60_000, "other")
    assert (made["found"], made["episode"], made["podcast"]) == (False, "Rain", "Slow Radio")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("1:00", "1:00"), "A segment can't be shorter than a second"),
        (("0", "1:00:01"), "A segment can't be longer than an hour; this one is 1:00:01"),
        (("9:00:00", "9:00:10"), "This episode is only"),
    ],
)
def test_an_impossible_one_is_refused_with_a_sentence(
    earmark: Earmark, library: Library, words: tuple[str, ...], sentence: str
) -> None:
    with library._connected.writing() as connection:
        connection.execute("UPDATE episodes SET duration_ms = 7200000")
    ended = earmark("segment", "rain", *words)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"earmark: {sentence}")
    assert library.segments.all() == []


def test_a_kind_that_there_is_not_is_refused(earmark: Earmark) -> None:
    assert earmark("segment", "rain", "0", "9", "--kind", "song").code == 2


def test_all_are_listed_with_where_they_were_found_or_those_of_an_episode(earmark: Earmark, found: Segment) -> None:
    lines = [line.split() for line in earmark("segments").out.splitlines()]
    assert lines[0][:5] == ["ID", "START", "LENGTH", "KIND", "FOUND"]
    assert lines[1][:5] == [str(found.id), "12:34", "0:34", "sponsor", "Rain"]
    assert lines[2][:6] == [str(found.id), "1:00", "0:34", "sponsor", "found", "Wind"]
    (only,) = json.loads(earmark("segments", "wind", "--json").out)
    assert (only["id"], only["found"], only["start_ms"], only["end_ms"]) == (found.id, True, 60_000, 94_000)
    assert earmark("segments", "fog").out == "No segments in this episode.\n"
    assert json.loads(earmark("segments", "--kind", "intro", "--json").out) == []
    assert len(json.loads(earmark("segments", "--filter", "title:wind", "--json").out)) == 1


def test_their_kind_is_changed_and_they_are_deleted_which_is_undone(
    earmark: Earmark, library: Library, found: Segment
) -> None:
    assert earmark("segments", "--change", f"{found.id}", "--kind", "intro").code == 0
    assert library.segments.get(found.id).kind is SegmentKind.INTRO
    assert earmark("segments", "--delete", "99", f"{found.id}").err.startswith("earmark: No segment has the ID 99")
    ended = earmark("segments", "--delete", f"{found.id}", "--json")
    assert ended.json == {"deleted": [found.id]}
    assert library.segments.all(found=True) == []
    assert earmark("undo").code == 0
    assert len(library.segments.all(found=True)) == 2
    assert earmark("segments", "--change", "1").code == 2


def test_what_several_episodes_share_is_listed_until_it_is_marked(
    earmark: Earmark, library: Library, paths: Paths
) -> None:
    nothing = "Nothing unmarked is repeated in the episodes of “Welcome to Earmark” on this disk.\n"
    assert earmark("segments", "--repeats", "welcome").out == nothing
    rows = [library.episodes.find(title) for title in ("Press play", "Find your way", "Make it yours")]
    library.queue.add_next([row.id for row in rows])
    jingle = made_up(100, 100)
    for number, row in enumerate(rows):
        keep(paths.waveforms, row, with_inserted(made_up(number, 500), 8_000 + 1_000 * number, jingle, ""))
    newest = max(rows, key=lambda row: row.published or row.id)
    (found,) = earmark("segments", "--repeats", "welcome", "--json").json
    assert (found["episode_id"], found["episode"], found["episodes"]) == (newest.id, newest.title, 3)
    assert found["start_ms"] == pytest.approx(8_000 + 1_000 * rows.index(newest), abs=700)
    assert found["length_ms"] == found["end_ms"] - found["start_ms"] == pytest.approx(jingle.duration_ms, abs=1_700)
    assert len(found["words"].split()) > 3
    line = earmark("segments", "--repeats", "welcome").out.splitlines()[1].split()
    assert line[2] == "3"
    assert earmark("segments", "--repeats", "slow radio", "--json").json == []
    assert earmark("segments", "--repeats", "nobody").code == 1
    assert earmark("segments", "rain", "--repeats", "welcome").code == 2
    edges = (f"{found[edge] // 1000}" for edge in ("start_ms", "end_ms"))
    assert earmark("segment", str(newest.id), *edges).code == 0
    assert earmark("segments", "--repeats", "welcome").out == nothing


def test_through_the_earmark_that_runs_its_screen_is_told(earmark: Earmark, paths: Paths, library: Library) -> None:
    bus = Bus()
    changed: list[SegmentsChanged] = []
    bus.subscribe(SegmentsChanged, changed.append)
    rain = library.episodes.find("Rain").id
    running = ControlServer(paths.socket, FakeSession(), acts=Acts(library, bus, at_once))
    running.start()
    try:
        assert earmark("segment", "rain", "1:00", "1:34").code == 0
        (made,) = library.segments.all()
        assert earmark("segments", "--change", f"{made.id}", "--kind", "recap").code == 0
        assert library.segments.get(made.id).kind is SegmentKind.RECAP
        assert earmark("segments", "--delete", f"{made.id}").code == 0
        refused = earmark("segment", "rain", "0", "2:00:00")
    finally:
        running.close()
    assert (refused.code, library.segments.all()) == (1, [])
    assert "longer than an hour" in refused.err
    assert changed == 3 * [SegmentsChanged((rain,), Cause.PERSON)]
