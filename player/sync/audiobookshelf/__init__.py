"""An Audiobookshelf server as a target: positions and played marks both ways, and listening time for its statistics."""

from __future__ import annotations

from player.model.syncing import Carried, SyncAccount
from player.sync.target import SyncTarget
from player.sync.ways import Field, Means, Way
from player.text.sentences import mark


class AudiobookshelfWay(Way):
    name = "audiobookshelf"
    place = 30
    title = mark("Audiobookshelf")
    through = mark("an Audiobookshelf server")
    summary = mark("positions and statistics")
    about = mark("For podcasts that the server has, and its apps. Its statistics count what you hear here.")
    note = mark("If you enter an API key, leave the name empty. Earmark stores a token instead of your password.")
    example = "https://abs.example.com --user ann"
    fields = (
        Field("address", mark("Server"), "https://abs.example.com"),
        Field("user", mark("Name"), optional=True),
        Field("password", mark("Password or API key")),
    )
    carries = frozenset({Carried.POSITIONS, Carried.PLAYED, Carried.UNPLAYED, Carried.HISTORY})
    step_ms = 1

    def address(self, typed: str) -> str:
        from player.audiobookshelf.client import server_address
        from player.sync.web import server_errors

        if not (found := server_address(typed)):
            raise server_errors.bad_address()
        return found

    def target(self, account: SyncAccount, means: Means) -> SyncTarget:
        from player.audiobookshelf.client import Audiobookshelf
        from player.sync.audiobookshelf.target import AudiobookshelfTarget

        return AudiobookshelfTarget(account, Audiobookshelf(account.address, means.network, means.tokens), means.login)


WAY = AudiobookshelfWay()
