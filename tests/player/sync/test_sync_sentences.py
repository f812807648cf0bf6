"""What a first merge would change, in lines that are read before it begins."""

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.syncing import FactKind, SubscriptionChange, SyncPlan, Taken
from player.sync.sync_sentences import plan_lines


def test_each_thing_that_would_be_sent_has_a_line_and_the_facts_share_one() -> None:
    plan = SyncPlan(
        positions=2,
        played=1,
        subscribed=4,
        titles=("Loop", "Rain", "Wind", "Snow"),
        unsubscribed=1,
        kinds=((FactKind.STAR, 3), (FactKind.QUEUE, 2), (FactKind.FORGOTTEN, 1)),
    )
    assert plan_lines(plan, "the folder") == [
        "Here:",
        "  Nothing changes.",
        "To the folder:",
        "  2 positions",
        "  1 played episode",
        "  4 subscriptions:",
        "    Loop",
        "    Rain",
        "    Wind",
        "    …",
        "  1 podcast to remove",
        "  3 stars, 2 queued, the deletion of the history",
    ]


def test_what_would_change_here_comes_first_and_nothing_to_send_is_said() -> None:
    change = SubscriptionChange("https://example.org/feed", subscribed=True, title="Loop")
    taken = Taken(subscribe=(change,), unsubscribe=(PodcastId(1),), others=(EpisodeId(1), EpisodeId(2)), queue=True)
    assert plan_lines(SyncPlan(taken), "the server") == [
        "Here:",
        "  1 podcast is added:",
        "    Loop",
        "  1 podcast is removed.",
        "  2 episodes get stars, bookmarks, segments or history.",
        "  The queue changes.",
        "To the server:",
        "  Nothing is sent.",
    ]
