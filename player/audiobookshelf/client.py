"""Requests to one Audiobookshelf server: signing in, tokens that are renewed, podcasts, progress, listening sessions.

A server gives an access token, which is valid for an hour, and a refresh token, which is exchanged for the next two and
becomes invalid soon after. `player.net.credentials` stores both, for all processes; the password isn't stored. They are
sent in headers, and only to this server, even if it redirects to another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from player.audiobookshelf import answers
from player.audiobookshelf.answers import (
    Item,
    ListedPodcast,
    Listening,
    PodcastLibrary,
    Progress,
    ServerStatus,
    SignedIn,
    Taken,
    Unreadable,
)
from player.errors import EarmarkError
from player.links.urls import host, origin, own_origins, split_login, web_address
from player.model.feed import FeedState
from player.net.credentials import Bearer, Tokens
from player.net.exchange import Upload
from player.net.failures import FailureReason, RequestFailed, Subject, explain, http_date
from player.net.fetch import Fetched, Logins, MemoryBudget, Request, get
from player.processes.threads import CancelToken
from player.text.cleaning import clean_line
from player.text.sentences import _, mark

if TYPE_CHECKING:
    from player.net.credentials import TokenStore
    from player.net.loop import NetworkLoop

T = TypeVar("T")
R = FailureReason

LIMIT = 64 * 1024 * 1024
"""Most bytes of an answer, decompressed: a podcast with ten thousand episodes has 40 MB."""
_LITTLE = 256 * 1024
"""Most bytes of the answer by which an Audiobookshelf server is recognised."""
_SILENCE_S, _TOTAL_S, _SHORT_S = 20.0, 90.0, 15.0
_GOOD = range(200, 300)
_PAGE = 500
"""Podcasts asked for at once."""
_MOST_PAGES = 100
_LONGEST_PAUSE_S = 3600.0
_PAGES = ("/login/", "/item/", "/library/", "/config/", "/account/", "/api/")
"""Paths of pages of the server's web site: people copy the address of one."""

_NO_STATUS = frozenset({R.NOT_FOUND, R.REMOVED, R.ODD_STATUS, R.CORRUPT, R.DENIED, R.LOGIN, R.PAYMENT, R.TOO_LARGE})
"""How other servers fail at the path where an Audiobookshelf server identifies itself."""

SIGN_IN = mark("Sign in again with the command “Sign in to a server”, or with: earmark login PODCAST")
_CHECK = mark("Check the server's address.")
_NO_SERVER = (mark("{server} doesn't answer like an Audiobookshelf server ({status})"), _CHECK)
_NONSENSE = (mark("{server} sent a response that Earmark can't read"), _CHECK)
SERVER = Subject(
    mark("its answer"),
    address=_CHECK,
    own={
        R.LOGIN: (mark("{server} no longer accepts your login ({status})"), SIGN_IN),
        R.DENIED: (mark("Your account has no access to this on {server} ({status})"), mark("Ask its administrator.")),
        R.NOT_FOUND: (mark("{server} has no such podcast or episode ({status})"), mark("Refresh the podcast.")),
        R.TOO_MANY: ("", mark("Try again in ten minutes.")),
        R.BAD_ADDRESS: (mark("The address of the server isn't a URL"), mark("It looks like https://example.com.")),
        **dict.fromkeys((R.PAYMENT, R.REMOVED, R.ODD_STATUS), _NO_SERVER),
        **dict.fromkeys((R.CORRUPT, R.ENCODING), _NONSENSE),
    },
)


class AudiobookshelfError(EarmarkError):
    """A server can't be used. `reason` and `status` are those of the request. `pause_s` is the time that the server
    wants no further requests; 0 if it didn't say."""

    def __init__(
        self, what: str, advice: str = "", reason: FailureReason = R.CORRUPT, status: int = 0, pause_s: float = 0.0
    ) -> None:
        super().__init__(what, advice)
        self.reason = reason
        self.status = status
        self.pause_s = pause_s


class SignInWanted(AudiobookshelfError):
    """There is no login for the server, or it no longer accepts that login."""


def server_address(typed: str) -> str:
    """The base address of a server, without a slash at its end, the same however its host was spelled; "" if `typed`
    isn't a web address.

    `typed` may also be a host name alone, or the address of one of the server's pages.
    """
    typed = typed.strip()
    typed = typed if "://" in typed else f"https://{typed}"
    address = (
        split_login(found)[0] if typed.isprintable() and " " not in typed and (found := web_address(typed)) else ""
    )
    address = address.partition("?")[0].partition("#")[0].rstrip("/")
    for page in _PAGES:
        before, there, _rest = f"{address}/".partition(page)
        address = before if there and origin(before) else address
    return origin(address) + urlsplit(address).path if origin(address) else ""


def _json(value: object, method: Literal["POST", "PATCH"] = "POST") -> Upload:
    return Upload(msgspec.json.encode(value), "application/json", method)


class Answered(NamedTuple):
    """`item` is None if it hasn't changed since `state`."""

    item: Item | None
    state: FeedState


class Audiobookshelf:
    """An Audiobookshelf server. For any threads; all methods block, and raise AudiobookshelfError: SignInWanted where a
    login is needed. Once `cancel` is set, from any thread, they end at once."""

    def __init__(
        self, address: str, network: NetworkLoop, credentials: TokenStore, cancel: CancelToken | None = None
    ) -> None:
        """`address` is a result of `server_address`."""
        self.address = address
        self._network = network
        self._credentials = credentials
        self._cancel = cancel or CancelToken()
        self._own = own_origins(address)
        self._dated: tuple[float, float] | None = None
        """The server's time in its last answer, and when that answer arrived."""

    def abort(self) -> None:
        """Ends the current request and all later ones."""
        self._cancel.set()

    @property
    def now_ms(self) -> int | None:
        """The time on the server's clock, to the second, in ms since 1970. None if it isn't known."""
        if self._dated is None:
            return None
        said_s, at = self._dated
        return int((said_s + time.monotonic() - at) * 1000)

    # -- who it is, and who we are ----------------------------------------------------------------------------

    def status(self) -> ServerStatus:
        """Needs no login. Also raises AudiobookshelfError if it isn't an Audiobookshelf server."""
        try:
            found = answers.read_status(self._send("status", None, size=_LITTLE, total_s=_SHORT_S).body)
        except AudiobookshelfError as error:
            if error.reason not in _NO_STATUS:
                raise
            found = None
        if found is None:
            what = _("{host} isn't an Audiobookshelf server", host=self._name)
            raise AudiobookshelfError(what, _("Check the server's address."), R.NOT_FOUND)
        if not found.is_ready:
            raise AudiobookshelfError(
                _("{host} hasn't been set up yet", host=self._name), _("Open it in a browser first."), R.ODD_STATUS
            )
        return found

    @property
    def user(self) -> str | None:
        """The name of the user who is signed in; None if there is no login. Doesn't ask the server."""
        tokens = self._credentials.tokens(self.address)
        return None if tokens is None else tokens.name

    def sign_in(self, name: str, secret: str) -> str:
        """Signs in with a name and password, or with an API key if `name` is ""; stores the tokens, and returns the
        user's name. Nothing is sent to a server that isn't Audiobookshelf."""
        methods = self.status().methods
        if name:
            if methods and "local" not in methods:
                what = _("{host} doesn't accept names and passwords", host=self._name)
                raise SignInWanted(what, _("Use an API key as the password, without a name."), R.LOGIN)
            sent = _json({"username": name, "password": secret})
            signed_in = self._signed_in("login", sent, answers.read_signed_in, {"x-return-tokens": "true"})
        else:
            secret = secret.strip()
            if not answers.is_token(secret):
                raise self._refused_login(0)
            user = self._signed_in("api/authorize", _json({}), answers.read_user_name, bearer=Bearer("", secret))
            signed_in = SignedIn(user, secret)
        name = clean_line(signed_in.name or name, 200)
        self._credentials.remember_tokens(self.address, Tokens(name, signed_in.access, signed_in.refresh))
        return name

    # -- podcasts ---------------------------------------------------------------------------------------------

    def libraries(self) -> tuple[PodcastLibrary, ...]:
        """The libraries of podcasts that the user may see."""
        return self._read("api/libraries", answers.read_libraries)

    def podcasts(self, library: str) -> tuple[ListedPodcast, ...]:
        """All podcasts of a library, in its order."""
        found: dict[str, ListedPodcast] = {}
        got = 0
        for page in range(_MOST_PAGES):
            path = f"api/libraries/{library}/items?limit={_PAGE}&page={page}&minified=1"
            some, entries, total = self._read(path, answers.read_podcasts)
            found |= {one.id: one for one in some}
            got += entries
            if not entries or got >= total:
                break
        return tuple(found.values())

    def item(self, item: str, known: FeedState = FeedState(), budget: MemoryBudget | None = None) -> Answered:  # noqa: B008 - frozen
        """A podcast with its episodes, unless it hasn't changed since `known`."""
        got = self._asked(f"api/items/{item}?expanded=1", None, known=known, budget=budget)
        if not got.is_new:
            return Answered(None, got.state)
        found = self._understood(got.body, answers.read_item)
        if found is None:
            raise AudiobookshelfError(
                _("That isn't a podcast on {host}", host=self._name), _("It may be an audiobook."), R.NOT_FOUND
            )
        return Answered(found, got.state)

    def path(self, path: str) -> str:
        """The web address of a path in an answer, such as that of an episode's audio; "" if it leads to another
        server."""
        found = web_address(f"{self.address}{path}") if path.startswith("/") else ""
        return found if origin(found) in self._own else ""

    # -- progress ---------------------------------------------------------------------------------------------

    def progress_of_all(self) -> tuple[Progress, ...]:
        """The user's progress in all episodes."""
        return self._read("api/me", answers.read_progress_of_all)

    def update_progress(self, updates: Sequence[Mapping[str, object]]) -> None:
        """Updates the progress of several episodes, one after the other; each update names its `libraryItemId` and
        `episodeId`. The server ignores updates for episodes that it doesn't have."""
        if updates:
            self._asked("api/me/progress/batch/update", _json(updates, "PATCH"))

    def send_listening(
        self, listened: Sequence[Listening], device: str, client: str, version: str
    ) -> tuple[Taken, ...]:
        """Sends listening sessions. A session older than the server's position doesn't move that. If the server has no
        progress of an episode, send its newest session first. `device` identifies this device; the server shows
        `client` and `version`."""
        sessions = [
            {
                "id": one.id,
                "libraryItemId": one.item,
                "episodeId": one.episode,
                "mediaType": "podcast",
                "displayTitle": one.title,
                "duration": one.duration_ms / 1000,
                "startTime": one.from_ms / 1000,
                "currentTime": one.position_ms / 1000,
                "timeListening": one.listened_ms / 1000,
                "startedAt": one.started_ms,
                "updatedAt": one.updated_ms,
                "mediaPlayer": client,
                "playMethod": 3,
            }
            for one in listened
        ]
        told = {"deviceId": device, "clientName": client, "clientVersion": version}
        body = _json({"sessions": sessions, "deviceInfo": told})
        return self._understood(self._asked("api/session/local-all", body).body, answers.read_taken)

    # -- requests ---------------------------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return host(self.address) or _("The server")

    def _read(self, path: str, read: Callable[[bytes], T]) -> T:
        return self._understood(self._asked(path, None).body, read)

    def _understood(self, body: bytes, read: Callable[[bytes], T]) -> T:
        try:
            return read(body)
        except Unreadable as error:
            if body.lstrip()[:1] == b"<":
                raise AudiobookshelfError(
                    _("{host} sent a web page instead of data", host=self._name),
                    _("If this network requires you to sign in, do that first; otherwise check the server's address."),
                ) from error
            raise self._failed(RequestFailed(R.CORRUPT)) from error

    def _asked(
        self,
        path: str,
        upload: Upload | None,
        *,
        known: FeedState = FeedState(),  # noqa: B008 - frozen
        budget: MemoryBudget | None = None,
    ) -> Fetched:
        """Sends a request with the access token; if that has expired, once more with new tokens."""
        tokens = self._credentials.tokens(self.address)
        if tokens is None:
            raise self.sign_in_wanted()
        try:
            return self._send(path, Bearer(tokens.name, tokens.access), upload, known=known, budget=budget)
        except AudiobookshelfError as error:
            if error.status != 401:
                raise
            tokens = self._credentials.renewed(self.address, tokens.access, self._renewed)
            if tokens is None:
                raise self.sign_in_wanted() from error
        try:
            return self._send(path, Bearer(tokens.name, tokens.access), upload, known=known, budget=budget)
        except AudiobookshelfError as error:
            if error.status == 401:
                raise SignInWanted(error.what, error.advice, error.reason, error.status) from error
            raise

    def _renewed(self, old: Tokens) -> Tokens:
        if not old.refresh:
            raise self._no_longer()
        try:
            headers = {"x-refresh-token": old.refresh}
            got = self._send("auth/refresh", None, _json({}), headers=headers, size=LIMIT)
            new = self._understood(got.body, answers.read_signed_in)
        except AudiobookshelfError as error:
            if error.status == 401:
                raise self._no_longer() from error
            raise
        if not new.refresh:
            raise self._failed(RequestFailed(R.CORRUPT))
        return Tokens(old.name, new.access, new.refresh)

    def _signed_in(
        self,
        path: str,
        upload: Upload,
        read: Callable[[bytes], T],
        headers: dict[str, str] | None = None,
        bearer: Bearer | None = None,
    ) -> T:
        try:
            got = self._send(path, bearer, upload, headers=headers)
        except AudiobookshelfError as error:
            if error.status in (400, 401):
                raise self._refused_login(error.status) from error
            raise
        return self._understood(got.body, read)

    def _send(
        self,
        path: str,
        bearer: Bearer | None,
        upload: Upload | None = None,
        *,
        headers: dict[str, str] | None = None,
        known: FeedState = FeedState(),  # noqa: B008 - frozen
        size: int = LIMIT,
        total_s: float = _TOTAL_S,
        budget: MemoryBudget | None = None,
    ) -> Fetched:
        request = Request(
            url=f"{self.address}/{path}", size=size, total_s=total_s, silence_s=_SILENCE_S,
            headers={"Accept": "application/json", **(headers or {})}, good=_GOOD, known=known, fence=self._fence,
            logins=Logins(lambda _url: bearer), upload=upload, budget=budget,
        )  # fmt: skip
        try:
            got = get(self._network, request, self._cancel)
        except RequestFailed as failed:
            raise self._failed(failed) from failed
        if (date := http_date(got.headers.get("Date", ""))) is not None:
            self._dated = date.timestamp(), time.monotonic()
        return got

    def _fence(self, url: str) -> None:
        """Refuses requests to other servers: headers and body contain the user's login."""
        if origin(url) not in self._own:
            raise AudiobookshelfError(
                _(
                    "{host} redirects to another server, {there}",
                    host=self._name,
                    there=clean_line(origin(url), 80),
                ),
                _("Nothing was sent there. If the server has moved, use its new address."),
                R.BAD_REDIRECT,
            )

    # -- failures ---------------------------------------------------------------------------------------------

    def sign_in_wanted(self) -> SignInWanted:
        what = _("{host} requires a login", host=self._name)
        advice = _("Sign in with the command “Sign in to a server”, or with: earmark login PODCAST")
        return SignInWanted(what, advice, R.LOGIN)

    def _refused_login(self, status: int) -> SignInWanted:
        what = _("{host} refused the login", host=self._name)
        return SignInWanted(what, _("Check the name and password, or the API key."), R.LOGIN, status)

    def _no_longer(self) -> SignInWanted:
        failed = RequestFailed(R.LOGIN, url=self.address, status=401)
        return SignInWanted(*explain(failed, SERVER), R.LOGIN, 401)

    def _failed(self, failed: RequestFailed) -> AudiobookshelfError:
        what, advice = explain(failed, SERVER, self.address, self._name)
        pause_s = min(failed.pause_s or 0.0, _LONGEST_PAUSE_S)
        return AudiobookshelfError(what, advice, failed.reason, failed.status, pause_s)
