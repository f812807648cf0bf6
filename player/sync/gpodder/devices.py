"""This device among those that a gpodder server knows.

On gpodder.net each device has its own subscriptions, unless it is linked with others (Device Synchronization API).
Other servers have one list for all devices, and nothing to link.
"""

import logging
import re
from collections.abc import Sequence

from player.model.syncing import SyncAccount
from player.sync.target import SyncError, SyncFailure
from player.sync.web.answer import Answer, records, value_of
from player.sync.web.api import Api, in_path
from player.sync.web.server_errors import StatusError
from player.text.cleaning import clean_line

log = logging.getLogger(__name__)

_NAME_LIMIT = 80
_MOST = 1_000
_ID = re.compile(r"[\w.-]{1,200}", re.ASCII)


class Devices:
    """`names`: ids and names, as far as the server stores them."""

    def __init__(self, api: Api, account: SyncAccount) -> None:
        self._api = api
        self._account = account
        self._links = f"api/2/sync-devices/{in_path(account.user)}.json"
        self._is_known = False
        self.names: tuple[tuple[str, str], ...] = ()

    def make_known(self, *, again: bool) -> bool:
        """Registers this device with the server, if that hasn't been done or is to be done `again`. Returns whether the
        server didn't know it before, though it stores devices. Raises SyncError."""
        if self._is_known and not again:
            return False
        known = self._listed()
        if known:
            self._is_known = True
            return False
        self._tell()
        self._is_known = True
        return known is False and self._listed() is True

    def others(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the account's other devices: of those that share their subscriptions with this one, and of those
        that have their own. Raises SyncError."""
        try:
            answer = Answer(self._api.address, self._api.get(self._links), "synchronized", "not-synchronized")
        except SyncError as error:
            if error.failure in (SyncFailure.LOGIN, SyncFailure.UNREACHABLE):
                raise
            return (), ()
        groups = [lists for raw in answer.entries("synchronized") if isinstance(lists := value_of(raw), list)]
        own = self._account.device
        with_us = next((group for group in groups if own in group), [own])
        names = [*(name for group in groups for name in group), *answer.texts("not-synchronized")]
        there = dict.fromkeys(name for name in names[:_MOST] if isinstance(name, str) and _ID.fullmatch(name))
        together = tuple(name for name in there if name in with_us and name != own)
        return together, tuple(name for name in there if name not in with_us)

    def link(self, others: Sequence[str]) -> bool:
        """From now on they all have the same subscriptions. Returns whether that worked. Raises SyncError."""
        if not others:
            return True
        try:
            self._api.post(self._links, {"synchronize": [[self._account.device, *others]], "stop-synchronize": []})
        except SyncError as error:
            if error.failure in (SyncFailure.LOGIN, SyncFailure.UNREACHABLE):
                raise
            log.info("devices can't be linked, or only in part: %s", error)
        _together, apart = self.others()
        return not apart

    def title(self, device: str) -> str:
        return dict(self.names).get(device) or device

    def _listed(self) -> bool | None:
        """None if the server doesn't say."""
        user = in_path(self._account.user)
        try:
            found = records(self._api.address, self._api.get(f"api/2/devices/{user}.json"))
        except SyncError as error:
            _raise_unless_missing(error)
            return None
        names = ((one.get("id") or one.get("deviceid"), one.get("caption") or one.get("name")) for one in found[:_MOST])
        self.names = tuple(
            (clean_line(id, _NAME_LIMIT), clean_line(name, _NAME_LIMIT) if isinstance(name, str) else "")
            for id, name in names
            if isinstance(id, str)
        )
        return any(id == self._account.device for id, _name in self.names)

    def _tell(self) -> None:
        path = f"api/2/devices/{in_path(self._account.user)}/{in_path(self._account.device)}.json"
        name = self._account.name or self._account.device
        try:
            self._api.post(path, {"caption": name, "type": "desktop"})
        except SyncError as error:
            _raise_unless_missing(error)


def _raise_unless_missing(error: SyncError) -> None:
    """Small servers store no devices, and some fail when asked for them. Raises any other error."""
    if not isinstance(error, StatusError) or error.failure in (SyncFailure.LOGIN, SyncFailure.BUSY):
        raise error
    log.info("the server keeps no devices: %s", error)
