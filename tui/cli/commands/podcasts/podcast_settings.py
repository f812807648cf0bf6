"""`set`: what is set for one podcast."""

from argparse import ArgumentParser, Namespace
from typing import Any

from player.errors import EarmarkError
from player.model.filters import Order
from player.model.podcast import Podcast
from player.model.podcast_settings import PodcastSettings
from player.text.sentences import _, translate
from tui.cli.command import Command, Context, print_json


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("podcast", metavar="PODCAST", help=_("its ID, its URL, or its title or part of it"))
    parser.add_argument(
        "changes",
        metavar="NAME=VALUE",
        nargs="*",
        help=_(
            "speed=1.4, volume=+3 (dB), skip_start=30, skip_end=1m30s, new=inbox|queue|next|nowhere, only_newest=yes,"
            " age_limit=7 (days), include=WORDS, exclude=WORDS, order=newest|oldest|longest|shortest, hide_played=yes;"
            " NAME=default for what all podcasts have"
        ),
    )


def _run(context: Context, options: Namespace) -> int:
    from tui.drawing.podcast_fields import assigned, change_in_words, fields

    known = fields(inbox=context.settings.inbox.enabled)
    with context.library() as library:
        podcast = library.podcasts.find(options.podcast)
        with library.transaction():
            settings = library.podcast_settings.get(podcast.id)
            changed = []
            for change in options.changes:
                try:
                    field, settings = assigned(settings, change)
                except ValueError as error:
                    raise EarmarkError(f"{error} {_('Nothing was changed.')}") from error
                changed.append(known[field.name])
            if changed:
                library.podcast_settings.set(podcast.id, settings)
                library.inbox.expire()
        settings = library.podcast_settings.get(podcast.id)
    if options.json:
        print_json(settings_json(podcast, settings))
        return 0
    if changed:
        for field in dict.fromkeys(changed):
            print(change_in_words(field, settings))
        return 0
    print(podcast.title)
    width = max(len(translate(field.title)) for field in known.values())
    names = max(map(len, known))
    for name, field in known.items():
        print(f"  {name:{names}}  {translate(field.title):{width}}  {field.shown(settings)}")
    return 0


def settings_json(podcast: Podcast, settings: PodcastSettings) -> dict[str, Any]:
    """`null` stands for what all podcasts have."""
    rules = settings.new_episodes
    return {
        "podcast_id": podcast.id,
        "podcast": podcast.title,
        "speed": settings.speed,
        "volume_db": settings.gain_db,
        "skip_start_ms": settings.skip_intro_ms,
        "skip_end_ms": settings.skip_outro_ms,
        "new": rules.to.value,
        "only_newest": rules.only_newest,
        "age_limit_days": rules.age_limit_days,
        "include": rules.include,
        "exclude": rules.exclude,
        "order": (settings.view.order or Order.NEWEST).value,
        "hide_played": settings.view.hide_played,
    }


COMMANDS = {
    "set": Command(
        about=_(
            "Show or change the settings of one podcast: speed, volume, what is skipped, where its new episodes go, how"
            " its list is shown."
        ),
        examples=(
            "earmark set pytorch\n"
            "earmark set pytorch speed=1.4 skip_start=30\n"
            'earmark set "The Daily" new=queue only_newest=yes age_limit=3\n'
            "earmark set 3 include='\"deep dive\" interview' exclude=rerun\n"
            "earmark set 3 order=oldest hide_played=yes\n"
            "earmark set 3 speed=default --json"
        ),
        run=_run,
        arguments=_arguments,
        reports=True,
    ),
}
