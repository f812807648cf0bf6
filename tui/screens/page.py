"""A screen that shows the page of an episode: what fills its tabs, the keys that choose among them and act in them."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import on

from player.errors import EarmarkError
from player.model.episode import Episode
from tui.actions.table import Action
from tui.bridge import AttachmentsArrived, StatusMoved
from tui.framework.workers import start_worker
from tui.screens.finding import FindingScreen
from tui.widgets.episode_page import CHAPTERS, LINKS, NOTES, TRANSCRIPT, EpisodePage, EpisodeTabs

if TYPE_CHECKING:
    from tui.screens.about import Build

_TAB = "earmark:tab/"
_LONG = 50_000
"""Characters of notes: their links take so long to find that the notes are shown before them."""
_ENTER = {CHAPTERS: "go there", TRANSCRIPT: "go there", LINKS: "open"}
"""What `enter` does in a tab, as the footer says it."""
_NOTHING = {
    CHAPTERS: "This episode has no chapters",
    TRANSCRIPT: "This episode has no transcript",
    LINKS: "This episode has no links",
}
_CHAPTERS_IN_AUDIO = "No chapters known yet. The audio may have some: they show once it plays."


class PageScreen(FindingScreen):
    """`bring` another episode, or `show_beside` after the page was given one."""

    _wanted_tab = ""
    _language = ""

    @property
    def page(self) -> EpisodePage:
        raise NotImplementedError

    @property
    def actions(self) -> Sequence[Action]:
        raise NotImplementedError

    def go_to_page(self) -> None:
        """Brings the page to the fore, and the keys to it."""

    def show_hints(self) -> None:
        """Says in the footer what the keys do now."""

    @property
    def enter_word(self) -> str:
        """What `enter` does to the entry under the page's cursor, in a word; "" on a page of notes."""
        return _ENTER.get(self.page.tab, "") if self.page.entry is not None else ""

    # -- what fills the tabs ----------------------------------------------------------------------------------

    def bring(self, episode: Episode) -> None:
        """The page of an episode, read off the screen's thread: its notes and what is beside them come in one frame."""
        start_worker(self, partial(self._bring, episode), group="page", exclusive=True)

    async def _bring(self, episode: Episode) -> None:
        notes = await asyncio.to_thread(self.read_notes, episode)
        if len(notes) > _LONG:
            self.page.show(episode, notes)
        beside = await asyncio.to_thread(self._read_beside, episode, notes)
        self.page.show(episode, notes)
        self._fill(episode, beside)

    def show_beside(self) -> None:
        """Chapters, transcript and links of the episode on the page, read off the screen's thread."""
        if (shown := self.page.shown) is not None:
            start_worker(self, partial(self._show_beside, *shown), group="beside", exclusive=True)

    async def _show_beside(self, episode: Episode, notes: str) -> None:
        self._fill(episode, await asyncio.to_thread(self._read_beside, episode, notes))

    def _fill(self, episode: Episode, beside: EpisodeTabs) -> None:
        before = self.page.tab if self.page.filled else NOTES
        self.page.show_beside(episode.id, beside)
        self.page.follow(self.status)
        if before != NOTES and before not in self.page.tabs():
            self.say(self._nothing_in(before))
        self._fetch_what_is_shown()
        wanted, self._wanted_tab = self._wanted_tab, ""
        if wanted and wanted != self.page.tab:
            self._choose(wanted)
        else:
            self.show_hints()

    def read_notes(self, episode: Episode) -> str:
        """The notes, or the sentence that says why they can't be read."""
        try:
            return self.player.library.episodes.notes(episode.id)
        except EarmarkError as error:
            return str(error)

    def _read_beside(self, episode: Episode, notes: str) -> EpisodeTabs:
        from player.library import AttachmentKind
        from player.model.extras_json import soundbites
        from tui.drawing.podcast_pages import number_words

        try:
            attachments, library = self.player.attachments, self.player.library
            details = library.episodes.details(episode.id)
            refs = attachments.transcripts(episode.id)
            found = attachments.find_chapters(episode)
            to_come = AttachmentKind.CHAPTERS in attachments.missing(episode.id)
            return EpisodeTabs(
                found.chapters,
                attachments.transcript(episode.id, self._language),
                bool(refs),
                soundbites(details.extra),
                library.shows.people_of(episode, details.extra),
                number_words(details),
                attachments.trouble(episode.id, AttachmentKind.TRANSCRIPT),
                to_come,
                attachments.trouble(episode.id, AttachmentKind.CHAPTERS) if to_come else "",
                found.settled and not to_come,
                self.links_of(episode, notes),
                tuple(dict.fromkeys(ref.language for ref in refs if ref.language)),
            )
        except EarmarkError:
            return EpisodeTabs()

    @on(AttachmentsArrived)
    def _companions_arrived(self, event: AttachmentsArrived) -> None:
        if self.page.shown is not None and self.page.shown[0].id == event.episode_id:
            self.show_beside()

    @on(StatusMoved)
    def _page_follows(self, event: StatusMoved) -> None:
        self.page.follow(event.status)

    # -- keys -------------------------------------------------------------------------------------------------

    def action_tab_notes(self) -> None:
        self._choose(NOTES)

    def action_tab_chapters(self) -> None:
        self._choose(CHAPTERS)

    def action_tab_transcript(self) -> None:
        self._choose(TRANSCRIPT)

    def action_tab_links(self) -> None:
        self._choose(LINKS)

    def _choose(self, tab: str) -> None:
        """Shows a tab. What the episode has may still be read: then as soon as that is known."""
        self.go_to_page()
        if not self.page.filled and tab != NOTES:
            self._wanted_tab = tab
            return
        if tab not in self.page.tabs():
            self.say(self._nothing_in(tab))
            return
        if tab == TRANSCRIPT == self.page.tab:
            self._next_language()
        self.page.choose_tab(tab)
        self.show_hints()
        self._fetch_what_is_shown()

    def _fetch_what_is_shown(self) -> None:
        """What the feed names for the tab in sight, if it isn't here yet."""
        if self.page.awaited and self.page.shown is not None:
            self.player.attachments.want(self.page.shown[0].id)

    def _nothing_in(self, tab: str) -> str:
        unsure = tab == CHAPTERS and not self.page.beside.chapters_settled
        return _CHAPTERS_IN_AUDIO if unsure else _NOTHING[tab]

    def _next_language(self) -> None:
        """Of the transcripts that the episode has, where they are in several languages."""
        languages, transcript = self.page.beside.languages, self.page.beside.transcript
        if len(languages) < 2 or transcript is None:
            return
        now = languages.index(transcript.language) if transcript.language in languages else -1
        self._language = languages[(now + 1) % len(languages)]
        self.say(f"Transcript in “{self._language}”")
        self.show_beside()

    def action_follow(self) -> None:
        if self.page.entry is None:
            self.say("Nothing here goes along with the sound")
        elif not self.page.follow_again():
            self.say("This episode doesn’t play")

    def action_links(self) -> None:
        """The page that a chapter leads to, where the cursor is on one; else all links."""
        entry = self.page.entry if self.on_page else None
        if entry is not None and entry.url and self.page.tab == CHAPTERS:
            self.follow(entry.url)
        else:
            super().action_links()

    def action_copy_link(self) -> None:
        """That of the entry under the cursor, else the episode's."""
        entry = self.page.entry if self.on_page else None
        if entry is not None and entry.url:
            self.copy_link(entry.url)
        else:
            super().action_copy_link()

    def follow(self, href: str) -> None:
        from tui.drawing.episode_tabs import clip_of, person_of

        if href.startswith(_TAB):
            self._choose(href.removeprefix(_TAB))
        elif (clip := clip_of(href)) and self.episode is not None:
            self.player.session.play_clip(self.episode.id, *clip)
            self.say("Playing clip · u returns")
        elif name := person_of(href):
            self.show_person(name)
        else:
            super().follow(href)

    def show_person(self, name: str) -> None:
        """What else somebody is heard in."""
        from tui.screens.about import person

        urls = (one.url for one in self.page.beside.people if one.name == name)
        self.tell(person(self.player, name, next(urls, "")))

    def action_people(self) -> None:
        """Of the episode: at once to the only one, else a list."""
        people = self.page.beside.people
        if not people:
            self.say("The feed names nobody who is heard in this episode")
        elif len(people) == 1:
            self.show_person(people[0].name)
        else:
            from tui.screens.about import several

            self.tell(several(people))

    def tell(self, read: "Callable[[], Build]") -> None:
        """A page of its own for what `read` reads."""
        from tui.screens.about import AboutScreen

        self.app.push_screen(AboutScreen(self.player, self.actions, read, self.go_to_episode))

    def follow_entry(self) -> bool:
        """Goes where the entry under the cursor leads; False on a page of notes."""
        entry = self.page.entry
        if entry is None:
            return False
        if entry.href:
            self.follow(entry.href)
        else:
            self.say("This transcript tells no times")
        return True
