"""Whether the computer runs on its battery, and whether that is nearly empty, so that work that can wait should."""

from pathlib import Path

from player import regular_file

_SUPPLIES = Path("/sys/class/power_supply")
"""Linux: a folder for each battery (Documentation/ABI/testing/sysfs-class-power). Elsewhere nothing is known."""
LOW_PERCENT = 20
_LONGEST = 4_096


def is_low(supplies: Path = _SUPPLIES) -> bool:
    """Whether a battery is discharging and has less than LOW_PERCENT left."""
    return any(left.isdecimal() and int(left) < LOW_PERCENT for left in _discharging(supplies))


def is_battery(supplies: Path = _SUPPLIES) -> bool:
    """Whether a battery is discharging."""
    return bool(_discharging(supplies))


def _discharging(supplies: Path) -> list[str]:
    """What the batteries that are discharging say is left of them, in percent."""
    try:
        folders = list(supplies.iterdir())
    except OSError:
        return []
    names = ("type", "status", "capacity", "scope")
    found = [{name: _read(folder / name) for name in names} for folder in folders]
    # A device has a battery of its own: a mouse, for example.
    return [
        one["capacity"]
        for one in found
        if one["type"] == "Battery" and one["status"] == "Discharging" and one["scope"] != "Device"
    ]


def _read(path: Path) -> str:
    """ "" if it can't be read."""
    try:
        return regular_file.read(path, _LONGEST).decode("ascii", "replace").strip()
    except (OSError, ValueError):
        return ""
