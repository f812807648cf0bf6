"""The queue: putting episodes into it, and its order."""

from player.text.sentences import mark
from tui.actions.action import IN_LIST, Action, Focus, Group

_Q = Group.QUEUE

QUEUE: tuple[Action, ...] = (
    Action("queue", "queue.add", ("e",), mark("Add to the queue"), mark("Add to the end of the queue"), _Q, 75,
           mark("queue"), (*IN_LIST, Focus.READING), also=mark("enqueue later up next")),
    Action("queue_next", "queue.add_next", ("E",), mark("Play next"), mark("Play next: add to the head of the queue"),
           _Q, also=mark("queue first up")),
    Action("skip", "playback.skip", ("n",), mark("Skip to the next episode"), mark("Skip to what is next, now"), _Q,
           also=mark("queue following")),
    Action("previous", "playback.previous", (), mark("Play the episode before this one"), "", _Q,
           also=mark("back last skip")),
)  # fmt: skip
