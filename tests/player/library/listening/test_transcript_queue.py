"""What is to be transcribed is in the queue of downloads, after the download of the same episode."""

from pathlib import Path

import pytest

from player.library import Attachment, AttachmentKind, Library
from player.library.attachments import MADE
from player.model.downloads import DownloadState, Refusal, Work
from player.model.episode import EpisodeId, TranscriptRef
from player.model.podcast_settings import AutoTranscribe, PodcastSettings
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode


@pytest.fixture
def ids(library: Library) -> list[EpisodeId]:
    podcast = library.podcasts.add(URL, "A show")
    named = episode(5, transcripts=(TranscriptRef("https://example.org/5.vtt", "text/vtt", "en"),))
    return sorted(apply_feed(library, podcast, *(episode(number) for number in range(1, 5)), named).new)


def works(library: Library) -> list[tuple[EpisodeId, Work]]:
    return [(one.episode_id, one.work) for one in library.downloads.queue.all()]


def test_an_episode_is_downloaded_then_transcribed_then_gone_from_the_queue(
    library: Library, ids: list[EpisodeId]
) -> None:
    queue, one = library.downloads.queue, ids[0]
    assert queue.add([one], work=Work.TRANSCRIPT) == [one]
    assert queue.add([one]) == [one]
    assert queue.add([one]) == queue.add([one], work=Work.TRANSCRIPT) == []
    assert works(library) == [(one, Work.DOWNLOAD)]
    queue.problem(one, "It broke", "", state=DownloadState.WAITING, attempts=3, retry_at=NEWEST)
    library.downloads.put(one, Path("/music/one.mp3"))
    (left,) = queue.all()
    assert (left.work, left.attempts, left.retry_at, left.problem) == (Work.TRANSCRIPT, 0, None, "")
    assert queue.add([one]) == []
    queue.done(one, Work.TRANSCRIPT)
    assert queue.all() == []


def test_a_download_by_a_rule_keeps_its_reason_and_one_by_hand_its_owner(
    library: Library, ids: list[EpisodeId]
) -> None:
    queue, (one, two, *_others) = library.downloads.queue, ids
    queue.add([one], "newest")
    queue.add([one, two], work=Work.TRANSCRIPT)
    queue.add([two], "newest")
    assert [row.why for row in queue.all()] == ["newest", "newest"]
    assert library.downloads.facts.coming() == [(one, "newest", False), (two, "newest", False)]
    queue.add([two])
    assert [row.why for row in queue.all()] == ["newest", "manual"]


def test_a_cancelled_transcript_refuses_no_download(library: Library, ids: list[EpisodeId]) -> None:
    queue, (one, two, *_others) = library.downloads.queue, ids
    queue.add([one], "newest", work=Work.TRANSCRIPT)
    queue.add([two], "newest")
    queue.remove([one, two])
    assert library.downloads.facts.refused() == {two: Refusal.DELETED}
    queue.add([one], work=Work.TRANSCRIPT)
    queue.problem(one, "It broke", "", state=DownloadState.FAILED, attempts=1)
    assert one not in library.downloads.facts.refused()
    assert library.downloads.facts.coming() == []


def test_what_is_asked_for_first_goes_to_the_head_even_if_it_waits_already(
    library: Library, ids: list[EpisodeId]
) -> None:
    queue = library.downloads.queue
    queue.add(ids[:3], work=Work.TRANSCRIPT)
    assert queue.add([ids[2], ids[3]], work=Work.TRANSCRIPT, first=True) == [ids[3]]
    assert [one for one, _work in works(library)] == [ids[2], ids[3], ids[0], ids[1]]


@pytest.mark.parametrize("which", [AutoTranscribe.DOWNLOADED, AutoTranscribe.QUEUED, AutoTranscribe.NOTHING])
def test_a_podcast_says_which_of_its_episodes_are_transcribed_by_themselves(
    library: Library, ids: list[EpisodeId], which: AutoTranscribe
) -> None:
    one, two, three, four, named = ids
    podcast = library.podcasts.by_url(URL)
    assert podcast is not None
    library.podcast_settings.set(podcast.id, PodcastSettings(transcribe=which))
    assert library.podcast_settings.get(podcast.id).transcribe is which
    for download in (one, two, named):
        library.downloads.put(download, Path(f"/music/{download}.mp3"))
    library.queue.add_last([three, four, named])
    wanted = {AutoTranscribe.DOWNLOADED: {one, two}, AutoTranscribe.QUEUED: {three, four}}.get(which, set())
    assert set(library.downloads.queue.to_transcribe()) == wanted
    made = Attachment(AttachmentKind.TRANSCRIPT, MADE, b"{}", "application/json", "en")
    for has in (one, three):
        library.attachments.put(has, made, NEWEST)
    library.downloads.queue.add([two, four], work=Work.TRANSCRIPT)
    assert library.downloads.queue.to_transcribe() == []
