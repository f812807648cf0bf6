"""Catppuccin in its four flavours, as its style guide publishes them."""

from tui.look.roles import Roles

MOCHA = Roles(
    background="#1e1e2e",
    surface="#181825",
    panel="#313244",
    text="#cdd6f4",
    muted="#a6adc8",
    faint="#7f849c",
    line="#45475a",
    accent="#fab387",
    success="#a6e3a1",
    error="#f38ba8",
    hues=("#f38ba8", "#f9e2af", "#a6e3a1", "#94e2d5", "#89b4fa", "#b4befe", "#cba6f7", "#f5c2e7"),
)

MACCHIATO = Roles(
    background="#24273a",
    surface="#1e2030",
    panel="#363a4f",
    text="#cad3f5",
    muted="#a5adcb",
    faint="#8087a2",
    line="#494d64",
    accent="#f5a97f",
    success="#a6da95",
    error="#ed8796",
    hues=("#ed8796", "#eed49f", "#a6da95", "#8bd5ca", "#8aadf4", "#b7bdf8", "#c6a0f6", "#f5bde6"),
)

FRAPPE = Roles(
    background="#303446",
    surface="#292c3c",
    panel="#414559",
    text="#c6d0f5",
    muted="#a5adce",
    faint="#838ba7",
    line="#51576d",
    accent="#ef9f76",
    success="#a6d189",
    error="#e78284",
    hues=("#e78284", "#e5c890", "#a6d189", "#81c8be", "#8caaee", "#babbf1", "#ca9ee6", "#f4b8e4"),
)

LATTE = Roles(
    dark=False,
    background="#eff1f5",
    surface="#e6e9ef",
    panel="#dce0e8",
    text="#4c4f69",
    muted="#5c5f77",
    faint="#8c8fa1",
    line="#ccd0da",
    accent="#fe640b",
    success="#40a02b",
    error="#d20f39",
    hues=("#d20f39", "#df8e1d", "#40a02b", "#179299", "#1e66f5", "#7287fd", "#8839ef", "#ea76cb"),
)
