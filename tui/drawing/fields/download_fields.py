"""What rules download of one podcast, as fields of its settings."""

from msgspec.structs import replace

from player.model.podcast_settings import MOST_NEWEST, EpisodeTest, PodcastSettings
from player.text.durations import in_words, parse_time, units
from player.text.sentences import _, mark, plural
from tui.drawing.fields.field import Field, filter_text

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
    """Nothing, as all podcasts, the newest, the newest two and so on."""
    newest = settings.downloads.newest
    place = (1 if newest is None else 0 if newest == 0 else newest + 1) + by
    return _with_newest(settings, None if place == 1 else 0 if place < 1 else min(place - 1, MOST_NEWEST))


def _shown_newest(settings: PodcastSettings) -> str:
    newest = settings.downloads.newest
    if newest is None:
        return _("as all podcasts")
    return plural(newest, "the newest", "the newest {n:,}") if newest else _("nothing")


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


DOWNLOAD_FIELDS = (
    Field("download", mark("Download"), _written_newest, _shown_newest, _typed_newest, _stepped_newest),
    Field(
        "download_include",
        mark("Download only titles with"),
        lambda one: one.downloads.test.include,
        lambda one: one.downloads.test.include or _("any title"),
        lambda one, text: _with_test(one, include=filter_text(text)),
    ),
    Field(
        "download_exclude",
        mark("Download no titles with"),
        lambda one: one.downloads.test.exclude,
        lambda one: one.downloads.test.exclude or _("none"),
        lambda one, text: _with_test(one, exclude=filter_text(text)),
    ),
    Field(
        "download_length",
        mark("Download lengths of"),
        lambda one: _written_length(one.downloads.test),
        lambda one: _shown_length(one.downloads.test),
        _typed_length,
    ),
)
