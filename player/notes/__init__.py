"""Show notes: the HTML, Markdown or plain text of a feed, read into blocks and spans that a terminal can show.

`read_notes` never raises and takes a time linear in the length. What the markup says is read by `reading` and
`building`; what a feed lost on its way (lists, paragraphs, links, Markdown that nobody rendered) is found again by
`mending`.
"""

from player.notes.blocks import Block, Code, Heading, Item, Notes, Paragraph, Quote, Rule, Span, Table
from player.notes.parse import beginning, read_in_parts, read_notes
from player.notes.parsed_notes import ParsedNotes, parsed
from player.notes.plain import plain, words

__all__ = [
    "Block",
    "Code",
    "Heading",
    "Item",
    "Notes",
    "Paragraph",
    "ParsedNotes",
    "Quote",
    "Rule",
    "Span",
    "Table",
    "beginning",
    "parsed",
    "plain",
    "read_in_parts",
    "read_notes",
    "words",
]
