"""How syncing stands, in words beside labels."""

from datetime import timedelta

from msgspec.structs import replace

from player.model.syncing import KnownDevice
from player.sync.ways import way_of
from tests.tui.dialogs.syncing.states import FAILING, FINE, NOW
from tui.drawing.syncing import Standing, standing_rows


def said(standing: Standing) -> dict[str, list[str]]:
    return {row.label: row.lines for row in standing_rows(standing, NOW) if row.lines}


def test_while_it_goes_well_nothing_is_said_of_problems() -> None:
    words = said(FINE)
    assert words["Others"] == ["Ann's phone, last seen 5 hours ago", "antennapod.x, last seen 3 days ago"]
    assert (words["Last synced"], words["Waiting"]) == (["4 minutes ago"], ["nothing"])
    assert "Problem" not in words
    assert "Refused" not in words


def test_a_failure_is_said_with_when_it_is_tried_again() -> None:
    problem = said(FAILING)["Problem"]
    assert problem[0].startswith("podcasts.example.org sent a web page instead of data. ")
    assert problem[1].startswith("Earmark tries again at ")
    assert said(FAILING)["Refused"] == [
        "1 change was rejected:",
        "podcasts.example.org doesn't accept its address.",
    ]
    assert said(replace(FAILING, offline=True))["Problem"][1] == "Earmark tries again when there is a network."
    assert said(replace(FINE, offline=True))["Problem"] == ["Offline: it waits for the network."]


def test_a_time_that_is_far_off_comes_with_its_day() -> None:
    soon, late = (replace(FAILING.status, next_at=NOW + timedelta(hours=hours)) for hours in (1, 23))
    times = [said(replace(FAILING, status=status))["Problem"][1] for status in (soon, late)]
    assert ["2026" in time for time in times] == [False, True]


def test_many_devices_are_counted_and_this_one_is_none_of_them() -> None:
    devices = tuple(KnownDevice(f"device{number}") for number in range(9))
    account = replace(FINE.status.account, device="device0")  # type: ignore[type-var]
    words = said(replace(FINE, devices=devices, status=replace(FINE.status, account=account)))
    assert words["Others"] == [*(f"device{number}" for number in range(1, 6)), "and 3 more"]


def test_a_folder_carries_all_so_that_nothing_is_said_of_what_it_doesnt() -> None:
    assert "Doesn't sync" not in said(replace(FINE, carries=way_of("folder").carries))


def test_without_an_account_there_is_nothing_to_say() -> None:
    assert said(Standing()) == {}
