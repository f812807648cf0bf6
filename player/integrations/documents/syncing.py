"""The documents of syncing with other devices. Fields may be added, but are never renamed."""

from typing import Annotated, TypedDict

from msgspec import Meta

from player.integrations.documents.library import Moment, Sentence


class SyncState(TypedDict):
    """The state of syncing with other devices. Fields are null if it isn't set up."""

    target: Annotated[str | None, Meta(description="the KIND of `earmark sync setup`")]
    address: Annotated[str | None, Meta(description="the server's, or the folder's path")]
    user: Annotated[str | None, Meta(description="null for a folder, too")]
    device: Annotated[str | None, Meta(description="the id of this device")]
    name: Annotated[str | None, Meta(description="what people call it")]
    busy: Annotated[bool, Meta(description="a round is under way")]
    rounds: Annotated[int, Meta(description="how many have ended in this process")]
    succeeded: Annotated[Moment | None, Meta(description="when all was pulled and sent the last time")]
    failed: Annotated[Moment | None, Meta(description="when the last attempt failed; null if it didn't")]
    problem: Annotated[Sentence | None, Meta(description="why it failed")]
    waiting: Annotated[int, Meta(description="how many changes are still to be sent")]
    unmatched: Annotated[int, Meta(description="how many episodes that others know something of wait for their feeds")]
    refused: Annotated[int, Meta(description="how many changes the target doesn't take")]


class SyncReport(SyncState):
    refusals: Annotated[list[Sentence], Meta(description="about the last changes that the target refused")]


class MergedHere(TypedDict):
    """What the first merge changed here: numbers of episodes and podcasts."""

    episodes: Annotated[int, Meta(description="with another position or played mark")]
    subscribed: int
    unsubscribed: int
    others: Annotated[int, Meta(description="with other stars, bookmarks, segments or history")]
    queue: bool
    unmatched: Annotated[int, Meta(description="episodes that wait for their feeds, those of added podcasts too")]


class MergedThere(TypedDict):
    """What the first merge sends: numbers of episodes and podcasts."""

    positions: int
    played: int
    unplayed: int
    subscribed: int
    unsubscribed: int
    others: Annotated[int, Meta(description="stars, queue, bookmarks, segments, history, settings and dismissals")]


class SyncSetUp(SyncState):
    here: MergedHere
    there: MergedThere
    can_be_undone: bool
