"""Sixels decoded, as a terminal does."""

import re

from PIL import Image

_TOKEN = re.compile(r'"[\d;]*|#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|[$-]')


def decode(sixel: str) -> Image.Image:
    """The picture in one `ESC P … q … ESC \\`: pixels that aren't set stay transparent."""
    body = re.fullmatch(r'\x1bP[\d;]*q"1;1;(\d+);(\d+)(.*)\x1b\\', sixel, re.DOTALL)
    assert body is not None
    width, height = int(body[1]), int(body[2])
    image = Image.new("RGBA", (width, height))
    colours: dict[int, tuple[int, int, int, int]] = {}
    x = top = colour = 0
    for match in _TOKEN.finditer(body[3]):
        number, red, green, blue, count, repeated, single = match.groups()
        if number is not None:
            colour = int(number)
            if red is not None:
                assert max(int(red), int(green), int(blue)) <= 100, "shades are in hundredths"
                colours[colour] = (round(int(red) * 2.55), round(int(green) * 2.55), round(int(blue) * 2.55), 255)
        elif match[0] == "$":
            x = 0
        elif match[0] == "-":
            x, top = 0, top + 6
        elif repeated or single:
            bits = ord(repeated or single) - 63
            for _ in range(int(count or 1)):
                for row in range(6):
                    if bits >> row & 1:
                        assert top + row < height, "a sixel reaches below its picture"
                        image.putpixel((x, top + row), colours[colour])
                x += 1
            assert x <= width
    return image
