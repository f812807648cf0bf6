"""Spans of notes: parted into lines, shortened, as text."""

from collections.abc import Iterable, Sequence

from player.notes import Span


def text_of(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


def split_lines(spans: Iterable[Span]) -> list[tuple[Span, ...]]:
    lines: list[list[Span]] = [[]]
    for span in spans:
        first, *others = span.text.split("\n")
        lines[-1].append(span._replace(text=first))
        lines += [[span._replace(text=other)] for other in others]
    return [tuple(line) for line in lines]


def without_start(spans: Iterable[Span], count: int) -> tuple[Span, ...]:
    """The spans without their first `count` characters."""
    kept = []
    for span in spans:
        if count < len(span.text):
            kept.append(span._replace(text=span.text[count:]))
        count = max(0, count - len(span.text))
    return tuple(kept)


def without_end(spans: tuple[Span, ...], characters: str) -> tuple[Span, ...]:
    kept = list(spans)
    while kept and not kept[-1].text.rstrip(characters):
        kept.pop()
    if kept:
        kept[-1] = kept[-1]._replace(text=kept[-1].text.rstrip(characters))
    return tuple(kept)


def stripped(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans without space at the start and the end, nor empty ones."""
    kept = [span for span in spans if span.text]
    while kept and not kept[0].text.strip():
        kept.pop(0)
    if kept:
        kept[0] = kept[0]._replace(text=kept[0].text.lstrip())
    return without_end(tuple(kept), " \t\n")
