"""A way to sync that stands outside the tree: a package that is put where ways are looked for, and its server."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import player.sync
from tests.loopback import Request
from tests.sync_servers.server import Refusal, SyncServer

NAME = "harbour"
_WAY = """
from player.model.syncing import Carried
from player.sync.ways import Field, Way


class Harbour(Way):
    name = "harbour"
    title = "harbour"
    through = "a harbour"
    summary = "positions"
    about = "A port where ships tell each other what they have heard."
    note = "The harbour master knows your name."
    example = "harbour.example --user ann"
    fields = (
        Field("address", "Harbour", "https://harbour.example"),
        Field("user", "Name"),
        Field("password", "Watchword"),
    )
    carries = frozenset({Carried.POSITIONS, Carried.PLAYED})
    step_ms = 1

    def target(self, account, means):
        from player.sync.harbour.target import HarbourTarget

        return HarbourTarget(account, means.network, means.login)


WAY = Harbour()
"""
_TARGET = """
import msgspec

from player.model.syncing import Action, Pulled, Pushed
from player.sync.harbour import WAY
from player.sync.web.api import Api, stored_login


class HarbourTarget:
    carries = WAY.carries
    most_at_once = 50

    def __init__(self, account, network, login):
        self._api = Api(account.address, network, stored_login(account.address, login))

    def pull(self, cursor, *, whole):
        log = msgspec.json.decode(self._api.get("log"), type=list[Action])
        since = 0 if whole else int(cursor or 0)
        return Pulled(tuple(log[since:]), cursor=str(len(log)), is_whole=not since)

    def push(self, outgoing):
        assert not (outgoing.subscriptions or outgoing.facts)
        self._api.post("log", [action for _number, action in outgoing.actions])
        return Pushed(tuple(number for number, _action in outgoing.actions))

    def abort(self):
        self._api.abort()
"""


class HarbourServer(SyncServer):
    """`log`: all actions, as JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[dict[str, Any]] = []

    def respond(self, method: str, path: str, query: dict[str, str], body: Any, request: Request) -> Any:
        self.login(request)
        if path != "/log":
            raise Refusal(404)
        if method == "POST":
            self.log += body
        return self.log


@contextmanager
def known(folder: Path) -> Iterator[None]:
    """Within it there is this way, from a package in `folder`."""
    package = folder / NAME
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text(_WAY, encoding="utf-8")
    (package / "target.py").write_text(_TARGET, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(player.sync, "__path__", [*player.sync.__path__, str(folder)])
        try:
            yield
        finally:
            for name in ("", ".target"):
                sys.modules.pop(f"player.sync.{NAME}{name}", None)
