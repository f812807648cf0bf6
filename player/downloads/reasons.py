"""Why an episode is downloaded, what protects the download, and when it is deleted: in sentences, for the screen and
the command."""

from collections.abc import Mapping

from msgspec import Struct

from player.downloads.planning import Cause, Held, Limits, Obstacle, Plan, State, Wanted, due_at, is_protected
from player.errors import EarmarkError
from player.model.downloads import Protection, Refusal, Rule, Source, Stored
from player.model.episode import EpisodeId
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, plural, translate
from player.text.sizes import size_label
from player.text.times import days_in_words

_MOST_LETTERS = 60
_KEPT = {
    Protection.PLAYING: mark("kept: in the player"),
    Protection.STARRED: mark("kept: starred"),
    Protection.QUEUED: mark("kept: queued"),
    Protection.IN_PROGRESS: mark("kept: in progress"),
}
REFUSED = {
    Refusal.DELETED: mark("no rule downloads it again: you deleted it"),
    Refusal.FAILED: mark("no rule downloads it again: the download failed"),
    Refusal.CLEANED: mark("no rule downloads it again: its time was up"),
}


class Explained(Struct, frozen=True):
    """`here` is why an episode is downloaded, `keeps` what protects it, `goes` when it is deleted; each "" for
    nothing."""

    here: str
    keeps: str = ""
    goes: str = ""

    @property
    def sentence(self) -> str:
        return "; ".join(filter(None, (self.here, self.keeps or self.goes)))


def explained(state: State, made: Plan, titles: Mapping[str, str]) -> dict[EpisodeId, Explained]:
    """Explains each download. `titles` are the titles of the podcasts and lists of rules, by the keys of the rules."""
    wanted = {one.episode_id: one for one in made.wanted}
    return {one.episode_id: _explained(one, state, wanted.get(one.episode_id), titles) for one in state.stored}


def rule_words(rule: Rule) -> str:
    """`newest 3 of Talk Python`."""
    title = clean_line(rule.title, _MOST_LETTERS)
    match rule.source:
        case Source.QUEUE:
            return plural(rule.most, "first of the queue", "first {n:,} of the queue")
        case Source.INBOX:
            return plural(rule.most, "newest of New", "newest {n:,} of New")
        case Source.LIST:
            return plural(rule.most, "first of “{title}”", "first {n:,} of “{title}”", title=title)
        case Source.PODCAST:
            return plural(rule.most, "newest of {title}", "newest {n:,} of {title}", title=title)


def deleted_words(count: int) -> str:
    return plural(
        count,
        "A clean-up deleted {n:,} download. It can be undone for a day.",
        "A clean-up deleted {n:,} downloads. It can be undone for a day.",
    )


def kept_words(count: int, why: EarmarkError | None) -> str:
    """Says that so many downloads can't be deleted, and why; "" for none."""
    if why is None:
        return ""
    return plural(
        count,
        "{n:,} download can't be deleted. {problem}",
        "{n:,} downloads can't be deleted. {problem}",
        problem=why,
    )


def held_words(made: Plan, limits: Limits) -> str:
    """Says what doesn't fit, and what can be done; "" if everything fits."""
    count = sum(one.obstacle in (Obstacle.LIMIT, Obstacle.DISK) for one in made.held)
    if not count:
        return ""
    what = plural(count, "{n:,} episode isn't downloaded", "{n:,} episodes aren't downloaded")
    if any(one.obstacle is Obstacle.LIMIT for one in made.held):
        limit = size_label(limits.most or 0)
        return _(
            "{what}: download rules may use {limit}. Raise “limit” in [downloads], or delete some downloads.",
            what=what,
            limit=limit,
        )
    free = size_label(limits.keep_free)
    return _(
        "{what}: {free} of the disk must stay free. Make room, or lower “keep_free” in [downloads].",
        what=what,
        free=free,
    )


def held_because(held: Held) -> str:
    """Why one episode isn't downloaded now."""
    match held.obstacle:
        case Obstacle.HOURS:
            return _("waits for the download hours")
        case Obstacle.LIMIT:
            return _("doesn't fit the limit")
        case Obstacle.DISK:
            return _("doesn't fit on the disk")
        case Obstacle.TURN:
            return _("waits for its turn")


def removed_because(cause: Cause) -> str:
    match cause:
        case Cause.PLAYED:
            return _("played")
        case Cause.OLD:
            return _("its time is up")
        case Cause.ROOM:
            return _("makes room")


def _explained(one: Stored, state: State, wanted: Wanted | None, titles: Mapping[str, str]) -> Explained:
    if not one.rule:
        return Explained(_("you downloaded it"))
    here = rule_words(wanted.rule) if wanted else _came_by(one.rule, titles)
    if is_protected(one):
        return Explained(here, translate(_KEPT[one.protection]) if one.protection in _KEPT else "")
    return Explained(here, goes=_goes(one, state, wanted))


def _came_by(key: str, titles: Mapping[str, str]) -> str:
    """For an episode that is no longer among those its rule wants."""
    source = key.partition(":")[0]
    if source == Source.QUEUE:
        return _("was in the queue")
    if source == Source.INBOX:
        return _("was in New")
    title = clean_line(titles.get(key, ""), _MOST_LETTERS)
    if not title:
        return _("downloaded by a rule that no longer exists")
    if source == Source.LIST:
        return _("was in “{title}”", title=title)
    return _("was among the newest of {title}", title=title)


def _goes(one: Stored, state: State, wanted: Wanted | None) -> str:
    cleaning = state.cleaning
    due = due_at(one, cleaning)
    if due is not None and due[1] is Cause.PLAYED:
        return _after_playing(cleaning.days_after_playing or 0, played=True)
    if due is not None:
        return _("goes {days} after it was downloaded", days=days_in_words(cleaning.days or 0))
    if wanted is None:
        return _("goes when room is needed")
    if cleaning.days_after_playing is not None:
        return _after_playing(cleaning.days_after_playing, played=False)
    return ""


def _after_playing(days: int, *, played: bool) -> str:
    if not days:
        return _("goes now that it is played") if played else _("goes when you have played it")
    if played:
        return _("goes {days} after you played it", days=days_in_words(days))
    return _("goes {days} after you play it", days=days_in_words(days))
