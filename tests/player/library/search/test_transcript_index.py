"""What is said in kept transcripts is found, with the second it is said at, and stays in step."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from player.library import Attachment, AttachmentKind, Library
from player.library.attachments import GIVEN, MADE
from player.library.search import transcript_index
from player.library.search.search import Passage, Places
from player.library.search.spoken_hits import SpokenHit
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import STARTER_URL, Podcast
from player.paths import Paths
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode
from tests.quick import examples

SPOKEN = "https://example.org/talk.vtt"


@pytest.fixture
def shows(library: Library) -> tuple[Podcast, Podcast]:
    pytorch = library.podcasts.add(STARTER_URL)
    apply_feed(
        library,
        pytorch,
        episode(0, title="CUDA graphs", notes="<p>Ways of <b>inference</b></p>"),
        episode(2, title="Inductor", notes="fusing"),
        title="PyTorch Developer Podcast",
    )
    talk = library.podcasts.add("https://talk.example", "Talk Python")
    apply_feed(
        library,
        talk,
        episode(1, title="Typing", notes="graphs of types"),
        episode(3, title="Packaging", notes="wheels"),
        title="Talk Python",
    )
    return pytorch, talk


def transcribe(library: Library, title: str, *lines: str, url: str = SPOKEN, language: str = "en") -> None:
    """Keeps a transcript with these lines, one every ten seconds."""
    cues = [f"00:{10 * at:02}.000 --> 00:{10 * at + 9:02}.000\n{line}\n" for at, line in enumerate(lines)]
    body = "\n".join(["WEBVTT\n", *cues]).encode()
    one = Attachment(AttachmentKind.TRANSCRIPT, url, body, "text/vtt", language)
    library.attachments.put(library.episodes.find(title).id, one, datetime.now(UTC))


def found(library: Library, text: str, **how: Any) -> list[str]:
    library.search.catch_up()
    return [row.title for row in library.episodes.rows(library.search.find(text, 50, **how).ids)]


def passage(library: Library, text: str, title: str) -> Passage:
    library.search.catch_up()
    (only,) = library.search.passages([library.episodes.find(title)], library.search.find(text, 50), 60)
    return only


def excerpt(library: Library, text: str, title: str) -> tuple[str, int | None]:
    one = passage(library, text, title)
    return one.text, one.at_ms


def hits(library: Library, text: str, title: str) -> list[SpokenHit]:
    library.search.catch_up()
    return library.search.spoken_hits(library.episodes.find(title).id, library.search.find(text, 50))


# -- found ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shows")
def test_words_said_are_found_like_words_written(library: Library) -> None:
    assert found(library, "in:transcript ") == []
    transcribe(library, "Typing", "Hello there.", "We talk of walruses", "and café society.", "No inference at all.")
    assert found(library, "walrus* ") == found(library, "in:transcript walruses ") == ["Typing"]
    assert found(library, "in:transcript ") == found(library, "in:transcript podcast:talk ") == ["Typing"]
    assert found(library, "inference ") == ["CUDA graphs", "Typing"]
    assert found(library, "in:transcript inference ") == ["Typing"]
    assert found(library, "typing graphs walruses cafe ") == ["Typing"], "some in title and notes, some said"
    assert found(library, '"walruses and cafe" ') == ["Typing"]
    assert found(library, "in:transcript graphs ") == []
    assert found(library, "in:transcript hello -walruses ") == found(library, "hello -walruses ") == []
    assert found(library, "graphs -walruses ") == ["CUDA graphs", "Typing"], "said in passing, it isn't left out"
    assert found(library, "walruses podcast:talk is:unplayed after:2026-02 ") == ["Typing"]
    assert found(library, "walruses podcast:pytorch ") == found(library, "walruses is:starred ") == []
    library.episodes.set_starred([library.episodes.find(one).id for one in ("Typing", "CUDA")], True)
    assert found(library, "walruses is:starred ") == found(library, "in:transcript is:starred ") == ["Typing"]


@pytest.mark.usefixtures("shows")
def test_some_words_may_have_to_be_said_while_others_may_be_anywhere(library: Library) -> None:
    transcribe(library, "Typing", "We talk of walruses and inference.")
    transcribe(library, "CUDA", "We talk of walruses.")
    assert found(library, "said:walruses ") == ["CUDA graphs", "Typing"]
    assert found(library, "said:inference ") == ["Typing"], "in CUDA graphs it is written only"
    assert found(library, "inference said:walruses ") == ["CUDA graphs", "Typing"]
    assert found(library, 'said:"of walruses and" ') == ["Typing"]
    assert found(library, 'said:"walruses of" ') == found(library, "said:graphs ") == []
    assert found(library, "said:walruses -types ") == ["CUDA graphs"], "left out wherever it is"
    assert found(library, "said:walruses podcast:talk sort:oldest ") == ["Typing"]
    assert found(library, "said:walr") == ["CUDA graphs", "Typing"], "while it is typed"


def speak(library: Library, title: str, *lines: tuple[str, str]) -> None:
    """Keeps a transcript with lines of speakers."""
    transcribe(library, title, *(f"<v {speaker}>{words}" for speaker, words in lines))


@pytest.mark.usefixtures("shows")
def test_it_may_matter_who_says_it(library: Library) -> None:
    speak(
        library,
        "Typing",
        ("Ann Lee", "Hello, I saw walruses."),
        ("Bo", "Of course, seals"),
        ("Ann Lee", "and otters are here."),
        ("Ann Lee", "Otters swim."),
    )
    speak(library, "CUDA", ("Bo", "I saw walruses, too."), ("Leeann", "Hm."))
    assert found(library, "speaker:bo ") == ["CUDA graphs", "Typing"]
    assert found(library, "speaker:ann ") == found(library, 'speaker:"ann lee" ') == ["Typing"], "whole words"
    assert found(library, "speaker:lee") == ["CUDA graphs", "Typing"], "while it is typed"
    assert found(library, "speaker:bo walruses ") == ["CUDA graphs"]
    assert found(library, "speaker:ann walruses otters ") == ["Typing"]
    assert found(library, "speaker:ann speaker:bo walruses ") == ["CUDA graphs", "Typing"], "any of them"
    assert found(library, "speaker:ann speaker:bo walruses seals ") == [], "one of them says all of it"
    assert found(library, 'speaker:ann "are here otters" ') == ["Typing"]
    assert found(library, 'speaker:ann "walruses and" ') == [], "somebody else spoke in between"
    assert found(library, "speaker:bo walruses -too ") == found(library, "speaker:bo typing ") == []
    assert found(library, "speaker:bo sort:oldest limit:1 ") == ["Typing"]
    assert found(library, "speaker:bo podcast:talk ") == ["Typing"]
    assert [one.text for one in hits(library, "speaker:ann otters ", "Typing")] == [
        "and otters are here.",
        "Otters swim.",
    ]
    assert passage(library, "speaker:bo ", "Typing").text.startswith("Of course, seals")
    assert library.search.speakers(9) == ["Bo", "Ann Lee", "Leeann"]
    assert library.size_of("speaker:bo said:walruses") == (1, False), "as a smart list"
    speak(library, "Typing", ("Cy", "Only I."))
    assert found(library, "speaker:ann ") == []
    assert library.search.speakers(2) == ["Bo", "Cy"]


@pytest.mark.usefixtures("shows")
def test_matches_are_counted_by_where_their_words_are(library: Library) -> None:
    transcribe(library, "Packaging", "We speak of graphs", "and of cuda")
    library.search.catch_up()
    for text, places in (
        ("graphs ", Places(1, 1, 1)),
        ("cuda graphs ", Places(1, 0, 1)),
        ("graphs sort:longest ", Places(1, 1, 1)),
        ("graphs -cuda ", Places(0, 1, 0)),
        ("podcast:talk graphs ", Places(0, 1, 1)),
        ("nowhere ", Places(0, 0, 0)),
        ("in:transcript graphs ", None),
        ("is:unplayed ", None),
    ):
        assert library.search.places(library.search.find(text, 50)) == places, text


@pytest.mark.usefixtures("shows")
def test_both_indexes_answer_in_one_order(library: Library) -> None:
    for title in ("Packaging", "Inductor", "CUDA"):
        transcribe(library, title, "All about typing.")
    assert found(library, "typing ") == ["CUDA graphs", "Typing", "Inductor", "Packaging"]
    assert found(library, "typing ", best=True) == ["Typing", "CUDA graphs", "Inductor", "Packaging"]
    newest = library.search.find("typing ", 2)
    assert list(newest.ids) == [library.episodes.find(one).id for one in ("CUDA", "Typing")]
    assert newest.more
    assert not library.search.find("typing ", 4).more


@pytest.mark.usefixtures("shows")
def test_the_passage_is_where_it_is_said_unless_title_and_notes_have_it(library: Library) -> None:
    transcribe(
        library,
        "Typing",
        "Hello there.",
        "We talk of walruses",
        "and café society.",
        "Then, graphs.",
        "Walruses, café.",
    )
    transcribe(library, "CUDA", "Of walruses, too.")
    assert excerpt(library, "hello ", "Typing") == ("Hello there. We talk of walruses and café society.", 0)
    assert passage(library, "walruses ", "Typing").at_ms == 10_000
    assert excerpt(library, "cafe then ", "Typing")[1] == 10_000, "no sentence has both"
    assert excerpt(library, "graphs then ", "Typing") == ("Then, graphs. Walruses, café.", 30_000), "where most are"
    assert passage(library, '"walruses and" ', "Typing").at_ms == 10_000, "across the end of a line"
    assert passage(library, "graphs ", "Typing") == Passage("graphs of types"), "its notes have it"
    assert passage(library, "in:transcript graphs ", "Typing").at_ms == passage(library, "said:graphs ", "Typing").at_ms
    assert passage(library, "said:graphs ", "Typing").at_ms == 30_000
    assert passage(library, "inference ", "CUDA") == Passage("Ways of inference")
    assert excerpt(library, "inference walruses ", "CUDA") == ("Of walruses, too.", 0)


@pytest.mark.usefixtures("shows")
def test_the_hits_of_an_episode_have_the_sentences_around_them_and_the_moment_of_the_word(library: Library) -> None:
    transcribe(library, "Typing", "Hello there. We", "talk of walruses.", "Then, graphs.", "Walruses!")
    first, last = hits(library, "walruses ", "Typing")
    assert first == SpokenHit("We talk of walruses.", "Hello there.", "Then, graphs.", 0, "", 1, 11)
    assert (last.before, last.text, last.after, last.at_ms) == ("Then, graphs.", "Walruses!", "", 30_000)
    typing = library.episodes.find("Typing").id
    assert library.search.said_at(typing, first) == 10_000, "its line begins later than its sentence"
    transcribe(library, "Typing", "Something else.")
    assert library.search.said_at(typing, first) == 0, "what was found is all that is known"
    assert hits(library, "walruses ", "CUDA") == []


@pytest.mark.usefixtures("shows")
def test_a_hit_is_at_its_word_where_words_have_times(library: Library) -> None:
    said = [("We", 1), ("talk", 2), ("of", 3), ("walruses.", 4.5)]
    segment = {
        "startTime": 1,
        "endTime": 6,
        "body": "We talk of walruses.",
        "words": [{"word": a, "start": b} for a, b in said],
    }
    body = json.dumps({"version": "1.0.0", "segments": [segment]}).encode()
    made = Attachment(AttachmentKind.TRANSCRIPT, MADE, body, "application/json", "en")
    typing = library.episodes.find("Typing").id
    library.attachments.put(typing, made, datetime.now(UTC))
    (hit,) = hits(library, "walruses ", "Typing")
    assert (hit.at_ms, library.search.said_at(typing, hit)) == (1_000, 4_500)


@pytest.mark.usefixtures("shows")
def test_a_transcript_without_times_has_no_second(library: Library) -> None:
    one = Attachment(AttachmentKind.TRANSCRIPT, SPOKEN, b"Hello.\n\nOf walruses.\n", "text/plain")
    library.attachments.put(library.episodes.find("Typing").id, one, datetime.now(UTC))
    assert excerpt(library, "walruses ", "Typing") == ("Of walruses.", None)
    (hit,) = hits(library, "walruses ", "Typing")
    assert (hit.before, hit.at_ms) == ("Hello.", None)
    assert library.search.said_at(library.episodes.find("Typing").id, hit) is None


# -- in step --------------------------------------------------------------------------------------------------


def test_the_transcript_that_is_there_now_is_found(library: Library, shows: tuple[Podcast, Podcast]) -> None:
    library.search.catch_up()
    transcribe(library, "Typing", "Walruses.")
    assert library.search.left() == 1
    assert found(library, "walruses ") == ["Typing"]
    transcribe(library, "Typing", "Narwhals.")
    transcribe(library, "Typing", "Narwale.", url="https://example.org/de.vtt", language="de")
    assert found(library, "walruses ") == []
    assert found(library, "narwhals narwale ") == ["Typing"], "in all languages"
    transcribe(library, "Typing", "Seals.", url=f"{GIVEN}en")
    assert found(library, "narwhals ") == [], "one's own takes the place of the feed's"
    assert found(library, "seals ") == found(library, "narwale ") == ["Typing"]
    typing = library.episodes.find("Typing").id
    library.attachments.remove(typing, AttachmentKind.TRANSCRIPT, f"{GIVEN}en")
    assert found(library, "seals ") == []
    assert found(library, "narwhals ") == ["Typing"]
    library.podcasts.remove(shows[1].id)
    assert found(library, "narwhals ") == found(library, "in:transcript ") == []


@pytest.mark.usefixtures("shows")
@pytest.mark.parametrize(("language", "counts"), [("en", False), ("en-GB", False), ("", False), ("de", True)])
def test_a_transcript_made_here_counts_where_there_is_no_other(library: Library, language: str, counts: bool) -> None:
    transcribe(library, "Typing", "Walruses.", url=MADE, language="en")
    assert len(hits(library, "walruses ", "Typing")) == 1
    transcribe(library, "Typing", "Walruses.", language=language)
    assert len(hits(library, "walruses ", "Typing")) == 1 + counts
    library.attachments.remove(library.episodes.find("Typing").id, AttachmentKind.TRANSCRIPT, SPOKEN)
    assert len(hits(library, "walruses ", "Typing")) == 1


def test_an_episode_that_is_renamed_and_moved_keeps_it(library: Library, shows: tuple[Podcast, Podcast]) -> None:
    transcribe(library, "CUDA", "Walruses.")
    assert found(library, "walruses ") == ["CUDA graphs"]
    apply_feed(library, shows[0], episode(0, title="Renamed", published=NEWEST - timedelta(days=9)))
    transcribe(library, "Typing", "Walruses too.")
    assert found(library, "walruses ") == ["Typing", "Renamed"]
    assert found(library, "walruses cuda ") == []


def test_many_transcripts_are_taken_in_a_few_at_a_time(
    library: Library, podcast: Podcast, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_feed(library, podcast, *(episode(number, title=f"T{number}x") for number in range(25)))
    for number in range(25):
        transcribe(library, f"T{number}x", "Walruses.")
    library._index.throw_away()
    at_once: list[int] = []
    add = transcript_index.add

    def counted(connection: sqlite3.Connection, rows: Iterable[Any]) -> None:
        listed = list(rows)
        at_once.append(len(listed))
        add(connection, listed)

    monkeypatch.setattr(transcript_index, "add", counted)
    assert len(found(library, "walruses ")) == 25
    assert max(at_once) == 10


WORDS = ("red", "green", "blue", "café")
WRITES = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(0, 3), st.sampled_from(WORDS)),
        st.tuples(st.just("hear"), st.integers(0, 3), st.sampled_from(WORDS)),
        st.tuples(st.just("forget"), st.integers(0, 3), st.just("")),
        st.tuples(st.just("remove"), st.just(0), st.just("")),
        st.tuples(st.just("catch up"), st.just(0), st.just("")),
    ),
    max_size=12,
)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(writes=WRITES)
def test_it_ends_up_the_same_whatever_came_between(library: Library, paths: Paths, writes: list[Any]) -> None:
    podcast = library.podcasts.by_url(URL) or library.podcasts.add(URL)
    for what, number, word in writes:
        ids = library.episodes.ids(View.of(ViewName.PODCAST, podcast.id))
        if what == "say":
            apply_feed(library, podcast, episode(number, title=f"{word} {number}"))
        elif what == "remove":
            library.podcasts.remove(podcast.id)
            podcast = library.podcasts.add(URL)
        elif what == "catch up":
            library.search.catch_up()
        elif number < len(ids) and what == "hear":
            speak(library, str(ids[number]), ("Ann", f"{word} is said."), ("Bo", "Yes."), ("Ann", f"Yes, {word}."))
        elif number < len(ids):
            library.attachments.remove(EpisodeId(ids[number]), AttachmentKind.TRANSCRIPT, SPOKEN)
    asked = [
        f"{where}{word} "
        for where in ("", "in:transcript ", "speaker:ann ")
        for word in ("red", "green", "blue", "cafe", "notes")
    ]
    answers = {words: found(library, words) for words in asked}
    library._index.throw_away()
    assert answers == {words: found(library, words) for words in asked}
    database = sqlite3.connect(paths.library)
    assert database.execute("SELECT count(*) FROM search_changes").fetchone() == (0,)
    database.close()
    index = sqlite3.connect(paths.search)
    index.execute("INSERT INTO spoken (spoken) VALUES ('integrity-check')")
    index.execute("INSERT INTO voices (voices) VALUES ('integrity-check')")
    index.close()
