"""`sync`: with other devices, through a server or a folder."""

import time
from argparse import ArgumentParser, Namespace
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from player.errors import EarmarkError, NotRunning
from player.integrations.json_api import sync_json
from player.library import Library
from player.model.syncing import SyncAccount, SyncStatus
from player.sync import sync_sentences
from player.sync.ways import find, own_network, target_of, way_of, ways
from player.text.cleaning import clean_line
from player.text.sentences import _, plural, translate
from tui.cli.command import Command, Context, complain, confirmed, report

_LOOK_S = 0.1
_LONGEST_S = 600.0


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="WHAT",
        nargs="?",
        choices=tuple(_WHAT),
        default="status",
        help=_("one of {what} (default: status)", what=", ".join(_WHAT)),
    )
    kinds = [way.name for way in ways()]
    parser.add_argument(
        "kind", metavar="KIND", nargs="?", choices=kinds, help=_("setup: one of {kinds}", kinds=", ".join(kinds))
    )
    parser.add_argument(
        "address", metavar="WHERE", nargs="?", help=_("setup: the server's address, or the folder's path")
    )
    user = _("setup {kinds}: your name there; the password is asked for", kinds=_with_user())
    parser.add_argument("--user", metavar="NAME", help=user)
    parser.add_argument("--device", metavar="NAME", help=_("setup: what to call this device (default: its host name)"))
    parser.add_argument("-y", "--yes", action="store_true", help=_("don't ask for confirmation"))
    parser.add_argument("--replace", action="store_true", help=_("setup: replace what is set up already"))


def _sync(context: Context, options: Namespace) -> int:
    return _WHAT[options.what](context, options)


def _misuse(options: Namespace) -> str:
    """What is wrong with the arguments; "" for nothing."""
    if options.what != "setup":
        if options.kind is not None:
            return _("Unexpected argument “{text}”", text=options.kind)
        given = [name for name in ("user", "device", "replace") if getattr(options, name)]
        return _("--{option} needs “setup”", option=given[0]) if given else ""
    if options.kind is None or options.address is None:
        return _("KIND or WHERE is missing")
    way = way_of(options.kind)
    if way.needs("user") and not options.user:
        return _("Your name at the server is missing (--user)")
    if options.user and not way.asks_for("user"):
        return _("--user is only for setup {kinds}", kinds=_with_user())
    return ""


def _with_user() -> str:
    return ", ".join(way.name for way in ways() if way.asks_for("user"))


# -- how it stands ----------------------------------------------------------------------------------------------


def _status(context: Context, options: Namespace) -> int:
    with context.library() as library:
        status, refusals = _status_of(library), library.syncing.refusals()
    lines = [_("Syncing isn't set up. Set it up with: earmark sync setup KIND WHERE")]
    if status.account is not None:
        lines = _status_lines(status, status.account, refusals)
    return report(options, {**sync_json(status), "refusals": refusals}, *lines)


def _status_of(library: Library) -> SyncStatus:
    syncing = library.syncing
    return SyncStatus(syncing.account(), state=syncing.state(), counts=syncing.counts())


def _status_lines(status: SyncStatus, account: SyncAccount, refusals: list[str]) -> list[str]:
    now = datetime.now(UTC)
    way = find(account.target)
    lines = [
        sync_sentences.target_words(account),
        _("This device: {name}", name=clean_line(account.name or account.device, 80)),
        _("Last synced: {when}", when=sync_sentences.since_words(status.state.succeeded_at, now)),
    ]
    if failure := sync_sentences.failure_words(status):
        when = sync_sentences.since_words(status.state.failed_at, now)
        lines.append(_("Failed {when}: {problem}", when=when, problem=failure) if status.state.what else failure)
    if waiting := sync_sentences.waiting_words(status):
        lines.append(waiting)
    if way is not None:
        lines.append(_("Syncs {what}", what=sync_sentences.carried_words(way.carries)))
    if way is not None and (missing := sync_sentences.not_carried_words(way.carries)):
        lines.append(_("Doesn't sync {what}", what=missing))
    if count := status.counts.refused:
        lines.append(plural(count, "{n:,} change was refused:", "{n:,} changes were refused:"))
        lines += [f"  {clean_line(sentence, 200)}" for sentence in refusals]
    return lines


# -- now --------------------------------------------------------------------------------------------------------


def _now(context: Context, options: Namespace) -> int:
    said = _("Synced.")
    try:
        state = _by_the_running_one(context)
    except NotRunning:
        state, said = _here(context)
    report(options, state, *([said] if state["problem"] is None else []))
    if state["problem"] is not None:
        complain(state["problem"])
        return 1
    return 0


def _by_the_running_one(context: Context) -> dict[str, Any]:
    """Waits for the end of the round. Raises NotRunning, ControlError."""
    before = context.ask("sync", now=True)["sync"]
    rounds = before["rounds"] + (1 if before["busy"] else 0)
    end = time.monotonic() + _LONGEST_S
    while time.monotonic() < end:
        state: dict[str, Any] = context.ask("sync")["sync"]
        if state["rounds"] > rounds:
            return state
        time.sleep(_LOOK_S)
    raise EarmarkError(_("Syncing is taking long"), _("It continues in the running Earmark: earmark sync status"))


def _here(context: Context) -> tuple[dict[str, Any], str]:
    """One round in this process: how it stands then, and what others changed. Raises EarmarkError."""
    from player.measuring.around import SoundsAround
    from player.measuring.kept_sounds import KeptSounds
    from player.sync.round import Round, alone_in_time, utc_now
    from player.sync.target import SyncError
    from tui.cli.commands.sync_setup import Follow

    with context.library() as library, closing(own_network()) as network:
        account = library.syncing.account()
        if account is None:
            raise EarmarkError(_("Syncing isn't set up"), _("Set it up with: earmark sync setup KIND WHERE"))
        target = target_of(account, context.paths, context.credentials, network)
        follow = Follow(context, library)
        with alone_in_time(context.paths.sync_lock):
            try:
                around = SoundsAround(library, KeptSounds(context.paths.sounds))
                Round(library, target, taken=follow.taken, around=around, unread=complain).run()
            except SyncError as error:
                library.syncing.failed(utc_now(), error.failure, error.what, error.advice)
        follow.read_feeds()
        return dict(sync_json(_status_of(library))), sync_sentences.arrived_words(follow.came)


# -- forgotten --------------------------------------------------------------------------------------------------


def _forget(context: Context, options: Namespace) -> int:
    from player.sync.setup import forget

    with context.library() as library:
        account = library.syncing.account()
        if account is None:
            raise EarmarkError(_("Syncing isn't set up"), _("There is nothing to forget."))
        target = sync_sentences.target_words(account)
        if not confirmed(options.yes, _("Stop syncing with {target}?", target=target), _("Nothing was changed.")):
            return 0
        forget(library, context.paths, context.credentials)
    said = _("Earmark no longer syncs with {target}. What you have heard stays here, and there.", target=target)
    return report(options, dict(sync_json(SyncStatus())), said)


def _set_up(context: Context, options: Namespace) -> int:
    from tui.cli.commands.sync_setup import set_up

    return set_up(context, options)


_WHAT = {"setup": _set_up, "now": _now, "status": _status, "forget": _forget}


def _through() -> str:
    *others, last = (translate(way.through) for way in ways())
    return _("{others} or {last}", others=", ".join(others), last=last)


COMMANDS = {
    "sync": Command(
        summary=_("sync with other devices, through a server or a folder"),
        after="themes",
        about=_(
            "Sync with other devices, through {ways}.\n"
            "setup signs in and shows what the first merge changes on both sides before it asks; `earmark undo` takes\n"
            "back what it changed here, and a backup is made before. From then on a running Earmark syncs by itself.",
            ways=_through(),
        ),
        examples=(
            "".join(f"earmark sync setup {way.name} {way.example}\n" for way in ways())
            + "earmark sync now\nearmark sync status\nearmark sync forget"
        ),
        run=_sync,
        misuse=_misuse,
        arguments=_arguments,
        prints={"": "SyncReport", "now or forget": "SyncState", "setup": "SyncSetUp"},
        exits={1: _("the target can't be used now")},
    )
}
