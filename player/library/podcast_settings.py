"""The listener's settings for single podcasts. They are removed with the podcast."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from player.errors import NotFound
from player.library.database.connections import Connections
from player.library.database.values import check_kinds
from player.library.lists.ordering import ViewSettingsStore
from player.model.effects import Boost, Trim
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.model.podcast_settings import (
    AS_ALL,
    AS_ALL_DOWNLOADS,
    INTO_THE_INBOX,
    AutoTranscribe,
    EpisodeTest,
    NewEpisodeRules,
    NewEpisodes,
    PodcastDownloads,
    PodcastSettings,
)
from player.model.segments import SegmentKind, SegmentRule, SegmentRules
from player.text.sentences import _

_RULES = "new_episodes, only_newest, age_limit_days, include_titles, exclude_titles"
_DOWNLOADS = "download_newest, download_include, download_exclude, download_at_least_ms, download_under_ms"
_MORE = "boost, trim, transcribe, segments"


class PodcastSettingsStore:
    """How a podcast's list is shown is stored with the view settings of all other lists."""

    def __init__(self, connections: Connections, views: ViewSettingsStore) -> None:
        self._connections = connections
        self._views = views

    def get(self, podcast_id: PodcastId) -> PodcastSettings:
        """`AS_ALL` if nothing was set."""
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT speed, skip_intro_ms, skip_outro_ms, gain_db, skip_chapters, {_RULES}, {_DOWNLOADS}, {_MORE}"
                " FROM podcast_settings WHERE podcast_id = ?",
                (podcast_id,),
            ).fetchone()
            return replace(_settings(row) if row else AS_ALL, view=self._views.get(_view(podcast_id)))

    def new_episodes(self, podcast_id: PodcastId) -> NewEpisodeRules:
        """What happens to the podcast's new episodes."""
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT {_RULES} FROM podcast_settings WHERE podcast_id = ?", (podcast_id,)
            ).fetchone()
            return _rules(row) if row else INTO_THE_INBOX

    def downloads(self) -> dict[PodcastId, PodcastDownloads]:
        """The download settings of the podcasts that have any."""
        with self._connections.reading() as connection:
            rows = connection.execute(f"SELECT podcast_id, {_DOWNLOADS} FROM podcast_settings").fetchall()
            found = {PodcastId(row[0]): _downloads(row[1:]) for row in rows}
        return {one: downloads for one, downloads in found.items() if downloads != AS_ALL_DOWNLOADS}

    def set(self, podcast_id: PodcastId, settings: PodcastSettings) -> None:
        """Values beyond the limits are set to the limit. Raises NotFound if the podcast is gone."""
        settings = settings.within_limits()
        rules, test = settings.new_episodes, settings.downloads.test
        words = None if settings.skip_chapters is None else json.dumps(settings.skip_chapters)
        with self._connections.writing() as connection:
            if connection.execute("SELECT 1 FROM podcasts WHERE id = ?", (podcast_id,)).fetchone() is None:
                raise NotFound(_("This podcast is no longer in the library"), _("See `earmark podcasts`."))
            self._views.set(_view(podcast_id), settings.view)
            connection.execute("DELETE FROM podcast_settings WHERE podcast_id = ?", (podcast_id,))
            if replace(settings, view=AS_ALL.view) != AS_ALL:
                connection.execute(
                    "INSERT INTO podcast_settings"
                    " (podcast_id, speed, skip_intro_ms, skip_outro_ms, gain_db, skip_chapters,"
                    f" {_RULES}, {_DOWNLOADS}, {_MORE})"
                    f" VALUES ({', '.join('?' * 20)})",
                    (
                        podcast_id,
                        settings.speed,
                        settings.skip_intro_ms,
                        settings.skip_outro_ms,
                        settings.gain_db,
                        words,
                        rules.to,
                        int(rules.only_newest),
                        rules.age_limit_days,
                        rules.include,
                        rules.exclude,
                        settings.downloads.newest,
                        test.include,
                        test.exclude,
                        test.at_least_ms,
                        test.under_ms,
                        settings.boost,
                        settings.trim,
                        settings.transcribe,
                        _words(settings.segments),
                    ),
                )


def _view(podcast_id: PodcastId) -> str:
    return View.of(ViewName.PODCAST, podcast_id).key


def _settings(row: tuple[Any, ...]) -> PodcastSettings:
    speed, intro_ms, outro_ms, gain_db, words, *more = row
    check_kinds((words or "",), (intro_ms, outro_ms))
    if any(number.__class__ is not float for number in (speed or 0.0, gain_db)):
        raise TypeError("something else instead of a number")
    chosen = None if words is None else tuple(json.loads(words))
    check_kinds(chosen or ())
    rules, downloads, (boost, trim, transcribe, segments) = _rules(more[:5]), _downloads(more[5:10]), more[10:]
    check_kinds((boost or "", trim or "", transcribe or "", segments or ""))
    return PodcastSettings(
        speed, intro_ms, outro_ms, gain_db, chosen, rules,
        downloads=downloads, boost=Boost(boost) if boost else None, trim=Trim(trim) if trim else None,
        transcribe=AutoTranscribe(transcribe or AutoTranscribe.NOTHING), segments=_segments(segments),
    )  # fmt: skip


def _words(rules: SegmentRules) -> str | None:
    """The rules other than to ask, as JSON."""
    words = {kind.value: rule.value for kind in SegmentKind if (rule := rules.of(kind)) is not SegmentRule.ASK}
    return json.dumps(words) if words else None


def _segments(words: str | None) -> SegmentRules:
    found = json.loads(words) if words else {}
    return SegmentRules(**{SegmentKind(kind).value: SegmentRule(rule) for kind, rule in found.items()})


def _rules(row: Sequence[Any]) -> NewEpisodeRules:
    to, only_newest, days, include, exclude = row
    check_kinds((to or "", include, exclude), (only_newest, days))
    return NewEpisodeRules(NewEpisodes(to or NewEpisodes.INBOX), bool(only_newest), days, include, exclude)


def _downloads(row: Sequence[Any]) -> PodcastDownloads:
    newest, include, exclude, at_least_ms, under_ms = row
    check_kinds((include, exclude), (newest, at_least_ms, under_ms))
    return PodcastDownloads(newest, EpisodeTest(include, exclude, at_least_ms, under_ms))
