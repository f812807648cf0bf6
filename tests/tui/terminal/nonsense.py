"""What a terminal may send, and no terminal would: every form there is, cut anywhere, numbers up to 2^64, floods."""

import random
from collections.abc import Iterator

_NUMBERS = (0, 1, 2, 3, 4, 6, 8, 11, 31, 48, 97, 200, 201, 997, 1006, 2026, 2048, 5000, 55296, 57399, 65535, 99999,
            1114111, 1114112, 2**31, 2**32 - 1, 2**63, 2**64)  # fmt: skip
_BODIES = ("", "?", ";", "11;?", "11;rgb:ffff/ffff/ffff", "11;rgb:g/h/i", "11;rgb:" + "f" * 99, ">|kitty(0.26)",
           "1$r0m",
           "1+r544e=78", "!|00000000", "Gi=31;OK", "Gi=31;ENOENT", "52;c;bWREcQ==", "0;title", "é日\u202e",
           "\0\x07")  # fmt: skip
_ENDS = ("\x1b\\", "\x07", "", "\x18", "\x1b", "\x1b[A")
_FLOODS = ("\x1b[<35;{a};{b}M", "\x1b[I\x1b[O", "\x1b[<64;5;5M", "\x1b[<65;5;5M\x1b[<64;5;5M", "\x1b[?997;1n",
           "\x1b[48;{a};{b};0;0t",
           "\x1b[8;{a};{b}t", "\x1b]11;rgb:0/0/0\x1b\\", "\x1b[?64;4;6c", "\x1b[?2026;2$y", "\x1b[6;{a};{b}t",
           "\x1b_Gi=31;OK\x1b\\",
           "\x1b[<35;{a};{b}M\x1b[I\x1b[?997;2n")  # fmt: skip


def cases(chance: random.Random, count: int, *, flood: int = 300) -> Iterator[bytes]:
    """`flood`: how many reports there are at most of those that come in numbers."""
    for _ in range(count):
        kind = chance.random()
        if kind < 0.45:
            case = _csi(chance)
        elif kind < 0.75:
            body = chance.choice(_BODIES) * chance.choice((1, 1, 1, 50))
            case = f"\x1b{chance.choice(']PX^_')}{body}{chance.choice(_ENDS)}"
        elif kind < 0.85:
            case = "".join(_csi(chance) for _ in range(chance.randrange(2, 6)))
        elif kind < 0.95:
            report = chance.choice(_FLOODS)
            a, b = chance.randrange(1, 60), chance.choice((chance.randrange(1, 20), chance.choice(_NUMBERS)))
            case = "".join(report.format(a=a + n % 20, b=b) for n in range(chance.randrange(1, flood)))
        else:
            case = chance.choice(
                ("\x1b[200~", "\x1b[200~x\x1b[201", "\x1b]" + "x" * 9_000, "\x1bP" * 99, "\x1b[" * 999, "\x1bO")
            )
        data = case.encode()
        yield data[: chance.randrange(1, len(data) + 1)] if chance.random() < 0.3 else data


def _csi(chance: random.Random) -> str:
    numbers = chance.choice(";;;:").join(str(chance.choice(_NUMBERS)) for _ in range(chance.randrange(5)))
    private, between = chance.choice(("", "", "", "?", "<", ">", "=")), chance.choice(("", "", "", "$", " "))
    return f"\x1b[{private}{numbers}{between}{chr(chance.randrange(0x40, 0x7F))}"
