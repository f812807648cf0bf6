"""Nextcloud's GPodder Sync as a target; signing in there in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from player.model.syncing import SyncAccount
from player.sync.target import SyncTarget
from player.sync.ways import Field, Means, Typed, Way
from player.text.sentences import mark

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.sync.nextcloud.login_flow import LoginFlow


class Nextcloud(Way):
    name = "nextcloud"
    place = 20
    title = mark("Nextcloud")
    through = mark("Nextcloud")
    summary = mark("positions and subscriptions")
    about = mark("A Nextcloud that has the app GPodder Sync; other apps sync through it, too.")
    note = mark("You sign in in the browser. Earmark gets an app password of its own.")
    example = "https://cloud.example.com"
    fields = (Field("address", mark("Server"), "https://cloud.example.com"),)

    def browser_login(self, typed: Typed, network: NetworkLoop) -> LoginFlow:
        from player.sync.nextcloud.login_flow import LoginFlow

        return LoginFlow(typed.address, typed.name, network)

    def target(self, account: SyncAccount, means: Means) -> SyncTarget:
        from player.sync.nextcloud.target import NextcloudTarget

        return NextcloudTarget(account, means.network, means.login)


WAY = Nextcloud()
