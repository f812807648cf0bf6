"""`set`: what is set for one podcast."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from player.errors import EarmarkError
from player.library import Library
from player.model.filters import Order, View, ViewName
from player.model.podcast import Podcast
from player.model.podcast_settings import AutoTranscribe, NewEpisodes, PodcastSettings
from player.model.segments import SegmentKind, SegmentRule
from player.text.sentences import _, mark, translate
from tui.cli.command import Command, Context, print_json
from tui.cli.completing import offer

_TITLE, _PINNED, _CONTINUE = "title", "pinned", "continue"
_CONTINUES = {"oldest": False, "newest": True, "no": None}
"""Whether the newest comes first when the podcast plays on after the queue; None: it doesn't play on."""
_CONTINUE_WORDS = {"oldest": mark("oldest first"), "newest": mark("newest first"), "no": mark("no")}


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("podcast", metavar="PODCAST", help=_("its ID, its URL, or its title or part of it"))
    changes = parser.add_argument(
        "changes",
        metavar="NAME=VALUE",
        nargs="*",
        help=_(
            "title=TEXT, pinned=yes, speed=1.4, volume=+3 (dB), skip_start=30, skip_end=1m30s,"
            " new=inbox|queue|next|nowhere, only_newest=yes, age_limit=7 (days), include=WORDS, exclude=WORDS,"
            " order=newest|oldest|longest|shortest, hide_played=yes, continue=oldest|newest|no (after the queue),"
            " download=3 (the newest; or none),"
            " download_include=WORDS, download_exclude=WORDS, download_length=10m-2h,"
            " intro=ask|skip|leave (where one that you marked is heard again), outro, sponsor, recap, other likewise;"
            " NAME=default for what all podcasts have, title=default for the feed's title"
        ),
    )
    offer(changes, _assignments)


def _assignments() -> Iterator[str]:
    """Each name with what it may be, or without it where that is anything."""
    from tui.drawing.podcast_fields import ORDERS, fields

    yes_or_no = ("yes", "no")
    values: dict[str, Iterable[str]] = {
        _PINNED: yes_or_no, "new": NewEpisodes, "only_newest": yes_or_no, "order": ORDERS, "hide_played": yes_or_no,
        "transcribe": AutoTranscribe, _CONTINUE: _CONTINUES, **{kind.value: SegmentRule for kind in SegmentKind},
    }  # fmt: skip
    for name in (_TITLE, _PINNED, *fields(inbox=True), _CONTINUE):
        for value in values.get(name, ("",)):
            yield f"{name}={value}"


def _run(context: Context, options: Namespace) -> int:
    from player.playback.last_session import usual_speed
    from tui.drawing.podcast_fields import fields

    general = context.settings
    with context.library() as library:
        speed, newest = usual_speed(library), general.downloads.newest
        audio = general.audio
        known = fields(inbox=general.inbox.enabled, speed=speed, newest=newest, boost=audio.boost, trim=audio.trim)
        podcast = library.podcasts.find(options.podcast)
        changed = _changed(library, podcast, options.changes)
        podcast, settings = library.podcasts.get(podcast.id), library.podcast_settings.get(podcast.id)
        newest_first = library.continued.newest_first(_view(podcast))
    continues = next(name for name, known in _CONTINUES.items() if known is newest_first)
    if options.json:
        print_json({**settings_json(podcast, settings), "continue": None if continues == "no" else continues})
        return 0
    rows = {name: (translate(one.title), one.shown(settings)) for name, one in known.items()}
    own_title = podcast.own_title or _("the feed's")
    rows = {_TITLE: (_("Title"), own_title), _PINNED: (_("Pinned"), _("yes") if podcast.pinned else _("no")), **rows}
    rows[_CONTINUE] = _("Plays on after the queue"), translate(_CONTINUE_WORDS[continues])
    if changed:
        for name in dict.fromkeys(changed):
            print(": ".join(rows[name]))
        return 0
    print(podcast.title)
    width = max(len(title) for title, _shown in rows.values())
    names = max(map(len, rows))
    for name, (title, shown) in rows.items():
        print(f"  {name:{names}}  {title:{width}}  {shown}")
    return 0


def _changed(library: Library, podcast: Podcast, changes: Sequence[str]) -> list[str]:
    """Makes all of these changes, or none, and answers with their names. Raises EarmarkError."""
    from player.shelf import rename, set_pinned
    from tui.drawing.podcast_fields import assigned, field, name_and_value

    changed = []
    with library.transaction():
        settings = library.podcast_settings.get(podcast.id)
        for change in changes:
            try:
                name, text = name_and_value(change)
                if name == _TITLE:
                    rename(library, podcast.id, "" if text == "default" else text)
                elif name == _PINNED:
                    set_pinned(library, podcast.id, _yes_or_no(text))
                elif name == _CONTINUE:
                    library.continued.set(_view(podcast), _newest_first(text))
                else:
                    settings = assigned(settings, field(name, (_TITLE, _PINNED, _CONTINUE)), text)
            except ValueError as error:
                raise EarmarkError(f"{error} {_('Nothing was changed.')}") from error
            changed.append(name)
        if changed:
            library.podcast_settings.set(podcast.id, settings)
            library.inbox.expire()
    return changed


def _view(podcast: Podcast) -> View:
    return View.of(ViewName.PODCAST, podcast.id)


def _newest_first(text: str) -> bool | None:
    """Raises ValueError with a sentence."""
    text = "no" if text == "default" else text.lower()
    if text not in _CONTINUES:
        choices = ", ".join(_CONTINUES)
        raise ValueError(_("{name} must be one of {choices}.", name=_CONTINUE, choices=choices))
    return _CONTINUES[text]


def _yes_or_no(text: str) -> bool:
    """Raises ValueError with a sentence."""
    from tui.drawing.podcast_fields import yes_or_no

    try:
        return yes_or_no(text)
    except ValueError as error:
        raise ValueError(f"{_PINNED}: {error}") from error


def settings_json(podcast: Podcast, settings: PodcastSettings) -> dict[str, Any]:
    """`null` stands for what all podcasts have; in `title` for the feed's. `download_newest` 0: nothing is
    downloaded by rules."""
    rules, test = settings.new_episodes, settings.downloads.test
    return {
        "podcast_id": podcast.id,
        "podcast": podcast.title,
        "speed": settings.speed,
        "volume_db": settings.gain_db,
        "boost": settings.boost.value if settings.boost else None,
        "trim": settings.trim.value if settings.trim else None,
        "skip_start_ms": settings.skip_intro_ms,
        "skip_end_ms": settings.skip_outro_ms,
        "new": rules.to.value,
        "only_newest": rules.only_newest,
        "age_limit_days": rules.age_limit_days,
        "include": rules.include,
        "exclude": rules.exclude,
        "order": (settings.view.order or Order.NEWEST).value,
        "hide_played": settings.view.hide_played,
        "download_newest": settings.downloads.newest,
        "download_include": test.include,
        "download_exclude": test.exclude,
        "download_at_least_ms": test.at_least_ms,
        "download_under_ms": test.under_ms,
        "transcribe": settings.transcribe.value,
        "segments": {kind.value: settings.segments.of(kind).value for kind in SegmentKind},
        "title": podcast.own_title or None,
        "pinned": podcast.pinned,
    }


COMMANDS = {
    "set": Command(
        summary=_("show or change the settings of a podcast"),
        after="podcasts",
        about=_(
            "Show or change the settings of one podcast: its title, speed, volume, what is skipped, where its new"
            " episodes go, how its list is shown, what is downloaded automatically, and what happens to segments that"
            " you have marked.\n"
            "A title of yours replaces the feed's everywhere; a pinned podcast"
            " stands before the others."
        ),
        examples=(
            "earmark set pytorch\n"
            "earmark set pytorch speed=1.4 skip_start=30\n"
            'earmark set pytorch title="PyTorch" pinned=yes\n'
            'earmark set "The Daily" new=queue only_newest=yes age_limit=3\n'
            "earmark set 3 include='\"deep dive\" interview' exclude=rerun\n"
            "earmark set 3 order=oldest hide_played=yes continue=oldest\n"
            "earmark set pytorch download=3 download_exclude=rerun\n"
            "earmark set pytorch sponsor=skip\n"
            "earmark set 3 speed=default --json"
        ),
        run=_run,
        arguments=_arguments,
        prints={"": "PodcastSettingsShown"},
    ),
}
