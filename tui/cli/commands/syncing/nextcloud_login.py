"""Logging in to a Nextcloud from a command: an address to open here, or to scan with a phone, and waiting."""

import sys
import time
from typing import TYPE_CHECKING

from player.sync.nextcloud.login_flow import POLL_S, LoginFlow, NextcloudLogin
from player.sync.nextcloud.scan_code import scan_code
from player.text.sentences import _
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop


def log_in(typed: str, device: str, network: "NetworkLoop") -> NextcloudLogin:
    """Waits until somebody has logged in there. Raises SyncError."""
    flow = LoginFlow(typed, device, network)
    address = flow.begin()
    say = sys.stderr  # standard output may be JSON
    print(_("Log in to your Nextcloud at this address, here or by scanning the code with a phone:"), file=say)
    print(f"\n{address}\n", file=say)
    if is_terminal(say):
        for line in scan_code(address):
            print(line, file=say)
    print(_("Waiting …  (ctrl+c ends it)"), file=say, flush=True)
    while (found := flow.poll()) is None:
        time.sleep(POLL_S)
    return found
