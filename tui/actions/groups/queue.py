"""The queue: putting episodes into it, and its order."""

from player.text.sentences import mark
from tui.actions.action import IN_LIST, Action, Focus, Group

_Q = Group.QUEUE

QUEUE: tuple[Action, ...] = (
    Action("queue", "queue.add", ("e",), mark("Add to the queue"), mark("Add to the end of the queue"), _Q, 75,
           mark("queue"), (*IN_LIST, Focus.READING, Focus.ABOUT), also=mark("queue enqueue later up next")),
    Action("queue_next", "queue.add_next", ("E",), mark("Play the episode next"),
           mark("Play next: add to the head of the queue"), _Q, also=mark("queue first up")),
    Action("skip", "playback.skip", ("n",), mark("Skip to the next episode"), mark("Skip to what is next, now"), _Q,
           76, mark("next"), (Focus.NOW_PLAYING,),
           also=mark("next queue following")),
    Action("previous", "playback.previous", (), mark("Play the episode before this one"), "", _Q,
           also=mark("previous back last skip")),
    Action("unqueue", "queue_view.take_out", (), mark("Take out of the queue"), "", _Q, also=mark("remove delete")),
    Action("move_down", "queue_view.move_down", (), mark("Move down in the queue"), "", _Q, also=mark("later")),
    Action("move_up", "queue_view.move_up", (), mark("Move up in the queue"), "", _Q, also=mark("earlier sooner")),
    Action("queue_sort", "queue_view.sort", (), mark("Sort the queue"), "", _Q,
           also=mark("reorder order date podcast length")),
    Action("queue_shuffle", "queue_view.shuffle", (), mark("Shuffle the queue"), "", _Q, also=mark("random")),
    Action("queue_mix", "queue_view.mix", (), mark("Mix the queue fairly"), "", _Q,
           also=mark("spread podcasts evenly turns")),
    Action("queue_clear", "queue_view.clear", (), mark("Clear the queue"), "", _Q, also=mark("empty remove all")),
)  # fmt: skip
