"""Rules for reading and writing a server's rows of progress. Pure.

An Audiobookshelf server has one row of progress for each episode that was begun. It contains what was written last,
which may not be what happened last. A device therefore remembers each row as it last saw it (`Seen`), and three rules
apply:

- An app that writes a row with a later date than before had read the former row: a lower position means that the
  listener went back, and a position after a played mark that the episode was begun again.
- A row with an earlier date than before was sent late. If the rules of `player.merging` lead from both rows to another
  state, the row is corrected.
- A position of 0:00 means nothing: players send it before they have loaded the position. Only after a played mark, or
  in an episode that is hidden from “Continue Listening”, does it mean that the episode was marked as not played.

Source: the server's `MediaProgress.applyProgressUpdate` and `User.createUpdateMediaProgressFromPayload`
(github.com/advplyr/audiobookshelf, 2.36).
"""

from base64 import urlsafe_b64encode
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from msgspec import Struct
from msgspec.structs import replace

from player.audiobookshelf.answers import Listening, Progress
from player.library.syncing.own_actions import SAME_MS, short_of_end
from player.merging.fold import fold
from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeName, EpisodeState

_SESSIONS = UUID("5b0c1e0e-7f3f-4c37-9d6e-2f1c0f6a7d4b")
"""The namespace of the ids that listening sessions get."""
_SOMETHING = EpisodeName("", "")


class Seen(Struct, frozen=True, array_like=True):
    """A row as this device last saw it. `updated_ms` is its date on the server, 0 once the server has lost the row;
    `said_ms` is the date of the action that was made from it here. `position_ms` of a finished episode is 0."""

    updated_ms: int
    position_ms: int
    is_finished: bool
    said_ms: int

    @staticmethod
    def of(row: Progress, said_ms: int) -> "Seen":
        finished, position_ms = _state(row)
        return Seen(row.updated_ms, position_ms, finished, said_ms)

    def is_of(self, row: Progress | None) -> bool:
        """Whether the row is still the same, or still lost."""
        return self == Seen.of(row, self.said_ms) if row is not None else not self.updated_ms

    @property
    def state(self) -> tuple[bool, int]:
        return self.is_finished, self.position_ms


class Wanted(Struct, frozen=True):
    """The contents that a row should have. `updated_ms` is its date. `is_hidden`: the episode is marked as not
    played."""

    updated_ms: int
    position_ms: int = 0
    is_finished: bool = False
    is_hidden: bool = False

    def is_said_by(self, row: Progress | None) -> bool:
        if row is None or row.is_finished != self.is_finished or (self.is_hidden and not row.is_hidden):
            return False
        return self.is_finished or abs(row.position_ms - self.position_ms) < SAME_MS


class Place(NamedTuple):
    """An episode on the server. `duration_ms` is 0 if the server doesn't know it."""

    item: str
    episode: str
    duration_ms: int = 0
    title: str = ""

    @property
    def key(self) -> str:
        return key_of(self.item, self.episode)


def key_of(item: str, episode: str) -> str:
    """A short name for a row: thousands of them are stored."""
    return urlsafe_b64encode(blake2b(f"{item}/{episode}".encode(), digest_size=9).digest()).decode()


# -- from the server ----------------------------------------------------------------------------------------------


def look(row: Progress, before: Seen | None, now: int) -> tuple[Seen, Wanted | None]:
    """A row that has changed since `before`, as it is seen now, and the contents to restore if the change has to be
    corrected. If the date of `before` is later than `now`, its clock was ahead, and rows with earlier dates count."""
    said_ms = min(row.updated_ms, now)
    if before is None:
        return Seen.of(row, said_ms), None
    seen = Seen.of(row, max(said_ms, before.said_ms + 1))
    if row.updated_ms < before.updated_ms <= now:
        late = _action(_SOMETHING, Seen.of(row, row.updated_ms), None)
        known = _action(_SOMETHING, replace(before, said_ms=before.updated_ms), None)
        state = fold([late, known])
        if (state.played, state.position_ms) == before.state not in (seen.state, (False, 0)):
            return before, Wanted(before.updated_ms, before.position_ms, before.is_finished)
    elif _says_nothing(row) and not before.is_finished and before.position_ms:
        updated_ms = row.updated_ms + 1
        return replace(before, updated_ms=updated_ms), Wanted(updated_ms, before.position_ms)
    return seen, None


def said(name: EpisodeName, row: Progress, seen: Seen, before: Seen | None) -> Action | None:
    """The row as an action; None for a row that means nothing. `before` is the former row, None if it isn't known."""
    if _says_nothing(row) and not (before and before.is_finished):
        return None
    return replace(_action(name, seen, before), total_ms=row.duration_ms)


def _action(name: EpisodeName, seen: Seen, before: Seen | None) -> Action:
    kind = ActionKind.PLAYED if seen.is_finished else ActionKind.PLAY if seen.position_ms else ActionKind.UNPLAYED
    knew_ms = 0 if before is None else SEEN_PLAYED if before.is_finished else before.position_ms
    return Action(name, "", seen.said_ms, kind, position_ms=seen.position_ms, seen_ms=knew_ms)


def _state(row: Progress) -> tuple[bool, int]:
    is_begun = not row.is_finished and row.position_ms >= SAME_MS
    return row.is_finished, row.position_ms if is_begun else 0


def _says_nothing(row: Progress) -> bool:
    return _state(row) == (False, 0) and not row.is_hidden


# -- to the server ------------------------------------------------------------------------------------------------


def wanted(
    state: EpisodeState | None, row: Progress | None, listened: Sequence[Listening], place: Place, latest_ms: int
) -> Wanted | None:
    """The contents that the row should have: `state`, or its present contents if that is None. Returns None if the row
    needn't be written.

    The date is at most `latest_ms`, but always later than the row's present one and than those of `listened`: otherwise
    the server would replace the user's position with that of a session.
    """
    after_ms = max((one.updated_ms + 1 for one in listened), default=0)
    is_played, position_ms = (state.played, state.position_ms) if state else _state(row) if row else (False, 0)
    position_ms = 0 if is_played or position_ms < SAME_MS else short_of_end(position_ms, place.duration_ms)
    is_begun = is_played or position_ms > 0
    at = min(state.at, latest_ms) if state else 0
    found = Wanted(max(after_ms, at), position_ms, is_played, state is not None and not is_begun)
    if row is None:
        return found if state or listened else None
    if found.is_said_by(row):
        return None if row.updated_ms >= after_ms else replace(found, updated_ms=after_ms)
    return replace(found, updated_ms=max(found.updated_ms, row.updated_ms + 1))


def entries(place: Place, row: Progress | None, to_say: Wanted) -> list[dict[str, Any]]:
    """The updates, one or two in their order, that give the row, which is `row` now, these contents.

    A new row gets the present time as its date, so it is written twice. When a row stops being finished, the server
    sets its position to 0 and ignores the position in the same update. The server stores position, duration and
    progress as they are sent, so all three are sent together. `isFinished`, even false, makes it ignore the progress.
    """
    name = {"libraryItemId": place.item, "episodeId": place.episode}
    date = {"lastUpdate": to_say.updated_ms}
    if to_say.is_said_by(row):
        return [{**name, **date}]
    seconds, total = to_say.position_ms / 1000, (place.duration_ms or (row.duration_ms if row else 0) or 0) / 1000
    update: dict[str, Any]
    if to_say.is_finished:
        at_end = {"currentTime": total, "duration": total, "progress": 1} if total else {}
        update = {**name, **at_end, "isFinished": True, "finishedAt": to_say.updated_ms, **date}
    else:
        length = {"duration": total, "progress": min(1.0, seconds / total)} if total else {}
        hidden = {"hideFromContinueListening": True} if to_say.is_hidden else {}
        update = {**name, "currentTime": seconds, **length, **hidden, **date}
    if row is None:
        return [update, update]
    return [{**name, "isFinished": False}, update] if row.is_finished and not to_say.is_finished else [update]


def session_id(device: str, place: Place, began_at: int) -> str:
    """The id of a session; always the same for the same listening on a device, so that it is counted once."""
    return str(uuid5(_SESSIONS, f"{device}\n{place.item}\n{place.episode}\n{began_at}"))
