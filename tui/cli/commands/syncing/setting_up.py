"""`sync setup`: signs in, shows what the first merge would change on both sides, and merges when that is wanted."""

import hashlib
import platform
import re
import sys
from argparse import Namespace
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from player.errors import EarmarkError
from player.integrations.sync_orders import sync_json
from player.model.syncing.status import SyncStatus
from player.model.syncing.targets import SyncAccount, TargetKind
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.cli.command import Context, print_json
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.library import Library
    from player.model.syncing.outcomes import SyncPlan
    from player.net.loop import NetworkLoop

_LONGEST_NAME = 60


class _SignedIn(Struct, frozen=True):
    """`login` is kept for the server once there is an account; None for a folder."""

    account: SyncAccount
    login: tuple[str, str] | None = None


def set_up(context: Context, options: Namespace) -> int:
    from player.sync.choosing import own_network
    from tui.cli.commands.syncing.following import syncing_alone

    with context.library() as library, closing(own_network()) as network:
        if not _may_replace(library.syncing.account(), options):
            print(_("Nothing was changed."))
            return 0
        signed_in = _sign_in(context, options, network)
        with syncing_alone(context):
            return _merge(context, options, library, signed_in, network)


def _may_replace(before: SyncAccount | None, options: Namespace) -> bool:
    """Raises EarmarkError without a terminal."""
    from player.sync.words import target_words
    from tui.cli.commands.syncing.following import confirmed

    if before is None or options.replace:
        return True
    question = _("Earmark syncs with {target} already. Sync elsewhere instead?", target=target_words(before))
    return confirmed(question, f"sync setup {options.kind} WHERE --replace")


# -- signing in -------------------------------------------------------------------------------------------------


def _sign_in(context: Context, options: Namespace, network: "NetworkLoop") -> _SignedIn:
    """Raises SyncError, EarmarkError. Nothing is kept yet."""
    name = clean_line(options.device or platform.node() or "earmark", _LONGEST_NAME)
    device = device_id(name, context.paths.data)
    match TargetKind(options.kind):
        case TargetKind.FOLDER:
            return _SignedIn(SyncAccount(TargetKind.FOLDER, str(_folder(options.address)), "", device, name))
        case TargetKind.GPODDER:
            from player.sync.web.addresses import server_address

            address = server_address(options.address)
            account = SyncAccount(TargetKind.GPODDER, address, options.user, device, name)
            return _SignedIn(account, (options.user, _password(address)))
        case TargetKind.NEXTCLOUD:
            from tui.cli.commands.syncing.nextcloud_login import log_in

            login = log_in(options.address, name, network)
            account = SyncAccount(TargetKind.NEXTCLOUD, login.address, login.user, device, name)
            return _SignedIn(account, (login.user, login.password))


def device_id(name: str, data: Path) -> str:
    """The same for the same name and library; other libraries of a machine have others."""
    made = hashlib.sha256(f"{platform.node()}\n{data}".encode(errors="replace")).hexdigest()[:6]
    plain = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.")[:30]
    return f"{plain or 'earmark'}-{made}"


def _folder(typed: str) -> Path:
    from player.links.local_files import with_home

    path = with_home(typed).absolute()
    if not path.is_dir():
        raise EarmarkError(_("There is no folder {path}", path=path), _("Make it, or correct the path."))
    return path


def _password(address: str) -> str:
    """Typed on a terminal, where it isn't shown; else the first line of standard input."""
    from player.links.urls import host

    if not is_terminal(sys.stdin):
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        import getpass

        password = getpass.getpass(_("Password for {host} (not shown): ", host=host(address)))
    if not password:
        raise EarmarkError(_("A password is needed"), _("Nothing was saved."))
    return password


# -- the first merge --------------------------------------------------------------------------------------------


def _merge(
    context: Context, options: Namespace, library: "Library", signed_in: _SignedIn, network: "NetworkLoop"
) -> int:
    from player.net.credentials import Credentials
    from player.sync.choosing import target_of
    from player.sync.first_merge import FirstMerge
    from player.sync.words import arrived_words
    from tui.cli.commands.syncing.following import Follow, confirmed

    account = signed_in.account
    if account.target is TargetKind.FOLDER:
        from player.sync.folder.folder_target import join_folder

        join_folder(Path(account.address), context.paths.sync_folder)
    target = target_of(account, context.paths, lambda _address: signed_in.login, network)
    merge = FirstMerge(library, account, target)
    plan = merge.look()
    if not options.json:
        _show(account, plan, target.carries)
    command = f"sync setup {options.kind} WHERE --yes"
    if not options.yes and not confirmed(_("Merge?"), command):
        print(_("Nothing was changed."))
        return 0
    if signed_in.login is not None:
        Credentials(context.paths.logins).remember(account.address, *signed_in.login)
    taken = merge.merge(_playing(context))
    follow = Follow(context, library)
    follow.taken(taken)
    if not options.json:
        print(arrived_words(taken), flush=True)
        if taken.act_id:
            print(_("To take back what changed here: earmark undo"), flush=True)
    merge.send()
    follow.read_feeds()
    if options.json:
        status = SyncStatus(account, state=library.syncing.state(), counts=library.syncing.counts())
        print_json({**sync_json(status), **_plan_json(plan), "can_be_undone": bool(taken.act_id)})
    else:
        print(_("Everything is sent. From now on Earmark syncs by itself while it runs."))
    return 0


def _show(account: SyncAccount, plan: "SyncPlan", carries: Any) -> None:
    from player.sync.words import carried_words, not_carried_words, plan_lines, target_words

    target = target_words(account)
    print(_("{target} carries: {what}", target=target, what=carried_words(carries)))
    if missing := not_carried_words(carries):
        print(_("It can't carry: {what}", what=missing))
    for line in plan_lines(plan, target):
        print(line)
    sys.stdout.flush()


def _playing(context: Context) -> frozenset[Any]:
    """What plays in the running Earmark isn't moved."""
    from player.errors import ControlError
    from player.integrations.client import request
    from player.model.playback import ACTIVE

    try:
        status = request(context.paths.socket, "status")["status"]
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
