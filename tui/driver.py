"""Textual's driver of a terminal, with what goes out made shorter."""

from textual.drivers.linux_driver import LinuxDriver

from tui.style_codes import fewer


class TerseDriver(LinuxDriver):
    """For Linux and macOS."""

    def write(self, data: str) -> None:
        super().write(fewer(data))
