"""Clean-ups can be undone for a day, and then their files are gone."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from player.downloads import trash
from player.downloads.planning import Cause, Removal
from player.downloads.transcript_files import write_beside
from player.errors import LibraryError
from player.library.listening.acts import reverted_words
from player.model.downloads import Refusal
from player.model.episode import EpisodeId
from player.model.listening import ActKind, Part
from tests.player.downloads.ruling.conftest import SIZE, Kept
from tests.player.downloads.test_transcript_files import SPOKEN


def removals(ids: tuple[EpisodeId, ...], cause: Cause = Cause.PLAYED) -> list[Removal]:
    return [Removal(one, SIZE, cause) for one in ids]


@pytest.fixture
def three(kept: Kept) -> tuple[EpisodeId, ...]:
    """Downloaded by a rule."""
    _podcast, ids = kept.podcast(3)
    for one in ids:
        kept.put(one, "queue")
    return ids


def clean_up(kept: Kept, ids: tuple[EpisodeId, ...], cause: Cause = Cause.PLAYED) -> list[EpisodeId]:
    return trash.set_aside(kept.library, kept.folder, removals(ids, cause)).gone


def test_a_clean_up_is_undone_and_done_again(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    before = kept.files()
    assert clean_up(kept, three) == list(three)
    assert kept.files() == [f".trash/{one}.mp3" for one in sorted(three)]
    assert not (kept.folder / "A show").exists()
    assert set(kept.library.downloads.facts.refused().values()) == {Refusal.CLEANED}
    undone = trash.undo(kept.library)
    assert undone
    assert reverted_words(undone) == "Undone: deleted 3 downloads"
    assert set(undone.episode_ids) == set(three)
    assert kept.files() == before
    assert {one.why for one in kept.library.downloads.all()} == {"manual"}, "no rule deletes what was brought back"
    assert kept.library.downloads.facts.refused() == {}
    redone = trash.redo(kept.library)
    assert redone
    assert reverted_words(redone) == "Redone: deleted 3 downloads"
    assert kept.files() == [f".trash/{one}.mp3" for one in sorted(three)]
    assert kept.library.downloads.all() == []
    assert trash.undo(kept.library)
    assert kept.files() == before


@pytest.mark.parametrize("refusal", [Refusal.DELETED, Refusal.CLEANED, None])
def test_what_is_deleted_again_is_refused_as_before(
    kept: Kept, three: tuple[EpisodeId, ...], refusal: Refusal | None
) -> None:
    library = kept.library
    if refusal is Refusal.DELETED:
        trash.delete(library, kept.folder, three)
    else:
        clean_up(kept, three, Cause.PLAYED if refusal else Cause.ROOM)
    before = library.downloads.facts.refused()
    assert set(before.values()) == ({refusal} if refusal else set())
    assert trash.undo(library)
    assert library.downloads.facts.refused() == {}
    assert trash.redo(library)
    assert library.downloads.facts.refused() == before


def test_one_download_is_undone_by_its_title(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    clean_up(kept, three[:1])
    undone = trash.undo(kept.library)
    assert undone
    assert reverted_words(undone) == "Undone: deleted the download of “Episode 0”"


def test_what_the_listener_undid_before_can_still_be_redone(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    library = kept.library
    with library.acts.recorded(ActKind.STARRED, three[2:], Part.STARRED):
        library.episodes.set_starred(three[2:], True)
    library.acts.undo()
    clean_up(kept, three[:1])
    redone = trash.redo(library)
    assert redone
    assert redone.act.kind is ActKind.STARRED


def test_transcripts_go_and_come_back_with_their_audio(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    first, second, third = three
    audio = {one: kept.folder / "A show" / f"{one}.mp3" for one in three}
    write_beside(first, audio[first], SPOKEN)
    write_beside(third, audio[third], SPOKEN)
    audio[second].with_suffix(".vtt").write_text("WEBVTT\n\n00:00.000 --> 00:01.000\nMine.\n")
    before = kept.files()
    clean_up(kept, three)
    mine = f"A show/{second}.vtt"
    aside = sorted([mine, f".trash/{first}.vtt", f".trash/{third}.vtt", *(f".trash/{one}.mp3" for one in three)])
    assert kept.files() == aside
    assert trash.undo(kept.library)
    assert kept.files() == before
    assert trash.redo(kept.library)
    assert kept.files() == aside
    trash.purge(kept.library, [first])
    trash.sweep(kept.library, kept.folder)
    assert kept.files() == sorted([mine, f".trash/{third}.vtt", *(f".trash/{one}.mp3" for one in (second, third))])
    assert trash.restore(kept.library, third, "queue")
    assert f"A show/{third}.vtt" in kept.files()


def test_what_became_protected_meanwhile_stays(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    kept.library.episodes.set_starred(three[:1], True)
    kept.library.queue.add_last(three[1:2])
    kept.library.downloads.put(three[2], kept.folder / "x.mp3", size=1)
    assert clean_up(kept, three) == []
    assert kept.library.acts.last() is None, "nothing to undo"


def test_after_a_day_the_files_are_gone_and_nothing_can_be_undone(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    clean_up(kept, three)
    kept.wait(hours=23)
    kept.follow()
    assert len(kept.files()) == 3
    kept.wait(hours=1)
    kept.follow()
    assert kept.files() == []
    assert trash.undo(kept.library) is None
    assert kept.library.downloads.facts.trash() == ()


def test_an_act_whose_files_went_in_part_brings_back_the_rest(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    clean_up(kept, three)
    trash.purge(kept.library, three[:1])
    (kept.folder / ".trash" / f"{three[1]}.mp3").unlink()
    undone = trash.undo(kept.library)
    assert undone
    assert undone.episode_ids == (three[2],)
    assert kept.files() == [f"A show/{three[2]}.mp3"]


def test_another_file_in_its_place_is_not_overwritten(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    path = kept.library.downloads.path(three[0])
    assert path
    clean_up(kept, three[:1])
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    trash.undo(kept.library)
    assert path.read_text() == "mine"
    back = kept.library.downloads.path(three[0])
    assert back
    assert back != path
    assert back.stat().st_size == SIZE


def test_a_file_that_is_missing_is_forgotten_without_complaint(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    path = kept.library.downloads.path(three[0])
    assert path
    path.unlink()
    assert clean_up(kept, three[:1]) == [three[0]]
    assert trash.undo(kept.library) is None
    assert kept.library.downloads.all() != []


def test_what_cannot_be_moved_stays_a_download(
    kept: Kept, three: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Path, _target: Path) -> Path:
        raise PermissionError(13, "no")

    monkeypatch.setattr(Path, "rename", refuse)
    assert clean_up(kept, three) == []
    assert len(kept.library.downloads.all()) == 3


def test_files_stand_where_they_were_if_the_library_cannot_be_written(
    kept: Kept, three: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kept.files()
    monkeypatch.setattr(
        "player.library.listening.act_downloads.finish",
        lambda *_given: (_ for _ in ()).throw(LibraryError("full")),
    )
    with pytest.raises(LibraryError):
        clean_up(kept, three)
    assert kept.files() == before
    assert len(kept.library.downloads.all()) == 3


def test_a_rule_that_wants_it_again_gets_it_from_the_trash(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    clean_up(kept, three, Cause.ROOM)
    assert kept.library.downloads.facts.refused() == {}
    assert kept.library.downloads.facts.sizes() == dict.fromkeys(three, SIZE)
    kept.settings = replace(kept.settings, newest=1)
    done = kept.follow()
    assert (done.restored, done.begun) == (three[:1], ())
    found = kept.library.downloads.get(three[0])
    assert found
    assert found.why.startswith("podcast:")


def test_a_podcast_that_is_removed_leaves_files_that_go_in_a_day(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    clean_up(kept, three)
    podcast = kept.library.podcasts.get(kept.library.episodes.get(three[0]).podcast_id)
    kept.library.acts.unsubscribe(podcast.id)
    kept.wait(days=1)
    kept.follow()
    assert kept.files() == []


def test_a_file_that_nobody_knows_is_swept_away_after_a_day(kept: Kept, three: tuple[EpisodeId, ...]) -> None:
    clean_up(kept, three[:1])
    lost = kept.folder / ".trash" / "7.mp3"
    lost.write_text("after a crash")
    trash.sweep(kept.library, kept.folder, now=lost.stat().st_ctime + 60)
    assert lost.exists()
    trash.sweep(kept.library, kept.folder, now=lost.stat().st_ctime + 90_000)
    assert kept.files() == sorted([f".trash/{three[0]}.mp3", *(f"A show/{one}.mp3" for one in three[1:])])
