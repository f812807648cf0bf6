"""Tables in plain text."""

from collections.abc import Sequence


def print_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> None:
    """The first column is flush left, the others right."""
    cells = [list(heads), *map(list, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    print(f"\n{title}")
    for index, row in enumerate(cells):
        first, *others = (text.ljust(widths[0]) if not at else text.rjust(widths[at]) for at, text in enumerate(row))
        print("  ".join(["", first, *others]).rstrip())
        if index == 0:
            print("  " + "─" * (sum(widths) + 2 * (len(widths) - 1)))
    if note:
        print(f"  {note}")


def ms(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds * 1000:.0f} ms"


def ratio(ours: float | None, theirs: float | None) -> str:
    """How many times theirs ours is."""
    return "" if not ours or not theirs else f"{ours / theirs:.2f}x"
