"""Downloads that the running Earmark was asked for, watched until they end."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from player.integrations.client import request
from player.model.downloads import Progress
from player.model.episode import Episode, EpisodeId
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from player.text.sizes import size_label
from tui.cli.command import complain

if TYPE_CHECKING:
    from player.library import Library

_LOOK_S = 0.4
_LONGEST = 60


class HandedOver:
    """Asks the Earmark that listens at `socket_path` for downloads, and says what comes of them.

    `live`: progress is shown on standard error. `given_up`: the listener waits no longer; Earmark downloads on.
    """

    def __init__(
        self, socket_path: Path, library: "Library", *, live: bool, given_up: Callable[[], bool], output: Any
    ) -> None:
        self._socket_path = socket_path
        self._library = library
        self._live = live
        self._given_up = given_up
        self._output = output
        self._said: dict[EpisodeId, str] = {}

    def download(self, wanted: Sequence[Episode]) -> list[Episode]:
        """Answers with those that are downloaded when it returns. Raises ControlError: no Earmark is running
        (NotRunning), or it ends meanwhile."""
        done: list[Episode] = []
        left = {episode.id: episode for episode in wanted}
        self._take_done(left, done, already=True)
        if left:
            request(self._socket_path, "download", episodes=list(left))
        while left and not self._given_up():
            asked = request(self._socket_path, "downloads", episodes=list(left))["downloads"]
            self._take_done(left, done)
            entries = {entry["id"]: entry for entry in asked["entries"]}
            for one in list(left):
                if self._is_over(left[one], entries.get(one)):
                    del left[one]
            if left:
                self._show(asked, [entries[one] for one in left if one in entries])
                time.sleep(_LOOK_S)
        self._clear()
        if left:
            complain(_("The running Earmark downloads on."))
        return done

    def _take_done(self, left: dict[EpisodeId, Episode], done: list[Episode], *, already: bool = False) -> None:
        for one, episode in list(left.items()):
            path = self._library.downloads.path(one)
            if path is not None and path.exists():
                self._clear()
                said = (
                    _("Already downloaded: {file}", file=path)
                    if already
                    else _("Downloaded {title}: {file}", title=episode.title, file=path)
                )
                print(said, file=self._output, flush=True)
                done.append(left.pop(one))

    def _is_over(self, episode: Episode, entry: dict[str, Any] | None) -> bool:
        """Whether it won't be downloaded; says why."""
        title = clean_line(episode.title, _LONGEST)
        if entry is None:
            # It may have been finished since the library was looked at.
            if self._library.downloads.path(episode.id) is not None:
                return False
            self._complain(_("The download of “{title}” was cancelled", title=title))
            return True
        problem = str(entry["problem"] or "")
        if entry["state"] == "failed":
            self._complain(problem)
            return True
        if entry["state"] == "paused":
            self._complain(_("The download of “{title}” is paused in the running Earmark", title=title))
            return True
        if problem and self._said.get(episode.id) != problem:
            self._said[episode.id] = problem
            self._complain(_("{problem} The download resumes automatically.", problem=problem))
        return False

    def _show(self, asked: dict[str, Any], entries: Sequence[dict[str, Any]]) -> None:
        if asked["paused"] and not self._said.get(EpisodeId(0)):
            self._said[EpisodeId(0)] = "paused"
            self._complain(_("Downloads are paused in the running Earmark. It goes on when they are resumed there."))
        running = [entry for entry in entries if entry["state"] == "running"]
        if self._live and running:
            entry = running[0]
            progress = Progress(entry["done"], entry["total"], entry["per_second"], entry["seconds_left"])
            show_progress(entry["title"], progress)

    def _complain(self, sentence: str) -> None:
        self._clear()
        complain(sentence)

    def _clear(self) -> None:
        clear_progress(self._live)


def show_progress(title: str, progress: Progress) -> None:
    """A line on standard error that replaces the one before."""
    shown = f"{clean_line(title, _LONGEST)}{shown_progress(progress)}"
    print(f"\r\x1b[K{shown}", end="", file=sys.stderr, flush=True)


def clear_progress(live: bool) -> None:
    if live:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def shown_progress(progress: Progress) -> str:
    """`  45%  1.2 MB/s  0:35 left`, as far as it is known."""
    parts = []
    if progress.part is not None:
        parts.append(f"{progress.part:.0%}")
    if progress.per_second:
        parts.append(_("{size}/s", size=size_label(progress.per_second)))
    if progress.seconds_left is not None:
        parts.append(_("{time} left", time=clock(int(progress.seconds_left * 1000))))
    return "".join(f"  {part}" for part in parts)
