"""A Nextcloud with the app GPodder Sync, and with Login Flow v2."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from tests.loopback import Request
from tests.sync_servers.server import USER, Entry, Refusal, SyncServer, is_web

APP = "/index.php/apps/gpoddersync/"
_REQUIRED = {"podcast", "episode", "action", "timestamp"}
_LONGEST, _LONGEST_SUBSCRIPTION = 500, 1_000
"""Characters of an action's texts, and of a podcast's address."""
APP_PASSWORD = "yKTVA4zgxjfivy52WqD8kW3M2pKGQr6srmUXMipRdunxjPFr"


class NextcloudServer(SyncServer):
    """It keeps one action for each episode, the last that was sent, by guid or else by address.

    thrillfall/nextcloud-gpodder at a5361ff6, lib/:

    - Controller/EpisodeActionController.php: only plays are kept (`filterOnlyPlays`). Core/EpisodeAction/
      EpisodeActionSaver.php: one that is known by its guid or else by its address is replaced (`updateEpisodeAction`,
      `findEpisodeActionToUpdate`) and keeps a guid that the new one lacks (`ensureGuidDoesNotGetNulledWithOldData`);
      another with the new one's address goes (`deleteConflictingEpisodeAction`). Podcasts play no part. Any text is
      an address; what its column is too short for is dropped without a word (`saveEpisodeActions`). One that lacks a
      field fails with all that are sent with it (EpisodeActionReader.php, `fromArray`).
    - Db/EpisodeAction/EpisodeActionMapper.php, Db/SubscriptionChange/SubscriptionChangeMapper.php: answered is what is
      later than `since`, by the action's own time, and by the server's (`findAll`, `findAllSubscriptionState`).
    - Core/SubscriptionChange/SubscriptionChangesReader.php: a podcast whose address PHP doesn't take for one is dropped
      without a word (`mapToSubscriptionsChanges`), and so is one that is too long (SubscriptionChangeSaver.php).
    - Migration/: how long the columns are.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        super().__init__(now)
        self.has_app = True
        self.subscriptions: dict[str, tuple[bool, int]] = {}
        self.actions: list[Entry] = []
        self.believes_in: Callable[[str], str] = lambda address: address
        """What it takes its own addresses for, behind a proxy."""
        self.flows: dict[str, bool] = {}
        """Login flows by token, and whether somebody has logged in."""
        self.agents: list[str] = []

    def forget(self) -> None:
        """Loses everything."""
        self.subscriptions, self.actions = {}, []

    def log_in(self) -> None:
        """Somebody does, in a browser."""
        self.flows = dict.fromkeys(self.flows, True)

    def take(self, *entries: Entry) -> None:
        """What another app sends."""
        with self._lock:
            self._keep([dict(one) for one in entries])

    def respond(self, method: str, path: str, query: dict[str, str], body: Any, request: Request) -> Any:
        if request.headers.get("Cookie"):
            raise Refusal(412, '{"message":"CSRF check failed"}')
        if path == "/index.php/login/v2" and method == "POST":
            return self._begin(request)
        if path == "/login/v2/poll" and method == "POST":
            return self._poll(body)
        if not self.has_app or not path.startswith(APP):
            raise Refusal(404, "<!DOCTYPE html><title>Page not found</title>")
        self.login(request)
        match method, path.removeprefix(APP):
            case "GET", "subscriptions":
                return self._changes(int(query.get("since", 0)))
            case "POST", "subscription_change/create":
                return self._change(body)
            case "GET", "episode_action":
                since = int(query.get("since", 0))
                return {"actions": [self._shown(one) for one in self.actions if one["at"] > since], **self._time()}
            case "POST", "episode_action/create":
                return self._keep(body)
        raise Refusal(404)

    def headers_to_set(self, request: Request) -> dict[str, str]:
        return {"Set-Cookie": "nc_session=1; Path=/"}

    # -- the app ----------------------------------------------------------------------------------------------

    def _changes(self, since: int) -> Any:
        listed = {
            name: [one for one, (is_there, at) in self.subscriptions.items() if is_there is wanted and at > since]
            for name, wanted in (("add", True), ("remove", False))
        }
        return {**listed, **self._time()}

    def _change(self, body: Any) -> Any:
        for name in ("add", "remove"):
            kept = [one for one in body[name] if _is_valid(one) and len(one) <= _LONGEST_SUBSCRIPTION]
            self.subscriptions |= {one: (name == "add", self.timestamp()) for one in kept}
        return self._time()

    def _keep(self, body: Any) -> Any:
        self.check(body)
        plays = [entry for entry in body if entry.get("action", "").lower() == "play"]
        if not all(entry.keys() >= _REQUIRED for entry in plays):
            raise Refusal(500, "Client sent incomplete or invalid data")
        for entry in plays:
            if all(len(entry.get(name) or "") <= _LONGEST for name in ("podcast", "episode", "guid")):
                self._replace(entry)
        return self._time()

    def has_addresses(self, entry: Entry) -> bool:
        return True

    def _replace(self, entry: Entry) -> None:
        at = datetime.strptime(entry["timestamp"], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC)
        seconds = {name: int(entry.get(name, -1)) for name in ("started", "position", "total")}
        kept = {
            "podcast": entry["podcast"],
            "episode": entry["episode"],
            "guid": entry.get("guid"),
            "action": entry["action"].upper(),
            "at": int(at.timestamp()),
            **seconds,
        }
        known = [one for one in self.actions if one["guid"] is not None and one["guid"] == kept["guid"]]
        known = known or [one for one in self.actions if one["episode"] == kept["episode"]]
        if known and kept["guid"] is None:
            kept["guid"] = known[0]["guid"]
        others = (one for one in self.actions if one["episode"] != kept["episode"])
        self.actions = [*(one for one in others if one not in known), kept]

    def _shown(self, entry: Entry) -> Entry:
        at = datetime.fromtimestamp(entry["at"], UTC).isoformat()
        return {**{name: value for name, value in entry.items() if name != "at"}, "timestamp": at}

    def _time(self) -> Entry:
        return {"timestamp": self.timestamp()}

    # -- Login Flow v2 ----------------------------------------------------------------------------------------

    def _begin(self, request: Request) -> Any:
        self.agents.append(request.headers["User-Agent"])
        token = f"token{len(self.flows)}"
        self.flows[token] = False
        endpoint, login = (self.believes_in(f"{self.address}/login/v2/{path}") for path in ("poll", f"flow/{token}"))
        return {"poll": {"token": token, "endpoint": endpoint}, "login": login}

    def _poll(self, body: Any) -> Any:
        token = body.get("token", "")
        if not re.fullmatch(r"\w+", token) or not self.flows.get(token):
            raise Refusal(404, "[]")
        del self.flows[token]  # answered once
        self.password = APP_PASSWORD
        return {"server": self.believes_in(self.address), "loginName": USER, "appPassword": APP_PASSWORD}


def _is_valid(address: str) -> bool:
    """By PHP's `filter_var` with FILTER_VALIDATE_URL: ASCII alone, and a host of letters, digits and hyphens, or an
    address of IPv6."""
    name = urlsplit(address).hostname or ""
    if ":" in name:
        return is_web(address) and address.isascii()
    is_name = all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", label) for label in name.split("."))
    return is_web(address) and address.isascii() and is_name
