"""Marks segments with two keys, and answers the question whether marked ones are skipped where they are heard again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from player.bookmarks import Here, heard_now
from player.errors import EarmarkError
from player.library.listening.segments import possible
from player.model.episode import Episode
from player.model.segments import SegmentKind, SegmentRule, kind_plural, one_of_kind
from player.player import Player
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from tui.controllers.ui import Ui, say_after


class Line(NamedTuple):
    """A line of a transcript that the cursor is on, and when it is said."""

    episode: Episode
    start_ms: int
    end_ms: int


class SegmentController:
    """The keys are about what is heard, unless `pointed` answers with a position at the mouse, or `line` with a line of
    a transcript. `begun` is called when the start of a segment was marked or dropped."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        begun: Callable[[], object],
        pointed: Callable[[], int | None],
        line: Callable[[], Line | None],
    ) -> None:
        self._player = player
        self._ui = ui
        self._begun = begun
        self._pointed = pointed
        self._line = line

    # -- marking ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Marks where a segment begins; pressed again, moves that. The bar says so, unless it shows another episode."""
        line = self._line()
        here = Here(line.episode, line.start_ms) if line else self._here()
        if here is None:
            return
        self._begin(here)
        current = self._player.status.episode
        if current is None or current.id != here.episode.id:
            words = _("A segment begins at {time}", time=clock(here.position_ms))
            ends = _("{key} marks its end", key=self._ui.key_of("segment_end"))
            self._ui.say(f"{words} {self._ui.glyphs.dot} {ends}")

    def end(self) -> None:
        """Asks what the segment is that ends here, and stores it."""
        line = self._line()
        here = Here(line.episode, line.end_ms) if line else self._here()
        if here is None:
            return
        begun, key = self._player.segment_begun, self._ui.key_of("segment_start")
        if begun is None:
            self._ui.say(_("Press {key} first, where the segment begins", key=key))
            return
        if begun.episode.id != here.episode.id:
            self._begin(None)
            words = _("The start that you marked is in another episode. Press {key} where the segment begins", key=key)
            self._ui.say(words)
            return
        start_ms, end_ms = sorted((begun.position_ms, here.position_ms))
        try:
            possible(start_ms, end_ms)
        except EarmarkError as error:
            self._ui.say(str(error))
            return
        self.mark(here.episode, start_ms, end_ms, lambda: self._begin(None))

    def mark(self, episode: Episode, start_ms: int, end_ms: int, answered: Callable[[], object] = lambda: None) -> None:
        """Asks what the segment is, calls `answered`, and stores it."""
        from tui.dialogs.segment import SegmentScreen

        def chosen(kind: SegmentKind | None) -> None:
            answered()
            if kind is None:
                self._ui.say(_("Nothing was marked"))
            else:
                self._ui.in_background(partial(self._keep, episode, start_ms, end_ms, kind), "segment")

        self._ui.push(SegmentScreen(f"{clock(start_ms)}{self._ui.glyphs.dash}{clock(end_ms)}"), chosen)

    async def _keep(self, episode: Episode, start_ms: int, end_ms: int, kind: SegmentKind) -> None:
        start_ms, end_ms = await asyncio.to_thread(self._snapped, episode, start_ms, end_ms)
        what, length = one_of_kind(kind), clock(end_ms - start_ms)
        marked = _("Marked {what} of {length} at {time}", what=what, length=length, time=clock(start_ms))
        undoes = _("{key} undoes", key=self._ui.key_of("undo"))
        marking = self._player.acts.mark_segment(episode.id, start_ms, end_ms, kind)
        say_after(self._ui, marking, lambda _ids: f"{marked} {self._ui.glyphs.dot} {undoes}")

    def _snapped(self, episode: Episode, start_ms: int, end_ms: int) -> tuple[int, int]:
        """With its edges in pauses that are near, as far as these have been measured."""
        from player.measuring.kinds.pauses import MEASUREMENT, snapped

        try:
            measuring = self._player.services.measuring
            pauses = measuring.known(episode.id, MEASUREMENT) or measuring.stored(episode, MEASUREMENT)
            if pauses is not None:
                edges = snapped(start_ms, pauses.spans), snapped(end_ms, pauses.spans)
                possible(*edges)
                return edges
        except EarmarkError:
            pass
        return start_ms, end_ms

    def _here(self) -> Here | None:
        status = self._player.status
        if status.episode is None:
            self._ui.say(_("Nothing is playing yet. Press {key} on an episode.", key=self._ui.key_of("play")))
        elif status.live:
            self._ui.say(_("You can't mark segments of a live stream"))
        here, pointed_ms = heard_now(status), self._pointed()
        return here if here is None or pointed_ms is None else Here(here.episode, pointed_ms)

    def _begin(self, here: Here | None) -> None:
        self._player.segment_begun = here
        self._begun()

    # -- answering --------------------------------------------------------------------------------------------

    def skip(self) -> None:
        """Segments of the kind that is asked about are skipped from now on, this one included."""
        self._answer(SegmentRule.SKIP)

    def leave(self) -> None:
        self._answer(SegmentRule.LEAVE)

    def _answer(self, rule: SegmentRule) -> None:
        asked = self._player.status.asked
        if asked is None:
            self._ui.say(_("The bar asks 10 s before a segment that you marked; there is none now"))
            return
        kinds, podcast = kind_plural(asked.kind), clean_line(asked.podcast, 60)
        if rule is SegmentRule.SKIP:
            words = _("From now on {kinds} in “{podcast}” are skipped", kinds=kinds, podcast=podcast)
        else:
            words = _("From now on {kinds} in “{podcast}” are played", kinds=kinds, podcast=podcast)
        changing = self._player.change_podcast_settings(
            asked.podcast_id,
            lambda settings: replace(settings, segments=replace(settings.segments, **{asked.kind.value: rule})),
        )
        say_after(self._ui, changing, lambda _settings: words)
