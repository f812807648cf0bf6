"""A server with the gpodder API, version 2, as gpoddernet.readthedocs.io documents it; and what others make of it.

Each kind names the source that it follows, by repository, commit, file and function.
"""

import re
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tests.loopback import Request
from tests.sync_servers.server import USER, Entry, Refusal, SyncServer

PLAY_SECONDS = ("started", "position", "total")
_DEVICE = re.compile(r"[\w.-]+", re.ASCII)


class GpodderServer(SyncServer):
    """Actions are compared with `since` by the time of their upload, as documented."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        super().__init__(now)
        self.by_own_time = False
        """oPodSync, gpodder.net: `since` is compared with the time of the action itself."""
        self.page = 0
        """gpodder.net: so many actions at most, the oldest first, and the timestamp is that of the last one."""
        self.drops_alike = False
        """gpodder.net: an action of the same device and kind, with the same start and end, is taken for one it has."""
        self.only_sessions = False
        """A password is taken for a login only, everything else needs the session's cookie."""
        self.has_sessions = True
        self.has_devices = True
        self.without_devices = 404
        """What it answers where it has none."""
        self.sends_update_urls: Any = ...
        """What small servers answer in place of a list; None: nothing at all."""
        self.numbers_as_text = False
        self.upper_case = False
        self.write_time: Callable[[datetime], str] = lambda at: at.strftime("%Y-%m-%dT%H:%M:%S")
        self.rewrites: dict[str, str] = {}
        """Addresses that it changes; "" for one that it doesn't take."""
        self.extra: list[Any] = []
        """Entries that are sent along with all actions."""
        self.devices: dict[str, Entry] = {}
        self.subscriptions: dict[str, tuple[bool, int]] = {}
        """By address: whether subscribed, and when that changed."""
        self.actions: list[tuple[int, Entry]] = []
        """With the second of their upload."""
        self.sessions: set[str] = set()
        self._started = 0

    def forget(self) -> None:
        """Loses everything."""
        self.devices, self.subscriptions, self.actions, self.sessions = {}, {}, [], set()

    def end_sessions(self) -> None:
        self.sessions.clear()

    def take(self, *entries: Entry) -> None:
        """What another app sends."""
        with self._lock:
            self._add([dict(one) for one in entries])

    # -- requests ---------------------------------------------------------------------------------------------

    def respond(self, method: str, path: str, query: dict[str, str], body: Any, request: Request) -> Any:
        found = re.fullmatch(r"/api/2/([\w-]+)/([^/]+?)(?:/([^/]+))?\.json", path)
        if not found:
            raise Refusal(404, "<html>Not found</html>")
        section, user, device = found[1].replace("-", "_"), found[2], found[3]
        if section == "auth":
            return self._log_in(request)
        self._authorize(request)
        if user != USER:
            raise Refusal(400, "another user's cookie")
        match section, method:
            case "devices", _ if not self.has_devices:
                raise Refusal(self.without_devices)
            case "devices", "GET":
                return [{"id": id, "subscriptions": 0, **one} for id, one in self.devices.items()]
            case "devices", "POST":
                return self._update_device(device, body)
            case "subscriptions", "GET":
                self._known(device)
                return self._changes(device, int(query["since"]))
            case "subscriptions", "POST":
                self._change(device, body)
                return self._taken([*body["add"], *body["remove"]])
            case "sync_devices", _:
                return self._link(body if method == "POST" else {})
            case "episodes", "GET":
                return self._actions(int(query.get("since", 0)), aggregated=query.get("aggregated") == "true")
            case "episodes", "POST":
                return self._add(body)
        raise Refusal(405)

    def headers_to_set(self, request: Request) -> dict[str, str]:
        if "/auth/" in request.path and self.has_sessions:
            return {"Set-Cookie": f"sessionid={max(self.sessions)}; Path=/; HttpOnly"}
        return {}

    def _log_in(self, request: Request) -> Any:
        if not self.has_sessions:
            raise Refusal(404)
        self.login(request)
        self._started += 1
        self.sessions.add(f"session{self._started:04}")
        return {}

    def _authorize(self, request: Request) -> None:
        cookie = request.headers.get("Cookie", "").partition("sessionid=")[2].partition(";")[0]
        if cookie in self.sessions:
            return
        if self.only_sessions or cookie:
            raise Refusal(401, "the session has expired")
        self.login(request)

    # -- devices and subscriptions ----------------------------------------------------------------------------

    def _update_device(self, device: str, body: Any) -> Any:
        if not _DEVICE.fullmatch(device) or not isinstance(body, dict) or not body.get("caption"):
            raise Refusal(400)
        if body.get("type") not in ("desktop", "laptop", "mobile", "server", "other"):
            raise Refusal(400, "invalid device type")
        self.devices[device] = body
        return ""

    def _known(self, device: str) -> None:
        if self.has_devices and device not in self.devices:
            raise Refusal(404, "no such device")

    def _changes(self, device: str, since: int) -> Any:
        listed = {
            name: [one for one, (is_there, at) in self.subscriptions.items() if is_there is wanted and at >= since]
            for name, wanted in (("add", True), ("remove", False))
        }
        return {**listed, "timestamp": self._number(self.timestamp())}

    def _change(self, device: str, body: Any) -> None:
        self._known(device)
        add, remove = body["add"], body["remove"]
        if set(add) & set(remove):
            raise Refusal(400, "can not add and remove the same URL at the same time")
        if any(self.refuses({"podcast": one}) for one in (*add, *remove)):
            raise Refusal(400, "Invalid URL")
        for one, is_there in (*((one, True) for one in add), *((one, False) for one in remove)):
            if one := self.rewrites.get(one, one):
                self._subscribe(device, one, is_there)

    def _subscribe(self, device: str, podcast: str, is_there: bool) -> None:
        self.subscriptions[podcast] = (is_there, self.timestamp())

    def _link(self, body: Any) -> Any:
        raise Refusal(404, "<html>Not found</html>")

    # -- actions ----------------------------------------------------------------------------------------------

    def _actions(self, since: int, *, aggregated: bool) -> Any:
        found = [(self._second(entry, at), entry) for at, entry in self.actions if self._second(entry, at) >= since]
        timestamp = self.timestamp()
        if self.page:
            found = sorted(found, key=lambda one: one[0])[: self.page]
            timestamp = found[-1][0] if found else timestamp
        entries = [self._shown(entry) for _at, entry in found]
        if aggregated:
            entries = list({entry["episode"]: entry for entry in entries}.values())
        return {"actions": [*self.extra, *entries], "timestamp": self._number(timestamp)}

    def _add(self, body: Any) -> Any:
        self.check(body)
        for entry in body:
            has = [name in entry for name in PLAY_SECONDS]
            if entry["action"] not in ("play", "new", "download", "delete") or any(has) != all(has):
                raise Refusal(400)
            if entry["action"] != "play" and any(has):
                raise Refusal(400, 'only allowed in "play" entries')
        for entry in body:
            kept = {**entry, **{name: self.rewrites.get(entry[name], entry[name]) for name in ("podcast", "episode")}}
            kept.setdefault("timestamp", datetime.fromtimestamp(self.timestamp(), UTC).isoformat())
            if kept["podcast"] and kept["episode"] and not (self.drops_alike and self._has_one_like(kept)):
                self.actions.append((self.timestamp(), kept))
        return self._taken([address for entry in body for address in (entry["podcast"], entry["episode"])])

    def _has_one_like(self, entry: Entry) -> bool:
        names = ("episode", "device", "action", "started", "position")
        return any(all(one.get(name) == entry.get(name) for name in names) for _at, one in self.actions)

    def _second(self, entry: Entry, uploaded_at: int) -> int:
        return int(_moment(entry).timestamp()) if self.by_own_time else uploaded_at

    def _shown(self, entry: Entry) -> Entry:
        shown = {**entry, "timestamp": self.write_time(_moment(entry))}
        if self.upper_case:
            shown["action"] = shown["action"].upper()
        return {name: self._number(value) if name in PLAY_SECONDS else value for name, value in shown.items()}

    def _number(self, value: int) -> Any:
        return str(value) if self.numbers_as_text else value

    def _taken(self, addresses: list[str]) -> Any:
        answer: Entry = {"timestamp": self._number(self.timestamp())}
        changed = [[one, self.rewrites[one]] for one in addresses if one in self.rewrites]
        if self.sends_update_urls is not None:
            answer["update_urls"] = changed if self.sends_update_urls is ... else self.sends_update_urls
        return answer


def _moment(entry: Entry) -> datetime:
    at = datetime.fromisoformat(entry["timestamp"])
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class OPodSync(GpodderServer):
    """kd2org/opodsync at 18095b13, server/lib/OPodSync/API.php (and its elder, bohwaz/micro-gpodder-server at b1841a14,
    server/inc/API.php): one list of subscriptions for all devices, by the server's time (`subscriptions`); actions by
    their own time, which they write with `Z`, and a podcast that they are about is subscribed to if it isn't known
    (`episodes`); a device that isn't known may ask; of linking devices it answers nothing at all (`route`)."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        super().__init__(now)
        self.by_own_time = True
        self.write_time = lambda at: at.strftime("%Y-%m-%dT%H:%M:%SZ")

    def _known(self, device: str) -> None:
        if not _DEVICE.fullmatch(device):
            raise Refusal(400, "Invalid device ID")

    def _add(self, body: Any) -> Any:
        answer = super()._add(body)
        for entry in body:
            self.subscriptions.setdefault(entry["podcast"], (True, self.timestamp()))
        return answer

    def _link(self, body: Any) -> Any:
        return ""


class GpodderNet(GpodderServer):
    """gpodder.net: gpodder/mygpo at e2642086.

    - mygpo/api/advanced/__init__.py: actions are found by their own time, none from the future, the oldest thousand
      first (`get_episode_changes`). mygpo/history/models.py: one that has the same episode, device, kind, start and end
      as another is dropped (`EpisodeHistoryEntry.create_entry`).
    - Each device has its own subscriptions. mygpo/subscriptions/tasks.py: what one subscribes to or unsubscribes from
      does so on those that it is linked with, where it changes anything (`subscribe`, `unsubscribe`,
      `_affected_clients`). mygpo/subscriptions/__init__.py: answered is the difference since a moment: what was added
      and removed since is in neither list (`get_subscription_history`, `subscription_diff`).
    - mygpo/api/advanced/sync.py: devices are linked (`update_sync_status`), and then, in the background, each
      subscribes to what the others have (mygpo/users/models.py, `SyncGroup.sync`, `Client.sync_with`).
    - mygpo/api/backend.py: whoever sends anything is a device from then on (`get_device`).
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        super().__init__(now)
        self.by_own_time = True
        self.page = 1_000
        self.drops_alike = True
        self.links = True
        """Otherwise devices that are linked don't get each other's subscriptions, and the answer is 500: the work in
        the background can't be queued."""
        self.groups: list[set[str]] = []
        self.history: list[tuple[float, str, str, bool]] = []
        """Time, device, podcast, and whether it was subscribed to or unsubscribed from."""

    def forget(self) -> None:
        super().forget()
        self.groups, self.history = [], []

    def subscribed(self, device: str) -> set[str]:
        net: Counter[str] = Counter()
        for _at, one, podcast, is_there in self.history:
            net[podcast] += (1 if is_there else -1) * (one == device)
        return {podcast for podcast, count in net.items() if count}

    def unlink(self, device: str) -> None:
        """Somebody does, on the site."""
        self.groups = [group - {device} for group in self.groups if len(group - {device}) > 1]

    def _changes(self, device: str, since: int) -> Any:
        """What happened at `since` itself is later, to a server whose clock goes on while it answers."""
        net: Counter[str] = Counter()
        for at, one, podcast, is_there in self.history:
            net[podcast] += (1 if is_there else -1) * (one == device and at >= since)
        listed = {
            name: [podcast for podcast, count in net.items() if count * sign > 0]
            for name, sign in (("add", 1), ("remove", -1))
        }
        return {**listed, "timestamp": self.timestamp()}

    def _change(self, device: str, body: Any) -> None:
        self._met(device)
        super()._change(device, body)

    def _subscribe(self, device: str, podcast: str, is_there: bool) -> None:
        for one in sorted(next((group for group in self.groups if device in group), {device})):
            if (podcast in self.subscribed(one)) is not is_there:
                self.history.append((self.now(), one, podcast, is_there))

    def _link(self, body: Any) -> Any:
        for names in body.get("synchronize", []):
            if len(names) < 2:
                raise Refusal(400, "at least two devices are needed to sync")
            if not set(names) <= self.devices.keys():
                raise Refusal(404)
            together = set(names).union(*(group for group in self.groups if group & set(names)))
            self.groups = [group for group in self.groups if not group & together] + [together]
            if not self.links:
                raise Refusal(500, "Object of type User is not JSON serializable")
            for device in together:
                for podcast in set().union(*map(self.subscribed, together)):
                    self._subscribe(device, podcast, True)
        for name in body.get("stop-synchronize", []):
            self.unlink(name)
        alone = [one for one in self.devices if not any(one in group for group in self.groups)]
        return {"synchronized": [sorted(group) for group in self.groups], "not-synchronized": alone}

    def _actions(self, since: int, *, aggregated: bool) -> Any:
        actions, now = self.actions, self.now()
        self.actions = [one for one in actions if _moment(one[1]).timestamp() <= now]
        try:
            return super()._actions(since, aggregated=aggregated)
        finally:
            self.actions = actions

    def _add(self, body: Any) -> Any:
        for device in {entry["device"] for entry in body if "device" in entry}:
            self._met(device)
        return super()._add(body)

    def _met(self, device: str) -> None:
        self.devices.setdefault(device, {"caption": "New Device", "type": "other"})
