"""An Audiobookshelf server on 127.0.0.1 that answers as 2.36 was observed to, pitfalls included; and faults to switch
on.

`with AudiobookshelfServer() as server: server.add_podcast("Casting Stones").add_episode("One", audio)`.
"""

import json
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit
from uuid import NAMESPACE_URL, uuid5

from tests.loopback import LoopbackServer, Request
from tests.sync_servers.server import Refusal

USER, PASSWORD, ADMIN = "ann", "corr€ct horse", "root"
TOKEN = "eyJ-secret"
"""All tokens and API keys begin with this; tests look for it where none must be."""
PAGE = b'<!doctype html><html lang="en"><head><title>Audiobookshelf</title></head><body><div id="__nuxt"></div></body>'
BELOW = "/audiobookshelf"
"""All paths exist at the root and below this."""
Json = dict[str, Any]


def uuid(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, name))


class Episode:
    """An episode as the server has it. Attributes may be set at any time."""

    def __init__(self, podcast: "Podcast", title: str, audio: bytes, number: int) -> None:
        self.podcast = podcast
        self.id = uuid(f"{podcast.title}/{title}/{number}")
        self.title = title
        self.audio = audio
        self.guid: Any = f"guid-{podcast.title}-{number}"
        self.enclosure: Any = f"https://cdn.example/{number}.mp3"
        self.description = f"<p>Notes of {title}</p>"
        self.published_ms: Any = 1_790_000_000_000 + number * 86_400_000
        self.duration: Any = 30.0
        self.chapters: list[Json] = []
        self.media_type = "audio/mpeg"
        self.ino = podcast.server.new_inode()

    def replace_file(self, audio: bytes) -> None:
        """Replaces its file with another one, which has another inode: the old address is 404."""
        self.audio, self.ino = audio, self.podcast.server.new_inode()

    @property
    def path(self) -> str:
        return f"/api/items/{self.podcast.id}/file/{self.ino}"

    def shown(self) -> Json:
        track = {"ino": self.ino, "mimeType": self.media_type, "duration": self.duration, "contentUrl": self.path}
        return {
            "id": self.id,
            "libraryItemId": self.podcast.id,
            "guid": self.guid,
            "enclosure": self.enclosure and {"url": self.enclosure, "type": "audio/mpeg", "length": "480530"},
            "title": self.title,
            "subtitle": None,
            "description": self.description,
            "season": "1",
            "episode": None,
            "publishedAt": self.published_ms,
            "chapters": self.chapters,
            "audioFile": {"ino": self.ino, "mimeType": self.media_type, "metadata": {"size": len(self.audio)}},
            "audioTrack": track,
            "size": len(self.audio),
            "duration": self.duration,
        }


class Podcast:
    def __init__(self, server: "AudiobookshelfServer", title: str, library: str) -> None:
        self.server = server
        self.id = uuid(title)
        self.title = title
        self.library = library
        self.feed = f"https://feeds.example/{self.id}"
        self.cover = b""
        self.episodes: list[Episode] = []
        self.odd: list[Any] = []
        """Malformed entries in the list of episodes."""

    def add_episode(self, title: str, audio: bytes, **more: Any) -> Episode:
        episode = Episode(self, title, audio, len(self.episodes) + 1)
        for name, value in more.items():
            setattr(episode, name, value)
        self.episodes.append(episode)
        return episode

    def minified(self) -> Json:
        metadata = {
            "title": self.title,
            "author": f"The makers of {self.title}",
            "description": f"About {self.title}",
            "feedUrl": self.feed,
            "language": "en",
            "explicit": False,
        }
        media = {"metadata": metadata, "numEpisodes": len(self.episodes), "coverPath": "/cover" if self.cover else None}
        return {"id": self.id, "libraryId": self.library, "mediaType": "podcast", "media": media}

    def expanded(self) -> Json:
        shown = self.minified()
        shown["media"]["episodes"] = [*self.odd, *(one.shown() for one in self.episodes)]
        return shown


class AudiobookshelfServer:
    """`now` is its clock, in seconds. With `http`, such as a server of `tests.loopback.secure`, it answers there.

    `version` before 2.26: only one token, which can't be renewed. The faults are attributes, to be set at any time.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.time,
        *,
        version: str = "2.36.0",
        http: LoopbackServer | None = None,
    ) -> None:
        self._own = http is None
        self.http = http or LoopbackServer()
        self.now = now
        self.version = version
        self.password = PASSWORD
        self.later_s = 0.0
        """How far its clock is ahead: `later_s += 3600` lets access tokens expire."""
        self.access_s, self.refresh_s, self.grace_s = 3600.0, 30 * 86_400.0, 600.0
        self.methods = ["local"]
        """Its ways to sign in; without `local`, only OpenID."""
        self.is_ready = True
        """Whether it has been set up."""
        self.busy: list[Refusal] = []
        """The answers to the next requests, regardless of their paths."""
        self.lost_answers = 0
        """The number of next requests other than GET that are obeyed but not answered: their connections end."""
        self.garbage: dict[str, bytes] = {}
        """Answers (200) by the beginning of the path, without BELOW."""
        self.redirects_to = ""
        """The server to which every request is redirected, with the same path (307)."""
        self.only_below = ""
        """Only paths below this one are the server's, as behind a proxy; "" for the root and BELOW."""
        self.holds = threading.Event()
        """While this is cleared, requests for JSON wait, as with a slow server."""
        self.holds.set()
        self.asked: list[tuple[str, str]] = []
        """Method and path of each request, with its parameters, without BELOW."""
        self.libraries: dict[str, Json] = {}
        self.podcasts: dict[str, Podcast] = {}
        self.progress: dict[tuple[str, str, str], Json] = {}
        """By user, item and episode."""
        self.sessions: dict[str, Json] = {}
        """Listening sessions by id, as they were sent."""
        self.progress_changed: Callable[[Json], object] = lambda _row: None
        """Called with each row of progress that was written."""
        self.waits: Callable[[], object] = lambda: None
        """Called when a request has to wait."""
        self.obeyed: Callable[[], object] = lambda: None
        """Called when a request has been obeyed, before it is answered."""
        self.renewals = 0
        self._lock = threading.RLock()
        self._inode = 1000
        self._made = 0
        self._access: dict[str, tuple[str, float]] = {}
        self._refresh: dict[str, tuple[str, float]] = {}
        self._rotated: dict[str, tuple[str, float]] = {}
        self._keys: dict[str, str] = {}
        self._limited: list[float] = []
        self._stack = ExitStack()
        self.add_library("Podcasts")
        self.http.otherwise = self._answer
        self.http.clock = lambda: self._time

    # -- for tests --------------------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """As a person types it."""
        scheme = "http" if self._own else "https"
        return f"{scheme}://127.0.0.1:{self.http.server_port}{self.only_below}"

    def __enter__(self) -> Self:
        if self._own:
            self._stack.enter_context(self.http)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.holds.set()
        self._stack.close()

    def add_library(self, name: str, media_type: str = "podcast") -> str:
        id = uuid(f"library {name}")
        self.libraries[id] = {"id": id, "name": name, "mediaType": media_type}
        return id

    def add_podcast(self, title: str, library: str = "") -> Podcast:
        podcast = Podcast(self, title, library or next(iter(self.libraries)))
        self.podcasts[podcast.id] = podcast
        return podcast

    def api_key(self, user: str = USER) -> str:
        """A signed token (RFC 7519)."""
        key = f"{self._new('key')}.e30.c2ln"
        self._keys[key] = user
        return key

    def withdraw_keys(self) -> None:
        self._keys.clear()

    def end_sessions(self) -> None:
        """Like a changed password (2.36): refresh tokens become invalid, access tokens last until they expire."""
        self._refresh.clear()
        self._rotated.clear()

    def expire_access(self) -> None:
        """All access tokens at once, also those that were just given."""
        self._access.clear()

    def change(self, episode: Episode, sent: Json, user: str = USER) -> None:
        """Another app updates the progress of an episode."""
        with self._lock:
            self._change(user, episode.podcast.id, episode.id, dict(sent))

    def listen(self, episode: Episode, **session: Any) -> Json:
        """Another app sends a session in which it was heard. Returns the server's answer."""
        of = {"libraryItemId": episode.podcast.id, "episodeId": episode.id, "duration": episode.duration}
        with self._lock:
            return self._local(USER, {"id": uuid(f"session {len(self.sessions)}"), **of, **session})

    def progress_of(self, episode: Episode, user: str = USER) -> Json | None:
        return self.progress.get((user, episode.podcast.id, episode.id))

    def listened_s(self) -> dict[str, float]:
        """How many seconds were heard of each episode, as its statistics count them."""
        found: dict[str, float] = {}
        for one in self.sessions.values():
            found[one["episodeId"]] = found.get(one["episodeId"], 0.0) + one["timeListening"]
        return found

    def forget_progress(self) -> None:
        """Loses all progress, as after restoring an old backup."""
        self.progress = {}

    def new_inode(self) -> str:
        self._inode += 1
        return str(self._inode)

    def sent_tokens(self) -> list[str]:
        """Requests with a token anywhere but in the headers for it."""
        return [one.path for one in self.http.seen if TOKEN in one.path]

    # -- answering --------------------------------------------------------------------------------------------

    @property
    def _time(self) -> float:
        return self.now() + self.later_s

    @property
    def _is_old(self) -> bool:
        return tuple(map(int, self.version.split(".")[:2])) < (2, 26)

    def _new(self, kind: str) -> str:
        self._made += 1
        return f"{TOKEN}-{kind}-{self._made}"

    def _answer(self, request: Request) -> None:
        parts = urlsplit(request.path)
        path = parts.path
        below = self.only_below or BELOW
        inside = path == below or path.startswith(f"{below}/")
        path = path[len(below) :] or "/" if inside else path
        self.asked.append((request.command, path + (f"?{parts.query}" if parts.query else "")))
        if self.redirects_to:
            request.reply(b"", "text/html", status=307, headers={"Location": f"{self.redirects_to}{request.path}"})
            return
        is_file = "/file/" in path or path.endswith("/cover")
        if not is_file:
            if not self.holds.is_set():
                self.waits()
            self.holds.wait()
        try:
            if self.only_below and not inside:
                raise Refusal(404, "<html>nothing here</html>")
            with self._lock:
                if self.busy:
                    raise self.busy.pop(0)
                for start, body in self.garbage.items():
                    if path.startswith(start):
                        request.reply(body, "application/json")
                        return
                if is_file:
                    self._reply_file(request, path)
                    return
                found = self._respond(request, path, dict(parse_qsl(parts.query)))
                self.obeyed()
                if request.command != "GET" and self.lost_answers:
                    self.lost_answers -= 1
                    request.close_connection = True
                    return
        except Refusal as refusal:
            kind = "text/html" if refusal.body.startswith("<") else "text/plain"
            kind = "application/json" if refusal.body.startswith("{") else kind
            request.reply(refusal.body.encode(), kind, status=refusal.status, headers=refusal.headers)
            return
        if isinstance(found, bytes):
            request.reply(found, "text/html; charset=utf-8")
            return
        body = found.encode() if isinstance(found, str) else json.dumps(found).encode()
        etag = f'W/"{len(body):x}-{uuid(body.decode())[:8]}"'
        if request.headers.get("If-None-Match") == etag:
            request.reply(b"", "application/json", status=304, headers={"ETag": etag})
        else:
            request.reply(body, "application/json; charset=utf-8", headers={"ETag": etag})

    def _respond(self, request: Request, path: str, query: dict[str, str]) -> Any:
        match request.command, path.strip("/").split("/"):
            case "GET", [""] | ["login"] | ["item", _] | ["library", *_] | ["config", *_]:
                return PAGE
            case "GET", ["status"]:
                told = {"app": "audiobookshelf", "serverVersion": self.version, "isInit": self.is_ready}
                return {**told, "authMethods": self.methods}
            case "GET", ["ping"]:
                return {"success": True}
            case "POST", ["login"]:
                return self._log_in(request)
            case "POST", ["auth", "refresh"] if not self._is_old:
                return self._renew(request)
            case method, ["api", *rest]:
                return self._api(method, rest, query, _json_of(request), self._user_of(request))
        raise Refusal(404, "<html>Not Found</html>")

    def _api(self, method: str, path: list[str], query: dict[str, str], body: Any, user: str) -> Any:
        match method, path:
            case "POST", ["authorize"]:
                return self._user(user)
            case "POST", ["api-keys"]:
                raise Refusal(403, "Forbidden")
            case "GET", ["libraries"]:
                return {"libraries": list(self.libraries.values())}
            case "GET", ["libraries", library, "items"]:
                return self._items(library, query)
            case "GET", ["items", item]:
                return self._podcast(item).expanded() if query.get("expanded") == "1" else self._bare(item)
            case "GET", ["me"]:
                return {"username": user, "mediaProgress": self._all_progress(user), "bookmarks": []}
            case "GET", ["me", "progress"] if not self.version.startswith(("2.35", "2.26", "2.2")):
                return self._all_progress(user)
            case "GET", ["me", "progress", item, episode]:
                if (found := self.progress.get((user, item, episode))) is None:
                    raise Refusal(404, "Not Found")
                return found
            case "PATCH", ["me", "progress", "batch", "update"]:
                if not body:
                    raise Refusal(400, "Missing request payload")
                for one in body:
                    if (one.get("libraryItemId"), one.get("episodeId")) in self._known():
                        self._change(user, one["libraryItemId"], one["episodeId"], dict(one))
                return "OK"
            case "PATCH", ["me", "progress", item, episode]:
                if (item, episode) not in self._known():
                    raise Refusal(404, "Episode not found")
                self._change(user, item, episode, dict(body))
                return "OK"
            case "PATCH", ["me", "progress", _item]:
                raise Refusal(400, "Library item is not a book")
            case "DELETE", ["me", "progress", id]:
                self.progress = {key: one for key, one in self.progress.items() if one["id"] != id}
                return "OK"
            case "POST", ["session", "local-all"]:
                return {"results": [self._local(user, one) for one in body["sessions"]]}
            case "POST", ["session", "local"]:
                self._local(user, body)
                return "OK"
        raise Refusal(404, "<html>Not Found</html>")

    # -- signing in -------------------------------------------------------------------------------------------

    def _limit(self) -> None:
        self._limited = [at for at in self._limited if self._time - at < 600]
        if len(self._limited) >= 40:
            wait = int(600 - (self._time - self._limited[0])) + 1
            raise Refusal(429, '{"error":"Too many authentication requests"}', **{"Retry-After": str(wait)})
        self._limited.append(self._time)

    def _log_in(self, request: Request) -> Json:
        self._limit()
        if "local" not in self.methods:
            raise Refusal(500, "Internal Server Error")
        body = _json_of(request)
        given = (body.get("username"), body.get("password")) if isinstance(body, dict) else ()
        if given != (USER, self.password):
            raise Refusal(401, "Unauthorized")
        answer = self._user(USER)
        if not self._is_old:
            self._add_tokens(answer, USER)
            if request.headers.get("x-return-tokens") != "true":
                answer["user"]["refreshToken"] = None
        return answer

    def _add_tokens(self, answer: Json, user: str, refresh: str = "") -> None:
        access = self._new("access")
        self._access[access] = user, self._time + self.access_s
        if not refresh:
            refresh = self._new("refresh")
            self._refresh[refresh] = user, self._time + self.refresh_s
        answer["user"] |= {"accessToken": access, "refreshToken": refresh}

    def _renew(self, request: Request) -> Json:
        self._limit()
        given = request.headers.get("x-refresh-token", "")
        if not given:
            raise _refused("No refresh token provided")
        if given in self._rotated:
            follows, until = self._rotated[given]
            if until < self._time:
                raise _refused("Invalid refresh token")
            user = self._refresh[follows][0]
            answer = self._user(user)
            self._add_tokens(answer, user, follows)
            return answer
        if given not in self._refresh:
            raise _refused("Invalid refresh token")
        user, until = self._refresh.pop(given)
        if until < self._time:
            raise _refused("Refresh token expired")
        self.renewals += 1
        answer = self._user(user)
        self._add_tokens(answer, user)
        self._rotated[given] = answer["user"]["refreshToken"], self._time + self.grace_s
        return answer

    def _user(self, user: str) -> Json:
        """A login's answer, without tokens that expire."""
        of_user: Json = {
            "id": uuid(user),
            "username": user,
            "token": f"{TOKEN}-old-{user}",
            "mediaProgress": self._all_progress(user),
            "bookmarks": [],
        }
        return {"user": of_user, "userDefaultLibraryId": next(iter(self.libraries), None), "serverSettings": {}}

    def _user_of(self, request: Request) -> str:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        token = token if kind == "Bearer" else dict(parse_qsl(urlsplit(request.path).query)).get("token", "")
        if token.startswith(f"{TOKEN}-old-"):
            return token.removeprefix(f"{TOKEN}-old-")
        if token in self._keys and not self._is_old:
            return self._keys[token]
        user, until = self._access.get(token, ("", 0.0))
        if not user or until < self._time:
            raise Refusal(401, "Unauthorized")
        return user

    # -- podcasts ---------------------------------------------------------------------------------------------

    def _podcast(self, item: str) -> Podcast:
        if item not in self.podcasts:
            raise Refusal(404, "Not Found")
        return self.podcasts[item]

    def _bare(self, item: str) -> Json:
        """Without `expanded=1` episodes have no audioTrack, size or duration."""
        shown = self._podcast(item).expanded()
        left_out = ("audioTrack", "size", "duration")
        episodes = [one for one in shown["media"]["episodes"] if isinstance(one, dict)]
        shown["media"]["episodes"] = [{k: v for k, v in one.items() if k not in left_out} for one in episodes]
        return shown

    def _items(self, library: str, query: dict[str, str]) -> Json:
        if library not in self.libraries:
            raise Refusal(404, "Library not found")
        limit, page = int(query.get("limit", 0)), int(query.get("page", 0))
        found = [one.minified() for one in self.podcasts.values() if one.library == library]
        shown = found[page * limit : (page + 1) * limit] if limit else found
        return {"results": shown, "total": len(found), "limit": limit, "page": page}

    def _reply_file(self, request: Request, path: str) -> None:
        parts = path.strip("/").split("/")
        podcast = self._podcast(parts[2])
        if parts[3] == "cover":
            if not podcast.cover:
                raise Refusal(404, "Not Found")
            request.reply(podcast.cover, "image/jpeg")
            return
        self._user_of(request)
        episode = next((one for one in podcast.episodes if one.ino == parts[4]), None)
        if episode is None:
            raise Refusal(404, "Not Found")
        request.reply_ranges(episode.audio, episode.media_type, etag=f'W/"{len(episode.audio):x}-{episode.ino}"')

    # -- progress ---------------------------------------------------------------------------------------------

    def _known(self) -> set[tuple[str, str]]:
        return {(one.id, episode.id) for one in self.podcasts.values() for episode in one.episodes}

    def _all_progress(self, user: str) -> list[Json]:
        return [one for (whose, *_rest), one in self.progress.items() if whose == user]

    def _now_ms(self) -> int:
        return int(self._time * 1000)

    def _change(self, user: str, item: str, episode: str, sent: Json) -> None:
        """As User.createUpdateMediaProgressFromPayload and MediaProgress.applyProgressUpdate do. Nothing is compared or
        checked."""
        now = self._now_ms()
        row = self.progress.get((user, item, episode))
        if row is None:
            is_finished = bool(sent.get("isFinished"))
            self.progress[user, item, episode] = {
                "id": uuid(f"{user}/{item}/{episode}"),
                "libraryItemId": item,
                "episodeId": episode,
                "duration": sent.get("duration") or 0,
                "progress": 1 if is_finished else sent.get("progress") or 0,
                "currentTime": sent.get("currentTime") or 0,
                "isFinished": is_finished,
                "hideFromContinueListening": bool(sent.get("hideFromContinueListening")),
                "lastUpdate": now,
                "startedAt": now,
                "finishedAt": (sent.get("finishedAt") or now) if is_finished else None,
            }
            self.progress_changed(self.progress[user, item, episode])
            return
        before = row["currentTime"]
        is_number = isinstance(before, int | float)
        shown = min(1, max(0, before / row["duration"])) if is_number and row["duration"] else 0
        if "isFinished" in sent:
            if sent["isFinished"] and not row["isFinished"]:
                row |= {"finishedAt": sent.pop("finishedAt", None) or now, "progress": 1}
            elif not sent["isFinished"] and row["isFinished"]:
                row |= {"finishedAt": None, "progress": 0, "currentTime": 0}
                sent.pop("finishedAt", None)
                sent.pop("currentTime", None)
        elif sent.get("progress", shown) != shown:
            row["progress"] = min(1, max(0, sent["progress"]))
        row |= {name: sent[name] for name in ("currentTime", "duration", "isFinished", "finishedAt") if name in sent}
        if row["currentTime"] != before or "hideFromContinueListening" in sent:
            row["hideFromContinueListening"] = bool(sent.get("hideFromContinueListening"))
        at_end = bool(row["duration"]) and row["duration"] - row["currentTime"] < 10
        if not row["isFinished"] and at_end:
            row |= {"isFinished": True, "finishedAt": row["finishedAt"] or now, "progress": 1}
        elif row["isFinished"] and row["currentTime"] != before and not at_end:
            row |= {"isFinished": False, "finishedAt": None}
        row["lastUpdate"] = sent.get("lastUpdate") or now
        self.progress_changed(row)

    def _local(self, user: str, session: Json) -> Json:
        """Only this request compares times. If there is no progress yet, the first session creates it, dated now."""
        item, episode = session["libraryItemId"], session["episodeId"]
        if (item, episode) not in self._known():
            return {"id": session["id"], "success": False, "error": "Media item not found"}
        self.sessions[session["id"]] = session
        row = self.progress.get((user, item, episode))
        if row is not None and row["lastUpdate"] > session["updatedAt"]:
            return {"id": session["id"], "success": True, "progressSynced": False}
        duration = session["duration"]
        sent = {
            "currentTime": session["currentTime"],
            "duration": duration,
            "progress": session["currentTime"] / duration if duration else 0,
            "lastUpdate": session["updatedAt"],
        }
        self._change(user, item, episode, sent)
        return {"id": session["id"], "success": True, "progressSynced": True}


def _json_of(request: Request) -> Any:
    try:
        return json.loads(request.body or b"{}")
    except ValueError:
        raise Refusal(400, "no JSON") from None


def _refused(error: str) -> Refusal:
    return Refusal(401, json.dumps({"error": error}))
