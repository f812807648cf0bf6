"""The tabs of an episode's page: what is read for them, which are chosen, and where their entries lead."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from player.library.attachments import MADE
from player.model.episode import Episode, EpisodeId, Person, Transcript, TranscriptRef
from player.player import Player
from tests.tui.controllers.fake import Calls, FakePlayer, FakeUi, episode
from tui.controllers.links import LinksController
from tui.controllers.page import PageController
from tui.widgets.episode_page import CHAPTERS, NOTES, TRANSCRIPT, EpisodePage, EpisodeTabs


class FakePage:
    """The page of episode 1, of which all has been read."""

    def __init__(self) -> None:
        self.tab, self.has = NOTES, [NOTES]
        self.entry: Any = None
        self.filled, self.awaited, self.offers_transcript = True, False, False
        self.shown: tuple[Episode, str] | None = (episode(1), "notes")
        self.beside = EpisodeTabs()

    def tabs(self) -> list[str]:
        return self.has

    def choose_tab(self, tab: str) -> None:
        self.tab = tab

    def follow_again(self) -> bool:
        return False

    def offer_transcript(self) -> None:
        self.has.append(TRANSCRIPT)


class Pages:
    def __init__(self, *, on_page: bool = True) -> None:
        self.player, self.ui, self.page = FakePlayer(), FakeUi(), FakePage()
        self.links: list[tuple[Any, ...]] = []
        self.played: list[tuple[Any, ...]] = []
        self.ui.episode, self.ui.on_page, self.ui.playback = episode(1), on_page, Calls(self.played)
        self.controller = PageController(
            cast(Player, self.player),
            self.ui,
            cast(EpisodePage, self.page),
            cast(LinksController, Calls(self.links)),
        )


def entry(href: str = "", url: str = "") -> Any:
    return SimpleNamespace(href=href, url=url)


def test_a_tab_that_an_episode_has_is_shown_and_one_it_lacks_is_explained() -> None:
    pages = Pages()
    pages.page.has = [NOTES, CHAPTERS]
    pages.controller.chapters_tab()
    pages.controller.links_tab()
    assert (pages.page.tab, pages.ui.gone) == (CHAPTERS, 2)
    assert pages.ui.messages == ["This episode has no links"]


def test_a_transcript_that_an_episode_lacks_has_a_tab_that_offers_to_make_it() -> None:
    pages = Pages()
    pages.page.has = [NOTES]
    pages.controller.transcript_tab()
    assert pages.page.tab == TRANSCRIPT
    assert pages.ui.messages == []


def test_chapters_that_the_audio_may_bring_are_not_denied() -> None:
    pages = Pages()
    pages.page.beside = EpisodeTabs(chapters_settled=False)
    pages.controller.chapters_tab()
    assert "No chapters known yet" in pages.ui.messages[0]


def test_what_the_feed_names_for_a_tab_is_fetched_when_it_is_in_sight() -> None:
    pages = Pages()
    pages.page.has, pages.page.awaited = [NOTES, TRANSCRIPT], True
    pages.controller.transcript_tab()
    assert pages.player.made == [("want", 1)]


def test_the_same_key_again_goes_to_the_next_transcript_and_says_where_it_is_from() -> None:
    pages = Pages()
    pages.page.has, pages.page.tab = [NOTES, TRANSCRIPT], TRANSCRIPT
    german, english = TranscriptRef("https://a.example/de", language="de"), TranscriptRef("https://a.example/en")
    made, file = TranscriptRef(MADE, language="en"), TranscriptRef("file:///talks/talk%20two.srt#17")
    refs = (german, english, file, made)
    for ref, words in (
        (german, "from the podcast"),
        (english, "talk two.srt beside the audio"),
        (file, "made here · en"),
        (made, "from the podcast · de"),
    ):
        pages.page.beside = EpisodeTabs(transcript=Transcript(url=ref.url), transcripts=refs)
        pages.controller.transcript_tab()
        assert pages.ui.messages.pop() == f"Transcript: {words}"
        assert list(pages.ui.work) == ["beside"]


def test_with_one_transcript_the_same_key_changes_nothing() -> None:
    pages = Pages()
    pages.page.has, pages.page.tab = [NOTES, TRANSCRIPT], TRANSCRIPT
    pages.page.beside = EpisodeTabs(transcript=Transcript(url="x"), transcripts=(TranscriptRef("x"),))
    pages.controller.transcript_tab()
    assert (pages.ui.messages, pages.ui.work) == ([], {})


@pytest.mark.parametrize(("on_page", "asked"), [(True, []), (False, [("choose",)])])
def test_o_opens_the_page_of_a_chapter_only_while_the_keys_go_there(
    on_page: bool, asked: list[tuple[Any, ...]]
) -> None:
    pages = Pages(on_page=on_page)
    pages.page.tab, pages.page.entry = CHAPTERS, entry(url="https://h.example/chapter")
    pages.controller.links()
    assert pages.links == (asked or [("follow", "https://h.example/chapter")])


def test_the_link_of_the_entry_is_copied_and_else_that_of_the_episode() -> None:
    pages = Pages()
    pages.controller.copy_link()
    pages.page.entry = entry(url="https://h.example/chapter")
    pages.controller.copy_link()
    assert pages.links == [("copy",)]
    assert pages.ui.links == [("copy", "https://h.example/chapter", "")]


def test_enter_follows_the_entry_and_does_nothing_on_notes() -> None:
    pages = Pages()
    assert not pages.controller.follow_entry()
    pages.page.entry = entry(href="earmark:tab/chapters")
    pages.page.has = [NOTES, CHAPTERS]
    assert pages.controller.follow_entry()
    assert pages.page.tab == CHAPTERS
    pages.page.entry = entry()
    assert pages.controller.follow_entry()
    assert "This transcript has no timestamps" in pages.ui.messages


@pytest.mark.parametrize(("people", "opened"), [([], 0), (["Ada"], 1), (["Ada", "Grace"], 1)])
def test_people_open_a_page_of_their_own(people: list[str], opened: int) -> None:
    pages = Pages()
    pages.page.beside = EpisodeTabs(people=tuple(Person(name) for name in people))
    pages.controller.people()
    assert len(pages.ui.abouts) == opened
    assert bool(pages.ui.messages) is not bool(opened)


def test_attachments_of_another_episode_are_no_reason_to_read_again() -> None:
    pages = Pages()
    pages.controller.attachments_arrived(EpisodeId(2))
    assert pages.ui.work == {}
    pages.controller.attachments_arrived(EpisodeId(1))
    assert list(pages.ui.work) == ["beside"]
