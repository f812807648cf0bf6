"""A server with the gpodder API as a target."""

from player.model.syncing import SyncAccount
from player.sync.target import SyncTarget
from player.sync.ways import Field, Means, Way
from player.text.sentences import mark


class Gpodder(Way):
    name = "gpodder"
    place = 10
    title = mark("gpodder server")
    through = mark("a gpodder server")
    summary = mark("positions and subscriptions")
    about = mark("gpodder.net, oPodSync, PodFetch and others; other apps sync through them, too.")
    note = mark("Stored in your system keyring, or in a file only you can read")
    example = "gpodder.net --user ann --device laptop"
    fields = (
        Field("address", mark("Server"), "https://gpodder.net"),
        Field("user", mark("Name")),
        Field("password", mark("Password")),
    )

    def target(self, account: SyncAccount, means: Means) -> SyncTarget:
        from player.sync.gpodder.target import GpodderTarget

        return GpodderTarget(account, means.network, means.login)


WAY = Gpodder()
