"""An Audiobookshelf server as a target: progress both ways, and what was heard here as listening sessions, for the
server's statistics.

A session also moves the user's position, unless the progress there is later. Every position is therefore written before
the sessions that led to it, and with a later date than theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from player import __version__
from player.audiobookshelf.answers import Listening, Progress
from player.audiobookshelf.client import Audiobookshelf, AudiobookshelfError, SignInWanted
from player.library.syncing import shared_moments
from player.library.syncing.shared_spans import SharedSpan
from player.merging.fold import fold, newest_at
from player.model.syncing import Action, EpisodeName, Fact, FactKind, Outgoing, Pulled, Pushed, SyncAccount
from player.net.failures import RequestFailed
from player.sync.audiobookshelf import WAY
from player.sync.audiobookshelf.catalogue import Catalogue
from player.sync.audiobookshelf.rows import Place, Seen, Wanted, entries, key_of, look, said, session_id, wanted
from player.sync.target import SyncError, SyncFailure
from player.sync.web import server_errors
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.requester import Login

_MOST_AT_ONCE = 500
_MOST_UPDATES, _MOST_SESSIONS = 100, 50
"""In a request. The server looks up a podcast with all its episodes for each session."""


def _now() -> datetime:
    return datetime.now(UTC)


class _Told:
    """What has to be sent about an episode."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.actions: dict[int, Action] = {}
        self.known: list[Action] = []
        self.listened: dict[int, Listening] = {}


class AudiobookshelfTarget:
    """Implements SyncTarget. `login` finds the name and password, or API key, that were typed, for as long as there are
    no tokens."""

    carries = WAY.carries
    most_at_once = _MOST_AT_ONCE

    def __init__(
        self, account: SyncAccount, server: Audiobookshelf, login: Login, *, now: Callable[[], datetime] = _now
    ) -> None:
        self._account = account
        self._server = server
        self._login = login
        self._now = now
        self._catalogue = Catalogue(server, self._ms)
        self._seen: dict[str, Seen] | None = None
        """The rows as of the last pull, with what was written since."""

    def pull(self, cursor: str, *, whole: bool) -> Pulled:
        with self._in_words():
            self._sign_in()
            whole = whole or not cursor
            rows, now = self._rows(), self._latest_ms()
            before = _read(cursor) if cursor else self._seen or {}
            seen = {key: replace(known, updated_ms=0) for key, known in before.items() if key not in rows}
            news: list[tuple[Progress, Seen, Seen | None]] = []
            undone: list[tuple[Place, Progress, Wanted]] = []
            for key, row in rows.items():
                known = before.get(key)
                if known is not None and known.is_of(row):
                    seen[key] = known
                    if whole:
                        news.append((row, known, None))
                    continue
                seen[key], again = look(row, known, now)
                if again is None:
                    news.append((row, seen[key], known))
                else:
                    undone.append((Place(row.item, row.episode, row.duration_ms or 0), row, again))
            self._write(undone)
            names = self._catalogue.names((row.item, row.episode) for row, _now, _before in news)
        actions = (
            said(name, row, now_seen, known)
            for row, now_seen, known in news
            for name in names.get((row.item, row.episode), ())
        )
        self._seen = seen
        return Pulled(
            actions=tuple(one for one in actions if one is not None),
            cursor=_written(seen),
            is_whole=whole,
            forgotten=any(known.updated_ms for key, known in before.items() if key not in rows),
        )

    def push(self, outgoing: Outgoing) -> Pushed:
        if self._seen is None:
            return Pushed()  # the rows last seen are known only after a pull
        with self._in_words():
            sent, told = self._told(outgoing)
            if told:
                sent += self._tell(told, self._seen)
        return Pushed(sent=tuple(sent), cursor=_written(self._seen) if told else "")

    def abort(self) -> None:
        self._server.abort()

    # -- to the server ----------------------------------------------------------------------------------------

    def _told(self, outgoing: Outgoing) -> tuple[list[int], list[_Told]]:
        """The numbers of entries for which nothing has to be sent, and the rest by episode."""
        names = {number: action.episode for number, action in outgoing.actions}
        heard: dict[int, tuple[Fact, int]] = {}
        sent: list[int] = [number for number, _subscription in outgoing.subscriptions]
        for number, fact in outgoing.facts:
            found = shared_moments.name_of(fact.key) if fact.kind is FactKind.SPAN else None
            if found is None:
                sent.append(number)
            else:
                names[number], heard[number] = found[0], (fact, found[1])
        actions = dict(outgoing.actions)
        moments: dict[EpisodeName, int] = {}
        for number, name in names.items():
            at = heard[number][0].at if number in heard else actions[number].at
            moments[name] = max(at, moments.get(name, 0))
        places = self._catalogue.places(moments)
        told: dict[str, _Told] = {}
        for number, name in names.items():
            if (place := places.get(name)) is None:
                sent.append(number)
                continue
            of_episode = told.setdefault(place.key, _Told(place))
            if number in actions:
                of_episode.actions[number] = actions[number]
                of_episode.known += outgoing.known.get(number, ()) or (actions[number],)
            elif listened := self._listened(place, *heard[number]):
                of_episode.listened[number] = listened
            else:
                sent.append(number)
        return sent, [one for one in told.values() if one.actions or one.listened]

    def _tell(self, told: Sequence[_Told], seen: dict[str, Seen]) -> list[int]:
        """Sends them; returns the numbers of the entries that were sent. An episode whose progress on the server has
        changed since the last pull is left for the next round, which takes over that change first."""
        rows = self._rows()
        ready: list[tuple[_Told, Wanted | None]] = []
        updates: list[tuple[Place, Progress | None, Wanted]] = []
        for one in told:
            row, known = rows.get(one.place.key), seen.get(one.place.key)
            if not known.is_of(row) if known else row is not None:
                continue
            state = fold(one.known) if one.actions else None
            to_say = wanted(state, row, list(one.listened.values()), one.place, self._latest_ms())
            ready.append((one, to_say))
            if to_say is not None:
                updates.append((one.place, row, to_say))
        if updates:
            self._write(updates)
            rows = self._rows()
        sent: list[int] = []
        listened: dict[int, Listening] = {}
        for one, to_say in ready:
            key, row = one.place.key, rows.get(one.place.key)
            if to_say is not None and not to_say.is_said_by(row):
                self._catalogue.forget(one.place.item)  # the episode may have gone there
                continue
            sent += one.actions
            if row is not None:
                before = seen.get(key)
                said_ms = max(min(row.updated_ms, self._ms()), newest_at(one.known), before.said_ms if before else 0)
                seen[key] = Seen.of(row, said_ms)
                listened |= {number: each for number, each in one.listened.items() if each.updated_ms < row.updated_ms}
        return sent + self._send(listened)

    def _write(self, updates: Sequence[tuple[Place, Progress | None, Wanted]]) -> None:
        for start in range(0, len(updates), _MOST_UPDATES):
            some = updates[start : start + _MOST_UPDATES]
            self._server.update_progress([entry for update in some for entry in entries(*update)])

    def _send(self, listened: Mapping[int, Listening]) -> list[int]:
        """The numbers of the sessions that the server has accepted, or whose episodes it no longer has."""
        newest_first = sorted(listened.items(), key=lambda one: one[1].updated_ms, reverse=True)
        sent: list[int] = []
        for start in range(0, len(newest_first), _MOST_SESSIONS):
            some = newest_first[start : start + _MOST_SESSIONS]
            taken = self._server.send_listening(
                [one for _number, one in some], self._account.device, "Earmark", __version__
            )
            answered = {one.id for one in taken if one.success or one.error}
            sent += [number for number, one in some if one.id in answered]
        return sent

    def _listened(self, place: Place, fact: Fact, began_at: int) -> Listening | None:
        """The session for a span of listening; None if the span can't be read or nothing was heard in it."""
        try:
            span = msgspec.json.decode(fact.value, type=SharedSpan)
        except (msgspec.DecodeError, RecursionError):
            return None
        heard_ms = int((span.to_ms - span.from_ms) / span.speed)
        if heard_ms <= 0:
            return None
        ahead_ms = max(0, began_at + heard_ms + 1 - self._latest_ms())
        return Listening(
            session_id(self._account.device, place, began_at),
            place.item,
            place.episode,
            place.title,
            span.to_ms,
            place.duration_ms,
            heard_ms,
            began_at - ahead_ms,
            began_at + heard_ms - ahead_ms,
            span.from_ms,
        )

    # -- inside -----------------------------------------------------------------------------------------------

    def _rows(self) -> dict[str, Progress]:
        return {key_of(one.item, one.episode): one for one in self._server.progress_of_all()}

    def _ms(self) -> int:
        return round(self._now().timestamp() * 1000)

    def _latest_ms(self) -> int:
        """The latest date to write: not later than the server's clock, even if this device's clock is ahead. The server
        would ignore what other apps send until that date."""
        return self._server.now_ms or self._ms()

    def _sign_in(self) -> None:
        """Signs in with the typed name and password, or API key, unless there are tokens already. Somebody may have
        signed in as another user since, for the server's podcasts: their positions aren't this account's."""
        user, expected = self._server.user, self._account.user
        if user is not None:
            if user and expected and user.casefold() != expected.casefold():
                raise server_errors.other_user(user, expected)
            return
        login = self._login(self._account.address)
        if login is None:
            raise server_errors.no_password(self._account.address)
        name, secret = login
        try:
            self._server.status()
            self._server.sign_in("" if is_api_key(secret) else name, secret)
        except SignInWanted as error:
            raise SyncError(SyncFailure.LOGIN, error.what, error.advice) from error

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Turns the client's errors into SyncError."""
        try:
            yield
        except SignInWanted as error:
            raise SyncError(SyncFailure.LOGIN, error.what, _("Set up syncing again.")) from error
        except AudiobookshelfError as error:
            cause = error.__cause__
            if isinstance(cause, RequestFailed):
                raise server_errors.of_request(cause, self._account.address) from error
            raise SyncError(SyncFailure.NOT_A_SERVER, error.what, error.advice) from error


def is_api_key(secret: str) -> bool:
    """Whether it is an API key, a signed token (RFC 7519), and not a password."""
    parts = secret.strip().split(".")
    return len(parts) == 3 and all(parts) and secret.strip().startswith("eyJ")


def _read(cursor: str) -> dict[str, Seen]:
    """The rows in a cursor; empty if it can't be read."""
    try:
        return msgspec.json.decode(cursor, type=dict[str, Seen])
    except (ValueError, RecursionError):
        return {}


def _written(seen: Mapping[str, Seen]) -> str:
    return msgspec.json.encode(seen).decode()
