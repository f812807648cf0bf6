"""Earmark's own: ink is dark, paper is light, and each has a twin of high contrast."""

from tui.look.roles import Roles

INK = Roles(
    background="#10131a",
    surface="#151922",
    panel="#1b202b",
    text="#d5dbe6",
    muted="#8490a4",
    faint="#68748a",
    line="#262c39",
    accent="#e8a33d",
    success="#8fb573",
    error="#e06c75",
    tints=("#262c39", "#4e3e29", "#70542e", "#946c32", "#bc8637", "#e8a33d"),
    hues=("#e07a7a", "#b7c26b", "#6fbf83", "#56b8ad", "#63a6dd", "#8d93e6", "#b583d6", "#d97fb1"),
)

PAPER = Roles(
    dark=False,
    background="#faf8f3",
    surface="#f4f1ea",
    panel="#ebe6db",
    text="#23262d",
    muted="#616774",
    faint="#7e848f",
    line="#ddd7c9",
    accent="#985808",
    success="#426e2c",
    error="#b3362f",
    tints=("#ddd7c9", "#d6b890", "#caa26f", "#bf8d4d", "#b3772c", "#985808"),
    hues=("#b8473f", "#6f7a1c", "#2f7d46", "#1d7a72", "#2468a8", "#4b51b8", "#7d43a6", "#a83a78"),
)

HIGH_CONTRAST_DARK = Roles(
    background="#000000",
    surface="#0c0c0c",
    panel="#1c1c1c",
    text="#ffffff",
    muted="#d2d2d2",
    faint="#b0b0b0",
    line="#6e6e6e",
    accent="#ffd500",
    success="#7bf27b",
    error="#ff9c9c",
    hues=("#ff9c9c", "#d8e85a", "#7bf27b", "#5ff0e0", "#8cc8ff", "#b3b3ff", "#e0a6ff", "#ffa3dc"),
)

HIGH_CONTRAST_LIGHT = Roles(
    dark=False,
    background="#ffffff",
    surface="#f6f6f6",
    panel="#e8e8e8",
    text="#000000",
    muted="#2e2e2e",
    faint="#484848",
    line="#8a8a8a",
    accent="#793b00",
    success="#0d4f0d",
    error="#8f0000",
    hues=("#8f0000", "#474d00", "#0d4f0d", "#004d49", "#003f86", "#2a2a9c", "#5f0091", "#86005a"),
)

# A terminal with 256 colours has no dark blues between black and navy: all backgrounds of INK would be black there. So
# it has its own colours: steps of the grey ramp, and the nearest of the colour cube for the others.
INK_OF_256 = Roles(
    background="#121212",
    surface="#1c1c1c",
    panel="#262626",
    text="#dadada",
    muted="#949494",
    faint="#767676",
    line="#303030",
    accent="#ffaf5f",
    success="#87af5f",
    error="#ff5f5f",
    tints=("#303030", "#5f5f00", "#875f00", "#af5f00", "#d78700", "#ffaf5f"),
    hues=("#d75f5f", "#afaf5f", "#5faf5f", "#5fafaf", "#5fafd7", "#8787d7", "#af87d7", "#d787af"),
)

PAPER_OF_256 = Roles(
    dark=False,
    background="#ffffff",
    surface="#eeeeee",
    panel="#e4e4e4",
    text="#262626",
    muted="#626262",
    faint="#808080",
    line="#d0d0d0",
    accent="#875f00",
    success="#005f00",
    error="#af0000",
    tints=("#dadada", "#ffd7af", "#ffaf5f", "#d78700", "#af5f00", "#875f00"),
    hues=("#af0000", "#5f5f00", "#005f00", "#005f5f", "#005faf", "#5f5faf", "#87005f", "#af005f"),
)
