"""`sync setup`: signs in, shows what the first merge would change on both sides, and asks before it does. What follows
from the changes of other devices is here for `sync now`, too."""

import sys
import time
from argparse import Namespace
from contextlib import closing
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from player.errors import ControlError, EarmarkError
from player.events import Bus
from player.feeds.opml import Subscribed
from player.integrations.json_api import sync_json
from player.library import Library
from player.links.urls import host
from player.model.playback import ACTIVE
from player.model.podcast import PodcastId
from player.model.syncing import SyncAccount, SyncStatus, Taken
from player.sync.arrived import subscribe
from player.sync.setup import SetUp, SignedIn, device_name, signed_in
from player.sync.sync_sentences import arrived_words, carried_words, not_carried_words, plan_lines, target_words
from player.sync.ways import POLL_S, BrowserLogin, Typed, Way, own_network, way_of
from player.text.sentences import _, translate
from tui.cli.command import Context, complain_of, confirmed, print_json, titled
from tui.cli.commands.import_file import refresh_added
from tui.cli.commands.subscriptions import unsubscribe
from tui.drawing.scan_code import scan_code
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.model.syncing import SyncPlan
    from player.net.loop import NetworkLoop


class Follow:
    """Podcasts that came or went. A running Earmark sees it a moment later."""

    def __init__(self, context: Context, library: Library) -> None:
        self._context = context
        self._library = library
        self._added: tuple[PodcastId, ...] = ()
        self.came = Taken()
        """What others have changed."""

    def taken(self, taken: Taken) -> None:
        """Raises LibraryError, ControlError."""
        self.came = taken
        for podcast_id in taken.unsubscribe:
            unsubscribe(self._context, self._library, podcast_id)
        if taken.subscribe:
            self._added += subscribe(self._library, taken.subscribe)

    def read_feeds(self) -> None:
        """Of the podcasts that are new. What can't be read is tried again by every refresh."""
        from player.feeds.parsing.parser_pool import ParserPool

        if not self._added:
            return
        with closing(ParserPool()) as parsers:
            added = Subscribed(self._added)
            summary = refresh_added(self._context, self._library, Bus(), added, parsers)
        complain_of(titled(self._library, summary.failed))


def log_in(login: BrowserLogin, title: str) -> Typed:
    """Waits until somebody has signed in there. Raises SyncError."""
    address = login.begin()
    say = sys.stderr  # standard output may be JSON
    print(_("Sign in to your {way} at this address, here or by scanning the code with a phone:", way=title), file=say)
    print(f"\n{address}\n", file=say)
    if is_terminal(say):
        for line in scan_code(address):
            print(line, file=say)
    print(_("Waiting …  (ctrl+c ends it)"), file=say, flush=True)
    while (found := login.poll()) is None:
        time.sleep(POLL_S)
    return found


def set_up(context: Context, options: Namespace) -> int:
    with context.library() as library, closing(own_network()) as network:
        if not _may_replace(library.syncing.account(), options):
            return 0
        there = _sign_in(context, options, network)
        return _merge(context, options, library, SetUp(there, library, context.paths, context.credentials, network))


def _may_replace(before: SyncAccount | None, options: Namespace) -> bool:
    """Raises EarmarkError without a terminal."""
    if before is None:
        return True
    question = _("Earmark syncs with {target} already. Sync elsewhere instead?", target=target_words(before))
    return confirmed(options.replace, question, _("Nothing was changed."), option="--replace")


# -- signing in -------------------------------------------------------------------------------------------------


def _sign_in(context: Context, options: Namespace, network: "NetworkLoop") -> SignedIn:
    """Raises SyncError, EarmarkError. Nothing is kept yet."""
    way = way_of(options.kind)
    typed = Typed(options.kind, options.address, device_name(options.device or ""), options.user or "")
    if (login := way.browser_login(typed, network)) is not None:
        typed = log_in(login, translate(way.title))
    elif way.asks_for("password"):
        typed = replace(typed, password=_password(way, way.address(typed.address)))
    return signed_in(typed, context.paths)


def _password(way: Way, address: str) -> str:
    """Typed on a terminal, where it isn't shown; else the first line of standard input."""
    if not is_terminal(sys.stdin):
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        import getpass

        what = next(translate(field.label) for field in way.fields if field.name == "password")
        password = getpass.getpass(_("{what} for {host} (not shown): ", what=what, host=host(address)))
    if not password:
        raise EarmarkError(_("A password is needed"), _("Nothing was saved."))
    return password


# -- the first merge --------------------------------------------------------------------------------------------


def _merge(context: Context, options: Namespace, library: Library, set_up: SetUp) -> int:
    plan = set_up.look()
    if not options.json:
        _show(set_up.account, plan, set_up.carries)
    if not confirmed(options.yes, _("Merge?"), _("Nothing was changed.")):
        return 0
    taken = set_up.merge(_playing(context))
    follow = Follow(context, library)
    follow.taken(taken)
    if not options.json:
        print(arrived_words(taken), flush=True)
        if taken.act_id:
            print(_("To take back what changed here: earmark undo"), flush=True)
    set_up.send()
    follow.read_feeds()
    if options.json:
        status = SyncStatus(set_up.account, state=library.syncing.state(), counts=library.syncing.counts())
        print_json({**sync_json(status), **_plan_json(plan), "can_be_undone": bool(taken.act_id)})
    else:
        print(_("Everything is sent. From now on Earmark syncs by itself while it runs."))
    return 0


def _show(account: SyncAccount, plan: "SyncPlan", carries: Any) -> None:
    target = target_words(account)
    print(_("{target} syncs {what}", target=target, what=carried_words(carries)))
    if missing := not_carried_words(carries):
        print(_("It doesn't sync {what}", what=missing))
    for line in plan_lines(plan, target):
        print(line)
    sys.stdout.flush()


def _playing(context: Context) -> frozenset[Any]:
    """What plays in the running Earmark isn't moved."""
    try:
        status = context.ask("status")["status"]
    except ControlError:
        return frozenset()
    episode = status["episode"]
    return frozenset({episode["id"]}) if episode and status["state"] in {one.value for one in ACTIVE} else frozenset()


def _plan_json(plan: "SyncPlan") -> dict[str, Any]:
    here = plan.here
    return {
        "here": {
            "episodes": len(here.changed),
            "subscribed": len(here.subscribe),
            "unsubscribed": len(here.unsubscribe),
            "others": len(here.others),
            "queue": here.queue,
            "unmatched": here.unmatched,
        },
        "there": {
            "positions": plan.positions,
            "played": plan.played,
            "unplayed": plan.unplayed,
            "subscribed": plan.subscribed,
            "unsubscribed": plan.unsubscribed,
            "others": plan.facts,
        },
    }
