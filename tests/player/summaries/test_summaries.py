"""Summaries and chapters of the listener's own: made by any program, kept apart from the podcast's, and never in its
place; whatever goes wrong is a sentence, and changes nothing."""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player import summaries
from player.errors import SummaryError
from player.library import Attachment, AttachmentKind
from player.model.episode import Chapter, ChapterSource, Episode, Summary
from player.paths import Paths
from player.processes.threads import CancelToken
from player.settings import Summarise
from player.summaries import Answer, Summaries, read_answer
from tests.player.attachments.conftest import House
from tests.player.summaries import odd_summariser
from tests.player.transcribing.engines.ending import is_gone, wait_until

PROGRAM = str(Path(odd_summariser.__file__))
NAME = Path(sys.executable).name
NOW = datetime(2026, 11, 20, tzinfo=UTC)
SPOKEN = b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Hello there.\n\n01:10.000 --> 01:12.000\n<v Grace>Fuse it.\n"
CHAPTERS = (Chapter(0, "Hello"), Chapter(20_000, "The pass"))


class Desk:
    """An episode of two minutes with a transcript."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.episode: Episode = house.add(0, duration_ms=120_000, title="Passes")
        spoken = Attachment(AttachmentKind.TRANSCRIPT, "https://a.example/t.vtt", SPOKEN, "text/vtt", "en")
        house.library.attachments.put(self.episode.id, spoken, NOW)

    def with_program(self, *words: str) -> Summaries:
        return Summaries(self.house.library, self.house.attachments, self.house.bus, Summarise(words))

    def make(self, what: str) -> Answer:
        return self.with_program(sys.executable, PROGRAM, what).make(self.episode, CancelToken())

    def kept(self) -> tuple[Summary | None, tuple[Chapter, ...]]:
        stored = self.with_program()
        return stored.stored(self.episode.id), stored.own_chapters(self.episode.id)


@pytest.fixture
def desk(paths: Paths) -> Iterator[Desk]:
    house = House(paths)
    yield Desk(house)
    house.close()


# -- made -----------------------------------------------------------------------------------------------------


def test_the_program_is_given_the_transcript_with_times_and_speakers(desk: Desk) -> None:
    assert desk.make("given").text == "Passes\nA show\n\n[0:01] Ada: Hello there.\n\n[1:10] Grace: Fuse it."


def test_a_summary_is_kept_with_the_name_of_what_made_it(desk: Desk) -> None:
    answer = desk.make("markdown")
    assert answer == Answer("**Two** people talk about passes.\n\n- It fuses at 0:20.")
    assert desk.kept() == (Summary(answer.text, NAME), ())
    assert desk.house.changed == [desk.episode.id]


@pytest.mark.parametrize("what", ["json", "fenced"])
def test_chapters_are_shown_where_the_podcast_has_none_as_what_they_are(desk: Desk, what: str) -> None:
    assert desk.make(what) == Answer("", CHAPTERS)
    found = desk.house.attachments.chapters(desk.episode)
    assert (found.items, found.source, found.made_by) == (CHAPTERS, ChapterSource.HERE, NAME)
    assert desk.kept() == (None, CHAPTERS)


def test_they_never_stand_in_place_of_the_podcast_s(desk: Desk) -> None:
    notes = "<p>0:00 Intro</p><p>0:30 Middle</p><p>1:30 End</p>"
    other = desk.house.add(1, notes=notes, duration_ms=120_000)
    spoken = Attachment(AttachmentKind.TRANSCRIPT, "https://a.example/t.vtt", SPOKEN, "text/vtt", "en")
    desk.house.library.attachments.put(other.id, spoken, NOW)
    desk.with_program(sys.executable, PROGRAM, "both").make(other, CancelToken())
    found = desk.house.attachments.chapters(other)
    assert (found.source, found.made_by) == (ChapterSource.NOTES, "")
    assert desk.with_program().own_chapters(other.id) == CHAPTERS


def test_it_can_be_made_again_and_forgotten(desk: Desk) -> None:
    desk.make("both")
    assert desk.kept() == (Summary("Both.", NAME), CHAPTERS)
    desk.make("markdown")
    summary, chapters = desk.kept()
    assert summary is not None
    assert summary.text.startswith("**Two**")
    assert chapters == CHAPTERS, "the answer had none"
    desk.with_program().remove(desk.episode.id)
    assert desk.kept() == (None, ())


def test_colours_and_control_characters_are_no_part_of_it(desk: Desk) -> None:
    assert desk.make("coloured").text.isprintable()
    assert desk.make("coloured").text.startswith("Red and ")


# -- wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("blank", "printed nothing."),
        ("page", "printed a web page instead of Markdown."),
        ("broken json", "printed JSON that can't be read."),
        ("no chapters", "printed JSON without chapters and without a summary."),
        ("out of order", "printed chapters that are out of order: 0:00 after 0:20."),
        ("beyond the end", "printed a chapter at 1:00:00, after the end at 2:00."),
        ("too long", "printed a summary of 99,999 characters, which is too long."),
        ("binary", "printed something that isn't text."),
        ("endless", "printed without end, and was ended."),
        ("dies", "was ended by signal 11."),
    ],
)
def test_a_wrong_answer_is_a_sentence_and_keeps_what_was_there(desk: Desk, what: str, says: str) -> None:
    desk.make("both")
    with pytest.raises(SummaryError) as caught:
        desk.make(what)
    assert str(caught.value) == f"{NAME} {says} Check “summarise.command” in config.toml."
    assert desk.kept() == (Summary("Both.", NAME), CHAPTERS)


def test_what_a_failing_program_says_is_told(desk: Desk) -> None:
    with pytest.raises(SummaryError, match=rf"{NAME} exited with 3\. It said: no model qwen2\.5"):
        desk.make("fails")


def test_one_that_hangs_is_ended(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODD_PID", str(tmp_path / "pid"))
    monkeypatch.setattr(summaries, "_LIMIT_S", 0.5)
    with pytest.raises(SummaryError, match="wasn't done after"):
        desk.make("hangs")


def test_cancelling_ends_it_and_all_that_it_started(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pid"
    monkeypatch.setenv("ODD_PID", str(pids))
    asked = desk.with_program(sys.executable, PROGRAM, "hangs")
    future = asked.ask(desk.episode)
    wait_until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    asked.close()
    assert str(future.exception(30)) == "Making the summary was stopped."
    wait_until(lambda: all(is_gone(int(one)) for one in pids.read_text().split()))


def test_what_is_missing_is_said_before_anything_runs(desk: Desk) -> None:
    with pytest.raises(SummaryError, match="No program that summarises is set up"):
        desk.with_program().make(desk.episode, CancelToken())
    with pytest.raises(SummaryError, match="there is no program “nonesuch”"):
        desk.with_program("nonesuch").make(desk.episode, CancelToken())
    bare = desk.house.add(1, title="Bare")
    with pytest.raises(SummaryError, match="“Bare” has no transcript to summarise"):
        desk.with_program(sys.executable).make(bare, CancelToken())


def test_a_failure_in_the_background_is_told(desk: Desk) -> None:
    asked = desk.with_program(sys.executable, PROGRAM, "blank")
    assert isinstance(asked.ask(desk.episode).exception(30), SummaryError)
    assert desk.house.notices == [f"{NAME} printed nothing. Check “summarise.command” in config.toml."]
    asked.close()


# -- any answer -----------------------------------------------------------------------------------------------


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(str.encode),
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=9)),
            lambda inner: st.one_of(
                st.lists(inner, max_size=4),
                st.dictionaries(st.sampled_from(["chapters", "summary", "startTime", "title", "x"]), inner, max_size=4),
            ),
            max_leaves=12,
        ).map(lambda document: json.dumps(document).encode()),
    )
)
def test_any_answer_is_read_or_refused_with_a_sentence(printed: bytes) -> None:
    refused, answer = "", Answer()
    try:
        answer = read_answer(printed, 60_000)
    except ValueError as error:
        refused = str(error)
    assert bool(answer.text or answer.chapters) is not bool(refused)
    assert refused.startswith("printed ") or not refused
    assert all(0 <= one.start_ms < 60_000 for one in answer.chapters)
