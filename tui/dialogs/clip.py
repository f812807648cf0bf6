"""The dialog of a clip: its edges, moved by tenths of a second and by words, and heard in place; kept in Bookmarks,
saved as a file, or both."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from player.bookmarks import Here
from player.clips.words import edges_of, words_of
from player.downloads.files import folder_of
from player.links.addresses import with_home
from player.model.episode import Transcript
from player.model.playback import ACTIVE
from player.playback.outcomes import Refused
from player.processes.threads import CancelToken
from player.text.durations import clock
from player.text.sentences import _, mark, translate
from tui.dialogs.dialog import Dialog, field
from tui.drawing.cells import steady
from tui.look.glyphs import glyphs_of
from tui.widgets.path_field import PathField

if TYPE_CHECKING:
    from player.clips.clips import SavedClip
    from player.player import Player

LEAST_MS = 100
_STEP_MS, _FAR_MS = 100, 1_000
_EDGE_MS = 3_000
"""So much is heard of an edge."""
_SAID = 90
"""So many characters of the first words are shown, and as many of the last."""
_MORE = mark("tab moves the other edge, b and w by words; e plays the edge; x saves exactly")
_FOLDER = "clips"
"""The name under which the folder is remembered."""


class Edges(Struct, frozen=True):
    """Where a clip begins and ends, in ms of an episode of that length, if it is known; the edge that is moved is its
    end or its start."""

    start_ms: int
    end_ms: int
    length_ms: int | None = None
    at_end: bool = False

    def other(self) -> "Edges":
        return Edges(self.start_ms, self.end_ms, self.length_ms, not self.at_end)

    def moved_by(self, ms: int) -> "Edges":
        return self._moved_to((self.end_ms if self.at_end else self.start_ms) + ms)

    def moved_by_word(self, step: int, words: Sequence[int]) -> "Edges":
        """To the next beginning of a word, or the last one before; by a second where no words are known."""
        now = self.end_ms if self.at_end else self.start_ms
        beyond = [at for at in words if (at > now if step > 0 else at < now)]
        if not beyond:
            return self if words else self.moved_by(step * _FAR_MS)
        return self._moved_to(min(beyond) if step > 0 else max(beyond))

    def _moved_to(self, ms: int) -> "Edges":
        """An edge stays in the episode, and behind or before the other one."""
        if self.at_end:
            last = self.length_ms or max(ms, self.end_ms)
            return Edges(self.start_ms, max(self.start_ms + LEAST_MS, min(ms, last)), self.length_ms, True)
        return Edges(max(0, min(ms, self.end_ms - LEAST_MS)), self.end_ms, self.length_ms)


class ClipScreen(Dialog[Here]):
    """Answers with the clip that is to be kept in Bookmarks."""

    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("bookmark")),
        ("escape,q", "close", mark("close")),
        ("s", "file", mark("save")),
        ("p", "hear", mark("hear")),
        ("h,left", "move(-1)", ""),
        Binding("l,right", "move(1)", mark("0.1 s"), key_display="h l"),
        ("b", "word(-1)", ""),
        Binding("w", "word(1)", mark("word"), key_display="b w"),
        ("tab,j,k,up,down", "other", mark("edge")),
        ("e", "hear_edge", mark("hear edge")),
        ("x", "exact", mark("exact")),
    ]

    DEFAULT_CSS = """
    ClipScreen {
        & #dialog { width: 72; }
        & #words { height: auto; max-height: 4; margin-top: 1; color: $muted; }
        & #told { margin-top: 1; }
        &.-low #words { max-height: 2; margin-top: 0; }
        &.-low #told { margin-top: 0; }
    }
    """

    def __init__(self, player: "Player", clip: Here) -> None:
        super().__init__(told=translate(_MORE), classes="-waits")
        self._player = player
        self._episode = clip.episode
        length_ms = clip.episode.duration_ms
        end_ms = clip.position_ms + max(LEAST_MS, clip.length_ms)
        self._edges = Edges(clip.position_ms, min(end_ms, length_ms or end_ms), length_ms)
        self._exact = False
        self._transcript = Transcript()
        self._starts: Sequence[int] = ()
        self._cancel = CancelToken()
        self._was_playing: bool | None = None
        """Whether anything was playing before a part of the clip was heard; None if none was."""
        self._shown = Static(id="edges", markup=False)
        self._words = Static(id="words", markup=False)
        self._field = PathField(player.remembered(_FOLDER) or _at_home(self._downloads), placeholder="~/clip.mp3")
        self._line = field(_("File"), self._field)
        self._line.display = False

    def heading(self) -> Content:
        title = Content.styled(f" {glyphs_of(self.app).dot} {steady(self._episode.title)}", "not bold")
        return Content.assemble(_("Clip"), title)

    def words(self, action: str, words: str) -> str:
        if not self._line.display:
            return words
        own = {"take": _("save"), "close": _("back")}
        return own.get(action, "")

    def contents(self) -> ComposeResult:
        yield self._shown
        yield self._words
        self._line.add_class("gap")
        yield self._line
        yield self.line
        yield self.told

    def on_mount(self) -> None:
        self._show()
        self.read(lambda: self._player.attachments.transcript(self._episode.id), self._read, group="transcript")

    def on_unmount(self) -> None:
        self._cancel.set()
        self._restore()

    def _read(self, transcript: Transcript | None) -> None:
        if transcript is not None:
            self._transcript, self._starts = transcript, edges_of(transcript)
            self._show()

    @property
    def clip(self) -> Here:
        return Here(self._episode, self._edges.start_ms, self._edges.end_ms - self._edges.start_ms)

    def _show(self) -> None:
        edges, arrow = self._edges, glyphs_of(self.app).cursor
        parts = []
        for at_end, ms in ((False, edges.start_ms), (True, edges.end_ms)):
            chosen = edges.at_end is at_end
            text = f"{arrow if chosen else ' '}{_tenths(ms)}"
            parts.append(Content.styled(text, "bold $accent" if chosen else "$text"))
        exact = f" {glyphs_of(self.app).dot} {_('exact to the sample')}" if self._exact else ""
        length = Content.styled(f"   {(edges.end_ms - edges.start_ms) / 1000:.1f} s{exact}", "$muted")
        self._shown.update(Content.assemble(parts[0], "  ", parts[1], length))
        said = " ".join(line.text for line in words_of(self._transcript, edges.start_ms, edges.end_ms).lines)
        if len(said) > 2 * _SAID:
            said = f"{said[:_SAID].rstrip()} {glyphs_of(self.app).ellipsis} {said[-_SAID:].lstrip()}"
        self._words.update(_("“{line}”", line=steady(said)) if said else "")
        self._words.display = bool(said)

    # -- the edges --------------------------------------------------------------------------------------------

    def _move(self, edges: Edges) -> None:
        self._edges = edges
        self._show()

    def action_other(self) -> None:
        self._move(self._edges.other())

    def action_move(self, step: int) -> None:
        self._move(self._edges.moved_by(step * _STEP_MS))

    def action_word(self, step: int) -> None:
        self._move(self._edges.moved_by_word(step, self._starts))

    def action_exact(self) -> None:
        """Whether the file is to be exact to the sample."""
        self._exact = not self._exact
        self._show()

    # -- hearing ----------------------------------------------------------------------------------------------

    def action_hear(self) -> None:
        self._hear(self._edges.start_ms, self._edges.end_ms)

    def action_hear_edge(self) -> None:
        """The beginning of the clip, or its end, whichever is moved."""
        edges = self._edges
        if edges.at_end:
            self._hear(max(edges.start_ms, edges.end_ms - _EDGE_MS), edges.end_ms)
        else:
            self._hear(edges.start_ms, min(edges.end_ms, edges.start_ms + _EDGE_MS))

    def _hear(self, start_ms: int, end_ms: int) -> None:
        session, status = self._player.session, self._player.status
        if self._was_playing is None:
            self._was_playing = status.state in ACTIVE and not status.clip

        def done(outcome: object) -> None:
            if isinstance(outcome, Refused):
                self.tell(outcome.sentence, trouble=True)

        self.read(session.play_clip(self._episode.id, start_ms, end_ms - start_ms), done, group="hear")

    def _restore(self) -> None:
        """The listener is where they were, and hears or doesn't hear it as before."""
        session = self._player.session
        if self._was_playing is None:
            return
        if self._player.status.clip:
            session.undo_jump()
        if self._was_playing:
            session.resume()
        else:
            session.pause()

    # -- keeping ----------------------------------------------------------------------------------------------

    def action_take(self) -> None:
        if self._line.display:
            self._save()
        else:
            self.dismiss(self.clip)

    def action_close(self) -> None:
        if self._line.display:
            self._ask_for_file(False)
        else:
            self.dismiss(None)

    def action_file(self) -> None:
        self._ask_for_file(True)

    def _ask_for_file(self, asks: bool) -> None:
        self._line.display = asks
        if asks:
            self.tell(self._about_file())
            self._field.focus()
        else:
            self.tell(translate(_MORE))
            self.set_focus(None)
        self.show_frame()

    def _about_file(self) -> str:
        if self._exact:
            return _("Exact to the sample: encoded anew as Opus, or as MP3 if the name ends in .mp3.")
        return _("In a folder the audio stays as it is. A file that ends in .opus or .mp3 may be encoded anew.")

    @property
    def _downloads(self) -> Path:
        return folder_of(self._player.settings.media.downloads, self._player.paths.data)

    def _save(self) -> None:
        from player.clips.clips import ClipFile, Clips

        typed = self._field.value.strip().strip("\"'")
        if not typed:
            return
        path, player, clip, cancel, exact = with_home(typed), self._player, self.clip, self._cancel, self._exact

        def work() -> "SavedClip":
            if path == self._downloads:
                path.mkdir(parents=True, exist_ok=True, mode=0o700)
            clips = Clips(player.services.media.available, player.attachments.transcript)
            return clips.save(clip, ClipFile(path, exact), cancel)

        def saved(found: "SavedClip") -> None:
            player.remember(_FOLDER, typed if found.audio.parent == path else f"{Path(typed).parent}/")
            self._ask_for_file(False)
            self.tell(_("Saved as {file}", file=_at_home(found.audio)))

        self.begin(_("Saving the clip"), work, saved)


def _tenths(ms: int) -> str:
    return f"{clock(ms)}.{ms % 1000 // 100}"


def _at_home(path: Path) -> str:
    """The path as people type it."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
