"""The page of an episode: fills its tabs, bookmarks included, decides when the page beside the list shows the episode
under the cursor and what it shows if there is none, and runs the keys that choose in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from player.errors import EarmarkError
from player.model.downloads import DownloadEntry, DownloadSnapshot, DownloadState, Work
from player.model.episode import Episode, EpisodeId, Transcript, TranscriptRef, TranscriptSource
from player.model.listening import Bookmark
from player.player import Player
from player.text.durations import moved_by
from player.text.sentences import _, mark, translate
from tui.actions.action import Runs
from tui.controllers.links import LinksController
from tui.controllers.main_ui import EpisodeUi
from tui.controllers.segments import Line
from tui.controllers.transcribing import transcribe
from tui.controllers.ui import Ui, say_after
from tui.drawing.cells import steady
from tui.drawing.phrases import transcript_words
from tui.widgets.episode_list import EpisodeList
from tui.widgets.episode_page import (
    BOOKMARKS,
    CHAPTERS,
    COMMENTS,
    LINKS,
    NOTES,
    SUMMARY,
    TRANSCRIPT,
    EpisodePage,
    EpisodeTabs,
)

if TYPE_CHECKING:
    from player.summaries import Answer


class PageBookmarks:
    def __init__(self, player: Player, ui: Ui, page: EpisodePage) -> None:
        self._player = player
        self._ui = ui
        self._page = page

    def changed(self) -> None:
        """The bookmarks of the episode on the page may have changed."""
        if self._page.shown is not None:
            self._ui.in_background(partial(self._show, self._page.shown[0].id), "bookmarks in page")

    async def _show(self, episode_id: EpisodeId) -> None:
        try:
            found = await asyncio.to_thread(self._player.library.bookmarks.of_episode, episode_id)
        except EarmarkError:
            return
        self._page.show_bookmarks(episode_id, tuple(found))
        self._ui.show_hints()

    def delete(self) -> bool:
        """Deletes the bookmark under the cursor; False if there is none."""
        bookmark = self._page.bookmark if self._ui.on_page else None
        if bookmark is not None:
            delete(self._player, self._ui, bookmark)
        return bookmark is not None


def delete(player: Player, ui: Ui, bookmark: Bookmark) -> None:
    """Deletes a bookmark, and says so once it is deleted. A failure is published as a Notice."""

    def words(deleted: object) -> str:
        undoes = _("{key} undoes", key=ui.key_of("undo"))
        return f"{_('Bookmark deleted')} {ui.glyphs.dot} {undoes}" if deleted else ""

    say_after(ui, player.bookmarks.delete([bookmark.id]), words)


_TAB = "earmark:tab/"
_LONG = 50_000
"""Notes with more characters than this are shown before their links are found, because finding them takes long."""
_PARTS_FIRST = 2
"""The number of parts of notes that fill a screen."""
_FROM_HERE = mark("play from here")
_ENTER = {CHAPTERS: _FROM_HERE, TRANSCRIPT: _FROM_HERE, LINKS: mark("open"), BOOKMARKS: _FROM_HERE,
          COMMENTS: mark("open")}  # fmt: skip
"""The words in the footer for `enter`, by tab."""


class PageController:
    """Fills the page of an episode. Call `bring` to show another episode, or `show_beside` after the page was given
    one."""

    def __init__(self, player: Player, ui: EpisodeUi, page: EpisodePage, links: LinksController) -> None:
        self._player = player
        self._ui = ui
        self._page = page
        self._links = links
        self._wanted_tab = ""
        self._wanted_transcript = TranscriptRef("")
        """The transcript that the listener has chosen last; of other episodes, one in its language is shown."""
        page.art_of = lambda episode: player.artwork.arts.known(episode.id)

    @property
    def enter_word(self) -> str:
        """A word for what `enter` does with the entry under the page's cursor; "" on a page of notes."""
        shown = self._page.shown
        if self._page.offers_transcript and shown:
            entry = self._queued(self._player.downloads.snapshot(), shown[0].id)
            running = entry is not None and entry.state is DownloadState.RUNNING
            return "" if running else _("transcribe")
        word = _ENTER.get(self._page.tab) if self._page.entry is not None else None
        return translate(word) if word else ""

    # -- filling the tabs -------------------------------------------------------------------------------------

    def bring(self, episode: Episode) -> None:
        """Reads an episode's page off the screen's thread; the notes and tabs appear in one frame."""
        self._ui.in_background(partial(self.complete, episode), "page")

    async def complete(self, episode: Episode) -> None:
        """As `bring`; when this returns, the page is complete."""
        notes = await asyncio.to_thread(self.begin_notes, episode)
        if len(notes) > _LONG:
            self._page.show(episode, notes)
        beside = await asyncio.to_thread(self._read_beside, episode, notes)
        self._page.show(episode, notes)
        self._fill(episode, beside)

    def show_beside(self) -> None:
        """Reads chapters, transcript and links of the episode on the page, off the screen's thread."""
        if (shown := self._page.shown) is not None:
            self._ui.in_background(partial(self._show_beside, *shown), "beside")

    async def _show_beside(self, episode: Episode, notes: str) -> None:
        self._fill(episode, await asyncio.to_thread(self._read_beside, episode, notes))

    def _fill(self, episode: Episode, beside: EpisodeTabs) -> None:
        before = self._page.tab if self._page.filled else NOTES
        self._page.show_beside(episode.id, beside)
        self._page.follow(self._player.status)
        if before != NOTES and before not in self._page.tabs():
            self._ui.say(self._nothing_in(before))
        self._fetch_what_is_shown()
        wanted, self._wanted_tab = self._wanted_tab, ""
        if wanted and wanted != self._page.tab:
            self._choose(wanted)
        else:
            self._ui.show_hints()

    def read_notes(self, episode: Episode) -> str:
        """The notes, or a sentence that says why they can't be read. Also reads where the page's cover comes from."""
        self._player.artwork.arts.read(episode)
        try:
            return self._player.library.episodes.notes(episode.id)
        except EarmarkError as error:
            return str(error)

    def read_cover_of_bar(self) -> None:
        """Reads where the cover in the player bar comes from, so that the first frame is complete."""
        if (episode := self._player.status.episode) is not None:
            self._player.artwork.arts.read(episode)

    def begin_notes(self, episode: Episode) -> str:
        """The notes as `read_notes` returns them, of which the parts that are shown first are parsed already."""
        from player.notes import parsed

        text = self.read_notes(episode)
        for _part in range(_PARTS_FIRST):
            parsed(text).advance()
        return text

    def _read_beside(self, episode: Episode, notes: str) -> EpisodeTabs:
        from player.library import AttachmentKind
        from player.model.episode import soundbites
        from tui.drawing.about.sheet import number_words

        try:
            attachments, library = self._player.attachments, self._player.library
            details = library.episodes.details(episode.id)
            wanted, stored = self._wanted_transcript, attachments.stored_transcripts(episode.id)
            transcript = attachments.transcript(episode.id, wanted.language, wanted.url)
            is_named = bool(attachments.transcripts(episode.id))
            trouble = attachments.trouble(episode.id, AttachmentKind.TRANSCRIPT)
            links = self._links.links_of(episode, notes)
            found = attachments.find_chapters(episode)
            to_come = AttachmentKind.CHAPTERS in attachments.missing(episode.id)
            return EpisodeTabs(
                found.chapters,
                transcript,
                is_named,
                soundbites(details.extra),
                library.statistics.people_of(episode, details.extra),
                number_words(details),
                trouble if is_named else self._offer(episode.id),
                to_come,
                attachments.trouble(episode.id, AttachmentKind.CHAPTERS) if to_come else "",
                found.settled and not to_come,
                links,
                stored,
                self._transcript_facts(transcript, stored) if transcript is not None else (),
                tuple(library.bookmarks.of_episode(episode.id)),
                self._player.services.summaries.stored(episode.id),
                tuple(library.segments.of_episode(episode.id)),
                self._player.services.comments.of(details.extra),
                self._comments_hints(),
            )
        except EarmarkError:
            return EpisodeTabs()

    def attachments_arrived(self, episode_id: EpisodeId) -> None:
        """That episode may have more tabs now."""
        if self._page.shown is not None and self._page.shown[0].id == episode_id:
            self.show_beside()

    def segments_changed(self, episode_ids: Sequence[EpisodeId]) -> None:
        if self._page.shown is not None and self._page.shown[0].id in episode_ids:
            self.show_beside()

    def said_line(self) -> Line | None:
        """The line of the transcript under the cursor."""
        shown, entry = self._page.shown, self._page.entry
        transcript = self._page.beside.transcript
        if shown is None or self._page.tab != TRANSCRIPT or entry is None or transcript is None:
            return None
        start_ms = entry.start_ms
        if start_ms is None:
            return None
        said = next((one for one in transcript.lines if one.start_ms == start_ms), None)
        later = (one.start_ms for one in transcript.lines if one.start_ms is not None and one.start_ms > start_ms)
        end_ms = said.end_ms if said is not None and said.end_ms is not None else next(later, start_ms)
        return Line(shown[0], start_ms, end_ms)

    # -- keys -------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> Runs:
        return {
            "tab_notes": self.notes_tab, "tab_chapters": self.chapters_tab, "tab_transcript": self.transcript_tab,
            "tab_links": self.links_tab, "tab_bookmarks": self.bookmarks_tab, "people": self.people,
            "tab_comments": self.comments_tab, "follow": self.follow_playback, "links": self.links,
            "summarise": self.summarise,
        }  # fmt: skip

    def notes_tab(self) -> None:
        self._choose(NOTES)

    def chapters_tab(self) -> None:
        self._choose(CHAPTERS)

    def transcript_tab(self) -> None:
        self._choose(TRANSCRIPT)

    def links_tab(self) -> None:
        self._choose(LINKS)

    def bookmarks_tab(self) -> None:
        self._choose(BOOKMARKS)

    def comments_tab(self) -> None:
        if self._page.tab == COMMENTS:
            self.refresh()
        self._choose(COMMENTS)

    def refresh(self) -> bool:
        """Fetches the comments again, if they are in the visible tab; else False."""
        shown, comments = self._page.shown, self._page.beside.comments
        if self._page.tab != COMMENTS or shown is None or comments is None:
            return False
        self._ui.say(_("Fetching the comments from {server}", server=comments.server) + self._ui.glyphs.ellipsis)
        self._player.services.comments.want(shown[0].id, comments.url)
        return True

    def summarise(self) -> None:
        """Shows the summary that was made of the episode; has one made if there is none."""
        if (episode := self._ui.episode) is None:
            return
        if self._page.shown is not None and self._page.shown[0].id == episode.id and self._page.beside.summary:
            self._choose(SUMMARY)
            return

        def words(answer: Answer) -> str:
            if not answer.text:
                return _("Chapters of “{title}” made", title=steady(episode.title))
            return _("Summary of “{title}” made", title=steady(episode.title))

        self._ui.say(_("Summarising “{title}”", title=steady(episode.title)) + self._ui.glyphs.ellipsis)
        say_after(self._ui, self._player.services.summaries.ask(episode), words)

    def _choose(self, tab: str) -> None:
        """Shows a tab. If it isn't known yet what the episode under the cursor has, shows it as soon as that is
        known."""
        self._ui.go_to_page()
        shown, episode = self._page.shown, self._ui.episode
        is_next = shown is not None and episode is not None and shown[0].id != episode.id
        if tab != NOTES and (is_next or not self._page.filled):
            self._wanted_tab = tab
            return
        if tab == TRANSCRIPT and tab not in self._page.tabs():
            self._page.offer_transcript()
        if tab not in self._page.tabs():
            self._ui.say(self._nothing_in(tab))
            return
        if tab == TRANSCRIPT == self._page.tab:
            self._next_transcript()
        self._page.choose_tab(tab)
        self._ui.show_hints()
        self._fetch_what_is_shown()

    def _fetch_what_is_shown(self) -> None:
        """Fetches the chapters, transcript or comments of the visible tab from the addresses in the feed, unless they
        are known."""
        if not self._page.awaited or self._page.shown is None:
            return
        if self._page.tab == COMMENTS and (comments := self._page.beside.comments) is not None:
            self._player.services.comments.want(self._page.shown[0].id, comments.url)
        else:
            self._player.attachments.want(self._page.shown[0].id)

    def _nothing_in(self, tab: str) -> str:
        unsure = tab == CHAPTERS and not self._page.beside.chapters_settled
        if unsure:
            return _("No chapters known yet. The audio may contain some: they appear when it plays.")
        if tab == CHAPTERS:
            return _("This episode has no chapters")
        if tab == COMMENTS:
            is_on = self._player.settings.feeds.comments
            return _("This episode has no comments") if is_on else _("Comments are off in the settings")
        if tab == BOOKMARKS:
            return _("No bookmarks in this episode. Press {key} while it plays.", key=self._ui.key_of("bookmark"))
        return _("This episode has no transcript") if tab == TRANSCRIPT else _("This episode has no links")

    def _comments_hints(self) -> tuple[str, str]:
        again = _("{key} fetches again", key=self._ui.key_of("tab_comments"))
        return again, _("{key} shows the text", key=self._ui.key_of("play"))

    def _folded(self, href: str) -> str:
        """The comment that a link shows or hides."""
        if self._page.tab != COMMENTS:
            return ""
        from tui.drawing.comments import folded_of

        return folded_of(href)

    def _offer(self, episode_id: EpisodeId) -> str:
        """What stands in place of a transcript that the podcast doesn't have."""
        snapshot = self._player.downloads.snapshot()
        if (entry := self._queued(snapshot, episode_id)) is not None:
            keys = {"play": self._ui.key_of("play"), "pause_all": self._ui.key_of("pause_downloads")}
            return transcript_words(snapshot, entry, keys)
        words = _("This episode has no transcript. {key} makes one.", key=self._ui.key_of("play"))
        is_set_up = self._player.services.transcriber.is_set_up
        return words if is_set_up else f"{words} {_('The first time it asks how.')}"

    def _queued(self, snapshot: DownloadSnapshot, episode_id: EpisodeId) -> DownloadEntry | None:
        """The transcript of an episode that is to be made."""
        wanted = (one for one in snapshot.entries if one.work is Work.TRANSCRIPT and one.episode_id == episode_id)
        return next((one for one in wanted if one.state is not DownloadState.DONE), None)

    def downloads_moved(self) -> None:
        """What is offered in place of a transcript may have changed."""
        shown = self._page.shown if self._page.offers_transcript else None
        if shown is not None and self._offer(shown[0].id) != self._page.beside.trouble:
            self.show_beside()

    def _next_transcript(self) -> None:
        """Shows the next transcript, if there are several: in another language, or from another source."""
        from player.attachments.episode_transcripts import source_words

        refs, shown = self._page.beside.transcripts, self._page.beside.transcript
        if len(refs) < 2 or shown is None:
            return
        now = next((number for number, ref in enumerate(refs) if ref.url == shown.url), -1)
        self._wanted_transcript = wanted = refs[(now + 1) % len(refs)]
        facts = f" {self._ui.glyphs.dot} ".join(filter(None, (source_words(wanted.url), wanted.language)))
        self._ui.say(_("Transcript: {facts}", facts=facts))
        self.show_beside()

    def _transcript_facts(self, transcript: Transcript, stored: Sequence[TranscriptRef]) -> tuple[str, ...]:
        """Where it is from and which of several it is; nothing about the podcast's only one."""
        from player.attachments.episode_transcripts import source_of, source_words

        moved = [_("moved by {time}", time=moved_by(transcript.moved_ms))] if transcript.moved_ms else []
        if len(stored) < 2 and source_of(transcript.url) is TranscriptSource.PODCAST:
            return tuple(moved)
        facts = [source_words(transcript.url, transcript.made_by), *moved]
        numbers = (number for number, ref in enumerate(stored, 1) if ref.url == transcript.url)
        if len(stored) > 1 and (number := next(numbers, 0)):
            facts += [
                transcript.language,
                _("{n} of {total}", n=number, total=len(stored)),
                _("{key} next", key=self._ui.key_of("tab_transcript")),
            ]
        return tuple(filter(None, facts))

    def tab(self) -> str:
        """The open tab, or the one that opens as soon as the episode is known to have it; "" for a mere offer."""
        return self._wanted_tab or ("" if self._page.offers_transcript else self._page.tab)

    def place(self) -> Callable[[], None]:
        """Returns a function that restores the current tab, its scroll position and its transcript."""
        tab, row, transcript = self._page.tab, self._page.scroll_offset.y, self._wanted_transcript

        def back() -> None:
            self._wanted_tab = ""
            if transcript != self._wanted_transcript:
                self._wanted_transcript = transcript
                self.show_beside()
            if tab != self._page.tab:
                self._page.choose_tab(tab)
                self._page.move_to_row(row)

        return back

    def follow_playback(self) -> None:
        if self._page.entry is None:
            keys = {"chapters": self._ui.key_of("tab_chapters"), "transcript": self._ui.key_of("tab_transcript")}
            self._ui.say(
                _("Nothing here follows playback. Chapters ({chapters}) and transcript ({transcript}) do.", **keys)
            )
        elif not self._page.follow_again():
            self._ui.say(_("This episode isn't playing. {key} plays it.", key=self._ui.key_of("play")))

    def links(self) -> None:
        """Opens the page of the chapter or comment under the cursor if it has one; otherwise lists all links."""
        entry = self._page.entry if self._ui.on_page else None
        if self._page.tab == COMMENTS and self._ui.on_page and (comments := self._page.beside.comments) is not None:
            self.follow(entry.url if entry is not None else comments.url)
        elif entry is not None and entry.url and self._page.tab == CHAPTERS:
            self.follow(entry.url)
        else:
            self._links.choose()

    def copy_link(self) -> None:
        """Copies the link of the entry under the cursor, or else the episode's."""
        entry = self._page.entry if self._ui.on_page else None
        if entry is not None and entry.url:
            self._ui.copy_link(entry.url)
        else:
            self._links.copy()

    def follow(self, href: str) -> None:
        from tui.drawing.episode_tabs import clip_of, person_of

        if href.startswith(_TAB):
            self._choose(href.removeprefix(_TAB))
        elif (clip := clip_of(href)) and (episode := self._ui.episode) is not None:
            self._ui.playback.play_clip(episode.id, *clip)
        elif name := person_of(href):
            self.show_person(name)
        elif post_id := self._folded(href):
            self._page.fold(post_id)
        else:
            self._links.follow(href)

    def show_person(self, name: str) -> None:
        """Shows the other episodes of a person."""
        from tui.controllers.about_pages import person

        urls = (one.url for one in self._page.beside.people if one.name == name)
        self._ui.open_about(person(self._player, name, next(urls, "")))

    def people(self) -> None:
        """Shows the episode's only person, or a list to choose from."""
        people = self._page.beside.people
        if not people:
            self._ui.say(_("No people are listed for this episode"))
        elif len(people) == 1:
            self.show_person(people[0].name)
        else:
            from tui.controllers.about_pages import several

            self._ui.open_about(several(people))

    def follow_entry(self) -> bool:
        """Follows the entry under the cursor; False on a page of notes."""
        entry = self._page.entry
        if self._page.offers_transcript and self._page.shown is not None:
            transcribe(self._player, self._ui, [self._page.shown[0].id], first=True, then=self.show_beside)
            return True
        if entry is None:
            return False
        if entry.href:
            self.follow(entry.href)
        else:
            self._ui.say(_("This transcript has no timestamps"))
        return True


_REST_S = 0.06
"""A cursor that rests this long isn't just passing by: a held key repeats 25 to 30 times a second."""


class NotesController:
    """Shows notes on the page beside the list. For the first frame, while the screen draws nothing yet, it uses the
    notes from `read_first`."""

    def __init__(self, ui: EpisodeUi, page: EpisodePage, pages: PageController, episodes: EpisodeList) -> None:
        self._ui = ui
        self._page = page
        self._pages = pages
        self._episodes = episodes
        self._noted: tuple[EpisodeId, str] | None = None
        """The episode that is shown and its podcast's title, which may change."""
        self._wait: asyncio.TimerHandle | None = None
        self._aside: tuple[EpisodeId | None, str] = None, ""

    def forget(self) -> None:
        """The notes that are shown may be outdated: they are read again the next time."""
        self._noted = None

    def show_soon(self) -> None:
        """Shows the notes once the cursor rests. Drawing a page of notes takes longer than a row, and a held key would
        wait for it."""
        if self._wait is not None:
            self._wait.cancel()
        self._wait = asyncio.get_running_loop().call_later(_REST_S, self._ui.call_later, self.show)

    def show(self) -> None:
        """Shows the notes of the episode under the cursor, if the page is visible."""
        if self._episodes.is_awaited:
            return
        episode = self._episodes.episode
        if not self._page.display:
            self._read_aside(episode)
            return
        if episode is not None and (episode.id, episode.podcast) == self._noted:
            return
        self._noted = (episode.id, episode.podcast) if episode else None
        if episode is None:
            self._ui.cancel("page")
            self._page.show_words(self._ui.instead())
        elif self._ui.held and (notes := self.known(episode)) is not None:
            self._page.show(episode, notes)
        else:
            self._pages.bring(episode)

    async def complete(self) -> None:
        """Shows the page of the episode under the cursor, if visible; it is complete when this returns."""
        episode = self._episodes.episode
        if episode is not None and self._page.display:
            self._noted = episode.id, episode.podcast
            await self._pages.complete(episode)

    def known(self, episode: Episode) -> str | None:
        """An episode's notes, if they have been read."""
        shown = self._page.shown
        if shown is not None and shown[0].id == episode.id:
            return shown[1]
        return self._aside[1] if self._aside[0] == episode.id else None

    def read_first(self, episode: Episode) -> None:
        """Reads the notes of the first frame together with its rows, on any thread except the screen's."""
        if self._ui.held:
            self._aside = episode.id, self._pages.read_notes(episode)
            self._pages.read_cover_of_bar()

    def _read_aside(self, episode: Episode | None) -> None:
        """While the pane of notes is hidden, reads the notes for the page over the whole screen, which `v` opens."""

        async def read(episode: Episode) -> None:
            self._aside = episode.id, await asyncio.to_thread(self._pages.begin_notes, episode)

        if episode is not None and not self._ui.held and self._aside[0] != episode.id:
            self._ui.in_background(partial(read, episode), "aside")
