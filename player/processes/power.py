"""Whether the computer runs on a battery that is nearly empty, so that work that can wait should."""

from pathlib import Path

from player import regular_file

_SUPPLIES = Path("/sys/class/power_supply")
"""Linux: a folder for each battery (Documentation/ABI/testing/sysfs-class-power). Elsewhere nothing is known."""
LOW_PERCENT = 20
_LONGEST = 4_096


def is_low(supplies: Path = _SUPPLIES) -> bool:
    """Whether a battery is discharging and has less than LOW_PERCENT left."""
    try:
        folders = list(supplies.iterdir())
    except OSError:
        return False
    return any(_is_low(folder) for folder in folders)


def _is_low(folder: Path) -> bool:
    said = {name: _read(folder / name) for name in ("type", "status", "capacity", "scope")}
    if said["type"] != "Battery" or said["status"] != "Discharging" or said["scope"] == "Device":
        return False  # a device has a battery of its own: a mouse, for example
    return said["capacity"].isdecimal() and int(said["capacity"]) < LOW_PERCENT


def _read(path: Path) -> str:
    """ "" if it can't be read."""
    try:
        return regular_file.read(path, _LONGEST).decode("ascii", "replace").strip()
    except (OSError, ValueError):
        return ""
