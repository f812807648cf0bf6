"""The fields of a podcast's settings, by name and by group: how each is written, shown and parsed."""

import math
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from player.library.search.title_filter import terms_of
from player.model.effects import Boost, Trim
from player.model.filters import Order
from player.model.playback import FASTEST, SLOWEST
from player.model.podcast_settings import (
    LONGEST_SKIP_MS,
    MOST_GAIN_DB,
    MOST_NEWEST,
    OLDEST_DAYS,
    AutoTranscribe,
    EpisodeTest,
    NewEpisodes,
    PodcastSettings,
)
from player.model.segments import SegmentKind, SegmentRule
from player.text.durations import in_words, parse_time, units
from player.text.sentences import _, mark, plural, translate
from player.text.typed_names import suggestion
from tui.drawing.fields import Field, Group
from tui.drawing.labels import effect_words, lower_first, order_words

_LONGEST_TEXT = 500


def filter_text(text: str) -> str:
    """Checks a typed filter of titles. Raises ValueError with a sentence."""
    if text and not terms_of(text):
        raise ValueError(_("A title filter needs a word, or a phrase in double quotes."))
    if len(text) > _LONGEST_TEXT:
        raise ValueError(_("A title filter can be {most} characters long at most.", most=_LONGEST_TEXT))
    return text


_AS_ALL = ("", "default", "usual")
_NOTHING = ("none", "nothing", "never", "off", "0")
_NEWEST = "newest:"


def _typed_newest(settings: PodcastSettings, text: str) -> PodcastSettings:
    text = text.lower()
    if text in _AS_ALL:
        return _with_newest(settings, None)
    if text in _NOTHING:
        return _with_newest(settings, 0)
    number = text.removeprefix(_NEWEST).strip()
    if not (number.isascii() and number.isdigit() and len(number) < 6 and 0 < int(number) <= MOST_NEWEST):
        raise ValueError(
            _("Type how many of the newest (1 to {most}), “none”, or “default” as for all podcasts.", most=MOST_NEWEST)
        )
    return _with_newest(settings, int(number))


def _with_newest(settings: PodcastSettings, newest: int | None) -> PodcastSettings:
    return replace(settings, downloads=replace(settings.downloads, newest=newest))


def _stepped_newest(settings: PodcastSettings, by: int) -> PodcastSettings:
    """Steps through: nothing, as all podcasts, the newest, the newest two and so on."""
    newest = settings.downloads.newest
    place = (1 if newest is None else 0 if newest == 0 else newest + 1) + by
    return _with_newest(settings, None if place == 1 else 0 if place < 1 else min(place - 1, MOST_NEWEST))


def _shown_newest(settings: PodcastSettings, usual: int = 0) -> str:
    """`usual`: of podcasts that have no number of their own."""
    newest = settings.downloads.newest
    number = usual if newest is None else newest
    words = plural(number, "the newest", "the newest {n:,}") if number else _("nothing")
    return _("{value} (default)", value=words) if newest is None else words


def _written_newest(settings: PodcastSettings) -> str:
    newest = settings.downloads.newest
    return "" if newest is None else f"{newest}" if newest else "none"


def _with_test(settings: PodcastSettings, **changed: object) -> PodcastSettings:
    test = replace(settings.downloads.test, **changed)
    return replace(settings, downloads=replace(settings.downloads, test=test))


def _typed_length(settings: PodcastSettings, text: str) -> PodcastSettings:
    text = text.lower().replace("–", "-")
    if text in (*_AS_ALL, "any", "none"):
        return _with_test(settings, at_least_ms=None, under_ms=None)
    least, dash, most = text.partition("-")
    try:
        at_least_ms, under_ms = (parse_time(part) if part.strip() else None for part in (least, most))
    except ValueError as error:
        raise _no_length() from error
    if not dash or (at_least_ms, under_ms) == (None, None) or (under_ms is not None and (at_least_ms or 0) >= under_ms):
        raise _no_length()
    return _with_test(settings, at_least_ms=at_least_ms, under_ms=under_ms)


def _no_length() -> ValueError:
    return ValueError(_("Lengths are written as 10m-2h, 20m- (at least) or -1h (shorter)."))


def _written_length(test: EpisodeTest) -> str:
    parts = ("" if ms is None else units(ms) for ms in (test.at_least_ms, test.under_ms))
    written = "-".join(parts)
    return "" if written == "-" else written


def _shown_length(test: EpisodeTest) -> str:
    if test.at_least_ms is not None and test.under_ms is not None:
        return _("{least} to {most}", least=in_words(test.at_least_ms), most=in_words(test.under_ms))
    if test.at_least_ms is not None:
        return _("at least {least}", least=in_words(test.at_least_ms))
    return _("any") if test.under_ms is None else _("under {most}", most=in_words(test.under_ms))


_TRANSCRIBED = {
    AutoTranscribe.NOTHING: mark("nothing"),
    AutoTranscribe.DOWNLOADED: mark("what is downloaded"),
    AutoTranscribe.QUEUED: mark("what is queued"),
}


def _typed_transcribe(settings: PodcastSettings, text: str) -> PodcastSettings:
    text = "nothing" if not text or text.lower() in _AS_ALL else text.lower()
    if text not in set(AutoTranscribe):
        choices = ", ".join(AutoTranscribe)
        raise ValueError(_("It can be: {choices}.", choices=choices) + suggestion(text, list(AutoTranscribe)))
    return replace(settings, transcribe=AutoTranscribe(text))


def _stepped_transcribe(settings: PodcastSettings, by: int) -> PodcastSettings:
    choices = list(AutoTranscribe)
    return replace(settings, transcribe=choices[(choices.index(settings.transcribe) + by) % len(choices)])


_OF_DOWNLOADS: tuple[Field[PodcastSettings], ...] = (
    Field("download", mark("Auto-download"), _written_newest, _shown_newest, _typed_newest, _stepped_newest),
    Field(
        "download_include",
        mark("Download titles containing"),
        lambda one: one.downloads.test.include,
        lambda one: one.downloads.test.include or "–",
        lambda one, text: _with_test(one, include=filter_text(text)),
    ),
    Field(
        "download_exclude",
        mark("Skip titles containing"),
        lambda one: one.downloads.test.exclude,
        lambda one: one.downloads.test.exclude or "–",
        lambda one, text: _with_test(one, exclude=filter_text(text)),
    ),
    Field(
        "download_length",
        mark("Download lengths of"),
        lambda one: _written_length(one.downloads.test),
        lambda one: _shown_length(one.downloads.test),
        _typed_length,
    ),
    Field(
        "transcribe",
        mark("Transcribe"),
        lambda one: "" if one.transcribe is AutoTranscribe.NOTHING else one.transcribe,
        lambda one: translate(_TRANSCRIBED[one.transcribe]),
        _typed_transcribe,
        _stepped_transcribe,
        is_choice=True,
    ),
)


_DEFAULT = ("default", "usual", "none", "never", "off")
_TRUE, _FALSE = ("yes", "true", "on", "1"), ("no", "false", "off", "0", "default")
_SKIP_STEP_MS = 5_000
ORDERS = (Order.NEWEST, Order.OLDEST, Order.LONGEST, Order.SHORTEST)
_USUAL_ORDER = Order.NEWEST

_WHERE = {
    NewEpisodes.INBOX: mark("New"),
    NewEpisodes.QUEUE: mark("end of the queue"),
    NewEpisodes.NEXT: mark("head of the queue"),
    NewEpisodes.NOWHERE: mark("nowhere"),
}


def field(name: str, others: Iterable[str] = ()) -> Field[PodcastSettings]:
    """The field with this name; `others` are further names to suggest. Raises ValueError with a sentence."""
    if name not in FIELDS:
        names = [*FIELDS, *others]
        raise ValueError(
            _("There is no setting “{name}”.", name=name[:40])
            + (suggestion(name, names) or _(" The settings are {names}.", names=", ".join(names)))
        )
    return FIELDS[name]


def name_and_value(assignment: str) -> tuple[str, str]:
    """Splits `speed=1.4`. Raises ValueError with a sentence."""
    name, equals, text = assignment.partition("=")
    if not equals:
        raise ValueError(_("“{text}” needs a value, as in speed=1.4.", text=assignment[:40]))
    return name.strip(), text.strip()


def assigned(settings: PodcastSettings, chosen: Field[PodcastSettings], text: str) -> PodcastSettings:
    """The settings with a typed value for the chosen field. Raises ValueError with a sentence that names the field."""
    try:
        return chosen.typed(settings, text)
    except ValueError as error:
        raise ValueError(f"{chosen.name}: {error}") from error


def fields(
    *, inbox: bool, speed: float = 1.0, newest: int = 0, boost: str = Boost.OFF, trim: str = Trim.OFF
) -> Mapping[str, Field[PodcastSettings]]:
    """All fields by name.

    Without an `inbox`, the inbox isn't offered for new episodes, and episodes meant for it go nowhere. The others are
    those of podcasts that have none of their own.
    """
    known = FIELDS | {
        "speed": replace(
            FIELDS["speed"],
            shown=lambda one: _shown_speed(one, speed),
            stepped=lambda one, by: _stepped_speed(one, by, speed),
        ),
        "boost": replace(FIELDS["boost"], shown=lambda one: _shown_effect(one.boost, boost)),
        "trim": replace(FIELDS["trim"], shown=lambda one: _shown_effect(one.trim, trim)),
        "download": replace(FIELDS["download"], shown=lambda one: _shown_newest(one, newest)),
    }
    if not inbox:
        known["new"] = replace(FIELDS["new"], shown=_shown_without_inbox, stepped=_stepped_without_inbox)
    return known


def podcast_groups(known: Mapping[str, Field[PodcastSettings]]) -> tuple[Group[PodcastSettings], ...]:
    """The fields that `fields` has returned, in groups."""
    return (
        Group(mark("Playback"), mark("How its episodes sound."), _from(known, "speed", "trim")),
        Group(mark("New episodes"), mark("Where they go, and which ones."), _from(known, "new", "exclude")),
        Group(mark("List"), mark("How the list of its episodes is shown."), _from(known, "order", "hide_played"), True),
        Group(
            mark("Segments"),
            mark("What happens where a part that you marked is heard again."),
            _from(known, "intro", "other"),
            True,
        ),
        Group(
            mark("Downloads and transcripts"),
            mark("What comes by itself."),
            _from(known, "download", "transcribe"),
            True,
        ),
    )


def _from(known: Mapping[str, Field[PodcastSettings]], first: str, last: str) -> tuple[Field[PodcastSettings], ...]:
    names = [*known]
    return tuple(known[name] for name in names[names.index(first) : names.index(last) + 1])


# -- speed and volume -----------------------------------------------------------------------------------------


def _typed_speed(settings: PodcastSettings, text: str) -> PodcastSettings:
    if not text or text.lower() in _DEFAULT:
        return replace(settings, speed=None)
    speed = _number(text.lower().removesuffix("x"))
    if speed is None or not SLOWEST <= speed <= FASTEST:
        raise ValueError(
            _("Speed must be between {slowest} and {fastest}, or “default”.", slowest=SLOWEST, fastest=f"{FASTEST:g}")
        )
    return replace(settings, speed=round(speed, 2))


def _shown_speed(settings: PodcastSettings, usual: float = 1.0) -> str:
    if settings.speed is None:
        return _("{value} (default)", value=f"{round(usual, 2)}×")
    return f"{settings.speed:g}×"


def _stepped_speed(settings: PodcastSettings, by: int, usual: float = 1.0) -> PodcastSettings:
    speed = round((settings.speed or usual) + by / 10, 2)
    return replace(settings, speed=max(SLOWEST, min(FASTEST, speed)))


def _typed_gain(settings: PodcastSettings, text: str) -> PodcastSettings:
    if not text or text.lower() in _DEFAULT:
        return replace(settings, gain_db=0.0)
    gain = _number(text.lower().removesuffix("db").strip())
    if gain is None or abs(gain) > MOST_GAIN_DB:
        raise ValueError(_("The volume adjustment must be between -{most} and +{most} (dB).", most=f"{MOST_GAIN_DB:g}"))
    return replace(settings, gain_db=round(gain, 1))


def _shown_gain(settings: PodcastSettings) -> str:
    return _("{number} dB", number=f"{settings.gain_db:+g}") if settings.gain_db else _("none")


def _shown_effect(own: str | None, usual: str) -> str:
    words = effect_words(own or usual)
    return words if own else _("{value} (default)", value=words)


def _effect(kind: type[Boost] | type[Trim], name: str, title: str) -> Field[PodcastSettings]:
    """A choice of an effect, or what is chosen for all podcasts."""
    choices = (None, *kind)

    def value(settings: PodcastSettings) -> Boost | Trim | None:
        found: Boost | Trim | None = getattr(settings, name)
        return found

    def typed(settings: PodcastSettings, text: str) -> PodcastSettings:
        text = text.lower()
        if text in ("", "default"):
            return replace(settings, **{name: None})
        if text not in set(kind):
            raise ValueError(
                _("It can be: {choices}.", choices=", ".join(("default", *kind))) + suggestion(text, list(kind))
            )
        return replace(settings, **{name: kind(text)})

    def stepped(settings: PodcastSettings, by: int) -> PodcastSettings:
        return replace(settings, **{name: choices[(choices.index(value(settings)) + by) % len(choices)]})

    return Field(
        name,
        title,
        lambda one: value(one) or "",
        lambda one: _shown_effect(value(one), kind.OFF),
        typed,
        stepped,
        is_choice=True,
    )


def _number(text: str) -> float | None:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


# -- skips ----------------------------------------------------------------------------------------------------


def _time(text: str) -> int:
    if not text or text.lower() in _DEFAULT:
        return 0
    ms = parse_time(text)
    if ms > LONGEST_SKIP_MS:
        raise ValueError(_("No more than {time} can be skipped.", time=in_words(LONGEST_SKIP_MS)))
    return ms


def _stepped_time(ms: int, by: int) -> int:
    return max(0, min(LONGEST_SKIP_MS, ms + by * _SKIP_STEP_MS))


def _shown_time(ms: int) -> str:
    return in_words(ms) if ms else _("nothing")


# -- new episodes ---------------------------------------------------------------------------------------------


def _with_rules(settings: PodcastSettings, **changed: object) -> PodcastSettings:
    return replace(settings, new_episodes=replace(settings.new_episodes, **changed))


def _typed_new(settings: PodcastSettings, text: str) -> PodcastSettings:
    text = text.lower() or "default"
    if text == "default":
        return _with_rules(settings, to=NewEpisodes.INBOX)
    if text not in set(NewEpisodes):
        raise ValueError(
            _("New episodes can go to: {choices}.", choices=", ".join(NewEpisodes)) + suggestion(text, NewEpisodes)
        )
    return _with_rules(settings, to=NewEpisodes(text))


def _stepped_new(settings: PodcastSettings, by: int) -> PodcastSettings:
    choices = list(NewEpisodes)
    return _with_rules(settings, to=choices[(choices.index(settings.new_episodes.to) + by) % len(choices)])


def _shown_without_inbox(settings: PodcastSettings) -> str:
    if settings.new_episodes.to is NewEpisodes.INBOX:
        return _("nowhere (New is off)")
    return _shown_new(settings)


def _stepped_without_inbox(settings: PodcastSettings, by: int) -> PodcastSettings:
    """Steps through all choices except the inbox."""
    stepped = _stepped_new(settings, by)
    return _stepped_new(stepped, by) if stepped.new_episodes.to is NewEpisodes.INBOX else stepped


def _shown_new(settings: PodcastSettings) -> str:
    return translate(_WHERE[settings.new_episodes.to])


def yes_or_no(text: str) -> bool:
    """Parses yes or no; "" is no. Raises ValueError with a sentence."""
    text = text.lower() or "default"
    if text not in (*_TRUE, *_FALSE):
        raise ValueError(_("This is either yes or no."))
    return text in _TRUE


def _on_or_off(value: bool) -> str:
    return _("on") if value else _("off")


def _typed_age(settings: PodcastSettings, text: str) -> PodcastSettings:
    text = text.lower()
    if not text or text in _DEFAULT:
        return _with_rules(settings, age_limit_days=None)
    days = text.removesuffix("days").removesuffix("day").removesuffix("d").strip()
    if not (days.isascii() and days.isdigit() and len(days) < 9 and 1 <= int(days) <= OLDEST_DAYS):
        raise ValueError(_("The age limit must be 1 to {most:,} days, or “never”.", most=OLDEST_DAYS))
    return _with_rules(settings, age_limit_days=int(days))


def _stepped_age(settings: PodcastSettings, by: int) -> PodcastSettings:
    days = (settings.new_episodes.age_limit_days or 0) + by
    return _with_rules(settings, age_limit_days=min(days, OLDEST_DAYS) if days > 0 else None)


def _shown_age(settings: PodcastSettings) -> str:
    days = settings.new_episodes.age_limit_days
    return _("never") if days is None else plural(days, "{n:,} day", "{n:,} days")


# -- the list of episodes -------------------------------------------------------------------------------------


def _order_of(settings: PodcastSettings) -> Order:
    return settings.view.order or _USUAL_ORDER


def _with_order(settings: PodcastSettings, order: Order) -> PodcastSettings:
    return replace(settings, view=replace(settings.view, order=None if order is _USUAL_ORDER else order))


def _typed_order(settings: PodcastSettings, text: str) -> PodcastSettings:
    text = text.lower()
    if not text or text in _DEFAULT:
        return _with_order(settings, _USUAL_ORDER)
    names = [order.value for order in ORDERS]
    if text not in names:
        raise ValueError(_("The order can be: {choices}.", choices=", ".join(names)) + suggestion(text, names))
    return _with_order(settings, Order(text))


def _stepped_order(settings: PodcastSettings, by: int) -> PodcastSettings:
    now = _order_of(settings)
    return _with_order(settings, ORDERS[(ORDERS.index(now) + by) % len(ORDERS)] if now in ORDERS else _USUAL_ORDER)


def _with_hidden(settings: PodcastSettings, hidden: bool) -> PodcastSettings:
    return replace(settings, view=replace(settings.view, hide_played=hidden))


# -- segments -------------------------------------------------------------------------------------------------


_RULES = {SegmentRule.ASK: mark("ask"), SegmentRule.SKIP: mark("skip"), SegmentRule.LEAVE: mark("play them")}


def _of_segments(kind: SegmentKind, title: str) -> Field[PodcastSettings]:
    """What happens to segments of this kind."""

    def of(settings: PodcastSettings) -> SegmentRule:
        return settings.segments.of(kind)

    def with_rule(settings: PodcastSettings, rule: SegmentRule) -> PodcastSettings:
        return replace(settings, segments=replace(settings.segments, **{kind.value: rule}))

    def typed(settings: PodcastSettings, text: str) -> PodcastSettings:
        text = text.lower()
        if text in ("", "default"):
            return with_rule(settings, SegmentRule.ASK)
        if text not in set(SegmentRule):
            choices = ", ".join(SegmentRule)
            raise ValueError(_("It can be: {choices}.", choices=choices) + suggestion(text, list(SegmentRule)))
        return with_rule(settings, SegmentRule(text))

    def stepped(settings: PodcastSettings, by: int) -> PodcastSettings:
        choices = list(SegmentRule)
        return with_rule(settings, choices[(choices.index(of(settings)) + by) % len(choices)])

    return Field(
        kind.value,
        title,
        lambda one: "" if of(one) is SegmentRule.ASK else of(one),
        lambda one: translate(_RULES[of(one)]),
        typed,
        stepped,
        is_choice=True,
    )


_ALL: tuple[Field[PodcastSettings], ...] = (
    Field(
        "speed",
        mark("Speed"),
        lambda one: "" if one.speed is None else f"{one.speed:g}",
        _shown_speed,
        _typed_speed,
        _stepped_speed,
    ),
    Field(
        "volume",
        mark("Volume adjustment"),
        lambda one: f"{one.gain_db:+g}" if one.gain_db else "",
        _shown_gain,
        _typed_gain,
        lambda one, by: replace(one, gain_db=max(-MOST_GAIN_DB, min(MOST_GAIN_DB, one.gain_db + by))),
    ),
    Field(
        "skip_start",
        mark("Skip at the start"),
        lambda one: units(one.skip_intro_ms) if one.skip_intro_ms else "",
        lambda one: _shown_time(one.skip_intro_ms),
        lambda one, text: replace(one, skip_intro_ms=_time(text)),
        lambda one, by: replace(one, skip_intro_ms=_stepped_time(one.skip_intro_ms, by)),
    ),
    Field(
        "skip_end",
        mark("Skip at the end"),
        lambda one: units(one.skip_outro_ms) if one.skip_outro_ms else "",
        lambda one: _shown_time(one.skip_outro_ms),
        lambda one, text: replace(one, skip_outro_ms=_time(text)),
        lambda one, by: replace(one, skip_outro_ms=_stepped_time(one.skip_outro_ms, by)),
    ),
    _effect(Boost, "boost", mark("Voice boost")),
    _effect(Trim, "trim", mark("Trim pauses")),
    Field(
        "new",
        mark("New episodes go to"),
        lambda one: "" if one.new_episodes.to is NewEpisodes.INBOX else one.new_episodes.to,
        _shown_new,
        _typed_new,
        _stepped_new,
        is_choice=True,
    ),
    Field(
        "only_newest",
        mark("Keep only the newest"),
        lambda one: "yes" if one.new_episodes.only_newest else "",
        lambda one: _on_or_off(one.new_episodes.only_newest),
        lambda one, text: _with_rules(one, only_newest=yes_or_no(text)),
        lambda one, _by: _with_rules(one, only_newest=not one.new_episodes.only_newest),
        is_choice=True,
    ),
    Field(
        "age_limit",
        mark("Drop when older than"),
        lambda one: f"{one.new_episodes.age_limit_days or ''}",
        _shown_age,
        _typed_age,
        _stepped_age,
    ),
    Field(
        "include",
        mark("Only titles containing"),
        lambda one: one.new_episodes.include,
        lambda one: one.new_episodes.include or "–",
        lambda one, text: _with_rules(one, include=filter_text(text)),
    ),
    Field(
        "exclude",
        mark("Leave out titles containing"),
        lambda one: one.new_episodes.exclude,
        lambda one: one.new_episodes.exclude or "–",
        lambda one, text: _with_rules(one, exclude=filter_text(text)),
    ),
    Field(
        "order",
        mark("Sort order"),
        lambda one: one.view.order or "",
        lambda one: lower_first(order_words(_order_of(one))),
        _typed_order,
        _stepped_order,
        is_choice=True,
    ),
    Field(
        "hide_played",
        mark("Hide played episodes"),
        lambda one: "yes" if one.view.hide_played else "",
        lambda one: _on_or_off(one.view.hide_played),
        lambda one, text: _with_hidden(one, yes_or_no(text)),
        lambda one, _by: _with_hidden(one, not one.view.hide_played),
        is_choice=True,
    ),
    _of_segments(SegmentKind.INTRO, mark("Intros you marked")),
    _of_segments(SegmentKind.OUTRO, mark("Outros you marked")),
    _of_segments(SegmentKind.SPONSOR, mark("Sponsors you marked")),
    _of_segments(SegmentKind.RECAP, mark("Recaps you marked")),
    _of_segments(SegmentKind.OTHER, mark("Other segments")),
    *_OF_DOWNLOADS,
)
FIELDS = {one.name: one for one in _ALL}
