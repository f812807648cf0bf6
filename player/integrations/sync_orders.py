"""The command of the control socket about syncing with other devices.

`{"command": "sync", "now": true}` begins a round at once, and is answered before it has ended: `sync` in the answer
has `rounds`, how many have ended in this process, and `busy`. Without arguments nothing is begun.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from player.errors import ControlError, LibraryError
from player.integrations.arguments import Arguments, only, truth
from player.integrations.json_api import moment
from player.model.syncing.status import SyncStatus

if TYPE_CHECKING:
    from player.integrations.documents.syncing import SyncState


class Syncing(Protocol):
    """What syncs while Earmark runs. `now` answers with a sentence that says why it can't."""

    @property
    def status(self) -> SyncStatus: ...
    def now(self) -> str: ...


class Machine(Protocol):
    @property
    def sync(self) -> Syncing: ...


def _sync(machine: Machine, arguments: Arguments) -> dict[str, Any]:
    only(arguments, "now")
    before = sync_json(machine.sync.status)
    if arguments and truth(arguments, "now"):
        try:
            problem = machine.sync.now()
        except LibraryError as error:
            raise ControlError(str(error)) from error
        if problem:
            raise ControlError(problem)
    return {"sync": before}


def sync_json(status: SyncStatus) -> "SyncState":
    account, state, counts = status.account, status.state, status.counts
    return {
        "target": account.target.value if account else None,
        "address": account.address if account else None,
        "user": (account.user or None) if account else None,
        "device": account.device if account else None,
        "name": account.name if account else None,
        "busy": status.busy,
        "rounds": status.rounds,
        "succeeded": moment(state.succeeded_at),
        "failed": moment(state.failed_at) if state.what else None,
        "problem": f"{state.what}. {state.advice}".strip() if state.what else None,
        "waiting": counts.outgoing,
        "unmatched": counts.unmatched,
        "refused": counts.refused,
    }


SYNC_ORDERS: Mapping[str, Callable[[Machine, Arguments], dict[str, Any]]] = {"sync": _sync}
